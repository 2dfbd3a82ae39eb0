"""Recording: an engine's reports as records of the journal, each with the configuration that it came from."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from omnihook.configuring import Choice, Configuration
from omnihook.engine import Engine
from omnihook.events import Event, ToolEvent
from omnihook.folders import Folders
from omnihook.journal import Journal
from omnihook.journal.committing import HOUR, say
from omnihook.journal.describing import hook_json
from omnihook.journal.preparing import Entry
from omnihook.journal.telling import Teller, run_json
from omnihook.journal.writing import DAYS
from omnihook.jsontypes import Json, JsonObject, dumps
from omnihook.outcomes import Outcome, Report, Status
from omnihook.verdicts import Decision

SCHEMA = 1
_WORDS = {decision: decision.word for decision in Decision}
_MANY = 1000  # events with background hooks that are remembered


class Recorder:
    """Writes the reports of engines into a journal."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._configuration: Configuration | None = None  # held, so that it stays recognisable
        self._teller = Teller("", (), journal.encoded)
        self._renewal = 0.0  # when the journal is told again that the configuration is in use
        self._waiting: OrderedDict[int, tuple[Event, str]] = OrderedDict()
        self._listeners: list[Callable[[Event, str], None]] = []

    def attach(self, engine: Engine) -> "Recorder":
        """Record everything an engine fires from now on."""
        engine.observe(lambda report: self.record(report, engine))
        engine.observe_late(self.record_late)
        return self

    def on_record(self, listener: Callable[[Event, str], None]) -> "Recorder":
        """Call a function with every event that has background hooks, and the id of its record."""
        self._listeners.append(listener)
        return self

    def record(self, report: Report, engine: Engine) -> None:
        """Take one report and those that followed from it; refusals and questions are committed at once."""
        monotonic = time.monotonic()
        if engine.configured is not self._configuration or monotonic > self._renewal:
            self._configure(engine, monotonic)
        make = _Taken(self, report, self._teller, monotonic).entries
        verdict = report.verdict
        urgent = verdict.decision >= Decision.ASK or not verdict.continue_
        if any(_waits(item) for item in (report, *report.derived)):  # late answers look for their record's id
            made = make()
            self.journal.take(lambda: made, urgent=urgent)
        else:
            self.journal.take(make, urgent=urgent)

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

    def remember(self, event: Event, id_: str) -> None:
        """Note whose record the late answers to an event belong to."""
        for listener in self._listeners:
            listener(event, id_)
        self._waiting[id(event)] = (event, id_)
        if len(self._waiting) > _MANY:
            self._waiting.popitem(last=False)

    def _configure(self, engine: Engine, monotonic: float) -> None:
        configuration = engine.configured or engine.configuration
        body = snapshot_json(configuration, engine.choice, engine.folders)
        digest = hashlib.sha256(dumps(body).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.journal.config(digest, body)
        self._teller = Teller(digest, configuration.hooks, self.journal.encoded)
        self._configuration, self._renewal = configuration, monotonic + HOUR


def _waits(report: Report) -> bool:
    """Whether some hook has not said all it has to say."""
    return any(outcome.status is Status.LATE for outcome in report.outcomes)


class _Taken:
    """A report as it was taken, and when. Its records are made later; till then a tool may change its input."""

    __slots__ = ("at", "given", "monotonic", "recorder", "report", "teller")

    def __init__(self, recorder: Recorder, report: Report, teller: Teller, monotonic: float) -> None:
        self.recorder, self.report, self.teller, self.monotonic = recorder, report, teller, monotonic
        self.at = time.time()
        event = report.event
        self.given = dict(event.tool_input) if isinstance(event, ToolEvent) else None

    def entries(self) -> Sequence[Entry]:
        """The records of the report and of those that followed from it."""
        root = self._entry(self.report, None, self.given)
        if not self.report.derived:
            return (root,)
        return (root, *(self._entry(item, str(root[0]), None) for item in self.report.derived))

    def _entry(self, report: Report, parent: str | None, given: JsonObject | None) -> Entry:
        event, at = report.event, self.at - report.duration
        made = self.recorder.journal.ids.new(at)
        text, loose = self.teller.tell(report, id=made, at=at, monotonic=self.monotonic, parent=parent, given=given)
        if _waits(report):
            self.recorder.remember(event, made)
        decision = _WORDS[report.verdict.decision]
        return (made, parent, at, event.name, decision, event.agent, event.session_id, text, loose)


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
