"""`omnihook add`: a new hook in a hooks file of any dialect."""

import os
from collections.abc import Sequence

import click

from omnihook import dialects
from omnihook.checking import examine
from omnihook.checking.findings import LATER
from omnihook.cli.common import invoke, note, print_json, say
from omnihook.cli.engines import engine_for
from omnihook.cli.managing import folders_here, layer_of, layer_options, named_target, native_if_none, where_options
from omnihook.editing import adding, targets
from omnihook.editing.adding import Request
from omnihook.editing.choosing import described, positions
from omnihook.editing.reading import Target
from omnihook.errors import ConfigError
from omnihook.families.entries import BadEntry
from omnihook.families.toml_values import typed_duration
from omnihook.folders import Folders
from omnihook.hooks import Command, Hook, Layer
from omnihook.showing import one_line


def _time(_context: click.Context, _option: click.Parameter, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return typed_duration(text)
    except BadEntry as bad:
        raise click.BadParameter(f"{bad.message}; write 500ms, 30s, 2m or a number of seconds") from None


def _name(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    if text is not None and not text.strip():
        raise click.BadParameter("a name cannot be empty; leave the option out for a hook without one")
    return text


@click.command("add")
@click.option("--on", "events", multiple=True, required=True, metavar="EVENT", help="When: an event.")
@click.option("--run", "command", required=True, metavar="COMMAND", help="What: shell text.")
@click.option("--match", default=None, metavar="MATCHER", help="Only for these tools or subjects, in the file's words.")
@click.option("--if", "rule", default=None, metavar="RULE", help="Only for tool calls like Bash(git push *).")
@click.option("--paths", multiple=True, metavar="GLOB", help="Only for files like this.")
@click.option("--timeout", callback=_time, metavar="TIME", help="500ms, 30s, 2m or a number of seconds.")
@click.option("--async", "background", is_flag=True, help="Do not wait for it.")
@click.option("--name", callback=_name, help="What to call it.")
@click.option("--description", default=None, help="What it is for.")
@layer_options
@where_options
def add(
    events: tuple[str, ...],
    command: str,
    match: str | None,
    rule: str | None,
    paths: tuple[str, ...],
    timeout: float | None,
    background: bool,
    name: str | None,
    description: str | None,
    layer: str | None,
    dialect: str | None,
    config: str | None,
    as_json: bool,
) -> int:
    """Add a hook; it goes into the project's file, or the user's where the dialect has no other."""
    target = named_target(config, dialect, layer)
    chosen = dialects.get(native_if_none(dialect)) if target is None else target.dialect
    request = Request(
        on=events,
        run=Command(command=command),
        match=match,
        rule=rule,
        paths=paths,
        timeout=timeout,
        background=background,
        name=name,
        description=description,
    )
    folders = folders_here()
    made = adding.draft(request, chosen)
    if target is None:
        target = targets.new_hooks(chosen, folders, layer_of(layer), made.paths)
    added = adding.add(request, made, target, folders, approve=lambda hooks: _checked(hooks, target, folders))
    return _told(added, target, config, as_json)


def _checked(hooks: Sequence[Hook], target: Target, folders: Folders) -> None:
    for item in examine(hooks, target.dialect, folders, os.environ):
        if item.code not in LATER and item.severity == "error":
            raise ConfigError(f"nothing was added: {item.message.partition(': ')[2]}; {item.fix}")
        note(f"omnihook: {item.message.partition(': ')[2]} ({item.fix})")


def _told(added: Sequence[Hook], target: Target, config: str | None, as_json: bool) -> int:
    named = () if config is None else (f"{target.dialect.name}:{target.path}",)
    engine = engine_for(target.dialect.name, named, (), trust_project=False)
    labels = positions(engine.hooks)
    places = {(hook.source.path, hook.source.pointer): labels[id(hook)] for hook in engine.hooks}
    numbers = [places.get((hook.source.path, hook.source.pointer), hook.name) for hook in added]
    if as_json:
        print_json({"added": [*numbers], "dialect": target.dialect.name, "file": target.path})
        return 0
    told = [one_line(described(number, hook)) for number, hook in zip(numbers, added, strict=True)]
    say(f"Added {', '.join(told)} to {target.path}.")
    if target.layer >= Layer.PROJECT:
        say("Hooks of a project run once you approved them: omnihook trust")
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(add, args, "add")
