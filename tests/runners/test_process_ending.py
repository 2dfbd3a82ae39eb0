import asyncio
import gc
import os
import select
import signal
import threading
import time
import uuid
from pathlib import Path

import pytest

from omnihook.runners.process import Exit, Status
from runners.process_kit import alive, argv, finish, no_leaks, open_fds, run_sh, script, sh, wait_until, zombies


class Idlers:
    """Two programs that wait for long, found again by their unusual name; none outlives its test."""

    def __init__(self, folder: Path) -> None:
        self._name = f"idle-{uuid.uuid4().hex}"
        (folder / self._name).symlink_to("/bin/sleep")
        self.idle = f"{folder / self._name} 60"
        self.stubborn = script(folder / "stubborn", f"#!/bin/sh\ntrap '' TERM\nexec {self.idle}\n")

    def alive(self) -> list[int]:
        return alive(self._name)


@pytest.fixture
def idlers(tmp_path):
    programs = Idlers(tmp_path)
    yield programs
    for pid in programs.alive():
        os.kill(pid, signal.SIGKILL)


def test_a_child_that_never_reads_is_ended_at_its_deadline():
    result = sh("sleep 60", b"x" * 10_000_000, timeout=1.0)
    assert (result.status, result.code, result.signal) == (Status.TIMEOUT, None, signal.SIGTERM)
    assert 1.0 <= result.duration < 1.3


def test_term_ignored_is_followed_by_kill_after_the_grace(idlers):
    result = argv(idlers.stubborn, timeout=0.2, grace=0.3)
    assert (result.status, result.signal, result.leftovers) == (Status.TIMEOUT, signal.SIGKILL, 0)
    assert 0.5 <= result.duration < 0.9
    assert idlers.alive() == []


def test_what_was_said_before_and_during_the_end_is_kept():
    result = sh("trap 'echo bye; echo sorry >&2; exit 0' TERM; echo hello; while :; do :; done", timeout=0.2)
    assert (result.stdout, result.stderr) == (b"hello\nbye\n", b"sorry\n")


def test_exiting_with_0_after_the_deadline_is_still_a_timeout():
    result = sh("trap 'exit 0' TERM; while :; do sleep 0.01; done", timeout=0.2)
    assert (result.status, result.code) == (Status.TIMEOUT, 0)


def test_each_process_is_asked_only_once_to_go():
    result = sh("trap 'echo asked' TERM; while :; do sleep 0.01; done", timeout=0.2, grace=0.3)
    assert result.stdout == b"asked\n"


def test_a_shell_does_not_go_on_when_its_command_is_ended(tmp_path):
    many = "for i in $(seq 30); do sleep 60 & done"
    sh(f"{many}; sleep 60; : > {tmp_path}/went-on", timeout=0.3)
    assert not (tmp_path / "went-on").exists()


def test_a_stopped_child_is_ended():
    result = sh("kill -STOP $$", timeout=0.2)
    assert result.status is Status.TIMEOUT
    assert result.duration < 0.5


def test_a_deadline_in_the_past_starts_nothing(tmp_path):
    result = sh(f"touch {tmp_path}/ran", timeout=-1.0)
    assert result == Exit(status=Status.TIMEOUT, error="its time was up before it could start")
    assert not (tmp_path / "ran").exists()


def test_a_tree_of_fifty_with_a_stubborn_daemon_is_gone_within_two_seconds(idlers):
    nested = f"for i in 1 2 3 4 5 6; do {idlers.idle} & done; wait"
    tree = f"for i in 1 2 3 4 5 6 7; do sh -c '{nested}' & done; setsid {idlers.stubborn} & wait"
    seen: list[int] = []

    async def watched() -> Exit:
        task = asyncio.create_task(run_sh(tree, timeout=0.7))
        await asyncio.sleep(0.6)
        seen.extend(idlers.alive())
        return await task

    result = finish(watched())
    assert len(seen) >= 50
    assert idlers.alive() == []
    assert (result.status, result.leftovers) == (Status.TIMEOUT, 0)
    assert result.duration < 0.7 + 2.0


DAEMONS = {
    "setsid": "setsid {} &",
    "orphan in a new session": "(setsid {} >/dev/null 2>&1 </dev/null &) &",
    "new group": "bash -c 'set -m; {} >/dev/null 2>&1 & wait' &",
    "orphan in a new group": "bash -c 'set -m; {} >/dev/null 2>&1 &'",
    "clean environment, parent alive": "sh -c 'env -i setsid {} & wait' &",
    "clean environment, orphan in our group": "(env -i {} &)",
    "clean environment, orphan in a member's session": "setsid bash -c '(set -m; env -i {} &); sleep 60' &",
}


@pytest.mark.parametrize("daemon", DAEMONS.values(), ids=DAEMONS)
def test_a_daemon_is_found_and_ended_with_its_child(daemon, idlers):
    result = sh(f"{daemon.format(idlers.stubborn)}\nsleep 60", timeout=0.4, grace=0.2)
    assert (result.status, result.leftovers) == (Status.TIMEOUT, 0)
    assert idlers.alive() == []


@pytest.mark.parametrize("daemon", ["setsid", "orphan in a new session"])
def test_a_daemon_that_is_meant_to_stay_is_left_and_counted_and_the_rest_is_ended(daemon, idlers):
    started = f"{DAEMONS[daemon].format(idlers.idle)}\n{idlers.idle} & sleep 60"
    result = sh(started, timeout=0.6, grace=0.2, detach=True)
    [stayed] = idlers.alive()
    assert (result.status, result.leftovers) == (Status.TIMEOUT, 1)
    assert os.getsid(stayed) == stayed


def test_a_daemon_that_is_meant_to_stay_is_told_of_when_its_child_exits(idlers):
    result = sh(f"setsid {idlers.idle} </dev/null >/dev/null 2>&1 &", timeout=5, detach=True)
    assert (result.status, result.leftovers) == (Status.EXITED, 1)
    wait_until(idlers.alive, within=5)


def test_a_tree_that_replaces_its_dead_is_ended(tmp_path):
    path = script(
        tmp_path / "hydra", f"#!/bin/sh\ntrap 'setsid {tmp_path}/hydra & exit' TERM\nwhile :; do sleep 0.01; done\n"
    )
    result = sh(path, timeout=0.2, grace=0.3)
    assert (result.status, result.leftovers) == (Status.TIMEOUT, 0)
    assert alive(f"{tmp_path}/hydra") == []


def test_children_of_other_runs_are_left_alone():
    async def both() -> tuple[Exit, Exit]:
        other = run_sh("setsid sleep 0.6; echo alive", timeout=5)
        return await asyncio.gather(run_sh("sleep 60", timeout=0.2), other)

    ended, other = finish(both())
    assert ended.status is Status.TIMEOUT
    assert (other.status, other.stdout) == (Status.EXITED, b"alive\n")


def test_an_overflow_ends_the_whole_tree(idlers):
    result = sh(f"setsid {idlers.idle} >/dev/null & yes", cap=1000)
    assert (result.status, len(result.stdout)) == (Status.OVERFLOW, 1000)
    assert idlers.alive() == []


async def cancelled_once(command: str, idlers: Idlers, **limits: object) -> float:
    """Start, cancel as soon as the idler is there, and say how long the end took."""
    task = asyncio.create_task(run_sh(command, **limits))
    await asyncio.to_thread(wait_until, idlers.alive, within=5)
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return time.monotonic() - begun


def test_cancelling_ends_the_tree_and_leaves_nothing_open(idlers):
    with no_leaks():
        took = finish(cancelled_once(f"setsid {idlers.idle} & sleep 60", idlers))
    assert idlers.alive() == []
    assert took < 0.9


def test_cancelling_a_stubborn_child_takes_the_grace_and_no_longer(idlers):
    with no_leaks():
        took = finish(cancelled_once(idlers.stubborn, idlers, grace=0.3))
    assert idlers.alive() == []
    assert 0.3 <= took < 0.8


def test_cancelling_twice_kills_at_once(idlers):
    async def twice() -> float:
        task = asyncio.create_task(run_sh(idlers.stubborn, grace=30))
        await asyncio.to_thread(wait_until, idlers.alive, within=5)
        task.cancel()
        await asyncio.sleep(0.1)
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - begun

    with no_leaks():
        took = finish(twice())
    assert idlers.alive() == []
    assert took < 1.0


def test_cancelling_during_a_timeout_kills_at_once(idlers):
    async def late() -> None:
        task = asyncio.create_task(run_sh(idlers.stubborn, timeout=0.2, grace=30))
        await asyncio.sleep(0.4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with no_leaks():
        finish(late())
    assert idlers.alive() == []


def test_a_loop_closed_under_a_run_leaves_no_process_behind(idlers):
    before = open_fds()
    loop = asyncio.new_event_loop()
    coroutine = run_sh(idlers.idle)
    task = loop.create_task(coroutine)
    loop.run_until_complete(asyncio.sleep(0.2))
    assert idlers.alive()
    loop.close()
    coroutine.close()
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    del task
    gc.collect()
    assert idlers.alive() == []
    assert (open_fds(), zombies()) == (before, [])


async def cancelled() -> None:
    task = asyncio.create_task(run_sh("sleep 60"))
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])


KINDS = {
    "answered": lambda: run_sh("echo a; echo b >&2"),
    "given a large payload": lambda: run_sh("cat", b"x" * 100_000),
    "in another directory": lambda: run_sh("true", cwd="/no/such/folder", fallbacks=("/",)),
    "timed out": lambda: run_sh("sleep 60", timeout=0.02),
    "overflowed": lambda: run_sh("yes", cap=100),
    "cancelled": cancelled,
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_hundred_runs_of_every_kind_leave_nothing_open(kind):
    async def all_runs() -> None:
        for _ in range(10):
            await asyncio.gather(*(kind() for _ in range(10)))

    finish(kind())
    with no_leaks():
        finish(all_runs())


def test_the_host_keeps_its_signals_umask_and_threads():
    def state() -> tuple[object, int, int]:
        umask = os.umask(0o22)
        os.umask(umask)
        return signal.getsignal(signal.SIGCHLD), umask, threading.active_count()

    before = state()
    seen = []

    async def look() -> None:
        task = asyncio.create_task(run_sh("sleep 60", timeout=0.2))
        await asyncio.sleep(0.1)
        seen.append(state())
        await task

    finish(look())
    assert [*seen, state()] == [before, before]


def test_without_pidfd_and_epoll_a_child_is_followed_all_the_same(monkeypatch, idlers):
    monkeypatch.delattr(os, "pidfd_open")
    monkeypatch.delattr(select, "epoll")
    with no_leaks():
        answer = sh("cat; exit 3", b"in")
        timeout = sh(f"setsid {idlers.stubborn} & sleep 60", timeout=0.3, grace=0.2)
    assert (answer.code, answer.stdout, answer.duration < 1) == (3, b"in", True)
    assert (timeout.status, timeout.leftovers) == (Status.TIMEOUT, 0)
    assert idlers.alive() == []


def test_helpers_left_by_a_child_that_answered_live_on(idlers):
    result = sh(f"setsid {idlers.idle} >/dev/null 2>&1 & echo done")
    assert (result.status, result.stdout) == (Status.EXITED, b"done\n")
    wait_until(lambda: idlers.alive(), within=2)
