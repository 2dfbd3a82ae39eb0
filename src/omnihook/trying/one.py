"""Running one hook by itself, whatever its matcher and whether it is enabled or not."""

from dataclasses import replace

from omnihook.engine import Engine
from omnihook.events import Event
from omnihook.holding import needs_trust
from omnihook.hooks import EVERYTHING, Hook
from omnihook.outcomes import Outcome
from omnihook.planning import timeout_of
from omnihook.plans import Step
from omnihook.runners.scenes import Scene
from omnihook.running import run_one
from omnihook.slotted import dataclass
from omnihook.trust import TrustStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What came of trying a hook: an outcome, or why it was not run."""

    event: Event
    outcome: Outcome | None = None
    refusal: str | None = None


async def attempt(hook: Hook, event: Event, engine: Engine, *, trust_project: bool = False) -> Attempt:
    """Run a hook of an engine on an event; one from inside the work tree only if it is approved."""
    why = untrusted(hook, engine) if not trust_project else None
    if why is not None:
        return Attempt(event=event, refusal=why)
    ready = replace(
        hook,
        matcher=EVERYTHING,
        tools=(),
        paths=(),
        rule=None,
        enabled=True,
        once=False,
        background=False,
        shadow=False,
    )
    configuration = engine.configuration
    store = TrustStore(engine.folders.state)
    checked = not trust_project and needs_trust(hook, engine.folders)
    scene = Scene(
        dialects=configuration.dialects,
        environ=engine.environ,
        project=engine.folders.project,
        state=engine.folders.state,
        settings=configuration.settings,
        # What is approved is the hook as it is written, not as it is tried.
        verifier=lambda: lambda _, cwd: store.verify(hook, engine.folders.project, cwd=cwd) if checked else None,
    )
    step = Step(hook=ready, timeout=timeout_of(ready, event.name, configuration.dialects))
    outcome = await run_one(step, event, scene)
    if outcome.status.value == "skipped":
        return Attempt(event=event, refusal="; ".join(outcome.notes))
    return Attempt(event=event, outcome=replace(outcome, hook=hook))


def untrusted(hook: Hook, engine: Engine) -> str | None:
    """Why a hook from inside the work tree must not run; None when it may."""
    if not needs_trust(hook, engine.folders):
        return None
    standing = TrustStore(engine.folders.state).standing(hook, engine.folders.project)
    if standing.trusted:
        return None
    return f"it is {standing.state}; approve it with 'omnihook trust', or use --trust-project"
