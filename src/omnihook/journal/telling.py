"""Telling: a report as the JSON text of a record. Every event does this, so the parts that recur are made once.

What a record leaves out is as by default: no verdict is no opinion, no `stdout` is no output.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from itertools import compress
from operator import attrgetter, is_not

from omnihook.events import Event, ToolEvent
from omnihook.hooks import Hook
from omnihook.journal.preparing import encode
from omnihook.journal.shapes import suspicious
from omnihook.jsontypes import Json, JsonObject
from omnihook.outcomes import Outcome, Report, Status
from omnihook.plans import Plan, Stage
from omnihook.verdicts import NO_OPINION, Decision, Verdict

Encode = Callable[[Json], str]
Reads = Callable[[object], tuple[Json, ...]]
_WORDS = {decision: decision.word for decision in Decision}
_DECISIONS = {decision: encode(decision.word) for decision in Decision}
_BARE = {decision: encode({"decision": decision.word}) for decision in Decision}  # verdicts that say no more
_STATUSES = {status: encode(status.value) for status in Status}
_OK = Status.OK
_TOP = frozenset({"agent", "session_id", "timestamp", "native", "native_name", "changed"})  # elsewhere in a record
_MANY = 1000

_beyond: Reads = attrgetter(*(field.name for field in fields(Verdict) if field.name not in ("decision", "ordinary")))
_NOTHING = _beyond(NO_OPINION)
_details: Callable[[Outcome], tuple[object, ...]] = attrgetter(
    "failure", "said", "pass_", "exit_code", "signal", "stdout", "stderr", "lowered", "notes"
)
_NO_DETAILS: tuple[object, ...] = (None, None, 1, None, None, "", "", (), ())
_known_texts: dict[str, str] = {}
_known_fields: dict[type, tuple[tuple[str, ...], tuple[Json, ...], Reads]] = {}


class Teller:
    """Tells the reports of one configuration; `config` is its digest, `hooks` are its hooks in order."""

    __slots__ = ("_careful", "_config", "_encode", "_heads", "_plans")

    def __init__(self, config: str, hooks: Sequence[Hook], encode: Encode) -> None:
        self._config, self._encode = config, encode
        self._heads = {id(hook): head(hook, number) for number, hook in enumerate(hooks)}
        self._plans: dict[int, tuple[tuple[Stage, ...], str]] = {}
        names = "\n".join(hook.name for hook in hooks)
        self._careful = any(True for _ in suspicious(names.encode("utf-8", "replace")))

    def tell(
        self, report: Report, *, id: str, at: float, monotonic: float, parent: str | None, given: JsonObject | None
    ) -> tuple[str, str]:
        """The text of a record, and what of it may hold secrets. `given` is the tool's input as it was when fired."""
        event, encode, heads = report.event, self._encode, self._heads
        loose: list[str] = []  # what hooks wrote themselves
        runs = ",".join([_run(outcome, heads, encode, loose) for outcome in report.outcomes])
        more = _more(report, encode)
        payload = encode(event_json(event, given))
        known = _known_texts.get
        name, agent, session = event.name, event.agent, event.session_id
        session = known(session) or _quoted(session)
        follows = "" if parent is None else f',"parent":"{parent}"'
        text = (
            f'{{"id":"{id}","at":{at:.3f},"monotonic":{monotonic:.3f},"event":{known(name) or _quoted(name)},'
            f'"decision":{_DECISIONS[report.verdict.decision]},"agent":{known(agent) or _quoted(agent)},'
            f'"session":{session},"config":"{self._config}","duration_ms":{report.duration * 1000:.3f},'
            f'"plan":{self._planned(report.plan)},"runs":[{runs}]{follows}{more},"payload":{payload}}}'
        )
        return text, text if self._careful else f"{session}{more}{payload}{''.join(loose)}"

    def _planned(self, plan: Plan) -> str:
        """The names of a plan's hooks by stage and lane; plans of the same hooks share their stages."""
        found = self._plans.get(id(plan.stages))
        if found is not None and found[0] is plan.stages and not plan.background:
            return found[1]
        made: list[Json] = [[[step.hook.name for step in lane] for lane in stage] for stage in plan.stages]
        if plan.background:
            made.append([[step.hook.name] for step in plan.background])
            return encode(made)
        if len(self._plans) > _MANY:
            self._plans.clear()
        text = encode(made)
        self._plans[id(plan.stages)] = (plan.stages, text)
        return text


def head(hook: Hook, number: int | None) -> str:
    """How the JSON of a hook's run begins; `number` is its place in the configuration."""
    return f'{{"hook":{encode(hook.name)},"n":{encode(number)},"status":'


def run_json(outcome: Outcome) -> dict[str, Json]:
    """What one hook did."""
    failure, said = outcome.failure, outcome.said
    found: dict[str, Json] = {
        "hook": outcome.hook.name,
        "status": outcome.status.value,
        "duration_ms": round(outcome.duration * 1000, 3),
        "verdict": None if outcome.verdict is NO_OPINION else verdict_json(outcome.verdict),
        "said": None if said is None else verdict_json(said),
        "error": None if failure is None else failure.message,
        "cause": None if failure is None else failure.cause.value,
        "pass": None if outcome.pass_ == 1 else outcome.pass_,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "stdout": outcome.stdout or None,
        "stderr": outcome.stderr or None,
        "lowered": [*outcome.lowered] or None,
        "notes": [*outcome.notes] or None,
        "saw": None if outcome.verdict.updated_input is None else dict(outcome.saw),
    }
    return {name: value for name, value in found.items() if value is not None}


def verdict_json(verdict: Verdict) -> dict[str, Json]:
    """What a verdict says beyond nothing, under the names of the fields."""
    made = {name.rstrip("_"): value for name, value in _changed(verdict).items() if value != {}}
    return {**made, "decision": _WORDS[verdict.decision]} if verdict.decision else made


def event_json(event: Event, given: JsonObject | None = None) -> dict[str, Json]:
    """An event such that it can be made again: the payload as it came and what was changed, or its fields.

    `given` is the tool's input, where that of the event may have been changed since.
    """
    if event.native:
        whole: dict[str, Json] = {"native": dict(event.native), "name": event.native_name}
        changed = {name: getattr(event, name) for name in sorted(event.changed)}
        return {**whole, "changed": changed} if changed else whole
    made = _changed(event)
    if given:
        made["tool_input"] = dict(given)
    own: dict[str, Json] = {"fields": made}
    return {**own, "name": event.native_name} if event.native_name else own


def _run(outcome: Outcome, heads: Mapping[int, str], encode: Encode, loose: list[str]) -> str:
    begun = heads.get(id(outcome.hook)) or head(outcome.hook, None)
    status, verdict = outcome.status, outcome.verdict
    word = '"ok"' if status is _OK else _STATUSES[status]  # members hash slowly
    made = f'{begun}{word},"duration_ms":{outcome.duration * 1000:.3f}'
    if verdict.updated_input is not None or _details(outcome) != _NO_DETAILS:
        known = run_json(outcome)
        del known["hook"], known["status"], known["duration_ms"]
        if known:
            loose.append(encode(known))
            return f"{made},{loose[-1][1:]}"
    elif verdict is not NO_OPINION:
        if _beyond(verdict) == _NOTHING:
            return f'{made},"verdict":{_BARE[verdict.decision]}}}'
        loose.append(encode(verdict_json(verdict)))
        return f'{made},"verdict":{loose[-1]}}}'
    return made + "}"


def _verdict(verdict: Verdict, encode: Encode) -> str:
    return _BARE[verdict.decision] if _beyond(verdict) == _NOTHING else encode(verdict_json(verdict))


def _more(report: Report, encode: Encode) -> str:
    """What many records have nothing of."""
    event, verdict = report.event, report.verdict
    made = (
        f',"tool":{_known_texts.get(event.tool_name) or _quoted(event.tool_name)}'
        if isinstance(event, ToolEvent)
        else ""
    )
    if verdict is not NO_OPINION:
        made += f',"verdict":{_verdict(verdict, encode)}'
    if report.skipped:
        found: list[Json] = [
            {"hook": item.hook.name, "why": item.why, "detail": item.detail} for item in report.skipped
        ]
        made += f',"skipped":{encode(found)}'
    if report.lowered or report.conflicts or report.notices:
        notes = {"lowered": report.lowered, "conflicts": report.conflicts, "notices": report.notices}
        made += "," + encode({name: [*texts] for name, texts in notes.items() if texts})[1:-1]
    return made


def _changed(value: Event | Verdict) -> dict[str, Json]:
    """The fields that are not as they are by default; what only equals the default may be among them."""
    found = _known_fields.get(type(value))
    if found is None:
        names = tuple(field.name for field in fields(value) if field.name not in _TOP)
        read: Reads = attrgetter(*names)
        found = _known_fields[type(value)] = (names, read(type(value)()), read)
    names, defaults, read = found
    values = read(value)
    set_ = [*map(is_not, values, defaults)]
    return dict(zip(compress(names, set_), compress(values, set_), strict=True))


def _quoted(text: str) -> str:
    """A short text that comes again and again, as JSON."""
    found = _known_texts.get(text)
    if found is None:
        found = encode(text)
        if len(_known_texts) > _MANY:
            _known_texts.clear()
        _known_texts[text] = found
    return found
