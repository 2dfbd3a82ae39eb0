"""A command met before is judged as if it were new: with other blanks or a variable before it, it is another text."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from omnihook.builtin.guard import judge

_LINES = (
    "ls",
    "cat notes",
    "cat notes | sh",
    "printenv X | sh",
    "printenv",
    "run",
    "./x.sh",
    "sh x.sh",
    "python3 x.py",
    "make",
    "rm -rf out",
    "rm -rf *",
    "git commit -m x",
    "npm test",
    "pytest",
    "cd build",
    "cd ..",
    "cd /",
    "export X=ls",
    "export X='rm -rf ~'",
    "PATH=./bin:$PATH",
    "run() { rm -rf ~; }",
    "run() { ls; }",
    "alias ls='rm -rf ~'",
    "unalias ls",
    "ln -s .env notes",
    ". ./.env",
    "export PYTHONSTARTUP=x.py BASH_ENV=x.sh",
    "echo 'rm -rf ~' > x.sh",
    "echo 'rm -rf ~' > notes",
    "echo ls > x.sh",
    "echo 'rm -rf ~' > bin/run",
    "printf 'import shutil; shutil.rmtree(\"/home/dev\")' > x.py",
    "printf 'import shutil; shutil.rmtree(\"/home/dev\")' > conftest.py",
    "printf 'all:\\n\\trm -rf ~\\n' > Makefile",
    "echo 'rm -rf ~' > .git/hooks/pre-commit",
    "sed -i s/ls/rm/ x.sh",
    "(cd build; rm -rf *)",
    "f() { ls; run; printenv X | sh; }",
    "f",
    "for i in a b; do run; printenv X | sh; done",
)


_FEW = st.lists(st.sampled_from(_LINES), min_size=2, max_size=4, unique=True)


@given(_FEW.flatmap(lambda few: st.lists(st.sampled_from(few), min_size=3, max_size=8)))
def test_what_is_repeated_is_judged_as_if_it_were_new(lines: list[str]) -> None:
    assert _judged(lines) == _judged(_respelled(lines))


def _respelled(lines: list[str]) -> list[str]:
    """The same lines, in which no command is spelled twice in the same way."""
    met: Counter[str] = Counter()
    spelled: list[str] = []
    for line in lines:
        met[line] += 1
        spelled.append(line.replace(" ", " " * met[line]) if " " in line else f"Z{met[line]}=1 {line}")
    return spelled


def _judged(lines: list[str]) -> tuple[str, str]:
    found = judge("\n".join(lines), cwd="/home/dev/project", home="/home/dev", project="/home/dev/project")
    return found.verdict, found.rule
