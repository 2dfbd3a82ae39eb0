"""`omnihook remove HOOK`: take a hook out of its file."""

import click

from omnihook import dialects, protection
from omnihook.cli.common import invoke, print_json, say
from omnihook.cli.engines import engine_for
from omnihook.cli.managing import chosen, kept_here, told, where_options
from omnihook.editing import changing
from omnihook.editing.choosing import label_of, listed, matching
from omnihook.editing.keeping import Kept, Ledger
from omnihook.engine import Engine
from omnihook.showing import one_line


@click.command("remove")
@click.argument("hook")
@where_options
def remove(hook: str, dialect: str | None, config: str | None, as_json: bool) -> int:
    """Remove HOOK, named by its name or as EVENT:N, from its file."""
    engine = engine_for(dialect, () if config is None else (config,), (), trust_project=False)
    if not matching(listed(engine.hooks), hook):
        aside = kept_here(engine, dialect, config, hook)
        if len(aside) == 1:
            return _forget(aside[0], engine, as_json)
    found = chosen(engine, hook)
    if protection.guards(found):
        protection.require_person("a hook that guards is not removed")
    label = label_of(found, engine.hooks)
    changing.remove(found, dialects.get(found.source.dialect), engine.folders)
    return told("Removed", found, label, as_json=as_json)


def _forget(kept: Kept, engine: Engine, as_json: bool) -> int:
    if kept.guard:
        protection.require_person("a hook that guards is not removed")
    Ledger(engine.folders.state).forget(kept.id)
    if as_json:
        print_json({"hook": kept.label, "name": kept.name, "dialect": kept.dialect, "file": kept.path})
    else:
        say(f"Removed {kept.label} ({one_line(kept.about, 40)}), which was disabled, for good.")
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(remove, args, "remove")
