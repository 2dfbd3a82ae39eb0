"""Ends everything a child started, also what left its process group or its session.

Who belongs to the tree is said in `family`; here they are told to go, then made to.
"""

import asyncio
import os
import signal
import time
from contextlib import suppress

from omnihook.runners.family import Process, Search, Tree, has_process_table, read_process

_INSIST = 1.0  # seconds after KILL before giving up on a process stuck in the kernel
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
_AT_ONCE = 0.1  # seconds for which we may hold up the host when there is no time left to wait


async def end(tree: Tree, *, grace: float, spare: bool = False) -> int:
    """TERM, after `grace` seconds KILL, until nothing is left; returns how many would not go.

    When cancelled, the rest is killed at once. With `spare`, whoever made a session of its own is left alone.
    """
    hunt = _Hunt(tree, spare=spare)
    try:
        left = await hunt.strike_for(grace, signal.SIGTERM)
        return left and await hunt.strike_for(_INSIST, signal.SIGKILL)
    except asyncio.CancelledError:
        end_now(tree, spare=spare)
        raise


def end_now(tree: Tree, *, spare: bool = False) -> None:
    """KILL everything, waiting no longer than an instant; for when no loop will bring us back."""
    hunt = _Hunt(tree, spare=spare)
    give_up = time.monotonic() + _AT_ONCE
    while hunt.strike(signal.SIGKILL) and time.monotonic() < give_up:
        time.sleep(_FIRST_PAUSE)


def count(tree: Tree) -> int:
    """How many processes of the tree are alive; without a process table, whether any is."""
    try:
        return len(Search(tree).members()) if has_process_table() else int(group_exists(tree))
    except OSError:  # no descriptors left to look with
        return int(group_exists(tree))


def group_exists(tree: Tree) -> bool:
    """Whether anything, dead or alive, is in the child's process group: a quick first look."""
    return _signal_group(tree, 0)


class _Hunt:
    """One tree being ended: who is left, and who has been told what."""

    __slots__ = ("_left", "_search", "_sessions", "_told", "_tree")

    def __init__(self, tree: Tree, *, spare: bool) -> None:
        self._tree = tree
        self._sessions = {tree.leader, os.getsid(0)} if spare else None  # whose members have to go; None: all
        self._search = Search(tree)
        self._left: dict[int, Process] = {}
        self._told: set[tuple[int, int, int]] = set()

    async def strike_for(self, seconds: float, signum: signal.Signals) -> int:
        """Strike until nobody is left, for no longer than this; how many are left."""
        until = time.monotonic() + seconds
        pause = _FIRST_PAUSE
        while (left := self.strike(signum)) and (time_left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(pause, time_left))
            pause = min(2 * pause, _LONGEST_PAUSE)
        return left

    def strike(self, signum: signal.Signals) -> int:
        """Signal everyone who has not had this signal yet; how many are left."""
        if not has_process_table():
            return self._strike_group(signum)
        try:
            # The whole table is read again only when those known are gone, or have to go now.
            if signum == signal.SIGKILL or not self._some_left():
                self._left = self._doomed()
        except OSError:  # no descriptors left to look with
            return self._strike_group(signum)
        if signum == signal.SIGKILL and any(p.group == self._tree.leader for p in self._left.values()):
            _signal_group(self._tree, signum)
        for pid, process in self._left.items():
            self._tell(pid, process, signum)
        return len(self._left)

    def _doomed(self) -> dict[int, Process]:
        found = self._search.members()
        if self._sessions is None:
            return found
        return {pid: process for pid, process in found.items() if process.session in self._sessions}

    def _strike_group(self, signum: signal.Signals) -> int:
        key = (self._tree.leader, 0, signum)
        first = key not in self._told
        self._told.add(key)
        return int(_signal_group(self._tree, signum if first else 0))

    def _some_left(self) -> bool:
        self._left = {
            pid: now
            for pid, then in self._left.items()
            if (now := read_process(pid)) is not None and now.start == then.start and now.alive
        }
        return bool(self._left)

    def _tell(self, pid: int, process: Process, signum: signal.Signals) -> None:
        key = (pid, process.start, signum)
        if key in self._told:
            return
        self._told.add(key)
        _signal_process(pid, process.start, signum)
        if process.stopped:
            _signal_process(pid, process.start, signal.SIGCONT)


def _signal_process(pid: int, start: int, signum: signal.Signals) -> None:
    """Signal this very process; another one that was given its number since is left alone."""
    with suppress(OSError):  # gone, not ours, or no descriptor left to make sure
        pidfd = _pidfd(pid)
        try:
            now = read_process(pid)
            if now is None or now.start != start:
                return
            if pidfd is None:
                os.kill(pid, signum)
            else:
                signal.pidfd_send_signal(pidfd, signum)
        finally:
            if pidfd is not None:
                os.close(pidfd)


def _pidfd(pid: int) -> int | None:
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        raise
    except OSError:  # no descriptors left, or an old kernel
        return None


def _signal_group(tree: Tree, signum: int) -> bool:
    try:
        os.killpg(tree.leader, signum)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody is there, and is not ours to signal
        return True
    return True
