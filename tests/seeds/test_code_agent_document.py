"""Code Agent's hooks document, example by example, with real processes."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelserver import Model, says
from omnihook.engine import Engine
from omnihook.events import PreToolUse, SessionEnd
from omnihook.hooks import Command, Hook, Source
from omnihook.outcomes import Report, Status
from omnihook.verdicts import Decision, Verdict

if TYPE_CHECKING:
    from conftest import World

DATA = Path(__file__).parent / "code_agent"
HOSTILE = "src/a b;touch pwned;$(touch pwned)`touch pwned`'\"\n*.ts"


@pytest.fixture
def documented(world: "World") -> "World":
    """A project with the document's configuration and scripts."""
    put(world, (DATA / "settings.json").read_text())
    for name in ("validate-command.sh", "log-tool-usage.sh"):
        world.script(world.project / "scripts" / name, (DATA / name).read_text())
    world.script(world.project / "scripts/cleanup.sh", "#!/bin/sh\necho cleaned >> cleanup.log\n")
    (world.home / ".code-agent").mkdir()
    return world


def put(world: "World", content: object, *, home: bool = False) -> None:
    target = (world.home if home else world.project) / ".claude/settings.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(content if isinstance(content, str) else json.dumps(content))


def fire(world: "World", event: str, payload: dict[str, object], **environ: str) -> Report:
    engine = Engine(
        str(world.project), only="code-agent", environ={**world.environ, **environ}, trust_project=True, can_ask=False
    )
    return world.fire("code-agent", event, {"sessionId": "sess_abc123", "payload": payload}, engine=engine)


def bash(command: str) -> dict[str, object]:
    return {"toolName": "Bash", "input": {"command": command}}


def entry(command: str, **more: object) -> dict[str, object]:
    return {"hooks": [{"type": "command", "command": command, **more}]}


def test_the_validating_script_lets_a_harmless_command_pass(documented: "World") -> None:
    report = fire(documented, "PreToolUse", bash("ls -la"))
    (outcome,) = report.outcomes
    assert outcome.status is Status.OK
    assert outcome.stdout.splitlines() == ["Tool: Bash", 'Input: {"command":"ls -la"}', "Session: sess_abc123"]
    assert report.verdict == Verdict()


def test_the_validating_script_blocks_with_its_words_on_stderr(documented: "World") -> None:
    report = fire(documented, "PreToolUse", bash("sudo rm -rf / --no-preserve-root"))
    assert report.verdict.decision is Decision.BLOCK
    assert report.verdict.reason == "BLOCKED: Dangerous command"
    assert report.outcomes[0].exit_code == 1


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_variables_in_single_quotes_are_filled_in(documented: "World", tool: str) -> None:
    report = fire(documented, "PreToolUse", {"toolName": tool, "input": {"file_path": "/path/to/file.ts"}})
    (outcome,) = report.outcomes
    assert outcome.stdout == f"File operation: {tool} on /path/to/file.ts\n"


def test_a_hostile_file_name_is_only_shown(documented: "World") -> None:
    report = fire(documented, "PreToolUse", {"toolName": "Write", "input": {"file_path": HOSTILE}})
    assert report.outcomes[0].stdout == f"File operation: Write on {HOSTILE}\n"
    assert not list(documented.project.glob("pwned*"))


def test_the_logging_script_writes_one_line_for_every_tool(documented: "World") -> None:
    for tool in ("Bash", "Read", "mcp__x__y"):
        fire(documented, "PostToolUse", {"toolName": tool, "input": {"a": 1}, "output": "fine"})
    lines = (documented.home / ".code-agent/tool-usage.log").read_text().splitlines()
    assert [line.split(" | ")[1:] for line in lines] == [
        ["sess_abc123", tool, '{"a":1}'] for tool in ("Bash", "Read", "mcp__x__y")
    ]


def test_the_session_end_hook_runs_though_its_matcher_names_no_tool(documented: "World") -> None:
    report = fire(documented, "SessionEnd", {})
    assert (documented.project / "cleanup.log").read_text() == "cleaned\n"
    assert [outcome.status for outcome in report.outcomes] == [Status.OK]


def test_a_project_that_nobody_trusts_runs_nothing(documented: "World") -> None:
    report = documented.fire("code-agent", "SessionEnd", {"payload": {}})
    assert report.outcomes == ()
    assert [skipped.why for skipped in report.skipped] == ["untrusted"]
    assert not (documented.project / "cleanup.log").exists()


@pytest.mark.parametrize(
    ("answer", "decision", "reason", "context"),
    [
        ("ALLOW", Decision.ALLOW, None, None),
        ("BLOCK: it removes everything", Decision.BLOCK, "it removes everything", None),
        ("Block", Decision.BLOCK, "blocked by a hook", None),
        ("CONTINUE: mind the spaces", Decision.NONE, None, "mind the spaces"),
    ],
)
def test_the_prompt_hook_answers_with_a_word(
    world: "World", model: Model, answer: str, decision: Decision, reason: str | None, context: str | None
) -> None:
    put(world, (DATA / "prompt.json").read_text())
    model.script(says(answer))
    environ = {"OMNIHOOK_MODEL": "any", "OMNIHOOK_BASE_URL": model.openai_url}
    report = fire(world, "PreToolUse", bash("rm -rf build"), **environ)
    assert "rm -rf build" in model.asked[0].text
    assert "$COMMAND" not in model.asked[0].text
    assert (report.verdict.decision, report.verdict.reason) == (decision, reason)
    assert report.verdict.additional_context == context


def test_an_unclear_answer_is_a_visible_failure_that_lets_the_call_go_on(world: "World", model: Model) -> None:
    put(world, (DATA / "prompt.json").read_text())
    model.script(says("Well, it depends."))
    environ = {"OMNIHOOK_MODEL": "any", "OMNIHOOK_BASE_URL": model.openai_url}
    report = fire(world, "PreToolUse", bash("ls"), **environ)
    assert report.outcomes[0].status is Status.BROKEN
    assert not report.refused
    assert report.notices


def test_the_schema_with_its_blanks_is_told_about_and_runs_nothing(world: "World") -> None:
    put(world, (DATA / "schema.json").read_text(), home=True)
    engine = world.engine("code-agent")
    assert [item.code for item in engine.diagnostics] == ["unknown-event"]
    assert engine.diagnostics[0].line == 3


def test_project_hooks_run_before_global_ones_and_identical_ones_run_once(world: "World") -> None:
    def say(word: str, matcher: str = "Bash") -> dict[str, object]:
        return {"matcher": matcher, **entry(f"echo {word} >> order")}

    put(world, {"hooks": {"PreToolUse": [say("global"), say("same"), say("same", "B")]}}, home=True)
    put(world, {"hooks": {"PreToolUse": [say("project"), say("same")]}})
    report = fire(world, "PreToolUse", bash("ls"))
    assert (world.project / "order").read_text().split() == ["project", "same", "global", "same"]
    assert [skipped.why for skipped in report.skipped] == ["duplicate"]


def test_the_first_block_ends_the_line(world: "World") -> None:
    put(world, {"hooks": {"PreToolUse": [entry("echo no >&2; exit 3")]}})
    put(world, {"hooks": {"PreToolUse": [entry("touch ran")]}}, home=True)
    report = fire(world, "PreToolUse", bash("ls"))
    assert (report.verdict.decision, report.verdict.reason) == (Decision.BLOCK, "no")
    assert not (world.project / "ran").exists()


@pytest.mark.parametrize("event", ["PostToolUse", "SessionEnd", "SessionStart", "Setup", "PreCompact", "Notification"])
def test_a_failing_hook_after_the_fact_is_an_error_that_is_shown(world: "World", event: str) -> None:
    put(world, {"hooks": {event: [entry("echo oops >&2; exit 1")]}})
    report = fire(world, event, bash("ls"))
    assert report.outcomes[0].status is Status.BROKEN
    assert not report.refused
    assert "oops" in report.notices[0]


@pytest.mark.parametrize(
    ("command", "words"),
    [("./scripts/missing.sh", "not found"), ("python3 -c 'import nothing_such'", "traceback"), ("./plain", "126")],
)
def test_a_broken_hook_has_not_said_no(world: "World", command: str, words: str) -> None:
    (world.project / "plain").write_text("not a program")
    put(world, {"hooks": {"PreToolUse": [entry(command)]}})
    report = fire(world, "PreToolUse", bash("ls"))
    assert report.outcomes[0].status is Status.BROKEN
    assert words in report.notices[0].lower()
    assert not report.refused


def test_a_hook_that_takes_too_long_is_ended(world: "World") -> None:
    put(world, {"hooks": {"PreToolUse": [entry("sleep 30", timeout=200)]}})
    report = fire(world, "PreToolUse", bash("ls"))
    assert report.outcomes[0].status is Status.TIMEOUT
    assert report.outcomes[0].duration < 2
    assert not report.refused


def test_ten_thousand_bytes_are_the_limit(world: "World") -> None:
    put(world, {"hooks": {"PreToolUse": [entry("head -c 9999 /dev/zero | tr '\\0' x"), entry("yes")]}})
    report = fire(world, "PreToolUse", bash("ls"))
    assert [outcome.status for outcome in report.outcomes] == [Status.OK, Status.OVERFLOW]


def test_the_last_modified_input_stands_and_messages_are_joined(world: "World") -> None:
    def answer(text: str, **more: object) -> dict[str, object]:
        said = json.dumps({"action": "continue", "message": text, **more})
        (world.project / f"{text}.json").write_text(said)
        return entry(f"cat {text}.json")

    whole = json.dumps({"command": "ls -l"})
    put(world, {"hooks": {"PreToolUse": [answer("one"), answer("two", modifiedInput=whole)]}})
    report = fire(world, "PreToolUse", bash("ls"))
    assert report.verdict.additional_context == "one\ntwo"
    assert report.verdict.updated_input == {"command": "ls -l"}


def test_every_variable_is_there_and_nothing_is_on_stdin(world: "World") -> None:
    put(world, {"hooks": {"PostToolUse": [entry("env > seen; cat > stdin")]}})
    payload = {"toolName": "Bash", "input": {"command": "npm test"}, "output": "ok"}
    fire(world, "PostToolUse", payload)
    seen = dict(line.split("=", 1) for line in (world.project / "seen").read_text().splitlines() if "=" in line)
    wanted = {
        "TOOL_NAME": "Bash",
        "TOOL_INPUT": '{"command":"npm test"}',
        "SESSION_ID": "sess_abc123",
        "COMMAND": "npm test",
        "HOOK_SESSION_ID": "sess_abc123",
        "HOOK_EVENT": "PostToolUse",
        "HOOK_WORKING_DIR": str(world.project),
        "HOOK_TOOL_NAME": "Bash",
        "HOOK_TOOL_INPUT": '{"command":"npm test"}',
        "HOOK_TOOL_OUTPUT": "ok",
    }
    assert {name: seen.get(name) for name in wanted} == wanted
    assert "FILE_PATH" not in seen
    assert (world.project / "stdin").read_bytes() == b""


def test_a_call_too_large_for_a_variable_is_not_cleared_by_a_hook_that_saw_a_part_of_it(documented: "World") -> None:
    report = fire(documented, "PreToolUse", bash(f"echo {'x' * 300_000}; rm -rf /"))
    # The script prints its input, and what is left of it is still more than a hook may print.
    assert report.outcomes[0].status is Status.OVERFLOW
    assert report.verdict.decision is Decision.DENY
    assert "shortened" in (report.verdict.reason or "")


def test_the_whole_of_a_large_value_is_in_a_file(world: "World") -> None:
    put(world, {"hooks": {"PreToolUse": [entry('jq -r .command < "$TOOL_INPUT_FILE" | wc -c; [ -n "$TOOL_INPUT" ]')]}})
    report = fire(world, "PreToolUse", bash("x" * 300_000))
    assert report.outcomes[0].stdout.strip() == "300001"
    assert report.outcomes[0].exit_code == 0
    assert report.verdict.decision is Decision.DENY


def test_hooks_are_registered_and_unregistered_by_id(world: "World") -> None:
    """The document's HooksEngine: trigger, register, unregister, `allowed`, `results`."""
    engine = Engine(str(world.project), only="code-agent", environ=world.environ)
    hook = Hook(
        name="mine",
        events=("PreToolUse",),
        action=Command(command="echo no >&2; exit 1"),
        source=Source(dialect="code-agent"),
    )
    id = engine.register(hook)
    event = PreToolUse(tool_name="Bash", tool_input={"command": "ls"}, cwd=str(world.project))
    report = asyncio.run(engine.fire(event))
    assert report.refused
    assert [(outcome.hook.name, outcome.verdict.decision) for outcome in report.outcomes] == [(id, Decision.BLOCK)]
    assert engine.unregister(id)
    assert not asyncio.run(engine.fire(event)).refused


def test_a_hook_written_for_code_agent_works_in_another_agent(documented: "World") -> None:
    engine = Engine(str(documented.project), only="code-agent", environ=documented.environ, trust_project=True)
    event = PreToolUse(
        agent="claude-code", tool_name="Bash", tool_input={"command": "rm -rf /"}, cwd=str(documented.project)
    )
    report = asyncio.run(engine.fire(event))
    assert report.verdict.reason == "BLOCKED: Dangerous command"
    ended = asyncio.run(engine.fire(SessionEnd(agent="claude-code", cwd=str(documented.project))))
    assert [outcome.status for outcome in ended.outcomes] == [Status.OK]
