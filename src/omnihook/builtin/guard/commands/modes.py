"""chmod, chown and everything else that sets a mode or an owner."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.table import Handler, asks_for_help, effects
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.shell.values import Command, Text


def mode_rule(mode: str) -> str | None:
    """`mode-777` for any spelling of it, `mode-writable` for others that let everyone write, else None."""
    if number := re.fullmatch(r"[+=]?(?:0o)?([0-7]{1,20})", mode):
        bits = int(number[1], 8)
        if bits & 0o777 == 0o777:
            return "mode-777"
        return "mode-writable" if bits & 0o002 else None
    return _symbolic(mode)


def _symbolic(mode: str) -> str | None:
    granted = {"u": set[str](), "g": set[str](), "o": set[str]()}
    for clause in mode.split(","):
        match = re.match(r"[ugoa]*", clause)
        who = match[0] if match else ""
        classes = frozenset("ugo" if "a" in who or not who else who)
        for operator, letters in re.findall(r"([-+=])([ugo]|[rwxXst]*)", clause[len(who) :]):
            for one in classes:
                bits = set(granted[letters] if letters in granted else letters.replace("X", "x"))
                if not who and one != "u":
                    bits -= {"w"}  # without a class the umask applies, which keeps others from writing
                granted[one] = (
                    bits if operator == "=" else granted[one] | bits if operator == "+" else granted[one] - bits
                )
    if all({"r", "w", "x"} <= bits for bits in granted.values()):
        return "mode-777"
    return "mode-writable" if "w" in granted["o"] else None


def chmod(command: Command) -> Iterator[Act]:
    """chmod: the first word that is a mode, then files; a symbolic mode may begin with a dash."""
    if asks_for_help(command):
        return
    flags, rest = _mode_first(command.argv[1:])
    if not rest:
        return
    mode, files = rest[0], rest[1:]
    rule = mode_rule(mode.text)
    if rule is not None:
        yield Note(rule, " ".join(command.words))
    yield from effects(Do.MODE, files, recursive=any(map(_has_r, flags)))


def _has_r(flag: str) -> bool:
    return re.fullmatch(r"-[cfv]*+R[cfvR]*+|--rec(?:u|ur|urs|ursi|ursiv|ursive)?", flag) is not None


def _mode_first(words: tuple[Text, ...]) -> tuple[list[str], list[Text]]:
    """Options and the rest; GNU chmod takes options anywhere."""
    flags = [word.text for word in words if word.text.startswith("--") or re.fullmatch(r"-[cfvR]+", word.text)]
    return flags, [word for word in words if word.text not in flags and word.text != "--"]


def chown(command: Command) -> Iterator[Act]:
    """chown and chgrp matter when they go through a whole tree."""
    given = arguments(command, "", ("--from", "--reference"))
    files = given.operands if given.has("--reference") else given.operands[1:]
    yield from effects(Do.MODE, files, recursive=given.has("-R", "--recursive"))


def install(command: Command) -> Iterator[Act]:
    """install and mkdir with `-m`; install also copies."""
    given = arguments(command, "mgotS", ("--mode", "--group", "--owner", "--target-directory", "--suffix"))
    yield from _given_modes(given.values("-m", "--mode"), command)
    if not given.has("-d", "--directory"):
        yield from effects(Do.READ, given.operands[:-1])
        yield from effects(Do.WRITE, given.operands[-1:])


def _given_modes(modes: list[Text], command: Command) -> Iterator[Act]:
    for mode in modes:
        rule = mode_rule(mode.text)
        if rule is not None:
            yield Note(rule, " ".join(command.words))


def created(command: Command) -> Iterator[Act]:
    """mkdir, mkfifo and mknod."""
    given = arguments(command, "mZ", ("--mode",))
    yield from _given_modes(given.values("-m", "--mode"), command)


def umask(command: Command) -> Iterator[Act]:
    """A umask that takes nothing away makes every new file writable by everyone."""
    value = command.words[1] if len(command.argv) > 1 else ""
    if re.fullmatch(r"0*[0-7]{0,2}[0145]", value) and value:
        yield Note("mode-writable", " ".join(command.words))


def setfacl(command: Command) -> Iterator[Act]:
    """`setfacl -m o::rwx`."""
    given = arguments(command, "mMxXn", ("--modify", "--set"))
    texts = [value.text for value in given.values("-m", "--modify", "--set")]
    if any(re.search(r"(?:^|,)o(?:ther)?::?[r-]?w", text) for text in texts):
        all_three = all(re.search(rf"(?:^|,){one}[a-z]*::?rwx", ",".join(texts)) for one in "ugo")
        yield Note("mode-777" if all_three else "mode-writable", " ".join(command.words))
    yield from (Effect(Do.MODE, target, given.has("-R", "--recursive")) for target in given.operands)


MODES: dict[str, Handler] = {
    "chmod": chmod,
    "gchmod": chmod,
    "chown": chown,
    "chgrp": chown,
    "install": install,
    "mkdir": created,
    "mkfifo": created,
    "mknod": created,
    "umask": umask,
    "setfacl": setfacl,
}
