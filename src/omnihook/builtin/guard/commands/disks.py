"""Commands that make, wipe or write file systems and devices."""

from collections.abc import Iterator

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.table import Handler, asks_for_help
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.builtin.guard.places import is_device, lexical
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_DESTRUCTIVE_WORDS: dict[str, frozenset[str]] = {
    "cryptsetup": frozenset({"luksFormat", "erase", "luksErase", "reencrypt", "luksKillSlot", "format"}),
    "zpool": frozenset({"destroy", "create", "labelclear", "split", "remove"}),
    "zfs": frozenset({"destroy", "rollback"}),
    "parted": frozenset({"mklabel", "mktable", "mkpart", "rm", "resizepart"}),
    "diskutil": names("eraseDisk eraseVolume partitionDisk zeroDisk secureErase reformat apfs randomDisk"),
    "nvme": frozenset({"format", "sanitize", "delete-ns"}),
    "gpart": frozenset({"destroy", "create", "delete"}),
    "dmsetup": frozenset({"remove", "remove_all", "wipe_table"}),
    "mdadm": frozenset({"--zero-superblock", "--create", "-C"}),
    "hdparm": frozenset({"--security-erase", "--security-erase-enhanced", "--trim-sector-ranges", "--write-sector"}),
    "sgdisk": names("-Z --zap-all -z --zap -o --clear -n --new -d --delete -g"),
    "badblocks": frozenset({"-w"}),
    "bcachefs": frozenset({"format"}),
    "veracrypt": frozenset({"-c", "--create"}),
    "ntfsclone": frozenset({"-O", "--overwrite", "-r", "--restore-image"}),
    "fstrim": frozenset(),
}
_ALWAYS = names(
    "blkdiscard lvremove vgremove pvremove mke2fs mkswap mkntfs mkdosfs newfs mkdiskimage mkexfatfs pvcreate",
    "newfs_hfs newfs_apfs mkreiserfs mkudffs make-bcache jfs_mkfs",
)


def is_format_command(name: str) -> bool:
    """mkfs, mkfs.ext4 and every other name of that shape."""
    return name == "mkfs" or name.startswith("mkfs.")


def formatted(command: Command) -> Iterator[Act]:
    """Tools that always destroy what their operand holds."""
    if asks_for_help(command) or len(command.argv) == 1 or _is_dry(command):
        return
    sized = "F" if command.name.endswith(("fat", "dos", "mkdosfs")) else ""
    operands = arguments(command, "tLbcUNmOoEIiIgJjGTK" + sized, ("--type", "--label", "--uuid")).operands
    targets = [operand for operand in operands if not operand.text.isdigit()] or list(operands)
    volumes = command.name in ("lvremove", "vgremove", "pvremove", "pvcreate")
    image = bool(targets) and not volumes and all(_is_image(target, command) for target in targets)
    yield Note("disk-image" if image else "format-device", " ".join(command.words))


def _is_dry(command: Command) -> bool:
    """`-n` previews for ext file systems only; elsewhere it is a label. To mkfs itself `-V` once means to say more."""
    if command.name == "mkfs":
        return command.words[1:] == ("-V",) or sum(word in ("-V", "--verbose") for word in command.words) > 1
    dry = ("-V", "-n") if command.name == "mke2fs" or ".ext" in command.name else ("-V",)
    return any(word in dry for word in command.words)


def _is_image(target: Text, command: Command) -> bool:
    """A plain file: a relative or temp path that is no device."""
    path = lexical(target, command.cwd)
    return target.known and not path.startswith("/dev/") and not is_device(path)


def by_words(command: Command) -> Iterator[Act]:
    """Tools that destroy only when told to by a certain word."""
    wanted = _DESTRUCTIVE_WORDS[command.name]
    words = command.words[1:]
    if asks_for_help(command) or not any(word in wanted or _clustered(word, wanted) for word in words):
        return
    targets = [word for word in command.argv[1:] if "/" in word.text or word.text.endswith((".img", ".raw", ".iso"))]
    volumes = command.name in ("zfs", "zpool")
    image = bool(targets) and not volumes and all(_is_image(target, command) for target in targets)
    yield Note("disk-image" if image else "format-device", " ".join(command.words))


def _clustered(word: str, wanted: frozenset[str]) -> bool:
    return word.startswith("-") and not word.startswith("--") and any("-" + mark in wanted for mark in word[1:])


def wipefs(command: Command) -> Iterator[Act]:
    """wipefs lists unless told to erase."""
    given = arguments(command, "to", ("--types", "--offset"))
    if given.has("-a", "--all", "-o", "--offset") and not given.has("-n", "--no-act"):
        yield Note("format-device", " ".join(command.words))


def partitioner(command: Command) -> Iterator[Act]:
    """fdisk and sfdisk: listing is harmless, a script on standard input is not."""
    given = arguments(command, "bCHStuwWoNXO")
    lists = given.has(
        "-l", "--list", "-d", "--dump", "-s", "--show-size", "-V", "--verify", "-x", "--list-details", "-J"
    )
    if lists or not given.operands or asks_for_help(command):
        return
    device = any(is_device(lexical(operand, command.cwd)) for operand in given.operands)
    scripted = command.stdin is not None or given.has("--delete", "-X", "-A", "--activate", "-w")
    if device and scripted:
        yield Note("format-device", " ".join(command.words))
    else:
        yield Note("disk-image", " ".join(command.words))


_FOUND = frozenset({"tree", "listing"})


def dd(command: Command) -> Iterator[Act]:
    """dd, judged by what it reads and writes."""
    given: dict[str, Text] = {}
    for word in command.argv[1:]:
        name, equals, value = word.text.partition("=")
        if equals:
            # The shell matches the whole word; only what find puts in is a pattern for the path alone.
            given[name] = Text(value, word.origins, value if word.origins & _FOUND else None)
    for name in ("of", "hof", "wipe", "hwipe"):
        if name in given:
            yield Effect(Do.WRITE, given[name])
    if "if" in given:
        sink = given.get("of", Text("-")).text
        if not (sink == "/dev/null" and is_device(given["if"].text)):
            yield Effect(Do.READ, given["if"])


def imaged(command: Command) -> Iterator[Act]:
    """Tools that write an image or a pattern over what their last operand names; wipers over every operand."""
    operands = arguments(command, _IMAGING[command.name]).operands
    verbs = {"bmaptool": ("copy",), "qemu-img": ("convert", "dd", "create")}.get(command.name)
    if asks_for_help(command) or (verbs is not None and (not operands or operands[0].text not in verbs)):
        return
    if command.words[1:2] == ("dd",):
        yield from dd(command)
        return
    written = 1 if command.name == "ddrescue" else len(operands) - 1
    for place, operand in enumerate(operands):
        if command.name in _WIPERS or (place == written and place > 0):
            yield Effect(Do.WRITE, operand)
        elif verbs is None or place > 0:
            yield Effect(Do.READ, operand)


def btrfs(command: Command) -> Iterator[Act]:
    """Deleting a subvolume deletes a tree; removing a device takes it out of its file system."""
    words = command.words
    if words[1:3] in (("subvolume", "delete"), ("sub", "delete"), ("su", "delete")):
        yield from (Effect(Do.DELETE, word, True) for word in command.argv[3:] if not word.text.startswith("-"))
    elif "remove" in words or "delete" in words:
        yield Note("format-device", " ".join(words))


_WIPERS = names("scrub nwipe")
_IMAGING = {
    "ddrescue": "bBcEgiKmoOrsTx",
    "dd_rescue": "bBcemoOsSy",
    "bmaptool": "",
    "qemu-img": "fFOoStTlm",
    "scrub": "bBpsfDXR",
}
_IMAGING |= {"nwipe": "", "xfs_copy": "L", "partclone.restore": "so", "e2image": ""}
DISKS: dict[str, Handler] = {
    **dict.fromkeys(_IMAGING, imaged),
    "btrfs": btrfs,
    "dc3dd": dd,
    "sg_dd": dd,
    **dict.fromkeys(_ALWAYS, formatted),
    **dict.fromkeys(_DESTRUCTIVE_WORDS, by_words),
    "wipefs": wipefs,
    "fdisk": partitioner,
    "sfdisk": partitioner,
    "cfdisk": partitioner,
    "gdisk": partitioner,
    "dd": dd,
    "gdd": dd,
    "dcfldd": dd,
}
