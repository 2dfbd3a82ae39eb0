"""`omnihook enable HOOK`: switch one hook on, put one back that was kept aside, or add a built-in one."""

import click

from omnihook import dialects
from omnihook.cli.common import engine_for, invoke, print_json, say
from omnihook.cli.managing import chosen, kept_here, layer_of, layer_options, named_target, told, where_options
from omnihook.editing import adding, changing, setting_aside, targets
from omnihook.editing.choosing import label_of, listed, matching
from omnihook.editing.keeping import Kept
from omnihook.engine import Engine
from omnihook.errors import ConfigError
from omnihook.events import NATIVE
from omnihook.hooks import Hook, Layer
from omnihook.shipped import SHIPPED
from omnihook.showing import one_line


@click.command("enable")
@click.argument("hook")
@layer_options
@where_options
def enable(hook: str, layer: str | None, dialect: str | None, config: str | None, as_json: bool) -> int:
    """Enable HOOK, named by its name or as EVENT:N; a built-in hook that is not there yet is added."""
    engine = engine_for(dialect, () if config is None else (config,), (), trust_project=False)
    rows = listed(engine.hooks)
    found = [row.hook for row in matching(rows, hook)]
    if len(found) == 1 and (done := _switched_on(found[0], engine)) is not None:
        label = next(row.label for row in rows if row.hook is found[0])
        return told(done, found[0], label, as_json=as_json, changed=True)
    aside = kept_here(engine, dialect, config, hook)
    if len(aside) > 1:
        texts = ", ".join(f"{kept.id} ({one_line(kept.about, 40)})" for kept in aside)
        raise ConfigError(f"{hook!r} could be {texts}; say which")
    if aside:
        return _put_back(aside[0], engine, as_json)
    if not found and hook in SHIPPED and dialect in (None, NATIVE):
        return _add_builtin(hook, engine, layer, config, as_json)
    there = chosen(engine, hook)
    label = label_of(there, engine.hooks)
    return told("Enabled already was", there, label, as_json=as_json, changed=False)


def _switched_on(hook: Hook, engine: Engine) -> str | None:
    """Enable a hook that is in its file, and bring it back from quarantine; None when there was nothing to do."""
    back = engine.quarantine.release(hook)
    if hook.enabled:
        return "Brought back from quarantine:" if back else None
    changing.enable(hook, dialects.get(hook.source.dialect), engine.folders)
    return "Enabled"


def _put_back(kept: Kept, engine: Engine, as_json: bool) -> int:
    path = setting_aside.enable(kept, dialects.get(kept.dialect), engine.folders)
    if as_json:
        print_json({"hook": kept.label, "name": kept.name, "dialect": kept.dialect, "file": path, "changed": True})
    else:
        say(f"Put {kept.label} ({one_line(kept.about, 40)}) back into {path}.")
    return 0


def _add_builtin(name: str, engine: Engine, layer: str | None, config: str | None, as_json: bool) -> int:
    native = dialects.get(NATIVE)
    target = named_target(config, NATIVE, layer) or targets.new_hooks(
        native, engine.folders, layer_of(layer) or Layer.USER, ()
    )
    adding.add_builtin(name, target, engine.folders)
    if as_json:
        print_json({"hook": name, "name": name, "dialect": NATIVE, "file": target.path, "changed": True})
        return 0
    say(f"Added the built-in hook {name} to {target.path}: {SHIPPED[name].description}.")
    if target.layer >= Layer.PROJECT:
        say("Hooks of a project run once you approved them: omnihook trust")
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(enable, args, "enable")
