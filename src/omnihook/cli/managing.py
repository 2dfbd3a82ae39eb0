"""What the verbs that change hooks share: their options, the hook that is meant, and what they print."""

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import click

from omnihook import dialects, loading
from omnihook.cli.common import config_pairs, present_directory, print_json, say
from omnihook.editing import targets
from omnihook.editing.choosing import choose, described, listed, matching
from omnihook.editing.keeping import Kept, Ledger
from omnihook.editing.reading import Target
from omnihook.engine import Engine
from omnihook.errors import ConfigError, UsageError
from omnihook.events import NATIVE
from omnihook.folders import Folders, find
from omnihook.hooks import Hook, Layer
from omnihook.jsontypes import Json
from omnihook.loading import UNREAD, Wanted
from omnihook.showing import one_line

C = TypeVar("C", bound=Callable[..., Any])


def where_options(command: C) -> C:
    """The options that say whose hooks are meant."""
    for option in (
        click.option("--as", "dialect", default=None, metavar="DIALECT", help="Whose files: a dialect."),
        click.option("--config", default=None, metavar="[DIALECT:]FILE", help="This file instead of the found ones."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    ):
        command = option(command)
    return command


def layer_options(command: C) -> C:
    """The options that say which of a dialect's files is meant; the command gets at most one, as `layer`."""

    @functools.wraps(command)
    def with_layer(*, user: bool, project: bool, local: bool, **rest: object) -> object:
        given = [name for name, said in (("user", user), ("project", project), ("local", local)) if said]
        if len(given) > 1:
            raise click.UsageError(
                f"{' and '.join(f'--{name}' for name in given)} name different files; give one of them"
            )
        return command(layer=next(iter(given), None), **rest)

    made = cast("C", with_layer)
    for name, whose in (("local", "this project, not shared"), ("project", "this project"), ("user", "the user")):
        made = click.option(f"--{name}", is_flag=True, help=f"The file of {whose}.")(made)
    return made


def folders_here() -> Folders:
    """The folders for the current directory."""
    return find(os.environ, cwd=present_directory())


def layer_of(name: str | None) -> Layer | None:
    """The layer an option named."""
    return None if name is None else Layer[name.upper()]


def named_target(config: str | None, dialect: str | None, layer: str | None) -> Target | None:
    """The file that was named, if one was."""
    if config is None:
        return None
    if layer is not None:
        raise UsageError(f"--config names the file already; leave --{layer} out")
    [(name, path)] = config_pairs([config], dialect)
    return targets.named(dialects.get(name), path)


def chosen(engine: Engine, wanted: str) -> Hook:
    """The one hook that is meant; raises ConfigError with the candidates, or with the file that could not be read."""
    if not matching(listed(engine.hooks), wanted):
        unread = next((item for item in engine.diagnostics if item.code in UNREAD), None)
        if unread is None and not engine.hooks:
            unread = next((item for item in engine.diagnostics if item.severity == "error"), None)
        if unread is not None:
            raise ConfigError(f"there is no hook {wanted!r}; {unread}")
    return choose(engine.hooks, wanted)


def kept_here(engine: Engine, dialect: str | None, config: str | None, wanted: str) -> list[Kept]:
    """The hooks kept aside that a word may mean: those of files that are read here, or one by its id."""
    memory = Ledger(engine.folders.state).read().kept
    exact = [kept for kept in memory if kept.id == wanted]
    if exact:
        return exact
    if config is not None:
        paths = {os.path.abspath(path) for _, path in config_pairs([config], dialect)}
    else:
        names = [dialect] if dialect is not None else {kept.dialect for kept in memory}
        loads = (loading.load(Wanted(dialect=dialects.get(name)), engine.folders) for name in names)
        paths = {path for loaded in loads for path in loaded.watched}
    return [kept for kept in memory if kept.path in paths and wanted in (kept.label, kept.name)]


def told(done: str, hook: Hook, label: str, *, as_json: bool, **more: Json) -> int:
    """Say what was done to a hook."""
    if as_json:
        print_json({"hook": label, "name": hook.name, "dialect": hook.source.dialect, "file": hook.source.path, **more})
    else:
        say(f"{done} {one_line(described(label, hook))} in {hook.source.path}.")
    return 0


def native_if_none(dialect: str | None) -> str:
    """The dialect that is meant when none is named."""
    return NATIVE if dialect is None else dialect
