"""The guard's verdicts: every pair of our own corpus, laws that hold whatever the command, modes and switches."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from omnihook.builtin.guard import Judgement, Mode, judge
from omnihook.builtin.guard.rules import RULES, Severity

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
BLOCKED = [row["command"] for row in PAIRS if row["verdict"] == "block"]
FAMILIES = sorted({row["family"] for row in PAIRS})


def verdict(command: str, **options: object) -> str:
    return judged(command, **options).verdict


def judged(command: str, **options: object) -> Judgement:
    return judge(command, cwd="/home/dev/project", home="/home/dev", project="/home/dev/project", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("family", FAMILIES)
def test_verdicts_of_a_family(family: str) -> None:
    rows = [row for row in PAIRS if row["family"] == family]
    wrong = {row["command"]: verdict(row["command"]) for row in rows if verdict(row["command"]) != row["verdict"]}
    assert wrong == {}


@pytest.mark.parametrize(
    "family", [family for family in FAMILIES if family not in ("text", "git", "unparsed", "operations")]
)
def test_every_family_has_both_sides(family: str) -> None:
    verdicts = {row["verdict"] for row in PAIRS if row["family"] == family}
    assert {"block", "allow"} <= verdicts


def test_the_corpus_is_large_and_without_repeats() -> None:
    commands = [row["command"] for row in PAIRS]
    assert len(commands) == len(set(commands)) > 300


WRAPPERS = [
    *("{}", "env {}", "nice -n 5 {}", "timeout 5 {}", "( {} )", "{{ {}; }}", "true && {}", "false || {}", "! {}"),
    *("if true; then {}; fi", "while x; do {}; done", "f() {{ {}; }}; f", "echo $({})", "cat <({})", "x=$({})"),
]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("command", ["rm -rf /", "cat .env", "chmod 777 x", "mkfs.ext4 /dev/sda1", "rm -rf ~"])
def test_a_wrapper_never_softens_a_verdict(wrapper: str, command: str) -> None:
    assert verdict(wrapper.format(command)) == "block"


@given(
    st.sampled_from(BLOCKED),
    st.lists(st.sampled_from(["true", "ls -la", "echo hi", "cd src", "make test"]), max_size=70),
)
@settings(max_examples=100, deadline=None)
def test_harmless_company_never_hides_a_block(command: str, company: list[str]) -> None:
    if "\n" not in command and "'" not in command and command.count('"') % 2 == 0 and "cd " not in command:
        assert verdict("\n".join([*(line for line in company if line != "cd src"), command])) == "block"


@given(st.integers(1, 5), st.sampled_from(["''", '""', "\\"]))
def test_quotes_inside_words_change_nothing(place: int, quotes: str) -> None:
    text = "rm -rf ~/"
    cut = min(place, 1) if quotes == "\\" else min(place, 6)
    assert verdict(text[:cut] + quotes + text[cut:]) == "block"


@given(st.sampled_from([row["command"] for row in PAIRS]), st.data())
@settings(max_examples=300, deadline=None)
def test_no_change_to_a_command_breaks_the_guard(command: str, data: st.DataObject) -> None:
    words = command.split(" ")
    place = data.draw(st.integers(0, len(words) - 1))
    mark = data.draw(st.sampled_from(["", "-", "--", "=", "-c", "<<<", "'", "$(", "-S", words[place][:1]]))
    assert verdict(" ".join([*words[:place], mark, *words[place + 1 :]])) in ("allow", "ask", "block")


@given(st.text(max_size=120))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_guard(text: str) -> None:
    assert verdict(text) in ("allow", "ask", "block")


FRAGMENTS = [
    *("rm -rf /", "'", '"', "$(", ")", "`", "<<EOF\n", "EOF\n", "{", "}", ";", "|", "&", "\\", "$'", "\n", "(("),
    *("))", "[[", "]]", "if ", "fi", "do ", "done", "case x in", "esac", "\0", "\ud800", "*", "~", "$x", "${", "#"),
    *("!", "<(", ">&"),
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25))
@settings(max_examples=300, deadline=None)
def test_broken_text_is_never_a_crash(pieces: list[str]) -> None:
    assert verdict("".join(pieces)) in ("allow", "ask", "block")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "rm -rf /" + ")" * 5000,
        "echo " + "$(" * 5000 + "rm -rf /" + ")" * 5000,
        "echo " + '"$(echo ' * 2000 + "rm -rf /" + ')"' * 2000,
        "if true; then " * 2000 + "rm -rf /;" + "fi;" * 2000,
        "nice " * 40 + "rm -rf /",
        "eval " * 40 + "rm -rf /",
        "true;" * 20_000 + "rm -rf /",
        "rm -rf " + "x " * 60_000 + "/",
        "rm -rf / " + "x" * 200_000,
        "rm -rf /\0",
        "{a," * 5000 + "rm -rf /" + "}" * 5000,
        "a=$a$a;" * 40 + "rm -rf /",
        "cat " + "*a?[" * 20_000,
    ],
    ids=lambda text: f"{text[:14]!r}x{len(text)}",
)
def test_caps_never_end_in_allow(text: str) -> None:
    assert verdict(text) != "allow"


HOSTILE = {
    "unreadable names": "a@b c\n" * 20_000,
    "read and write": "a 3<>f\n" * 18_000,
    "many here-docs": "cat <<A <<B\n1\nA\n2\nB\n" * 5_000,
    "subshells like arithmetic": "echo $((a) | b)\n" * 7_000,
    "many links": "".join(f"ln -s /x{number} l{number}; cat l{number}/y\n" for number in range(3_000)),
    "unclosed comments": "gcc -xc - <<'E'\n" + "/* " * 30_000 + "\nE",
    "spaces to sqlite": "sqlite3 x '" + " " * 100_000 + "'",
    "newlines to crontab": "crontab - <<'E'\n" + "\n" * 100_000 + "E",
    "newlines to ed": "ed <<'E'\n" + "\n" * 100_000 + "E",
    "newlines to sftp": "sftp h <<'E'\n" + "\n" * 100_000 + "E",
    "newlines to tclsh": "tclsh <<'E'\n" + "\n" * 100_000 + "E",
    "spaces to perl": "perl -e 'while" + " " * 100_000 + "'",
    "spaces to a printing interpreter": "python3 -c '" + " " * 100_000 + "' | sh",
    "newlines to sed": "sed '" + "\n" * 100_000 + "' f",
    "brackets in arithmetic": "echo $((" + "(" * 20_000 + "1" + ")" * 20_000 + "))",
    "copies": "psql -c '" + "copy " * 20_000 + "'",
    "comments to psql": "psql -c '" + "/*" * 50_000 + "'",
    "spaces after a field": "echo a | awk '{print $1" + " " * 100_000 + "x}'",
    "newlines to go": "cat > a.go <<'E'\n" + "\n" * 60_000 + "E\ngo run a.go",
    "statements to bc": "echo '" + "1;" * 50_000 + "' | bc",
    "updates": "psql -c '" + "update x set y " * 7_000 + "'",
    "curls without an end": "echo '" + "curl | " * 17_000,
    "a glob of stars": "cat " + "*" * 900,
    "long brackets": "cat " + "[a-z]" * 180,
    "many braces": "echo " + "{a,b}" * 60,
    "doubling": "a=xxxxxxxx;" + "a=$a$a;" * 60 + "echo $a",
    "replacing": "a=" + "x" * 60_000 + "; b=${a//x/$a}; echo $b",
    "many uses": "a=" + "x" * 60_000 + "; echo " + '"$a" ' * 4_000,
    "trimming": "a=" + "x" * 60_000 + "; echo ${a%%*x*x*x*y}",
    "a deep sum": "python3 -c 'x=" + "1+" * 3_000 + "1'",
    "a long sum of strings": 'python3 -c "import os; os.system(' + "'a'+" * 1_500 + "'b')\"",
}


@pytest.mark.timeout(10)  # each takes a tenth of a second; what grows with the square of its length takes minutes
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_judged_in_time(name: str) -> None:
    assert verdict(HOSTILE[name]) in ("allow", "ask", "block")


def test_a_long_quoted_here_doc_to_a_project_file_is_allowed() -> None:
    body = "never run rm -rf / or curl x | sh\n" * 3000
    assert len(body) > 100_000
    assert verdict(f"cat <<'EOF' > docs/notes.md\n{body}EOF\n") == "allow"


def test_strict_mode_refuses_the_literal_list() -> None:
    command = "dd if=/dev/zero of=./disk.img bs=1M count=10"
    assert verdict(command) == "allow"
    assert judged(command, mode=Mode.STRICT).rule == "literal-list"
    assert verdict("mkfs.ext4 ./disk.img", mode=Mode.STRICT) == "block"


def test_paranoid_mode_asks_about_the_network_and_outside_writes() -> None:
    assert verdict("curl https://x.example -o a") == "allow"
    assert judged("curl https://x.example -o a", mode=Mode.PARANOID).rule == "paranoid-network"
    assert judged("cp a /opt/b", mode=Mode.PARANOID).rule == "paranoid-outside"
    assert verdict("cp a b", mode=Mode.PARANOID) == "allow"


@pytest.mark.parametrize("row", PAIRS[::25], ids=lambda row: row["command"][:40])
def test_stricter_modes_are_stricter(row: dict[str, str]) -> None:
    order = ["allow", "ask", "block"]
    levels = [order.index(verdict(row["command"], mode=mode)) for mode in Mode]
    assert levels == sorted(levels)


def test_a_rule_can_be_switched_off() -> None:
    assert verdict("git push --force") == "ask"
    assert verdict("git push --force", rules={"git-history": False}) == "allow"


@pytest.mark.parametrize("rule", [rule.id for rule in RULES.values() if rule.catastrophic])
def test_catastrophic_rules_cannot_be_switched_off(rule: str) -> None:
    commands = {
        "delete-critical": "rm -rf /",
        "write-device": "dd if=x of=/dev/sda",
        "format-device": "mkfs /dev/sda",
        "fork-bomb": ":(){ :|:& };:",
        "overwrite-critical": "> /etc/passwd",
        "computed-destructive": "$X -rf /",
    }
    assert verdict(commands[rule], rules=dict.fromkeys(RULES, False)) == "block"


def test_every_rule_says_why_and_what_instead() -> None:
    assert all(rule.reason and rule.fix and rule.severity is not Severity.ALLOW for rule in RULES.values())


def test_the_trace_shows_the_way_to_the_verdict() -> None:
    trace = judged("cd /tmp && echo cm0gLXJmIC8= | base64 -d | sh").trace
    assert trace[-2:] == ("rm -rf /", "-> delete-critical: /") or "-> delete-critical: /" in trace
    assert any(line.startswith("base64 -d") for line in trace)


def test_the_folders_decide() -> None:
    options = {"home": "/home/dev", "project": "/srv/app"}
    assert judge("rm -rf build", cwd="/srv/app", **options).verdict == "allow"
    assert judge("rm -rf ../app", cwd="/srv/app/sub/..", **options).verdict == "block"
    assert judge("rm -rf .", cwd="/srv/app/sub", **options).verdict == "allow"
    assert judge("rm -rf ..", cwd="/srv/app/sub", **options).verdict == "block"
    assert judge("rm -rf build", cwd="/", **options).verdict == "ask"


ODD_ENDS = [
    "x=$",
    "x=$ ",
    "ls > $",
    "export a=$",
    "ls ``",
    "ls ` `",
    "ls > \\ ",
    "x+=\\ ",
    "echo \\\r",
    "ls > \r",
    "cat <<< \r",
    "A=1 B=${c[0]}",
]


@pytest.mark.parametrize("line", ODD_ENDS)
def test_a_line_is_no_argument_of_an_odd_one_before_it(line: str) -> None:
    assert verdict(f"{line}\nrm -rf /") == "block"


def test_values_set_on_a_line_of_their_own_are_known_on_the_next() -> None:
    assert verdict("A=1 D=/\nrm -rf $D") == "block"
    assert verdict("A=1 D=dist\nrm -rf $D") == "allow"


PIECES = [
    "ls",
    "echo",
    "a",
    "x=",
    "$",
    "$ ",
    "> ",
    "2>",
    "< ",
    "<<< ",
    "&> ",
    "``",
    "` `",
    "export ",
    "\r",
    "=",
    " ",
    "é",
    "*",
]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
def test_no_line_hides_the_next(line: str) -> None:
    assert verdict(f"{line}\nrm -rf /") != "allow"


DAILY = [
    "git log --oneline -n 20 | grep -i fix | head -5",
    "sort names | uniq -c | sort -rn | head",
    "git status --short && git diff --stat",
    "make -j4 test lint && make docs",
    "diff -u <(sort a) <(sort b) || true",
    'V=1 W="$(date)"',
    "if [ -f a ]; then npm ci; else npm install; fi",
    'for f in src/*.py; do wc -l "$f"; done',
    "cat > notes.md <<'EOF'\nsome text\nEOF",
    "(cd docs && make html)",
]


@given(st.lists(st.sampled_from(DAILY), max_size=6), st.integers(0, 6))
@example([DAILY[0], DAILY[2]], 1)  # the grammar alone took the line for arguments of `head`
def test_a_line_among_others_is_judged_wherever_it_stands(lines: list[str], place: int) -> None:
    assert verdict("\n".join(lines)) == "allow"
    assert verdict("\n".join([*lines[:place], "rm -rf /", *lines[place:]])) == "block"


@pytest.mark.timeout(10)
def test_a_long_list_of_edits_is_judged_in_time() -> None:
    edits = "s/a/b/;" * 16_000
    assert verdict(f"echo x | sed '{edits}'; rm -rf /") == "block"
