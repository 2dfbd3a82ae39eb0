"""Which processes belong to a child: the tree below it, wherever its members went.

A library must not become a subreaper or touch SIGCHLD in its host, so members are recognised by descent,
by the process group or session of a known member, and by a tag in the environment. A process that has shed
all three is out of reach.
"""

import os
import time
from typing import NamedTuple

from omnihook.slotted import dataclass

_PROC = "/proc"
_TICKS = os.sysconf("SC_CLK_TCK")
_CHUNK = 1 << 17
_LOOKS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """How to recognise what belongs to one child: its pid, its tag, and when it began in ticks since boot."""

    leader: int
    tag: bytes
    since: int


class Process(NamedTuple):
    """One row of the process table."""

    state: bytes
    parent: int
    group: int
    session: int
    threads: int
    start: int

    @property
    def alive(self) -> bool:
        """Whether some thread still runs: a zombie's other threads may."""
        return self.state not in (b"Z", b"X") or self.threads > 1

    @property
    def stopped(self) -> bool:
        """Whether it needs a SIGCONT before it can act on another signal."""
        return self.state == b"T"


def boot_ticks() -> int:
    """Now, on the clock of process start times: whatever starts later has at least this number."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS) - 1


def has_process_table() -> bool:
    """Whether this system shows its processes as files, under the numbers by which we can signal them."""
    try:
        return os.readlink(f"{_PROC}/self") == str(os.getpid())
    except OSError:
        return False


def read_process(pid: int) -> Process | None:
    """The row of one process, or None when it is gone; raises OSError when we cannot look."""
    try:
        row = _read(f"{_PROC}/{pid}/stat")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    # The name in parentheses may itself hold spaces and parentheses.
    fields = row[row.rindex(b")") + 2 :].split()
    return Process(fields[0], int(fields[1]), int(fields[2]), int(fields[3]), int(fields[17]), int(fields[19]))


class Search:
    """Finds the members of one tree, and remembers them, so that orphans of members are found later."""

    __slots__ = ("_ids", "_seen", "_tree", "_unsure")

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._ids = {tree.leader}  # numbers that a group or session of this tree may bear
        self._seen: set[tuple[int, int]] = set()
        self._unsure: set[int] = set()

    def members(self) -> dict[int, Process]:
        """Everyone of the tree who is alive now, parents before their children."""
        strangers: set[int] = set()
        found: dict[int, Process] = {}
        for _ in range(_LOOKS):
            newest = _newest_pid()
            found = self._look(strangers)
            # Finding nobody proves little if somebody was born meanwhile: the last one we know may have
            # left a child that was not in the table yet, and gone before we came to its own row.
            if found or not (self._unsure or _newest_pid() != newest):
                break
        return found

    def _look(self, strangers: set[int]) -> dict[int, Process]:
        """Look at everyone but the strangers, and add to these."""
        table = _process_table(strangers)
        found: dict[int, Process] = {}
        self._unsure.clear()
        self._follow(table, found)
        for pid in [pid for pid, process in table.items() if self._tagged(pid, process)]:
            self._admit(pid, table, found)
        self._follow(table, found)
        strangers.update(table.keys() - self._unsure)
        alive = [(process.start, pid) for pid, process in found.items() if process.alive]
        # In this order a parent cannot notice a child's end and go on before it is told itself.
        return {pid: found[pid] for _, pid in sorted(alive)}

    def _follow(self, table: dict[int, Process], found: dict[int, Process]) -> None:
        """Move relatives of known members from `table` to `found` until there are no more."""
        while related := [pid for pid, process in table.items() if self._related(pid, process, found)]:
            for pid in related:
                self._admit(pid, table, found)

    def _related(self, pid: int, process: Process, found: dict[int, Process]) -> bool:
        return (
            process.parent in found
            or process.group in self._ids
            or process.session in self._ids
            or (pid, process.start) in self._seen
            or (pid == self._tree.leader and process.parent == os.getpid())
        )

    def _admit(self, pid: int, table: dict[int, Process], found: dict[int, Process]) -> None:
        process = found[pid] = table.pop(pid)
        self._ids.add(pid)
        self._seen.add((pid, process.start))

    def _tagged(self, pid: int, process: Process) -> bool:
        if process.start < self._tree.since or not process.alive:
            return False
        try:
            # The environment of a process that waits in the kernel can make its reader wait as well.
            environment = b"" if process.state == b"D" else _read(f"{_PROC}/{pid}/environ")
        except OSError:  # gone meanwhile, or somebody else's
            return False
        if not environment:  # for an instant, while a process becomes another program
            self._unsure.add(pid)
        return self._tree.tag in environment


def _newest_pid() -> bytes:
    return _read(f"{_PROC}/loadavg").rpartition(b" ")[2]


def _process_table(but: set[int]) -> dict[int, Process]:
    pids = {int(name) for name in os.listdir(_PROC) if name.isdigit()} - but
    return {pid: process for pid in pids if (process := read_process(pid)) is not None}


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(fd, _CHUNK):
            parts.append(part)
    finally:
        os.close(fd)
    return b"".join(parts)
