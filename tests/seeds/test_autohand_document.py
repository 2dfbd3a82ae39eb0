"""Autohand's hooks document, example by example, with real processes."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from omnihook.outcomes import Status
from omnihook.verdicts import NO_OPINION, Decision, Verdict

if TYPE_CHECKING:
    from conftest import World

DATA = Path(__file__).parent / "autohand"
Stand = Callable[..., tuple[Path, Callable[[str], list[list[str]]]]]
INPUT = {"tool_name": "run_command", "tool_input": {"command": "git status"}, "tool_use_id": "call_1"}


def example(name: str) -> dict[str, object]:
    found = json.loads((DATA / name).read_text())
    assert isinstance(found, dict)
    return found


def configure(world: "World", *entries: dict[str, object], enabled: bool = True) -> None:
    world.write(".autohand/config.json", {"hooks": {"enabled": enabled, "hooks": list(entries)}})


def log(world: "World", name: str) -> str:
    return (world.home / ".autohand" / name).read_text()


def test_the_basic_structure_logs_every_tool(world: "World") -> None:
    world.write(".autohand/config.json", (DATA / "basic.json").read_text())
    report = world.fire("autohand", "pre-tool", INPUT)
    assert log(world, "hooks.log") == "Running tool: run_command\n"
    assert report.verdict == NO_OPINION


def test_the_logging_example_writes_a_dated_line(world: "World") -> None:
    configure(world, example("log-tools.json"))
    world.fire("autohand", "pre-tool", INPUT)
    assert log(world, "tool.log").endswith(" - Tool: run_command\n")


@pytest.mark.parametrize(
    ("tool", "runs"), [("run_command", 1), ("delete_path", 1), ("read_file", 0), ("run_commands", 0)]
)
def test_the_matcher_example_fires_for_two_tools(world: "World", tool: str, runs: int) -> None:
    configure(world, example("matcher.json"))
    world.script(world.project / "log-dangerous.sh", '#!/bin/sh\necho "$HOOK_TOOL" >> log\n')
    report = world.fire("autohand", "pre-tool", {**INPUT, "tool_name": tool})
    assert len(report.outcomes) == runs
    assert (world.project / "log").exists() == bool(runs)


@pytest.mark.parametrize(
    ("tool", "path", "runs"),
    [
        ("write_file", "src/a/b.ts", 1),
        ("write_file", "src/b.ts", 1),
        ("write_file", "./lib/../lib/x.js", 1),
        ("write_file", "{project}/src/b.ts", 1),
        ("write_file", "src/.hidden/b.ts", 0),
        ("write_file", "src/b.js", 0),
        ("read_file", "src/b.ts", 0),
    ],
)
def test_the_filter_example_wants_tool_and_path(world: "World", tool: str, path: str, runs: int) -> None:
    configure(world, {"event": "pre-tool", "command": "true", **example("filter.json")})
    full = path.format(project=world.project)
    report = world.fire("autohand", "pre-tool", {"tool_name": tool, "tool_input": {"path": full}})
    assert len(report.outcomes) == runs


def test_the_script_that_reads_json_sees_the_call(world: "World") -> None:
    world.script(world.project / "hook.sh", (DATA / "reads-json.sh").read_text())
    configure(world, {"event": "pre-tool", "command": "./hook.sh"})
    report = world.fire(
        "autohand", "pre-tool", {"tool_name": "write_file", "tool_input": {"path": "a", "content": "b"}}
    )
    [outcome] = report.outcomes
    assert " ".join(outcome.stdout.split()) == 'Tool: write_file with args: { "path": "a", "content": "b" }'
    assert outcome.verdict == NO_OPINION


def test_stdin_has_every_key_of_the_document_and_no_newline(world: "World") -> None:
    configure(world, {"event": "pre-tool", "command": "cat > got"})
    given = example("input.json")
    world.fire("autohand", "pre-tool", {**given, "cwd": str(world.project)})
    got = (world.project / "got").read_bytes()
    assert json.loads(got) == {**given, "cwd": str(world.project)}
    assert b"\n" not in got
    assert b": " not in got.replace(b'"..."', b"")


def test_stdin_has_nulls_where_an_agent_left_keys_out(world: "World") -> None:
    configure(world, {"event": "pre-tool", "command": "cat > got"})
    world.fire("autohand", "pre-tool", INPUT)
    assert set(json.loads((world.project / "got").read_text())) == set(example("input.json"))


@pytest.mark.parametrize(
    ("command", "decision", "reason"),
    [("git status", Decision.APPROVE, "Safe git command"), ("git push", Decision.ASK, None)],
)
def test_safe_commands_are_approved_and_others_asked(
    world: "World", command: str, decision: Decision, reason: str | None
) -> None:
    world.script(world.project / "hook.sh", (DATA / "approve-safe.sh").read_text())
    configure(world, {"event": "permission-request", "command": "./hook.sh"})
    report = world.fire("autohand", "permission-request", {**INPUT, "tool_input": {"command": command}})
    assert (report.verdict.decision, report.verdict.reason) == (decision, reason)


@pytest.mark.parametrize(("command", "blocked"), [("rm -rf /", True), ("rm file", False)])
def test_dangerous_operations_are_blocked_by_exit_2(world: "World", command: str, blocked: bool) -> None:
    world.script(world.project / "hook.sh", (DATA / "block-dangerous.sh").read_text())
    configure(world, {"event": "pre-tool", "command": "./hook.sh"})
    report = world.fire("autohand", "pre-tool", {**INPUT, "tool_input": {"command": command}})
    assert report.refused is blocked
    assert report.verdict.reason == (f"Blocked dangerous rm command: {command}" if blocked else None)


def test_reads_are_approved(world: "World") -> None:
    world.script(world.project / "auto-approve-reads.sh", (DATA / "auto-approve-reads.sh").read_text())
    configure(world, example("approve-reads.json"))
    read = world.fire("autohand", "permission-request", {"tool_name": "read_file", "tool_input": {"path": "a"}})
    write = world.fire("autohand", "permission-request", {"tool_name": "write_file", "tool_input": {"path": "a"}})
    assert read.verdict.decision is Decision.APPROVE
    assert write.outcomes == ()


def test_a_changed_file_is_notified_with_its_name_as_text(world: "World", stand_ins: Stand) -> None:
    _, calls = stand_ins(world.root, "osascript")
    configure(world, example("notify-file.json"))
    nasty = "src/a b\"; $(touch pwned) `id` '.ts"
    world.fire("autohand", "file-modified", {"file_path": nasty, "change_type": "modify"})
    world.fire("autohand", "file-modified", {"file_path": "docs/a.md", "change_type": "modify"})
    shown = f'display notification "File changed: {nasty}" with title "Autohand"'
    assert calls("osascript") == [["-e", shown]]
    assert not (world.project / "pwned").exists()


def test_tokens_are_sent_in_the_background(world: "World", stand_ins: Stand) -> None:
    _, calls = stand_ins(world.root, "curl")
    configure(world, example("track-tokens.json"))
    report = world.fire("autohand", "stop", {"tokens_used": 1234})
    assert [outcome.status for outcome in report.outcomes] == [Status.LATE]
    assert calls("curl") == [["-X", "POST", "https://api.example.com/metrics", "-d", '{"tokens": 1234}']]


def test_typescript_is_linted(world: "World", stand_ins: Stand) -> None:
    _, calls = stand_ins(world.root, "eslint")
    configure(world, example("lint.json"))
    for path in ("a.ts", "deep/er/b c.ts", "a.js", ".cache/a.ts"):
        world.fire("autohand", "file-modified", {"file_path": path, "change_type": "create"})
    assert calls("eslint") == [["a.ts", "--fix"], ["deep/er/b c.ts", "--fix"]]


def test_the_session_is_logged(world: "World") -> None:
    configure(world, example("session-start.json"), example("session-end.json"))
    world.fire("autohand", "session-start", {"session_type": "resume"})
    world.fire("autohand", "session-end", {"session_end_reason": "quit", "duration": 1500})
    first, last = log(world, "sessions.log").splitlines()
    assert first.startswith("Session started: resume at ")
    assert last == "Session ended: quit after 1500ms"


def test_subagents_are_tracked_by_all_four_variables(world: "World") -> None:
    configure(world, example("subagents.json"))
    told = {"subagent_name": "scout", "subagent_type": "explore", "subagent_success": False, "subagent_duration": 0}
    world.fire("autohand", "subagent-stop", told)
    assert log(world, "subagents.log") == "Subagent scout (explore): false in 0ms\n"


def test_the_built_in_entries_of_the_document_run_their_scripts(world: "World") -> None:
    names = ("sound-alert", "auto-format", "slack-notify", "git-auto-stage", "security-guard", "smart-commit")
    configure(world, *(example(f"{name}.json") for name in names))
    for name in names:
        world.script(world.home / f".autohand/hooks/{name}.sh", f"#!/bin/sh\necho {name} >> {world.project}/ran\n")
    world.fire("autohand", "stop", {})
    world.fire("autohand", "file-modified", {"file_path": "src/a.ts", "change_type": "modify"})
    guarded = world.fire("autohand", "pre-tool", INPUT)
    ran = (world.project / "ran").read_text().split()
    assert sorted(ran) == ["auto-format", "git-auto-stage", "security-guard", "slack-notify", "sound-alert"]
    assert len(guarded.outcomes) == 1


def test_async_does_not_block(world: "World") -> None:
    configure(world, {"event": "stop", "command": "sleep 0.8; echo done > late", "async": True})
    world.fire("autohand", "stop", {})
    assert world.waited < 0.6
    assert (world.project / "late").read_text() == "done\n"


def test_sync_hooks_run_in_the_order_of_the_list(world: "World") -> None:
    entries = [{"event": "pre-tool", "command": f"sleep 0.{3 - n}; echo {n} >> order"} for n in range(3)]
    configure(world, *entries)
    report = world.fire("autohand", "pre-tool", INPUT)
    assert (world.project / "order").read_text().split() == ["0", "1", "2"]
    assert [outcome.hook.name for outcome in report.outcomes] == ["pre-tool:1", "pre-tool:2", "pre-tool:3"]


@pytest.mark.parametrize("event", ["pre-tool", "file-modified"])
def test_continue_false_ends_the_other_sync_hooks_only(world: "World", event: str) -> None:
    stop = {"event": event, "command": """echo '{"continue": false, "stopReason": "enough"}'"""}
    configure(
        world,
        stop,
        {"event": event, "command": "touch second"},
        {"event": event, "command": "touch third", "async": True},
    )
    report = world.fire("autohand", event, {**INPUT, "file_path": "a", "change_type": "create"})
    assert (report.verdict.continue_, report.verdict.stop_reason) == (False, "enough")
    assert not (world.project / "second").exists()
    assert (world.project / "third").exists()


def test_exit_2_does_not_end_later_hooks(world: "World") -> None:
    configure(
        world,
        {"event": "pre-tool", "command": "echo no >&2; exit 2"},
        {"event": "pre-tool", "command": 'touch second; echo \'{"decision": "allow"}\''},
    )
    report = world.fire("autohand", "pre-tool", INPUT)
    assert (report.verdict.decision, report.verdict.reason) == (Decision.BLOCK, "no")
    assert (world.project / "second").exists()


@pytest.mark.parametrize(("fired", "written"), [("stop", "post-response"), ("post-response", "stop")])
def test_post_response_and_stop_are_one_event_under_the_fired_name(world: "World", fired: str, written: str) -> None:
    configure(world, {"event": written, "command": 'echo "$HOOK_EVENT" > name'})
    world.fire("autohand", fired, {})
    assert (world.project / "name").read_text() == f"{fired}\n"


@pytest.mark.parametrize("success", [True, False])
def test_post_tool_fires_for_success_and_failure(world: "World", success: bool) -> None:
    configure(world, {"event": "post-tool", "command": 'echo "$HOOK_SUCCESS $HOOK_OUTPUT" > got', "matcher": "run"})
    world.fire("autohand", "post-tool", {**INPUT, "tool_success": success, "tool_response": "text"})
    assert (world.project / "got").read_text() == f"{str(success).lower()} text\n"


@pytest.mark.parametrize("code", [1, 3])
def test_other_exit_codes_go_on_visibly(world: "World", code: int) -> None:
    configure(world, {"event": "pre-tool", "command": f'echo \'{{"decision": "deny"}}\'; exit {code}'})
    report = world.fire("autohand", "pre-tool", INPUT)
    assert report.verdict == NO_OPINION
    assert report.outcomes[0].status is Status.BROKEN
    assert report.notices == (f"hook pre-tool:1 broke: exit {code}",)


def test_a_time_out_is_in_milliseconds_and_goes_on(world: "World") -> None:
    configure(world, {"event": "pre-tool", "command": "cat >/dev/null; sleep 3", "timeout": 200})
    begun = time.monotonic()
    report = world.fire("autohand", "pre-tool", INPUT)
    assert time.monotonic() - begun < 2.5
    assert report.outcomes[0].status is Status.TIMEOUT
    assert report.verdict == NO_OPINION


def test_the_switches_switch_off(world: "World") -> None:
    configure(world, {"event": "pre-tool", "command": "touch ran"}, enabled=False)
    assert [item.why for item in world.fire("autohand", "pre-tool", INPUT).skipped] == ["disabled"]
    configure(world, {"event": "pre-tool", "command": "touch ran", "enabled": False})
    assert [item.why for item in world.fire("autohand", "pre-tool", INPUT).skipped] == ["disabled"]
    assert not (world.project / "ran").exists()


def test_updated_input_is_a_shallow_patch(world: "World") -> None:
    answer = json.dumps({"updatedInput": {"content": "safe"}, "additionalContext": "softened"})
    configure(world, {"event": "pre-tool", "command": f"echo '{answer}'"})
    report = world.fire(
        "autohand", "pre-tool", {"tool_name": "write_file", "tool_input": {"path": "a", "content": "b"}}
    )
    assert report.verdict.updated_input == {"file_path": "a", "content": "safe"}
    assert report.verdict.additional_context == "softened"


def test_a_matcher_of_a_subagent_is_its_type(world: "World") -> None:
    configure(world, {"event": "subagent-stop", "command": "true", "matcher": "^explore$"})
    told = {"subagent_name": "explore", "subagent_type": "worker"}
    assert world.fire("autohand", "subagent-stop", told).outcomes == ()
    assert len(world.fire("autohand", "subagent-stop", {"subagent_type": "explore"}).outcomes) == 1


def test_text_that_no_environment_can_hold_does_not_keep_a_guard_from_running(world: "World") -> None:
    configure(world, {"event": "pre-tool", "command": "cat > got; echo no >&2; exit 2"})
    hostile = {"command": "rm \ud800 \x00 \udcff"}
    report = world.fire("autohand", "pre-tool", {"tool_name": "run\ud800", "tool_input": hostile})
    assert report.verdict == Verdict.block("no")
    assert json.loads((world.project / "got").read_text())["tool_input"] == hostile
    elsewhere = world.fire("autohand", "pre-tool", {"tool_name": "x", "cwd": "/no\x00\ud800where"})
    assert elsewhere.refused


def test_the_display_is_the_document_s(world: "World") -> None:
    configure(
        world,
        {"event": "pre-tool", "command": 'echo "Running tool: $HOOK_TOOL"', "description": "Log tool usage"},
        {"event": "post-tool", "command": "./metrics.sh", "description": "Track metrics"},
        {"event": "pre-tool", "command": "./notify.sh", "description": "Notify slack"},
        {"event": "stop", "command": "./track-tokens.sh", "description": "Track token usage"},
        {"event": "session-start", "command": "./log-session.sh", "description": "Log sessions"},
    )
    shown = subprocess.run(
        [sys.executable, "-m", "omnihook", "list", "--as", "autohand"],
        cwd=world.project,
        env=world.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == (DATA / "display.txt").read_text()


def test_the_linter_runs_for_files_that_another_agent_wrote(world: "World", stand_ins: Stand) -> None:
    _, calls = stand_ins(world.root, "eslint")
    configure(world, example("lint.json"))
    wrote = {"tool_name": "Write", "tool_input": {"file_path": f"{world.project}/src/a.ts", "content": ""}}
    report = world.fire("claude-code", "PostToolUse", wrote, engine=world.engine("autohand"))
    assert [derived.event.name for derived in report.derived] == ["FileModified"]
    assert calls("eslint") == [[f"{world.project}/src/a.ts", "--fix"]]


def test_the_guard_of_the_document_guards_another_agent(world: "World") -> None:
    world.script(world.project / "hook.sh", (DATA / "block-dangerous.sh").read_text())
    configure(world, {"event": "pre-tool", "command": "./hook.sh", "matcher": "^run_command$"})
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
    report = world.fire("claude-code", "PreToolUse", call, engine=world.engine("autohand"))
    assert report.verdict == Verdict.block("Blocked dangerous rm command: rm -rf /")
