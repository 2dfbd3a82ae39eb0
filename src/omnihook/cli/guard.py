"""`omnihook guard`: judge commands, one by one or as lines of JSON, and score labelled ones."""

import json
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import IO

import click

from omnihook.builtin.guard.judging import Settings, judge_in
from omnihook.builtin.guard.modes import Mode
from omnihook.builtin.guard.places import Scene
from omnihook.builtin.guard.rules import RULES
from omnihook.builtin.guard.scoring import ALL, Case, Score, Tally, score
from omnihook.cli.common import invoke
from omnihook.folders import find_project, here
from omnihook.jsontypes import JsonObject
from omnihook.shell.limiting import signals_allowed
from omnihook.showing import one_line

ASSUMED = Scene(cwd="/home/dev/project", home="/home/dev", project="/home/dev/project")
"""Where commands read from a file are taken to run, unless options or the line itself say otherwise."""

_MARK = "\ufeff"  # some editors begin a file with it
_VERDICTS = ("allow", "ask", "block")
_FIGURES = ("block_recall", "stopped_recall", "hard_false_positives", "soft_false_positives", "ask_agreement")


@click.command("omnihook guard", help="Judge shell commands without running them.")
@click.argument("command", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--jsonl", is_flag=True, help='Read {"id","command"} lines, write {"id","verdict","rule","reason"} lines.'
)
@click.option("--score", "corpus", type=click.File("rb"), help="Score labelled commands in a JSON lines file.")
@click.option("--explain", is_flag=True, help="Show every command found and what was made of it.")
@click.option(
    "--mode", type=click.Choice([mode.value for mode in Mode]), default=Mode.STANDARD.value, help="How strict to be."
)
@click.option(
    "--off",
    multiple=True,
    metavar="RULE",
    type=click.Choice([name for name, rule in RULES.items() if not rule.catastrophic]),
    help="Switch a rule off; catastrophic ones stay on.",
)
@click.option("--cwd", help="The folder the command runs in.")
@click.option("--home", help="The user's home folder.")
@click.option("--project", help="The project's top folder.")
def _guard(
    command: str | None,
    as_json: bool,
    jsonl: bool,
    corpus: IO[bytes] | None,
    explain: bool,
    mode: str,
    off: tuple[str, ...],
    cwd: str | None,
    home: str | None,
    project: str | None,
) -> int:
    settings = Settings(Mode(mode), frozenset(off), explain or as_json)
    if command is not None and (jsonl or corpus is not None):
        raise click.UsageError("give a command, --jsonl or --score FILE, and no two of them")
    if corpus is not None:
        return _print_score(score(_cases(corpus), _scene(ASSUMED, cwd, home, project), settings), as_json)
    if jsonl:
        return _lines(sys.stdin.buffer, _scene(ASSUMED, cwd, home, project), settings)
    if command is None:
        raise click.UsageError("give a command, --jsonl or --score FILE")
    return _one(command, _scene(_here(), cwd, home, project), settings, as_json=as_json, explain=explain)


def run(args: list[str]) -> int:
    """The verb: 0 allowed, 1 not allowed, 2 usage."""
    with signals_allowed():
        return invoke(_guard, args, "guard")


def _here() -> Scene:
    """The real surroundings, as a hook in this folder would find them."""
    cwd, home = here(os.environ), os.path.expanduser("~")
    return Scene(cwd=cwd, home=home, project=find_project(cwd, home))


def _scene(default: Scene, cwd: str | None, home: str | None, project: str | None) -> Scene:
    """Options over defaults; a folder given alone is also the project."""
    place = cwd if cwd is not None else default.cwd
    top = project if project is not None else (cwd if cwd is not None else default.project)
    return Scene(cwd=place, home=home if home is not None else default.home, project=top)


def _one(command: str, scene: Scene, settings: Settings, *, as_json: bool, explain: bool) -> int:
    given = judge_in(command, scene, settings)
    if as_json:
        click.echo(json.dumps(asdict(given)))
    else:
        click.echo(f"{given.verdict:6} {given.rule}".rstrip())
        click.echo(f"       {one_line(given.reason)}")
        if given.fix:
            click.echo(f"       instead: {one_line(given.fix)}")
        for line in given.trace if explain else ():
            click.echo(f"    {one_line(line, 1000)}")
    return 0 if given.verdict == "allow" else 1


def _lines(source: IO[bytes], scene: Scene, settings: Settings) -> int:
    """A line may carry its own cwd, home and project; a line that is no such object is answered with ask."""
    for number, data in enumerate(source):
        text = data.decode("utf-8", "replace")
        line = text.removeprefix(_MARK) if number == 0 else text
        if line.strip():
            click.echo(json.dumps(_line(line, scene, settings)))
    return 0


def _line(line: str, scene: Scene, settings: Settings) -> JsonObject:
    try:
        given = json.loads(line, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError):
        given = None
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(command, str):
        identity = given.get("id") if isinstance(given, dict) else None
        return {"id": identity, "verdict": "ask", "rule": "unparsed", "reason": "not a line with a command"}
    places = [given.get(key) if isinstance(given.get(key), str) else None for key in ("cwd", "home", "project")]
    judged = judge_in(command, _scene(scene, *places), settings)
    return {"id": given.get("id"), "verdict": judged.verdict, "rule": judged.rule, "reason": judged.reason}


def _refused(word: str) -> float:
    """NaN and infinities: Python reads them, but they are no JSON, and would stand in an answer that is none either."""
    raise ValueError(f"{word} is not JSON")


def _finite(text: str) -> float:
    """A number; one that is too large becomes an infinity."""
    value = float(text)
    return value if math.isfinite(value) else _refused(text)


def _cases(corpus: IO[bytes]) -> Iterator[Case]:
    for number, line in enumerate(corpus, 1):
        if line.strip():
            try:
                yield _case(line, number)
            except ValueError as error:
                raise click.ClickException(f"{corpus.name}:{number}: not a labelled command: {error}") from error


def _case(line: bytes, number: int) -> Case:
    """The command of a row; a ValueError says what is wrong with it."""
    try:
        row = json.loads(line.decode().removeprefix(_MARK) if number == 1 else line.decode())
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    if not isinstance(row, dict):
        raise ValueError('it is not an object such as {"id": "1", "command": "ls", "verdict": "allow"}')
    command, verdict = row.get("command"), row.get("verdict")
    if not isinstance(command, str):
        raise ValueError("its 'command' is missing or is not text")
    if verdict not in _VERDICTS:
        raise ValueError(f"its 'verdict' must be one of {', '.join(_VERDICTS)}")
    return Case(id=str(row.get("id", number)), command=command, verdict=verdict)


def _print_score(result: Score, as_json: bool) -> int:
    if as_json:
        rows: JsonObject = {
            "total": dict(result.total.figures()),
            "categories": {name: dict(tally.figures()) for name, tally in sorted(result.categories.items())},
            "wrong": [
                {"id": case.id, "expected": case.verdict, "verdict": given.verdict, "rule": given.rule}
                for case, given in result.wrong
            ],
            "p50_ms": round(result.p50_ms, 3),
            "p99_ms": round(result.p99_ms, 3),
        }
        click.echo(json.dumps(rows))
        return 0
    click.echo(f"{'category':14}" + "".join(f"{name.replace('_', ' '):>22}" for name in _FIGURES))
    for name, tally in sorted(result.categories.items()):
        if name != ALL:
            click.echo(f"{name:14}" + _row(tally))
    click.echo(f"{ALL:14}" + _row(result.total))
    click.echo(f"p50 {result.p50_ms:.2f} ms, p99 {result.p99_ms:.2f} ms of processor time")
    for case, given in result.wrong:
        click.echo(f"{one_line(case.id)}: expected {case.verdict}, got {given.verdict} {given.rule}", err=True)
    return 0


def _row(tally: Tally) -> str:
    figures = tally.figures()
    return "".join(f"{'-' if figures[name] is None else format(figures[name], '.1%'):>22}" for name in _FIGURES)
