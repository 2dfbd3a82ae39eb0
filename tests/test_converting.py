import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnihook import dialects
from omnihook.converting import convert
from omnihook.dialect import ConfigText, Dialect, events_named
from omnihook.families.patterns import native_matcher
from omnihook.hooks import Command, Hook, Layer, Matcher, Source
from omnihook.planning import timeout_of
from strategies import every_dialect

PAIRS = [(x, y) for x in every_dialect for y in every_dialect]
pairs = pytest.mark.parametrize(("x", "y"), PAIRS, ids=[f"{x.name}-to-{y.name}" for x, y in PAIRS])
TOOLS = ["Bash", "Write", "Read", "Edit"]


def read(dialect: Dialect, text: str) -> tuple[Hook, ...]:
    path = "/p/.omnihook/hooks.toml" if dialect.name == "omnihook" else "/h/settings.json"
    return dialect.read_config([ConfigText(path=path, layer=Layer.USER, text=text)]).hooks


def meaning(hooks: tuple[Hook, ...]) -> list[tuple[object, ...]]:
    """What hooks say, whatever they are called; the order of different events means nothing.

    A time-out that is written out says the same as the default it is equal to.
    """
    said = [
        (h.events, h.action, h.matcher.names, h.matcher.pattern, h.tools, h.paths, waits(h), h.background, h.rule)
        for h in hooks
    ]
    return sorted(said, key=lambda item: str(item[0]))


def waits(hook: Hook) -> list[float | None]:
    return [timeout_of(hook, event, {item.name: item for item in every_dialect}) for event in hook.events]


@st.composite
def hooks_of(draw: st.DrawFn, dialect: Dialect) -> list[Hook]:
    made = []
    natives = sorted({row.native for row in dialect.names if row.send})
    for index in range(draw(st.integers(1, 3))):
        native = draw(st.sampled_from(natives))
        events = events_named(dialect, native)
        tool_event = all(event in ("PreToolUse", "PostToolUse", "PermissionRequest") for event in events)
        names = draw(st.lists(st.sampled_from(TOOLS), unique=True, min_size=1, max_size=2)) if tool_event else []
        words = [dialect.vocabulary.tools.get(name, name) for name in names]
        matcher = Matcher(text="|".join(words), names=frozenset(words)) if words and draw(st.booleans()) else Matcher()
        made.append(
            Hook(
                name=f"h{index}",
                events=events,
                native_events=(native,),
                action=Command(command=draw(st.sampled_from(["true", "./check.sh", "echo hi"]))),
                matcher=matcher,
                timeout=draw(st.none() | st.sampled_from([1.0, 30.0, 59.0])),
                source=Source(dialect=dialect.name, layer=Layer.USER),
            )
        )
    return made


@pairs
@given(data=st.data())
@settings(max_examples=8)
def test_there_and_back_is_the_identity_where_nothing_is_lost(x: Dialect, y: Dialect, data: st.DataObject) -> None:
    start = read(x, x.write_config(data.draw(hooks_of(x))).text)
    there = convert(start, x, y)
    back = convert(read(y, there.text), y, x)
    if not there.lost and not back.lost:
        assert meaning(read(x, back.text)) == meaning(start)


@pairs
@given(data=st.data())
@settings(max_examples=3)
def test_a_hook_has_as_long_as_before_unless_that_is_lost(x: Dialect, y: Dialect, data: st.DataObject) -> None:
    start = read(x, x.write_config(data.draw(hooks_of(x))).text)
    there = convert(start, x, y)
    if not there.lost:
        made = read(y, there.text)
        assert sorted(w for h in made for w in waits(h)) == sorted(w for h in start for w in waits(h))


def claude(event: str, **entry: object) -> tuple[Hook, ...]:
    entries = [{"hooks": [{"type": "command", "command": "./x.sh", **entry}]}]
    return read(dialects.get("claude-code"), json.dumps({"hooks": {event: entries}}))


@pytest.mark.parametrize("target", ["codemie", "code-agent"])
def test_a_command_that_no_longer_gets_the_event_is_said_to_be_lost(target: str) -> None:
    hooks = claude("PreToolUse")
    lost = convert(hooks, dialects.get("claude-code"), dialects.get(target)).lost
    assert f"{hooks[0].name}: {target} gives hooks no stdin" in lost
    back = dialects.get("codemie" if target == "code-agent" else "code-agent")
    mine = read(dialects.get(target), convert(hooks, dialects.get("claude-code"), dialects.get(target)).text)
    assert not any("stdin" in item for item in convert(mine, dialects.get(target), back).lost)


def test_what_an_event_can_no_longer_do_is_said_once() -> None:
    one, autohand, gencode = (dialects.get(name) for name in ("claude-code", "autohand", "gencode"))
    [stop] = claude("Stop")
    assert convert([stop], one, autohand).lost == (f"{stop.name}: stop of autohand cannot refuse",)
    [before] = claude("PreToolUse")
    said = f"{before.name}: PreToolUse of gencode cannot ask the user or rewrite the call or add context"
    assert convert([before], one, gencode).lost == (said,)
    [later] = claude("Stop", **{"async": True})
    assert not any("refuse" in item for item in convert([later], one, autohand).lost)


def test_a_default_time_out_is_written_out_where_the_target_has_another() -> None:
    one, autohand, native = (dialects.get(name) for name in ("claude-code", "autohand", "omnihook"))
    assert json.loads(convert(claude("PreToolUse"), one, autohand).text)["hooks"]["hooks"][0]["timeout"] == 600_000
    assert read(native, convert(claude("SessionEnd"), one, native).text)[0].timeout == 1.5
    both = read(native, '[[hook]]\nname = "h"\non = ["SessionStart", "SessionEnd"]\nrun = "x"\n')
    assert "h: its time-outs (10 s, 60 s, by event) become one of 60 s" in convert(both, native, one).lost
    codemie = dialects.get("codemie")
    [same] = read(codemie, convert(read(native, '[[hook]]\non = "Stop"\nrun = "x"\n'), native, codemie).text)
    assert same.timeout is None


def test_words_are_translated() -> None:
    settings_text = json.dumps(
        {"hooks": {"PreToolUse": [{"matcher": "Bash|Write", "hooks": [{"type": "command", "command": "./x.sh"}]}]}}
    )
    claude, autohand = dialects.get("claude-code"), dialects.get("autohand")
    written = convert(read(claude, settings_text), claude, autohand)
    entry = json.loads(written.text)["hooks"]["hooks"][0]
    assert entry["event"] == "pre-tool"
    assert "run_command" in entry["matcher"]
    assert "write_file" in entry["matcher"]
    assert written.lost == ()


def test_what_is_lost_is_listed() -> None:
    native, codemie = dialects.get("omnihook"), dialects.get("codemie")
    hook = Hook(
        name="h",
        events=("FileModified",),
        native_events=("FileModified",),
        action=Command(command='fmt "$OMNIHOOK_FILE_PATH"'),
        matcher=native_matcher(None),
        priority=5,
    )
    lost = " ".join(convert([hook], native, codemie).lost)
    assert "codemie has no event FileModified" in lost
    assert "$OMNIHOOK_FILE_PATH" in lost


def test_an_exit_code_that_blocks_still_blocks_or_is_said_to_be_lost() -> None:
    hook = Hook(name="h", events=("PreToolUse",), native_events=("PreToolUse",), action=Command(command="./x"))
    rs, native, claude = (dialects.get(name) for name in ("claude-agent-rs", "omnihook", "claude-code"))
    mine = [Hook(**{f: getattr(hook, f) for f in hook.__slots__ if f != "source"}, source=Source(dialect=rs.name))]
    there = convert(mine, rs, native)
    assert 'block_on = "nonzero"' in there.text
    assert read(rs, convert(read(native, there.text), native, rs).text)[0].block_on.value == "dialect"
    assert "h: block_on = 'nonzero'" in convert(mine, rs, claude).lost


@pytest.mark.parametrize(
    "dialect", [item for item in every_dialect if item.name != "omnihook"], ids=lambda item: item.name
)
def test_a_built_in_hook_becomes_the_command_that_runs_it(dialect: Dialect) -> None:
    text = '[[hook]]\nbuiltin = "security-guard"\noptions = { mode = "strict" }\n'
    written = convert(read(dialects.get("omnihook"), text), dialects.get("omnihook"), dialect)
    command = f"omnihook builtin security-guard --as {dialect.name} --set mode=strict"
    assert command in "".join(written.files.values())
    assert f"security-guard: the built-in becomes the command {command!r}" in written.lost
    assert not any("action" in item for item in written.lost)
