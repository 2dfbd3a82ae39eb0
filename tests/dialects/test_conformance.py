"""Every dialect, every promise."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook.dialect import ConfigText, Dialect, Failure, Raw, events_named, native_name
from omnihook.dialects import native
from omnihook.events import EVENTS, Event, OtherEvent, PreToolUse, Stop, rewritten
from omnihook.hooks import Argv, BlockOn, Cause, Command, Hook, Layer, OnError, Prompt, Source
from omnihook.jsontypes import dumps
from omnihook.verdicts import NO_OPINION, Decision, Verdict
from strategies import every_dialect, json_values, words

dialects = pytest.mark.parametrize("dialect", every_dialect, ids=lambda d: d.name)
raws = st.builds(
    Raw,
    exit_code=st.sampled_from([0, 0, 0, 1, 2, 3, 126, 127, 255]),
    stdout=st.text(max_size=60) | json_values.map(json.dumps),
    stderr=st.text(max_size=20),
    channel=st.sampled_from(["process", "http", "model", "mcp"]),
    status=st.none() | st.sampled_from([200, 204, 404, 500]),
)


def sample(dialect: Dialect, name: str = "PreToolUse", **values: object) -> Event:
    event = EVENTS[name](session_id="s", cwd="/p", agent=dialect.name)
    known = {f.name for f in fields(event)}
    return replace(event, **{key: value for key, value in values.items() if key in known})


def hook_of(dialect: Dialect, **values: object) -> Hook:
    first = dialect.names[0]
    made = Hook(
        name="h",
        events=(first.event,),
        native_events=(first.native,),
        action=Command(command="true"),
        source=Source(dialect=dialect.name, layer=Layer.USER),
    )
    return replace(made, **values)


@dialects
@given(payload=st.dictionaries(words, json_values, max_size=4), data=st.data())
def test_every_field_of_a_payload_comes_back(dialect: Dialect, payload: dict[str, object], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted({row.native for row in dialect.names})))
    event = dialect.decode_event(payload, name)
    body = dialect.encode_event(event).body
    assert {key: body.get(key) for key in payload} == payload


@dialects
def test_an_event_of_tomorrow_keeps_its_name(dialect: Dialect) -> None:
    event = dialect.decode_event({"x": 1}, "EventOfTomorrow")
    assert isinstance(event, OtherEvent)
    assert (event.name, native_name(dialect, event)) == ("EventOfTomorrow", "EventOfTomorrow")


@dialects
def test_every_native_name_decodes_to_its_event(dialect: Dialect) -> None:
    for row in dialect.names:
        event = dialect.decode_event({}, row.native)
        assert event.name in events_named(dialect, row.native)


@dialects
def test_every_event_with_a_name_can_be_written(dialect: Dialect) -> None:
    for row in dialect.names:
        wire = dialect.encode_event(EVENTS[row.event](session_id="s", cwd="/p"))
        assert wire.stdin is None or json.loads(wire.stdin)
        assert all(isinstance(value, str) for value in wire.env.values())


@dialects
def test_effects_are_said_for_known_events_only(dialect: Dialect) -> None:
    assert set(dialect.effects) <= set(EVENTS)
    assert {row.event for row in dialect.names} <= set(EVENTS)


@dialects
def test_a_changed_input_is_sent_and_the_rest_is_untouched(dialect: Dialect) -> None:
    if "PreToolUse" not in {row.event for row in dialect.names}:
        return
    original = sample(dialect, tool_name="Bash", tool_input={"command": "ls"})
    body = dict(dialect.encode_event(original).body)
    body["surprise"] = [1, 2]
    event = dialect.decode_event(body, native_name(dialect, original))
    assert isinstance(event, PreToolUse)
    changed = rewritten(event, tool_input={"command": "pwd"})
    again = dialect.encode_event(changed).body
    assert again["surprise"] == [1, 2]
    assert '"pwd"' in dumps(again)
    assert '"ls"' not in dumps(again)


@dialects
@given(raw=raws, data=st.data())
def test_no_reply_raises(dialect: Dialect, raw: Raw, data: st.DataObject) -> None:
    row = data.draw(st.sampled_from(dialect.names))
    answer = dialect.decode_reply(hook_of(dialect), sample(dialect, row.event), raw)
    assert isinstance(answer, Verdict | Failure)


@dialects
@given(cut=st.integers(0, 200), data=st.data())
def test_a_torn_refusal_never_approves(dialect: Dialect, cut: int, data: st.DataObject) -> None:
    event = sample(dialect, tool_name="Bash", tool_input={"command": "rm"})
    for verdict in (Verdict.deny("no"), Verdict.block("no")):
        reply = dialect.encode_reply(event, verdict)
        torn = Raw(exit_code=reply.exit_code, stdout=reply.stdout[:cut], stderr=reply.stderr)
        answer = dialect.decode_reply(hook_of(dialect), event, torn)
        assert isinstance(answer, Failure) or answer.decision is not Decision.APPROVE
        whole = dialect.decode_reply(
            hook_of(dialect), event, Raw(exit_code=reply.exit_code, stdout=reply.stdout, stderr=reply.stderr)
        )
        assert isinstance(whole, Verdict)
        assert whole.refused or not whole.continue_


@dialects
@pytest.mark.parametrize("code", [126, 127])
def test_a_command_that_cannot_run_is_broken(dialect: Dialect, code: int) -> None:
    raw = Raw(exit_code=code, stderr="sh: 1: nothing: not found")
    answer = dialect.decode_reply(hook_of(dialect), sample(dialect, tool_name="Bash"), raw)
    assert isinstance(answer, Failure)
    assert answer.cause is Cause.START


@dialects
def test_silence_is_no_opinion(dialect: Dialect) -> None:
    answer = dialect.decode_reply(hook_of(dialect), sample(dialect, tool_name="Bash"), Raw(exit_code=0))
    assert isinstance(answer, Verdict)
    assert answer.decision <= Decision.ALLOW
    assert replace(answer, decision=Decision.NONE) == NO_OPINION


@dialects
@pytest.mark.parametrize("decision", [Decision.DENY, Decision.BLOCK])
def test_a_refusal_can_be_said_wherever_it_has_an_effect(dialect: Dialect, decision: Decision) -> None:
    for event, possible in dialect.effects.items():
        if not possible.refuse:
            continue
        reply = dialect.encode_reply(sample(dialect, event), Verdict(decision=decision, reason="no way"))
        assert "no way" in reply.stdout + reply.stderr, event
        assert not reply.lost


SAYINGS = {
    "ask": Verdict.ask("why"),
    "approve": Verdict.approve("fine"),
    "rewrite": Verdict(updated_input={"command": "changed"}, partial=False),
    "context": Verdict.context("branch main"),
    "stop": Verdict(continue_=False, stop_reason="enough"),
}


# A permission request is the question, and what is rewritten there needs an approval beside it.
QUESTION_ITSELF = {("PermissionRequest", "ask"), ("PermissionRequest", "rewrite")}


@dialects
@pytest.mark.parametrize("effect", SAYINGS)
def test_what_the_effects_promise_can_be_said(dialect: Dialect, effect: str) -> None:
    for name, possible in dialect.effects.items():
        if not getattr(possible, effect) or (name, effect) in QUESTION_ITSELF:
            continue
        event = sample(dialect, name, tool_name="Bash", tool_input={"command": "ls"})
        reply = dialect.encode_reply(event, SAYINGS[effect])
        assert not reply.lost, name
        assert reply.stdout or reply.stderr, name


@dialects
def test_no_opinion_says_nothing_that_decides(dialect: Dialect) -> None:
    for event in dialect.effects:
        reply = dialect.encode_reply(sample(dialect, event), NO_OPINION)
        back = dialect.decode_reply(
            hook_of(dialect), sample(dialect, event), Raw(exit_code=reply.exit_code, stdout=reply.stdout)
        )
        assert isinstance(back, Verdict)
        assert back.decision <= Decision.ALLOW


@dialects
def test_allow_is_never_written_as_approve(dialect: Dialect) -> None:
    event = sample(dialect, tool_name="Bash", tool_input={"command": "ls"})
    reply = dialect.encode_reply(event, Verdict.allow())
    back = dialect.decode_reply(hook_of(dialect), event, Raw(exit_code=reply.exit_code, stdout=reply.stdout))
    assert isinstance(back, Verdict)
    assert back.decision is not Decision.APPROVE


@dialects
@given(text=st.text(max_size=80) | json_values.map(json.dumps))
def test_no_configuration_text_raises(dialect: Dialect, text: str) -> None:
    for file in dialect.files:
        path = file.path.replace("*", "x")
        config = ConfigText(path=f"/p/{path}", layer=file.layer, text=text, role=file.role)
        reading = dialect.read_config([config])
        assert isinstance(reading.hooks, tuple)


@dialects
@given(table=st.dictionaries(st.sampled_from(["PreToolUse", "preToolUse", "pre-tool", "Stop", "x"]), json_values))
def test_no_hooks_table_raises(dialect: Dialect, table: dict[str, object]) -> None:
    for document in ({"hooks": table}, {"hooks": {"enabled": True, "hooks": [table]}}, {"profiles": {"a": table}}):
        config = ConfigText(path="/p/settings.json", layer=Layer.USER, text=json.dumps(document))
        dialect.read_config([config])


@dialects
def test_what_is_written_is_read_back(dialect: Dialect) -> None:
    rows = {row.native: row for row in dialect.names if row.send}
    hooks = [
        hook_of(dialect, name=f"hook-{index}", events=events_named(dialect, native), native_events=(native,))
        for index, native in enumerate(sorted(rows))
    ]
    written = dialect.write_config(hooks)
    path = next(iter(written.files))
    reading = dialect.read_config([ConfigText(path=f"/p/{path}", layer=Layer.USER, text=written.text)])
    assert reading.diagnostics == ()
    assert sorted(hook.events for hook in reading.hooks) == sorted(hook.events for hook in hooks)
    again = dialect.write_config(reading.hooks)
    assert (
        dialect.read_config([ConfigText(path=f"/p/{path}", layer=Layer.USER, text=again.text)]).hooks == reading.hooks
    )


@dialects
def test_what_cannot_be_written_is_listed(dialect: Dialect) -> None:
    impossible = hook_of(dialect, events=("NoSuchEvent",), native_events=("NoSuchEvent",), action=Argv(argv=("a",)))
    written = dialect.write_config([impossible])
    reading = dialect.read_config([ConfigText(path="/p/x", layer=Layer.USER, text=written.text)])
    assert written.lost or reading.hooks


UNUSUAL = {
    "priority": 5,
    "paths": ("src/**",),
    "tools": ("Write",),
    "env": {"A": "1"},
    "clean_env": True,
    "guard": True,
    "observe": True,
    "pure": True,
    "once": True,
    "shadow": True,
    "background": True,
    "rewake": True,
    "enabled": False,
    "description": "what it is for",
    "cwd": "/somewhere",
    "rule": "Bash(git *)",
    "timeout": 7.0,
    "block_on": BlockOn.NONZERO,
    "on_error": dict.fromkeys(Cause, OnError.DENY),
    "pins": ("x/*",),
    "detach": True,
    "may_allow": True,
    "status_message": "looking",
}


@dialects
@pytest.mark.parametrize("attribute", UNUSUAL)
def test_what_is_set_is_written_or_said_to_be_lost(dialect: Dialect, attribute: str) -> None:
    native = native_name(dialect, sample(dialect))
    hook = hook_of(dialect, events=("PreToolUse",), native_events=(native,), **{attribute: UNUSUAL[attribute]})
    written = dialect.write_config([hook])
    reading = dialect.read_config([ConfigText(path="/p/x", layer=Layer.USER, text=written.text)])
    kept = reading.hooks and getattr(reading.hooks[0], attribute) == UNUSUAL[attribute]
    assert kept or written.lost


@dialects
@pytest.mark.parametrize(
    "part", [{"model": "large"}, {"tools": True}, {"continue_on_block": True}, {"base_url": "https://x/"}], ids=str
)
def test_every_part_of_a_question_is_written_or_said_to_be_lost(dialect: Dialect, part: dict[str, object]) -> None:
    asked = Prompt(prompt="fine?", **part)
    native = native_name(dialect, sample(dialect))
    written = dialect.write_config([hook_of(dialect, events=("PreToolUse",), native_events=(native,), action=asked)])
    reading = dialect.read_config([ConfigText(path="/p/x", layer=Layer.USER, text=written.text)])
    assert [hook.action for hook in reading.hooks] == [asked] or written.lost


def test_the_native_dialect_tells_when_an_event_happened() -> None:
    told = native.DIALECT.encode_event(Stop(session_id="s", cwd="/p", timestamp=1700000000.25)).body
    assert told["timestamp"] == "2023-11-14T22:13:20.250Z"
    assert native.DIALECT.decode_event(told, None).timestamp == 1700000000.25
