"""What is peculiar to Claude Code."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from omnihook import Engine
from omnihook.dialect import ConfigText, Failure, Raw, Reply
from omnihook.dialects.claude_code import DIALECT, decode_event, encode_event, matcher, read_config
from omnihook.events import (
    Elicitation,
    ElicitationResult,
    Event,
    FileChanged,
    PermissionRequest,
    PostToolUse,
    PreToolUse,
    SessionEnd,
    Stop,
    SubagentStop,
    UserPromptSubmit,
    WorktreeCreate,
)
from omnihook.hooks import Argv, Cause, Command, Hook, Http, Layer, McpTool, OnError, Prompt, Source
from omnihook.verdicts import NO_OPINION, Decision, Verdict

CAPTURED = sorted((Path(__file__).parent / "claude-code" / "events").glob("*.json"))
HOOK = Hook(name="h", events=("PreToolUse",), action=Command(command="x"), source=Source(dialect=DIALECT.name))
PRE = PreToolUse(agent=DIALECT.name, tool_name="Bash", tool_input={"command": "ls", "description": "d"})


def read(document: object, *, layer: Layer = Layer.USER, role: str = "settings", path: str = "/h/s.json") -> list[Hook]:
    text = document if isinstance(document, str) else json.dumps(document)
    reading = read_config([ConfigText(path=path, layer=layer, text=text, role=role, root="/plug")])
    return list(reading.hooks)


def answer(stdout: object = "", *, code: int = 0, stderr: str = "", event: object = PRE, hook: Hook = HOOK) -> object:
    text = stdout if isinstance(stdout, str) else json.dumps(stdout)
    return DIALECT.decode_reply(hook, event, Raw(exit_code=code, stdout=text, stderr=stderr))  # type: ignore[arg-type]


@pytest.mark.parametrize("path", CAPTURED, ids=lambda p: p.stem)
def test_captured_payloads_round_trip(path: Path) -> None:
    payload = json.loads(path.read_text())
    event = decode_event(payload, None)
    assert event.name == payload["hook_event_name"] == path.stem.split(".")[0]
    wire = encode_event(event)
    assert wire.stdin is not None
    assert wire.stdin.endswith(b"\n")
    assert json.loads(wire.stdin) == payload


def test_the_captures_are_there() -> None:
    assert len(CAPTURED) >= 40


@pytest.mark.parametrize(
    ("text", "subject", "hit"),
    [
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Edit|Write", "Write", True),
        ("Edit, Write", "Write", True),
        ("Edit.*", "NotebookEdit", True),
        ("mcp__small", "mcp__small__echo", False),
        ("mcp__small__.*", "mcp__small__echo", True),
        ("*", "Bash", True),
        ("", "Bash", True),
    ],
)
def test_matchers_are_names_or_unanchored_patterns(text: str, subject: str, hit: bool) -> None:
    import re

    made = matcher(text, "PreToolUse")
    if made.everything:
        assert hit
    elif made.names is not None:
        assert (subject in made.names) is hit
    else:
        assert bool(re.search(made.pattern or "", subject)) is hit


def test_every_handler_type_is_read() -> None:
    entries = [
        {"type": "command", "command": "a", "shell": "bash", "timeout": 5, "once": True, "if": "Bash(git *)"},
        {"type": "command", "command": "python3", "args": ["${CLAUDE_PROJECT_DIR}/h.py"], "onFailure": "block"},
        {"type": "http", "url": "http://localhost:1/", "headers": {"A": "$B"}, "allowedEnvVars": ["B"]},
        {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"x": "${tool_name}"}},
        {"type": "prompt", "prompt": "ok? $ARGUMENTS", "model": "m"},
        {"type": "agent", "prompt": "look"},
        {"type": "command", "command": "b", "asyncRewake": True},
    ]
    hooks = read({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": entries}]}})
    assert [hook.action for hook in hooks] == [
        Command(command="a", interpreter="bash"),
        Argv(argv=("python3", "${CLAUDE_PROJECT_DIR}/h.py")),
        Http(url="http://localhost:1/", headers={"A": "$B"}, allowed_env=("B",)),
        McpTool(server="s", tool="t", input={"x": "${tool_name}"}),
        Prompt(prompt="ok? $ARGUMENTS", model="m"),
        Prompt(prompt="look", tools=True),
        Command(command="b"),
    ]
    assert (hooks[0].timeout, hooks[0].once, hooks[0].rule) == (5.0, True, "Bash(git *)")
    assert hooks[1].on_error[Cause.TIMEOUT] is OnError.DENY
    assert (hooks[6].background, hooks[6].rewake) == (True, True)


def test_a_bad_entry_is_set_aside_and_the_rest_is_kept() -> None:
    document = {"hooks": {"Stop": [{"hooks": [{"type": "nope"}, {"type": "command", "command": "ok"}]}, 5]}}
    reading = read_config([ConfigText(path="/h/s.json", layer=Layer.USER, text=json.dumps(document))])
    assert [hook.action for hook in reading.hooks] == [Command(command="ok")]
    assert [item.pointer for item in reading.diagnostics] == [
        ("hooks", "Stop", 0, "hooks", 0, "type"),
        ("hooks", "Stop", 1),
    ]


def test_plugin_hooks_know_their_folder() -> None:
    document = {"description": "d", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    hook = read(document, role="plugin")[0]
    assert (hook.source.root, DIALECT.policy.plugin_variable) == ("/plug", "CLAUDE_PLUGIN_ROOT")


def test_frontmatter_of_an_agent_turns_stop_into_subagent_stop() -> None:
    text = (
        "---\nname: reviewer\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: x\n---\nBody\n"
    )
    hook = read(text, role="frontmatter", path="/p/.claude/agents/reviewer.md")[0]
    assert (hook.events, hook.source.owner) == (("SubagentStop",), "agent:reviewer")


def test_frontmatter_of_a_skill_belongs_to_it() -> None:
    entry = "{type: command, command: x, timeout: 10}"
    text = f"---\nhooks:\n  PreToolUse:\n    - matcher: Write\n      hooks:\n        - {entry}\n---\n"
    hook = read(text, role="frontmatter", path="/p/.claude/skills/format/SKILL.md")[0]
    assert (hook.source.owner, hook.timeout) == ("skill:format", 10.0)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ({}, NO_OPINION),
        ({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}, Verdict.deny()),
        (
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "allow",
                    "permissionDecisionReason": "fine",
                    "updatedInput": {"command": "pwd"},
                }
            },
            Verdict(decision=Decision.APPROVE, reason="fine", updated_input={"command": "pwd"}, partial=False),
        ),
        ({"decision": "block", "reason": "r"}, Verdict.block("r")),
        ({"decision": "approve"}, Verdict.approve()),
        ({"continue": False, "stopReason": "s"}, Verdict(continue_=False, stop_reason="s")),
        ({"systemMessage": "m", "suppressOutput": True}, Verdict(system_message="m", suppress_output=True)),
        ({"decision": None, "unknown": 1}, NO_OPINION),
    ],
)
def test_replies(reply: object, verdict: Verdict) -> None:
    assert answer(reply) == verdict


@pytest.mark.parametrize(
    "reply",
    [
        {"continue": "false"},
        {"decision": "deny!"},
        {"decision": 5},
        {"hookSpecificOutput": {"hookEventName": "PostToolUse", "permissionDecision": "allow"}},
        {"hookSpecificOutput": {"permissionDecision": "allow"}},
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ALLOW"}},
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": "x"}},
        '{"decision": "approve", "decision": "block"}',
        '{"a": NaN}',
        "{]}",
    ],
)
def test_a_reply_that_breaks_the_schema_is_broken(reply: object) -> None:
    found = answer(reply)
    assert isinstance(found, Failure)
    assert found.cause is Cause.OUTPUT


def test_exit_2_blocks_with_stderr_and_an_allow_beside_it_does_not_help() -> None:
    assert answer(code=2, stderr="no\n") == Verdict.block("no")
    allow = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}
    assert answer(allow, code=2, stderr="no") == Verdict.block("no")
    assert answer({"decision": "block", "reason": "json"}, code=2, stderr="no") == Verdict.block("json")
    assert answer("{broken", code=2, stderr="no") == Verdict.block("no")


def test_exit_2_of_a_missing_script_is_broken() -> None:
    found = answer(code=2, stderr="python3: can't open file '/x/h.py': [Errno 2] No such file or directory")
    assert isinstance(found, Failure)
    assert found.cause is Cause.START


def test_another_exit_is_an_error_whose_json_is_still_heard() -> None:
    found = answer({"decision": "block", "reason": "r"}, code=1, stderr="oops")
    assert isinstance(found, Failure)
    assert found.said == Verdict.block("r")
    assert isinstance(answer("text", code=1), Failure)


@pytest.mark.parametrize(
    ("event", "context"),
    [(UserPromptSubmit(), "hello"), (PRE, None), (Stop(), None)],
    ids=["UserPromptSubmit", "PreToolUse", "Stop"],
)
def test_plain_text_is_context_where_claude_code_says_so(event: object, context: str | None) -> None:
    found = answer("hello\n", event=event)
    assert isinstance(found, Verdict)
    assert found.additional_context == context


def test_answers_to_a_permission_request() -> None:
    event = PermissionRequest(agent=DIALECT.name, tool_name="Bash", tool_input={"command": "ls"})
    reply = DIALECT.encode_reply(event, Verdict.deny("no"))
    assert json.loads(reply.stdout)["hookSpecificOutput"]["decision"] == {"behavior": "deny", "message": "no"}
    reply = DIALECT.encode_reply(event, Verdict(decision=Decision.APPROVE, updated_input={"command": "pwd"}))
    allowed = {"behavior": "allow", "updatedInput": {"command": "pwd"}}
    assert json.loads(reply.stdout)["hookSpecificOutput"]["decision"] == allowed


def test_a_rewrite_is_answered_with_the_whole_input() -> None:
    reply = DIALECT.encode_reply(PRE, Verdict.rewrite(command="pwd"))
    assert json.loads(reply.stdout)["hookSpecificOutput"]["updatedInput"] == {"command": "pwd", "description": "d"}


def test_an_ordinary_ask_is_no_decision() -> None:
    ordinary = Verdict(decision=Decision.ASK, ordinary=True)
    assert DIALECT.encode_reply(PRE, ordinary).stdout == ""
    assert '"ask"' in DIALECT.encode_reply(PRE, Verdict.ask()).stdout


def test_rewritten_output_is_said_after_the_tool() -> None:
    event = PostToolUse(agent=DIALECT.name, tool_name="Read")
    reply = DIALECT.encode_reply(event, Verdict(updated_output="x"))
    assert json.loads(reply.stdout)["hookSpecificOutput"] == {"hookEventName": "PostToolUse", "updatedToolOutput": "x"}


def test_words_of_other_agents_become_claude_codes() -> None:
    assert encode_event(SessionEnd(reason="quit")).body["reason"] == "prompt_input_exit"
    assert encode_event(SessionEnd(reason="error")).body["reason"] == "other"
    decoded = decode_event({"reason": "other"}, "SessionEnd")
    assert isinstance(decoded, SessionEnd)
    assert decoded.reason == "other"


def test_the_subagent_travels_in_agent_id_and_agent_type() -> None:
    body = encode_event(SubagentStop(subagent="a1", subagent_type="reviewer")).body
    assert (body["agent_id"], body["agent_type"]) == ("a1", "reviewer")


def test_file_changed_matches_the_base_name() -> None:
    assert FileChanged(file_path="/a/b/.env").file_name == ".env"


def test_the_folder_of_a_new_work_tree_goes_through() -> None:
    event = WorktreeCreate(worktree_name="w", agent="claude-code")
    said = DIALECT.decode_reply(HOOK, event, Raw(exit_code=0, stdout="/trees/w\n"))
    assert isinstance(said, Verdict)
    assert DIALECT.encode_reply(event, said) == Reply(stdout="/trees/w")
    with Engine(files=False) as engine:
        engine.register(replace(HOOK, events=("WorktreeCreate",), action=Command(command="echo /trees/w")))
        merged = engine.fire_sync(event).verdict
    assert DIALECT.encode_reply(event, merged).stdout == "/trees/w"


@pytest.mark.parametrize("event", [Elicitation(agent="claude-code"), ElicitationResult(agent="claude-code")])
def test_a_refused_elicitation_is_declined_whatever_others_answer(event: Event) -> None:
    verdict = Verdict(decision=Decision.DENY, extra={"action": "accept", "content": {"password": "x"}})
    own = json.loads(DIALECT.encode_reply(event, verdict).stdout)["hookSpecificOutput"]
    assert own == {"hookEventName": event.name, "action": "decline"}


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_who_declines_an_elicitation_refuses_it(action: str) -> None:
    event = Elicitation(agent="claude-code", mcp_server_name="s")
    said = answer({"hookSpecificOutput": {"hookEventName": "Elicitation", "action": action}}, event=event)
    assert isinstance(said, Verdict) and said.refused
    assert json.loads(DIALECT.encode_reply(event, said).stdout)["hookSpecificOutput"]["action"] == action
    accepted = answer({"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "accept"}}, event=event)
    assert isinstance(accepted, Verdict) and not accepted.refused


def test_any_failing_exit_refuses_a_work_tree() -> None:
    event = WorktreeCreate(agent="claude-code", worktree_name="w")
    assert answer(code=1, stderr="no space", event=event) == Verdict(decision=Decision.BLOCK, reason="no space")
    assert isinstance(answer(code=127, event=event), Failure)
    assert isinstance(answer(code=1, stderr="no space"), Failure)
