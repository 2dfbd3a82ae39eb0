"""The engine a verb means: the options that say whose hooks are meant, and how they are understood."""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from omnihook.background import Detach
from omnihook.cli.common import config_pairs, working_directory
from omnihook.engine import Engine
from omnihook.errors import ConfigError
from omnihook.folders import find
from omnihook.sessions import FileSessions

C = TypeVar("C", bound=Callable[..., Any])


def source_options(command: C) -> C:
    """The options that say whose hooks are meant."""
    for option in (
        click.option("--as", "dialect", default=None, metavar="DIALECT", help="Whose events and files: a dialect."),
        click.option(
            "--config",
            "config",
            multiple=True,
            metavar="[DIALECT:]FILE",
            help="Read this file instead of the found ones.",
        ),
        click.option("--read", multiple=True, metavar="DIALECT", help="Also run the hooks in this agent's own files."),
        click.option("--trust-project", is_flag=True, help="Run the project's hooks without a recorded approval."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    ):
        command = option(command)
    return command


def engine_for(
    dialect: str | None,
    config: Sequence[str],
    read: Sequence[str],
    *,
    trust_project: bool,
    can_ask: bool = True,
    detach: Detach | None = None,
) -> Engine:
    """The engine a verb works with, in the current directory; `detach` takes over its background hooks."""
    named = config_pairs(config, dialect)
    cwd = working_directory()
    for _, path in named:
        if not os.path.lexists(path):
            raise ConfigError(f"{path}: there is no such file; correct --config")
    folders = find(os.environ, cwd=cwd)
    return Engine(
        folders=folders,
        only=dialect,
        config=named,
        read=read,
        trust_project=trust_project,
        sessions=FileSessions(os.path.join(folders.state, "sessions")),
        detach=detach,
        can_ask=can_ask,
    )
