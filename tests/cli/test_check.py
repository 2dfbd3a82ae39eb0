"""`omnihook check` at the command line: the exit code, one line per finding, and fixes for other agents' names."""

from collections.abc import Callable

from cli.conftest import Place, Result

Run = Callable[..., Result]
USER = "~/.config/omnihook/hooks.toml"
CLAUDE = "~/.claude/settings.json"


def test_a_folder_with_a_space_in_its_name_is_no_problem(place: Place, omnihook: Run) -> None:
    place.write("my dir/ok.sh", "#!/bin/sh\n", mode=0o755)
    hook = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR/my dir/ok.sh"'}
    place.write(CLAUDE, {"hooks": {"Stop": [{"hooks": [hook]}]}})
    found = omnihook("check")
    assert (found.code, found.out) == (0, "1 file, 1 hook, nothing wrong\n")


def test_warnings_alone_leave_the_exit_code_0(place: Place, omnihook: Run) -> None:
    place.write(USER, '[[hook]]\non = "Stop"\nrun = "no-such-prog"\n')
    found = omnihook("check")
    assert found.code == 0
    assert found.out.startswith("warning: ")
    assert found.out.endswith("1 file, 1 hook, 1 problem\n")


def test_a_switch_that_switches_nothing_fails(place: Place, omnihook: Run) -> None:
    path = place.write(USER, 'enabled = "no"\n[[hook]]\non = "Stop"\nrun = "true"\n')
    found = omnihook("check")
    assert found.code == 1
    assert f"{path}:1:1: 'enabled' must be true or false" in found.out


def test_an_unknown_dialect_in_read_fails(place: Place, omnihook: Run) -> None:
    path = place.write(USER, 'read = ["claud-code"]\n')
    found = omnihook("check")
    assert (found.code, f"{path}:1:1: unknown dialect 'claud-code'" in found.out) == (1, True)


def test_hooks_lost_to_a_second_key_are_told_in_json_too(place: Place, omnihook: Run) -> None:
    place.write(CLAUDE, '{"hooks": {"Stop": []},\n "hooks": {}}')
    (problem,) = omnihook("check", "--json").json["problems"]  # type: ignore[misc]
    assert (problem["code"], problem["line"], problem["column"]) == ("duplicate-key", 2, 2)


def test_fix_renames_an_event_of_another_agent(place: Place, omnihook: Run) -> None:
    path = place.write(USER, '[[hook]]\non = "BeforeTool"\nmatch = "Bash"\nrun = "true"\n')
    found = omnihook("check", "--fix", "--yes")
    assert 'on = "PreToolUse"' in path.read_text()
    assert found.out.endswith("1 file, 1 hook, nothing wrong\n")


def test_nothing_is_started(place: Place, omnihook: Run) -> None:
    script = place.write("run.sh", "#!/bin/sh\ntouch ran\n", mode=0o755)
    place.write(USER, f'[[hook]]\non = "Stop"\nrun = "echo $({script}) && sh -c {script} && touch ran"\n')
    assert omnihook("check").code == 0
    assert not (place.project / "ran").exists()
