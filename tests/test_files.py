"""Real files, links, pipes, owners and writers that get in each other's way."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from failing_calls import trials
from omnihook.errors import ConfigError
from omnihook.files import Refused, read_text, replace_text
from omnihook.hooks import Layer

ROOT = os.geteuid() == 0
STRANGER = 54_321


def refused(path: Path, layer: Layer = Layer.USER, root: Path | None = None) -> Refused:
    found = read_text(str(path), layer=layer, root=None if root is None else str(root))
    assert isinstance(found, Refused)
    assert found.path == str(path)
    return found


def child(script: str, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", textwrap.dedent(script), *arguments]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE)


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".tmp")]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can enter, which pytest's own is not."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name).resolve()


def test_text_comes_back_without_its_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "hooks.toml"
    file.write_bytes(b"\xef\xbb\xbfa = 1\r\n# \xc3\xa9\n")
    assert read_text(str(file), layer=Layer.USER, root=str(tmp_path)) == "a = 1\r\n# é\n"


@pytest.mark.parametrize("name", ["nothing", "file/below", "no/folder/either"])
def test_a_missing_file_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    assert read_text(str(tmp_path / name), layer=Layer.PROJECT, root=str(tmp_path)) is None


def a_pipe(path: Path) -> None:
    os.mkfifo(path, 0o600)


def a_socket(path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    with listener:
        listener.bind(str(path))


def a_giant(path: Path) -> None:
    path.touch(0o600)
    os.truncate(path, 100 << 20)


def a_loop(path: Path) -> None:
    (path.parent / "other").symlink_to(path)
    path.symlink_to(path.parent / "other")


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (a_pipe, "a named pipe"),
    "folder": (lambda path: path.mkdir(mode=0o700), "a directory"),
    "socket": (a_socket, "a socket"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "a device"),
    "giant": (a_giant, "bytes, more than"),
    "loop": (a_loop, "a loop of links"),
    "dangling": (lambda path: path.symlink_to("nowhere"), "a link to nothing"),
    "nul": (lambda path: path.write_bytes(b"a = 1\0"), "NUL"),
    "latin-1": (lambda path: path.write_bytes(b"a = '\xe9'"), "not UTF-8 (byte 5)"),
}


@pytest.mark.parametrize("layer", [Layer.PROJECT, Layer.FLAG], ids=str)
@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_text_file_is_refused_at_once(tmp_path: Path, kind: str, layer: Layer) -> None:
    make, words = HOSTILE[kind]
    make(tmp_path / "x")
    started = time.monotonic()
    assert words in refused(tmp_path / "x", layer).reason
    assert time.monotonic() - started < 1


@pytest.mark.parametrize("name", ["a\0b", "a" * 300, "lone \ud800"], ids=["nul", "long", "surrogate"])
def test_an_impossible_name_is_refused(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path / name).reason


@pytest.mark.parametrize(
    ("mode", "who"), [(0o620, "its group"), (0o602, "everybody"), (0o666, "everybody")], ids=["group", "world", "all"]
)
def test_a_file_that_others_may_write_is_refused_with_the_fix(tmp_path: Path, mode: int, who: str) -> None:
    file = tmp_path / "hooks.toml"
    file.write_text("a = 1")
    file.chmod(mode)
    for layer in (Layer.MANAGED, Layer.USER, Layer.PLUGIN, Layer.PROJECT, Layer.LOCAL):
        found = refused(file, layer, tmp_path)
        if ROOT or layer is not Layer.MANAGED:
            assert found == Refused(path=str(file), reason=f"{who} may write it", fix=f"chmod go-w {file}")
    assert read_text(str(file), layer=Layer.FLAG, root=None) == "a = 1"
    assert read_text(str(file), layer=Layer.PROGRAM, root=None) == "a = 1"


def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "hooks.toml"
    file.write_text("a = 1")
    if ROOT:
        os.chown(file, STRANGER, -1)
        assert refused(file, Layer.USER, tmp_path).reason == f"it belongs to another user (uid {STRANGER})"
    # Whoever runs this test, the file is not root's now, which is what a managed one must be.
    assert refused(file, Layer.MANAGED, tmp_path).reason == "a managed file must belong to root"


def test_root_files_count_for_everybody() -> None:
    found = read_text("/etc/passwd", layer=Layer.USER, root="/etc")
    assert isinstance(found, str)
    assert found == read_text("/etc/passwd", layer=Layer.MANAGED, root="/")


def test_a_folder_that_everybody_may_write_is_refused_unless_it_is_sticky(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "hooks.toml"
    file.parent.mkdir(parents=True)
    file.write_text("a = 1")
    (tmp_path / "a").chmod(0o777)
    found = refused(file, Layer.PROJECT, tmp_path)
    assert found.reason == f"everybody may write its folder {tmp_path / 'a'}"
    assert found.fix == f"chmod o-w {tmp_path / 'a'}"
    assert refused(file, Layer.PROJECT, tmp_path / "a").reason == found.reason
    assert read_text(str(file), layer=Layer.PROJECT, root=str(tmp_path / "a" / "b")) == "a = 1"
    (tmp_path / "a").chmod(0o1777)
    assert read_text(str(file), layer=Layer.PROJECT, root=str(tmp_path)) == "a = 1"


def test_links_may_not_leave_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "hooks.toml").write_text("a = 1")
    (root / "inside.toml").write_text("a = 2")
    (root / "direct.toml").symlink_to(outside / "hooks.toml")
    (root / "folder").symlink_to(outside)
    (root / "good.toml").symlink_to("inside.toml")
    for name in ("direct.toml", "folder/hooks.toml"):
        assert "symlinked out of its layer's folder" in refused(root / name, Layer.PROJECT, root).reason
    assert read_text(str(root / "good.toml"), layer=Layer.PROJECT, root=str(root)) == "a = 2"
    (tmp_path / "way").symlink_to(root)
    assert read_text(str(tmp_path / "way" / "inside.toml"), layer=Layer.PROJECT, root=str(tmp_path / "way")) == "a = 2"


def test_a_file_that_may_not_be_read_says_so(open_folder: Path) -> None:
    file = open_folder / "hooks.toml"
    file.write_text("a = 1")
    file.chmod(0o000)
    script = """
        import os, sys
        from omnihook.files import read_text
        from omnihook.hooks import Layer
        os.seteuid(int(sys.argv[2]))
        print(read_text(sys.argv[1], layer=Layer.USER, root=None).reason)
    """
    user = STRANGER if ROOT else os.geteuid()
    assert child(script, str(file), str(user)).communicate()[0] == "it may not be read by you\n"


def test_a_new_file_is_private_and_its_folder_too(tmp_path: Path) -> None:
    file = tmp_path / "new" / "hooks.toml"
    replace_text(str(file), lambda text: f"{text}a = 1\n")
    assert file.read_text() == "a = 1\n"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_mode_owner_mark_and_line_ends_stay(tmp_path: Path) -> None:
    file = tmp_path / "hooks.json"
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n')
    file.chmod(0o640)
    if ROOT:
        os.chown(file, STRANGER, STRANGER)
    before = file.stat()
    replace_text(str(file), lambda text: text.replace("1", "2"))
    after = file.stat()
    assert file.read_bytes() == b'\xef\xbb\xbf{"a": 2}\r\n'
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)


def test_nothing_is_written_when_nothing_changes(tmp_path: Path) -> None:
    file = tmp_path / "hooks.toml"
    file.write_text("a = 1")
    before = file.stat()
    replace_text(str(file), lambda text: text)
    assert file.stat() == before
    replace_text(str(tmp_path / "absent"), lambda text: text)
    assert not (tmp_path / "absent").exists()


def test_a_change_that_fails_leaves_everything(tmp_path: Path) -> None:
    file = tmp_path / "hooks.toml"
    file.write_text("a = 1")

    def fail(text: str) -> str:
        raise KeyError(text)

    with pytest.raises(KeyError):
        replace_text(str(file), fail)
    with pytest.raises(ConfigError, match="no UTF-8 form"):
        replace_text(str(file), lambda text: "\ud800")
    assert [path.name for path in tmp_path.iterdir()] == ["hooks.toml"]
    assert file.read_text() == "a = 1"


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_text_file_is_not_replaced(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "x"
    HOSTILE[kind][0](file)
    before = sorted((path.name, os.lstat(path)[:4]) for path in tmp_path.iterdir())
    with pytest.raises(ConfigError, match=f"cannot change {file}: "):
        replace_text(str(file), lambda text: "a = 2")
    assert sorted((path.name, os.lstat(path)[:4]) for path in tmp_path.iterdir()) == before


def test_a_link_is_followed_inside_its_root_only(tmp_path: Path) -> None:
    (tmp_path / "dots").mkdir()
    (tmp_path / "app").mkdir()
    target = tmp_path / "dots" / "settings.json"
    target.write_text("1")
    link = tmp_path / "app" / "settings.json"
    link.symlink_to("../dots/settings.json")
    with pytest.raises(ConfigError, match="outside"):
        replace_text(str(link), lambda text: "2")
    replace_text(str(link), lambda text: text + "2", root=str(tmp_path))
    assert (target.read_text(), link.is_symlink()) == ("12", True)


def test_what_somebody_wrote_meanwhile_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "hooks.toml"
    file.write_text("a\n")
    asked: list[str] = []

    def change(text: str) -> str:
        asked.append(text)
        if len(asked) < 3:  # an editor saves, without our lock: in place, then by rename
            other = tmp_path / "other"
            other.write_text(f"{text}edit {len(asked)}\n")
            other.rename(file) if len(asked) == 2 else file.write_text(other.read_text())
        return f"{text}ours\n"

    replace_text(str(file), change)
    assert file.read_text() == "a\nedit 1\nedit 2\nours\n"
    assert len(asked) == 3


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "hooks.toml"

    def change(text: str) -> str:
        if not text:
            file.write_text("theirs\n")
        return f"{text}ours\n"

    replace_text(str(file), change)
    assert file.read_text() == "theirs\nours\n"


def test_a_file_that_never_rests_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "hooks.toml"
    file.write_text("0")
    asked: list[str] = []

    def change(text: str) -> str:
        asked.append(text)
        file.write_text(str(len(asked)))
        return "ours"

    with pytest.raises(ConfigError, match="keeps changing it"):
        replace_text(str(file), change)
    assert (file.read_text(), asked, leftovers(tmp_path)) == ("5", ["0", "1", "2", "3", "4"], [])


COUNT_UP = """
    import sys
    from omnihook.files import replace_text
    def change(text):
        return f"{int(text.partition(chr(10))[0] or 0) + 1}\\n" + "#" * 40000
    for _ in range(int(sys.argv[2])):
        replace_text(sys.argv[1], change)
"""


def test_no_update_is_lost_and_no_reader_sees_half_a_file(tmp_path: Path) -> None:
    file = tmp_path / "counter"
    writers = [child(COUNT_UP, str(file), "40") for _ in range(4)]
    seen: list[int] = []
    while any(writer.poll() is None for writer in writers):
        text = read_text(str(file), layer=Layer.PROJECT, root=str(tmp_path))
        if text is not None:
            assert isinstance(text, str)
            assert text.endswith("\n" + "#" * 40000)
            seen.append(int(text.partition("\n")[0]))
    for writer in writers:
        assert writer.communicate()[0] == ""
        assert writer.returncode == 0
    assert file.read_text().partition("\n")[0] == "160"
    assert seen == sorted(seen)
    assert len(seen) > 50
    assert leftovers(tmp_path) == []


def test_a_killed_writer_leaves_a_whole_file_and_no_lock(tmp_path: Path) -> None:
    file = tmp_path / "counter"
    for round_ in range(5):
        writer = child(COUNT_UP, str(file), "100000")
        before = file.stat().st_ino if file.exists() else 0
        while not file.exists() or file.stat().st_ino == before:
            assert writer.poll() is None
        time.sleep(0.003 * round_)
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        assert file.read_text().endswith("\n" + "#" * 40000)
    (tmp_path / ".omnihook-0123456789abcdef.tmp").write_text("half")
    (tmp_path / ".omnihook-notes").write_text("mine")
    replace_text(str(file), lambda text: "done")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".omnihook-notes", "counter"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "hooks.toml"
    file.write_text("a = 1")
    script = """
        import resource, sys
        from omnihook.errors import ConfigError
        from omnihook.files import replace_text
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            replace_text(sys.argv[1], lambda text: "x" * 5000)
        except ConfigError as error:
            print(error)
    """
    said = child(script, str(file)).communicate()[0]
    assert said.startswith(f"cannot change {file}: File too large; ")
    assert ([path.name for path in tmp_path.iterdir()], file.read_text()) == (["hooks.toml"], "a = 1")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_what_is_written_is_what_is_read(tmp_path: Path, text: str) -> None:
    path = str(tmp_path / "text")
    replace_text(path, lambda before: "start")
    replace_text(path, lambda before: text)
    assert read_text(path, layer=Layer.PROJECT, root=str(tmp_path)) == text.removeprefix("\ufeff")


FULL = """
from omnihook.errors import ConfigError
from omnihook.files import replace_text

def trial(path):
    try:
        replace_text(path, lambda text: text + "x")
    except ConfigError as error:
        told = f"cannot change {path}: No space left on device; make room on its disk and try again"
        return 7 if str(error) == told else 8
    return 0
"""


def test_a_full_disk_is_told_with_what_helps(tmp_path: Path) -> None:
    with trials(FULL, tmp_path / "warm") as template:
        assert template.run(str(tmp_path / "file"), "write", "ENOSPC", 1) == 7
    assert leftovers(tmp_path) == []
