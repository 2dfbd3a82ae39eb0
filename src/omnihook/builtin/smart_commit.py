"""`smart-commit`: what a turn changed is linted, tested and committed; never pushed, and never a protected file."""

import os
import tempfile

from omnihook.builtin import commit_messages, detecting, places, programs, staging, withheld
from omnihook.builtin.commit_messages import Change
from omnihook.builtin.guard.places import Scene
from omnihook.builtin.repositories import Refused, Repository, repository
from omnihook.events import Event
from omnihook.hooks import Context
from omnihook.showing import one_line
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict

# Whoever finds one of these set runs inside a commit of ours, perhaps as an agent that a git hook started.
RUNNING = ("OMNIHOOK_SMART_COMMIT_RUNNING", "AUTOHAND_SMART_COMMIT_RUNNING")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`lint`, `test`: commands instead of the detected ones; `model`; `timeout`: seconds for each program."""

    lint: str | None = None
    test: str | None = None
    model: str | None = None
    timeout: float = 300.0


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Check and commit; what keeps it from committing is told to the agent."""
    if any(context.env.get(name) for name in RUNNING):
        return None
    inside = Context(session_id=context.session_id, cwd=context.cwd, env={**context.env, **dict.fromkeys(RUNNING, "1")})
    folder = os.path.realpath(places.folder(event, context))
    try:
        here = repository(folder, inside)
    except Refused as error:
        return Verdict.context(f"smart-commit: nothing was committed: {error}")
    if here is None or here.busy() or not _changed(here, inside).paths:
        return None
    failure = _checked(here, folder, options, inside)
    if failure is not None:
        return Verdict.context(f"smart-commit: nothing was committed. {failure}")
    changed = _changed(here, inside)  # a linter may have changed more, or undone it all
    said = _commit(here, changed.paths, options, inside) if changed.paths else None
    return None if said is None else Verdict.context(f"smart-commit: {said}{_left_out(changed.withheld)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    """Files that differ from the last commit: those to commit, and those that may hold secrets."""

    paths: list[str]
    withheld: list[str]


def _changed(here: Repository, context: Context) -> _Changed:
    entries = here.items("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
    # What ends with a slash is another repository inside this one.
    found = dict.fromkeys(entry[3:] for entry in entries if not entry.endswith("/"))
    scene = Scene(here.top, places.home(context), here.top)
    kept = {path: withheld.why(f"{here.top}/{path}", scene) is None for path in found}
    return _Changed(
        paths=[path for path, fine in kept.items() if fine], withheld=[path for path, fine in kept.items() if not fine]
    )


def _left_out(paths: list[str]) -> str:
    if not paths:
        return ""
    more = f" and {len(paths) - 10} more" if len(paths) > 10 else ""
    return f"\nLeft out, since they may hold secrets: {', '.join(one_line(path, 200) for path in paths[:10])}{more}"


def _checked(here: Repository, folder: str, options: Options, context: Context) -> str | None:
    """Why not to commit: the step that failed, and the end of what it said."""
    for what, given in ((detecting.LINT, options.lint), (detecting.TEST, options.test)):
        step = detecting.step(what, given, context, top=here.top, folder=folder)
        if step is None:
            continue
        ended = programs.run(step.argv, context, cwd=step.folder, timeout=options.timeout)
        if not detecting.passed(step.argv, ended.code):
            return f"The {what} step failed ({ended.why}):\n{programs.tail(ended.said, 40, 4000)}"
    return None


def _commit(here: Repository, paths: list[str], options: Options, context: Context) -> str | None:
    """Commit from an index of our own, so that what the user staged is as it was when git refuses."""
    before = here.position()
    with tempfile.TemporaryDirectory(prefix="omnihook-commit-") as folder:
        aside = staging.aside(here, folder)
        trouble = staging.stage(aside, paths)
        if trouble is not None:
            return f"the changes could not be staged: {trouble}"
        changes = _staged(aside)
        if not changes:
            return None
        message = _message(aside, changes, options, context)
        file = os.path.join(folder, "message")
        with open(file, "w", encoding="utf-8", errors="replace") as opened:
            opened.write(message.text + "\n")
        if here.locked():
            return "nothing was committed, since another git holds the index (index.lock)"
        if here.position() != before or here.busy():  # our index would undo what was committed since
            return "nothing was committed, since the branch changed meanwhile"
        ended = aside.git("commit", "--quiet", "--cleanup=whitespace", "-F", file, timeout=options.timeout)
    if ended.code != 0 and (not ended.timed_out or here.position() == before):
        return f"git did not commit: {programs.tail(ended.said, 20, 2000) or ended.why}"
    staging.follow(here, paths)
    # A hook of git's may have changed the message, or have failed when all was done.
    late = "" if ended.code == 0 else f"\nAfter that git did not end well: {ended.why}"
    return f"committed {here.shown_head()}{late}{message.note}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Message:
    """The message to commit with, and what the user should know of it."""

    text: str
    note: str = ""


def _message(aside: Repository, changes: list[Change], options: Options, context: Context) -> _Message:
    """What a model makes of the changes, else their names."""
    diff = aside.git("diff", "--cached", "--no-color", "--no-ext-diff", "--stat", "-p", "--", *_some(changes)).output
    try:
        written = commit_messages.from_model(diff, model=options.model, env=context.env)
    except commit_messages.Unavailable as error:
        note = f"\nIts message is a plain one, since no model answered: {one_line(str(error), 200)}"
        return _Message(text=commit_messages.plain(changes), note=note)
    return _Message(text=written or commit_messages.plain(changes))


def _staged(aside: Repository) -> list[Change]:
    words = aside.items("diff", "--cached", "--name-status", "-z", "--no-renames")
    return [Change(path=path, status=status[:1]) for status, path in zip(words[::2], words[1::2], strict=True)]


def _some(changes: list[Change]) -> tuple[str, ...]:
    """As many files as a model is shown anyway."""
    return tuple(change.path for change in changes[:200])
