"""Arithmetic on known numbers, compared with the shell's own."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnihook.shell.arithmetic import assignment, value_of

NUMBERS = st.one_of(st.integers(0, 999).map(str), st.sampled_from(["0x1f", "017", "8#777", "2#101"]))
OPERATORS = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">=", "==", "!=", "&&", "||", "**"]


def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(inner, st.sampled_from(OPERATORS), inner).map(" ".join)
    unary = st.tuples(st.sampled_from(["-", "~", "!"]), inner).map(lambda pair: f"{pair[0]} ({pair[1]})")
    choice = st.tuples(inner, inner, inner).map(lambda three: f"({three[0]}) ? {three[1]} : {three[2]}")
    return st.one_of(binary, binary.map("({})".format), unary, choice.map("({})".format))


@given(st.lists(st.recursive(NUMBERS, combined, max_leaves=6), min_size=1, max_size=40))
@settings(max_examples=10, deadline=None)
def test_what_is_known_is_what_bash_says(expressions: list[str]) -> None:
    known = [(text, value) for text in expressions if (value := value_of(text)) is not None]
    script = "".join(f"echo $(( {text} ))\n" for text, _ in known)
    said = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True).stdout.split()
    assert [(text, int(line)) for (text, _), line in zip(known, said, strict=True)] == known


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(
            ("700 + 77", 777),
            ("7 * 111", 777),
            ("(1 + 2) * 3", 9),
            ("2 ** 3 ** 2", 512),
            ("-7 / 2", -3),
            ("-7 % 2", -1),
        ),
        *(("1 ? 2 : 3", 2), ("0x1f", 31), ("017", 15), ("8#777", 511), ("1 << 4 | 1", 17), ("!0", 1)),
    ],
)
def test_expressions_of_literals(text: str, value: int) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "x",
            "1 +",
            "(1",
            "1)",
            "1 / 0",
            "1 % 0",
            "1 2",
            "9 ** 99",
            "2 ** 64",
            "08",
            "1.5",
            "f(1)",
            "9#9",
            "1 = 2",
        ),
        *("(" * 200 + "1" + ")" * 200, "1+" * 300 + "1", "1#1", "99#1", "'1'", "\ufffc + 1"),
    ],
)
def test_what_cannot_be_worked_out_is_not_known(text: str) -> None:
    assert value_of(text) is None


def test_names_are_looked_up() -> None:
    assert value_of("base + 7", {"base": 770}.get) == 777
    assert value_of("other + 7", {"base": 770}.get) is None


def test_a_leading_zero_counts_in_base_eight_only_where_the_shell_reads_it() -> None:
    assert (value_of("0777"), value_of("0777", octal=False)) == (511, 777)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1 + 2", ("a", " 1 + 2")),
        ("a += 2", ("a", "a + ( 2)")),
        ("a <<= 2", ("a", "a << ( 2)")),
        ("a == 2", None),
        ("a + 2", None),
    ],
)
def test_assignments_are_told_from_comparisons(text: str, expected: tuple[str, str] | None) -> None:
    assert assignment(text) == expected
