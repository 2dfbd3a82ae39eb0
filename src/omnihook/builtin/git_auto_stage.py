"""`git-auto-stage`: what the agent creates or changes is staged, what it deletes leaves the index."""

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase

from omnihook.builtin import places, programs
from omnihook.builtin.programs import Trouble
from omnihook.builtin.repositories import repository
from omnihook.events import Event, FileModified
from omnihook.hooks import Context
from omnihook.tools import DELETE
from omnihook.verdicts import Verdict

NAMES = (".env*", "*.log", "*.tmp", "*.swp", "*.bak")
FOLDERS = frozenset({"node_modules", ".git", "dist", "build", "coverage"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`skip`: more to leave alone; a name that ends in `/` is a folder anywhere in the path, others are globs."""

    skip: tuple[str, ...] = ()


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Stage the change, unless the file is on a skip list, ignored, or in no repository."""
    if not isinstance(event, FileModified):
        return None
    file = places.file(event, context)
    here = repository(places.folder(event, context), context) if file is not None else None
    path = here.path(file) if here is not None and file is not None else None
    if here is None or file is None or path is None or skipped(path, options.skip):
        return None
    if event.change_type == DELETE:
        ended = here.git("rm", "--cached", "-r", "-q", "--ignore-unmatch", "--", path)
    elif not os.path.lexists(file) or here.asked("ls-files", "-oi", "--exclude-standard", "--", path):
        return None
    else:
        ended = here.git("add", "--", path)
    if ended.code != 0:
        raise Trouble(f"{path} was not staged: {programs.tail(ended.said, 3, 400) or ended.why}")
    return None


def skipped(path: str, more: tuple[str, ...] = ()) -> bool:
    """Whether a path, relative to the repository, is on a skip list: by whole components, never by parts of one."""
    *folders, name = path.split("/")
    also = {folder.rstrip("/") for folder in more if folder.endswith("/")}
    if not (FOLDERS | also).isdisjoint(folders):
        return True
    return any(fnmatchcase(name, glob) for glob in (*NAMES, *(glob for glob in more if not glob.endswith("/"))))
