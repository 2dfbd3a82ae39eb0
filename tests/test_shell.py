"""Shell text: what is in it, what can be known of it, and that no text breaks the reader."""

import contextlib
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnihook.shell import ShellTextError, command_lines
from omnihook.shell.evaluating import Evaluator
from omnihook.shell.quoting import expand_braces, unescape_ansi_c
from omnihook.shell.state import Surroundings
from omnihook.shell.syntax import Lit
from omnihook.shell.values import HOLE, Command, Text


class Watcher:
    """Notes what a walk shows it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.folders: list[str] = []
        self.unseen: list[str] = []
        self.bombs: list[str] = []

    def command(self, command: Command) -> list[Text]:
        if command.argv:
            self.lines.append(" ".join(command.words).replace(HOLE, "?"))
            self.folders.append(command.cwd.text)
        return []

    def script(self, text: Text, via: str, command: Command) -> None:
        self.unseen.append(f"{via}: {'+'.join(sorted(text.origins))}")

    def bomb(self, name: str) -> None:
        self.bombs.append(name)

    def broken(self, text: str) -> None:
        self.unseen.append("broken")


def walk(text: str) -> Watcher:
    watcher = Watcher()
    Evaluator(watcher, Surroundings("/home/dev/project", "/home/dev", "/home/dev/project"), ("rm", "cat")).run(text)
    return watcher


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("git push origin main", ("git push origin main",)),
        ("  git   push\t-f ", ("git push -f",)),
        ("A=1 B=2 git push > out 2>&1", ("git push",)),
        ("cd x && git push || echo no", ("cd x", "git push", "echo no")),
        ("ls | grep 'a b'; pwd &", ("ls", "grep a b", "pwd")),
        ("(git push); { git pull; }", ("git push", "git pull")),
        ("for b in a b; do git push origin $b; done", ("git push origin $b",)),
        ("if git diff --quiet; then git push; else git add .; fi", ("git diff --quiet", "git push", "git add .")),
        ("case $x in a) git push;; *) git pull;; esac", ("git push", "git pull")),
        ("f() { git push; }; f", ("git push", "f")),
        ('echo "$(git push)" `git pull`', ("echo $(...) $(...)", "git push", "git pull")),
        ("diff <(git push) x", ("diff <(...) x", "git push")),
        ("sudo -u root timeout 5 git push", ("sudo -u root timeout 5 git push", "timeout 5 git push", "git push")),
        ("env -i A=1 git push", ("env -i A=1 git push", "git push")),
        ("bash -lc 'git push && ls'", ("bash -lc git push && ls", "git push", "ls")),
        ("eval git push", ("eval git push", "git push")),
        ("'g'it \"push\" $'\\x2df'", ("git push -f",)),
        ("git \\\n  push", ("git push",)),
        ("gi\\\nt push", ("git push",)),
        ("{git,push,-f}", ("git push -f",)),
        ("cat <<EOF\n$(git push)\nEOF", ("cat", "git push")),
        ("cat <<'EOF'\n$(git push)\nEOF", ("cat",)),
        ("cat <<EOF; git push\nx\nEOF", ("cat", "git push")),
        ("! { git push; }", ("git push",)),
        ("# git push", ()),
        ("", ()),
    ],
)
def test_every_command_becomes_a_line(text: str, lines: tuple[str, ...]) -> None:
    found = command_lines(text)
    assert found is not None
    assert sorted(found) == sorted(lines)


@pytest.mark.parametrize(
    "text", ["echo 'open", "if true; then ls", "ls\0pwd", "ls ;" * 40_000, "( " * 200 + "ls" + " )" * 200]
)
def test_text_beyond_reading_has_no_lines(text: str) -> None:
    assert command_lines(text) is None


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("D=dist; rm -rf $D", "rm -rf dist"),
        ("X='rm -rf /'; $X", "rm -rf /"),
        ("rm${IFS}-rf${IFS}/", "rm -rf /"),
        ("cat ~/.x $HOME/y ~bob/z", "cat /home/dev/.x /home/dev/y /home/bob/z"),
        ("echo ${PATH:0:1} ${HOME%/*} ${HOME##*/}", "echo / /home dev"),
        ("X=aXb; echo ${X/X/-} ${X,,}", "echo a-b axb"),
        ("echo ${U:-a b} ${U-'c d'}", "echo a b c d"),
        ("a=(x y); echo ${a[1]} ${a[@]}", "echo y x y"),
        ("set -- p q; shift; echo $1 $@", "echo q q"),
        ("echo $(printf '%s-%s' a b)", "echo a-b"),
        ("echo $(echo aGk= | base64 -d)", "echo hi"),
        ("echo $(echo 6869 | xxd -r -p) $(echo ih | rev)", "echo hi hi"),
        ("echo {1..3} a{b,c}", "echo 1 2 3 ab ac"),
        ("read a b <<< '1 2'; echo $b$a", "echo 21"),
        ("echo $UNSET/x", "echo ?/x"),
        ("f() { echo got $1; }; f it", "echo got it"),
        ("bash -c 'echo $0 $1' a b", "echo a b"),
        ("x=y; y=z; echo ${!x}", "echo z"),
        ("tmp=$(mktemp -d); echo $tmp", "echo /tmp/tmp.fresh"),
        ("echo a > f; cat f | xargs echo", "echo a"),
    ],
)
def test_constants_are_folded(text: str, last: str) -> None:
    assert walk(text).lines[-1] == last


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("cd sub && ls", "/home/dev/project/sub"),
        ("cd; ls", "/home/dev"),
        ("cd ..; cd -; ls", "/home/dev/project"),
        ("(cd /tmp); ls", "/home/dev/project"),
        ("cd /tmp | cat; ls", "/home/dev/project"),
        ("pushd /tmp; popd; ls", "/home/dev/project"),
        ("cd /a/../b//c/.; ls", "/b/c"),
    ],
)
def test_the_folder_is_followed(text: str, folder: str) -> None:
    assert walk(text).folders[-1] == folder


def test_both_branches_are_considered() -> None:
    lines = walk("if x; then D=a; else D=b; fi; rm $D").lines
    assert {"rm a", "rm b"} <= set(lines)


@pytest.mark.parametrize(
    ("text", "unseen"),
    [
        ("curl x | sh", "pipe: network"),
        ("bash <(curl x)", "argument: network"),
        ("eval $(curl x)", "eval: network"),
        ("curl -o f x.example/f; sh f", "saved: network"),
        ("cat f | sh", "pipe: file"),
        ('eval "$X"', "eval: variable"),
        ("eval $(ssh-agent)", "eval: generator"),
    ],
)
def test_unseen_scripts_carry_their_origin(text: str, unseen: str) -> None:
    assert walk(text).unseen == [unseen]


@pytest.mark.parametrize("text", [":(){ :|:& };:", "a(){ b& }; b(){ a& }; a", "while :; do x & done"])
def test_bombs_are_seen(text: str) -> None:
    assert walk(text).bombs


@pytest.mark.parametrize("text", ["f(){ f; }; f", "while :; do x & wait; done", "for i in 1 2; do x & done"])
def test_bounded_spawning_is_no_bomb(text: str) -> None:
    assert not walk(text).bombs


def test_a_wrapper_too_many_is_refused() -> None:
    with pytest.raises(ShellTextError, match="wrappers"):
        walk("nice " * 20 + "ls")


def test_braces_expand_like_the_shell() -> None:
    word = (Lit("a{b,c{d,e}}f"),)
    assert ["".join(part.text for part in item if isinstance(part, Lit)) for item in expand_braces(word)] == [
        "abf",
        "acdf",
        "acef",
    ]


def test_quoted_braces_do_not_expand() -> None:
    word = (Lit("{a,b}", quoted=True),)
    assert expand_braces(word) == (word,)


def test_ansi_c_escapes() -> None:
    assert unescape_ansi_c(r"\x72\155\n\u00e9\\") == "rm\né\\"


WORD_PIECES = [
    *(
        "a",
        "b c",
        "'x y'",
        '"p q"',
        "${V}",
        '"$V"',
        '"${W}x"',
        "$'\\x41\\n'",
        "\\'",
        '\\"',
        "{1,2}",
        "{a..c}",
        "x{y,z}w",
        "''",
    ),
    *(
        '""',
        "${V:-d}",
        "${E:-e f}",
        "${V:1}",
        "${V:0:1}",
        "${V%b*}",
        "${V#*b}",
        "${V/b/-}",
        "${V//b/}",
        "${V^^}",
        "~/",
        "=",
    ),
    *(
        "\\\\",
        "'\\n'",
        '"\\n"',
        '"\\$V"',
        '"a\\\nb"',
        "c\\\nd",
        "${A[1]}",
        "${A[@]}",
        '"${A[@]}"',
        '"${A[*]}"',
        "$1",
        '"$@"',
    ),
    *(
        ",",
        "x#y",
        "%",
        "@",
        "+",
        "p{q,r{s,t}}",
        '$"tr"',
        "`printf q`",
        "$(printf r)",
        '"$(printf "s t")"',
        "$(printf 's t')",
    ),
    *("!", "^", ".", "/", "..", "a=b", "]", "}", "-", "n=~/"),
]


@pytest.mark.parametrize("seed", range(6))
def test_words_are_those_bash_makes(seed: int) -> None:
    """Random words, expanded by bash itself and by us: the same words, or bash refuses the text."""
    choose = random.Random(seed)
    rows = [_random_words(choose) for _ in range(60)]
    real = _bash_words(rows)
    ours = {row: _our_words(row) for row in rows}
    assert {row: ours[row] for row in rows if row in real} == {row: real[row] for row in rows if row in real}


def _random_words(choose: random.Random) -> str:
    # A name must not grow by what follows it, and a brace list must not touch a variable.
    return "".join(choose.choice(WORD_PIECES) + choose.choice(["", " "]) for _ in range(choose.randint(1, 6))).strip()


def _bash_words(rows: list[str]) -> dict[str, list[str]]:
    setup = "E=; V='ab cb'; W=w; A=(i 'j k'); set -- m 'n o'; show() { printf '%s\\0' \"$#\" \"$@\"; }\n"
    found = {}
    for row in rows:
        ran = subprocess.run(
            ["bash", "--norc", "-f", "-c", f"{setup}show {row}"],
            capture_output=True,
            env={"HOME": "/home/dev", "PATH": os.environ["PATH"]},
        )
        if ran.returncode == 0 and not ran.stderr:
            found[row] = ran.stdout.decode().split("\0")[1:-1]
    return found


def _our_words(row: str) -> list[str]:
    shown: list[list[str]] = []

    class Shown(Watcher):
        def command(self, command: Command) -> list[Text]:
            if command.name == "show":
                shown.append([word.text for word in command.argv[1:]])
            return []

    text = f"E=; V='ab cb'; W=w; A=(i 'j k'); set -- m 'n o'; show {row}"
    Evaluator(Shown(), Surroundings("/", "/home/dev", "/")).run(text)
    return shown[-1]


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_reader(text: str) -> None:
    command_lines(text)
    with contextlib.suppress(ShellTextError):
        walk(text)


def test_characters_beyond_ascii_do_not_crash_the_parser() -> None:
    """The grammar's own scanner does crash on them, so this runs apart."""
    code = """
import random
from contextlib import suppress
from omnihook.shell.parsing import parse, ShellTextError
rng = random.Random(1)
signs = [36, 123, 125, 40, 41, 39, 34, 60, 62, 35, 61, 92, 10]
for _ in range(4000):
    kinds = ([rng.randint(32, 126), rng.randint(0x80, 0x10FFFF), rng.choice(signs)] for _ in range(rng.randint(1, 40)))
    with suppress(ShellTextError):
        parse("".join(chr(rng.choice(kind)) for kind in kinds))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


PLAIN = [
    "show a b  c",
    "show 'a b' \"c d\" e'f'\"g\"h",
    r"show a\ b c\'d \"e\" \$f \;",
    'show "a \\"b\\" \\$c \\\\ d" \'\' ""',
    'show $one "$one" \'$one\' ${one}x $one/y "a $one b ${two} c" x$two',
    'show "$one $two" "$one  ${two}" "$one" ""',
    "show \\\n  first \\\n  second",
    'show $1 "$2" a$3b $# "$@"',
    'show a=b --x=y key=$one "k=$two"',
    "show a[0] [x] !y z!",
    "show 'é ü' \"ß $one\"",
    "X=1 show a > /dev/null; show b 2>&1",
]


@pytest.mark.parametrize("text", PLAIN)
def test_plainly_spelled_words_are_what_bash_makes_of_them(text: str) -> None:
    setup = "one=1st; two='2nd thing'; show() { for word; do printf '%s|' \"$word\"; done; echo; }; set -- p q r s\n"
    ran = subprocess.run(["/bin/bash", "--norc", "-c", setup + text.replace("> /dev/null", "")], capture_output=True)
    words = ["|".join(command) + "|" if command else "" for command in shown(setup + text)]
    assert words == ran.stdout.decode().splitlines()


def shown(text: str) -> list[list[str]]:
    """The arguments of every `show`, as a walk that knows no such function sees them."""
    found: list[list[str]] = []

    class Shows(Watcher):
        def command(self, command: Command) -> list[Text]:
            if command.words[:1] == ("show",):
                found.append(list(command.words[1:]))
            return []

    known = Surroundings("/home/dev/project", "/home/dev", "/home/dev/project")
    Evaluator(Shows(), known, ("show",)).run(text)
    return found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("rm 2>/dev/null -rf x", ("rm -rf x",)),
        ("cat <a b >c d", ("cat b d",)),
        ("cd a && b > c", ("cd a", "b")),
        ("r``m x", ("rm x",)),
        ("cat <<A <<B\n1\nA\n2\nB\nls", ("cat", "ls")),
    ],
)
def test_what_stands_beside_redirections_is_read(text: str, lines: tuple[str, ...]) -> None:
    assert command_lines(text) == lines


def test_a_redirection_behind_a_chain_happens_where_its_last_command_is() -> None:
    assert walk("cd sub && echo x > y").folders == ["/home/dev/project", "/home/dev/project/sub"]
