"""Replaying: what today's configuration would decide about a recorded event, without doing again what has effects.

Hooks marked `pure` and guards run; every other hook says again what it said then, unless all are to run.
"""

from dataclasses import field, replace
from functools import partial

from omnihook.configuring import verifier
from omnihook.dialect import Dialect, lookup
from omnihook.engine import Engine
from omnihook.events import Event
from omnihook.firing import Course, dispatch
from omnihook.hooks import Function, Hook, Layer
from omnihook.jsontypes import EMPTY, Json, JsonObject, object_at, take
from omnihook.matching import Index
from omnihook.outcomes import Report
from omnihook.planning import Planner
from omnihook.plans import Skipped
from omnihook.recalling import event_of, hooks_of, outcome_of, runs_of, skips_of, verdict_of
from omnihook.runners.scenes import Scene
from omnihook.running import consequence
from omnihook.slotted import dataclass
from omnihook.stopping import forced
from omnihook.trust import TrustStore
from omnihook.verdicts import NO_OPINION, Decision, Verdict

Key = tuple[str, str, str | None]  # a hook's name, dialect and file


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A record, what would be decided about it now, and how that was found out.

    `ran` are hooks that ran again, `kept` those whose recorded outcome stood in for them, and `unknown` those that
    have no recorded outcome and were not run.
    """

    record: JsonObject
    event: Event
    before: Verdict
    after: Verdict
    ran: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    report: Report

    @property
    def changed(self) -> bool:
        """Whether something else would be decided."""
        old, new = self.before, self.after
        return old.decision is not new.decision or old.updated_input != new.updated_input


@dataclass(slots=True)
class _Scene:
    """What is known of the record being replayed."""

    runs: dict[Key, list[JsonObject]] = field(default_factory=dict)
    skips: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class Replay:
    """Replays records under an engine's configuration; with `run_all` every hook runs again."""

    def __init__(self, engine: Engine, *, run_all: bool = False) -> None:
        self._engine, self._run_all = engine, run_all
        self._trust = TrustStore(engine.folders.state)
        self._planners: dict[str, Planner] = {}
        self._now = _Scene()
        self._standing_in: set[int] = set()

    async def play(self, record: JsonObject, config: JsonObject | None) -> Replayed:
        """What would be decided about a record; `config` is the configuration that it names."""
        event = event_of(record, lookup)
        known = hooks_of(config or EMPTY)
        self._now = _Scene()
        for run in runs_of(record):
            self._now.runs.setdefault(_key_of(run, known), []).append(run)
        self._now.skips = {str(item.get("hook")): str(item.get("why")) for item in skips_of(record)}
        planner = self._planner(take(record, "config", str) or "", known)
        report, _ = await dispatch(event, self._course(record, planner, lookup(event.agent)))
        return self._judged(record, event, report)

    def _judged(self, record: JsonObject, event: Event, report: Report) -> Replayed:
        before, after = verdict_of(object_at(record, "verdict")), report.verdict
        notices = record.get("notices")
        if isinstance(notices, list) and forced(notices):
            # The limit on blocked stops let it pass then, and would again.
            after = replace(after, decision=Decision.NONE) if after.refused else after
        ran = [outcome.hook.name for outcome in report.outcomes if id(outcome.hook) not in self._standing_in]
        return Replayed(
            record=record,
            event=event,
            before=before,
            after=after,
            ran=tuple(dict.fromkeys(ran)),
            kept=tuple(dict.fromkeys(self._now.kept)),
            unknown=tuple(dict.fromkeys(self._now.unknown)),
            report=report,
        )

    def _course(self, record: JsonObject, planner: Planner, host: Dialect) -> Course:
        engine = self._engine
        scene = Scene(
            dialects=planner.dialects,
            environ=engine.environ,
            project=engine.folders.project,
            state=engine.folders.state,
            verifier=partial(verifier, engine.choice, engine.folders, self._trust),
            settings=engine.configuration.settings,
        )
        lowered = record.get("lowered")
        asked = not (isinstance(lowered, list) and any("nobody can be asked" in str(note) for note in lowered))
        return Course(planner=planner, scene=scene, host=host, can_ask=asked, gate=self._gate)

    def _planner(self, digest: str, known: tuple[Hook, ...]) -> Planner:
        found = self._planners.get(digest)
        if found is None:
            found = self._planners[digest] = self._planned(known)
        return found

    def _planned(self, known: tuple[Hook, ...]) -> Planner:
        """Today's hooks, with stand-ins for those that do not run again and for functions of the program of then."""
        today = self._engine.configuration
        own = today.planner
        there = {_key(hook) for hook in today.hooks}
        then = [hook for hook in known if hook.source.layer is Layer.PROGRAM and _key(hook) not in there]
        program = [self._stand_in(hook) for hook in then]
        managed = sum(hook.source.layer is Layer.MANAGED for hook in today.hooks)
        current = [hook if self._runs(hook) else self._stand_in(hook) for hook in today.hooks]
        hooks = (*current[:managed], *program, *current[managed:])
        moved = {(n if n < managed else n + len(program)): item for n, item in own.held.items()}
        held = {n: Skipped(hook=hooks[n], why=item.why, detail=item.detail) for n, item in moved.items()}
        firm = {n: item for n, item in held.items() if not self._soft(hooks[n], item)}
        dialects = {**today.dialects, **{hook.source.dialect: lookup(hook.source.dialect) for hook in program}}
        return Planner(Index(hooks, dialects, own.index.project), dialects, firm, own.sequential)

    def _runs(self, hook: Hook) -> bool:
        return self._run_all or hook.pure or hook.guard

    def _soft(self, hook: Hook, item: Skipped) -> bool:
        """Whether what holds a hook back is only about running it, which a stand-in does not."""
        return id(hook) in self._standing_in and item.why not in ("disabled", "replaced", "only managed hooks run")

    def _stand_in(self, hook: Hook) -> Hook:
        def answer(event: Event) -> Verdict:
            return self._recalled(hook, event)

        made = replace(hook, action=Function(function=answer), timeout=None)
        self._standing_in.add(id(made))  # planners hold it, so that its identity stays its own
        return made

    def _recalled(self, hook: Hook, event: Event) -> Verdict:
        """What the hook said when it was asked then; the second time, what it said in the second pass."""
        runs = self._now.runs.get(_key(hook), [])
        if not runs:
            self._now.unknown.append(hook.name)
            return NO_OPINION
        run = runs.pop(0) if len(runs) > 1 else runs[0]
        self._now.kept.append(hook.name)
        outcome = outcome_of(run, hook)
        if outcome.failure is not None:
            return consequence(hook, event, outcome.failure, lookup(hook.source.dialect))
        return outcome.verdict if outcome.said is None else outcome.said

    def _gate(self, hook: Hook, event: Event) -> str | None:
        """A hook that was held back then for a reason of that moment is held back again."""
        why = self._now.skips.get(hook.name)
        recorded = _key(hook) in self._now.runs
        return why if why is not None and not recorded and (hook.once or why == "duplicate") else None


def _key(hook: Hook) -> Key:
    return hook.name, hook.source.dialect, hook.source.path


def _key_of(run: JsonObject, known: tuple[Hook, ...]) -> Key:
    number = take(run, "n", int)
    if number is not None and number < len(known):
        return _key(known[number])
    return str(run.get("hook")), "", None


def summary_json(played: Replayed) -> dict[str, Json]:
    """A replay as an object."""
    return {
        "id": played.record.get("id"),
        "event": played.event.name,
        "before": played.before.decision.word,
        "after": played.after.decision.word,
        "changed": played.changed,
        "reason": played.after.reason,
        "ran": [*played.ran],
        "kept": [*played.kept],
        "unknown": [*played.unknown],
    }
