"""Where approvals are kept: one private file, and copies of small texts beside it, by their hash.

A store that somebody else could have written counts as empty, never as an approval.
"""

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress

from omnihook.errors import ConfigError, TrustError
from omnihook.files import replace_text
from omnihook.jsontypes import JsonError, dumps
from omnihook.trust.approvals import Projects, parse, to_json

MAX_STORE = 64 << 20
_HASH = re.compile(r"[0-9a-f]{64}")
_Seen = tuple[int, ...] | None


class Keeper:
    """Reads the store again when it changed; `notice` says why one was not believed."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, "trust.json")
        self.notice: str | None = None
        self._texts = os.path.join(folder, "texts")
        self._seen: _Seen = ()
        self._projects: Projects = {}

    def projects(self) -> Projects:
        """Everything approved, by project key."""
        seen = self._look()
        if seen != self._seen:
            self._projects, self.notice = self._read()
            self._seen = seen
        return self._projects

    def prepare(self) -> None:
        """Make the folder, private; put aside what others could have written. Raises `TrustError`."""
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            why = _distrusted(os.stat(self.folder), self.folder)
            if why is None and self._doubtful():
                os.rename(self.path, self.path + ".refused")
        except OSError as error:
            raise TrustError(f"the approval cannot be kept: {self.folder}: {error.strerror or error}") from None
        if why is not None:
            raise TrustError(f"the approval cannot be kept: {why}")

    def change(self, change: Callable[[Projects], Projects]) -> None:
        """Replace what is kept, under a lock. Raises `TrustError`."""
        self.prepare()
        try:
            replace_text(self.path, lambda text: dumps(to_json(change(_believed(text)))) + "\n", limit=MAX_STORE)
        except ConfigError as error:
            raise TrustError(f"the approval cannot be kept: {error}") from None
        self._seen = ()

    def keep_text(self, content: str, data: bytes) -> None:
        """Keep a small text under its hash, so that a later change can be shown as a difference."""
        path = os.path.join(self._texts, content)
        temporary = f"{path}.{os.getpid()}"
        with suppress(OSError):  # without it a change is only said, not shown
            os.makedirs(self._texts, mode=0o700, exist_ok=True)
            if os.path.lexists(path):
                return
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
                file.write(data)
            os.rename(temporary, path)

    def text(self, content: str) -> str | None:
        """A text kept before, or None."""
        if not _HASH.fullmatch(content):
            return None
        try:
            handle = os.open(os.path.join(self._texts, content), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                data = file.read(1 << 20)
        except OSError:
            return None
        return data.decode("utf-8", "replace") if hashlib.sha256(data).hexdigest() == content else None

    def forget_texts(self, wanted: Iterable[str]) -> None:
        """Remove texts that no approval names any more."""
        kept = set(wanted)
        try:
            names = os.listdir(self._texts)
        except OSError:
            return
        for name in names:
            if name not in kept:
                with suppress(OSError):
                    os.unlink(os.path.join(self._texts, name))

    def _doubtful(self) -> bool:
        try:
            found = os.lstat(self.path)
        except OSError:
            return False
        return (
            not stat.S_ISREG(found.st_mode) or _distrusted(found, self.path) is not None or self._read()[1] is not None
        )

    def _look(self) -> _Seen:
        try:
            folder, file = os.stat(self.folder), os.lstat(self.path)
        except OSError:
            return None
        times = (file.st_mtime_ns, file.st_ctime_ns, file.st_size, file.st_mode, file.st_uid)
        return (folder.st_dev, folder.st_ino, folder.st_mode, folder.st_uid, file.st_dev, file.st_ino, *times)

    def _read(self) -> tuple[Projects, str | None]:
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return {}, None
        except OSError as error:
            return {}, f"no approval counts: {self.path} cannot be read: {error.strerror or error}"
        try:
            found = os.fstat(handle)
            why = _distrusted(os.stat(self.folder), self.folder) or _distrusted(found, self.path)
            if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_STORE:
                why = f"{self.path} is not a store"
            if why is None:
                with os.fdopen(os.dup(handle), "rb") as file:
                    return _parsed(file.read(MAX_STORE), self.path)
        finally:
            os.close(handle)
        return {}, f"no approval counts: {why}"


def _parsed(data: bytes, path: str) -> tuple[Projects, str | None]:
    try:
        return parse(data.decode("utf-8")), None
    except (JsonError, UnicodeDecodeError, RecursionError) as error:
        return {}, f"no approval counts: {path} is broken: {error}"


def _believed(text: str) -> Projects:
    try:
        return parse(text) if text else {}
    except JsonError:
        return {}


def _distrusted(found: os.stat_result, path: str) -> str | None:
    if found.st_uid != os.geteuid():
        return f"{path} belongs to another user (uid {found.st_uid})"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write {path}; chmod go-w {path}"
    return None
