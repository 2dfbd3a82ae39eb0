"""`omnihook off`: the switch of a whole hooks file; only for a person at a terminal."""

import click

from omnihook import protection
from omnihook.cli.common import invoke
from omnihook.cli.managing import layer_options, where_options
from omnihook.cli.on import turn


@click.command("off")
@layer_options
@where_options
def off(layer: str | None, dialect: str | None, config: str | None, as_json: bool) -> int:
    """Switch the hooks of a file off."""
    protection.require_person("hooks are not switched off")
    return turn(layer, dialect, config, on=False, as_json=as_json)


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(off, args, "off")
