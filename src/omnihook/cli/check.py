"""`omnihook check`: validate every hooks file found."""

import os

import click

from omnihook import dialects
from omnihook.checking import Checked, check
from omnihook.cli.common import config_pairs, invoke, note, print_json, say, working_directory
from omnihook.editing.fixing import Fix, apply, fixes
from omnihook.errors import ConfigError
from omnihook.folders import Folders, find
from omnihook.jsontypes import Json
from omnihook.protection import at_terminal
from omnihook.showing import counted, one_line


@click.command("check")
@click.option("--as", "dialect", default=None, metavar="DIALECT", help="Only this dialect's files, read as its own.")
@click.option("--config", multiple=True, metavar="[DIALECT:]FILE", help="Check this file instead of the found ones.")
@click.option("--fix", is_flag=True, help="Fix what has one obvious fix; shows the difference and asks first.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_files(dialect: str | None, config: tuple[str, ...], fix: bool, yes: bool, as_json: bool) -> int:
    """Validate every hooks file found; the exit code is 1 when something is wrong."""
    folders = find(os.environ, cwd=working_directory())
    pairs = config_pairs(config, dialect)
    found = check(folders, os.environ, only=dialect, config=pairs)
    fixed: tuple[Fix, ...] = ()
    if fix:
        fixed = _fixed(found, folders, yes=yes, quiet=as_json)
        found = check(folders, os.environ, only=dialect, config=pairs)
    wrong = any(item.severity == "error" for item in found.findings)
    if as_json:
        done: list[Json] = [{"file": item.target.path, "fixed": [*item.what]} for item in fixed]
        print_json({**_as_json(found), **({"fixed": done} if fix else {})})
    else:
        _show(found)
    return 1 if wrong else 0


def _fixed(found: Checked, folders: Folders, *, yes: bool, quiet: bool) -> tuple[Fix, ...]:
    """Show every fix, ask, and write them; gives those that were written."""
    made = fixes(found.findings, found.readers, dialects.get)
    if not made:
        note("omnihook: nothing here has one obvious fix")
        return ()
    for item in made:
        for line in () if quiet else item.difference.splitlines():
            say(line)
    if not yes and not (at_terminal() and not quiet):
        raise ConfigError("nothing was changed: --fix asks first; in a script say --fix --yes")
    if not yes and not click.confirm("Change these files?", default=False):
        say("Nothing was changed.")
        return ()
    for item in made:
        apply(item, folders)
    return made


def _as_json(found: Checked) -> dict[str, Json]:
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
    problems = counted(len(found.findings), "problem") if found.findings else "nothing wrong"
    say(f"{counted(len(found.files), 'file')}, {counted(len(found.hooks), 'hook')}, {problems}")


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(check_files, args, "check")
