"""A command's options and operands, read the way getopt reads them."""

from collections.abc import Iterable

from omnihook.shell.options import FLAG, NEXT, spelled
from omnihook.shell.values import Command, Text
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Arguments:
    """Options in order, each with its value or None, and operands."""

    options: tuple[tuple[str, Text | None], ...]
    operands: tuple[Text, ...]

    def has(self, *names: str) -> bool:
        """Whether one of these options was given; long ones may be abbreviated."""
        return any(_means(option, names) for option, _ in self.options)

    def values(self, *names: str) -> list[Text]:
        """The values given for these options."""
        return [value for option, value in self.options if value is not None and _means(option, names)]


def _means(option: str, names: tuple[str, ...]) -> bool:
    if option in names:
        return True
    return len(option) > 4 and option.startswith("--") and any(name.startswith(option) for name in names)


def arguments(command: Command, values: str = "", long_values: Iterable[str] = ()) -> Arguments:
    """Read a command's words. `values` are the letters and `long_values` the names that take a value."""
    options: list[tuple[str, Text | None]] = []
    operands: list[Text] = []
    words = command.argv[1:]
    takers = frozenset(long_values)
    index = 0
    while index < len(words):
        word = words[index]
        text = word.text
        index += 1
        if text == "--":
            operands.extend(words[index:])
            break
        if not text.startswith("-") or text == "-":
            operands.append(word)
            continue
        for name, start in spelled(text, values, takers):
            if start == NEXT:
                options.append((name, words[index] if index < len(words) else None))
                index += 1
            else:
                options.append((name, None if start == FLAG else _cut(word, start)))
    return Arguments(tuple(options), tuple(operands))


def _cut(word: Text, start: int) -> Text:
    """The part of a word that is an option's value."""
    return Text(word.text[start:], word.origins, word.pattern and word.text[start:])
