"""Which file of a dialect is meant: the one of a layer, or one that was named."""

import os
from collections.abc import Iterable

from omnihook.dialect import ConfigFile, Dialect
from omnihook.editing.reading import Target
from omnihook.errors import ConfigError
from omnihook.folders import Folders
from omnihook.hooks import Layer

OPTIONS = {Layer.USER: "--user", Layer.PROJECT: "--project", Layer.LOCAL: "--local"}


def new_hooks(dialect: Dialect, folders: Folders, layer: Layer | None, written: Iterable[str]) -> Target:
    """Where a new hook goes: into the project's file, or the user's where a dialect has no other.

    `written` are the paths a dialect itself writes, which come first where a layer has several files.
    """
    found = _settings(dialect)
    wanted = layer if layer is not None else Layer.PROJECT if Layer.PROJECT in {f.layer for f in found} else Layer.USER
    files = [file for file in found if file.layer is wanted]
    if not files:
        options = ", ".join(OPTIONS[file.layer] for file in found if file.layer in OPTIONS)
        raise ConfigError(f"{dialect.title} has no {wanted.label} file for hooks; use {options}")
    own = set(written)
    chosen = next((file for file in files if file.path in own), files[0])
    return _target(dialect, chosen, folders)


def existing(dialect: Dialect, folders: Folders, layer: Layer | None) -> Target:
    """The one file that is there, of a layer or of all; raises ConfigError when there is none, or several."""
    made = [_target(dialect, file, folders) for file in _settings(dialect) if layer is None or file.layer is layer]
    there = [target for target in made if os.path.lexists(target.path)]
    if not there:
        looked = ", ".join(target.path for target in made) or f"no {layer.label if layer else ''} file is known"
        raise ConfigError(f"there is no hooks file of {dialect.title} ({looked}); 'omnihook add' makes one")
    if len(there) > 1:
        choice = ", ".join(f"{OPTIONS.get(target.layer, '--config')} {target.path}" for target in there)
        raise ConfigError(f"there are several hooks files; say which: {choice}")
    return there[0]


def named(dialect: Dialect, path: str) -> Target:
    """A file that was named."""
    return Target(dialect=dialect, path=os.path.abspath(path), layer=Layer.FLAG)


def _settings(dialect: Dialect) -> list[ConfigFile]:
    """The files a person edits: no plugins, no globs, nothing that is managed."""
    return [f for f in dialect.files if f.role == "settings" and f.layer in OPTIONS and "*" not in f.path]


def _target(dialect: Dialect, file: ConfigFile, folders: Folders) -> Target:
    base = {"home": folders.home, "config": folders.config, "project": folders.project}.get(file.base, folders.managed)
    return Target(dialect=dialect, path=os.path.join(base, file.path.lstrip("/")), layer=file.layer)
