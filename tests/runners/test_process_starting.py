import errno
import os

import pytest

from omnihook.runners.process import Exit, Status
from runners.process_kit import argv, finish, no_leaks, run_argv, script, sh


def refused(result: Exit, *words: str) -> None:
    """Assert that nothing started, and that the reason has these words."""
    assert result == Exit(status=Status.NOT_STARTED, error=result.error, duration=result.duration)
    assert result.error is not None
    for word in words:
        assert word in result.error


def test_a_missing_program_is_named(tmp_path):
    refused(argv(f"{tmp_path}/nothing"), f"{tmp_path}/nothing", "No such file", "ENOENT")


def test_a_missing_program_on_the_path_is_named():
    refused(argv("no-such-program-here"), "'no-such-program-here'", "ENOENT")


def test_a_bare_name_is_looked_up_on_the_childs_own_path(tmp_path):
    script(tmp_path / "greet", "#!/bin/sh\necho hello\n")
    assert argv("greet", env={"PATH": str(tmp_path)}).stdout == b"hello\n"


def test_a_file_that_is_not_executable_is_refused(tmp_path):
    path = script(tmp_path / "hook", "#!/bin/sh\n", mode=0o644)
    refused(argv(path), "not executable", "EACCES")


def test_a_missing_interpreter_is_told_from_a_missing_program(tmp_path):
    path = script(tmp_path / "hook", "#!/no/such/interpreter\n")
    refused(argv(path), "interpreter named in its first line", "ENOENT")


def test_a_directory_is_refused(tmp_path):
    refused(argv(str(tmp_path)), "is a directory", "EACCES")


def test_a_directory_that_is_also_the_working_directory_is_refused(tmp_path):
    refused(argv(str(tmp_path), cwd=str(tmp_path), fallbacks=("/",)), "is a directory", "EACCES")


def test_a_script_without_a_first_line_is_refused(tmp_path):
    refused(argv(script(tmp_path / "hook", "echo hello\n")), "#!", "ENOEXEC")


def test_a_fifo_as_program_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "hook", 0o755)
    refused(argv(str(tmp_path / "hook")), "not a regular file", "EACCES")


def test_a_shell_reading_a_fifo_is_ended_at_its_deadline(tmp_path):
    os.mkfifo(tmp_path / "hook", 0o755)
    assert sh(f". {tmp_path}/hook", timeout=0.2).status is Status.TIMEOUT


@pytest.mark.parametrize("where", ["argument", "environment"])
def test_what_is_too_large_for_the_system_is_refused(where):
    large = "x" * 200_000
    result = argv("/bin/true", large) if where == "argument" else argv("/bin/true", env={"LARGE": large})
    refused(result, "larger than the system takes", "E2BIG")


def test_an_empty_command_is_refused():
    refused(argv(), "empty")


UNSPEAKABLE = {
    "nul in an argument": (("/bin/echo", "a\0b"), {}),
    "nul in the program": (("/bin/ec\0ho",), {}),
    "nul in a value": (("/bin/true",), {"A": "b\0c"}),
    "nul in a name": (("/bin/true",), {"A\0B": "c"}),
    "equals sign in a name": (("/bin/true",), {"A=B": "c"}),
    "lone surrogate in an argument": (("/bin/echo", "\ud800"), {}),
    "lone surrogate in a value": (("/bin/true",), {"A": "\ud800"}),
}


@pytest.mark.parametrize(("words", "env"), UNSPEAKABLE.values(), ids=UNSPEAKABLE)
def test_what_no_program_can_be_told_is_refused(words, env):
    with no_leaks():
        refused(argv(*words, env=env), "could not start")


def test_bytes_that_are_not_text_go_through_unchanged():
    odd = os.fsdecode(b"\xff\xfe")
    result = argv("/bin/sh", "-c", 'printf %s "$0$ODD"', odd, env={"ODD": odd})
    assert result.stdout == b"\xff\xfe\xff\xfe"


def test_the_child_runs_in_its_working_directory(tmp_path):
    result = sh("pwd", cwd=str(tmp_path))
    assert (result.stdout.decode().strip(), result.notice) == (str(tmp_path), None)


def test_a_relative_program_is_relative_to_the_working_directory(tmp_path):
    script(tmp_path / "hook", "#!/bin/sh\necho here\n")
    assert argv("./hook", cwd=str(tmp_path)).stdout == b"here\n"


def test_a_working_directory_that_is_gone_is_replaced_and_reported(tmp_path):
    result = sh("pwd", cwd=f"{tmp_path}/gone", fallbacks=(str(tmp_path),))
    assert (result.code, result.stdout.decode().strip()) == (0, str(tmp_path))
    assert result.notice == f"could not enter '{tmp_path}/gone' (ENOENT), ran in '{tmp_path}' instead"


def test_a_file_as_working_directory_is_replaced_and_reported(tmp_path):
    (tmp_path / "file").touch()
    result = sh("pwd", cwd=f"{tmp_path}/file", fallbacks=("/",))
    assert result.stdout == b"/\n"
    assert result.notice is not None and "ENOTDIR" in result.notice


def test_without_a_replacement_nothing_starts(tmp_path):
    refused(sh("true", cwd=f"{tmp_path}/gone"), f"'{tmp_path}/gone'", "working directory", "ENOENT")


def test_when_both_directories_are_gone_nothing_starts(tmp_path):
    result = sh("true", cwd=f"{tmp_path}/gone", fallbacks=(f"{tmp_path}/gone-too",))
    refused(result, "working directory", "ENOENT")


def test_a_missing_program_is_not_blamed_on_the_directory(tmp_path):
    refused(argv("./nothing", cwd=str(tmp_path), fallbacks=("/",)), "'./nothing'", "No such file", "ENOENT")


def test_refusals_leave_nothing_open(tmp_path):
    async def many() -> None:
        for _ in range(200):
            await run_argv(f"{tmp_path}/nothing")
            await run_argv("/bin/true", cwd=f"{tmp_path}/gone")
            await run_argv("/bin/true", env={"A": "\0"})

    finish(run_argv("/bin/true"))
    with no_leaks():
        finish(many())


def test_refusals_name_errors_people_can_look_up(tmp_path):
    result = argv(f"{tmp_path}/nothing")
    assert result.error is not None
    assert result.error.endswith(f"({errno.errorcode[errno.ENOENT]})")
