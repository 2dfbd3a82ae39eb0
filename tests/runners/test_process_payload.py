import fcntl
import os
import stat
import tempfile

import pytest

from omnihook.runners.payload import PIPE_BUFFER, Payload
from runners.process_kit import no_leaks, python, sh

SIZES = {"nothing": 0, "a byte": 1, "a full pipe": PIPE_BUFFER, "more than a pipe": PIPE_BUFFER + 1, "a lot": 3_000_000}


def contents(fd: int) -> bytes:
    with open(fd, "rb") as file:
        return file.read()


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_every_child_reads_everything_from_the_start(size):
    data = os.urandom(size)
    with no_leaks(), Payload(data) as payload:
        assert len(payload) == size
        first, second = payload.open(), payload.open()
        assert (contents(first), contents(second)) == (data, data)


@pytest.mark.parametrize("size", [0, 1, PIPE_BUFFER])
def test_what_fits_a_pipe_is_a_pipe(size):
    with Payload(b"x" * size) as payload:
        fd = payload.open()
        assert stat.S_ISFIFO(os.fstat(fd).st_mode)
        os.close(fd)


def test_a_script_can_see_that_its_stdin_is_a_pipe_and_open_it_by_name():
    assert sh("[ -p /dev/stdin ] && cat /dev/stdin", b"piped").stdout == b"piped"


def test_a_large_stdin_can_be_opened_by_name_too():
    assert sh("cat /dev/stdin | wc -c", b"x" * 200_000).stdout.strip() == b"200000"


def test_a_child_cannot_change_what_the_next_one_reads():
    with Payload(b"x" * 200_000) as payload:
        first = payload.open()
        assert fcntl.fcntl(first, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
        writable = os.open(f"/proc/self/fd/{first}", os.O_RDWR)
        for change in (lambda: os.write(writable, b"y"), lambda: os.truncate(writable, 5)):
            with pytest.raises(PermissionError):
                change()
        os.close(writable)
        os.close(first)


def test_a_pipe_that_is_smaller_than_usual_is_not_used():
    # Over the quota of pipe pages, which only ordinary users have, new pipes hold two pages.
    shown = python("""
        import fcntl, os, stat
        from omnihook.runners.payload import Payload

        if os.geteuid() == 0:
            os.setuid(65534)
        held, size = [], 65536
        while size >= 65536:
            held.append(os.pipe())
            size = fcntl.fcntl(held[-1][1], fcntl.F_GETPIPE_SZ)
            try:
                fcntl.fcntl(held[-1][1], fcntl.F_SETPIPE_SZ, 1 << 20)
            except PermissionError:
                pass
        with Payload(b"x" * 60000) as payload, open(payload.open(), "rb") as file:
            print(stat.S_ISFIFO(os.fstat(file.fileno()).st_mode), len(file.read()))
    """)
    assert shown == "False 60000"


def test_without_memfd_a_large_payload_is_an_unlinked_private_file(monkeypatch, tmp_path):
    monkeypatch.delattr(os, "memfd_create")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with no_leaks(), Payload(b"x" * 200_000) as payload:
        first, second = payload.open(), payload.open()
        assert list(tmp_path.iterdir()) == []
        assert [os.fstat(fd).st_mode & 0o777 for fd in (first, second)] == [0o600, 0o600]
        assert [len(contents(fd)) for fd in (first, second)] == [200_000, 200_000]


def test_a_closed_payload_cannot_be_opened_and_may_be_closed_again():
    payload = Payload(b"x" * 200_000)
    fd = payload.open()
    payload.close()
    payload.close()
    assert len(contents(fd)) == 200_000
    with pytest.raises(ValueError, match="closed"):
        payload.open()


def test_a_payload_too_large_for_a_pipe_is_kept_only_by_the_kernel():
    shown = python("""
        import os
        from omnihook.runners.payload import Payload

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1_000_000

        before = resident()
        with Payload(b"x" * 40_000_000) as payload:
            held = resident() - before
            os.close(payload.open())
            print(held >= 38, resident() - before <= 2)
    """)
    assert shown == "True True"
