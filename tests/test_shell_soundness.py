"""Random scripts, run by bash and walked by us: no command that bash runs may go unseen."""

import contextlib
import os
import random
import subprocess
from pathlib import Path

import pytest

from omnihook.shell import ShellTextError
from omnihook.shell.evaluating import Evaluator
from omnihook.shell.state import Surroundings
from omnihook.shell.values import Command, Text

# {} is a smaller script. Nothing here runs a program: PATH leads nowhere and only `show` leaves a trace.
SHAPES = [
    *(
        "{}; {}",
        "{} && {}",
        "{} || {}",
        "{}\n{}",
        "{} | {}",
        "({})",
        "{{ {}; }}",
        "{{ {}\n}} 2>/dev/null",
        "{} &\nwait",
    ),
    *(
        "if {}; then {}; else {}; fi",
        "if ! {}; then {}; fi",
        "for i in 1 2; do {}; done",
        "while {}; do {}; break; done",
    ),
    *("until {}; do {}; done", "case x in x) {};; *) {};; esac", "f() {{ {}; }}; f", "function g {{ {}\n}}; g"),
    *(
        'show "$({})"',
        "x=$({}); {}",
        "[[ -n $({}) ]] && {}",
        "(( 1 )) && {}",
        ": ${{z:-$({})}}",
        "cat <({}) >/dev/null",
    ),
    *(
        "cat <<E | {}\n$({})\nE\n",
        "{} <<'E'\n$(show no)\nE\n{}",
        "eval 'show e1; show e2'; {}",
        "trap 'show t' EXIT; {}",
    ),
    *("cat <<-E\n\t$({})\n\tE\n{}", "cat <<A 3<<B\n$({})\nA\nx\nB\n{}", "a=(x {}); {}", "time {{ {}; }}", "{}\n\\\n{}"),
    *(
        "cat <<E >/dev/null\n`{}`\nE\n{}",
        "for i in 1; do cat <<E\n\\$({})\n$({})\nE\ndone",
        ": ${{z:?$({})}}",
        "eval -- 'show v'; {}",
    ),
    *("select q in a; do {}; break; done <<< 1", "set -- a b; {}", 'echo "a`{}`b" # {}', "{} |& {}"),
]
PREFIXES = ["", "", "", "! ", "time ", "command ", "builtin eval ", "X=1 ", "eval ", "\\"]
SUFFIXES = [
    "",
    "",
    "",
    " #c",
    " \\\n x",
    " </dev/null",
    " \\ #z",
    " '#' ",
    " a#b",
    ' "$(show s)"',
    " <<<x",
    " }",
    " ] z",
]
NOISE = [
    *" \n;|(){}#\t!=&:$`,",
    "&&",
    "||",
    "\\\n",
    "\\ ",
    '"',
    "'",
    " - ",
    " ]",
    "$(",
    "))",
    "((",
    " [",
    " then ",
    " do ",
    " fi",
]


class Script:
    """Makes scripts whose `show` commands are numbered."""

    def __init__(self, seed: int) -> None:
        self._choose = random.Random(seed)
        self._number = 0

    def text(self) -> str:
        self._number = 0
        text = self._statement(self._choose.randint(1, 4))
        for _ in range(self._choose.choice([0, 1, 2, 3])):
            place = self._choose.randrange(len(text) + 1)
            text = text[:place] + self._choose.choice(NOISE) + text[place:]
        return text

    def _statement(self, depth: int) -> str:
        if depth <= 0 or self._choose.random() < 0.3:
            self._number += 1
            return f"{self._choose.choice(PREFIXES)}show {self._number}{self._choose.choice(SUFFIXES)}"
        shape = self._choose.choice(SHAPES)
        smaller = [self._statement(depth - 1) for _ in range(shape.replace("{{", "").count("{}"))]
        return shape.format(*smaller)


class Watcher:
    """Notes the first argument of every `show`, and whether anything was in doubt."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.doubt = False

    def command(self, command: Command) -> list[Text]:
        if command.name == "show":
            self.seen.update(command.words[1:2])
        return []

    def script(self, text: Text, via: str, command: Command) -> None:
        self.doubt = True

    def bomb(self, name: str) -> None:
        self.doubt = True

    def broken(self, text: str) -> None:
        self.doubt = True


def seen(text: str) -> set[str] | None:
    """The commands we see, or None where we say ourselves that we are not sure."""
    watcher = Watcher()
    try:
        Evaluator(watcher, Surroundings("/", "/home/dev", "/")).run(text)
    except ShellTextError:
        return None
    return None if watcher.doubt else watcher.seen


def ran(text: str, trace: Path) -> set[str]:
    """The commands bash runs."""
    setup = 'ulimit -t 2; show() { printf "%s\\n" "$1" >&9; }\n'
    with open(trace, "w+", encoding="utf-8", errors="replace") as file:
        process = subprocess.Popen(
            ["/bin/bash", "--norc", "-c", setup + text],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=trace.parent,
            env={"PATH": "/nonexistent", "HOME": "/home/dev"},
            start_new_session=True,
            preexec_fn=lambda: os.dup2(file.fileno(), 9),
            close_fds=False,
        )
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            pass
        finally:  # also what it left running in the background
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            process.wait()
        file.seek(0)
        return {line for line in file.read().split("\n") if line.isalnum()}


@pytest.mark.parametrize("seed", range(5))
def test_no_command_that_bash_runs_goes_unseen(seed: int, tmp_path: Path) -> None:
    script = Script(seed)
    compared = 0
    for number in range(40):
        text = script.text()
        ours = seen(text)
        if ours is None or len(text) > 1_000:
            continue
        compared += 1
        missed = {name for name in ran(text, tmp_path / f"trace{number}") if name.isdigit()} - ours
        assert not missed, text
    assert compared > 10
