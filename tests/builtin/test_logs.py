import os
import re
from collections.abc import Callable

import pytest

from builtin.kit import Place, Said
from omnihook.builtin.troubles import Trouble
from omnihook.events import Event, FileModified, SessionEnd, SessionStart, Stop
from omnihook.verdicts import Verdict

LINES: list[tuple[str, Event, str]] = [
    ("log-session-start", SessionStart(source="resume"), "Session started: resume"),
    ("log-session-start", SessionStart(), "Session started"),
    ("log-session-end", SessionEnd(reason="quit", duration=1.5), "Session ended: quit after 1500ms"),
    ("log-session-end", SessionEnd(), "Session ended"),
    ("log-stop", Stop(tokens_used=1200, tool_calls_count=0), "Turn complete: 1200 tokens, 0 tool calls"),
    ("log-stop", Stop(), "Turn complete"),
    ("log-file-modified", FileModified(file_path="src/a.py", change_type="create"), "File create: src/a.py"),
    ("log-file-modified", FileModified(file_path="src/a\nb"), "File change: src/a\\nb"),
]


@pytest.mark.parametrize(("name", "event", "line"), LINES, ids=[line for _, _, line in LINES])
def test_one_line_is_shown(place: Place, name: str, event: Event, line: str) -> None:
    assert place.run(name, event) == Verdict(system_message=line)


def test_lines_are_appended_to_a_private_file(place: Place) -> None:
    for source in ("startup", "clear"):
        place.run("log-session-start", SessionStart(source=source), file="~/logs/sessions.log")
    file = place.home / "logs" / "sessions.log"
    stamps = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}"
    assert re.fullmatch(f"{stamps} Session started: startup\n{stamps} Session started: clear\n", file.read_text())
    assert file.stat().st_mode & 0o777 == 0o600


def test_no_secret_is_kept_in_a_log(place: Place) -> None:
    token = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyzAB"
    place.run("log-file-modified", place.changed(f"src/{token}.py"), file="a.log")
    kept = (place.project / "a.log").read_text()
    assert token not in kept
    assert "File modify: src/[redacted:github:" in kept


def test_only_source_files_are_logged_by_default(place: Place) -> None:
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "log-file-modified"\n')
    seen = {
        path: place.fire("FileModified", {"file_path": path, "change_type": "modify"}).verdict.system_message
        for path in ("src/deep/er/a.py", "lib/b.js", "docs/c.md")
    }
    assert seen == {
        "src/deep/er/a.py": "File modify: src/deep/er/a.py",
        "lib/b.js": "File modify: lib/b.js",
        "docs/c.md": None,
    }


def test_a_log_that_cannot_be_written_is_a_broken_hook_and_stops_nobody(place: Place) -> None:
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "log-stop"\noptions = { file = "/proc/no/x" }\n')
    report = place.fire("Stop")
    assert (report.verdict.decision.word, report.outcomes[0].status.value) == (None, "broken")
    why = "/proc/no/x could not be written: No such file or directory"
    assert (report.outcomes[0].stderr, str(report.outcomes[0].error)) == (f"{why}\n", f"exit 1: {why}")


def test_the_line_goes_where_an_agent_takes_it_for_nothing_else(command: Callable[..., Said]) -> None:
    autohand = command("log-stop", stdin={"hook_event_name": "stop", "tokens_used": 5, "tool_calls_count": 1})
    assert autohand == Said(0, "Turn complete: 5 tokens, 1 tool calls\n", "")
    claude = command("log-stop", stdin={"hook_event_name": "Stop"})
    assert (claude.code, claude.json) == (0, {"systemMessage": "Turn complete"})
    codemie = command("log-stop", env={"CODEMIE_HOOK_INPUT": '{"hook_event_name": "Stop"}'})
    assert (codemie.code, codemie.out, codemie.err) == (0, "", "Turn complete\n")  # its stdout would be context


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pipe", "it is not a regular file"),
        ("read", "it is not a regular file"),
        ("link", "leads out of the session's folder"),
        ("inner", "it is a link"),
        ("../x.log", "leads out of the session's folder"),
        ("a/../../../x.log", "leads out of the session's folder"),
        ("out/x.log", "leads out of the session's folder"),
        ("/dev/null", "it is not a regular file"),
        (".", "leads out of the session's folder"),
        ("a\0b", "no file has such a name"),
    ],
)
def test_only_regular_files_below_the_sessions_folder_are_written(place: Place, name: str, why: str) -> None:
    os.mkfifo(place.project / "pipe")
    os.mkfifo(place.project / "read")
    reader = os.open(place.project / "read", os.O_RDONLY | os.O_NONBLOCK)
    (place.project / "link").symlink_to(place.home / "x.log")
    (place.project / "inner").symlink_to(place.project / "x.log")
    (place.project / "out").symlink_to(place.home)
    try:
        with pytest.raises(Trouble, match=why):
            place.run("log-stop", Stop(), file=name)
    finally:
        os.close(reader)
    assert not [*place.root.rglob("*.log")]


def test_a_whole_path_may_lie_anywhere(place: Place) -> None:
    place.run("log-stop", Stop(), file=str(place.root / "elsewhere" / "x.log"))
    place.run("log-stop", Stop(), file="logs/../kept/x.log")
    assert sorted(file.parent.name for file in place.root.rglob("x.log")) == ["elsewhere", "kept"]
