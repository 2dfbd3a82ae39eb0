"""`omnihook init`: a first hooks file, written only where there is none."""

import os

import click

from omnihook import dialects
from omnihook.cli.common import invoke, present_directory, print_json, say
from omnihook.errors import ConfigError
from omnihook.events import NATIVE
from omnihook.folders import find

EXAMPLE = """\
# Hooks of {whose}. See `omnihook list`, `omnihook check` and `omnihook explain EVENT`.

[[hook]]
name = "hello"
description = "Tell the agent where it is when a session starts"
on = "SessionStart"
run = "echo \\"You work in $OMNIHOOK_PROJECT_DIR\\""

# [[hook]]
# name = "tests-before-done"
# on = "Stop"
# run = "make test"
# block_on = "nonzero"
# timeout = "2m"
"""


@click.command()
@click.option("--as", "dialect", default=NATIVE, metavar="DIALECT", help="Write an agent's own default hooks instead.")
@click.option("--user", is_flag=True, help="Write the user's file instead of the project's.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def init(dialect: str, user: bool, as_json: bool) -> int:
    """Write a first hooks file; an existing one is never touched."""
    chosen = dialects.get(dialect)
    folders = find(os.environ, cwd=present_directory())
    if chosen.defaults is not None:
        _write_all(chosen.defaults(folders.home), as_json)
        return 0
    if dialect != NATIVE:
        raise ConfigError(f"{dialect} has no default hooks to write; 'omnihook init' writes a native file")
    path = os.path.join(folders.config if user else folders.project, "omnihook" if user else ".omnihook", "hooks.toml")
    if os.path.lexists(path):
        raise ConfigError(f"{path} exists already; edit it, or see 'omnihook list'")
    whose = "this user, in every project" if user else "this project"
    write_new(path, EXAMPLE.format(whose=whose), 0o600 if user else 0o644)
    if as_json:
        print_json({"written": [path]})
    else:
        say(f"Wrote {path}.")
        if not user:
            say("Hooks of a project run once you approved them: omnihook trust")
    return 0


def _write_all(files: "dict[str, tuple[str, int]]", as_json: bool) -> None:
    written, kept = [], []
    for path, (text, mode) in files.items():
        if os.path.lexists(path):
            kept.append(path)
            continue
        write_new(path, text, mode)
        written.append(path)
    if as_json:
        print_json({"written": [*written], "kept": [*kept]})
        return
    for path in written:
        say(f"Wrote {path}.")
    for path in kept:
        say(f"Left {path} as it is.")


def write_new(path: str, text: str, mode: int) -> None:
    """Write a file that must not exist yet."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
    except (FileExistsError, NotADirectoryError) as error:
        told = f"{path} could not be written: {error.strerror}; move away what stands in its way"
        raise ConfigError(told) from None
    except OSError as error:
        raise ConfigError(f"{path} could not be written: {error.strerror}; make its folder writable") from None


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(init, args, "init")
