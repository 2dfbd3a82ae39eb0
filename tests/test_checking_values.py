"""Values and keys that cannot be meant are found, at their line and with a fix; good files are left alone."""

import json
from pathlib import Path

import pytest

from checking_kit import Desk, desk, entry, errors


@pytest.fixture
def here(tmp_path: Path) -> Desk:
    return desk(tmp_path)


WRONG = {
    'run = "a\\u0000b"': ("NUL", 'run = "'),
    'argv = ["true", "a\\u0000b"]': ("NUL", "argv"),
    'run = "true"\nenv = { "A=B" = "1" }': ("cannot be set in an environment", "env"),
    'http = "ftp://x"': ("not the address of a web server", "http"),
    'http = "localhost"': ("not the address of a web server", "http"),
    'http = "http://[::"': ("not the address of a web server", "http"),
    'run = "echo \'unclosed"': ("a quote in the command is not closed", "run"),
    'run = "true"\ncwd = "/no/such/folder"': ("there is no folder '/no/such/folder'", "cwd"),
    'run = "true"\nshell = "nosuchshell"': ("the shell 'nosuchshell' is not on the path", "shell"),
    'run = "true"\npins = ["no/such.txt"]': ("'pins' names 'no/such.txt'", "pins"),
    'run = "true"\ncase = 5': ("case 1: it must be a table", "case"),
    'run = "true"\ncase = [{ expect = "blok" }]': ("expect must be one of", "case"),
    'run = "true"\ncase = [{ expect = "none" }, { expect = "deny", tol = "Bash" }]': (
        "case 2: unknown key 'tol'",
        "case",
    ),
    'run = "true"\ncase = [{ expect = "none", tool = 3 }]': ("case 1: tool must be a text, not a number", "case"),
    'run = "true"\ncase = [{ expect = "none", payload = "x" }]': ("payload must be a table, not a string", "case"),
    'run = "true"\ncase = [{ expect = "none", input = [] }]': ("input must be a table, not a list", "case"),
    'run = "true"\ncase = [{ expect = "none", event = "Stp" }]': ("'Stp', did you mean 'Stop'?", "case"),
    'run = "true"\npaths = ["src/[ab"]': ("its '[' is not closed", "paths"),
    'run = "true"\npaths = ["ok", "{a,b/*"]': ("its '{' is not closed", "paths"),
    'run = "true"\npaths = [""]': ("it is empty", "paths"),
    'run = "true"\npaths = ["!"]': ("it is empty", "paths"),
    'run = "true"\npaths = ["../other/*"]': ("without '.', '..' and double slashes", "paths"),
    'run = "true"\npaths = ["src//*.py"]': ("without '.', '..' and double slashes", "paths"),
    'run = "true"\npaths = ["{src,lib}/"]': ("no slash at their end", "paths"),
    'run = "true"\npaths = ["~/x/*"]': ("'~' stands for nothing", "paths"),
    'run = "true"\npaths = ["{0..99999}"]': ("more than 1000 globs", "paths"),
    'run = "true"\ntimeout = 0.03': ("very short: this file counts seconds", "timeout"),
    'run = "true"\ntimeout = "5 parsecs"': ("is not a time", "timeout"),
    'run = "true"\ntimeout = -1': ("must be between 0 and a day", "timeout"),
    'run = "true"\npriority = 1.5': ("must be a whole number, not 1.5", "priority"),
    'run = "true"\nmode = "loud"': ("mode must be", "mode"),
    'run = "true"\nguard = "yes"': ("must be true or false", "guard"),
    'run = "true"\npaths = "x"': ("must be a list of strings", "paths"),
    'run = "true"\nenv = { A = 1 }': ("must be an object of strings", "env"),
    'run = "true"\non_error = "blok"': ("on_error must be one of", "on_error"),
    'run = "true"\non_error = { exits = "deny" }': ("unknown cause 'exits'", "on_error"),
    'run = "true"\nblock_on = 7': ("block_on must be", "block_on"),
    "run = 5": ("must be a string", "run"),
    "argv = []": ("'argv' is empty", "argv"),
    'run = "true"\nmatcher = "Bash"': ("unknown key 'matcher', did you mean 'match'?", "matcher"),
    'run = "true"\nstatusMessage = "x"': ("unknown key 'statusMessage', did you mean 'status'?", "statusMessage"),
}


@pytest.mark.parametrize(("values", "said"), WRONG.items())
def test_a_value_that_cannot_be_meant_is_found_at_its_line_with_a_fix(
    here: Desk, values: str, said: tuple[str, str]
) -> None:
    found = here.hook(f'on = "PreToolUse"\n{values}')
    assert len(found) == 1
    item, text = found[0], f'[[hook]]\non = "PreToolUse"\n{values}\n'
    assert said[0] in item.message
    assert (item.severity, bool(item.fix)) == ("error", True)
    assert item.line is not None and text.splitlines()[item.line - 1].startswith(said[1])


GLOBS = (
    "src/**/*.py",
    "./a.py",
    "!**/gen/*",
    "{a,b}.{py,rs}",
    "[!a]b",
    "[]]",
    "a\\\\[",
    "\\\\{x",
    "/etc/*",
    "a}",
    "{a}",
    "..a",
    "**",
)


@pytest.mark.parametrize("glob", GLOBS)
def test_globs_that_can_match_are_left_alone(here: Desk, glob: str) -> None:
    assert here.hook(f'on = "PreToolUse"\nrun = "true"\npaths = ["{glob}"]') == ()


KEYS = {"event": "on", "command": "run", "matcher": "match", "asyncRewake": "rewake", "tool": "tools", "url": "http"}


@pytest.mark.parametrize(("key", "meant"), KEYS.items())
def test_a_key_of_another_agent_is_answered_with_ours(here: Desk, key: str, meant: str) -> None:
    found = here.hook(f'{key} = "x"\n')
    assert any(f"unknown key {key!r}, did you mean {meant!r}?" in item.message for item in found)


EVENTS = {
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "pre_tool_use": "PreToolUse",
    "post-tool": "PostToolUse",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "afterFileEdit": "FileModified",
    "AfterAgent": "Stop",
    "session-start": "SessionStart",
    "PreTolUse": "PreToolUse",
}


@pytest.mark.parametrize(("name", "meant"), EVENTS.items())
def test_an_event_of_another_agent_is_answered_with_ours(here: Desk, name: str, meant: str) -> None:
    (item,) = here.hook(f'on = "{name}"\nrun = "true"')
    assert item.message == f"unknown event {name!r}, did you mean {meant!r}?"
    assert item.severity == "error"


@pytest.mark.parametrize("name", ["*", "", " ", "Pre*", "a b"])
def test_what_is_no_name_is_no_event_of_tomorrow(here: Desk, name: str) -> None:
    found = here.hook(f'on = "{name}"\nrun = "true"')
    assert [(item.code, item.severity) for item in found] == [("unknown-event", "error")]
    tomorrow = here.hook('on = "TeamLunch"\nrun = "true"')
    assert [(item.code, item.severity) for item in tomorrow] == [("unknown-event", "warning")]


TOP = {
    'enabled = "no"': "'enabled' must be true or false",
    "enabled = 0": "'enabled' must be true or false",
    "read = 5": "'read' must be a list of dialects",
    'read = ["claud-code"]': "unknown dialect 'claud-code' in 'read', did you mean 'claude-code'?",
    'read = "claud-code"': "unknown dialect 'claud-code' in 'read', did you mean 'claude-code'?",
    "model = 5": "'model' must be a string or a table",
    "hooks = []": "unknown key 'hooks', did you mean 'hook'?",
}


@pytest.mark.parametrize(("line", "said"), TOP.items())
def test_a_wrong_key_at_the_top_is_an_error_at_its_line(here: Desk, line: str, said: str) -> None:
    found = here.native(f'# mine\n{line}\n[[hook]]\non = "Stop"\nrun = "true"\n')
    assert [(item.severity, item.line) for item in found] == [("error", 2)]
    assert said in found[0].message
    assert found[0].fix


def test_read_may_name_one_dialect_without_a_list(here: Desk) -> None:
    assert here.native('read = "claude-code"\n') == ()


def test_two_keys_of_one_name_are_found_where_hooks_are_lost(here: Desk) -> None:
    stop = json.dumps([entry("true")])
    whole = f'{{"hooks": {{"Stop": {stop}}},\n "hooks": {{"SessionEnd": {stop}}}}}'
    (item,) = here.json("claude-code", whole)
    assert (item.severity, item.code, item.line) == ("error", "duplicate-key", 2)
    event = f'{{"a": 1, "a": 2, "hooks": {{"Stop": {stop},\n"Stop": {stop}}}}}'
    (item,) = here.json("claude-code", event)
    assert (item.message.startswith("'Stop' stands twice"), item.line) == (True, 2)
    profile = f'{{"activeProfile": "a", "profiles": {{"a": {{"hooks": {{"Stop": {stop},\n"Stop": {stop}}}}}}}}}'
    assert [item.code for item in here.json("codemie", profile)] == ["duplicate-key"]


MISPLACED = {
    "claude-code": {"Hooks": {"Stop": [entry("true")]}},
    "gencode": {"hook": {"Stop": [entry("true")]}},
    "codemie": {"hooks": {"Stop": [entry("true")]}},
    "autohand": {"Hooks": {"hooks": [{"event": "stop", "command": "true"}]}},
}


@pytest.mark.parametrize(("dialect", "document"), MISPLACED.items())
def test_hooks_where_nobody_looks_for_them_are_found(here: Desk, dialect: str, document: object) -> None:
    (item,) = here.json(dialect, document)
    assert (item.severity, item.code, item.line) == ("error", "unknown-key", 2)
    assert "hooks" in (item.fix or "")


def test_another_agents_shape_in_autohands_file_is_found(here: Desk) -> None:
    (item,) = here.json("autohand", {"hooks": {"PreToolUse": [entry("true")]}})
    assert (item.severity, item.code) == ("error", "unknown-key")
    assert "hooks.hooks" in item.message


def test_a_switch_that_switches_nothing_is_an_error(here: Desk) -> None:
    (claude,) = here.json("claude-code", {"disableAllHooks": "true"})
    assert (claude.severity, claude.line) == ("error", 2)
    (autohand,) = here.json("autohand", {"hooks": {"enabled": "no", "hooks": []}})
    assert (autohand.severity, bool(autohand.fix)) == ("error", True)


@pytest.mark.parametrize(
    ("group", "said"),
    [
        (entry("true", run="x"), "unknown key 'run', did you mean 'command'?"),
        (entry("true", timeot=5), "unknown key 'timeot', did you mean 'timeout'?"),
        ({"match": "Bash", **entry("true")}, "unknown key 'match', did you mean 'matcher'?"),
        ({"Matcher": "Bash", **entry("true")}, "unknown key 'Matcher', did you mean 'matcher'?"),
    ],
)
def test_a_key_that_is_not_read_and_was_meant_as_another_is_found(
    here: Desk, group: dict[str, object], said: str
) -> None:
    (item,) = here.claude({"PreToolUse": [group]})
    assert said in item.message
    assert item.severity == "error"


@pytest.mark.parametrize("unit", ["code-agent", "gencode", "claude-code"])
@pytest.mark.parametrize("timeout", ["soon", -1, True, [], 1e9])
def test_every_unreadable_time_has_a_fix(here: Desk, unit: str, timeout: object) -> None:
    (item,) = here.json(unit, {"hooks": {"Stop": [entry("true", timeout=timeout)]}})
    assert item.severity == "error"
    assert item.fix and "30 seconds" in item.fix
    text = (here.home / f"{unit}.json").read_text().splitlines()
    assert item.line is not None and '"timeout"' in text[item.line - 1]


BAD_SHAPES: list[tuple[str, object]] = [
    ("claude-code", {"hooks": []}),
    ("claude-code", {"hooks": {"Stop": {}}}),
    ("claude-code", {"hooks": {"Stop": ["x"]}}),
    ("claude-code", {"hooks": {"Stop": [{"hooks": "x"}]}}),
    ("claude-code", {"hooks": {"Stop": [{"hooks": ["x"]}]}}),
    ("claude-code", {"hooks": {"Stop": [entry("")]}}),
    ("claude-code", {"hooks": {"Stop": [entry("true", shell="fish")]}}),
    ("claude-agent-rs", {"hooks": []}),
    ("claude-agent-rs", {"hooks": {"Stop": 5}}),
    ("claude-agent-rs", {"hooks": {"Stop": [{"hooks": 5}]}}),
    ("claude-agent-rs", {"hooks": {"Stop": [""]}}),
    ("claude-agent-rs", {"hooks": {"Stop": [5]}}),
    ("claude-agent-rs", {"hooks": {"Stop": {"a": {"type": "x", "command": "true"}}}}),
    ("claude-agent-rs", {"hooks": {"Stop": {"a": {"command": "true", "priority": 1.5}}}}),
    ("autohand", {"hooks": []}),
    ("autohand", {"hooks": {"hooks": {}}}),
    ("autohand", {"hooks": {"hooks": [5]}}),
    ("autohand", {"hooks": {"hooks": [{"event": "stop", "command": "true", "filter": 5}]}}),
    ("autohand", {"hooks": {"hooks": [{"event": "stop", "command": "true", "timeout": "x"}]}}),
    ("codemie", {"profiles": []}),
    ("codemie", {"version": 3, "profiles": {"default": {}}}),
    ("codemie", {"profiles": {"default": {"maxHookRetries": 1.5}}}),
    ("gencode", {"parallel": "no"}),
    ("gencode", {"maxConcurrent": 0}),
]


@pytest.mark.parametrize(("dialect", "document"), BAD_SHAPES)
def test_every_unreadable_entry_has_a_place_and_a_fix(here: Desk, dialect: str, document: object) -> None:
    found = here.json(dialect, document)
    assert found
    assert all(item.fix and item.line for item in found)
    assert not any("a whole number, not a number" in item.message for item in found)


def test_a_hook_of_an_inline_list_is_pointed_at_by_the_list(here: Desk) -> None:
    (item,) = here.native('# mine\nenabled = true\nhook = [{ on = "PreToolUse", match = "Bsh", run = "true" }]\n')
    assert item.line == 3


def test_a_matcher_that_cannot_be_read_is_pointed_at(here: Desk) -> None:
    (item,) = here.json("code-agent", {"hooks": {"PreToolUse": [{"matcher": ["Bash"], **entry("true")}]}})
    assert (item.line, item.fix) == (5, 'write it like "Edit|Write"')


SEEDS = Path(__file__).parent / "seeds"
HERE_MISSING = {"missing", "relative", "program", "model"}  # the documents' own scripts and programs are not here


@pytest.mark.parametrize("folder", ["autohand", "claude_agent_rs", "code_agent", "codemie", "gencode"])
def test_the_documents_own_examples_are_right(here: Desk, folder: str) -> None:
    looked = 0
    for path in sorted((SEEDS / folder).glob("*.json")):
        text = path.read_text()
        if path.name == "schema.json" or not ('"hooks"' in text or '"profiles"' in text):
            continue
        looked += 1
        found = here.json(folder.replace("_", "-"), text)
        assert [item for item in found if item.code not in HERE_MISSING] == [], path.name
    assert looked


REALISTIC = {
    "PreToolUse": [
        entry("jq -r '.tool_input.command' >> ~/.claude/bash-log.txt", "Bash"),
        entry(
            'python3 -c "import json, sys; d=json.load(sys.stdin); '
            "p=d.get('tool_input',{}).get('file_path',''); sys.exit(2 if '.env' in p else 0)\"",
            "Edit|Write",
            timeout=10,
        ),
        {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "cat >/dev/null", "async": True}]},
    ],
    "PostToolUse": [
        entry('f=$(jq -r .tool_input.file_path); case "$f" in *.py) cat "$f";; esac', "Edit|MultiEdit|Write"),
        entry("if command -v prettier >/dev/null; then prettier --write .; fi", "Write"),
    ],
    "Notification": [entry("printf '\\a'", "permission_prompt|idle_prompt")],
    "Stop": [{"hooks": [{"type": "command", "command": "[ -f .stop ] && exit 2; exit 0", "timeout": 600}]}],
    "SessionStart": [entry("git status --short | head -20", "startup|resume"), entry('echo "$(date)"', "")],
    "SessionEnd": [entry("rm -f /tmp/claude-*.lock", "*")],
    "UserPromptSubmit": [entry("echo 'Remember: tests first'")],
    "PreCompact": [entry("true", "manual")],
    "SubagentStop": [entry("true", "Explore")],
}


def test_realistic_settings_are_not_complained_about(here: Desk) -> None:
    found = here.json("claude-code", {"permissions": {"allow": ["Bash(ls)"]}, "model": "x", "hooks": REALISTIC})
    assert [str(item) for item in found if item.code != "program"] == []
    assert errors(found) == []
