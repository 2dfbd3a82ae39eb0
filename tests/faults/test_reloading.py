"""R4: files that change in the middle of a session."""

import json
from collections.abc import Callable

import pytest

from faults.kit import BASH, Machine, fire
from omnihook import Decision, Engine, Verdict
from omnihook.outcomes import Report
from omnihook.reloading import CHANGED
from omnihook.sessions import FileSessions
from omnihook.trust import TrustStore

GUARD = '[[hook]]\nname = "g"\non = "PreToolUse"\nmatch = "Bash"\nrun = "echo no >&2; exit 2"\nguard = true\n'
PLAIN = '[[hook]]\nname = "p"\non = "PreToolUse"\nrun = "echo plain >&2; exit 2"\n'
WEAKER = {
    "the file is gone": None,
    "the file is empty": "",
    "the file is broken": "[[hook\n",
    "the hook is gone": "enabled = true\n",
    "the hook is disabled": GUARD + "enabled = false\n",
    "the layer is switched off": "enabled = false\n" + GUARD,
    "it is no guard any more": GUARD.replace("guard = true\n", 'on_error = "allow"\n').replace("exit 2", "exit 0"),
    "it only watches": GUARD + 'mode = "shadow"\n',
    "it runs something else": GUARD.replace("exit 2", "exit 0"),
    "it matches something else": GUARD.replace('"Bash"', '"Read"'),
    "it runs at another event": GUARD.replace("PreToolUse", "PostToolUse"),
    "it is in the background": GUARD + "async = true\n",
}


def _resident(box: Machine) -> Callable[[str], Report]:
    engine = box.engine()
    return lambda session: fire(engine, _event(session))


def _coming_and_going(box: Machine) -> Callable[[str], Report]:
    return lambda session: fire(box.fresh(), _event(session))


def _event(session: str) -> object:
    from dataclasses import replace

    return replace(BASH, session_id=session)


WAYS = pytest.mark.parametrize("way", [_resident, _coming_and_going])


def _change(box: Machine, text: str | None, name: str = "~/.config/omnihook/hooks.toml") -> None:
    path = box.write(name, "")
    path.unlink()
    if text is not None:
        box.write(name, text)


@WAYS
@pytest.mark.parametrize("change", WEAKER)
def test_weakening_a_users_guard_counts_only_for_new_sessions(
    box: Machine, way: Callable[..., object], change: str
) -> None:
    """R4: the session that began under the guard keeps it, and is told so once."""
    box.user(GUARD)
    fired = way(box)
    assert fired("old").verdict.reason == "no"  # type: ignore[operator]
    _change(box, WEAKER[change])
    first, second = fired("old"), fired("old")  # type: ignore[operator]
    assert first.verdict.reason == second.verdict.reason == "no"
    told = [notice for notice in first.notices if "stay in force" in notice]
    assert told == ["guards that were changed, removed or switched off stay in force for this session: g"]
    assert not any("stay in force" in notice for notice in second.notices)
    assert not fired("new").refused  # type: ignore[operator]


@WAYS
def test_strengthening_counts_at_once(box: Machine, way: Callable[..., object]) -> None:
    """R4: a user's new hook runs at the next event, with one visible notice."""
    box.user("enabled = true\n")
    fired = way(box)
    assert not fired("s").refused  # type: ignore[operator]
    _change(box, GUARD)
    first, second = fired("s"), fired("s")  # type: ignore[operator]
    assert first.refused
    assert second.refused
    assert [first.notices.count(CHANGED), second.notices.count(CHANGED)] == [1, 0]


@WAYS
def test_a_guard_that_came_in_the_middle_cannot_leave_in_the_middle(box: Machine, way: Callable[..., object]) -> None:
    """R4: what a session has worked under is what counts, not only what it began with."""
    box.user(PLAIN.replace("exit 2", "exit 0"))
    fired = way(box)
    fired("s")  # type: ignore[operator]
    _change(box, GUARD)
    fired("s")  # type: ignore[operator]
    _change(box, "")
    assert fired("s").verdict.reason == "no"  # type: ignore[operator]


@WAYS
def test_a_plain_hook_may_be_removed_at_any_time(box: Machine, way: Callable[..., object]) -> None:
    """R4: only guards are held on to."""
    box.user(PLAIN)
    fired = way(box)
    assert fired("s").refused  # type: ignore[operator]
    _change(box, "")
    assert not fired("s").refused  # type: ignore[operator]


@WAYS
def test_managed_hooks_stay_whatever_is_deleted(box: Machine, way: Callable[..., object]) -> None:
    """R4: deleting every other file does not touch them, and their own file's deletion waits for new sessions."""
    box.write("/etc/omnihook/hooks.toml", GUARD.replace("guard = true\n", ""))
    box.user("enabled = false\n")
    box.write(".omnihook/hooks.toml", 'enabled = false\n[[hook]]\non = "Stop"\nrun = "true"\n')
    fired = way(box)
    assert fired("s").verdict.reason == "no"  # type: ignore[operator]
    _change(box, None)
    _change(box, None, ".omnihook/hooks.toml")
    assert fired("s").verdict.reason == "no"  # type: ignore[operator]
    _change(box, None, "/etc/omnihook/hooks.toml")
    assert fired("s").verdict.reason == "no"  # type: ignore[operator]
    assert not fired("new").refused  # type: ignore[operator]


def _trusted(box: Machine) -> Engine:
    engine = box.engine()
    TrustStore(box.folders.state).approve(list(engine.hooks), str(box.project), when=1.0)
    return box.engine()


@WAYS
def test_a_project_file_that_appears_or_changes_needs_approval_first(box: Machine, way: Callable[..., object]) -> None:
    """R4: created in the middle: untrusted; changed in the middle: modified; neither runs."""
    mark = box.top / "ran"
    fired = way(box)
    fired("s")  # type: ignore[operator]
    box.write(".omnihook/hooks.toml", f'[[hook]]\nname = "h"\non = "PreToolUse"\nrun = "touch {mark}"\n')
    report = fired("s")  # type: ignore[operator]
    assert [(item.hook.name, item.why) for item in report.skipped] == [("h", "untrusted")]
    _trusted(box)
    box.write(".omnihook/hooks.toml", f'[[hook]]\nname = "h"\non = "PreToolUse"\nrun = "touch  {mark}"\n')
    report = fired("s")  # type: ignore[operator]
    assert [(item.hook.name, item.why) for item in report.skipped] == [("h", "modified")]
    assert not mark.exists()


@WAYS
@pytest.mark.parametrize("change", ["definition", "file", "script"])
def test_an_agent_cannot_edit_away_a_projects_guard(box: Machine, way: Callable[..., object], change: str) -> None:
    """R4: in the session that ran under it the guard stays, and where its script was changed it fails closed."""
    box.write("check.sh", "#!/bin/sh\necho no >&2; exit 2\n", mode=0o755)
    text = GUARD.replace("echo no >&2; exit 2", "./check.sh")
    box.write(".omnihook/hooks.toml", text)
    _trusted(box)
    fired = way(box)
    assert fired("s").verdict.reason == "no"  # type: ignore[operator]
    if change == "definition":
        box.write(".omnihook/hooks.toml", text.replace("./check.sh", "true"))
    elif change == "file":
        (box.project / ".omnihook/hooks.toml").unlink()
    else:
        box.write("check.sh", "#!/bin/sh\nexit 0\n", mode=0o755)
    report = fired("s")  # type: ignore[operator]
    assert report.refused
    assert ("broke" in (report.verdict.reason or "")) is (change == "script")


@WAYS
def test_a_user_who_withdraws_an_approval_is_obeyed(box: Machine, way: Callable[..., object]) -> None:
    """R4: taking trust back is the user's own act; the session is not locked up by it."""
    box.write(".omnihook/hooks.toml", GUARD)
    _trusted(box)
    fired = way(box)
    assert fired("s").refused  # type: ignore[operator]
    TrustStore(box.folders.state).withdraw(str(box.project))
    report = fired("s")  # type: ignore[operator]
    assert not report.refused
    assert [item.why for item in report.skipped] == ["untrusted"]


def test_sessions_do_not_share_what_they_know(box: Machine) -> None:
    """R4: by agent and by session; a subagent is in its session."""
    from dataclasses import replace

    box.user(GUARD)
    engine = box.engine()
    fire(engine, _event("s"))  # type: ignore[arg-type]
    _change(box, "")
    assert fire(engine, replace(BASH, session_id="s", subagent="a1")).refused
    assert not fire(engine, replace(BASH, session_id="s", agent="claude-code")).refused
    assert not fire(engine, replace(BASH, session_id="t")).refused


def test_plain_functions_and_kept_guards_go_together(box: Machine) -> None:
    """R4: `fire_sync` sees the guard too, though the plan of the new files holds only functions."""
    box.user(GUARD)
    engine = box.engine()
    engine.on("PreToolUse")(lambda event: Verdict.approve())
    with engine:
        assert engine.fire_sync(BASH).refused
        _change(box, "")
        assert engine.fire_sync(BASH).verdict.decision is Decision.BLOCK


@pytest.mark.parametrize("text", ["", "{", "[]", "5", '{"texts": [], "guards": [[1]]}', '{"guards": {}}', "\0"])
def test_a_damaged_memory_is_forgotten_and_not_a_crash(box: Machine, text: str) -> None:
    """R4, F25: the state folder may hold anything."""
    box.user(GUARD)
    fire(box.fresh())
    for path in (box.home / ".local/state/omnihook/sessions").iterdir():
        found = json.loads(path.read_text())
        found["texts"] = dict.fromkeys(found["texts"], text)
        path.write_text(json.dumps(found))
    assert fire(box.fresh()).refused
    for path in (box.home / ".local/state/omnihook/sessions").iterdir():
        path.write_text(text)
    assert fire(box.fresh()).refused


def test_late_words_never_cost_the_counters(box: Machine) -> None:
    """F49: a session's memory holds both, and a flood of context drops only the oldest context."""
    sessions = FileSessions(str(box.home / "sessions"))
    from omnihook.sessions import Key

    key = Key("a", "s")
    with sessions.changing(key) as state:
        state.counts["stop_blocks"] = 3
        state.mailbox += ["x" * 900_000, "y" * 900_000, "z" * 900_000]
    with sessions.changing(key) as state:
        assert state.counts == {"stop_blocks": 3}
        assert [text[0] for text in state.mailbox] == ["y", "z"]
