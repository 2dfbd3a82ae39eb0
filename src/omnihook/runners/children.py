"""What is known of a child process before it runs, and after."""

from collections.abc import Callable, Coroutine, Mapping
from enum import Enum

from omnihook.runners.payload import Payload
from omnihook.slotted import dataclass

MIB = 1 << 20
FOREVER = 86_400.0  # seconds, for what has no limit


class Status(Enum):
    """How a run ended. A run that timed out or overflowed did so whatever its exit code says."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    OVERFLOW = "overflow"
    NOT_STARTED = "not_started"
    LEFT = "left"  # it runs on, and `Exit.rest` follows it


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """What to run, and within which limits.

    `argv` is executed as it is; a shell command comes as ("/bin/sh", "-c", command). Times are seconds.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    payload: Payload
    #: On the clock of `time.monotonic`; covers the start, the run and the reading of its output.
    deadline: float
    #: Where to run when `cwd` cannot be entered: the first of these that can. None of them: not at all.
    fallbacks: tuple[str, ...] = ()
    #: How many bytes are kept of stdout, and as many of stderr.
    cap: int = MIB
    #: True: what exceeds `cap` is read and dropped. False: it ends the run as an overflow.
    truncate: bool = False
    #: From TERM to KILL.
    grace: float = 1.0
    #: Whether processes that made a session of their own are meant to outlive it, however it ends.
    detach: bool = False
    #: How long to read on after the child exited while somebody else holds its output.
    drain: float = 0.1
    #: Asked about the first line of stdout: whether nobody need wait for the rest.
    leaves: Callable[[bytes], bool] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """What came of a child. With `code` and `signal` both None, nobody can say how it exited."""

    status: Status
    code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    #: Whether stdout or stderr was longer than what is here.
    truncated: bool = False
    #: Why it did not start or cannot be judged, for people.
    error: str | None = None
    #: What was done differently than asked, for people.
    notice: str | None = None
    duration: float = 0.0
    #: Processes of its tree that are still alive: helpers it left behind (only those that stayed in its
    #: group or hold its output are looked for, unless it may detach some), or what even KILL did not end.
    leftovers: int = 0
    #: Follows a child that LEFT to its end, up to a deadline. Whoever gets it must await it.
    rest: Callable[[float], Coroutine[object, object, "Exit"]] | None = None
