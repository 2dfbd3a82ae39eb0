"""Options as getopt reads them: letters in clusters, values attached or in the next word, long names cut short."""

from collections.abc import Collection, Iterator, Sequence

from omnihook.slotted import dataclass

FLAG = -1
"""The option has no value."""
NEXT = 0
"""The option's value is the next word."""


@dataclass(frozen=True, slots=True)
class Given:
    """An option that was given: its full name, the word its value is in, and where in that word it begins."""

    name: str
    place: int
    start: int = 0


def spelled(word: str, letters: str, longs: Collection[str]) -> list[tuple[str, int]]:
    """The options one word spells, each with where its value begins in that word, or FLAG, or NEXT.

    `letters` and `longs` (with their dashes) are the options that take a value.
    """
    if word.startswith("--"):
        name, equals, _ = word.partition("=")
        full = full_name(name, longs)
        return [(full, len(name) + 1 if equals else NEXT if full in longs else FLAG)]
    found: list[tuple[str, int]] = []
    for place, letter in enumerate(word[1:], 2):
        if letter in letters:
            found.append(("-" + letter, place if place < len(word) else NEXT))
            break
        found.append(("-" + letter, FLAG))
    return found


def full_name(name: str, longs: Collection[str]) -> str:
    """A long option's whole name, where it is cut short and only one can be meant."""
    if name in longs or len(name) < 3:
        return name
    meant = [long for long in longs if long.startswith(name)]
    return meant[0] if len(meant) == 1 else name


def given(argv: Sequence[str | None], letters: str, longs: Collection[str] = ()) -> tuple[list[Given], list[int]]:
    """All options among words, wherever they stand up to `--`, and the places of the operands."""
    options: list[Given] = []
    operands: list[int] = []
    index = 1
    while index < len(argv):
        word = argv[index]
        if word == "--":
            operands.extend(range(index + 1, len(argv)))
            break
        if word is None or word[:1] != "-" or word == "-":
            operands.append(index)
            index += 1
        else:
            index = read(argv, index, letters, longs, options)
    return options, operands


def read(argv: Sequence[str | None], index: int, letters: str, longs: Collection[str], options: list[Given]) -> int:
    """Add the options of the word at `index`; gives back where the words after them and their values begin."""
    after = index + 1
    for name, start in spelled(argv[index] or "", letters, longs):
        if start == FLAG:
            options.append(Given(name, FLAG))
        elif start != NEXT:
            options.append(Given(name, index, start))
        else:
            options.append(Given(name, after if after < len(argv) else FLAG))
            after += 1
    return after


def places(options: Sequence[Given], names: Collection[str]) -> Iterator[Given]:
    """The options of these names that have a value."""
    return (option for option in options if option.place != FLAG and option.name in names)
