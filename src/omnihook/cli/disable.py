"""`omnihook disable HOOK`: switch one hook off, or keep it aside where its file has no switch for it."""

import click

from omnihook import dialects, protection
from omnihook.cli.common import invoke, say
from omnihook.cli.engines import engine_for
from omnihook.cli.managing import chosen, told, where_options
from omnihook.editing import changing
from omnihook.editing.choosing import label_of


@click.command("disable")
@click.argument("hook")
@where_options
def disable(hook: str, dialect: str | None, config: str | None, as_json: bool) -> int:
    """Disable HOOK, named by its name or as EVENT:N."""
    engine = engine_for(dialect, () if config is None else (config,), (), trust_project=False)
    found = chosen(engine, hook)
    if protection.guards(found) and found.enabled:
        protection.require_person("a hook that guards is not disabled")
    label = label_of(found, engine.hooks)
    change = changing.disable(found, dialects.get(found.source.dialect), engine.folders, label=label)
    done = "Disabled" if change.changed else "Disabled already was"
    told(done, found, label, as_json=as_json, changed=change.changed, kept=change.kept)
    if change.kept is not None and not as_json:
        say(f"Its file has no switch for it, so it is kept aside: 'omnihook enable {change.kept}' puts it back.")
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(disable, args, "disable")
