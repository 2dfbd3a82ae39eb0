"""PowerShell's and Windows' own names for deleting, reading and writing, as a shell on that system is given them."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.commands.table import Handler, effects
from omnihook.builtin.guard.effects import Act, Do, Note
from omnihook.shell.values import Command, Text

_EVERYTHING = re.compile(
    r"(?:^|\s)[\"']?(?:[a-z]:[\\/]?\*?|\\|\$env:userprofile|%userprofile%|%systemroot%|%systemdrive%\\?|"
    r"[a-z]:[\\/](?:windows|users)[\\/]?\*?)[\"']?(?:\s|$)"
)
_RECURSE = re.compile(r"-r(?:e(?:c(?:u(?:r(?:se?)?)?)?)?)?|/s", re.I)
_PATHS = frozenset({"-path", "-literalpath", "-destination", "-filepath", "-lp"})
_VALUES = frozenset({"-filter", "-include", "-exclude", "-encoding", "-value", "-erroraction", "-ea", "-totalcount"})


def removed(command: Command) -> Iterator[Act]:
    """`Remove-Item -Recurse path`, `rd /s path`, `format c:`."""
    text = " ".join(command.words).lower()
    recursive = any(_RECURSE.fullmatch(word) for word in command.words[1:])
    if command.name.lower() in ("format", "format.com"):
        if re.search(r"\s[a-z]:", text):
            yield Note("format-device", text)
        return
    if recursive and _EVERYTHING.search(text):
        yield Note("delete-critical", text)
    if not any(word.lower().startswith("-whatif") for word in command.words[1:]):
        yield from effects(Do.DELETE, _operands(command), recursive=recursive)


def shown(command: Command) -> Iterator[Act]:
    """`Get-Content path`."""
    yield from effects(Do.READ, _operands(command))


def written(command: Command) -> Iterator[Act]:
    """`Set-Content path value`, `Out-File path`."""
    do = Do.APPEND if "add" in command.name.lower() or "-Append" in command.words else Do.WRITE
    yield from effects(do, _operands(command)[:1])


def copied(command: Command) -> Iterator[Act]:
    """`Copy-Item source target` and `Move-Item source target`."""
    operands = _operands(command)
    yield from effects(Do.READ, operands[:1])
    if command.name.lower() in ("move-item", "mi"):
        yield from effects(Do.MOVE, operands[:1])
    yield from effects(Do.WRITE, operands[1:2])


def _operands(command: Command) -> list[Text]:
    """Paths: words that are no options, and what path options are given."""
    found: list[Text] = []
    skip = False
    for word in command.argv[1:]:
        option = word.text.lower()
        if skip:
            skip = False
        elif option.startswith("-") or re.fullmatch(r"/[a-z]", option):
            skip = option in _VALUES and option not in _PATHS
        else:
            found.append(word)
    return found


def _spelled(handler: Handler, *names: str) -> dict[str, Handler]:
    return dict.fromkeys([spelling for name in names for spelling in (name, name.lower())], handler)


WINDOWS: dict[str, Handler] = {
    **_spelled(removed, "Remove-Item", "ri", "rd", "del", "erase", "format", "format.com"),
    **_spelled(shown, "Get-Content", "gc", "Select-String", "Format-Hex", "Import-Csv"),
    **_spelled(written, "Set-Content", "Out-File", "Add-Content", "Clear-Content", "clc"),
    **_spelled(copied, "Copy-Item", "Move-Item", "cpi", "mi"),
}
