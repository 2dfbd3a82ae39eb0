"""What commands do, one table per area; `HANDLERS` joins them."""

from omnihook.builtin.guard.commands.archiving import ARCHIVING
from omnihook.builtin.guard.commands.building import BUILDING
from omnihook.builtin.guard.commands.databases import DATABASES
from omnihook.builtin.guard.commands.deleting import DELETING
from omnihook.builtin.guard.commands.disks import DISKS
from omnihook.builtin.guard.commands.git import GIT
from omnihook.builtin.guard.commands.keys import KEYS
from omnihook.builtin.guard.commands.modes import MODES
from omnihook.builtin.guard.commands.network import NETWORK
from omnihook.builtin.guard.commands.operations import OPERATIONS
from omnihook.builtin.guard.commands.reading import READING
from omnihook.builtin.guard.commands.sed import SED
from omnihook.builtin.guard.commands.table import Handler
from omnihook.builtin.guard.commands.variables import VARIABLES
from omnihook.builtin.guard.commands.windows import WINDOWS
from omnihook.builtin.guard.commands.writing import WRITING

HANDLERS: dict[str, Handler] = {
    **WINDOWS,
    **READING,
    **VARIABLES,
    **KEYS,
    **OPERATIONS,
    **DATABASES,
    **NETWORK,
    **DISKS,
    **MODES,
    **WRITING,
    **SED,
    **ARCHIVING,
    **BUILDING,
    **DELETING,
    **GIT,
}
HANDLERS |= {
    "g" + name: HANDLERS[name]
    for name in (
        "rm",
        "mv",
        "cp",
        "ln",
        "chmod",
        "chown",
        "dd",
        "tee",
        "truncate",
        "shred",
        "install",
        "sed",
        "cat",
        "tar",
    )
}
__all__ = ["HANDLERS", "Handler"]
