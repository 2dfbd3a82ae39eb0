"""CodeMie's lists, item by item: events, placeholders, decisions, exit codes, variables, limits, troubleshooting."""

import asyncio
import json
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import modelserver
from omnihook import dialects, gate
from omnihook.gates import prompt_text, system_text
from omnihook.outcomes import Report, Status
from omnihook.verdicts import NO_OPINION, Decision, Verdict

if TYPE_CHECKING:
    from conftest import World

DATA = Path(__file__).parent / "codemie"
EVENTS = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop")


def payload(event: str) -> dict[str, object]:
    found = json.loads((DATA / f"{event}.json").read_text())
    assert isinstance(found, dict)
    return {key: value for key, value in found.items() if key != "cwd"}


def configure(world: "World", event: str, *hooks: dict[str, object], **profile: object) -> None:
    table = {event: [{"hooks": [{"type": "command", **hook} for hook in hooks]}]}
    profiles = {"work": {**profile, "hooks": table}}
    world.write(".codemie/codemie-cli.config.json", {"version": 2, "activeProfile": "work", "profiles": profiles})


def command(world: "World", event: str, text: str, **more: object) -> Report:
    configure(world, event, {"command": text, **more})
    return world.fire("codemie", event, payload(event))


def says(world: "World", event: str, **reply: object) -> Report:
    (world.project / "reply.json").write_text(json.dumps(reply))
    return command(world, event, "cat reply.json")


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_s_input_is_the_document_s(world: "World", event: str) -> None:
    report = command(world, event, 'printf %s "$CODEMIE_HOOK_INPUT" > got')
    assert report.outcomes[0].status is Status.OK
    assert json.loads((world.project / "got").read_text()) == {**payload(event), "cwd": str(world.project)}


@pytest.mark.parametrize(
    ("event", "reply", "wanted"),
    [
        pytest.param(
            "PreToolUse",
            {"decision": "allow", "updatedInput": {"command": "ls"}, "additionalContext": "note"},
            Verdict(
                decision=Decision.ALLOW,
                updated_input={"command": "ls"},
                partial=False,
                additional_context="note",
            ),
            id="PreToolUse",
        ),
        pytest.param(
            "UserPromptSubmit",
            {"decision": "block", "reason": "Explanation", "additionalContext": "c"},
            Verdict(decision=Decision.BLOCK, reason="Explanation", additional_context="c"),
            id="UserPromptSubmit",
        ),
        pytest.param(
            "SessionStart",
            {"decision": "block", "reason": "why", "additionalContext": "c"},
            Verdict(decision=Decision.BLOCK, reason="why", additional_context="c"),
            id="SessionStart",
        ),
        pytest.param("Stop", {"decision": "block", "reason": "why"}, Verdict.block("why"), id="Stop"),
    ],
)
def test_each_event_s_output(world: "World", event: str, reply: dict[str, object], wanted: Verdict) -> None:
    assert says(world, event, **reply).verdict == wanted


def test_nothing_can_block_a_tool_that_has_run(world: "World") -> None:
    assert not says(world, "PostToolUse", decision="block", reason="too late").refused
    assert not command(world, "PostToolUse", "echo no >&2; exit 2").refused


@pytest.mark.parametrize(
    ("word", "decision", "refused"),
    [("allow", Decision.ALLOW, False), ("deny", Decision.DENY, True), ("block", Decision.BLOCK, True)],
    ids=["allow", "deny", "block"],
)
def test_each_decision_before_a_tool(world: "World", word: str, decision: Decision, refused: bool) -> None:
    report = says(world, "PreToolUse", decision=word, reason="r")
    assert (report.verdict.decision, report.verdict.reason, report.refused) == (decision, "r", refused)


def test_allow_is_what_is_meant_where_nothing_is_said(world: "World") -> None:
    assert command(world, "PreToolUse", "true").verdict == Verdict.allow()
    assert says(world, "PreToolUse", additionalContext="c").verdict.decision is Decision.ALLOW


@pytest.mark.parametrize(("word", "starts"), [("allow", True), ("block", False)], ids=["allow", "block"])
def test_each_decision_at_a_session_s_start(world: "World", word: str, starts: bool) -> None:
    assert says(world, "SessionStart", decision=word, reason="r").allowed is starts


PLACEHOLDERS = {
    "ARGUMENTS": ("PreToolUse", '"tool_use_id":"unique-id"'),
    "TOOL_NAME": ("PreToolUse", "Bash"),
    "TOOL_INPUT": ("PreToolUse", '{"command":"ls -la"}'),
    "PROMPT": ("UserPromptSubmit", "User's prompt text"),
    "SESSION_ID": ("PreToolUse", "session-id"),
    "CWD": ("PreToolUse", "{project}"),
}


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_each_placeholder_of_a_prompt_is_filled_in(world: "World", name: str) -> None:
    event, value = PLACEHOLDERS[name]
    with modelserver.serve() as model:
        model.script(modelserver.says('{"decision": "deny", "reason": "seen"}'))
        hook = {"type": "prompt", "prompt": f"Judge this: ${name}."}
        configure(world, event, hook, baseUrl=model.openai_url, apiKey="k", model="gpt-4", provider="openai")
        report = world.fire("codemie", event, payload(event))
    assert report.verdict.reason == "seen"
    [asked] = model.asked
    wanted = value.replace("{project}", str(world.project))
    assert json.dumps(wanted)[1:-1] in asked.text
    assert f"${name}" not in asked.text


def test_a_tool_s_input_can_be_modified(world: "World") -> None:
    configure(world, "PreToolUse", {"command": """echo '{"updatedInput": {"timeout": 5}}'"""})
    report = world.fire("codemie", "PreToolUse", payload("PreToolUse"))
    assert report.verdict.updated_input == {"command": "ls -la", "timeout": 5}


VARIABLES = {
    "CODEMIE_PROJECT_DIR": "{project}",
    "CODEMIE_SESSION_ID": "session-id",
    "CODEMIE_HOOK_EVENT": "{event}",
    "CODEMIE_TOOL_NAME": "{tool}",
    "CODEMIE_AGENT_NAME": "codemie-code",
    "CODEMIE_PROFILE_NAME": "work",
    "CODEMIE_TRANSCRIPT_PATH": "/t/transcript",
    "CODEMIE_PERMISSION_MODE": "manual",
    "CODEMIE_HOOK_INPUT": "{input}",
}


@pytest.mark.parametrize("name", VARIABLES)
def test_each_variable_is_there_at_every_event(world: "World", name: str) -> None:
    for event in EVENTS:
        configure(world, event, {"command": f'printf %s "${{{name}-unset}}" > got'})
        more = {"transcript_path": "/t/transcript", "permission_mode": "manual"}
        given = {key: value for key, value in payload(event).items() if key != "profile_name"} | more
        world.fire("codemie", event, given)
        got = (world.project / "got").read_text()
        if name == "CODEMIE_HOOK_INPUT":
            assert json.loads(got) == {**given, "cwd": str(world.project)}
            continue
        tool = given.get("tool_name", "")
        assert got == VARIABLES[name].format(project=world.project, event=event, tool=tool)


@pytest.mark.parametrize(
    ("code", "verdict", "status"),
    [
        pytest.param(0, Verdict.deny("said"), Status.BLOCKED, id="0"),
        pytest.param(
            2,
            Verdict(
                decision=Decision.BLOCK,
                reason="on stderr",
                additional_context='on stderr\n\n{"decision": "deny", "reason": "said"}',
            ),
            Status.BLOCKED,
            id="2",
        ),
        pytest.param(1, None, Status.BROKEN, id="other"),
    ],
)
def test_each_exit_code(world: "World", code: int, verdict: Verdict | None, status: Status) -> None:
    text = f"""echo '{{"decision": "deny", "reason": "said"}}'; echo on stderr >&2; exit {code}"""
    report = command(world, "PreToolUse", text)
    assert report.outcomes[0].status is status
    if verdict is None:
        assert report.allowed
        assert report.verdict.decision is Decision.NONE
        assert "on stderr" in report.notices[0]  # "logs warning, continues"
    else:
        assert report.verdict == verdict


WORDS = ("block", "deny", "approve", "allow")  # highest priority first


@pytest.mark.parametrize("place", range(len(WORDS)), ids=WORDS)
def test_each_decision_beats_those_below_it(world: "World", place: int) -> None:
    answers = [json.dumps({"decision": word, "reason": word}) for word in reversed(WORDS[place:])]
    configure(world, "PreToolUse", *({"command": f"echo '{answer}'"} for answer in answers))
    said = world.fire("codemie", "PreToolUse", payload("PreToolUse")).verdict
    assert (said.decision.word, said.reason) == (WORDS[place], WORDS[place])


@pytest.mark.parametrize(
    ("text", "status"),
    [
        pytest.param("exit 1", Status.BROKEN, id="exit"),
        pytest.param("/no/such/script.sh", Status.BROKEN, id="missing"),
        pytest.param("kill -9 $$", Status.BROKEN, id="signal"),
        pytest.param("echo '{\"decision\": '", Status.BROKEN, id="bad-json"),
        pytest.param("sleep 9", Status.TIMEOUT, id="time-out"),
    ],
)
def test_a_failed_hook_lets_the_agent_go_on_and_is_logged(world: "World", text: str, status: Status) -> None:
    configure(world, "PreToolUse", {"command": text, "timeout": 500}, debug=True)
    report = world.fire("codemie", "PreToolUse", payload("PreToolUse"))
    assert (report.outcomes[0].status, report.allowed) == (status, True)
    assert report.notices
    [log] = (world.home / ".codemie/logs").iterdir()
    assert '"failed":1' in log.read_text()


def gated(world: "World", event: str) -> tuple[int, bool, list[str]]:
    """How often a gate held, whether it was refused in the end, and what was fed back."""
    engine = world.engine("codemie")
    fed: list[str] = []
    made = dialects.get("codemie").decode_event({**payload(event), "cwd": str(world.project)}, event)
    passage = asyncio.run(gate(engine, made, fed.append))
    return passage.blocks, passage.refused, fed


@pytest.mark.parametrize(("profile", "limit"), [({}, 5), ({"maxHookRetries": 2}, 2)], ids=["default", "from-profile"])
def test_a_session_s_start_is_retried_up_to_the_limit(world: "World", profile: dict[str, object], limit: int) -> None:
    configure(world, "SessionStart", {"command": "echo x >> runs; echo 'install node' >&2; exit 2"}, **profile)
    blocks, refused, fed = gated(world, "SessionStart")
    assert (blocks, refused) == (limit, True)
    assert all("install node" in text for text in fed)
    assert len((world.project / "runs").read_text().split()) == limit + 1


def test_a_session_starts_once_its_prerequisite_is_there(world: "World") -> None:
    text = "[ -e ready ] || { echo 'make ready' >&2; touch ready; exit 2; }"
    configure(world, "SessionStart", {"command": text})
    assert gated(world, "SessionStart")[:2] == (1, False)


def test_a_blocked_stop_keeps_the_agent_going_with_the_reason(world: "World") -> None:
    text = """[ -e fixed ] && exit 0; touch fixed; echo '{"decision": "block", "reason": "tests fail"}'"""
    configure(world, "Stop", {"command": text})
    assert gated(world, "Stop") == (1, False, ["tests fail"])


def test_a_session_s_context_is_a_system_message_with_the_document_s_heading(world: "World") -> None:
    told = "Operating System: Darwin\nArchitecture: arm64\nNode.js: v20.11.0"
    report = says(world, "SessionStart", decision="allow", additionalContext=told)
    assert system_text(report) == f"[SessionStart Hook Output]:\n{told}"
    assert system_text(command(world, "SessionStart", "true")) is None


def test_a_prompt_s_context_comes_before_the_prompt(world: "World") -> None:
    report = says(world, "UserPromptSubmit", decision="allow", additionalContext="You are in production.")
    assert prompt_text(report, "deploy") == "You are in production.\n\ndeploy"
    assert prompt_text(command(world, "UserPromptSubmit", "true"), "deploy") == "deploy"


def test_a_hook_s_timeout_can_be_raised_and_is_60000_unless_said(world: "World") -> None:
    configure(world, "Stop", {"command": "true"}, {"command": "echo", "timeout": 120000})
    plan = world.engine("codemie").plan(dialects.get("codemie").decode_event(payload("Stop"), "Stop"))
    assert [step.timeout for step in plan.steps] == [60.0, 120.0]


def test_a_hung_hook_and_its_children_are_killed(world: "World") -> None:
    text = "trap '' TERM; sleep 60 & echo $! > child; while :; do sleep 1; done"
    begun = time.monotonic()
    report = command(world, "PreToolUse", text, timeout=300)
    assert report.outcomes[0].timed_out
    assert time.monotonic() - begun < 8
    child = Path("/proc", (world.project / "child").read_text().strip(), "stat")
    assert not child.exists() or child.read_text().rpartition(") ")[2].startswith("Z")


def test_what_an_event_says_never_becomes_shell_text(world: "World") -> None:
    nasty = "$(touch pwned)'; touch pwned; \""
    configure(world, "PreToolUse", {"command": "echo $CODEMIE_TOOL_NAME '$CODEMIE_TOOL_NAME'"})
    (outcome,) = world.fire("codemie", "PreToolUse", {"tool_name": nasty}).outcomes
    assert nasty in outcome.stdout
    assert not (world.project / "pwned").exists()


def test_a_hook_inherits_the_environment(world: "World") -> None:
    report = command(world, "Stop", 'echo "$HOME $PATH"')
    assert report.outcomes[0].stdout == f"{world.home} {world.environ['PATH']}\n"


def test_a_hook_script_can_be_tried_alone(world: "World") -> None:
    """The document's own way: the input in the variable, the script by itself, and its exit code."""
    script = world.script(world.root / "your-hook-script.sh", (DATA / "pre-tool-hook.sh").read_text())
    given = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}})
    done = subprocess.run(
        [str(script)], env={**world.environ, "CODEMIE_HOOK_INPUT": given}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, json.loads(done.stdout)) == (0, {"decision": "allow"})
    configure(world, "PreToolUse", {"command": str(script)})
    said = world.fire("codemie", "PreToolUse", json.loads(given)).verdict
    assert said.decision is Decision.ALLOW


def checked(world: "World") -> str:
    code, said = world.omnihook("check", "--as", "codemie")
    assert code == (0 if "warning" in said else 1)
    return said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("{", "config.json:1", id="not-json"),
        pytest.param("/no/such/hook.sh", "does not exist", id="missing-script"),
        pytest.param("{plain}", "not executable", id="not-executable"),
        pytest.param({"type": "prompt", "prompt": "x"}, "no model is configured", id="no-model"),
        pytest.param({"command": "true", "timeout": 30}, "milliseconds", id="unit"),
        pytest.param({"type": "prompt"}, "prompt", id="no-prompt"),
    ],
)
def test_checking_names_what_keeps_a_hook_from_running(
    world: "World", text: str | dict[str, object], words: str
) -> None:
    plain = world.root / "plain.sh"
    plain.write_text("#!/bin/bash\n")
    if text == "{":
        world.write(".codemie/codemie-cli.config.json", "{")
    else:
        configure(world, "Stop", {"command": text.format(plain=plain)} if isinstance(text, str) else text)
    assert words in checked(world)


def test_an_invalid_decision_is_named(world: "World") -> None:
    report = says(world, "PreToolUse", decision="maybe")
    assert "unknown decision 'maybe'" in report.notices[0]
    assert report.verdict == NO_OPINION


def test_a_model_that_cannot_be_reached_is_named_and_the_agent_goes_on(world: "World") -> None:
    hook = {"type": "prompt", "prompt": "x", "timeout": 2000}
    configure(world, "PreToolUse", hook, baseUrl="http://127.0.0.1:9/v1", apiKey="k", model="m", provider="openai")
    report = world.fire("codemie", "PreToolUse", payload("PreToolUse"))
    assert report.allowed
    assert report.outcomes[0].status in (Status.BROKEN, Status.TIMEOUT)
    assert report.notices


def test_a_command_hook_costs_well_under_the_document_s_tenth_of_a_second(world: "World") -> None:
    configure(world, "PreToolUse", {"command": "true"})
    engine = world.engine("codemie")
    # The best of several, since other work on the machine is not the hook's.
    tries = (world.fire("codemie", "PreToolUse", payload("PreToolUse"), engine=engine) for _ in range(30))
    assert any(report.outcomes[0].duration < 0.1 for report in tries)


def test_slow_work_can_go_on_in_the_background(world: "World") -> None:
    report = command(world, "PostToolUse", "(sleep 2; touch done) >/dev/null 2>&1 & echo started")
    assert world.waited < 2
    assert report.outcomes[0].stdout == "started\n"
    for _ in range(50):
        if (world.project / "done").exists():
            return
        time.sleep(0.1)
    raise AssertionError("what the hook left behind was ended")
