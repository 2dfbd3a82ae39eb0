"""`omnihook enable HOOK`: switch one hook on, put one back that was kept aside, or add a built-in one."""

from collections.abc import Sequence

import click

from omnihook import dialects
from omnihook.cli.common import invoke, print_json, say
from omnihook.cli.engines import engine_for
from omnihook.cli.managing import (
    chosen,
    kept_here,
    layer_of,
    layer_options,
    named_target,
    native_if_none,
    told,
    where_options,
)
from omnihook.dialect import Dialect
from omnihook.editing import adding, changing, commanding, setting_aside, targets
from omnihook.editing.choosing import label_of, listed, matching
from omnihook.editing.keeping import Kept, Ledger
from omnihook.editing.reading import Target
from omnihook.engine import Engine
from omnihook.errors import ConfigError, suggestion
from omnihook.events import NATIVE
from omnihook.folders import Folders
from omnihook.hooks import Hook, Layer
from omnihook.shipped import SHIPPED, Shipped
from omnihook.showing import one_line
from omnihook.slotted import dataclass


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
    if not found and hook in SHIPPED:
        return _add_builtin(SHIPPED[hook], engine, _place(dialect, config, layer), as_json)
    if not found and (near := suggestion(hook, SHIPPED)):
        raise ConfigError(f"there is no hook {hook!r}{near}")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a built-in goes: into a file that was named, or one of a dialect's own."""

    dialect: Dialect
    named: Target | None
    layer: Layer | None

    def target(self, folders: Folders, written: Sequence[str]) -> Target:
        """The file."""
        return self.named or targets.new_hooks(self.dialect, folders, self.layer or Layer.USER, written)


def _place(dialect: str | None, config: str | None, layer: str | None) -> _Place:
    named = named_target(config, dialect, layer)
    chosen_dialect = dialects.get(native_if_none(dialect)) if named is None else named.dialect
    return _Place(dialect=chosen_dialect, named=named, layer=layer_of(layer))


def _add_builtin(about: Shipped, engine: Engine, place: _Place, as_json: bool) -> int:
    """Add a built-in hook: by its name where omnihook reads the file, as a command where another agent does."""
    if place.dialect.name != NATIVE:
        return _add_command(about, engine, place, as_json)
    target = place.target(engine.folders, ())
    adding.add_builtin(about.name, target, engine.folders)
    return _added(about, target, as_json)


def _add_command(about: Shipped, engine: Engine, place: _Place, as_json: bool) -> int:
    command = commanding.command_of(about, place.dialect)
    there = next((hook for hook in engine.hooks if hook.action == command), None)
    if there is not None:
        done = _switched_on(there, engine)
        label = label_of(there, engine.hooks)
        return told(done or "Enabled already was", there, label, as_json=as_json, changed=done is not None)
    request, made = commanding.drafted(about, place.dialect)
    target = place.target(engine.folders, made.paths)
    memory = Ledger(engine.folders.state).read().kept
    kept = next((k for k in memory if (k.path, k.about) == (target.path, command.command)), None)
    if kept is not None:
        return _put_back(kept, engine, as_json)
    adding.add(request, made, target, engine.folders)
    return _added(about, target, as_json)


def _added(about: Shipped, target: Target, as_json: bool) -> int:
    if as_json:
        name = about.name
        print_json({"hook": name, "name": name, "dialect": target.dialect.name, "file": target.path, "changed": True})
        return 0
    say(f"Added the built-in hook {about.name} to {target.path}: {about.description}.")
    if target.layer >= Layer.PROJECT:
        say("Hooks of a project run once you approved them: omnihook trust")
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(enable, args, "enable")
