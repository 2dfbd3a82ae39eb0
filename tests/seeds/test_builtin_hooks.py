"""The built-in hooks of Autohand's document as it installs them: default entries, their scripts, real events."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from omnihook.builtin.sound_alert import PLAYERS
from omnihook.engine import Engine
from omnihook.outcomes import Outcome, Report, Status

if TYPE_CHECKING:
    from conftest import World

Stand = Callable[..., tuple[Path, Callable[[str], list[list[str]]]]]


@pytest.fixture
def installed(world: "World") -> "World":
    """A home after the first run, and our program on the path."""
    assert world.omnihook("init", "--as", "autohand")[0] == 0
    (world.programs / "omnihook").symlink_to(Path(sys.executable).parent / "omnihook")
    return world


def enable(world: "World", name: str) -> None:
    path = world.home / ".autohand/config.json"
    found = json.loads(path.read_text())
    for entry in found["hooks"]["hooks"]:
        entry["enabled"] = f"/{name}.sh" in entry["command"]
        entry["timeout"] = 15000  # a busy machine
    path.write_text(json.dumps(found))


def fire(world: "World", name: str, event: str, payload: dict[str, object], **environ: str) -> Outcome:
    """The outcome of the built-in's script for an event."""
    enable(world, name)
    engine = Engine(str(world.project), only="autohand", environ={**world.environ, **environ})
    report: Report = world.fire("autohand", event, payload, engine=engine)
    outcomes = [*report.outcomes, *world.late]
    world.late.clear()
    return next(outcome for outcome in outcomes if outcome.status is not Status.LATE)


@pytest.mark.parametrize("player", ["paplay", "aplay", "speaker-test"])
def test_a_sound_is_played_with_what_linux_has(installed: "World", stand_ins: Stand, player: str) -> None:
    _, calls = stand_ins(installed.root, player)
    outcome = fire(installed, "sound-alert", "stop", {"tokens_used": 1})
    assert outcome.exit_code == 0
    assert len(calls(player)) == 1


@pytest.mark.parametrize(
    ("system", "words"),
    [("darwin", ("afplay", "Glass.aiff")), ("win32", ("powershell", "[console]::beep("))],
    ids=["macos", "windows"],
)
def test_a_sound_is_played_with_what_other_systems_have(system: str, words: tuple[str, str]) -> None:
    first = PLAYERS[system][0]
    assert first[0] == words[0]
    assert words[1] in first[-1]


FORMATTERS = {
    "prettier": (("prettier", "eslint", "biome"), "src/a.ts"),
    "eslint": (("eslint", "biome"), "src/a.ts"),
    "biome": (("biome",), "src/a.ts"),
}


@pytest.mark.parametrize("used", FORMATTERS)
def test_the_first_formatter_of_the_project_is_used(installed: "World", used: str) -> None:
    there, file = FORMATTERS[used]
    for name in there:
        text = '#!/bin/sh\nfor last; do :; done\necho "// $(basename "$0") $*" >> "$last"\n'
        installed.script(installed.project / "node_modules/.bin" / name, text)
    (installed.project / "src").mkdir()
    (installed.project / file).write_text("let a=1\n")
    (installed.project / "package.json").write_text("{}")
    outcome = fire(installed, "auto-format", "file-modified", {"file_path": file, "change_type": "modify"})
    assert outcome.exit_code == 0
    first, *rest = (installed.project / file).read_text().splitlines()
    assert first == "let a=1"
    assert [line.split()[1] for line in rest] == [used]
    assert used != "eslint" or "--fix" in rest[0]


class Webhook(ThreadingHTTPServer):
    """A Slack that keeps what was posted."""

    def __init__(self) -> None:
        self.posted: list[str] = []
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(BaseHTTPRequestHandler):
    """Takes a message."""

    def do_POST(self) -> None:
        assert isinstance(self.server, Webhook)
        self.server.posted.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["text"])
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def slack() -> Iterator[Webhook]:
    with Webhook() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_slack_is_told_project_duration_tokens_and_tool_calls(installed: "World", slack: Webhook) -> None:
    told = {"tokens_used": 1234, "tool_calls_count": 7, "turn_duration": 65400}
    url = f"http://127.0.0.1:{slack.server_port}/services/XXX/YYY/ZZZ"
    assert fire(installed, "slack-notify", "stop", told, SLACK_WEBHOOK_URL=url).exit_code == 0
    [text] = slack.posted
    assert all(part in text for part in ("project", "1m 5s", "1234", "7"))


def test_without_a_webhook_slack_is_told_nothing(installed: "World", slack: Webhook) -> None:
    assert fire(installed, "slack-notify", "stop", {"tokens_used": 1}).exit_code == 0
    assert slack.posted == []


SKIPPED = {
    "env files": ("src/.env", "src/.env.local"),
    "log, tmp, swp and bak files": ("src/a.log", "src/a.tmp", "src/a.swp", "src/a.bak"),
    "folders": ("src/node_modules/a.js", "src/dist/a.js", "src/build/a.js", "src/coverage/a.js"),
}


@pytest.fixture
def repository(installed: "World") -> "World":
    subprocess.run(["git", "init", "-q", "."], cwd=installed.project, check=True)
    return installed


def staged(world: "World", *paths: str) -> list[str]:
    """What is in the index after the built-in ran for these files, as the script calls it."""
    for path in paths:
        target = world.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("x")
        told = {"HOOK_EVENT": "file-modified", "HOOK_PATH": path, "HOOK_CHANGE_TYPE": "create"}
        told["HOOK_WORKSPACE"] = str(world.project)
        assert world.omnihook("builtin", "git-auto-stage", environ=told)[0] == 0
    listed = subprocess.run(["git", "ls-files"], cwd=world.project, capture_output=True, text=True, check=True)
    return listed.stdout.split()


def test_a_changed_file_is_staged(repository: "World") -> None:
    (repository.project / "src").mkdir()
    (repository.project / "src/a.ts").write_text("x")
    outcome = fire(repository, "git-auto-stage", "file-modified", {"file_path": "src/a.ts", "change_type": "create"})
    assert outcome.exit_code == 0
    assert staged(repository) == ["src/a.ts"]
    assert staged(repository, "lib/b.ts") == ["lib/b.ts", "src/a.ts"]


@pytest.mark.parametrize("item", SKIPPED)
def test_what_is_listed_is_not_staged(repository: "World", item: str) -> None:
    assert staged(repository, *SKIPPED[item]) == []


def test_the_guard_blocks_with_exit_2(installed: "World") -> None:
    call: dict[str, object] = {"tool_name": "run_command", "tool_input": {"command": "rm -rf /"}}
    outcome = fire(installed, "security-guard", "pre-tool", call)
    assert (outcome.exit_code, outcome.blocked) == (2, True)
    assert outcome.verdict.reason
    harmless: dict[str, object] = {"tool_name": "run_command", "tool_input": {"command": "ls"}}
    assert fire(installed, "security-guard", "pre-tool", harmless).succeeded
    secret: dict[str, object] = {"tool_name": "write_file", "tool_input": {"path": ".env", "content": "A=1"}}
    assert fire(installed, "security-guard", "pre-tool", secret).blocked
