"""Recording: an engine's reports as records of the journal, each with the configuration that it came from."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from omnihook.configuring import Choice, Configuration
from omnihook.engine import Engine
from omnihook.events import Event, ToolEvent
from omnihook.folders import Folders
from omnihook.journal import Journal
from omnihook.journal.committing import say
from omnihook.journal.describing import hook_json
from omnihook.journal.preparing import Entry, encode
from omnihook.journal.telling import Circumstances, head, run_json, tell
from omnihook.journal.writing import DAYS
from omnihook.jsontypes import Json, dumps
from omnihook.outcomes import Outcome, Report
from omnihook.plans import Plan, Stage
from omnihook.verdicts import Decision, Verdict

SCHEMA = 1
_WORDS = {decision: decision.word for decision in Decision}
_MANY = 1000  # plans, and events with background hooks, that are remembered


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """A configuration that records name; the configuration itself is held, so that it stays recognisable."""

    configuration: Configuration | None = None
    digest: str = ""
    body: Mapping[str, Json] = field(default_factory=dict)
    heads: Mapping[int, str] = field(default_factory=dict)


class Recorder:
    """Writes the reports of engines into a journal."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._snapshot = _Snapshot()
        self._plans: OrderedDict[int, tuple[tuple[Stage, ...], str]] = OrderedDict()
        self._waiting: OrderedDict[int, tuple[Event, str]] = OrderedDict()

    def attach(self, engine: Engine) -> "Recorder":
        """Record everything an engine fires from now on."""
        engine.observe(lambda report: self.record(report, engine))
        engine.observe_late(self.record_late)
        return self

    def record(self, report: Report, engine: Engine) -> None:
        """Take one report and those that followed from it; refusals and questions are committed at once."""
        verdict = report.verdict
        make = _Taken(self, report, self._named(engine)).entries
        if report.plan.background:  # late answers look for the id of their record
            made = make()
            self.journal.take(lambda: made, urgent=_urgent(verdict))
        else:
            self.journal.take(make, urgent=_urgent(verdict))

    def record_late(self, event: Event, outcome: Outcome) -> None:
        """Take what a background hook said after its event was over."""
        found = self._waiting.get(id(event))
        if found is not None:
            self.journal.late(found[1], run_json(outcome))

    def flush(self) -> bool:
        """Write what was taken; whether that could be done."""
        return self.journal.flush()

    def close(self) -> None:
        """Write what was taken and let go of the journal."""
        self.journal.close()

    def stages(self, plan: Plan) -> str:
        """The names of a plan's hooks by stage and lane; plans of the same hooks share their stages."""
        found = self._plans.get(id(plan.stages))
        if found is not None and found[0] is plan.stages:
            return found[1]
        made: list[Json] = [[[step.hook.name for step in lane] for lane in stage] for stage in plan.stages]
        if plan.background:
            made.append([[step.hook.name] for step in plan.background])
        elif plan.stages:  # an empty one is everybody's
            self._plans[id(plan.stages)] = (plan.stages, encode(made))
            if len(self._plans) > _MANY:
                self._plans.popitem(last=False)
        return encode(made)

    def remember(self, event: Event, id_: str) -> None:
        """Note whose record the late answers to an event belong to."""
        self._waiting[id(event)] = (event, id_)
        if len(self._waiting) > _MANY:
            self._waiting.popitem(last=False)

    def _named(self, engine: Engine) -> _Snapshot:
        configuration = engine.configured or engine.configuration
        found = self._snapshot
        if found.configuration is not configuration:
            body = snapshot_json(configuration, engine.choice, engine.folders)
            digest = hashlib.sha256(dumps(body).encode("utf-8", "surrogatepass")).hexdigest()[:16]
            heads = {id(hook): head(hook, number) for number, hook in enumerate(configuration.hooks)}
            found = self._snapshot = _Snapshot(configuration, digest, body, heads)
        self.journal.config(found.digest, found.body)
        return found


class _Taken:
    """A report as it was taken, and when. Its records are made later; till then a tool may change its input."""

    __slots__ = ("at", "input", "monotonic", "recorder", "report", "snapshot")

    def __init__(self, recorder: Recorder, report: Report, snapshot: _Snapshot) -> None:
        self.recorder, self.report, self.snapshot = recorder, report, snapshot
        self.at, self.monotonic = time.time(), time.monotonic()
        event = report.event
        self.input = dict(event.tool_input) if isinstance(event, ToolEvent) else None

    def entries(self) -> Sequence[Entry]:
        """The records of the report and of those that followed from it."""
        root = self._entry(self.report, None)
        if not self.report.derived:
            return (root,)
        return (root, *(self._entry(item, str(root[0])) for item in self.report.derived))

    def _entry(self, report: Report, parent: str | None) -> Entry:
        event, at, journal = report.event, self.at - report.duration, self.recorder.journal
        made = journal.ids.new(at)
        text = tell(
            report,
            Circumstances(
                id=made,
                at=at,
                monotonic=self.monotonic,
                parent=parent,
                config=self.snapshot.digest,
                plan=self.recorder.stages(report.plan),
                heads=self.snapshot.heads,
                input=self.input if parent is None else None,
            ),
            journal.encoded,
        )
        if report.plan.background:
            self.recorder.remember(event, made)
        return (made, parent, at, event.name, _WORDS[report.verdict.decision], event.agent, event.session_id, text)


def _urgent(verdict: Verdict) -> bool:
    return verdict.decision >= Decision.ASK or not verdict.continue_


def recorder(
    folders: Folders, *, resident: bool = False, notify: Callable[[str], None] = say, days: float = DAYS
) -> Recorder:
    """The recorder of a state folder. A `resident` process writes behind its caller's back."""
    return Recorder(Journal(folders.state, resident=resident, notify=notify, days=days))


def snapshot_json(configuration: Configuration, choice: Choice, folders: Folders) -> dict[str, Json]:
    """A configuration such that plans can be made again: every hook, which were held back and why, and the files."""
    planner = configuration.planner
    return {
        "schema": SCHEMA,
        "project": folders.project,
        "choice": {
            "read": [*choice.read],
            "only": choice.only,
            "config": [[name, path] for name, path in choice.config],
            "files": choice.files,
        },
        "hooks": [hook_json(hook) for hook in configuration.hooks],
        "held": {str(number): {"why": item.why, "detail": item.detail} for number, item in planner.held.items()},
        "sequential": [*sorted(planner.sequential)],
        "texts": {**configuration.texts},
    }
