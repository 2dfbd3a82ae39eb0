"""A command's options and operands, read the way getopt reads them."""

from collections.abc import Iterable

from omnihook.shell.values import Command, Text
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Arguments:
    """Options in order, each with its value or None, and operands."""

    options: tuple[tuple[str, Text | None], ...]
    operands: tuple[Text, ...]

    def has(self, *names: str) -> bool:
        """Whether one of these options was given; long ones may be abbreviated."""
        return any(_means(option, name) for option, _ in self.options for name in names)

    def values(self, *names: str) -> list[Text]:
        """The values given for these options."""
        return [
            value for option, value in self.options if value is not None and any(_means(option, name) for name in names)
        ]


def _means(option: str, name: str) -> bool:
    if option == name:
        return True
    return len(option) > 4 and option.startswith("--") and name.startswith(option)


def arguments(
    command: Command, values: str = "", long_values: Iterable[str] = (), *, single_dash: bool = False
) -> Arguments:
    """Read a command's words. `values` are the letters and `long_values` the names that take the next word.

    With `single_dash`, `-name` is one option, as terraform and openssl spell them.
    """
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
        elif text.startswith("--") or single_dash:
            name, equals, value = text.partition("=")
            if equals:
                options.append((name, Text(value, word.origins, word.pattern and value)))
            elif name in takers and index < len(words):
                options.append((name, words[index]))
                index += 1
            else:
                options.append((name, None))
        else:
            index += _cluster(word, words, index, values, options)
    return Arguments(tuple(options), tuple(operands))


def _cluster(
    word: Text, words: tuple[Text, ...], index: int, values: str, options: list[tuple[str, Text | None]]
) -> int:
    """Add the options of `-abc`; gives back how many following words they took."""
    text = word.text
    for place in range(1, len(text)):
        letter = text[place]
        if letter not in values:
            options.append(("-" + letter, None))
            continue
        if place + 1 < len(text):
            options.append(("-" + letter, Text(text[place + 1 :], word.origins)))
            return 0
        options.append(("-" + letter, words[index] if index < len(words) else None))
        return 1
    return 0
