"""`git-auto-stage`: what the agent creates or changes is staged, what it deletes leaves the index."""

import os
from fnmatch import fnmatchcase

from omnihook.builtin import places, programs, withheld
from omnihook.builtin.guard.places import Scene
from omnihook.builtin.repositories import Refused, Repository, fault, repository
from omnihook.builtin.troubles import Trouble
from omnihook.events import Event, FileModified
from omnihook.hooks import Context
from omnihook.showing import one_line
from omnihook.slotted import dataclass
from omnihook.tools import DELETE
from omnihook.verdicts import Verdict

NAMES = (".env*", "*.log", "*.tmp", "*.swp", "*.bak")
FOLDERS = frozenset({"node_modules", ".git", "dist", "build", "coverage"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`skip`: more to leave alone; a name that ends in `/` is a folder anywhere in the path, others are globs."""

    skip: tuple[str, ...] = ()


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Stage the change, unless the file is on a skip list, ignored, in no repository, or may hold secrets."""
    if not isinstance(event, FileModified):
        return None
    file = places.file(event, context)
    try:
        here = None if file is None else _holding(file, places.folder(event, context), options.skip, context)
    except Refused as error:
        return Verdict(system_message=f"git-auto-stage: {one_line(event.file_path)} was not staged: {error}")
    path = None if file is None or here is None else here.path(file)
    if here is None or file is None or path is None:
        return None
    if event.change_type == DELETE:
        ended = here.git("rm", "--cached", "-r", "-q", "--ignore-unmatch", "--", path)
    elif not _is_file(file) or here.asked("ls-files", "-oi", "--exclude-standard", "--", path):
        return None
    else:
        against = withheld.why(file, Scene(here.top, places.home(context), here.top))
        if against is None and here.unmerged(path):
            against = "it is in conflict, and staging it would settle that"
        if against is not None:
            return Verdict(system_message=f"git-auto-stage: {one_line(path)} was not staged: {against}")
        ended = here.git("add", "--", path)
    if ended.code != 0:
        raise Trouble(f"{path} was not staged: {fault(ended)}")
    return None


def _holding(file: str, folder: str, skip: tuple[str, ...], context: Context) -> Repository | None:
    """The repository to stage a file in: the session's own, or a submodule or work tree of it that the file is in.

    Any other repository inside it has a configuration, and so programs, that nobody chose.
    """
    own = repository(folder, context)
    path = None if own is None else own.path(file)
    if own is None or path is None or skipped(path, skip):
        return None
    parent = os.path.realpath(os.path.dirname(file))
    inner = repository(next(iter(filter(os.path.isdir, programs.upwards(parent, own.top))), own.top), context)
    return inner if inner is not None and inner.belongs_to(own) else None


def _is_file(path: str) -> bool:
    """Whether there is one; a folder may hold what must not be staged."""
    return os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path))


def skipped(path: str, more: tuple[str, ...] = ()) -> bool:
    """Whether a path, relative to the repository, is on a skip list: by whole components, never by parts of one."""
    *folders, name = path.split("/")
    also = {folder.rstrip("/") for folder in more if folder.endswith("/")}
    if not (FOLDERS | also).isdisjoint(folders):
        return True
    return any(fnmatchcase(name, glob) for glob in (*NAMES, *(glob for glob in more if not glob.endswith("/"))))
