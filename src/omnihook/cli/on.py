"""`omnihook on`: the switch of a whole hooks file."""

import click

from omnihook import dialects
from omnihook.cli.common import invoke, print_json, say
from omnihook.cli.managing import folders_here, layer_of, layer_options, named_target, native_if_none, where_options
from omnihook.editing import changing, targets


@click.command("on")
@layer_options
@where_options
def on(layer: str | None, dialect: str | None, config: str | None, as_json: bool) -> int:
    """Switch the hooks of a file on."""
    return turn(layer, dialect, config, on=True, as_json=as_json)


def turn(layer: str | None, dialect: str | None, config: str | None, *, on: bool, as_json: bool) -> int:
    """Turn the switch of the file that is meant and say so."""
    folders = folders_here()
    target = named_target(config, dialect, layer)
    if target is None:
        chosen = dialects.get(native_if_none(dialect))
        changing.refuse_without_switch(chosen)
        target = targets.existing(chosen, folders, layer_of(layer))
    change = changing.switch(target, folders, on=on)
    state = "on" if on else "off"
    if as_json:
        print_json({"file": change.path, "hooks": state, "changed": change.changed})
    else:
        say(f"The hooks of {change.path} are {state}." if change.changed else f"They are {state}: {change.path}")
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(on, args, "on")
