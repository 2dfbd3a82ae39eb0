"""Runs one child process: its stdin is ready beforehand, its output is capped, one deadline covers everything.

Nothing a child does raises, blocks the loop, or leaves descriptors or zombies behind.
"""

import asyncio
import time
from functools import partial

from omnihook.runners import reaping
from omnihook.runners.children import MIB, Child, Exit, Status
from omnihook.runners.payload import Payload
from omnihook.runners.spawning import TAG, NotStarted, Spawned, spawn
from omnihook.runners.watching import Watch

__all__ = ["MIB", "TAG", "Child", "Exit", "Payload", "Status", "run"]


async def run(child: Child) -> Exit:
    """Run a child to its end, or end it with everything it started.

    Helpers that outlive a child which exited in time are left alone. When cancelled, everything is ended
    within `grace` before CancelledError goes on; when cancelled again meanwhile, at once.
    """
    begun = time.monotonic()
    if child.deadline <= begun:
        return Exit(status=Status.TIMEOUT, error="its time was up before it could start")
    spawned = spawn(
        argv=child.argv,
        env=child.env,
        cwd=child.cwd,
        fallbacks=child.fallbacks,
        payload=child.payload,
    )
    if isinstance(spawned, NotStarted):
        return Exit(status=Status.NOT_STARTED, error=spawned.error, duration=time.monotonic() - begun)
    return await _followed(Watch(child, spawned), child, spawned, begun)


async def _followed(watch: Watch, child: Child, spawned: Spawned, begun: float) -> Exit:
    status = Status.EXITED
    try:
        status = await _settled(watch, child, spawned)
        if status is Status.LEFT:
            return Exit(status=status, duration=time.monotonic() - begun, rest=partial(_rest, watch, child, spawned))
        if status is Status.EXITED:
            leftovers = _leftovers(watch, child, spawned)
        else:
            leftovers = await reaping.end(spawned.tree, grace=child.grace, spare=child.detach)
            leftovers = reaping.count(spawned.tree) if child.detach else leftovers
            watch.pull_all()
    finally:
        if status is not Status.LEFT:
            watch.close()
    return _exit(status, watch, spawned, leftovers=leftovers, duration=time.monotonic() - begun)


async def _rest(watch: Watch, child: Child, spawned: Spawned, deadline: float) -> Exit:
    watch.resume(deadline)
    return await _followed(watch, child, spawned, time.monotonic())


async def _settled(watch: Watch, child: Child, spawned: Spawned) -> Status:
    try:
        return await watch.settled
    except asyncio.CancelledError:
        await reaping.end(spawned.tree, grace=child.grace, spare=child.detach)
        raise
    except GeneratorExit:  # the loop was closed under us
        reaping.end_now(spawned.tree, spare=child.detach)
        raise


def _leftovers(watch: Watch, child: Child, spawned: Spawned) -> int:
    """How many processes outlived the child; one quick look says that there are none, most of the time."""
    if not child.detach and not watch.held and not reaping.group_exists(spawned.tree):
        return 0
    return reaping.count(spawned.tree)


def _exit(status: Status, watch: Watch, spawned: Spawned, *, leftovers: int, duration: float) -> Exit:
    code = watch.returncode
    error = None
    if not watch.exited:
        error = "it could not be ended"
    elif code is None:
        error = "how it exited is unknown: other code in this process took its exit status"
    return Exit(
        status=status,
        code=code if code is None or code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        stdout=bytes(watch.stdout.data),
        stderr=bytes(watch.stderr.data),
        truncated=watch.stdout.cut or watch.stderr.cut,
        error=error,
        notice=spawned.notice,
        duration=duration,
        leftovers=leftovers,
    )
