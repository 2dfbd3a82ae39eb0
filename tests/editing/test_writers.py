"""Many writers at once: no change is lost, and a reader never sees half a file."""

import json
import multiprocessing
import os
import time
import tomllib
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
import tomlkit  # noqa: F401 - once here, not once in every writer

from editing.kit import Scratch, at
from omnihook.editing import changing

WRITERS, HOOKS = 16, 40
DOCUMENTS = {
    "omnihook": "# mine\n" + "".join(f'\n[[hook]] # {n}\non = "Stop"\nrun = "echo {n}"\n' for n in range(HOOKS)),
    "autohand": json.dumps(
        {"hooks": {"hooks": [{"event": "stop", "command": f"echo {n}", "mine": n} for n in range(HOOKS)]}}, indent=2
    ),
}
PARSE: dict[str, Callable[[str], object]] = {"omnihook": tomllib.loads, "autohand": json.loads}


def toggle(folder: str, name: str, writer: int, turns: int) -> None:
    """Turn this writer's own hook off and on; an odd number of times, so that it ends off."""
    place = at(folder, name)
    for turn in range(turns):
        hook = next(h for h in place.hooks if getattr(h.action, "command", "") == f"echo {writer}")
        if turn % 2:
            changing.enable(hook, place.dialect, place.folders)
        else:
            changing.disable(hook, place.dialect, place.folders, label=hook.name)


def watch(folder: str, name: str, done: Event, seen: "multiprocessing.Queue[int]") -> None:
    path, count = Path(at(folder, name).target.path), 0
    while not done.is_set():
        PARSE[name](path.read_text())
        count += 1
        time.sleep(0.001)
    seen.put(count)


@pytest.mark.parametrize("name", ["omnihook", "autohand"])
def test_no_toggle_is_lost_and_no_reader_sees_a_torn_file(name: str, folder: str) -> None:
    _run(name, folder, turns=1, patience=15)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["omnihook", "autohand"])
def test_no_toggle_of_many_is_lost(name: str, folder: str) -> None:
    _run(name, folder, turns=101, patience=500)


def _run(name: str, folder: str, *, turns: int, patience: float) -> None:
    place = at(folder, name)
    place.write(DOCUMENTS[name])
    context = multiprocessing.get_context("fork")
    done, seen = context.Event(), context.Queue()
    reader = context.Process(target=watch, args=(folder, name, done, seen))
    writers = [context.Process(target=toggle, args=(folder, name, n, turns)) for n in range(WRITERS)]
    for process in (reader, *writers):
        process.start()
    for process in writers:
        process.join(patience)
    done.set()
    assert seen.get(timeout=5) > 0
    reader.join(5)
    assert [process.exitcode for process in (reader, *writers)] == [0] * (WRITERS + 1)
    assert [hook.enabled for hook in place.hooks] == [number >= WRITERS for number in range(HOOKS)]
    assert _restored(place) == DOCUMENTS[name]
    assert os.listdir(os.path.dirname(place.target.path)) == [os.path.basename(place.target.path)]


def _restored(place: Scratch) -> str:
    for hook in place.hooks:
        changing.enable(hook, place.dialect, place.folders)
    return place.bytes.decode()
