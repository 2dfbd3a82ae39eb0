"""State of sessions in files: kept between processes, and forgotten where no file can be used, without a word."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from omnihook.sessions import FileSessions, Key

KEY = Key("claude-code", "one")


def file_of(sessions: FileSessions, folder: Path) -> Path:
    with sessions.changing(KEY) as state:
        state.counts["x"] = 1
    (found,) = folder.iterdir()
    return found


def test_state_is_kept_for_whoever_comes_next(tmp_path: Path) -> None:
    with FileSessions(str(tmp_path)).changing(KEY) as state:
        state.once.add("a")
        state.mailbox.append("hello")
    again = FileSessions(str(tmp_path))
    assert again.collect(KEY) == ["hello"]
    assert again.collect(KEY) == []
    with again.changing(KEY) as state:
        assert state.once == {"a"}
    with again.changing(Key("claude-code", "two")) as state:
        assert state.once == set()


@pytest.mark.parametrize(
    "put", [os.mkfifo, os.mkdir, lambda path: os.symlink("/etc/passwd", path)], ids=["pipe", "folder", "link"]
)
def test_what_stands_in_a_files_place_is_no_state_and_no_error(tmp_path: Path, put: Callable[[str], None]) -> None:
    sessions = FileSessions(str(tmp_path))
    path = file_of(sessions, tmp_path)
    path.unlink()
    put(str(path))
    with sessions.changing(KEY) as state:
        assert state.counts == {}
        state.counts["x"] = 2
    with sessions.changing(KEY) as state:
        assert state.counts == {}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"once": 1}', '{"once":[],"counts":{"x":"1"},"texts":{},"mailbox":[]}']
)
def test_a_broken_file_is_no_state(tmp_path: Path, text: str) -> None:
    sessions = FileSessions(str(tmp_path))
    file_of(sessions, tmp_path).write_text(text)
    with sessions.changing(KEY) as state:
        assert state.counts == {}
        state.counts["x"] = 2
    with sessions.changing(KEY) as state:
        assert state.counts == {"x": 2}
