"""GenCode's display of hooks that ran: what started, and what came of it."""

import re
from collections.abc import Mapping

from omnihook.hooks import summary
from omnihook.outcomes import Outcome, Report, Status
from omnihook.showing import one_line

BLOCKED = "Hook blocked further execution."
_GOOD = frozenset({Status.OK, Status.SHADOW})


def display(report: Report, name: str, values: Mapping[str, str]) -> str:
    """The lines for one event, empty when nothing ran; `values` are shown in place of the variables' names."""
    lines = [line for outcome in report.outcomes for line in _outcome(outcome, name, values)]
    if not lines:
        return ""
    lines = ["Running hooks...", *lines]
    if report.refused:
        lines += ["", f"{BLOCKED} Please fix what it reports." if report.verdict.reason else BLOCKED]
    return "\n".join(lines) + "\n"


def _outcome(outcome: Outcome, name: str, values: Mapping[str, str]) -> list[str]:
    started = f"  ▶ {name}: {one_line(_filled(summary(outcome.hook), values))}"
    if outcome.status is Status.LATE:
        return [started]
    mark = "✓" if outcome.status in _GOOD else "✗"
    return [started, f"  {mark} {one_line(_words(outcome))}".rstrip()]


def _words(outcome: Outcome) -> str:
    """The hook's message, else its last line of output."""
    if outcome.failure is not None:
        return outcome.failure.message
    said = outcome.verdict
    message = said.system_message or said.reason or outcome.stdout.strip() or outcome.stderr.strip()
    return message.strip().rsplit("\n", 1)[-1]


def _filled(command: str, values: Mapping[str, str]) -> str:
    names = "|".join(sorted(values, key=len, reverse=True))
    pattern = re.compile(rf"\$\{{({names})\}}|\$({names})(?![A-Za-z0-9_])")
    return pattern.sub(lambda found: values[found[1] or found[2]], command)
