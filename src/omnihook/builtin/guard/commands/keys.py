"""openssl and gpg, which show some files and only use others: keys, above all."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.commands.reading import shown
from omnihook.builtin.guard.commands.table import Handler
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.shell.values import Command, Text

_PUBLIC = ("-pubout", "-noout")


def openssl(command: Command) -> Iterator[Act]:
    """`-in` is shown, unless only the public part of a key is; keys that sign, and files that come to be, are used."""
    words = command.argv
    given = Do.USE if _shows_no_key(command.words) else Do.READ
    if command.words[1:2] == ("s_client",) and command.stdin is not None and "shell" in command.stdin.origins:
        yield Note("reverse-shell", "a shell's output goes to openssl")
    for place, word in enumerate(words[:-1]):
        if word.text == "-in":
            yield Effect(given, words[place + 1])
        elif re.fullmatch(r"-(out|keyout|key|inkey|CA|CAkey|cert|signkey|certfile|CAfile)", word.text):
            yield Effect(Do.USE, words[place + 1])


def _shows_no_key(words: tuple[str, ...]) -> bool:
    """What `-pubout` gives is public; `-text` gives all parts of a key."""
    verb, options = "".join(words[1:2]), frozenset(words[2:])
    return verb in ("rsa", "ec", "dsa", "pkey") and "-text" not in options and not options.isdisjoint(_PUBLIC)


def gpg(command: Command) -> Iterator[Act]:
    """Exporting secret keys shows them."""
    if any(re.match(r"--export-secret|--export-options.*secret", word) for word in command.words):
        yield Effect(Do.READ, Text("/root/.gnupg"))
    yield from shown(command)


KEYS: dict[str, Handler] = {"openssl": openssl, "gpg": gpg, "gpg2": gpg}
