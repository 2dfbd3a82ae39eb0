"""The three modes: judge by effect, add the literal list, or ask about everything that leaves the project."""

from collections.abc import Iterator
from enum import Enum

from omnihook.builtin.guard.effects import Act, Note
from omnihook.builtin.guard.places import Place, Scene, place_of
from omnihook.shell.downloading import NETWORK
from omnihook.shell.state import absolute
from omnihook.shell.tables import names
from omnihook.shell.values import Command


class Mode(Enum):
    """How strict the guard is."""

    STANDARD = "standard"
    """Effects decide."""
    STRICT = "strict"
    """Also the literal list: `dd if=` and file system tools are refused whatever they work on."""
    PARANOID = "paranoid"
    """Also ask before the network is reached or anything outside the project is written."""


STRICT_NAMES = frozenset({"mkfs", "mke2fs", "mkswap", "wipefs"})
_WRITERS = names("cp mv tee install ln mkdir touch rsync tar unzip")


def paranoid(command: Command, scene: Scene) -> Iterator[Act]:
    """What only the strictest mode minds."""
    if command.name in NETWORK or command.name in ("ssh", "scp", "rsync", "sftp"):
        yield Note("paranoid-network", command.name)
    targets = [item.target.text for item in command.redirects if item.writes]
    if command.name in _WRITERS and len(command.argv) > 1:
        targets.append(command.argv[-1].text)
    for target in targets:
        place = place_of(absolute(target, command.cwd.text), scene)
        if place not in (Place.INSIDE, Place.PROJECT, Place.TEMP, Place.TEMP_ROOT) and target != "/dev/null":
            yield Note("paranoid-outside", target)
