"""`omnihook convert`: a configuration from one dialect to another."""

import os
import sys

import click

from omnihook import dialects, loading
from omnihook.cli.common import invoke, note, print_json, working_directory
from omnihook.converting import convert
from omnihook.errors import ConfigError
from omnihook.folders import find
from omnihook.loading import Wanted
from omnihook.showing import shown


@click.command("convert")
@click.option("--from", "source", required=True, metavar="DIALECT", help="The dialect the hooks are written in.")
@click.option("--to", "target", required=True, metavar="DIALECT", help="The dialect to write them in.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the files, and what was lost.")
@click.argument("files", nargs=-1, metavar="[FILE]...")
def convert_files(source: str, target: str, as_json: bool, files: tuple[str, ...]) -> int:
    """Write the hooks of FILE, or of the dialect's own files, in another dialect; what is lost goes to stderr."""
    one, other = dialects.get(source), dialects.get(target)
    folders = find(os.environ, cwd=working_directory())
    loaded = loading.load(Wanted(dialect=one, files=list(files) if files else None), folders)
    wrong = [item for item in loaded.reading.diagnostics if item.severity == "error"]
    if files and wrong and not loaded.reading.hooks:
        raise ConfigError(str(wrong[0]))
    written = convert(loaded.reading.hooks, one, other)
    problems = [f"not read: {item}" for item in loaded.reading.diagnostics]
    if as_json:
        print_json({"files": dict(written.files), "lost": [*problems, *written.lost]})
        return 0
    # Exact for a file or a program; a terminal gets what is safe to show.
    sys.stdout.write(shown(written.text, len(written.text)) if sys.stdout.isatty() else written.text)
    for text in (*problems, *written.lost):
        note(f"lost: {text}")
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(convert_files, args, "convert")
