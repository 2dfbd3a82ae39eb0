"""explain, list, check, init, trust and untrust in a scratch home."""

import json
import pwd
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from cli.conftest import Place, Result, in_terminal

Run = Callable[..., Result]
BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
USER = "~/.config/omnihook/hooks.toml"
TWO = """\
[[hook]]
name = "a"
on = "PreToolUse"
match = "Bash"
run = "true"
priority = 5

[[hook]]
name = "b"
on = "PreToolUse"
match = "Read"
run = "true"
"""


def test_explain_json(place: Place, omnihook: Run) -> None:
    place.write(USER, TWO)
    found = omnihook("explain", "PreToolUse", "--json", stdin=BASH).json
    stages = found["stages"]
    assert isinstance(stages, list)
    hook = stages[0][0][0]
    assert (hook["name"], hook["matcher"], hook["command"], hook["timeout_s"]) == ("a", "Bash", "true", 60.0)
    assert set(hook) >= {"name", "event", "matcher", "command", "source", "dialect", "timeout_s"}
    skipped = found["skipped"]
    assert isinstance(skipped, list)
    assert [(item["hook"], item["why"]) for item in skipped] == [("b", "its matcher 'Read' does not match 'Bash'")]


def test_explain_runs_nothing(place: Place, omnihook: Run) -> None:
    place.write(USER, TWO.replace('run = "true"', 'run = "touch ran"'))
    found = omnihook("explain", "PreToolUse", stdin=BASH)
    assert "stage 1" in found.out
    assert "its matcher 'Read' does not match 'Bash'" in found.out
    assert not (place.project / "ran").exists()


def test_list_display(place: Place, omnihook: Run) -> None:
    place.write(USER, TWO.replace('name = "b"', 'name = "b"\nenabled = false\ndescription = "looks"'))
    assert omnihook("list").out.splitlines() == [
        "Hooks",
        "─" * 50,
        "Mode: enabled",
        "",
        "PreToolUse (1/2 enabled)",
        "  1. [enabled] true",
        "  2. [disabled] true - looks",
        "",
        "─" * 50,
        "Total: 2 hooks (1 enabled, 1 disabled)",
    ]


def test_list_table(place: Place, omnihook: Run) -> None:
    place.write(USER, TWO)
    lines = omnihook("list", "--table").out.splitlines()
    assert lines[:3] == ["Active Hooks:", f"┌{'─' * 20}┬{'─' * 37}┐", f"│ {'Event':<18} │ {'Action':<35} │"]
    assert f"│ {'PreToolUse':<18} │ {'true (Bash)':<35} │" in lines


CASES = {
    "unknown event": ('on = "PreTolUse"\nrun = "true"', "unknown event 'PreTolUse', did you mean 'PreToolUse'?"),
    "bad regex": ('on = "PreToolUse"\nmatch = "(a"\nrun = "true"', "is not a regular expression"),
    "matcher without subject": ('on = "Stop"\nmatch = "Bash"\nrun = "true"', "a matcher has no effect on Stop"),
    "impossible matcher": ('on = "SessionStart"\nmatch = "bootup"\nrun = "true"', "SessionStart has no 'bootup'"),
    "misspelt tool": ('on = "PreToolUse"\nmatch = "bash"\nrun = "true"', "did you mean 'Bash'?"),
    "wrong unit": ('on = "Stop"\ntimeout = 5000\nrun = "true"', "very long: this file counts seconds"),
    "missing script": ('on = "Stop"\nrun = "/no/such/script.sh"', "'/no/such/script.sh' does not exist"),
    "relative path": ('on = "Stop"\nrun = "./x.sh"', "depends on the directory"),
    "rule that never holds": ('on = "Stop"\nif = "Bash"\nrun = "true"', "never runs"),
    "paths that never match": ('on = "Stop"\npaths = ["x"]\nrun = "true"', "the event has no path"),
    "two actions": ('on = "Stop"\nrun = "true"\nhttp = "https://x"', "2 actions"),
    "unknown key": ('on = "Stop"\nrun = "true"\ntimeot = 5', "did you mean 'timeout'?"),
    "bad time": ('on = "Stop"\nrun = "true"\ntimeout = "5 parsecs"', "is not a time"),
    "async guard": ('on = "Stop"\nrun = "true"\nguard = true\nasync = true', "guards nothing"),
}


@pytest.mark.parametrize(("entry", "said"), CASES.values(), ids=CASES.keys())
def test_check_finds_it_and_says_where(place: Place, omnihook: Run, entry: str, said: str) -> None:
    path = place.write(USER, f"[[hook]]\n{entry}\n")
    found = omnihook("check")
    assert found.code == 1
    line = next(line for line in found.out.splitlines() if said in line)
    assert line.startswith(f"{path}:")


def test_check_finds_duplicate_names_and_scripts_that_cannot_run(place: Place, omnihook: Run) -> None:
    script = place.write("~/x.sh", "#!/bin/sh\n")
    place.write(
        USER, f'[[hook]]\nname = "a"\non = "Stop"\nrun = "{script}"\n[[hook]]\nname = "a"\non = "Stop"\nrun = "true"\n'
    )
    found = omnihook("check", "--json")
    problems = found.json["problems"]
    assert isinstance(problems, list)
    assert {problem["code"] for problem in problems} == {"duplicate", "not-executable"}
    script.chmod(0o755)
    assert "not executable" not in omnihook("check").out


def test_check_is_content_with_a_good_file(place: Place, omnihook: Run) -> None:
    place.write(USER, TWO)
    found = omnihook("check")
    assert (found.code, found.out) == (0, "1 file, 2 hooks, nothing wrong\n")


def test_check_reads_other_agents_files(place: Place, omnihook: Run) -> None:
    path = place.write("~/.claude/settings.json", {"hooks": {"Stopp": [{"hooks": []}]}})
    found = omnihook("check")
    assert found.code == 1
    assert f"{path}:3:5: unknown event 'Stopp', did you mean 'Stop'?" in found.out


def test_init_writes_once(place: Place, omnihook: Run) -> None:
    assert omnihook("init").code == 0
    assert omnihook("check").code == 0
    again = omnihook("init")
    assert again.code == 1
    assert "exists already" in again.err
    assert omnihook("init", "--user").code == 0
    assert oct((place.home / ".config/omnihook/hooks.toml").stat().st_mode)[-3:] == "600"


def test_init_writes_an_agents_hooks_into_the_users_home_whatever_home_says(
    place: Place, omnihook: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: SimpleNamespace(pw_dir=str(place.home)))
    monkeypatch.setenv("HOME", ".")
    assert omnihook("init", "--as", "autohand").code == 0
    assert (place.home / ".autohand/config.json").exists()
    assert not (place.project / ".autohand").exists()


def test_init_says_what_to_do_about_a_file_in_the_place_of_its_folder(place: Place, omnihook: Run) -> None:
    place.write(".git/HEAD", "")
    place.write(".omnihook", "")
    found = omnihook("init")
    path = place.project / ".omnihook/hooks.toml"
    told = f"omnihook: {path} could not be written: File exists; move away what stands in its way\n"
    assert (found.code, found.err) == (1, told)


def test_untrust_says_which_hook_there_is_not(place: Place, omnihook: Run) -> None:
    place.write(".omnihook/hooks.toml", TWO.replace('name = "a"', 'name = "first"'))
    found = omnihook("untrust", "frist", "b", "--json")
    assert (found.code, found.out) == (1, "")
    assert found.err == "omnihook: there is no hook named 'frist', did you mean 'first'?; see 'omnihook list'\n"


def test_the_demo_shows_a_session_and_changes_nothing_here(place: Place, omnihook: Run) -> None:
    found = omnihook("demo")
    assert (found.code, found.err) == (0, "")
    for said in ("PreToolUse: block (That would delete everything.)", "broken-logger", "Stop: held back"):
        assert said in found.out
    assert [*place.home.iterdir(), *place.project.iterdir()] == []


def test_the_demo_as_json_is_one_report_a_line(place: Place, omnihook: Run) -> None:
    rows = [json.loads(line) for line in omnihook("demo", "--json").out.splitlines()]
    events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PreToolUse", "PreToolUse", "PostToolUse"]
    assert [row["event"] for row in rows[:6]] == events
    assert [(row["event"], row["decision"]) for row in rows[6:]] == [("Stop", "block"), ("Stop", None)]


def test_trust_needs_a_terminal(place: Place, omnihook: Run) -> None:
    omnihook("init")
    found = omnihook("trust")
    assert found.code == 1
    assert "needs a terminal" in found.err


def test_trust_refuses_inside_an_agent(place: Place, omnihook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    omnihook("init")
    monkeypatch.setenv("CLAUDECODE", "1")
    found = omnihook("trust", "--trust-project")
    assert found.code == 1
    assert "inside an agent's session" in found.err


def test_trust_then_change_then_untrust(place: Place, omnihook: Run) -> None:
    path = place.write(".omnihook/hooks.toml", '[[hook]]\nname = "p"\non = "SessionStart"\nrun = "echo hi"\n')

    def why() -> object:
        runs = omnihook("fire", "SessionStart", "--json").json["runs"]
        assert isinstance(runs, list)
        return runs[0]["why"] or runs[0]["status"]

    assert why() == "untrusted"
    found = omnihook("trust", "--trust-project")
    assert (found.code, why()) == (0, "ok")
    path.write_text(path.read_text().replace("echo hi", "echo ho"))
    assert why() == "modified"
    omnihook("trust", "--trust-project")
    assert why() == "ok"
    assert omnihook("untrust").code == 0
    assert why() == "untrusted"
    assert omnihook("untrust", "nobody").code == 1


def test_trust_in_a_real_terminal(place: Place) -> None:
    place.write(".omnihook/hooks.toml", '[[hook]]\nname = "p"\non = "SessionStart"\nrun = "echo hi"\n')
    code, seen = in_terminal("trust", typed=b"y\n")
    assert (code, "Approved 1 hook of" in seen) == (0, True)


def test_help_names_every_verb(omnihook: Run) -> None:
    from omnihook.cli import VERBS

    text = omnihook("--help").out
    assert all(f"  {verb} " in text for verb in VERBS)
    assert omnihook("--version").out.startswith("omnihook ")
    unknown = omnihook("lst")
    assert (unknown.code, "did you mean 'list'?" in unknown.err) == (2, True)
