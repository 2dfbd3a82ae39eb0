"""Autohand's tables and lists, row by row: events, properties, subjects, replies, exit codes, variables, methods."""

import json
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from omnihook.dialects.autohand import DIALECT, rpc_notifications
from omnihook.outcomes import Outcome, Status
from omnihook.verdicts import NO_OPINION, Decision, Verdict

if TYPE_CHECKING:
    from conftest import World

CALL: dict[str, object] = {
    "tool_name": "write_file",
    "tool_input": {"path": "src/a.ts", "content": "x"},
    "tool_use_id": "call_1",
}
# What each event's context is, as its row promises.
SAMPLES: dict[str, dict[str, object]] = {
    "pre-tool": CALL,
    "post-tool": {**CALL, "tool_success": True, "tool_response": "done", "duration": 12},
    "file-modified": {"file_path": "src/a.ts", "change_type": "modify"},
    "pre-prompt": {"instruction": "fix it", "mentioned_files": ["a.ts", "b c.ts"]},
    "stop": {"tokens_used": 7, "tool_calls_count": 3, "turn_tool_calls": 2, "turn_duration": 40, "duration": 50},
    "session-start": {"session_type": "resume"},
    "session-end": {"session_end_reason": "clear", "duration": 900},
    "session-error": {"error": "lost the line", "error_code": "E_NET", "context": {"attempt": 2}},
    "subagent-stop": {
        "subagent_id": "a1",
        "subagent_name": "scout",
        "subagent_type": "explore",
        "subagent_success": False,
        "subagent_error": "gave up",
        "subagent_duration": 60,
    },
    "permission-request": {**CALL, "file_path": "src/a.ts", "permission_type": "write"},
    "notification": {"notification_type": "idle", "notification_message": "waiting"},
}


def configure(world: "World", *entries: dict[str, object]) -> None:
    world.write(".autohand/config.json", {"hooks": {"enabled": True, "hooks": list(entries)}})


def run_one(world: "World", event: str, command: str, **more: object) -> Outcome:
    """The outcome of one hook for an event with its whole context."""
    configure(world, {"event": event, "command": command, **more})
    (outcome,) = world.fire("autohand", event, SAMPLES[event]).outcomes
    return outcome


def answer(world: "World", event: str = "permission-request", **reply: object) -> Verdict:
    configure(world, {"event": event, "command": f"echo '{json.dumps(reply)}'"})
    return world.fire("autohand", event, SAMPLES[event]).verdict


@pytest.mark.parametrize("event", SAMPLES)
def test_each_event_fires_with_its_context(world: "World", event: str) -> None:
    outcome = run_one(world, event, "cat > got; echo $HOOK_EVENT")
    assert (outcome.status, outcome.stdout) == (Status.OK, f"{event}\n")
    got = json.loads((world.project / "got").read_text())
    assert {key: got[key] for key in SAMPLES[event]} == SAMPLES[event]
    assert got["hook_event_name"] == event


# The variables, what each must hold, and the events at which the document says that it is there.
TOOLS = ("pre-tool", "post-tool")
ALL = tuple(SAMPLES)
VARIABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "HOOK_EVENT": ("{event}", ALL),
    "HOOK_WORKSPACE": ("{project}", ALL),
    "HOOK_SESSION_ID": ("s1", ALL),
    "HOOK_TOOL": ("write_file", (*TOOLS, "permission-request")),
    "HOOK_TOOL_CALL_ID": ("call_1", TOOLS),
    "HOOK_ARGS": ('{{"path":"src/a.ts","content":"x"}}', TOOLS),
    "HOOK_SUCCESS": ("true", ("post-tool",)),
    "HOOK_OUTPUT": ("done", ("post-tool",)),
    "HOOK_DURATION": ("{duration}", ("post-tool", "stop", "session-end")),
    "HOOK_PATH": ("src/a.ts", ("file-modified", "permission-request")),
    "HOOK_CHANGE_TYPE": ("modify", ("file-modified",)),
    "HOOK_INSTRUCTION": ("fix it", ("pre-prompt",)),
    "HOOK_MENTIONED_FILES": ('["a.ts","b c.ts"]', ("pre-prompt",)),
    "HOOK_TOKENS": ("7", ("stop",)),
    "HOOK_TOOL_CALLS_COUNT": ("3", ("stop",)),
    "HOOK_TURN_TOOL_CALLS": ("2", ("stop",)),
    "HOOK_TURN_DURATION": ("40", ("stop",)),
    "HOOK_ERROR": ("lost the line", ("session-error",)),
    "HOOK_ERROR_CODE": ("E_NET", ("session-error",)),
    "HOOK_SESSION_TYPE": ("resume", ("session-start",)),
    "HOOK_SESSION_END_REASON": ("clear", ("session-end",)),
    "HOOK_SUBAGENT_ID": ("a1", ("subagent-stop",)),
    "HOOK_SUBAGENT_NAME": ("scout", ("subagent-stop",)),
    "HOOK_SUBAGENT_TYPE": ("explore", ("subagent-stop",)),
    "HOOK_SUBAGENT_SUCCESS": ("false", ("subagent-stop",)),
    "HOOK_SUBAGENT_ERROR": ("gave up", ("subagent-stop",)),
    "HOOK_SUBAGENT_DURATION": ("60", ("subagent-stop",)),
    "HOOK_PERMISSION_TYPE": ("write", ("permission-request",)),
    "HOOK_NOTIFICATION_TYPE": ("idle", ("notification",)),
    "HOOK_NOTIFICATION_MSG": ("waiting", ("notification",)),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_each_variable_is_there_at_its_events(world: "World", name: str) -> None:
    value, events = VARIABLES[name]
    configure(world, *({"event": event, "command": f'printf %s "${name}"'} for event in events))
    engine = world.engine("autohand")
    for event in events:
        (outcome,) = world.fire("autohand", event, SAMPLES[event], engine=engine).outcomes
        wanted = value.format(event=event, project=world.project, duration=SAMPLES[event].get("duration"))
        assert outcome.stdout == wanted


def test_a_variable_of_another_event_is_not_there(world: "World") -> None:
    outcome = run_one(world, "session-start", "env")
    found = {line.split("=")[0] for line in outcome.stdout.splitlines() if line.startswith("HOOK_")}
    assert found == {"HOOK_EVENT", "HOOK_WORKSPACE", "HOOK_SESSION_ID", "HOOK_SESSION_TYPE"}


@pytest.mark.parametrize(
    ("entry", "runs"),
    [
        pytest.param({"event": "stop"}, False, id="event"),
        pytest.param({"event": "pre-tool"}, True, id="command"),
        pytest.param({"event": "pre-tool", "description": "what it is for"}, True, id="description"),
        pytest.param({"event": "pre-tool", "enabled": False}, False, id="enabled"),
        pytest.param({"event": "pre-tool", "matcher": "^read"}, False, id="matcher"),
        pytest.param({"event": "pre-tool", "filter": {"tool": ["read_file"]}}, False, id="filter"),
    ],
)
def test_each_property_of_a_hook(world: "World", entry: dict[str, object], runs: bool) -> None:
    configure(world, {"command": "echo ran", **entry})
    report = world.fire("autohand", "pre-tool", CALL)
    assert [outcome.stdout for outcome in report.outcomes] == (["ran\n"] if runs else [])
    assert [hook.description for hook in world.engine("autohand").hooks] == [entry.get("description")]


@pytest.mark.parametrize(("given", "seconds"), [(None, 5.0), (1500, 1.5), (30000, 30.0)])
def test_the_timeout_property_is_milliseconds_and_5000_unless_said(
    world: "World", given: int | None, seconds: float
) -> None:
    more = {} if given is None else {"timeout": given}
    configure(world, {"event": "pre-tool", "command": "true", **more})
    plan = world.engine("autohand").plan(DIALECT.decode_event(CALL, "pre-tool"))
    assert [step.timeout for step in plan.steps] == [seconds]


@pytest.mark.parametrize("given", [None, False, True])
def test_the_async_property_does_not_block_and_is_off_unless_said(world: "World", given: bool | None) -> None:
    more = {} if given is None else {"async": given}
    status = run_one(world, "stop", "sleep 1; touch done", **more).status
    assert status is (Status.LATE if given else Status.OK)
    assert (world.waited < 1) is (given is True)
    assert (world.project / "done").exists()


@pytest.mark.parametrize(
    ("event", "subject", "other"),
    [
        ("pre-tool", "^write_file$", "^read_file$"),
        ("post-tool", "^write_file$", "^read_file$"),
        ("permission-request", "^write_file$", "^read_file$"),
        ("notification", "^idle$", "^waiting$"),
        ("session-start", "^resume$", "^startup$"),
        ("session-end", "^clear$", "^quit$"),
        ("subagent-stop", "^explore$", "^scout$"),
    ],
    ids=[
        "pre-tool",
        "post-tool",
        "permission-request",
        "notification",
        "session-start",
        "session-end",
        "subagent-stop",
    ],
)
def test_what_a_matcher_is_compared_with(world: "World", event: str, subject: str, other: str) -> None:
    configure(
        world,
        {"event": event, "command": "echo yes", "matcher": subject},
        {"event": event, "command": "echo no", "matcher": other},
    )
    report = world.fire("autohand", event, SAMPLES[event])
    assert [outcome.stdout for outcome in report.outcomes] == ["yes\n"]


@pytest.mark.parametrize(
    ("filter_", "runs"),
    [
        pytest.param({"tool": ["write_file", "run_command"]}, True, id="tool-listed"),
        pytest.param({"tool": ["write"]}, False, id="tool-not-listed"),
        pytest.param({"path": ["docs/**", "src/**/*.ts"]}, True, id="path-matches"),
        pytest.param({"path": ["lib/**/*.ts"]}, False, id="path-does-not-match"),
    ],
)
def test_each_filter(world: "World", filter_: dict[str, object], runs: bool) -> None:
    configure(world, {"event": "pre-tool", "command": "true", "filter": filter_})
    assert bool(world.fire("autohand", "pre-tool", CALL).outcomes) is runs


@pytest.mark.parametrize(
    ("word", "decision", "prompts"),
    [
        ("allow", Decision.APPROVE, False),
        ("deny", Decision.DENY, False),
        ("ask", Decision.ASK, True),
        ("block", Decision.BLOCK, False),
    ],
    ids=["allow", "deny", "ask", "block"],
)
@pytest.mark.parametrize("event", ["pre-tool", "permission-request"])
def test_each_decision(world: "World", event: str, word: str, decision: Decision, prompts: bool) -> None:
    said = answer(world, event, decision=word, reason="because")
    assert (said.decision, said.reason) == (decision, "because")
    assert said.refused is (word in ("deny", "block"))
    assert said.ordinary is prompts  # "normal user prompt": nothing is forced


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        pytest.param({"decision": "deny"}, Verdict.deny(), id="decision"),
        pytest.param({"decision": "deny", "reason": "no"}, Verdict.deny("no"), id="reason"),
        pytest.param({"continue": False}, Verdict(continue_=False), id="continue"),
        pytest.param(
            {"continue": False, "stopReason": "enough"}, Verdict(continue_=False, stop_reason="enough"), id="stopReason"
        ),
        pytest.param(
            {"updatedInput": {"content": "y"}},
            Verdict(updated_input={"file_path": "src/a.ts", "content": "y"}, partial=False),
            id="updatedInput",
        ),
        pytest.param({"additionalContext": "note"}, Verdict.context("note"), id="additionalContext"),
    ],
)
def test_each_field_of_a_reply(world: "World", reply: dict[str, object], wanted: Verdict) -> None:
    said = answer(world, "pre-tool", **reply)
    names = ("decision", "reason", "continue_", "stop_reason", "updated_input", "additional_context")
    assert [getattr(said, name) for name in names] == [getattr(wanted, name) for name in names]


def test_the_reply_of_the_document_approves(world: "World") -> None:
    nothing = {"stopReason": None, "updatedInput": None, "additionalContext": None}
    said = answer(world, decision="allow", reason="Approved by automation", **{"continue": True}, **nothing)
    assert said == Verdict.approve("Approved by automation")


@pytest.mark.parametrize(
    ("code", "status", "verdict"),
    [
        pytest.param(0, Status.BLOCKED, Verdict.deny("no"), id="0"),
        pytest.param(2, Status.BLOCKED, Verdict.block("said on stderr"), id="2"),
        pytest.param(1, Status.BROKEN, NO_OPINION, id="other-1"),
        pytest.param(77, Status.BROKEN, NO_OPINION, id="other-77"),
    ],
)
def test_each_exit_code(world: "World", code: int, status: Status, verdict: Verdict) -> None:
    command = f"""echo '{{"decision": "deny", "reason": "no"}}'; echo said on stderr >&2; exit {code}"""
    configure(world, {"event": "pre-tool", "command": command})
    report = world.fire("autohand", "pre-tool", CALL)
    assert report.outcomes[0].status is status
    assert report.verdict == verdict
    assert bool(report.notices) is (status is Status.BROKEN)  # "logged but execution continues"


METHODS: dict[str, tuple[str, dict[str, type | tuple[type, ...]], set[str]]] = {
    # method: its event, the parameters with their types, and those that are optional
    "preTool": ("pre-tool", {"toolId": str, "toolName": str, "args": dict}, set()),
    "postTool": (
        "post-tool",
        {"toolId": str, "toolName": str, "success": bool, "duration": (int, float), "output": str},
        {"output"},
    ),
    "fileModified": ("file-modified", {"filePath": str, "changeType": str, "toolId": str}, set()),
    "prePrompt": ("pre-prompt", {"instruction": str, "mentionedFiles": list}, set()),
    "stop": ("stop", {"tokensUsed": int, "toolCallsCount": int, "duration": (int, float)}, set()),
    "postResponse": ("stop", {"tokensUsed": int, "toolCallsCount": int, "duration": (int, float)}, set()),
    "sessionStart": ("session-start", {"sessionType": str}, set()),
    "sessionEnd": ("session-end", {"reason": str, "duration": (int, float)}, set()),
    "sessionError": ("session-error", {"error": str, "code": str, "context": dict}, {"code", "context"}),
    "subagentStop": (
        "subagent-stop",
        {
            "subagentId": str,
            "subagentName": str,
            "subagentType": str,
            "success": bool,
            "duration": (int, float),
            "error": str,
        },
        {"error"},
    ),
    "permissionRequest": (
        "permission-request",
        {"tool": str, "path": str, "command": str, "args": dict},
        {"path", "command", "args"},
    ),
    "notification": ("notification", {"notificationType": str, "message": str}, set()),
}


@pytest.mark.parametrize("method", METHODS)
def test_each_notification_has_its_method_and_parameters(method: str) -> None:
    event, types, optional = METHODS[method]
    for payload, wanted in ((SAMPLES[event], set(types) - {"command"}), ({}, set(types) - optional)):
        told = dict(rpc_notifications(DIALECT.decode_event(dict(payload), event)))
        params = told[f"autohand.hook.{method}"]
        assert {key for key in params if key in types and params[key] is not None} >= wanted
        assert set(params) <= {*types, "timestamp"}
        assert all(isinstance(params[key], types[key]) for key in params if key != "timestamp")
        assert str(params["timestamp"]).endswith("Z")


def test_every_fired_event_is_told_even_while_hooks_are_off(world: "World") -> None:
    world.write(".autohand/config.json", {"hooks": {"enabled": False, "hooks": [{"event": "stop", "command": "true"}]}})
    engine = world.engine("autohand")
    told: list[str] = []
    engine.observe(lambda report: told.extend(method for method, _ in rpc_notifications(report.event)))
    for event in SAMPLES:
        world.fire("autohand", event, SAMPLES[event], engine=engine)
    assert {method.removeprefix("autohand.hook.") for method in told} == set(METHODS)


def test_an_editor_can_say_what_the_example_says() -> None:
    """The example of an editor's extension, which reads these parameters of six methods."""
    lines = []
    for event in ("pre-tool", "post-tool", "stop", "session-start", "session-end", "subagent-stop"):
        for method, params in rpc_notifications(DIALECT.decode_event(SAMPLES[event], event)):
            match method.removeprefix("autohand.hook."):
                case "preTool":
                    lines.append(f"Running {params['toolName']}...")
                case "postTool":
                    status = "success" if params["success"] else "failed"
                    lines.append(f"{params['toolName']} ({status}, {params['duration']}ms)")
                case "stop":
                    lines.append(f"{params['tokensUsed']} tokens, {params['toolCallsCount']} tool calls")
                case "sessionStart":
                    lines.append(f"started: {params['sessionType']}")
                case "sessionEnd":
                    lines.append(f"ended: {params['reason']} after {params['duration']}ms")
                case "subagentStop":
                    status = "completed" if params["success"] else "failed"
                    lines.append(f"{params['subagentName']} {status} in {params['duration']}ms")
    assert lines == [
        "Running write_file...",
        "write_file (success, 12ms)",
        "7 tokens, 3 tool calls",
        "started: resume",
        "ended: clear after 900ms",
        "scout failed in 60ms",
    ]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("session-start", "Session started: resume\n"),
        ("session-end", "Session ended: clear after 900ms\n"),
        ("stop", "Turn complete: 7 tokens, 3 tool calls\n"),
        ("file-modified", "File modify: src/a.ts\n"),
    ],
)
def test_each_logging_hook_is_installed_off_and_logs_when_enabled(world: "World", event: str, said: str) -> None:
    assert world.omnihook("init", "--as", "autohand")[0] == 0
    assert world.fire("autohand", event, SAMPLES[event]).outcomes == ()
    path = world.home / ".autohand/config.json"
    found = json.loads(path.read_text())
    for entry in found["hooks"]["hooks"]:
        entry["enabled"] = entry["event"] == event and entry["command"].startswith("echo")
    path.write_text(json.dumps(found))
    (outcome,) = world.fire("autohand", event, SAMPLES[event]).outcomes
    assert outcome.stdout == said
    elsewhere = world.fire("autohand", "file-modified", {"file_path": "docs/a.md", "change_type": "modify"})
    assert elsewhere.outcomes == ()


def test_the_default_hooks_are_listed_as_disabled(world: "World") -> None:
    """What one sees before enabling a built-in hook."""
    assert world.omnihook("init", "--as", "autohand")[0] == 0
    _, listed = world.omnihook("list", "--as", "autohand")
    for name in ("sound-alert", "auto-format", "slack-notify", "git-auto-stage", "security-guard", "smart-commit"):
        assert f"[disabled] ~/.autohand/hooks/{name}.sh - " in listed
    assert "[enabled]" not in listed
    assert listed.endswith("Total: 10 hooks (0 enabled, 10 disabled)\n")


def test_the_agent_waits_for_sync_hooks_only(world: "World") -> None:
    configure(
        world,
        {"event": "stop", "command": "sleep 0.4; touch sync"},
        {"event": "stop", "command": "sleep 2; touch async", "async": True},
    )
    engine = world.engine("autohand")
    world.fire("autohand", "stop", {}, engine=engine)
    assert 0.4 <= world.waited < 2
    assert (world.project / "sync").exists()


@pytest.mark.parametrize(
    "command",
    ["exit 1", "kill -9 $$", "no-such-program", "echo '{\"decision\"'", "sleep 9", "head -c 3000000 /dev/zero"],
    ids=["exit", "signal", "missing", "half-an-answer", "time-out", "flood"],
)
def test_a_failing_hook_is_shown_and_nothing_breaks(world: "World", command: str) -> None:
    begun = time.monotonic()
    configure(
        world, {"event": "pre-tool", "command": command, "timeout": 700}, {"event": "pre-tool", "command": "true"}
    )
    report = world.fire("autohand", "pre-tool", CALL)
    assert [outcome.status is Status.OK for outcome in report.outcomes] == [False, True]
    assert report.notices
    assert report.allowed
    assert time.monotonic() - begun < 12


def test_a_hook_runs_in_the_user_s_shell_with_the_user_s_rights(world: "World") -> None:
    outcome = run_one(world, "stop", 'echo "$(id -u) $0 $HOME"; pwd')
    identity = subprocess.run(["id", "-u"], capture_output=True, text=True, check=True).stdout.strip()
    assert outcome.stdout == f"{identity} /bin/sh {world.home}\n{world.project}\n"


def test_what_an_event_says_never_becomes_shell_text(world: "World") -> None:
    nasty = "a'; touch pwned; $(touch pwned) `touch pwned` \"b"
    configure(
        world, {"event": "pre-prompt", "command": "echo $HOOK_INSTRUCTION '$HOOK_INSTRUCTION' \"$HOOK_INSTRUCTION\""}
    )
    (outcome,) = world.fire("autohand", "pre-prompt", {"instruction": nasty}).outcomes
    assert nasty in outcome.stdout
    assert not (world.project / "pwned").exists()
