"""Hooks kept aside: nobody else's are lost, a crash in between loses nothing, and odd files are refused."""

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from editing.kit import Scratch, at, scratch
from omnihook.editing import changing, setting_aside
from omnihook.editing.keeping import Ledger
from omnihook.errors import ConfigError

WRITERS, TURNS = 8, 6
ENTRIES = [{"type": "command", "command": f"echo {number}"} for number in range(WRITERS)]
TEXT = json.dumps({"hooks": {"Stop": [{"hooks": ENTRIES}], "PreToolUse": []}}, indent=2) + "\n"


def toggle(folder: str, writer: int) -> None:
    place = at(folder, "claude-code")
    for _ in range(TURNS // 2):
        hook = next(h for h in place.hooks if getattr(h.action, "command", "") == f"echo {writer}")
        changing.disable(hook, place.dialect, place.folders, label=str(writer))
        kept = next(item for item in Ledger(place.folders.state).read().kept if item.label == str(writer))
        setting_aside.enable(kept, place.dialect, place.folders)


def test_many_writers_keep_each_others_hooks(folder: str) -> None:
    place = at(folder, "claude-code")
    place.write(TEXT)
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=toggle, args=(folder, number)) for number in range(WRITERS)]
    for process in writers:
        process.start()
    for process in writers:
        process.join(18)
    assert [process.exitcode for process in writers] == [0] * WRITERS
    assert place.bytes.decode() == TEXT
    assert Ledger(place.folders.state).read().kept == ()


def _disable(place: Scratch) -> str:
    return str(changing.disable(place.hooks[0], place.dialect, place.folders, label="Stop:1").kept)


def test_a_crash_before_the_file_was_written_loses_nothing_and_doubles_nothing() -> None:
    with scratch("claude-code", TEXT) as place:
        id = _disable(place)
        ledger = Ledger(place.folders.state)
        # As a kill between the two writes would have left it.
        ledger.change(lambda memory: replace(memory, kept=tuple(replace(k, pending=True) for k in memory.kept)))
        place.write(TEXT)
        (kept,) = ledger.read().kept
        assert kept.id == id
        setting_aside.enable(kept, place.dialect, place.folders)
        assert place.bytes.decode() == TEXT
        assert ledger.read().kept == ()


def test_a_crash_after_the_file_was_written_loses_nothing() -> None:
    with scratch("claude-code", TEXT) as place:
        _disable(place)
        ledger = Ledger(place.folders.state)
        ledger.change(lambda memory: replace(memory, kept=tuple(replace(k, pending=True) for k in memory.kept)))
        (kept,) = ledger.read().kept
        setting_aside.enable(kept, place.dialect, place.folders)
        assert place.bytes.decode() == TEXT


def test_a_crash_before_frontmatter_was_written_doubles_nothing(tmp_path: Path) -> None:
    text = "---\nname: s\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: a\n---\n"
    path = tmp_path / "home/.claude/skills/s/SKILL.md"
    place = at(str(tmp_path), "claude-code")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    target = replace(place.target, path=str(path), role="frontmatter", root=str(path.parent))
    (hook,) = target.read(text).hooks
    changing.disable(hook, place.dialect, place.folders, label="Stop:1")
    ledger = Ledger(place.folders.state)
    ledger.change(lambda memory: replace(memory, kept=tuple(replace(k, pending=True) for k in memory.kept)))
    path.write_text(text)
    (kept,) = ledger.read().kept
    setting_aside.enable(kept, place.dialect, place.folders)
    assert (path.read_text(), ledger.read().kept) == (text, ())


def test_what_was_put_back_is_not_put_back_again() -> None:
    with scratch("claude-code", TEXT) as place:
        _disable(place)
        (kept,) = Ledger(place.folders.state).read().kept
        setting_aside.enable(kept, place.dialect, place.folders)
        with pytest.raises(ConfigError, match="not kept aside any longer"):
            setting_aside.enable(kept, place.dialect, place.folders)
        assert place.bytes.decode() == TEXT


def test_equal_entries_are_told_apart_by_their_place() -> None:
    entry = {"type": "command", "command": "same"}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [entry, entry, entry]}]}}, indent=4)
    with scratch("claude-code", text) as place:
        for hook in (place.hooks[1], place.hooks[0]):
            changing.disable(hook, place.dialect, place.folders, label="x")
        assert len(place.hooks) == 1
        for kept in Ledger(place.folders.state).read().kept:
            setting_aside.enable(kept, place.dialect, place.folders)
        assert place.bytes.decode() == text


def test_a_name_that_was_taken_meanwhile_is_not_overwritten() -> None:
    with scratch("claude-agent-rs", '{"hooks": {"stop": {"a": "echo 1", "b": "echo 2"}}}') as place:
        _disable(place)
        changed = '{"hooks": {"stop": {"a": "echo 3", "b": "echo 2"}}}'
        place.write(changed)
        (kept,) = Ledger(place.folders.state).read().kept
        with pytest.raises(ConfigError, match="another hook named 'a'"):
            setting_aside.enable(kept, place.dialect, place.folders)
        assert place.bytes.decode() == changed
        assert Ledger(place.folders.state).read().kept == (kept,)


def test_a_group_that_moved_is_found() -> None:
    def document(*groups: tuple[str, list[str]]) -> str:
        rows = [{"matcher": m, "hooks": [{"type": "command", "command": c} for c in cs]} for m, cs in groups]
        return json.dumps({"hooks": {"PreToolUse": rows}}, indent=2)

    with scratch("claude-code", document(("Bash", ["a", "b"]), ("Read", ["c"]))) as place:
        _disable(place)
        place.write(document(("Write", ["new"]), ("Read", ["c"]), ("Bash", ["b"])))
        (kept,) = Ledger(place.folders.state).read().kept
        setting_aside.enable(kept, place.dialect, place.folders)
        assert place.bytes.decode() == document(("Write", ["new"]), ("Read", ["c"]), ("Bash", ["a", "b"]))


def test_a_broken_memory_is_left_and_named() -> None:
    with scratch("claude-code", TEXT) as place:
        state = Path(place.folders.state, "edits.json")
        state.parent.mkdir()
        state.write_text("{nonsense")
        with pytest.raises(ConfigError, match=r"edits\.json, which holds hooks you disabled, is broken"):
            _disable(place)
        assert (place.bytes.decode(), state.read_text()) == (TEXT, "{nonsense")
