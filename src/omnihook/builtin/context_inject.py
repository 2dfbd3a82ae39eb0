"""`context-inject`: what an agent would otherwise ask first: the branch, the changed files, the system."""

import platform

from omnihook.builtin import places
from omnihook.builtin.repositories import Refused, Repository, repository
from omnihook.events import Event
from omnihook.hooks import Context
from omnihook.showing import counted, one_line
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`files`: how many changed files to name; the others are counted."""

    files: int = 20


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Give the agent a few lines about where it is."""
    where = places.folder(event, context)
    lines = [f"Working directory: {one_line(where)}", f"System: {platform.system()} {platform.release()}"]
    try:
        here = repository(where, context)
    except Refused as error:
        return Verdict.context("\n".join([*lines, f"Git status: not known; {error}"]))
    if here is not None:
        lines += _state(here, int(options.files))
    return Verdict.context("\n".join(lines))


def _state(here: Repository, limit: int) -> list[str]:
    branch = here.git("symbolic-ref", "--quiet", "--short", "HEAD")
    name = branch.output.strip() or f"detached at {here.git('rev-parse', '--short', 'HEAD').output.strip()}"
    changed = here.items("status", "--porcelain", "-z", "--no-renames")
    lines = [f"Git branch: {one_line(name)}"]
    if not changed:
        return [*lines, "Git status: clean"]
    lines.append(f"Git status: {counted(len(changed), 'changed file')}")
    lines += [f"  {one_line(item)}" for item in changed[:limit]]
    return [*lines, f"  and {len(changed) - limit} more"] if len(changed) > limit else lines
