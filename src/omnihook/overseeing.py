"""Overseeing: what hooks cost and how often they break; a warning over the budget, quarantine after too many breaks."""

from omnihook.outcomes import Outcome, Report, Status
from omnihook.quarantine import LIMIT, Quarantine, exempt
from omnihook.sessions import Sessions, key_of
from omnihook.slotted import dataclass

BUDGET = 2.0  # seconds for all hooks of one event together
_FAILED = frozenset({Status.BROKEN, Status.TIMEOUT, Status.OVERFLOW})
_COUNT = "broken:"


@dataclass(slots=True)
class Overseer:
    """Looks at every report; it warns and holds back, and never cuts a hook short."""

    sessions: Sessions
    quarantine: Quarantine
    budget: float = BUDGET
    limit: int = LIMIT
    failing: bool = False  # whether any hook has failed since its last success, as far as this process knows

    def look(self, report: Report) -> tuple[str, ...]:
        """What people should know about a report."""
        notices = self._over_budget(report) if report.duration > self.budget else ()
        if self.failing or any(outcome.status in _FAILED for outcome in report.outcomes):
            notices = (*notices, *self._count(report))
        return notices

    def _over_budget(self, report: Report) -> tuple[str, ...]:
        if not report.outcomes:
            return ()
        slowest = max(report.outcomes, key=lambda outcome: outcome.duration)
        return (
            f"hooks of {report.event.name} took {report.duration:.1f} s, more than the budget of {self.budget:g} s;"
            f" the slowest was {slowest.hook.name} with {slowest.duration:.1f} s",
        )

    def _count(self, report: Report) -> list[str]:
        notices: list[str] = []
        with self.sessions.changing(key_of(report.event)) as state:
            for outcome in report.outcomes:
                name = _COUNT + outcome.hook.name
                if outcome.status not in _FAILED:
                    state.counts.pop(name, None)
                elif not exempt(outcome.hook):
                    state.counts[name] = state.counts.get(name, 0) + 1
                    if state.counts[name] >= self.limit and self._hold(outcome, report):
                        del state.counts[name]
                        notices.append(_notice(outcome, self.limit))
            self.failing = any(name.startswith(_COUNT) for name in state.counts)
        return notices

    def _hold(self, outcome: Outcome, report: Report) -> bool:
        reason = outcome.failure.message if outcome.failure is not None else outcome.status.value
        return self.quarantine.hold(outcome.hook, since=report.event.timestamp or 0.0, reason=reason)


def _notice(outcome: Outcome, limit: int) -> str:
    name = outcome.hook.name
    return f"hook {name} broke {limit} times in a row and is quarantined; bring it back with: omnihook enable {name}"
