"""Hooks nobody waits for: they are started here, and what they say waits in the session's mailbox."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import field, replace

from omnihook.events import Event
from omnihook.hooks import Function, Hook
from omnihook.outcomes import Outcome
from omnihook.plans import Step
from omnihook.runners.scenes import Scene
from omnihook.running import run_one
from omnihook.sessions import Sessions, key_of
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict

Detach = Callable[[Step, Event], None]


@dataclass(slots=True)
class Background:
    """The background hooks of an engine. `detach` takes them over in processes that end before they do."""

    sessions: Sessions
    detach: Detach | None = None
    observers: list[Callable[[Event, Outcome], None]] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def start(self, step: Step, event: Event, scene: Scene) -> str | None:
        """Start a hook and go on; gives the reason in a sentence when it could not be handed over."""
        if self.detach is None or isinstance(step.hook.action, Function):
            self.adopt(step.hook, event, run_one(step, event, replace(scene, deadline=None)))
            return None
        try:
            self.detach(step, event)
        except OSError as error:  # no more processes, no more memory
            return f"hook {step.hook.name} was not started in the background: {error.strerror or error}"
        return None

    def adopt(self, hook: Hook, event: Event, running: Coroutine[object, object, Outcome]) -> None:
        """Follow a hook that runs on to its end."""
        task = asyncio.get_running_loop().create_task(self._follow(hook, event, running))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def drain(self, wait: float) -> None:
        """Wait so many seconds for the hooks of this loop, then end them."""
        loop = asyncio.get_running_loop()
        own = [task for task in self._tasks if task.get_loop() is loop and not task.done()]
        if not own:
            return
        _, late = await asyncio.wait(own, timeout=wait)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)

    def post(self, event: Event, text: str) -> None:
        """Keep a text for the next event of the session that can carry one."""
        with self.sessions.changing(key_of(event)) as state:
            state.mailbox.append(text)

    def with_mail(self, event: Event, verdict: Verdict) -> Verdict:
        """A verdict that also carries what waited in the mailbox."""
        mail = self.sessions.collect(key_of(event))
        if not mail:
            return verdict
        texts = [*mail, *([verdict.additional_context] if verdict.additional_context else [])]
        return replace(verdict, additional_context="\n".join(texts))

    async def _follow(self, hook: Hook, event: Event, running: Coroutine[object, object, Outcome]) -> None:
        outcome = await running
        text = late_text(hook, outcome)
        if text:
            self.post(event, text)
        for observer in self.observers:
            quietly(observer, event, outcome)


def late_text(hook: Hook, outcome: Outcome) -> str | None:
    """What a background hook has to say to the agent: its context, or, if it may wake it, its objection."""
    said = outcome.verdict
    return said.reason if hook.rewake and said.refused else said.additional_context


def quietly(observer: Callable[..., None], *arguments: object) -> None:
    """Tell an observer; what it raises is dropped."""
    try:
        observer(*arguments)
    except Exception:  # noqa: BLE001 - who watches must not change what is decided
        return
