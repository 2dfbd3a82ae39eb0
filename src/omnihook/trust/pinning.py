"""Pinning: the project files whose content is part of an approval, and whether more than those may run."""

import os
from functools import lru_cache

from omnihook.hooks import Hook
from omnihook.slotted import dataclass
from omnihook.trust.listing import matching
from omnihook.trust.named import Named
from omnihook.trust.prints import FOLDER, HUGE, OUTSIDE, Print, take_print
from omnihook.trust.projects import relative

MAX_FILES = 2000
_REASONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinning:
    """Which project files are hashed with a hook, and why more than those may run, when it is `open`."""

    files: tuple[str, ...] = ()
    open: bool = False
    why: str = ""
    relative: bool = False  # a name in it depends on the current folder


def pinning(hook: Hook, project: str) -> Pinning:
    """The project files a hook names, and whether it runs project content that cannot be listed."""
    return examine(read_names(hook, project), os.path.realpath(project))[0]


def read_names(hook: Hook, project: str) -> Named:
    """What a hook names; nothing on disk but the project's own place matters for it."""
    from omnihook.trust.naming import named  # the shell parser is only needed here

    return named(hook, os.path.realpath(project))


def examine(names: Named, project: str, *, fresh: bool = False) -> tuple[Pinning, dict[str, Print]]:
    """Names looked up on disk, and what is there; `project` is a folder without links."""
    files, many = listed(names, project)
    found = {path: take_print(project, path, fresh=fresh) for path in files}
    doubts = list(names.doubts)
    if many:
        doubts.append(f"its globs match more than {MAX_FILES} files")
    for path, seen in found.items():
        if seen.kind == OUTSIDE:
            doubts.append(f"{path} leads out of the project")
        elif seen.kind == HUGE:
            doubts.append(f"{path} is too large to be hashed")
        elif seen.kind == FOLDER and path in names.scripts:
            doubts.append(f"{path} is a folder")
    why = "; ".join(doubts[:_REASONS]) + ("; ..." if len(doubts) > _REASONS else "")
    return Pinning(files=files, open=bool(doubts), why=why, relative=names.relative), found


def listed(names: Named, project: str) -> tuple[tuple[str, ...], bool]:
    """The files names stand for now, and whether there are too many of them."""
    found = dict.fromkeys(names.files)
    found.update(dict.fromkeys(path for path in names.maybe if os.path.isfile(os.path.join(project, path))))
    if names.programs:
        for folder in _project_path(project, os.environ.get("PATH", "")):
            found.update(dict.fromkeys(path for name in names.programs if (path := _program(folder, name, project))))
    matched, many = matching(project, names.globs, MAX_FILES) if names.globs else ((), False)
    found.update(dict.fromkeys(matched))
    files = tuple(found)
    return files[:MAX_FILES], many or len(files) > MAX_FILES


@lru_cache(maxsize=32)
def _project_path(project: str, path: str) -> tuple[str, ...]:
    """The folders of PATH that lie inside the project."""
    prefix = project + "/"
    return tuple(folder for folder in path.split(":") if folder.startswith(prefix) or folder == project)


def _program(folder: str, name: str, project: str) -> str | None:
    path = os.path.join(folder, name)
    return relative(os.path.normpath(path), project) if os.path.lexists(path) else None
