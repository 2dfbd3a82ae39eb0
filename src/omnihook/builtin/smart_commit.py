"""`smart-commit`: what a turn changed is linted, tested and committed; never pushed, and never a protected file."""

import tempfile
from dataclasses import dataclass

from omnihook.builtin import commit_messages, detecting, places, programs
from omnihook.builtin.commit_messages import Change
from omnihook.builtin.guard.places import Scene
from omnihook.builtin.guard.protected import protected_path
from omnihook.builtin.repositories import Repository, listed, repository
from omnihook.events import Event
from omnihook.hooks import Context
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
    here = repository(places.folder(event, context), inside)
    if here is None or here.busy() or not _changed(here, inside):
        return None
    failure = _checked(here, options, inside)
    if failure is not None:
        return Verdict.context(f"smart-commit: nothing was committed. {failure}")
    changes = _changed(here, inside)  # a linter may have changed more, or undone it all
    return _commit(here, changes, options, inside) if changes else None


def _changed(here: Repository, context: Context) -> list[str]:
    """Every file that differs from the last commit, but for protected ones."""
    entries = listed(here.asked("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"))
    scene = Scene(here.top, places.home(context), here.top)
    return [entry[3:] for entry in entries if not protected_path(f"{here.top}/{entry[3:]}", scene)]


def _checked(here: Repository, options: Options, context: Context) -> str | None:
    """Why not to commit: the step that failed, and the end of what it said."""
    for what, given in ((detecting.LINT, options.lint), (detecting.TEST, options.test)):
        argv = detecting.command(what, given, here.top, context)
        if argv is None:
            continue
        ended = programs.run(argv, context, cwd=here.top, timeout=options.timeout)
        if ended.code != 0:
            return f"The {what} step failed ({ended.why}):\n{programs.tail(ended.said, 40, 4000)}"
    return None


def _commit(here: Repository, paths: list[str], options: Options, context: Context) -> Verdict | None:
    stdin = "\0".join(paths).encode("utf-8", "surrogateescape")
    listing = ("--pathspec-from-file=-", "--pathspec-file-nul")
    added = here.git("add", *listing, stdin=stdin)
    if added.code != 0:
        return Verdict.context(f"smart-commit: the changes could not be staged: {programs.tail(added.said, 5, 800)}")
    changes = _staged(here, frozenset(paths))
    if not changes:
        return None
    diff = here.git("diff", "--cached", "--no-color", "--no-ext-diff", "--stat", "-p", "--", *_some(changes)).output
    message = commit_messages.from_model(diff, model=options.model, env=context.env) or commit_messages.plain(changes)
    stdin = "\0".join(change.path for change in changes).encode("utf-8", "surrogateescape")
    with tempfile.NamedTemporaryFile("w", prefix="omnihook-message-", encoding="utf-8", errors="replace") as file:
        file.write(message + "\n")
        file.flush()
        words = ("commit", "--quiet", "--only", "--cleanup=whitespace", "-F", file.name, *listing)
        ended = here.git(*words, stdin=stdin, timeout=options.timeout)
    if ended.code != 0:
        return Verdict.context(f"smart-commit: git did not commit: {programs.tail(ended.said, 20, 2000) or ended.why}")
    made = here.asked("rev-parse", "--short", "HEAD").strip()
    return Verdict.context(f"smart-commit: committed {made}: {message.splitlines()[0]}")


def _staged(here: Repository, wanted: frozenset[str]) -> list[Change]:
    words = listed(here.asked("diff", "--cached", "--name-status", "-z", "--no-renames"))
    pairs = zip(words[::2], words[1::2], strict=True)
    return [Change(path=path, status=status[:1]) for status, path in pairs if path in wanted]


def _some(changes: list[Change]) -> tuple[str, ...]:
    """As many files as a model is shown anyway."""
    return tuple(change.path for change in changes[:200])
