"""`omnihook hooks`: the interactive manager, full screen."""

import click

from omnihook import dialects
from omnihook.cli.common import engine_for, invoke
from omnihook.errors import UsageError
from omnihook.events import NATIVE
from omnihook.protection import at_terminal


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
    from omnihook.manager.app import Manager  # its imports are many, and no other verb should pay for them
    from omnihook.manager.desk import Desk

    Manager(Desk(engine_for(dialect, (), read, trust_project=False), host)).run()
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(hooks, args, "hooks")
