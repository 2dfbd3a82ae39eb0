"""What the journal costs: fires with it against fires without, to the last record on disk; and redacting a megabyte."""

import asyncio
import random
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from bench import printing
from bench.measuring import Row, settle
from omnihook import Engine
from omnihook.events import PreToolUse
from omnihook.folders import Folders
from omnihook.journal.redaction import Redactor
from omnihook.recording import Recorder, recorder
from omnihook.verdicts import Verdict

FIRES, ROUNDS = 20_000, 10
TURN = FIRES // ROUNDS
EVENT = PreToolUse(
    session_id="0190c9d4-8a3e", cwd="/w", tool_name="Bash", tool_input={"command": "git status", "description": "State"}
)
WORDS = "the quick brown fox import return self value = foo(bar) / 123 class def password x".split(" ")  # noqa: SIM905 - a sentence reads better


def engine(folder: Path) -> Engine:
    folders = Folders(home=str(folder), config=str(folder), state=str(folder / "state"), project=str(folder))
    made = Engine(folders=folders, files=False)
    made.on("PreToolUse", match="Bash", name="looker")(lambda event: None)
    made.on("PreToolUse", match="Bash", name="allower")(lambda event: Verdict.allow())
    return made


def fired(made: Engine, journal: Recorder | None, count: int) -> float:
    """Seconds for so many fires, until the last one is on disk."""
    begun = time.perf_counter()
    for _ in range(count):
        made.fire_sync(EVENT)
    if journal is not None:
        assert journal.flush()
    return time.perf_counter() - begun


def fires() -> Row:
    """20,000 fires each way, in turns of 2,000, each written out; all of them count."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        without, with_it = engine(folder), engine(folder)
        journal = recorder(with_it.folders, resident=True).attach(with_it)
        fired(without, None, 500)
        fired(with_it, journal, 500)
        settle()
        off = on = 0.0
        for _ in range(ROUNDS):
            off += fired(without, None, TURN)
            on += fired(with_it, journal, TURN)
        journal.close()
        with closing(sqlite3.connect(folder / "state/journal.db")) as connection:
            ((rows_kept,),) = connection.execute("SELECT count(*) FROM records")
        assert (rows_kept, journal.journal.lost) == (FIRES + 500, 0), rows_kept
    case = "fire with the journal, written out"
    return Row(case=case, measured=on / FIRES, baseline="without it", against=off / FIRES, target=1.5)


def awaited() -> Row:
    """The cheapest fire there is, awaited, with one silent hook: here the journal shows most."""
    with tempfile.TemporaryDirectory() as name:
        engines = [_silent(Path(name)) for _ in range(2)]
        journal = recorder(engines[1].folders, resident=True).attach(engines[1])
        settle()
        best = [float("inf")] * 2
        for _ in range(ROUNDS):
            for number, made in enumerate(engines):
                begun = time.perf_counter()
                asyncio.run(_fires(made, TURN))
                assert number == 0 or journal.flush()
                best[number] = min(best[number], time.perf_counter() - begun)
        journal.close()
    case = "await a fire with one silent hook, written out"
    return Row(case=case, measured=best[1] / TURN, baseline="without it", against=best[0] / TURN)


def _silent(folder: Path) -> Engine:
    folders = Folders(home=str(folder), config=str(folder), state=str(folder / "state"), project=str(folder))
    made = Engine(folders=folders, files=False)
    made.on("PreToolUse", name="silent")(lambda event: None)
    return made


def megabyte(case: str, event: dict[str, object]) -> Row:
    redactor = Redactor(b"k" * 32)
    redactor.redact(event)
    times = []
    for _ in range(15):
        begun = time.perf_counter()
        redactor.redact(event)
        times.append(time.perf_counter() - begun)
    return Row(case=f"redact 1 MB, {case}", measured=min(times), target=0.005)


def urgent() -> Row:
    """A refusal, which is on disk before the reply."""
    with tempfile.TemporaryDirectory() as name:
        made = engine(Path(name))
        made.on("PreToolUse", name="refuser")(lambda event: Verdict.deny("no"))
        with_journal = recorder(made.folders, resident=True).attach(made)
        asyncio.run(_fires(made, 200))
        begun = time.perf_counter()
        asyncio.run(_fires(made, 500))
        took = (time.perf_counter() - begun) / 500
        with_journal.close()
    return Row(case="fire a refusal, committed before the reply", measured=took)


async def _fires(made: Engine, count: int) -> None:
    for _ in range(count):
        await made.fire(EVENT)


def rows() -> list[Row]:
    rng = random.Random(7)
    text = " ".join(rng.choices(WORDS, k=250_000))[: 1 << 20]
    lines = text.split("password")
    return [
        fires(),
        awaited(),
        urgent(),
        megabyte("one text", {"tool_input": {"file_path": "a.py", "content": text}}),
        megabyte("many texts", {"tool_response": {"lines": lines}}),
    ]


def main() -> int:
    """Print the table; 1 when a target is missed."""
    found = rows()
    print("\n".join(printing.lines(found)))
    return 0 if all(row.met is not False for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
