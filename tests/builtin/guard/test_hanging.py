"""Commands that once kept the guard busy for seconds or for ever: each is judged before its time is over."""

import pytest

from omnihook.builtin.guard import Judgement, judge

LONG = 100_000
MIDDLE = 30_000
"""Code beyond 64 KiB is not looked at, so that less takes longer."""


def judged(command: str) -> Judgement:
    return judge(command, cwd="/home/dev/project", home="/home/dev", project="/home/dev/project")


def filled(piece: str, size: int = LONG) -> str:
    return piece * (size // len(piece))


ROWS = {
    # Expressions.
    "sed delimiters": "sed 's@" + filled("\\a") + "' f",
    "sed brackets": f"sed 's/{filled('[:')}/x/' f",
    "sed unread": f"sed '{filled('k;')}' f",
    "printed literals": "node -p '\"" + filled("\\a", 8_000) + "'",
    "mode letters": f"chmod {'u' * MIDDLE}{'+r' * MIDDLE} f",
    "options in a cluster": f"zip -{filled('m')}! f",
    "statements": f"sqlite3 x 'readfile({filled(' ')}'",
    "regex with brackets": "node -e 'x = /" + filled("[\\a]", MIDDLE) + "'",
    "a program's version": f"a{filled('-')}! x",
    "plain expressions": f"echo {filled('a', MIDDLE)} | sed 's/.*a.*b/c/' | sh",
    "a replacement many times": f"echo {filled('a', MIDDLE)} | sed 's/a/{filled('b', MIDDLE)}/g' | sh",
    "deleted characters": f"echo {filled('a', MIDDLE)} | tr -d '{filled('a-z', MIDDLE)}' | sh",
    # The parser, which nothing interrupts.
    "signs without a command": f"clush {filled('@a')}",
    "open expansions": "echo " + filled("${"),
    "open arithmetic": filled("(("),
    "comments": filled("#\n"),
    "reserved words": filled("! "),
    "words before do": filled("do "),
    "a name as a pattern": f"builtin {filled('*a')}",
    # Code in other languages.
    "brackets in strings": "ruby -e '" + filled('"#{', MIDDLE) + "'",
    "escaped quotes": "node -e '" + filled('\\"', MIDDLE) + "'",
    "second halves": "perl -e '" + filled("s{a}{", MIDDLE) + "'",
    "variables in braces": "tclsh <<'E'\nputs \"" + filled("${a", MIDDLE) + "\nE\n",
    "a number in a Lisp": "guile -c '" + filled("1", MIDDLE) + "'",
    "a number in Tcl": "tclsh <<'E'\nwhile " + filled("1", MIDDLE) + " {a}\nE\n",
    # What grows.
    "lists": "x=(a b)\n" + "x=(${x[@]} ${x[@]})\n" * 40 + "echo ${x[@]}",
    "arguments": "set -- a b\n" + 'set -- "$@" "$@"\n' * 40 + 'echo "$@"',
    "functions that double": "f0() { a; }\n"
    + "".join(f"f{n}() {{ f{n - 1}; f{n - 1}; }}\n" for n in range(1, 40))
    + "f39",
    "recipes that call each other": "printf 'a: b b\\n\\tmake b\\nb: a a\\n\\tmake a\\n' > Makefile; make a",
}


@pytest.mark.parametrize("name", ROWS)
def test_a_command_that_once_hung_is_judged(name: str) -> None:
    found = judged(ROWS[name])
    assert "takes too long to judge" not in found.reason


@pytest.mark.parametrize("name", ["signs without a command", "open expansions", "lists", "functions that double"])
def test_what_is_too_much_to_read_is_never_allowed(name: str) -> None:
    assert judged(ROWS[name]).verdict != "allow"
