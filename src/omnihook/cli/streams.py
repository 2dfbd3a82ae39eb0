"""The standard streams: there even when they were closed, and given up quietly when nobody reads them any more."""

import errno
import os
import sys

from omnihook.showing import one_line

_LOST = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


_missing: set[str] = set()


def open_missing() -> None:
    """Give every stream that was closed the null device, so that no file of ours gets its number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            _missing.add(name)
            handle = os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is the missing one
            setattr(sys, name, os.fdopen(handle, mode, closefd=False))
            if handle == number:
                os.set_inheritable(handle, True)


def deliver(text: str) -> bool:
    """Write to stdout at once; whether somebody may have got it."""
    if "stdout" in _missing:
        return False
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        give_up()
        return False
    return True


def give_up() -> None:
    """Whoever read our output has gone: what is still buffered goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def lost(error: OSError) -> bool:
    """Whether an error means that the output could not be written; if so, say it and give up on the output."""
    if error.errno not in _LOST or error.filename is not None:
        return False
    give_up()
    sys.stderr.write(f"omnihook: the output could not be written: {one_line(error.strerror or str(error))}\n")
    return True
