"""sed scripts as GNU sed 4.9 reads them."""

import pytest

from omnihook.shell.sed import Step, made, read, substituted
from omnihook.shell.values import HOLE


@pytest.mark.parametrize(
    ("script", "steps"),
    [
        ("s/a/b/", (Step("s", True, "a", "b"),)),
        ("s/[/]/x/gI", (Step("s", True, "[/]", "x", "gI"),)),
        ("s/[[:alpha:]/]]/x/", (Step("s", True, "[[:alpha:]/]]", "x"),)),
        ("s/[]/]/x/;p", (Step("s", True, "[]/]", "x"), Step("p"))),
        (r"s|a\|b|c\|d|", (Step("s", True, "a|b", "c|d"),)),
        ("sxaxbx;p", (Step("s", True, "a", "b"), Step("p"))),
        ("s/a/b/w out file;p\np", (Step("s", True, "a", "b", "", "out file;p"), Step("p"))),
        ("y/abc/xyz/;d", (Step("y", True, "abc", "xyz"), Step("d"))),
        ("1,$!{N;D}", (Step("{", False), Step("N"), Step("D"))),
        ("0~3,+4 p", (Step("p", False),)),
        ("/[/]/I,\\,x,Ms//y/", (Step("s", False, "", "y"),)),
        ("e", (Step("e"),)),
        ("1e date; ls }", (Step("e", False, text="date; ls }"),)),
        ("a\\\n one\\\n two\np", (Step("a", text=" one\\\n two"), Step("p"))),
        ("a one;p\np", (Step("a", text="one;p"), Step("p"))),
        ("r in.txt;p\nw out", (Step("r", text="in.txt;p"), Step("w", text="out"))),
        (":a;N;$!ba;q5", (Step(":", text="a"), Step("N"), Step("b", False, text="a"), Step("q", text="5"))),
        ("# s/a/b/\np # more", (Step("#", text="s/a/b/"), Step("p"), Step("#", text="more"))),
        (f"{HOLE},{HOLE}p", (Step("p", False),)),
        (f"{HOLE};e ls", (Step("e", text="ls"),)),
        ("", ()),
    ],
)
def test_a_script_is_read_as_sed_reads_it(script: str, steps: tuple[Step, ...]) -> None:
    assert read(script).steps == steps
    assert not read(script).unread


@pytest.mark.parametrize(
    "script", ["s/a/b", "s/[/b/", "s", "k", "1,p", "s/a/b/k", "pp", "y/a/b", "/a", "\\", "s\na\nb\n"]
)
def test_what_is_no_sed_is_no_step_but_for_what_stands_behind_it(script: str) -> None:
    assert Step("e", text="ls") in read(f"{script};e ls").steps or Step("e", text="ls") in read(f"{script}\ne ls").steps


def test_a_script_with_too_much_that_is_no_sed_is_said_to_be_unread() -> None:
    assert read("k;" * 50 + "e ls").unread


@pytest.mark.parametrize(
    ("new", "text"),
    [
        ("plain", "plain"),
        (r"a\nb\tc", "a\nb\tc"),
        (r"\x72\o155\d032-", "rm -"),
        (r"\LRM\E \Urm\E \uabc\lABC", "rm RM AbcaBC"),
        (r"x & \1 \& \\", f"x {HOLE} {HOLE} & \\"),
    ],
)
def test_what_a_replacement_makes(new: str, text: str) -> None:
    assert made(new) == text


@pytest.mark.parametrize(
    ("script", "text", "changed"),
    [
        ("s/a/b/", "aa\naa\n", "ba\nba\n"),
        ("s/a/b/g", "aa\naa", "bb\nbb"),
        ("s/^x.*$/y/", "xab\nax", "y\nax"),
        ("s/./\\1/", "a", None),
        ("s/.*.*x/y/", "a" * 2_000, None),
        ("s/a/" + "b" * 4_000 + "/g", "a" * 4_000, None),
        ("2s/a/b/", "a", None),
    ],
)
def test_known_text_is_changed_where_that_is_plain(script: str, text: str, changed: str | None) -> None:
    assert substituted(read(script).steps[0], text) == changed


@pytest.mark.parametrize("piece", ["s/", "[", "[:", "s/[", "s/a/b/;", "{", "\\", "/", "a\\\n", "y/", "1,", "s\\"])
def test_long_scripts_are_read_in_one_go(piece: str) -> None:
    text = piece * (120_000 // len(piece))
    read(text)
    read("s/a/" + text)
    made(text)
