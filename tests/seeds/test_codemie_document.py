"""CodeMie's hooks document, example by example, with real processes and a scripted model."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import modelserver
from omnihook.outcomes import Report, Status
from omnihook.verdicts import NO_OPINION, Decision, Verdict

if TYPE_CHECKING:
    from conftest import World

DATA = Path(__file__).parent / "codemie"
BIN = "/usr/local/bin"
Stand = Callable[..., tuple[Path, Callable[[str], list[list[str]]]]]


def example(name: str) -> dict[str, object]:
    found = json.loads((DATA / name).read_text())
    assert isinstance(found, dict)
    return found


def configure(world: "World", hooks: dict[str, object], **profile: object) -> None:
    """A configuration with one profile; the examples' scripts lie in our folder instead of the system's."""
    moved = json.loads(json.dumps(hooks).replace(BIN, str(world.programs)))
    world.write(
        ".codemie/codemie-cli.config.json",
        {"version": 2, "activeProfile": "work", "profiles": {"work": {**profile, "hooks": moved}}},
    )


def one(event: str, *commands: str, matcher: str | None = None, **more: object) -> dict[str, object]:
    group: dict[str, object] = {"hooks": [{"type": "command", "command": command, **more} for command in commands]}
    return {event: [group if matcher is None else {"matcher": matcher, **group}]}


def install(world: "World", *names: str) -> None:
    for name in names:
        world.script(world.programs / name, (DATA / name).read_text())


def fire(world: "World", event: str, **payload: object) -> Report:
    given = {key: value for key, value in example(f"{event}.json").items() if key != "cwd"}
    return world.fire("codemie", event, {**given, **payload})


def test_the_configuration_of_the_document(world: "World") -> None:
    text = (DATA / "config.json").read_text().replace("/path/to", str(world.programs))
    world.write(".codemie/codemie-cli.config.json", text)
    install(world, "pre-tool-hook.sh")
    world.script(world.programs / "post-tool-hook.sh", "#!/bin/sh\necho seen\n")
    refused = fire(world, "PreToolUse", tool_input={"command": "rm -rf build"})
    assert refused.verdict == Verdict.block("Dangerous command blocked: rm -rf")
    assert fire(world, "PreToolUse").verdict.decision is Decision.ALLOW
    assert fire(world, "PreToolUse", tool_name="Read").outcomes == ()
    assert fire(world, "PostToolUse").verdict.additional_context == "seen"
    settings = world.engine("codemie").configuration.settings["codemie"]
    assert (settings.provider, settings.base_url, settings.api_key, settings.model, settings.max_retries) == (
        "openai",
        "https://api.openai.com/v1",
        "your-api-key",
        "gpt-4",
        5,
    )


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("rm -rf /", "Dangerous command blocked: rm -rf /"),
        ("mkfs.ext4 /dev/sda", "Dangerous command blocked: mkfs"),
        ("echo x > /dev/sda", "Dangerous command blocked: > /dev/sda"),
        ("ls -la", None),
    ],
)
def test_example_1_blocks_dangerous_commands(world: "World", command: str, reason: str | None) -> None:
    install(world, "check-safe-command.sh")
    configure(world, example("example1.json"))
    report = fire(world, "PreToolUse", tool_input={"command": command})
    assert report.verdict.decision is (Decision.BLOCK if reason else Decision.ALLOW)
    assert report.verdict.reason == reason


def test_example_2_logs_all_tool_usage(world: "World") -> None:
    install(world, "log-tool-usage.sh")
    configure(world, example("example2.json"))
    report = fire(world, "PostToolUse")
    logged = (world.home / ".codemie/tool-usage.log").read_text()
    assert json.loads(logged) == {**example("PostToolUse.json"), "cwd": str(world.project)}
    assert logged.startswith('{\n  "hook_event_name": "PostToolUse"')
    assert report.verdict == Verdict.allow()


def test_example_3_detects_the_system_at_session_start(world: "World") -> None:
    install(world, "detect-os.sh")
    configure(world, example("example3.json"))
    context = fire(world, "SessionStart").verdict.additional_context
    assert context is not None
    assert [line.split(":")[0] for line in context.split("\n")] == ["Operating System", "Architecture", "Node.js"]


@pytest.mark.parametrize(("folder", "word"), [("production/app", "PRODUCTION"), ("app", "DEVELOPMENT")])
def test_example_4_adds_the_environment(world: "World", folder: str, word: str) -> None:
    install(world, "add-env-context.sh")
    configure(world, example("example4.json"))
    cwd = world.project / folder
    cwd.mkdir(parents=True)
    report = fire(world, "UserPromptSubmit", cwd=str(cwd))
    told = f"You are working in a {word} environment. Be extra careful with changes."
    assert report.verdict == Verdict(decision=Decision.ALLOW, additional_context=told)


def test_example_5_wants_passing_tests_before_stopping(world: "World", stand_ins: Stand) -> None:
    folder, calls = stand_ins(world.root, "npm")
    install(world, "check-tests.sh")
    configure(world, example("example5.json"))
    (folder / "npm.exit").write_text("1")
    failing = fire(world, "Stop")
    assert failing.verdict == Verdict.block("Tests are failing. Please fix the tests before completing.")
    (folder / "npm.exit").write_text("0")
    assert fire(world, "Stop").verdict.decision is Decision.ALLOW
    assert calls("npm") == [["test"], ["test"]]


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (modelserver.says('{"decision": "deny", "reason": "system file"}'), Verdict.deny("system file")),
        (modelserver.says('{"decision": "allow", "reason": "fine"}'), Verdict.allow("fine")),
        (modelserver.says("I would reject this."), Verdict.deny("I would reject this.")),
        (modelserver.says("Unblocked, go ahead."), Verdict.allow("Unblocked, go ahead.")),
        (modelserver.calls("answer", decision="deny", reason="no"), Verdict.deny("no")),
    ],
    ids=["deny", "allow", "words-deny", "words-allow", "tool"],
)
def test_example_6_asks_the_profile_s_model(world: "World", reply: modelserver.Reply, verdict: Verdict) -> None:
    with modelserver.serve() as model:
        model.script(reply)
        configure(
            world,
            example("example6.json"),
            provider="openai",
            baseUrl=model.openai_url,
            apiKey="secret-key",
            model="gpt-4",
        )
        given = {"file_path": "/etc/passwd", "content": "x"}
        report = fire(world, "PreToolUse", tool_name="Write", tool_input=given)
    assert report.verdict == verdict
    [asked] = model.asked
    assert asked.headers["authorization"] == "Bearer secret-key"
    assert asked.body["model"] == "gpt-4"
    assert "/etc/passwd" in asked.text
    assert "$TOOL_INPUT" not in asked.text


def test_a_prompt_s_own_time_out_is_honoured(world: "World") -> None:
    with modelserver.serve() as model:
        model.script(modelserver.late(10, modelserver.says("block")))
        prompt = {**example("prompt-hook.json"), "timeout": 300}
        configure(world, {"PreToolUse": [{"hooks": [prompt]}]}, baseUrl=model.openai_url, apiKey="k", model="gpt-4")
        report = fire(world, "PreToolUse")
    assert report.outcomes[0].status is Status.TIMEOUT
    assert report.verdict == NO_OPINION
    assert world.waited < 8


def test_all_nine_variables_are_there(world: "World") -> None:
    configure(world, one("PreToolUse", "env | grep ^CODEMIE_ | sort > got; cat > stdin"))
    fire(world, "PreToolUse", agent_name="codemie-code", transcript_path="/t")
    lines = [line for line in (world.project / "got").read_text().splitlines() if line.startswith("CODEMIE_")]
    assert dict(line.split("=", 1) for line in lines) == {
        "CODEMIE_AGENT_NAME": "codemie-code",
        "CODEMIE_HOOK_EVENT": "PreToolUse",
        "CODEMIE_HOOK_INPUT": "{",
        "CODEMIE_PERMISSION_MODE": "auto",
        "CODEMIE_PROFILE_NAME": "work",
        "CODEMIE_PROJECT_DIR": str(world.project),
        "CODEMIE_SESSION_ID": "session-id",
        "CODEMIE_TOOL_NAME": "Bash",
        "CODEMIE_TRANSCRIPT_PATH": "/t",
    }
    assert (world.project / "stdin").read_bytes() == b""  # empty and closed: reading it does not hang


def test_the_tool_s_name_is_present_but_empty_elsewhere(world: "World") -> None:
    configure(world, one("Stop", 'echo "[${CODEMIE_TOOL_NAME-unset}]"'))
    assert fire(world, "Stop").verdict.additional_context == "[]"


def test_secrets_are_not_masked(world: "World") -> None:
    configure(world, one("PreToolUse", 'echo "$CODEMIE_HOOK_INPUT" | jq -r .tool_input.password'))
    report = fire(world, "PreToolUse", tool_input={"password": "hunter2-hunter2"})
    assert report.verdict.additional_context == "hunter2-hunter2"


def test_exit_2_blocks_with_its_text_as_context(world: "World") -> None:
    configure(world, one("SessionStart", "echo out; echo 'node is missing' >&2; exit 2", matcher="*"))
    assert fire(world, "SessionStart").verdict == Verdict(
        decision=Decision.BLOCK, reason="node is missing", additional_context="node is missing\n\nout"
    )


def test_other_codes_go_on_with_their_text_as_context(world: "World") -> None:
    configure(world, one("UserPromptSubmit", "echo out; echo err >&2; exit 1"))
    report = fire(world, "UserPromptSubmit")
    assert report.verdict == Verdict(additional_context="err\n\nout")
    assert report.outcomes[0].status is Status.BROKEN


def test_hooks_run_in_parallel_and_identical_ones_once(world: "World") -> None:
    slow, other = "sleep 1; echo a", "sleep 1; echo b"
    table = one("PostToolUse", slow, other, slow, matcher="*")
    table["PostToolUse"] += one("PostToolUse", slow, matcher="Write")["PostToolUse"]  # type: ignore[operator]
    configure(world, table)
    report = fire(world, "PostToolUse")
    assert world.waited < 1.9
    assert report.verdict.additional_context == "a\n\nb"
    assert [(item.hook.name, item.why) for item in report.skipped] == [
        ("PostToolUse:3", "duplicate"),
        ("PostToolUse:4", "duplicate"),
    ]
    assert fire(world, "PostToolUse").verdict.additional_context == "a\n\nb"  # once per event, not once per session


def test_the_priority_of_decisions(world: "World") -> None:
    answers = [json.dumps({"decision": word, "reason": word}) for word in ("allow", "approve", "block", "deny")]
    commands = [f"echo '{answer}'" for answer in answers]
    configure(world, one("PreToolUse", *commands))
    assert fire(world, "PreToolUse").verdict == Verdict.block("block")
    configure(world, one("PreToolUse", *commands[:2]))
    assert fire(world, "PreToolUse").verdict == Verdict.approve("approve")


@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionStart", "Stop"])
def test_deny_acts_as_block_where_there_is_no_call_to_deny(world: "World", event: str) -> None:
    configure(world, one(event, """echo '{"decision": "deny", "reason": "no"}'""", matcher="Bash"))
    assert fire(world, event).verdict == Verdict.block("no")


def test_an_unknown_decision_is_broken_and_seen(world: "World") -> None:
    configure(world, one("PreToolUse", """echo '{"decision": "denied"}'"""))
    report = fire(world, "PreToolUse")
    assert report.verdict == NO_OPINION
    assert report.outcomes[0].status is Status.BROKEN
    assert "unknown decision 'denied'" in report.notices[0]


def test_stop_is_let_go_after_the_profile_s_retries(world: "World") -> None:
    configure(world, one("Stop", "date +%s%N >&2; exit 2"), maxHookRetries=2)
    engine = world.engine("codemie")
    given = {"hook_event_name": "Stop"}
    refused = [world.fire("codemie", "Stop", given, engine=engine).refused for _ in range(3)]
    assert refused == [True, True, False]


def test_a_hook_that_could_see_only_part_of_the_event_has_not_cleared_it(world: "World") -> None:
    configure(
        world, one("PreToolUse", 'echo "$CODEMIE_HOOK_INPUT" | jq -r .tool_name; wc -c < "$CODEMIE_HOOK_INPUT_FILE"')
    )
    report = fire(world, "PreToolUse", tool_name="Write", tool_input={"file_path": "a", "content": "x" * 200_000})
    assert report.outcomes[0].stdout.split()[0] == "Write"
    assert int(report.outcomes[0].stdout.split()[1]) > 200_000
    assert report.verdict.decision >= Decision.ASK


def test_time_outs_are_milliseconds(world: "World") -> None:
    configure(world, one("PreToolUse", "sleep 5", timeout=200))
    begun = time.monotonic()
    report = fire(world, "PreToolUse")
    assert time.monotonic() - begun < 3
    assert report.outcomes[0].status is Status.TIMEOUT
    assert report.verdict == NO_OPINION


@pytest.mark.parametrize(
    ("matcher", "tools"),
    [
        ("*", ["Bash", "Write", "Rash"]),
        ("", ["Bash", "Write", "Rash"]),
        ("Bash", ["Bash"]),
        ("Bash|Write", ["Bash", "Write"]),
        ("[BR]ash", ["Bash", "Rash"]),
        ("(Read|Write|Edit)", ["Write"]),
        (".*", ["Bash", "Write", "Rash"]),
        ("^Bash$", ["Bash"]),
        ("as", []),
        ("Bash(", []),
    ],
)
def test_the_matchers_of_the_document(world: "World", matcher: str, tools: list[str]) -> None:
    configure(world, one("PreToolUse", "true", matcher=matcher))
    engine = world.engine("codemie")
    found = [
        tool
        for tool in ("Bash", "Write", "Rash")
        if world.fire("codemie", "PreToolUse", {"tool_name": tool}, engine=engine).outcomes
    ]
    assert found == tools


def test_where_somebody_can_be_asked_the_unseen_event_is_a_question(world: "World") -> None:
    configure(world, one("PreToolUse", "true"))
    call = {"tool_name": "Write", "tool_input": {"file_path": "a", "content": "x" * 200_000}}
    report = world.fire("claude-code", "PreToolUse", call, engine=world.engine("codemie"))
    assert report.verdict.decision is Decision.ASK


def debug_log(world: "World") -> list[str]:
    found = sorted((world.home / ".codemie/logs").glob("debug-*.log"))
    assert all(re.fullmatch(r"debug-\d{4}-\d\d-\d\d\.log", path.name) for path in found)
    return [line for path in found for line in path.read_text().splitlines()]


def test_a_debug_profile_s_log_has_a_line_per_event(world: "World") -> None:
    configure(world, one("Stop", "exit 1"), debug=True)
    for _ in range(2):
        fire(world, "Stop")
    fire(world, "PreToolUse")
    first, second, third = debug_log(world)
    assert '"event":"Stop"' in first
    assert '"executed":1,"succeeded":0,"failed":1' in first
    assert '"errors":["Stop:1: exit 1"]' in second
    assert '"event":"PreToolUse"' in third


def test_without_debug_there_is_no_log(world: "World") -> None:
    configure(world, one("Stop", "exit 1"), debug=False)
    fire(world, "Stop")
    assert debug_log(world) == []


def test_a_log_that_cannot_be_written_changes_nothing(world: "World") -> None:
    configure(world, one("Stop", "echo no >&2; exit 2"), debug=True)
    (world.home / ".codemie/logs").write_text("in the way")
    engine = world.engine("codemie")
    report = world.fire("codemie", "Stop", {}, engine=engine)
    assert report.verdict.reason == "no"
    assert any("debug log" in text for text in world.fire("codemie", "Stop", {}, engine=engine).notices)
