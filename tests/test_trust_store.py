"""Stores that are broken, foreign, writable by others or in the way; several writers at once."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omnihook.errors import TrustError
from omnihook.trust import TrustStore
from trust_kit import Place, place, store


@pytest.fixture
def here(tmp_path: Path) -> Place:
    return place(tmp_path / "project")


@pytest.fixture
def trusted(tmp_path: Path, here: Place) -> Path:
    """The file of a store in which `true` is approved."""
    trust = store(tmp_path)
    trust.approve([here.hook("true")], here.path, when=1.0)
    assert store(tmp_path).verify(here.hook("true"), here.path) is None
    return Path(trust.path)


def to_link(path: Path) -> None:
    path.rename(path.with_name("real.json"))
    path.symlink_to("real.json")


def to_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir(0o700)


def to_giant(path: Path) -> None:
    os.truncate(path, 1 << 40)


def to_stranger(path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, 54_321, -1)
    else:
        path.chmod(0o620)


HOSTILE: list[Callable[[Path], object]] = [
    lambda path: path.chmod(0o620),
    lambda path: path.chmod(0o602),
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(b"\xff\xfe"),
    lambda path: path.write_text("[]"),
    lambda path: path.write_text('{"schema": 1}'),
    lambda path: path.write_text(path.read_text().replace('"schema":1', '"schema":2')),
    lambda path: path.write_text(path.read_text()[:-3]),
    lambda path: path.write_text(path.read_text().replace('"marks"', '"marx"')),
    lambda path: path.write_text("[" * 100_000),
    to_link,
    to_pipe,
    to_folder,
    to_giant,
    to_stranger,
]


@pytest.mark.parametrize("spoil", HOSTILE, ids=range(len(HOSTILE)))
def test_a_store_that_cannot_be_believed_is_empty(
    tmp_path: Path, here: Place, trusted: Path, spoil: Callable[[Path], object]
) -> None:
    open_store, hook = store(tmp_path), here.hook("true")
    assert open_store.verify(hook, here.path) is None
    spoil(trusted)
    for trust in (open_store, store(tmp_path)):
        assert trust.verify(hook, here.path) == "it is not approved"
        assert trust.standing(hook, here.path).state == "untrusted"
        assert trust.notice is not None
        assert trust.notice.startswith("no approval counts: ")
        assert str(trusted) in trust.notice
    other = here.hook("false", name="other")
    open_store.approve([other], here.path, when=2.0)
    assert store(tmp_path).verify(other, here.path) is None
    assert store(tmp_path).verify(hook, here.path) == "it is not approved"
    assert store(tmp_path).notice is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_that_others_may_write_is_not_believed(tmp_path: Path, here: Place, trusted: Path, mode: int) -> None:
    trusted.parent.chmod(mode)
    trust = store(tmp_path)
    assert trust.verify(here.hook("true"), here.path) == "it is not approved"
    assert f"chmod go-w {trusted.parent}" in (trust.notice or "")
    with pytest.raises(TrustError, match="others may write"):
        trust.approve([here.hook("false")], here.path, when=2.0)
    trusted.parent.chmod(0o700)
    assert trust.verify(here.hook("true"), here.path) is None
    assert trust.notice is None


def test_an_absent_store_is_empty_and_is_no_trouble(tmp_path: Path, here: Place) -> None:
    trust = TrustStore(str(tmp_path / "no" / "where"))
    assert (trust.approved(here.path), trust.notice) == ((), None)
    assert not (tmp_path / "no").exists()


def test_everything_kept_is_private(tmp_path: Path, here: Place) -> None:
    here.write("a.sh", "a secret\n")
    old = os.umask(0)
    try:
        store(tmp_path).approve([here.hook("./a.sh")], here.path, when=1.0)
    finally:
        os.umask(old)
    modes = {str(path.relative_to(tmp_path)): path.stat().st_mode & 0o777 for path in (tmp_path / "state").rglob("*")}
    assert sorted(modes.values()) == [0o600, 0o600, 0o700]
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path, here: Place) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TrustError, match="the approval cannot be kept"):
        TrustStore(str(tmp_path / "file" / "state")).approve([here.hook("true")], here.path, when=1.0)


def test_only_small_texts_are_kept_and_a_forged_copy_is_not_shown(tmp_path: Path, here: Place) -> None:
    here.write("small.sh", "old\n")
    here.write("large.sh", "x" * 65_537)
    (here.root / "binary.sh").write_bytes(b"\0")
    hook, trust = here.hook("./small.sh; ./large.sh; ./binary.sh"), store(tmp_path)
    trust.approve([hook], here.path, when=1.0)
    [kept] = (tmp_path / "state" / "texts").iterdir()
    assert kept.read_text() == "old\n"
    for name in ("small", "large", "binary"):
        here.write(f"{name}.sh", "new\n")
    assert trust.difference(hook, here.path).endswith("-old\n+new\nlarge.sh changed\nbinary.sh changed\n")
    kept.write_text("forged\n")
    assert trust.difference(hook, here.path) == "small.sh changed\nlarge.sh changed\nbinary.sh changed\n"


def test_approving_again_replaces(tmp_path: Path, here: Place) -> None:
    trust = store(tmp_path)
    for body in ("one\n", "two\n"):
        here.write("a.sh", body)
        trust.approve([here.hook("./a.sh")], here.path, when=1.0)
    assert len(trust.approved(here.path)) == 1
    here.write("a.sh", "one\n")
    assert trust.verify(here.hook("./a.sh"), here.path) == "a.sh changed since it was approved"


def test_several_processes_approve_at_once(tmp_path: Path, here: Place) -> None:
    script = """
        import sys
        sys.path.insert(0, sys.argv[3])
        from pathlib import Path
        from trust_kit import Place, store
        here = Place(Path(sys.argv[2]))
        trust = store(Path(sys.argv[1]))
        for number in range(10):
            name = f"{sys.argv[4]}-{number}"
            trust.approve([here.hook(f"echo {name}", name=name)], here.path, when=1.0)
    """
    words = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path), here.path, str(Path(__file__).parent)]
    running = [subprocess.Popen([*words, str(number)]) for number in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    names = {approval.entry.name for approval in store(tmp_path).approved(here.path)}
    assert names == {f"{process}-{number}" for process in range(3) for number in range(10)}


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_damage_makes_a_store_trust_more(tmp_path: Path, here: Place, trusted: Path, data: st.DataObject) -> None:
    """Flip bytes anywhere: another hook is never trusted, and nothing raises."""
    whole = trusted.read_bytes()
    broken = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    trusted.write_bytes(bytes(broken))
    try:
        trust = store(tmp_path)
        assert trust.verify(here.hook("false"), here.path) == "it is not approved"
        assert trust.standing(here.hook("true"), here.path).state in ("trusted", "untrusted", "modified")
    finally:
        trusted.write_bytes(whole)


def test_the_store_is_plain_json_of_a_known_version(trusted: Path) -> None:
    document = json.loads(trusted.read_text())
    assert sorted(document) == ["projects", "schema"]
    assert document["schema"] == 1
