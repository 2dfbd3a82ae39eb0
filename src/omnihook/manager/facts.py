"""What the manager tells about one hook: where it comes from, whether it runs, and how it has been doing."""

import time
from collections.abc import Iterator

from omnihook.editing.keeping import Kept
from omnihook.engine import Engine
from omnihook.holding import needs_trust
from omnihook.hooks import Hook, summary
from omnihook.journal.figures import Figures
from omnihook.planning import timeout_of
from omnihook.showing import one_line
from omnihook.slotted import dataclass
from omnihook.trust import TrustStore

GOOD, WARNING, BAD, PLAIN = "good", "warning", "bad", "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A labelled line, safe to show; `tone` says how it is to be taken."""

    label: str
    text: str
    tone: str = PLAIN


def facts(hook: Hook, engine: Engine, trust: TrustStore, figures: Figures | None) -> tuple[Fact, ...]:
    """Everything worth knowing about a hook, most asked for first."""
    return (
        *_definition(hook),
        *_standing(hook, engine, trust),
        *_limits(hook, engine),
        *_place(hook, engine),
        *_history(figures),
    )


def kept_facts(kept: Kept, home: str) -> tuple[Fact, ...]:
    """What is known of a hook that was taken out of its file."""
    return (
        _fact("command", kept.about),
        _fact("state", "disabled, and kept until it is enabled", WARNING),
        _fact("from", short(kept.path, home)),
        _fact("dialect", f"{kept.dialect}, {kept.layer}"),
        _fact("was", kept.label),
    )


def _definition(hook: Hook) -> Iterator[Fact]:
    yield _fact(type(hook.action).__name__.lower(), summary(hook))
    if hook.description:
        yield _fact("about", hook.description)
    if hook.matcher.never is not None:
        yield _fact("matcher", f"{hook.matcher.text} (never: {hook.matcher.never})", BAD)
    elif hook.matcher.text:
        yield _fact("matcher", hook.matcher.text)
    for label, words in (("tools", hook.tools), ("paths", hook.paths)):
        if words:
            yield _fact(label, ", ".join(words))
    if hook.rule is not None:
        yield _fact("if", hook.rule)


def _standing(hook: Hook, engine: Engine, trust: TrustStore) -> Iterator[Fact]:
    held = next((item for item in engine.configuration.planner.held.values() if item.hook is hook), None)
    if not hook.enabled:
        yield _fact("state", "disabled", WARNING)
    elif held is None:
        yield _fact("state", "enabled", GOOD)
    else:
        detail = f" ({held.detail})" if held.detail and held.why not in ("untrusted", "modified") else ""
        yield _fact("state", f"does not run: {held.why}{detail}", BAD)
    for label, wanted in (("guard", hook.guard), ("shadow", hook.shadow)):
        if wanted:
            yield _fact("kind", label)
    yield from _trust(hook, engine, trust)
    for item in engine.quarantine.held() if engine.quarantine.holds(hook) else ():
        if (item.name, item.source) == (hook.name, hook.source.path or ""):
            yield _fact("held", f"quarantined {_clock(item.since)}: {item.reason}", BAD)


def _trust(hook: Hook, engine: Engine, trust: TrustStore) -> Iterator[Fact]:
    if not needs_trust(hook, engine.folders):
        yield _fact("trust", "not needed")
        return
    standing = trust.standing(hook, engine.folders.project)
    tone = GOOD if standing.trusted else BAD
    detail = f": {standing.detail}" if standing.detail and not standing.trusted else ""
    yield _fact("trust", standing.state + detail, tone)
    pinning = standing.pinning
    if pinning.open:
        yield _fact("pins", f"open: {pinning.why}", WARNING)
    else:
        yield _fact("pins", f"pinned: {', '.join(pinning.files) or 'its definition'}")


def _limits(hook: Hook, engine: Engine) -> Iterator[Fact]:
    seconds = timeout_of(hook, hook.events[0] if hook.events else "", engine.configuration.dialects)
    if seconds is not None:
        yield _fact("time-out", f"{seconds:g} s" + (", by default" if hook.timeout is None else ""))
    if hook.background:
        yield _fact("async", "runs in the background")


def _place(hook: Hook, engine: Engine) -> Iterator[Fact]:
    yield _fact("from", short(engine.configuration.source_of(hook), engine.folders.home))
    yield _fact("dialect", f"{hook.source.dialect}, {hook.source.layer.label}")
    if ":" not in hook.name:  # else it is the number that the list shows
        yield _fact("name", hook.name)


def _history(figures: Figures | None) -> Iterator[Fact]:
    if figures is None:
        yield _fact("runs", "none in the journal")
        return
    broken = f", {figures.failures} broken" if figures.failures else ""
    yield _fact("runs", f"{figures.runs}{broken}, p95 {figures.p95:.0f} ms", WARNING if figures.failures else PLAIN)
    for run in figures.last:
        yield _fact("", f"{_clock(run.at)} {run.status} {run.duration_ms:.0f} ms", BAD if run.broken else PLAIN)


def short(path: str, home: str) -> str:
    """A path with the home as people write it."""
    return "~" + path[len(home) :] if home != "/" and path.startswith(home + "/") else path


def _clock(at: float) -> str:
    return time.strftime("%d %b %H:%M:%S", time.localtime(at))


def _fact(label: str, text: str, tone: str = PLAIN) -> Fact:
    return Fact(label=label, text=one_line(text, 1000), tone=tone)
