"""Code in other languages: every pair of a corpus of our own, values folded, and what no code may do to the guard."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnihook.builtin.guard import judge

HERE = Path(__file__).parent
PAIRS = [json.loads(line) for line in (HERE / "pairs_languages.jsonl").read_text(encoding="utf-8").splitlines()]
FAMILIES = sorted({row["family"] for row in PAIRS})
INTERPRETERS = [
    *("perl -e", "ruby -e", "node -e", "php -r", "lua -e", "python3 -c", "awk", "Rscript -e", "julia -e", "elixir -e"),
    *("groovy -e", "scala -e", "swift -e", "ghc -e", "ocaml -e", "guile -c", "emacs --batch --eval", "pwsh -c"),
    *("expect -c", "osascript -e", "vim -c", "erl -noshell -eval", "raku -e", "deno eval"),
]


def verdict(command: str) -> str:
    return judge(command, cwd="/home/dev/project", home="/home/dev", project="/home/dev/project").verdict


def in_quotes(code: str) -> str:
    return "'" + code.replace("'", "'\\''") + "'"


@pytest.mark.parametrize("family", FAMILIES)
def test_verdicts_of_a_language(family: str) -> None:
    rows = [row for row in PAIRS if row["family"] == family]
    wrong = {row["command"]: verdict(row["command"]) for row in rows if verdict(row["command"]) != row["verdict"]}
    assert wrong == {}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_language_has_both_sides(family: str) -> None:
    assert {"block", "allow"} <= {row["verdict"] for row in PAIRS if row["family"] == family}


def test_no_pair_is_told_twice() -> None:
    commands = [row["command"] for row in PAIRS]
    others = {json.loads(line)["command"] for line in (HERE / "pairs.jsonl").read_text(encoding="utf-8").splitlines()}
    assert len(commands) == len(set(commands))
    assert others.isdisjoint(commands)


HOMES = {
    "python3 -c": [
        "os.environ['HOME']", "os.getenv('HOME')", "os.path.expanduser('~')", "pathlib.Path.home()",
        "os.path.join('/home', 'dev')", "'/home' + '/dev'", "f'/home/{\"dev\"}'", "'ved/emoh/'[::-1]",
        "''.join(['/home', '/', 'dev'])", "'{}/{}'.format('/home', 'dev')", "'%s/dev' % '/home'",
        "base64.b64decode('L2hvbWUvZGV2').decode()", "bytes.fromhex('2f686f6d652f646576').decode()",
        "''.join(map(chr, [47, 104, 111, 109, 101, 47, 100, 101, 118]))", "'/home/DEV'.lower()",
        "'/homeX/dev'.replace('X', '')", "(x := '/home/dev')", "('/home/dev' if a else '/home/dev')",
    ],
    "node -e": [
        "process.env.HOME", "process.env['HOME']", "require('os').homedir()", "`${'/home'}/dev`", "'/home' + '/dev'",
        "['', 'home', 'dev'].join('/')", "require('path').join('/home', 'dev')", "atob('L2hvbWUvZGV2')",
        "Buffer.from('L2hvbWUvZGV2', 'base64').toString()", "String.fromCharCode(47,104,111,109,101,47,100,101,118)",
        "'ved/emoh/'.split('').reverse().join('')",
    ],
    "ruby -e": [
        "ENV['HOME']", "ENV.fetch('HOME')", "Dir.home", "File.expand_path('~')", "\"#{ENV['HOME']}\"",
        "['/home', 'dev'].join('/')", "File.join('/home', 'dev')", "'ved/emoh/'.reverse",
        "['L2hvbWUvZGV2'].pack('m').strip.empty? ? Dir.home : Dir.home", "'L2hvbWUvZGV2'.unpack1('m')",
    ],
    "perl -e": [
        "$ENV{HOME}", '"$ENV{HOME}"', '"/home" . "/dev"', 'join("/", "/home", "dev")',
        'pack("H*", "2f686f6d652f646576")',
    ],
    "php -r": [
        "getenv('HOME')", "$_SERVER['HOME']", "'/home' . '/dev'", "implode('/', ['/home', 'dev'])",
        "strrev('ved/emoh/')",
    ],
}  # fmt: skip
DELETES = {
    "python3 -c": "shutil.rmtree({})",
    "node -e": "require('fs').rmSync({}, {{recursive: true}})",
    "ruby -e": "FileUtils.rm_rf({})",
    "perl -e": "File::Path::rmtree({})",
    "php -r": "system('rm -rf ' . {});",
}


@pytest.mark.parametrize("interpreter", HOMES)
def test_home_is_found_however_it_is_spelt(interpreter: str) -> None:
    codes = [DELETES[interpreter].format(home) for home in HOMES[interpreter]]
    assert [code for code in codes if verdict(f"{interpreter} {in_quotes(code)}") != "block"] == []


@pytest.mark.parametrize("interpreter", HOMES)
def test_a_path_below_the_project_stays_allowed(interpreter: str) -> None:
    code = DELETES[interpreter].format("'/home/dev/project/build'")
    assert verdict(f"{interpreter} {in_quotes(code)}") == "allow"


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_literal_that_is_only_printed_stays_text(interpreter: str) -> None:
    code = 'print("rm -rf /")'
    assert verdict(f"{interpreter} {in_quotes(code)}") == "allow"


PIECES = [
    *("(", ")", "[", "]", "{", "}", "'", '"', "`", "\\", "\n", " ", ";", ",", ".", "::", "->", "=>", "|", "#{", "${"),
    *("$", "system", "rm -rf /", "eval", "for", "while", "if", "end", "do", "def f", "function", "fork", "q(", "%w["),
    *("<<A\n", "=", "+", "..", "/", "//", "<", ">", "&", "x", "1", "0777"),
    *("lambda", "\0", "\ud800", "#", "--", ":", "?", "=~"),
]  # fmt: skip


@given(st.sampled_from(INTERPRETERS), st.lists(st.sampled_from(PIECES), max_size=30))
@settings(max_examples=400, deadline=None)
def test_no_code_breaks_the_guard(interpreter: str, pieces: list[str]) -> None:
    assert verdict(f"{interpreter} {in_quotes(''.join(pieces))}") in ("allow", "ask", "block")


HOSTILE = {
    "open parentheses": "(" * 20_000,
    "open braces": "{" * 20_000,
    "open quotes of words": "q(" * 20_000,
    "code in a string in code": '"' + "${" * 20_000,
    "calls in calls": "f(" * 9_000 + ")" * 9_000,
    "a name doubled": "x='a'\n" + "x=x+x\n" * 200 + "system(x)",
    "many here-documents": "<<A" * 5_000 + "\n",
    "functions in functions": "function f(){" * 2_000,
    "calls of calls": "\n".join(f"f{i}(f{i - 1}('a'+f{i - 2}('b')))" for i in range(2, 300)),
    "arguments asked for again": "a(" * 25 + "'x'" + ", 'y')" * 25,
    "methods on methods": "'x'" + ".a('b')" * 55,
    "backslashes": '"' + "\\\\" * 30_000 + '"',
}


@pytest.mark.timeout(10)  # all of them take half a second; what grows with the square of its length takes minutes
@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_hostile_code_is_judged_in_time(interpreter: str) -> None:
    verdicts = {verdict(f"{interpreter} {in_quotes(code)}") for code in HOSTILE.values()}
    assert verdicts <= {"allow", "ask", "block"}


def test_code_beyond_its_caps_is_never_allowed() -> None:
    assert verdict("node -e " + in_quotes("a();" * 20_000)) == "ask"
    assert verdict("ruby -e " + in_quotes("[" * 500 + "]" * 500)) == "ask"


def test_code_that_reads_itself_from_a_pipe_does_not_evaluate_itself() -> None:
    assert verdict("printf '%s' 'eval $_; print 1' | perl") == "allow"
