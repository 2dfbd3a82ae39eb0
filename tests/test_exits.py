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


NODE = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/no/such.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2
"""


@pytest.mark.parametrize(
    ("code", "stderr", "said"),
    [
        (2, 'Can\'t open perl script "/no/such.pl": No such file or directory\n', "/no/such.pl"),
        (2, "awk: cannot open /no/such.awk (No such file or directory)\n", "/no/such.awk"),
        (2, "jq: Could not open /no/such.jq: No such file or directory\n", "/no/such.jq"),
        (2, "make: *** No rule to make target 'nosuch'.  Stop.\n", "'nosuch'"),
        (
            2,
            "make: Makefile: No such file or directory\nmake: *** No rule to make target 'Makefile'.  Stop.\n",
            "Makefile",
        ),
        (1, 'couldn\'t read file "/no/such.tcl": no such file or directory\n', "/no/such.tcl"),
        (1, NODE, "Error: Cannot find module '/no/such.js'"),
    ],
)
def test_a_program_without_its_script_is_broken_and_does_not_refuse(code: int, stderr: str, said: str) -> None:
    failure = exits.broken(Raw(exit_code=code, stderr=stderr), blocks=True)
    assert failure is not None and "the script is missing: " in failure.message
    assert said in failure.message


@pytest.mark.parametrize(
    "words",
    [
        "Can't open perl scripts here: no such file or directory is allowed",
        "use make: *** No rule to make target 'x'.  Stop.",
        "make: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.",
        "make: *** [Makefile:2: test] Error 1",
        "node:internal/x\nError: Cannot find module './helper'\nrequireStack: ['/hook.js']",
        "no such file or directory",
    ],
)
def test_words_of_a_hook_that_refuses_are_not_taken_for_those(words: str) -> None:
    assert exits.broken(Raw(exit_code=2, stderr=words), blocks=True) is None
