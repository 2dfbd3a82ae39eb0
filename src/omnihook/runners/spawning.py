"""Starts one child process, or says in words why it did not start; watching and ending it are not done here."""

import errno
import itertools
import os
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping
from typing import Final

from omnihook.runners.family import Tree, boot_ticks
from omnihook.runners.mounts import may_hang
from omnihook.runners.payload import Payload
from omnihook.slotted import dataclass

TAG = "OMNIHOOK_TAG"

_count = itertools.count()
_SHELL = "/bin/sh"
# Enters a directory and becomes a program, in a process that can be killed while it waits for either.
_TRAMPOLINE = 'cd -- "$1" || cd -- "$2" || exit 126; shift 2; exec "$@"'

_WHY: Final[Mapping[int, str]] = {
    errno.ENOEXEC: "it has no #! line and is no program for this machine",
    errno.E2BIG: "its arguments and environment are larger than the system takes",
    errno.EMFILE: "this process has no file descriptors left",
    errno.ENFILE: "the system has no file descriptors left",
    errno.EAGAIN: "no more processes are allowed",
    errno.ENOMEM: "there is not enough memory",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawned:
    """A running child, the read ends of its output (non-blocking, the caller closes them) and its tree."""

    process: subprocess.Popen[bytes]
    stdout: int
    stderr: int
    tree: Tree
    notice: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotStarted:
    """Why there is no child."""

    error: str


def spawn(
    *, argv: tuple[str, ...], env: Mapping[str, str], cwd: str, fallbacks: tuple[str, ...], payload: Payload
) -> Spawned | NotStarted:
    """Start `argv` in a process group of its own, in `cwd` or else in the first of `fallbacks` that can be entered."""
    name = argv[0] if argv else ""
    try:
        stdin, stdout, child_stdout, stderr, child_stderr = _streams(payload)
    except OSError as error:
        return NotStarted(error=_refusal(name, error))
    tag = f"/{os.getpid():x}.{time.monotonic_ns():x}.{next(_count):x}/"
    since = boot_ticks()
    # An omnihook inside a hook adds to the tag, so that ours still finds its children.
    start = _Start(argv=argv, env={**env, TAG: env.get(TAG, "") + tag}, fds=(stdin, child_stdout, child_stderr))
    try:
        process, notice = start.somewhere(cwd, fallbacks)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        _close(stdout, stderr)
        return NotStarted(error=_explain(error, name, (cwd, *fallbacks)))
    finally:
        _close(stdin, child_stdout, child_stderr)
    tree = Tree(leader=process.pid, tag=tag.encode(), since=since)
    return Spawned(process=process, stdout=stdout, stderr=stderr, tree=tree, notice=notice)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    argv: tuple[str, ...]
    env: Mapping[str, str]
    fds: tuple[int, int, int]

    def somewhere(self, cwd: str, fallbacks: tuple[str, ...]) -> tuple[subprocess.Popen[bytes], str | None]:
        """Start in `cwd`, or, with a notice, in a fallback when `cwd` cannot be entered."""
        if not self.argv:
            raise ValueError("the command is empty")
        if may_hang(self._lookups(cwd)):
            argv = (_SHELL, "-c", _TRAMPOLINE, _SHELL, cwd, fallbacks[0] if fallbacks else cwd, *self.argv)
            return self._popen(argv, "/"), None
        try:
            return self._popen(self.argv, cwd), None
        except OSError as error:
            fallback = next(filter(_can_enter, fallbacks), None)
            if fallback is None or error.filename != cwd or _can_enter(cwd):
                raise
            notice = f"could not enter {cwd!r} ({_code(error)}), ran in {fallback!r} instead"
        return self._popen(self.argv, fallback), notice

    def _lookups(self, cwd: str) -> Iterator[str]:
        """What the system looks up between the fork and the new program."""
        here = os.path.join("/", cwd)
        yield here
        program = self.argv[0]
        folders = [program] if "/" in program else os.get_exec_path(self.env)
        for folder in folders:
            yield os.path.join(here, folder)

    def _popen(self, argv: tuple[str, ...], cwd: str) -> subprocess.Popen[bytes]:
        stdin, stdout, stderr = self.fds
        return subprocess.Popen(argv, stdin=stdin, stdout=stdout, stderr=stderr, cwd=cwd, env=self.env, process_group=0)


def _streams(payload: Payload) -> tuple[int, int, int, int, int]:
    """The child's stdin, then both ends of its stdout and of its stderr, ours being non-blocking."""
    fds: list[int] = []
    try:
        fds.append(payload.open())
        fds += os.pipe()
        fds += os.pipe()
        stdin, stdout, child_stdout, stderr, child_stderr = fds
        os.set_blocking(stdout, False)
        os.set_blocking(stderr, False)
    except OSError:
        _close(*fds)
        raise
    return stdin, stdout, child_stdout, stderr, child_stderr


def _close(*fds: int) -> None:
    for fd in fds:
        os.close(fd)


def _can_enter(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.X_OK)


def _explain(error: Exception, name: str, folders: tuple[str, ...]) -> str:
    if not isinstance(error, OSError):
        return f"could not start {name!r}: {error}"
    folder = error.filename
    if folder is not None and folder in folders and not _can_enter(folder):
        return f"could not start {name!r}: its working directory {folder!r} cannot be entered ({_code(error)})"
    if error.errno in (errno.ENOENT, errno.EACCES) and "/" in name:
        entered = next(filter(_can_enter, folders), "/")
        return _refusal(name, error, _why_file(os.path.join(entered, name), error))
    return _refusal(name, error)


def _refusal(name: str, error: OSError, why: str | None = None) -> str:
    reason = why or _WHY.get(error.errno or 0) or error.strerror
    return f"could not start {name!r}: {reason} ({_code(error)})"


def _why_file(path: str, error: OSError) -> str | None:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return None
    if error.errno == errno.ENOENT:
        return "it exists, but the interpreter named in its first line does not"
    if stat.S_ISDIR(mode):
        return "it is a directory"
    if not stat.S_ISREG(mode):
        return "it is not a regular file"
    return None if mode & 0o111 else "it is not executable"


def _code(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, "no error code")
