"""`omnihook replay`: how today's configuration would decide recorded events; hooks with effects are not run again."""

import asyncio
import os
from collections.abc import Sequence

import click

from omnihook.cli.common import invoke, note, print_json, say
from omnihook.cli.engines import engine_for, source_options
from omnihook.cli.journals import filter_options, reader, wanted
from omnihook.engine import Engine
from omnihook.errors import OmnihookError
from omnihook.folders import find
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Record
from omnihook.jsontypes import EMPTY, Json, JsonObject, object_at
from omnihook.replaying import Replay, Replayed, summary_json
from omnihook.showing import one_line


@click.command()
@click.argument("id", required=False)
@filter_options
@source_options
@click.option("-n", "--limit", default=None, type=click.IntRange(min=1), help="At most so many, the newest.")
@click.option("--run-all", is_flag=True, help="Run every hook again, also those that have effects.")
def replay(
    id: str | None,
    dialect: str | None,
    config: tuple[str, ...],
    read: tuple[str, ...],
    trust_project: bool,
    as_json: bool,
    limit: int | None,
    run_all: bool,
    **options: str | None,
) -> int:
    """Decide the record ID, or all since a time, under today's configuration; exit 1 when a decision changes."""
    if (id is None) == (options.get("since") is None):
        raise click.UsageError("name a record, or give --since")
    with reader() as journal:
        records = [journal.find(id)] if id is not None else journal.records(wanted(options, limit))
        chosen = engine_for(dialect, config, read, trust_project=trust_project) if dialect or config or read else None
        played, failed = asyncio.run(_play(records, journal, chosen, trust_project=trust_project, run_all=run_all))
    for text in failed:
        note(f"omnihook: {text}")
    if as_json:
        print_json(_json(played, failed))
    else:
        _show(played, failed, one=id is not None)
    return 1 if failed or any(item.changed for item in played) else 0


async def _play(
    records: Sequence[Record], journal: Reader, chosen: Engine | None, *, trust_project: bool, run_all: bool
) -> tuple[list[Replayed], list[str]]:
    configs: dict[str, JsonObject] = {}
    replays: dict[str, Replay] = {}
    played: list[Replayed] = []
    failed: list[str] = []
    for record in records:
        digest = str(record.get("config"))
        if digest not in configs:
            configs[digest] = journal.config(digest) or EMPTY
            engine = chosen or _engine(configs[digest], trust_project=trust_project)
            replays[digest] = Replay(engine, run_all=run_all)
        try:
            played.append(await replays[digest].play(record, configs[digest]))
        except OmnihookError as error:
            failed.append(str(error))
    return played, failed


def _engine(config: JsonObject, *, trust_project: bool) -> Engine:
    """The engine that would be asked today: for the same project, with the same choice of files."""
    project, choice = config.get("project"), object_at(config, "choice")
    if not isinstance(project, str):
        return engine_for(None, (), (), trust_project=trust_project)
    only, read, files = choice.get("only"), choice.get("read"), choice.get("config")
    return Engine(
        folders=find(os.environ, cwd=project, project=project),
        only=only if isinstance(only, str) else None,
        read=[str(name) for name in read] if isinstance(read, list) else (),
        config=[(str(p[0]), str(p[1])) for p in files if isinstance(p, list)] if isinstance(files, list) else (),
        files=choice.get("files") is not False,
        trust_project=trust_project,
    )


def _json(played: Sequence[Replayed], failed: Sequence[str]) -> Json:
    rows: list[Json] = [summary_json(item) for item in played]
    return {"changed": sum(item.changed for item in played), "replayed": rows, "failed": [*failed]}


def _show(played: Sequence[Replayed], failed: Sequence[str], *, one: bool) -> None:
    for item in played:
        if item.changed or one:
            _row(item)
    changed = sum(item.changed for item in played)
    say(
        f"{changed} of {len(played)} decisions would change"
        + (f", {len(failed)} could not be replayed" if failed else "")
    )
    unknown = sorted({name for item in played for name in item.unknown})
    if unknown:
        say(f"not run, and nothing recorded: {one_line(', '.join(unknown), 300)} (--run-all runs them)")


def _row(item: Replayed) -> None:
    before, after = item.before.decision.word or "none", item.after.decision.word or "none"
    reason = f"  {one_line(item.after.reason, 100)}" if item.after.reason else ""
    tool = item.record.get("tool")
    what = f"{item.event.name} {tool}" if isinstance(tool, str) else item.event.name
    turn = "->" if item.changed else "=="
    say(f"{item.record.get('id')}  {one_line(what, 34):<34}  {before:<7} {turn} {after:<7}{reason}".rstrip())
    for label, names in (("ran", item.ran), ("kept", item.kept), ("unknown", item.unknown)):
        if names:
            say(f"  {label:<8} {one_line(', '.join(names), 200)}")


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(replay, args, "replay")
