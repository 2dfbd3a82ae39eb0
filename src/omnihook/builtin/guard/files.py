"""The guard's verdict on a file tool's path: by its text, and by where it really leads."""

import os
import posixpath
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Literal
from urllib.parse import unquote

from omnihook.builtin.guard.effects import Do, Effect
from omnihook.builtin.guard.judging import Judgement, Settings, answer, switched_off
from omnihook.builtin.guard.modes import Mode
from omnihook.builtin.guard.places import Place, Scene, place_of
from omnihook.builtin.guard.protected import protected_path
from omnihook.builtin.guard.rules import Finding
from omnihook.builtin.guard.weighing import weigh
from omnihook.shell.state import absolute
from omnihook.shell.values import Command, Text

Action = Literal["read", "search", "write", "edit", "create", "delete", "move", "list"]
_GLOB = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*)\}")
_MAX_BRACES = 6
_DOES = {
    "read": Do.READ,
    "search": Do.READ,
    "write": Do.WRITE,
    "edit": Do.APPEND,
    "create": Do.WRITE,
    "delete": Do.DELETE,
    "move": Do.MOVE,
}


def judge_file(
    action: Action,
    path: str,
    *,
    cwd: str,
    home: str,
    project: str,
    mode: Mode = Mode.STANDARD,
    rules: Mapping[str, bool] | None = None,
    resolve: Callable[[str], str] = os.path.realpath,
) -> Judgement:
    """Judge what a file tool is about to do to a path, or `search` in the files that a glob means.

    `resolve` follows links; `list` never reads content.

    `rules` switches single rules off (False), as for `judge`.
    """
    scene = Scene(cwd, home, project)
    settings = Settings(mode, switched_off(rules))
    findings: list[Finding] = []
    trace: list[str] = []
    if "\0" in path:
        findings.append(Finding("unparsed", "a path with a NUL character"))
    elif action == "search":
        for glob in _alternatives(path):
            trace.append(f"search {glob}")
            findings.extend(_weighed(action, glob, scene, settings))
    elif action != "list":
        for spelling in dict.fromkeys(_spellings(path, scene, resolve)):
            trace.append(f"{action} {spelling}")
            findings.extend(_weighed(action, spelling, scene, settings))
    return answer(findings, settings, trace)


def _weighed(action: Action, path: str, scene: Scene, settings: Settings) -> Iterator[Finding]:
    target = Text(path, frozenset(), path) if action == "search" and _GLOB.search(path) else Text(path)
    effect = Effect(_DOES[action], target, recursive=action == "delete")
    found = weigh(effect, Command((), Text(scene.cwd)), scene, settings.off)
    if found is not None:
        yield found
    outside = place_of(path, scene) not in (Place.INSIDE, Place.PROJECT, Place.TEMP, Place.TEMP_ROOT)
    if settings.mode is Mode.PARANOID and outside and action not in ("read", "search"):
        yield Finding("paranoid-outside", path)


def _spellings(path: str, scene: Scene, resolve: Callable[[str], str]) -> Iterator[str]:
    """The path as written, as other readers might take it, and where it leads."""
    plain = unquote(path.removeprefix("file://")) if path.startswith("file://") else path
    if plain == "~" or plain.startswith("~/"):
        plain = scene.home + plain[1:]
    for text in dict.fromkeys((plain, _careless(plain) or plain)):
        lexical = absolute(text, scene.cwd)
        yield lexical
        real = _resolved(lexical, resolve)
        if real != lexical:
            yield real
        yield from _same_file(real, scene)


def _careless(path: str) -> str:
    """As tools that trim, and file systems that leave out what nobody sees, might take a path."""
    seen = "".join(mark for mark in unicodedata.normalize("NFKC", path) if unicodedata.category(mark) != "Cf")
    return seen.partition("::$")[0].strip().rstrip(" .")


def _alternatives(glob: str) -> Iterator[str]:
    """The globs that a search's own one stands for: without braces, and none for what it leaves out."""
    if glob.startswith("!"):
        return
    group = _BRACES.search(glob)
    if group is None or glob.count("{") > _MAX_BRACES:
        yield glob
        return
    for part in group[1].split(","):
        yield from _alternatives(glob[: group.start()] + part + glob[group.end() :])


def _resolved(path: str, resolve: Callable[[str], str]) -> str:
    try:
        return resolve(path)
    except (OSError, ValueError):
        return path


def _same_file(path: str, scene: Scene) -> Iterator[str]:
    """Protected files beside it or at the project's top that are the same file under another name."""
    try:
        info = os.lstat(path)
    except (OSError, ValueError):
        return
    if info.st_nlink < 2 or not stat.S_ISREG(info.st_mode):
        return
    folders = dict.fromkeys((posixpath.dirname(path), scene.project, scene.home, scene.home + "/.ssh"))
    for folder in folders:
        for name in _names(folder):
            other = posixpath.join(folder, name)
            if protected_path(other, scene) and _is_same(other, info):
                yield other


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_same(path: str, info: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.lstat(path), info)
    except OSError:
        return False
