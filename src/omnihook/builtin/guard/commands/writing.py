"""Commands that write files named in their arguments."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.deleting import replaced
from omnihook.builtin.guard.commands.table import Handler, asks_for_help, effects
from omnihook.builtin.guard.effects import Act, Do, Effect, Note, Shell
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_PACKERS = names("tar gtar bsdtar unzip 7z 7za cpio zip gzip bzip2 xz zstd ar rar pigz compress")


def tee(command: Command) -> Iterator[Act]:
    """tee replaces its operands, or with `-a` adds to them."""
    given = arguments(command)
    yield from effects(Do.APPEND if given.has("-a", "--append") else Do.WRITE, given.operands)


def cp(command: Command) -> Iterator[Act]:
    """cp and ln: sources are read, the target is replaced."""
    if asks_for_help(command):
        return
    given = arguments(command, "tS", ("--target-directory", "--suffix"))
    folder = given.values("-t", "--target-directory")
    if not folder and len(given.operands) < 2:
        yield from effects(Do.READ, given.operands)
        return
    sources = given.operands if folder else given.operands[:-1]
    yield from effects(Do.READ, sources)
    for target in folder or given.operands[-1:]:
        yield from replaced(sources, target)


def truncate(command: Command) -> Iterator[Act]:
    """truncate."""
    yield from effects(Do.WRITE, arguments(command, "sr", ("--size", "--reference")).operands)


def touch(command: Command) -> Iterator[Act]:
    """touch makes a file but changes no content."""
    given = arguments(command, "drt", ("--date", "--reference"))
    yield from effects(Do.USE, given.operands)


def sed(command: Command) -> Iterator[Act]:
    """sed reads its files, with `-i` edits them; its `e` and `w` commands run and write."""
    given = arguments(command, "eflE", ("--expression", "--file", "--line-length"))
    scripts = given.values("-e", "--expression")
    files = given.operands
    if not given.has("-e", "--expression", "-f", "--file"):
        scripts, files = list(given.operands[:1]), given.operands[1:]
    edits = any(option.startswith("-i") or option == "--in-place" for option, _ in given.options)
    yield from effects(Do.READ, files)
    if edits:
        yield from effects(Do.APPEND, files)
    for script in scripts:
        yield from _sed_script(script)


def _sed_script(script: Text) -> Iterator[Act]:
    for match in re.finditer(r"(?:^|[;\n{}]|\d|\$|/)\s*e\s+([^\n;}]+)", script.text):
        yield Shell(Text(match[1], script.origins))
    substitution = re.match(
        r"\s*(?:\d+|\$|/[^/]*/)?\s*s(.)(?:\\.|(?!\1).)*\1((?:\\.|(?!\1).)*)\1[gip0-9]*e", script.text
    )
    if substitution:
        yield Shell(Text(substitution[2], script.origins))
    for match in re.finditer(r"(?:^|[;\n{}/])\s*[0-9gip]*w\s+([^\n;}]+)", script.text):
        yield Effect(Do.WRITE, Text(match[1].strip(), script.origins))


def unpacked(command: Command) -> Iterator[Act]:
    """tar, unzip, cpio and 7z: what they pack is read, and where they unpack matters."""
    words = command.words[1:]
    folders = _unpack_folders(command)
    extracts = _extracts(command, words)
    if extracts and any(folder.text.rstrip("/") in ("", "~") or _is_home(folder, command) for folder in folders):
        yield Note("unpack-over", " ".join(command.words))
    if not extracts:
        yield from effects(Do.READ, _packed(command))
    if command.name in ("tar", "gtar", "bsdtar") and not extracts:
        yield from effects(Do.MOVE, _packed(command) if "--remove-files" in words else ())


def _is_home(folder: Text, command: Command) -> bool:
    return re.fullmatch(r"/home/[^/]+|/Users/[^/]+|/root", folder.text.rstrip("/")) is not None


def _extracts(command: Command, words: tuple[str, ...]) -> bool:
    if command.name in ("zip", "gzip", "bzip2", "xz", "zstd", "pigz", "compress", "ar", "rar"):
        return False
    if command.name in ("unzip", "unrar", "gunzip", "unxz"):
        return not any(word in ("-l", "-t", "-v", "-Z", "-p", "-c") for word in words)
    if command.name in ("7z", "7za", "cpio", "bsdcpio"):
        return bool(words) and words[0].lstrip("-").startswith(("x", "e", "i"))
    first = words[0] if words else ""
    letters = first.lstrip("-") if not first.startswith("--") else ""
    return (
        "x" in letters
        or "--extract" in words
        or "--get" in words
        or any(re.fullmatch(r"-[a-zA-Z]*x[a-zA-Z]*", word) for word in words)
    )


def _unpack_folders(command: Command) -> list[Text]:
    given = arguments(command, "Cdfo", ("--directory", "--file", "--exclude"))
    if command.name in ("unzip", "unrar"):
        return given.values("-d")
    return given.values("-C", "--directory")


def _packed(command: Command) -> list[Text]:
    """What is being packed: operands that are no options, excluded names or the archive itself."""
    found: list[Text] = []
    words = command.argv[1:]
    index = 0
    while index < len(words):
        text = words[index].text
        if text in ("--exclude", "-x", "-X", "--exclude-from", "-xr", "--exclude-vcs-ignores"):
            index += 2 if text != "-x" else len(words)
            continue
        if text in ("-C", "--directory", "-f", "--file", "-T"):
            index += 2
            continue
        if not text.startswith("-"):
            found.append(words[index])
        index += 1
    if (
        command.name in ("tar", "gtar", "bsdtar")
        and found
        and re.fullmatch(r"[a-zA-Z]+", found[0].text)
        and not words[0].text.startswith("-")
    ):
        found = found[1:]
    return found


def sorted_output(command: Command) -> Iterator[Act]:
    """`sort -o file`, which also reads."""
    given = arguments(command, "okStT", ("--output", "--key", "--field-separator"))
    yield from effects(Do.READ, given.operands)
    yield from effects(Do.WRITE, given.values("-o", "--output"))


def patched(command: Command) -> Iterator[Act]:
    """`patch file`, `sponge file`, `ed file`."""
    yield from effects(Do.APPEND, arguments(command, "pidBDFoprVxYzg").operands)


WRITING: dict[str, Handler] = {
    "tee": tee,
    "cp": cp,
    "gcp": cp,
    "ln": cp,
    "truncate": truncate,
    "touch": touch,
    "sed": sed,
    "gsed": sed,
    **dict.fromkeys(_PACKERS, unpacked),
    "sort": sorted_output,
    **dict.fromkeys(("patch", "sponge", "ed", "ex"), patched),
}
