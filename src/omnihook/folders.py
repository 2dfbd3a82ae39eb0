"""Where things are: the user's home, our configuration and state, and the project a directory belongs to.

By hand instead of platformdirs: the paths are part of the contract and the same on every system, and the
variables must come from the caller's environment and may not point into the work tree.
"""

import errno
import os
from collections.abc import Mapping

from omnihook.slotted import dataclass

MARKS = (".git", ".omnihook", ".hg", ".jj")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Every folder one engine uses; `refused` names variables that were ignored, and why."""

    home: str
    config: str  # XDG_CONFIG_HOME or ~/.config
    state: str
    project: str
    managed: str = "/"  # what absolute managed paths are below; the root but for tests of our own
    refused: tuple[str, ...] = ()


def here(environ: Mapping[str, str]) -> str:
    """The current directory, or the home when it is gone."""
    try:
        return os.getcwd()
    except OSError:
        home = environ.get("HOME", "")
        return home if os.path.isabs(home) else "/"


def find(environ: Mapping[str, str], *, cwd: str, project: str | None = None) -> Folders:
    """The folders for a working directory; nothing is created."""
    refused: list[str] = []
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        if home:
            refused.append(f"HOME is ignored: {home!r} is not an absolute path")
        home = _home_of_user()
    root = os.path.abspath(project) if project is not None else find_project(cwd, home)

    def outside(name: str, default: str) -> str:
        value = environ.get(name, "")
        if not value:
            return default
        if not os.path.isabs(value):
            refused.append(f"{name} is ignored: {value!r} is not an absolute path")
            return default
        if inside(value, root) and not inside(default, root):
            refused.append(f"{name} is ignored: it points into the work tree {root}")
            return default
        return value

    config = outside("XDG_CONFIG_HOME", os.path.join(home, ".config"))
    state_home = outside("XDG_STATE_HOME", os.path.join(home, ".local/state"))
    state = outside("OMNIHOOK_STATE_DIR", os.path.join(state_home, "omnihook"))
    return Folders(home=home, config=config, state=state, project=root, refused=tuple(refused))


def find_project(cwd: str, home: str) -> str:
    """The nearest folder above that is marked as a project's, never the home itself, else the directory."""
    start = os.path.abspath(cwd)
    folder = start
    while True:
        if folder != os.path.abspath(home) and any(os.path.exists(os.path.join(folder, mark)) for mark in MARKS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent


def inside(path: str, folder: str) -> bool:
    """Whether a path, with links resolved, is a folder or below it."""
    real, root = os.path.realpath(path), os.path.realpath(folder)
    return root != "/" and (real == root or real.startswith(root + "/"))


def make(folder: str) -> None:
    """Make a private folder, but not the home it is meant to be in: one that is missing stays missing. Or OSError."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if above == "/":
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
    os.makedirs(folder, mode=0o700, exist_ok=True)


def _home_of_user() -> str:
    import pwd  # only where HOME is not set

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"
