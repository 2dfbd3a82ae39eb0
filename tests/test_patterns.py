"""No expression that foreign text reaches takes more than time in step with its length.

Each is given long strings made from what it repeats itself, and strings that tired others. One whose time grows with
the square of its text, or faster, does not come back before pytest's own time-out.
"""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest

import patterns_kit
from omnihook.journal.redaction import Redactor
from patterns_kit import Use

MODULES = {module.__name__: module for module in patterns_kit.modules()}
LONG = 150_000
"""Characters: the square of it is minutes."""
SHORT = 300
"""Where the code itself looks at no more than so much, or less."""
BOUNDED = {
    "omnihook.journal.names": "names of up to 200 characters",
    "omnihook.journal.arguments": "a window of 1024 bytes in front of a pipe",
    "omnihook.shell.columns": "programs of up to 200 characters",
}
COMMON = [
    *(" ", "\n", "\t", "a", "1", "A", "/", "-", "\\", "'", '"', "$", "(", "=", ".", ";", ":", "[", "{", "<", "%", "@"),
    *("a ", "a=", "a/", "-a ", "a\n", "a.", "a,", "\n ", "\\a", "a(", "'a", "${", "$(", "aA1", "..", "x-"),
]


@contextmanager
def alarm() -> Iterator[None]:
    """End the block after a moment, as pytest's time-out would."""

    def late(*_: object) -> NoReturn:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def length(use: Use) -> int:
    return SHORT if use.module in BOUNDED else LONG


def tire(use: Use, before: str, piece: str, much: int) -> None:
    for end in ("", "\0"):
        use.runs(before + piece * (24 // len(piece) + 1) + end)  # where each character doubles the time, this is enough
        use.runs(before + piece * (much // len(piece)) + end)


@pytest.mark.parametrize("name", MODULES)
def test_expressions_take_time_in_step_with_the_text(name: str) -> None:
    for use in patterns_kit.uses(MODULES[name]):
        for before, piece in patterns_kit.pumps(use, 6):
            tire(use, before, piece or "a", length(use))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", MODULES)
def test_expressions_take_time_in_step_with_every_text(name: str) -> None:
    for use in patterns_kit.uses(MODULES[name]):
        pumps = patterns_kit.pumps(use, 60)
        begins = list(dict.fromkeys(["", *(before for before, _ in pumps)]))[:3]
        for before, piece in [*pumps, *((before, piece) for before in begins for piece in COMMON)]:
            tire(use, before, piece or "a", length(use))


def test_the_collector_finds_expressions_however_they_are_kept() -> None:
    found = {use.pattern for module in MODULES.values() for use in patterns_kit.uses(module)}
    assert len(found) > 400
    assert any(isinstance(pattern, bytes) for pattern in found)


@pytest.mark.timeout(5)
@pytest.mark.parametrize("pattern", [r"(?:a|a)*b", r"(a*)*b", r"(['\"])(?:\\.|(?!\1).)*\1"])
def test_an_expression_that_runs_away_is_caught(pattern: str) -> None:
    use = Use("tests", pattern, 0, "search")
    pieces = patterns_kit.pumps(use, 8)
    assert pieces
    with pytest.raises(TimeoutError), alarm():
        for before, piece in pieces:
            tire(use, before, piece or "a", LONG)


SECRETS = [
    *("password=" + " " * 900, "echo" + " " * 900 + "|chpasswd ", "echo " * 180 + "'a'b|chpasswd "),
    *(
        "curl -" + "u" * 900 + " ",
        '{"name": "API_TOKEN", ',
        "password=\\",
        "API_TOKEN\\\\",
        "| chpasswd ",
        "set -a -b ",
    ),
]


@pytest.mark.parametrize("piece", SECRETS)
def test_redaction_takes_time_in_step_with_the_text(piece: str) -> None:
    Redactor(b"key" * 11).text(piece * (1_000_000 // len(piece)))


def test_a_secret_that_stands_everywhere_hides_everything() -> None:
    lines = "".join(f"password={'a' * count}\n" for count in range(8, 190))
    text = Redactor(b"key" * 11).text(lines + "a" * 900_000)
    assert re.sub(r"\[redacted:[^\]]*\]", "", text) == ""
