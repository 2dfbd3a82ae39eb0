"""Reading a configuration file: nothing on disk makes it raise or wait, and what others could write is refused."""

import os
import stat

from omnihook.files.opening import READ, Unusable, check_kind, decoded, inside, open_file, read_bytes, real_path
from omnihook.hooks import Layer
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A file that is there and is not used: why, and what to do about it."""

    path: str
    reason: str
    fix: str | None = None


def read_text(path: str, *, layer: Layer, root: str | None) -> str | Refused | None:
    """The text of a configuration file without its byte order mark; None when there is no such file.

    Who may write the file, and whether it leaves `root`, is checked except for files that were named
    explicitly (`Layer.FLAG`, `Layer.PROGRAM`).
    """
    try:
        handle = open_file(path, READ)
        if handle is None:
            return None
        try:
            found = os.fstat(handle)
            check_kind(found)
            if layer not in (Layer.FLAG, Layer.PROGRAM):
                _check_writers(path, found, layer)
                _check_place(real_path(handle, path), root)
            return decoded(read_bytes(handle, found)).removeprefix("\ufeff")
        finally:
            os.close(handle)
    except Unusable as no:
        return Refused(path=path, reason=no.reason, fix=no.fix)
    except OSError as error:
        return Refused(path=path, reason=f"it cannot be read: {error.strerror or error}")


def _check_writers(path: str, found: os.stat_result, layer: Layer) -> None:
    """Refuse a file that somebody else could have written."""
    if layer is Layer.MANAGED:
        if found.st_uid != 0:
            raise Unusable("a managed file must belong to root", f"chown root {path}")
    elif found.st_uid not in (0, os.geteuid()):
        raise Unusable(f"it belongs to another user (uid {found.st_uid})", f"chown {os.geteuid()} {path}")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        who = "everybody" if found.st_mode & stat.S_IWOTH else "its group"
        raise Unusable(f"{who} may write it", f"chmod go-w {path}")


def _check_place(real: str, root: str | None) -> None:
    """Refuse a file outside its root, or one that anybody could put there."""
    top = "/" if root is None else os.path.realpath(root)
    if not inside(real, top):
        raise Unusable(f"it is symlinked out of its layer's folder {top}, to {real}", "put the file itself there")
    folder = os.path.dirname(real)
    while True:
        mode = os.stat(folder).st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise Unusable(f"everybody may write its folder {folder}", f"chmod o-w {folder}")
        if folder in (top, "/"):
            return
        folder = os.path.dirname(folder)
