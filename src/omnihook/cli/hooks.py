"""`omnihook hooks`: the interactive manager, full screen."""

import os
import sys

import click

from omnihook import dialects
from omnihook.cli.common import invoke
from omnihook.cli.engines import engine_for
from omnihook.errors import UsageError
from omnihook.events import NATIVE
from omnihook.protection import at_terminal

WIDTH, HEIGHT = 64, 20  # less cuts off dialogs and leaves no line for a hook


@click.command()
@click.option("--as", "dialect", default=None, metavar="DIALECT", help="Whose files: a dialect.")
@click.option("--read", multiple=True, metavar="DIALECT", help="Also the hooks in this agent's own files.")
def hooks(dialect: str | None, read: tuple[str, ...]) -> int:
    """Manage hooks on a full screen: look, enable, disable, add, remove and try them, and watch events fire."""
    host = dialects.get(dialect or NATIVE)
    for name in read:
        dialects.get(name)
    if not at_terminal():
        raise UsageError("the manager needs a terminal; in a script use 'omnihook list', 'add', 'enable' or 'disable'")
    _require_room()
    from omnihook.manager.app import Manager  # its imports are many, and no other verb should pay for them
    from omnihook.manager.desk import Desk

    Manager(Desk(engine_for(dialect, (), read, trust_project=False), host)).run()
    return 0


def _require_room() -> None:
    """Raise UsageError in a terminal that cannot show the screen; one that tells no size is taken at its word."""
    columns, lines = os.get_terminal_size(sys.stdout.fileno())
    term = os.environ.get("TERM")
    if term in ("dumb", "unknown"):
        told = f"that can move its cursor, and TERM is {term!r}"
    elif 0 < columns < WIDTH or 0 < lines < HEIGHT:
        told = f"of {WIDTH} by {HEIGHT} characters; this one has {columns} by {lines}"
    else:
        return
    raise UsageError(
        f"the manager needs a terminal {told}; 'omnihook list', 'add', 'enable' and 'disable' work anywhere"
    )


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(hooks, args, "hooks")
