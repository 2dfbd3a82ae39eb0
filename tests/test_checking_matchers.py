"""Matchers, tools and rules that can never hold are found; everything an agent may have is left alone."""

from pathlib import Path

import pytest

from checking_kit import Desk, desk, entry, errors


@pytest.fixture
def here(tmp_path: Path) -> Desk:
    return desk(tmp_path)


NESTED = ["claude-code", "code-agent", "claude-agent-rs", "gencode"]
TYPOS = {
    "Bsh": "Bash",
    "Grepp": "Grep",
    "Edit|MultiEdit|Wrte": "Write",
    "^(Bash|Wrte)$": "Write",
    "Webfetch": "WebFetch",
}


@pytest.mark.parametrize("dialect", NESTED)
@pytest.mark.parametrize(("matcher", "meant"), TYPOS.items())
def test_a_misspelt_tool_is_found_in_names_and_in_patterns_that_list_names(
    here: Desk, dialect: str, matcher: str, meant: str
) -> None:
    found = here.json(dialect, {"hooks": {"PreToolUse": [entry("true", matcher)]}})
    assert [(item.severity, item.code, item.fix) for item in found] == [("error", "matcher", f"write {meant!r}")]
    assert found[0].message.endswith(f"did you mean {meant!r}?")


@pytest.mark.parametrize("dialect", NESTED)
def test_a_pattern_near_a_tool_that_matches_none_is_warned_about(here: Desk, dialect: str) -> None:
    (item,) = here.json(dialect, {"hooks": {"PreToolUse": [entry("true", "^Wrte.*")]}})
    assert (item.severity, "did you mean 'Write'?" in item.message) == ("warning", True)


GOOD = [
    "Bash",
    "Edit|Write|MultiEdit",
    "^(Edit|Write)$",
    "Notebook.*",
    "mcp__github__.*",
    "mcp__.*__write.*",
    "mcp__memory__create_entities",
    "Task",
    "TaskStop",
    "TodoRead",
    "NotebookRead",
    "ExitPlanMode",
    "MyOwnTool",
    "Deploy.*",
    ".*",
    "^.*$",
    "",
    "*",
    "(?!Bash)",
    "^(?!Read)",
    "Ba",
    "[A-Z].*",
]


@pytest.mark.parametrize("dialect", NESTED)
@pytest.mark.parametrize("matcher", GOOD)
def test_a_good_matcher_is_not_complained_about(here: Desk, dialect: str, matcher: str) -> None:
    if (dialect, matcher) == ("claude-code", "Ba"):
        return  # an exact name there
    assert here.json(dialect, {"hooks": {"PreToolUse": [entry("true", matcher)]}}) == ()


def autohand(**hook: object) -> dict[str, object]:
    return {"hooks": {"hooks": [{"event": "pre-tool", "command": "true", **hook}]}}


@pytest.mark.parametrize(
    ("hook", "line"),
    [
        ({"matcher": "run_comand"}, '"matcher"'),
        ({"filter": {"tool": ["write_file", "run_comand"]}}, '"tool"'),
    ],
)
def test_autohand_tools_are_known_by_their_own_names(here: Desk, hook: dict[str, object], line: str) -> None:
    (item,) = here.json("autohand", autohand(**hook))
    assert item.severity == "error"
    assert "'run_comand', did you mean 'run_command'?" in item.message
    text = (here.home / "autohand.json").read_text().splitlines()
    assert item.line is not None and text[item.line - 1].strip().startswith(line)
    assert here.json("autohand", autohand(matcher="run_command|shell", filter={"tool": ["run_command"]})) == ()


def test_a_bad_pattern_is_said_once(here: Desk) -> None:
    assert [item.code for item in here.json("autohand", autohand(matcher="["))] == ["bad-regex"]
    never = here.json("gencode", {"hooks": {"SessionStart": [entry("true", "Bash")]}})
    assert [item.severity for item in never] == ["error"]


@pytest.mark.parametrize("dialect", ["code-agent", "claude-agent-rs"])
def test_a_matcher_that_nobody_looks_at_is_found(here: Desk, dialect: str) -> None:
    found = here.json(dialect, {"hooks": {"SessionStart": [entry("true", "Bash")]}})
    assert errors(found) == [f"hook {found[0].message.split()[1]} a matcher has no effect on SessionStart"]
    assert here.json(dialect, {"hooks": {"SessionStart": [entry("true", ".*")]}}) == ()


def test_codemie_matcher_where_there_is_no_tool(here: Desk) -> None:
    table = {"SessionStart": [entry("true", "Bash")]}
    (item,) = here.json("codemie", {"version": 2, "activeProfile": "a", "profiles": {"a": {"hooks": table}}})
    assert (item.severity, item.code, item.fix) == ("warning", "ignored", "remove it")


NEVER = {
    'on = "PreToolUse"\nmatch = "Bash(ls)"': "is a rule",
    'on = "PreToolUse"\nmatch = "Bash,Write"': "names are joined by '|'",
    'on = "PreToolUse"\nmatch = "Bash, Write"': "names are joined by '|'",
    'on = "PreToolUse"\nmatch = "Bash Write"': "names are joined by '|'",
    'on = "PreToolUse"\nmatch = "^$"': "matches no tool",
    'on = "PreToolUse"\nmatch = "mcp__github"': "matches no tool",
    'on = "SessionStart"\nmatch = "^Bash.*"': "matches nothing that SessionStart can have",
    'on = "SessionStart"\nmatch = "startup|bootup"': "SessionStart has no 'bootup'",
    'on = "SessionEnd"\nmatch = "Bash"': "matched with its reason, not with a tool",
    'on = "SessionEnd"\nmatch = "^Bash.*"': "matched with its reason, not with a tool",
    'on = "Notification"\nmatch = "Bash|Write"': "matched with its notification type, not with a tool",
    'on = "PreToolUse"\nmatch = "Bash"\ntools = ["Write"]': "name different tools",
    'on = "PreToolUse"\nmatch = "Write"\nif = "Bash(ls)"': "name different tools",
    'on = "PreToolUse"\ntools = ["Bsh"]': "did you mean 'Bash'?",
    'on = "PreToolUse"\nif = "Bsh(ls)"': "did you mean 'Bash'?",
    'on = "PreToolUse"\nguard = true\nmode = "shadow"': "guards nothing",
    'on = "SessionEnd"\nguard = true': "nothing can be refused at SessionEnd",
}


@pytest.mark.parametrize(("when", "said"), NEVER.items())
def test_a_native_hook_that_can_never_run_is_an_error(here: Desk, when: str, said: str) -> None:
    found = here.hook(f'{when}\nrun = "true"')
    assert len(found) == 1
    assert said in found[0].message
    assert (found[0].severity, bool(found[0].fix)) == ("error", True)


FINE = [
    'on = "PreToolUse"\nmatch = "Bash"\ntools = ["Bash"]',
    'on = "PreToolUse"\nmatch = "Bash"\nif = "Bash(git push *)"',
    'on = "PreToolUse"\nmatch = "mcp__.*"\nif = "mcp__github__*"',
    'on = "PreToolUse"\nmatch = "mcp__.*"\ntools = ["mcp__github__push"]',
    'on = "PreToolUse"\nmatch = "Mine"\nif = "Mine"',
    'on = "SessionStart"\nmatch = "startup|resume"',
    'on = "SessionStart"\nmatch = "^(startup|clear)$"',
    'on = "SessionEnd"\nmatch = "logout|prompt_input_exit"',
    'on = "Notification"\nmatch = "permission_prompt"',
    'on = "SubagentStop"\nmatch = "Bash"',
    'on = ["PreToolUse", "Stop"]\nmatch = "Bash"',
    'on = "PreCompact"\nmatch = "auto"',
    'on = "PreToolUse"\nguard = true',
    'on = "PreToolUse"\nmode = "shadow"',
    'on = "Stop"\nguard = true',
    'on = "PreToolUse"\nif = "*(ls)"',
]


@pytest.mark.parametrize("when", FINE)
def test_a_native_hook_that_can_run_is_not_complained_about(here: Desk, when: str) -> None:
    assert here.hook(f'{when}\nrun = "true"') == ()


def test_a_native_matcher_is_pointed_at(here: Desk) -> None:
    (item,) = here.hook('on = "PreToolUse"\nrun = "true"\nmatch = "Bsh"')
    assert (item.line, item.column) == (4, 1)


def test_the_matcher_of_a_group_is_pointed_at(here: Desk) -> None:
    (item,) = here.claude({"PreToolUse": [entry("true", "Bsh")]})
    text = (here.home / "claude-code.json").read_text().splitlines()
    assert item.line is not None and '"matcher": "Bsh"' in text[item.line - 1]


@pytest.mark.parametrize(
    ("event", "matcher", "meant"),
    [
        ("SessionEnd", "loggout", "logout"),
        ("Notification", "permision_prompt", "permission_prompt"),
        ("StopFailure", "ratelimit|overloaded", "rate_limit"),
        ("ConfigChange", "user_setings", "user_settings"),
    ],
)
def test_a_word_near_one_of_today_is_warned_about(here: Desk, event: str, matcher: str, meant: str) -> None:
    (item,) = here.claude({event: [entry("true", matcher)]})
    assert (item.severity, item.fix) == ("warning", f"write {meant!r}")


@pytest.mark.parametrize(
    ("event", "matcher"),
    [("SessionEnd", "logout|tomorrows_word"), ("Notification", "idle.*"), ("Notification", "idle")],
)
def test_words_of_tomorrow_are_left_alone(here: Desk, event: str, matcher: str) -> None:
    assert here.claude({event: [entry("true", matcher)]}) == ()


@pytest.mark.parametrize("filters", ['match = "Bash"', 'match = "WebFetch|WebSearch"', 'tools = ["Bash"]'])
def test_paths_for_tools_without_any_are_found(here: Desk, filters: str) -> None:
    (item,) = here.hook(f'on = "PreToolUse"\n{filters}\npaths = ["src/**"]\nrun = "true"')
    assert (item.severity, item.line) == ("error", 4)
    assert "is given no path" in item.message


@pytest.mark.parametrize("filters", ['match = "Bash|Write"', 'match = "MyTool"', 'match = "apply_patch"', ""])
def test_paths_for_tools_that_may_have_some_are_left_alone(here: Desk, filters: str) -> None:
    assert here.hook(f'on = "PreToolUse"\n{filters}\npaths = ["src/**"]\nrun = "true"') == ()
