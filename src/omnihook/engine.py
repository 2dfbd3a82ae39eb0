"""Engine: load, plan, run, merge, report; what a host program holds on to."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar, Unpack

from omnihook import firing, hosting, stopping
from omnihook.background import Background, Detach, quietly
from omnihook.configuring import Choice, Configuration, verifier
from omnihook.current import Current
from omnihook.deriving import derive, targets
from omnihook.dialect import Diagnostic, Dialect, effects_of, lookup
from omnihook.events import Event, ToolEvent
from omnihook.firing import Course
from omnihook.folders import Folders, find, here
from omnihook.hooks import Hook
from omnihook.loops import Loops, driven
from omnihook.merging import join_verdicts
from omnihook.outcomes import Outcome, Report
from omnihook.overseeing import BUDGET, Overseer
from omnihook.plans import Plan
from omnihook.quarantine import Quarantine
from omnihook.registering import HookObject, Named, Options, check, from_function
from omnihook.runners import function
from omnihook.runners.scenes import Scene, session_file
from omnihook.sessions import MemorySessions, Sessions, claim_once

F = TypeVar("F", bound=Callable[..., object])
Observer = Callable[[Report], None]
Cancelled = hosting.Cancelled


class Engine:
    """Runs the hooks of a project and of its user for the events a host fires.

    `read` names agents whose own hook files count too. With `files=False` only registered hooks exist.
    `derive=False` is for hosts that fire FileModified themselves. `detach` takes over background hooks, for
    processes that end before such hooks do.
    """

    def __init__(
        self,
        project: str | os.PathLike[str] | None = None,
        *,
        read: str | Iterable[str] = (),
        only: str | None = None,
        config: Iterable[tuple[str, str]] = (),
        files: bool = True,
        trust_project: bool = False,
        environ: Mapping[str, str] | None = None,
        folders: Folders | None = None,
        sessions: Sessions | None = None,
        can_ask: bool = True,
        derive: bool = True,
        detach: Detach | None = None,
        gate: Callable[[Hook, Event], str | None] | None = None,
        budget: float = BUDGET,
    ) -> None:
        project = hosting.folder(project)
        choice = Choice(
            read=hosting.names("read", read),
            only=only,
            config=hosting.files(config),
            files=files,
            trust_project=trust_project,
        )
        self._environ = environ
        self._notices: list[str] = []  # to be said with the next report
        self.folders = folders or find(self.environ, cwd=project or here(self.environ), project=project)
        self.sessions: Sessions = sessions if sessions is not None else MemorySessions()
        self._current = Current(choice, self.folders, self.sessions, lookup=lookup, tell=self._notices.append)
        self._overseer = Overseer(self.sessions, self.quarantine, budget=budget, failing=sessions is not None)
        self._courses: dict[str, Course] = {}  # by host
        self._can_ask, self._derive = can_ask, derive
        self._extra_gate = None if gate is None else hosting.held_gate(gate, self._notices.append)
        self._observers: list[Observer] = []
        self._background = Background(self.sessions, detach)
        self._loops = Loops()
        self._waiting: tuple[Configuration, tuple[Hook, ...]] | None = None  # hooks that need a loop

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment hooks inherit from."""
        return os.environ if self._environ is None else self._environ

    @property
    def configuration(self) -> Configuration:
        """The hooks as they are now; read again when a file changed."""
        return self._current.configuration

    @property
    def choice(self) -> Choice:
        """What is loaded."""
        return self._current.choice

    @property
    def configured(self) -> Configuration | None:
        """The hooks as they were last read; nothing is looked at again."""
        return self._current.read

    @property
    def quarantine(self) -> Quarantine:
        """The hooks that broke too often."""
        return self._current.quarantine

    @property
    def hooks(self) -> tuple[Hook, ...]:
        """Every hook, in the order they would run."""
        return self.configuration.hooks

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the files."""
        return self.configuration.diagnostics

    def hooks_for(self, event: str) -> tuple[Hook, ...]:
        """The hooks for an event of that name, canonical or as a dialect spells it."""
        return tuple(hook for hook in self.hooks if event in hook.events or event in hook.native_events)

    def on(self, *events: Named, **options: Unpack[Options]) -> Callable[[F], F]:
        """Register the decorated function for some events; it takes the event and gives a Verdict or None."""
        check(events, options)  # a mistake is said where it is made

        def register(function: F) -> F:
            self.register(from_function(function, events, **options))
            return function

        return register

    def register(self, hook: Hook | HookObject) -> str:
        """Add a hook, or an object with name, events and execute; gives the id to unregister it by."""
        return self._current.add(hook)

    def unregister(self, id: str) -> bool:
        """Remove a registered hook; whether there was one."""
        return self._current.remove(id)

    def observe(self, observer: Observer) -> None:
        """Call a function with every report; what it raises is dropped, for it must not change a decision."""
        self._observers.append(observer)

    def observe_late(self, observer: Callable[[Event, Outcome], None]) -> None:
        """Call a function with every outcome of a background hook."""
        self._background.observers.append(observer)

    def plan(self, event: Event) -> Plan:
        """What would run for an event, without running it."""
        return self.configuration.planner.plan(event, self._extra_gate)

    def session_environment(self, event: Event) -> str:
        """The file to which hooks of the event's session appended `export NAME=value` lines for later shell calls."""
        return session_file(self.folders.state, event)

    def retry_limit(self, report: Report) -> int:
        """How often the block in a report may be fed back: its hook's files' own limit, else its dialect's."""
        return _limit(report, self.configuration)

    async def fire(self, event: Event, *, deadline: float | None = None, cancelled: Cancelled | None = None) -> Report:
        """Fire an event and everything that follows from it; `deadline` is on the monotonic clock.

        `cancelled` says whether the host has given up: function hooks can ask it, and no further hook is started.
        Cancelling the task that awaits this ends the hooks that are running.
        """
        event, deadline = hosting.event(event), hosting.deadline(deadline)
        if cancelled is not None:
            cancelled = hosting.held_cancelled(cancelled, self._notices.append)
        depth = hosting.deeper()
        try:
            return await self._fire_all(event, deadline, cancelled)
        finally:
            hosting.back(depth)

    def fire_sync(self, event: Event, *, deadline: float | None = None, cancelled: Cancelled | None = None) -> Report:
        """Fire from any thread, also inside a running loop; plain functions run on the caller's thread."""
        inline = self._all_inline(hosting.event(event))
        job = self.fire(event, deadline=deadline, cancelled=cancelled)
        return driven(job) if inline else self._loops.run(job)

    def close(self, wait: float = 2.0) -> None:
        """End the loops of `fire_sync`, after waiting so many seconds for events being fired and background hooks.

        An event that is still being fired then has no verdict: its `fire_sync` raises UsageError.
        """
        self._loops.close(self.drain, wait)

    async def drain(self, wait: float = 2.0) -> None:
        """Wait so many seconds for background hooks of this loop, then end them."""
        await self._background.drain(wait)

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _fire_all(self, event: Event, deadline: float | None, cancelled: Cancelled | None) -> Report:
        configuration = self._current.of(event)
        report = await self._fire_one(event, configuration, deadline, cancelled)
        host = configuration.dialects.get(event.agent) or lookup(event.agent)
        further = derive(report.event, host.derives) if self._derive else ()
        if further:
            derived = [await self._fire_one(item, configuration, deadline, cancelled) for item in further]
            verdict = join_verdicts(report.verdict, (item.verdict for item in derived))
            report = replace(report, derived=tuple(derived), verdict=verdict)
        self._tell(report, configuration)
        return report

    async def _fire_one(
        self, event: Event, configuration: Configuration, deadline: float | None, cancelled: Cancelled | None
    ) -> Report:
        host = configuration.dialects.get(event.agent) or lookup(event.agent)
        course = self._course(configuration, host)
        if deadline is not None or cancelled is not None:
            scene = replace(course.scene, deadline=deadline, cancelled=cancelled or course.scene.cancelled)
            course = replace(course, scene=scene)
        report, lowered = await firing.dispatch(stopping.before(event, self.sessions), course)
        for step in report.plan.background:
            trouble = self._background.start(step, report.event, course.scene)
            self._notices += () if trouble is None else (trouble,)
        return self._settled(report, lowered.context, configuration, host)

    def _course(self, configuration: Configuration, host: Dialect) -> Course:
        """What firing needs, made once for a configuration and a host."""
        held = self._courses.get(host.name)
        if held is not None and held.planner is configuration.planner:
            return held
        scene = Scene(
            dialects=configuration.dialects,
            environ=self.environ,
            project=self.folders.project,
            state=self.folders.state,
            verifier=partial(verifier, self.choice, self.folders, self._current.trust),
            settings=configuration.settings,
            max_concurrent=_concurrency(configuration),
            adopt=self._background.adopt,
        )
        gate = self._gate(configuration)
        made = Course(planner=configuration.planner, scene=scene, host=host, can_ask=self._can_ask, gate=gate)
        self._courses[host.name] = made
        return made

    def _settled(self, report: Report, context: str | None, configuration: Configuration, host: Dialect) -> Report:
        event, verdict, notices = report.event, report.verdict, report.notices
        if self._notices:
            notices = (*self._notices, *notices)
            self._notices.clear()
        if verdict.refused:
            verdict, notice = stopping.after(event, verdict, self.sessions, _limit(report, configuration))
            notices = notices if notice is None else (*notices, notice)
        elif event.name in ("Stop", "SubagentStop"):
            stopping.after(event, verdict, self.sessions, 0)
        if context is not None:
            self._background.post(event, context)
        elif effects_of(host, event).context:
            verdict = self._background.with_mail(event, verdict)
        seen = self._overseer.look(report)
        if seen:
            notices = (*notices, *seen)
        if verdict is report.verdict and notices is report.notices:
            return report
        return replace(report, verdict=verdict, notices=notices)

    def _gate(self, configuration: Configuration) -> Callable[[Hook, Event], str | None] | None:
        extra = self._extra_gate
        if extra is None and not any(hook.once for hook in configuration.hooks):
            return None

        def gate(hook: Hook, event: Event) -> str | None:
            reason = extra(hook, event) if extra is not None else None
            if reason is None and hook.once and not claim_once(self.sessions, hook, event):
                return "it runs once and has run"
            return reason

        return gate

    def _all_inline(self, event: Event) -> bool:
        """Whether the event, its rewritten form and what follows from it concern plain functions alone."""
        configuration = self._current.of(event)
        if self._waiting is None or self._waiting[0] is not configuration:
            found = tuple(hook for hook in configuration.hooks if hook.background or not function.inline(hook))
            self._waiting = (configuration, found)
        waiting = self._waiting[1]
        names = targets(event.name) if waiting and self._derive else frozenset()
        if isinstance(event, ToolEvent):
            names |= {event.name}
        if any(names.intersection(hook.events) for hook in waiting):
            return False
        return not waiting or all(
            function.inline(step.hook) and not step.hook.background for step in configuration.planner.plan(event).steps
        )

    def _tell(self, report: Report, configuration: Configuration) -> None:
        for name, settings in configuration.settings.items():
            if settings.debug:
                from omnihook import debugging  # only where somebody asked for it

                self._notices += debugging.log(report, lookup(name), self.folders.home)
        for observer in self._observers:
            quietly(observer, report)


def _limit(report: Report, configuration: Configuration) -> int:
    return stopping.limit(report, configuration.settings, configuration.dialects)


def _concurrency(configuration: Configuration) -> int:
    limits = [s.max_concurrent for s in configuration.settings.values() if s.max_concurrent is not None]
    return min(limits, default=32)
