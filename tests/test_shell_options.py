"""Options read as getopt reads them, and wrappers read by their tables."""

import pytest

from omnihook.shell.options import FLAG, NEXT, full_name, given, spelled
from omnihook.shell.wrappers import SWITCH_USER, WRAPPERS, folder_option, inner_start, script_options


@pytest.mark.parametrize(
    ("word", "options"),
    [
        ("-v", [("-v", FLAG)]),
        ("-n5", [("-n", 2)]),
        ("-n", [("-n", NEXT)]),
        ("-vn5", [("-v", FLAG), ("-n", 3)]),
        ("-vqn", [("-v", FLAG), ("-q", FLAG), ("-n", NEXT)]),
        ("--name=x", [("--name", 7)]),
        ("--na=x", [("--name", 5)]),
        ("--na", [("--name", NEXT)]),
        ("--verbose", [("--verbose", FLAG)]),
        ("-", []),
    ],
)
def test_one_word_spells_these_options(word: str, options: list[tuple[str, int]]) -> None:
    assert spelled(word, "n", {"--name", "--number"}) == options


def test_a_name_cut_too_short_stays_as_it_is() -> None:
    assert full_name("--n", {"--name", "--number"}) == "--n"


def test_two_dashes_end_the_options() -> None:
    options, operands = given(["x", "a", "-n", "1", "--", "-b"], "n")
    assert ([option.name for option in options], operands) == (["-n"], [1, 5])


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("sudo -uvera rm x", 2),
        ("sudo -l rm x", None),
        ("env - A=1 rm x", 3),
        ("systemd-run -t rm x", 2),
        ("timeout --sig KILL 5 rm x", 4),
        ("flock -nw5 /tmp/l rm x", 3),
        ("mise x -- rm x", 3),
        ("poetry show rm", None),
    ],
)
def test_the_command_inside_begins_here(line: str, start: int | None) -> None:
    argv = line.split()
    assert inner_start(argv, WRAPPERS[argv[0]]) == start


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (["env", "-vSls -l"], [(1, "-vS")]),
        (["env", "-0S", "ls -l"], [(2, "")]),
        (["env", "--split=ls -l"], [(1, "--split=")]),
        (["env", "A=1", "rg", "-S", "word"], []),
        (["flock", "/tmp/l", "-c", "ls"], [(3, "")]),
        (["su", "root", "--comm=ls"], [(2, "--comm=")]),
        (["su", "root", "--", "-c", "ls"], [(4, "")]),
    ],
)
def test_scripts_are_in_these_words(argv: list[str], found: list[tuple[int, str]]) -> None:
    wrapper = SWITCH_USER if argv[0] == "su" else WRAPPERS[argv[0]]
    assert list(script_options(argv, wrapper)) == found


@pytest.mark.parametrize("words", ["-C web", "-Cweb", "--chdir web", "--chdir=web", "--chd=web", "-iC web"])
def test_the_folder_is_found_however_it_is_spelled(words: str) -> None:
    assert folder_option(["env", *words.split(), "ls"], WRAPPERS["env"]) == "web"
