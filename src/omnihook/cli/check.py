"""`omnihook check`: validate every hooks file found."""

import os

import click

from omnihook.checking import Checked, check
from omnihook.cli.common import config_pairs, invoke, print_json, say, working_directory
from omnihook.folders import find
from omnihook.jsontypes import Json
from omnihook.showing import one_line


@click.command("check")
@click.option("--as", "dialect", default=None, metavar="DIALECT", help="Only this dialect's files, read as its own.")
@click.option("--config", multiple=True, metavar="[DIALECT:]FILE", help="Check this file instead of the found ones.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_files(dialect: str | None, config: tuple[str, ...], as_json: bool) -> int:
    """Validate every hooks file found; the exit code is 1 when something is wrong."""
    folders = find(os.environ, cwd=working_directory())
    found = check(folders, os.environ, only=dialect, config=config_pairs(config, dialect))
    wrong = any(item.severity == "error" for item in found.findings)
    if as_json:
        print_json(_as_json(found))
    else:
        _show(found)
    return 1 if wrong else 0


def _as_json(found: Checked) -> Json:
    problems: list[Json] = [
        {
            "file": item.path,
            "line": item.line,
            "column": item.column,
            "severity": item.severity,
            "code": item.code,
            "message": item.message,
            "fix": item.fix,
        }
        for item in found.findings
    ]
    return {"files": [*found.files], "hooks": len(found.hooks), "problems": problems}


def _show(found: Checked) -> None:
    for item in found.findings:
        say(("warning: " if item.severity == "warning" else "") + one_line(str(item), 1000))
    files = f"{len(found.files)} file{'' if len(found.files) == 1 else 's'}"
    hooks = f"{len(found.hooks)} hook{'' if len(found.hooks) == 1 else 's'}"
    problems = f"{len(found.findings)} problem{'' if len(found.findings) == 1 else 's'}"
    say(f"{files}, {hooks}, {problems if found.findings else 'nothing wrong'}")


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(check_files, args, "check")
