"""What came of trying a hook on a sample event, as facts."""

from collections.abc import Iterator

from omnihook.dialect import Dialect, native_name
from omnihook.jsontypes import dumps
from omnihook.manager.facts import BAD, GOOD, PLAIN, WARNING, Fact
from omnihook.outcomes import Outcome
from omnihook.showing import one_line, shown
from omnihook.trying.one import Attempt

LONGEST = 100_000  # characters of output that are shown


def told(found: Attempt, dialect: Dialect) -> Iterator[Fact]:
    """What came of an attempt, most important first, and the event it was tried on."""
    yield Fact(label="event", text=one_line(native_name(dialect, found.event)))
    if found.outcome is None:
        yield Fact(label="not run", text=one_line(found.refusal or "", 1000), tone=BAD)
    else:
        yield from _outcome(found.outcome)
    given = {key: value for key, value in dialect.encode_event(found.event).body.items() if value is not None}
    yield Fact(label="input", text="\n".join(one_line(f"{key}: {dumps(value)}") for key, value in given.items()))


def _outcome(outcome: Outcome) -> Iterator[Fact]:
    ended = f"exit {outcome.exit_code}" if outcome.exit_code is not None else outcome.status.value
    yield Fact(label="result", text=f"{outcome.status.value}, {ended}, {outcome.duration * 1000:.0f} ms")
    if outcome.failure is not None:
        yield Fact(label="broken", text=one_line(outcome.failure.message, 1000), tone=BAD)
    yield from _verdict(outcome)
    for label, text in (("output", outcome.stdout), ("stderr", outcome.stderr)):
        if text:
            yield Fact(label=label, text=shown(text.rstrip("\n"), LONGEST))
    for note in outcome.notes:
        yield Fact(label="note", text=one_line(note, 1000), tone=WARNING)


def _verdict(outcome: Outcome) -> Iterator[Fact]:
    said = outcome.verdict if outcome.said is None else outcome.said
    tone = BAD if said.refused else GOOD if said.decision.word else PLAIN
    reason = f": {one_line(said.reason, 1000)}" if said.reason else ""
    yield Fact(label="verdict", text=(said.decision.word or "no opinion") + reason, tone=tone)
    if not said.continue_:
        yield Fact(label="stop", text=one_line(said.stop_reason or "no reason given"), tone=BAD)
    changed = None if said.updated_input is None else dumps(dict(said.updated_input))
    for label, text in (("becomes", changed), ("context", said.additional_context), ("message", said.system_message)):
        if text:
            yield Fact(label=label, text=one_line(text, 1000))
