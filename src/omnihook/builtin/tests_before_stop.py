"""`tests-before-stop`: the project's tests run when the agent wants to stop, and failing ones keep it going."""

import shlex

from omnihook.builtin import detecting, places, programs
from omnihook.builtin.troubles import Trouble
from omnihook.events import Event, Stop
from omnihook.hooks import Context
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`command`: the tests instead of the detected ones; `timeout`: seconds; `lines`: of output for the agent."""

    command: str | None = None
    timeout: float = 590.0
    lines: int = 60


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Block with the end of the output when the tests fail; tests that cannot run at all are trouble, not failures."""
    if isinstance(event, Stop) and event.turn_tool_calls == 0:
        return None  # nothing was done in this turn
    top, folder = places.project(event, context), places.folder(event, context)
    tests = detecting.step(detecting.TEST, options.command, context, top=top, folder=folder)
    if tests is None:
        return None
    ended = programs.run(tests.argv, context, cwd=tests.folder, timeout=options.timeout)
    if detecting.passed(tests.argv, ended.code):
        return None
    line = options.command or shlex.join(tests.argv)
    if ended.code in (None, 126, 127):
        why = "; ".join(part for part in (ended.why, programs.tail(ended.said, 3, 400)) if part)
        raise Trouble(f"the tests ({line}) did not run: {why}")
    shown = programs.tail(ended.said, int(options.lines))
    return Verdict.block(
        f"The tests fail ({line}, exit code {ended.code}). Fix them before you stop.\n\n{shown}".rstrip()
    )
