"""Where a path lies, as the guard sees it: root, system, a home, the project, a temp folder, elsewhere.

Purely lexical; `files` looks at the disk.
"""

import re
from enum import Enum, auto

from omnihook.builtin.guard.globbing import matching
from omnihook.shell.state import absolute
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text
from omnihook.slotted import dataclass


class Place(Enum):
    """A class of paths. The first four are critical: their loss cannot be undone."""

    ROOT = auto()
    SYSTEM = auto()
    HOME = auto()
    PROJECT = auto()
    GIT = auto()
    INSIDE = auto()
    TEMP_ROOT = auto()
    TEMP = auto()
    ELSEWHERE = auto()
    CONTAINER = auto()
    UNKNOWN = auto()

    __hash__ = object.__hash__  # looked up for every path, and an enum's own is not written in C


CRITICAL = frozenset({Place.ROOT, Place.SYSTEM, Place.HOME, Place.PROJECT})
_TOP = names(
    "bin boot dev etc home lib lib32 lib64 libx32 media mnt opt proc root run sbin snap srv sys usr var",
    "System Library Applications Users Volumes private cores nix",
)
_SYSTEM_TREES = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/root", "/sbin",
                 "/sys", "/usr", "/var/lib", "/System", "/Library", "/nix/store")  # fmt: skip
_TEMP_ROOTS = ("/tmp", "/var/tmp", "/dev/shm", "/var/folders", "/private/tmp", "/private/var/tmp")
_HOME = re.compile(r"/(?:home|Users)/[^/]+|/root")
_BROAD = re.compile(r"[?.]*+\*[*?.]*+|\.?\[[^]]*\]\*?|\.\*|\?\*|\.\?\?\*")
_GLOB = re.compile(r"[*?\[]")
_DEVICE = re.compile(
    r"/dev/(sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|md\d|dm-\d|mapper/|loop\d|sr\d|zd\d|nbd\d|ram\d"
    r"|disk/|fd\d|st\d|mem$|kmem$|port$|block/|mtd|root$|ada\d|da\d)"
)
_DRIVE = re.compile(
    r"[A-Za-z]:(?:[\\/]*|[\\/]+\*+(?:\.\*)?|[\\/]+(windows|users|program files[^\\/]*|programdata)(?:[\\/].*)?)", re.I
)
"""A whole drive, or one of the folders that Windows itself needs."""
_DISKS = ("/dev/sda", "/dev/sdb1", "/dev/nvme0n1", "/dev/vda", "/dev/mmcblk0", "/dev/disk/by-id/any")


@dataclass(frozen=True, slots=True)
class Scene:
    """The folders a verdict depends on."""

    cwd: str
    home: str
    project: str


def place_of(path: str, scene: Scene) -> Place:
    """The place of one absolute path without globs or holes."""
    path = _unaliased(path, scene)
    if path == "/":
        return Place.ROOT
    if path == scene.project or scene.project.startswith(path + "/"):
        return Place.PROJECT
    if path.startswith(scene.project + "/"):
        first = path[len(scene.project) + 1 :].split("/", 1)[0]
        return Place.GIT if first == ".git" else Place.INSIDE
    if path == scene.home or scene.home.startswith(path + "/") or _HOME.fullmatch(path):
        return Place.HOME
    for temp in _TEMP_ROOTS:
        if path == temp:
            return Place.TEMP_ROOT
        if path.startswith(temp + "/"):
            return Place.TEMP
    if path.count("/") == 1 and path[1:] in _TOP:
        return Place.SYSTEM
    if any(path == tree or path.startswith(tree + "/") for tree in _SYSTEM_TREES) and not path.startswith(
        scene.home + "/"
    ):
        return Place.SYSTEM
    return Place.ELSEWHERE


def _unaliased(path: str, scene: Scene) -> str:
    """Other spellings of the same path."""
    if not path.startswith("/p"):
        return path or "/"
    path = re.sub(r"^/proc/(?:self|\d+|thread-self)/root(?=/|$)", "", path) or "/"
    path = re.sub(r"^/proc/(?:self|\d+|thread-self)/cwd(?=/|$)", scene.cwd, path)
    return re.sub(r"^/private(?=/(?:tmp|etc|var)(?:/|$))", "", path)


def is_device(path: str) -> bool:
    """Whether the path names a disk or raw memory, or is a glob that can."""
    if not path.startswith("/dev/"):
        return False
    return _DEVICE.match(path) is not None or (_GLOB.search(path) is not None and bool(matching(_DISKS, path)))


def lexical(target: Text, cwd: Text) -> str:
    """The target as an absolute path; holes stay in it."""
    return absolute(target.text, cwd.text)


def places(target: Text, cwd: Text, scene: Scene) -> frozenset[Place]:
    """Every place the target may mean. A glob for all of a folder's entries means the folder itself."""
    if target.text[1:2] == ":" and (drive := _DRIVE.fullmatch(target.text)):
        return frozenset({Place.ROOT if drive[1] is None else Place.SYSTEM})
    path = lexical(target, cwd)
    if HOLE not in path:
        return _expanded(path, target, scene)
    start = target.text if target.text.startswith(HOLE) else path
    if start.strip(HOLE + "/.") == "" or (start.startswith(HOLE) and not start.lstrip(HOLE).startswith("/")):
        return frozenset({Place.UNKNOWN})
    # A hole may be nothing at all, or a name: the path is what both readings say.
    found: frozenset[Place] = frozenset()
    for filling in ("", "x"):
        filled = absolute(target.text.replace(HOLE, filling), cwd.text.replace(HOLE, filling) or "/")
        found |= _expanded(filled, target, scene)
    return found


def _expanded(path: str, target: Text, scene: Scene) -> frozenset[Place]:
    if target.pattern is None or not _GLOB.search(path):
        return frozenset({place_of(path, scene)})
    found: set[Place] = set()
    todo = [path]
    while todo and len(found) < 16:
        current = todo.pop()
        parts = current.split("/")
        index = next((number for number, part in enumerate(parts) if _GLOB.search(part)), None)
        if index is None:
            found.add(place_of(current, scene))
            continue
        folder, part, rest = "/".join(parts[:index]) or "/", parts[index], parts[index + 1 :]
        if _BROAD.fullmatch(part) and all(_BROAD.fullmatch(other) for other in rest):
            found.add(place_of(folder, scene))
        top = folder.rstrip("/")
        todo.extend("/".join([top, name, *rest]) for name in _known_names(folder, part, scene))
    return frozenset(found)


def _known_names(folder: str, pattern: str, scene: Scene) -> list[str]:
    """Names that certainly or typically exist in a folder and match, and one that stands for all others."""
    names: set[str] = set()
    if folder == "/":
        names |= _TOP
    elif folder in ("/home", "/Users"):
        names.add("anyone")
    for known in (scene.project, scene.home, scene.project + "/.git", "/var/lib", "/etc/passwd"):
        if known.startswith(folder.rstrip("/") + "/"):
            names.add(known[len(folder.rstrip("/")) + 1 :].split("/", 1)[0])
    hidden = pattern.startswith(".")
    meant = [name for name in matching(names, pattern.replace("[^", "[!")) if hidden or not name.startswith(".")]
    return [*meant, "any"] if folder != "/" or not meant else meant
