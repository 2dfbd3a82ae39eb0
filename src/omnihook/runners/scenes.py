"""What running hooks needs to know, one event's run, and what a runner brings back: the values the runners share."""

import hashlib
import os
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import field

from omnihook.dialect import Dialect, Failure, Settings, Wire
from omnihook.events import Event
from omnihook.folders import make
from omnihook.hooks import Hook
from omnihook.outcomes import Outcome
from omnihook.runners.payload import Payload
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict

Verify = Callable[[Hook, str], str | None]  # why not to start, or None


def _unverified(hook: Hook, cwd: str) -> None:
    """Nothing speaks against a start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What running needs to know besides the plan."""

    dialects: Mapping[str, Dialect]
    environ: Mapping[str, str]
    project: str = ""
    state: str = ""  # our own folder, for files that belong to a session
    deadline: float | None = None  # on the monotonic clock, for everything together
    # Makes, for the hooks of one event, what is asked right before a start with the directory it would run in.
    verifier: Callable[[], Verify] = lambda: _unverified
    settings: Mapping[str, Settings] = field(default_factory=dict)  # by dialect
    max_concurrent: int = 32
    pass_: int = 1
    cancelled: Callable[[], bool] = lambda: False
    # Takes over a hook that goes on in the background; without it none may.
    adopt: Callable[[Hook, Event, Coroutine[object, object, Outcome]], None] | None = None


class Dispatch:
    """One event's run: every dialect's wire form of it is made once and shared."""

    __slots__ = ("_made", "_verify", "scene")

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._verify: Verify | None = None
        self._made: dict[tuple[str, int], tuple[Event, Wire, Payload]] = {}

    def __enter__(self) -> "Dispatch":
        return self

    def __exit__(self, *_: object) -> None:
        for _event, _wire, payload in self._made.values():
            payload.close()

    def verify(self, hook: Hook, cwd: str) -> str | None:
        """Why a hook must not be started in a directory, or None."""
        if self._verify is None:
            self._verify = self.scene.verifier()
        return self._verify(hook, cwd)

    def wire(self, dialect: Dialect, event: Event) -> Wire:
        """An event as hooks of a dialect receive it."""
        return self._entry(dialect, event)[1]

    def payload(self, dialect: Dialect, event: Event) -> Payload:
        """The bytes that commands of a dialect read."""
        return self._entry(dialect, event)[2]

    def _entry(self, dialect: Dialect, event: Event) -> tuple[Event, Wire, Payload]:
        key = (dialect.name, id(event))
        found = self._made.get(key)
        if found is None:
            wire = dialect.encode_event(event)
            found = self._made[key] = (event, wire, Payload(wire.stdin or b""))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a runner brought back, in the words the outcome needs."""

    answer: Verdict | Failure
    exit_code: int | None = None
    signal: int | None = None
    duration: float = 0.0
    stdout: str = ""
    stderr: str = ""
    notes: tuple[str, ...] = ()
    blind: bool = False  # the hook saw only part of the event
    # The hook goes on in the background; this follows it to its end.
    rest: "Callable[[], Coroutine[object, object, Done]] | None" = None


def session_file(state: str, event: Event) -> str:
    """A private file that belongs to the event's session; the null device where we may not keep one."""
    name = hashlib.sha256(f"{event.agent}\0{event.session_id}".encode("utf-8", "replace")).hexdigest()[:32]
    path = os.path.join(state, "env", f"{name}.sh")
    try:
        make(os.path.dirname(path))
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError:
        return os.devnull
    return path


def directory(hook: Hook, event: Event, scene: Scene) -> str:
    """Where a hook runs: its own directory, which may be relative to the project, else where the session is."""
    if hook.cwd is not None:
        return os.path.join(scene.project or event.cwd, hook.cwd)
    return event.cwd or scene.project
