"""What an exit code that is no answer is told as: the line of the error output that says why."""

import subprocess
import sys
from pathlib import Path

import pytest

from omnihook.dialect import Raw
from omnihook.families import exits

CRASH = "def f():\n    raise ValueError('no such thing')\n"


def crashed(tmp_path: Path, code: str) -> Raw:
    script = tmp_path / "hook.py"
    script.write_text(code)
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=10)
    return Raw(exit_code=found.returncode, stdout=found.stdout, stderr=found.stderr)


@pytest.mark.parametrize(
    ("code", "last"),
    [
        (f"{CRASH}f()", "ValueError: no such thing"),
        (f"import sys\nprint('starting', file=sys.stderr)\n{CRASH}f()", "ValueError: no such thing"),
        (f"{CRASH}try:\n    f()\nexcept ValueError:\n    {{}}['k']", "KeyError: 'k'"),
        ("raise ValueError('first\\nsecond')", "ValueError: first"),
        (
            f"{CRASH}try:\n    f()\nexcept ValueError as e:\n    raise ExceptionGroup('many', [e])",
            "ExceptionGroup: many (1 sub-exception)",
        ),
        ("import nosuchmodule", "ModuleNotFoundError: No module named 'nosuchmodule'"),
    ],
)
def test_a_python_traceback_is_told_by_the_line_that_names_the_error(tmp_path: Path, code: str, last: str) -> None:
    assert exits.failed(crashed(tmp_path, code)).message == f"exit 1: Python traceback: {last}"


def test_what_is_written_after_a_traceback_does_not_hide_it(tmp_path: Path) -> None:
    raw = crashed(tmp_path, "raise ValueError('x')")
    after = Raw(exit_code=1, stderr=f"{raw.stderr}make: *** [Makefile:2: check] Error 1\n")
    assert exits.failed(after).message == "exit 1: Python traceback: ValueError: x"


def test_other_words_are_told_by_their_first_line() -> None:
    assert exits.failed(Raw(exit_code=3, stderr="no disk\nat all\n")).message == "exit 3: no disk"
    assert exits.failed(Raw(exit_code=3)).message == "exit 3"


def test_a_traceback_that_ends_early_is_told_as_it_is() -> None:
    assert exits.failed(Raw(exit_code=1, stderr="Traceback (most recent call last):\n  File x\n")).message == (
        "exit 1: Python traceback: File x"
    )
