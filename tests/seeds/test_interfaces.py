"""Every interface that the documents name, in its Python form."""

import asyncio
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import modelserver
from omnihook import checking, dialects, testing
from omnihook.dialect import ConfigText
from omnihook.dialects.gencode import display
from omnihook.engine import Engine
from omnihook.events import (
    Event,
    PostToolUse,
    PostToolUseFailure,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStart,
    SubagentStop,
    ToolEvent,
    UserPromptSubmit,
)
from omnihook.hooks import Command, Context, Hook, Layer, Matcher, Prompt, Source
from omnihook.outcomes import Status
from omnihook.verdicts import Decision, Verdict

if TYPE_CHECKING:
    from conftest import World

DOCS = Path(__file__).resolve().parents[2] / "docs"
CALL = PreToolUse(session_id="session-1", tool_name="Bash", tool_input={"command": "ls"})


def text(hooks: object, layer: Layer = Layer.USER) -> ConfigText:
    return ConfigText(path=f"/{layer.label}/settings.json", layer=layer, text=json.dumps({"hooks": hooks}))


def group(*commands: str, matcher: str = "Bash") -> dict[str, object]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command} for command in commands]}


# Code Agent


def test_code_agent_parse_gives_typed_hooks() -> None:
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "prompt", "prompt": "ok?", "timeout": 10000}]}]}
    (hook,) = dialects.get("code-agent").read_config([text(hooks)]).hooks
    assert (hook.events, hook.matcher.text, hook.timeout) == (("PreToolUse",), "Bash", 10.0)
    assert hook.action == Prompt(prompt="ok?")


@pytest.mark.parametrize(
    "hooks",
    [
        pytest.param({"Sometimes": [group("true")]}, id="event"),
        pytest.param({"PreToolUse": [group("true", matcher="[")]}, id="matcher"),
        pytest.param({"PreToolUse": [{"hooks": [{"type": "sometimes"}]}]}, id="type"),
        pytest.param({"PreToolUse": [{"hooks": [{"type": "command"}]}]}, id="command"),
        pytest.param(
            {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "timeout": -1}]}]}, id="timeout"
        ),
    ],
)
def test_code_agent_validate_names_what_is_wrong(hooks: object, world: "World") -> None:
    assert dialects.get("code-agent").read_config([text(hooks)]).diagnostics
    world.write(".claude/settings.json", {"hooks": hooks})
    engine = world.engine("code-agent")
    found = checking.check(engine.folders, world.environ, only="code-agent").findings
    assert found
    assert all(item.path and item.line for item in found)


def test_code_agent_merge_joins_several_files_project_first() -> None:
    reading = dialects.get("code-agent").read_config(
        [text({"Stop": [group("global")]}), text({"Stop": [group("project")]}, Layer.PROJECT)]
    )
    assert [hook.action for hook in reading.hooks] == [Command(command="project"), Command(command="global")]


def code_agent_hook(command: str, name: str = "mine", **more: object) -> Hook:
    source = Source(dialect="code-agent")
    return Hook(name=name, events=("PreToolUse",), action=Command(command=command), source=source, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("command", "exit_code", "timed_out"),
    [("echo out; echo err >&2; exit 3", 3, False), ("echo out; echo err >&2; sleep 9", None, True)],
    ids=["exit", "timedOut"],
)
def test_code_agent_execute_tells_how_a_script_ended(command: str, exit_code: int | None, timed_out: bool) -> None:
    (outcome,) = testing.fire(code_agent_hook(command, timeout=2.0), CALL).outcomes
    assert (outcome.timed_out, outcome.stdout, outcome.stderr) == (timed_out, "out\n", "err\n")
    assert timed_out or outcome.exit_code == exit_code


def test_code_agent_execute_gives_the_script_the_documented_environment() -> None:
    event = PreToolUse(session_id="s", tool_name="Edit", tool_input={"file_path": "a.ts"})
    env = dialects.get("code-agent").encode_event(event).env
    wanted = {"TOOL_NAME": "Edit", "TOOL_INPUT": '{"file_path":"a.ts"}', "SESSION_ID": "s", "FILE_PATH": "a.ts"}
    assert {name: env[name] for name in wanted} == wanted
    assert "COMMAND" not in env


def test_code_agent_events_have_type_time_session_and_payload() -> None:
    given = {
        "type": "PostToolUseFailure",
        "timestamp": 1_768_730_400_500,
        "sessionId": "s",
        "payload": {"toolName": "Bash", "input": {"command": "ls"}, "error": "exit 1"},
    }
    event = dialects.get("code-agent").decode_event(given, None)
    assert isinstance(event, PostToolUseFailure)
    assert (event.name, event.session_id, event.timestamp) == ("PostToolUseFailure", "s", 1_768_730_400.5)
    assert (event.tool_name, event.tool_input, event.error) == ("Bash", {"command": "ls"}, "exit 1")


EVENT_TYPES = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact",
    "Setup", "SessionStart", "SessionEnd", "Notification",
)  # fmt: skip


def test_code_agent_has_its_eleven_event_types() -> None:
    assert {row.native for row in dialects.get("code-agent").names} == set(EVENT_TYPES)


@pytest.mark.parametrize(
    ("answer", "decision"),
    [("ALLOW", Decision.ALLOW), ("BLOCK: no", Decision.BLOCK), ("CONTINUE", Decision.NONE)],
    ids=["allow", "block", "continue"],
)
def test_code_agent_evaluate_asks_a_model(model: modelserver.Model, answer: str, decision: Decision) -> None:
    model.script(modelserver.says(answer))
    environ = {"OMNIHOOK_MODEL": "any", "OMNIHOOK_BASE_URL": model.openai_url}
    engine = Engine(files=False, environ=environ)
    prompt = Prompt(prompt="Is $COMMAND safe? Respond with ALLOW, BLOCK, or CONTINUE.")
    engine.register(Hook(name="p", events=("PreToolUse",), action=prompt, source=Source(dialect="code-agent")))
    report = asyncio.run(engine.fire(CALL))
    assert report.verdict.decision is decision


def test_code_agent_engine_triggers_registers_and_unregisters_by_id() -> None:
    engine = Engine(files=False)
    ids = [engine.register(code_agent_hook(text, name="check")) for text in ("echo fine", "echo no >&2; exit 1")]
    report = asyncio.run(engine.fire(CALL))  # trigger(event)
    assert report.allowed is False
    results = [(o.hook.name, o.succeeded, o.stdout, o.error, o.verdict.decision) for o in report.outcomes]
    assert results == [
        (ids[0], True, "fine\n", None, Decision.NONE),
        (ids[1], False, "", None, Decision.BLOCK),
    ]
    assert engine.unregister(ids[1])
    assert engine.fire_sync(CALL).allowed
    assert not engine.unregister("nobody")
    engine.close()


def test_code_agent_a_result_that_failed_has_an_error() -> None:
    (outcome,) = testing.fire(code_agent_hook("no-such-program"), CALL).outcomes
    assert (outcome.succeeded, outcome.blocked) == (False, False)
    assert "127" in (outcome.error or "") or "not found" in (outcome.error or "")


# claude-agent-rs


@dataclass
class Object:
    """The trait, with everything that has a default left to its default."""

    name: str = "plain"
    events: tuple[str, ...] = ("PreToolUse", "Stop")
    seen: list[str] | None = None

    async def execute(self, event: Event, context: Context) -> Verdict | None:
        self.seen = [*(self.seen or []), event.name]
        return Verdict.allow()


class Everything(Object):
    """The trait with its optional methods."""

    matcher = re.compile("^Write$")
    timeout = 30.0
    priority = 7


def test_the_hook_trait_is_an_object() -> None:
    engine = Engine(files=False)
    engine.register(Object())
    engine.register(Everything(name="all"))
    plain, everything = engine.hooks
    assert (plain.matcher.everything, plain.priority) == (True, 0)
    assert (everything.matcher.text, everything.timeout, everything.priority) == ("^Write$", 30.0, 7)
    report = asyncio.run(engine.fire(CALL))
    assert [outcome.hook.name for outcome in report.outcomes] == ["plain"]
    assert report.verdict == Verdict.allow()


def test_fn_hook_is_a_decorated_function() -> None:
    engine = Engine(files=False)

    @engine.on("PreToolUse", match="Bash", name="fn", priority=3)
    def check(event: Event, context: Context) -> Verdict:
        return Verdict.block(f"{event.name} in {context.session_id}")

    (hook,) = engine.hooks
    assert (hook.name, hook.priority) == ("fn", 3)
    assert asyncio.run(engine.fire(CALL)).verdict == Verdict.block("PreToolUse in session-1")


INPUTS: dict[str, tuple[Event, dict[str, object]]] = {
    # factory: the event it makes here, and what claude-agent-rs's own hooks then read
    "pre_tool_use": (CALL, {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    "post_tool_use": (
        PostToolUse(session_id="session-1", tool_name="Bash", tool_response="out"),
        {"tool_name": "Bash", "tool_result": "out"},
    ),
    "post_tool_use_failure": (
        PostToolUseFailure(session_id="session-1", tool_name="Bash", error="exit 1"),
        {"tool_name": "Bash", "error": "exit 1"},
    ),
    "user_prompt_submit": (UserPromptSubmit(session_id="session-1", prompt="hi"), {"prompt": "hi"}),
    "session_start": (SessionStart(session_id="session-1"), {}),
    "session_end": (SessionEnd(session_id="session-1"), {}),
    "stop": (Stop(session_id="session-1"), {}),
    "pre_compact": (PreCompact(session_id="session-1"), {}),
    "subagent_start": (
        SubagentStart(session_id="session-1", subagent="a1", subagent_type="explore", description="look"),
        {"subagent_id": "a1", "subagent_type": "explore", "description": "look"},
    ),
    "subagent_stop": (
        SubagentStop(session_id="session-1", subagent="a1", success=False, error="lost"),
        {"subagent_id": "a1", "success": False, "error": "lost"},
    ),
}


@pytest.mark.parametrize("factory", INPUTS)
def test_each_factory_of_an_input_is_an_event_class(factory: str) -> None:
    event, wanted = INPUTS[factory]
    body = dialects.get("claude-agent-rs").encode_event(event).body
    assert (body["event"], body["session_id"]) == (factory, "session-1")
    assert {key: body[key] for key in wanted} == wanted
    again = dialects.get("claude-agent-rs").decode_event(dict(body), None)
    assert (type(again), again.session_id) == (type(event), "session-1")


@pytest.mark.parametrize(
    ("accessor", "found"),
    [
        pytest.param(CALL.name, "PreToolUse", id="event_type"),
        pytest.param(CALL.tool_name, "Bash", id="tool_name"),
        pytest.param(SubagentStart(subagent="a1").subagent, "a1", id="subagent_id"),
    ],
)
def test_each_accessor_of_an_input_is_a_field(accessor: str, found: str) -> None:
    assert accessor == found
    assert not isinstance(Stop(), ToolEvent)  # no tool name where there is no tool


def test_an_input_has_a_session_a_time_and_metadata() -> None:
    event = PreToolUse(session_id="s", tool_name="Bash", metadata={"trace": 1})
    engine = Engine(files=False)
    seen: list[Event] = []
    engine.on("PreToolUse")(seen.append)
    before = datetime.now(UTC).timestamp()
    asyncio.run(engine.fire(event))
    assert (seen[0].session_id, seen[0].metadata) == ("s", {"trace": 1})
    assert before <= (seen[0].timestamp or 0) <= datetime.now(UTC).timestamp()


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        pytest.param(Verdict.allow(), Verdict(decision=Decision.ALLOW), id="allow"),
        pytest.param(Verdict.block("no"), Verdict(decision=Decision.BLOCK, reason="no"), id="block"),
        pytest.param(
            Verdict.allow().with_message("m"), Verdict(decision=Decision.ALLOW, system_message="m"), id="system_message"
        ),
        pytest.param(
            Verdict.allow().with_context("c"), Verdict(decision=Decision.ALLOW, additional_context="c"), id="context"
        ),
        pytest.param(
            Verdict.allow().with_input({"command": "pwd"}, whole=True),
            Verdict(decision=Decision.ALLOW, updated_input={"command": "pwd"}, partial=False),
            id="updated_input",
        ),
        pytest.param(
            Verdict.allow().quietly(), Verdict(decision=Decision.ALLOW, suppress_logging=True), id="suppress_logging"
        ),
    ],
)
def test_each_factory_and_builder_of_an_output(made: Verdict, wanted: Verdict) -> None:
    assert made == wanted
    assert testing.verdict_of(lambda event: made, CALL) == wanted


def test_all_fields_of_an_output_are_said_and_read() -> None:
    said = Verdict.block("no").with_message("m").with_context("c").quietly()
    dialect = dialects.get("claude-agent-rs")
    body = json.loads(dialect.encode_reply(CALL, said).stdout)
    assert body == {
        "continue_execution": False,
        "stop_reason": "no",
        "suppress_logging": True,
        "system_message": "m",
        "additional_context": "c",
    }


def test_a_context_has_a_session_a_cancellation_a_directory_and_an_environment() -> None:
    engine = Engine(files=False, environ={"MODE": "strict"})
    seen: list[Context] = []

    @engine.on("Stop")
    def look(event: Event, context: Context) -> None:
        seen.append(context)

    asyncio.run(engine.fire(Stop(session_id="s", cwd="/tmp")))
    [context] = seen
    assert (context.session_id, context.cwd, context.env["MODE"]) == ("s", "/tmp", "strict")
    assert context.cancelled() is False


def test_a_host_that_gives_up_reaches_the_hook_that_runs_and_starts_no_other() -> None:
    engine = Engine(files=False)
    given_up = asyncio.Event()
    ran: list[str] = []

    @engine.on("PreToolUse", priority=2)
    async def patient(event: Event, context: Context) -> Verdict:
        ran.append("patient")
        while not context.cancelled():  # noqa: ASYNC110 - a hook can only ask
            await asyncio.sleep(0.01)
        return Verdict.context("stopped early")

    engine.on("PreToolUse", priority=1, name="never")(lambda event: ran.append("never"))

    async def host() -> None:
        asyncio.get_running_loop().call_later(0.1, given_up.set)
        report = await engine.fire(CALL, cancelled=given_up.is_set)
        assert [outcome.status for outcome in report.outcomes] == [Status.OK, Status.CANCELLED]
        assert report.verdict.additional_context == "stopped early"

    asyncio.run(host())
    assert ran == ["patient"]
    (outcome,) = engine_without(engine, "patient").fire_sync(CALL, cancelled=lambda: True).outcomes
    assert outcome.error == "cancelled before it started"


def engine_without(engine: Engine, name: str) -> Engine:
    for hook in engine.hooks:
        if name in hook.name:
            engine.unregister(hook.name)
    return engine


def test_a_cancelled_task_ends_the_commands_that_run(tmp_path: Path) -> None:
    engine = Engine(files=False)
    command = f"echo $$ > {tmp_path}/pid; sleep 60"
    engine.register(Hook(name="slow", events=("Stop",), action=Command(command=command)))

    async def host() -> None:
        task = asyncio.ensure_future(engine.fire(Stop(cwd=str(tmp_path))))
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():  # noqa: ASYNC110 - a file
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(host())
    stat = Path("/proc", (tmp_path / "pid").read_text().strip(), "stat")
    assert not stat.exists() or stat.read_text().rpartition(") ")[2].startswith("Z")


def test_a_manager_registers_and_executes() -> None:
    manager = Engine(files=False)

    class Security(Object):
        priority = 100

        async def execute(self, event: Event, context: Context) -> Verdict | None:
            command = event.tool_input.get("command") if isinstance(event, PreToolUse) else None
            return Verdict.block("Blocked") if command == "ls" else Verdict.allow()

    shared = Object(name="logging")
    manager.register(Security(name="security"))
    manager.register(shared)
    report = asyncio.run(manager.fire(CALL))
    assert (report.allowed, report.verdict.reason) == (False, "Blocked")
    asyncio.run(manager.fire(Stop()))
    assert shared.seen == ["PreToolUse", "Stop"]


def test_the_logging_hook_of_the_document() -> None:
    lines: list[str] = []

    class LoggingHook:
        name = "logging-hook"
        events = ("PreToolUse", "PostToolUse", "PostToolUseFailure")

        async def execute(self, event: Event, context: Context) -> Verdict:
            lines.append(f"{event.name} {event.tool_name if isinstance(event, ToolEvent) else ''}")
            return Verdict.allow()

    engine = Engine(files=False)
    engine.register(LoggingHook())
    for event in (CALL, PostToolUse(tool_name="Read"), PostToolUseFailure(tool_name="Bash"), Stop()):
        asyncio.run(engine.fire(event))
    assert lines == ["PreToolUse Bash", "PostToolUse Read", "PostToolUseFailure Bash"]


def test_an_agent_built_from_a_project_has_its_files_and_its_own_hooks(world: "World") -> None:
    folder = world.project / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"hooks": {"preToolUse": {"file": "echo no >&2; exit 1"}}}))
    engine = Engine(str(world.project), read=["claude-agent-rs"], environ=world.environ, trust_project=True)
    logging = Object(name="object")
    engine.register(logging)
    report = asyncio.run(engine.fire(PreToolUse(tool_name="Bash", cwd=str(world.project))))
    assert {outcome.hook.name for outcome in report.outcomes} == {"object", "file"}
    assert report.verdict.reason == "no"
    assert logging.seen == ["PreToolUse"]


@pytest.mark.parametrize("way", ["fire", "fire_sync"])
def test_a_tool_fires_hooks_of_its_own_from_inside_a_hook(way: str, tmp_path: Path) -> None:
    engine = Engine(files=False)
    seen: list[str] = []
    inner = SubagentStart(session_id="s", subagent="a1", subagent_type="explore", cwd=str(tmp_path))
    command = Command(command="echo started >> log")
    engine.register(Hook(name="command", events=("SubagentStart",), action=command))
    engine.on("SubagentStart")(lambda event: seen.append(event.subagent))

    @engine.on("PreToolUse")
    async def tool(event: Event) -> None:
        report = await engine.fire(inner) if way == "fire" else engine.fire_sync(inner)
        assert report.allowed

    report = asyncio.run(engine.fire(CALL))
    assert [outcome.error for outcome in report.outcomes] == [None]
    assert seen == ["a1"]
    assert (tmp_path / "log").read_text() == "started\n"
    engine.close()


TYPES = {
    # the document's type: where it lives here
    "HookEvent": "omnihook.events:EVENTS",
    "HookEventData": "omnihook.events:PreToolUse",
    "HookInput": "omnihook.events:Event",
    "HookOutput": "omnihook.verdicts:Verdict",
    "HookContext": "omnihook.hooks:Context",
    "Hook": "omnihook.registering:HookObject",
    "FnHook": "omnihook.engine:Engine.on",
    "HookManager": "omnihook.engine:Engine",
    "CommandHook": "omnihook.hooks:Command",
    "HookRule": "omnihook.hooks:Matcher",
    "HookAction": "omnihook.hooks:Hook",
}


@pytest.mark.parametrize("name", TYPES)
def test_each_type_of_the_document_has_a_python_form_and_is_in_the_page(name: str) -> None:
    module, _, path = TYPES[name].partition(":")
    found: object = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    assert found is not None
    page = (DOCS / "dialects/claude-agent-rs.md").read_text().partition("## Names")[2]
    assert f"`{name}" in page


def test_a_rule_and_its_actions_are_hooks() -> None:
    rule = {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "fmt.sh", "timeout": 10}]}
    (hook,) = dialects.get("claude-agent-rs").read_config([text({"PreToolUse": [rule]})]).hooks
    assert (hook.matcher.text, hook.action, hook.timeout) == ("Write|Edit", Command(command="fmt.sh"), 10.0)


# GenCode


@pytest.fixture
def gencode(world: "World") -> Engine:
    hooks = {"PreToolUse": [group("echo one", "exit 2")], "Stop": [group("echo bye", matcher="")]}
    world.write(".gen/settings.json", {"hooks": hooks})
    return world.engine("gencode")


def test_gencode_loads_from_settings_and_has_hooks(gencode: Engine) -> None:
    assert gencode.hooks_for("PreToolUse")
    assert not gencode.hooks_for("SessionStart")


def test_gencode_gets_the_hooks_of_an_event(gencode: Engine) -> None:
    found = gencode.hooks_for("PreToolUse")
    assert [(hook.matcher.text, hook.action) for hook in found] == [
        ("Bash", Command(command="echo one")),
        ("Bash", Command(command="exit 2")),
    ]


def test_gencode_adds_and_removes_a_hook_by_its_place(gencode: Engine) -> None:
    for command in ("echo added", "echo kept"):
        hook = Hook(
            name="mine",
            events=("SessionStart",),
            action=Command(command=command),
            matcher=Matcher(),
            source=Source(dialect="gencode"),
        )
        gencode.register(hook)  # addHook(event, hook)
    gencode.unregister(gencode.hooks_for("SessionStart")[0].name)  # removeHook(event, index)
    assert [hook.action for hook in gencode.hooks_for("SessionStart")] == [Command(command="echo kept")]


def test_gencode_trigger_gives_a_result_per_hook(gencode: Engine, world: "World") -> None:
    payload: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    report = world.fire("gencode", "PreToolUse", payload, engine=gencode)
    results = [(o.succeeded, o.stdout, o.error, o.blocked, o.verdict.reason) for o in report.outcomes]
    assert results == [
        (True, "one\n", None, False, None),
        (False, "", None, True, "exit 2 with no message"),
    ]
    assert display(report).splitlines()[:3] == ["Running hooks...", "  ▶ PreToolUse: echo one", "  ✓ one"]


def test_gencode_context_is_an_event() -> None:
    given = {
        "event": "PostToolUse",
        "toolName": "Write",
        "toolInput": {"file_path": "a"},
        "toolResult": {"output": "ok"},
        "sessionId": "s",
        "cwd": "/w",
    }
    event = dialects.get("gencode").decode_event(given, None)
    assert isinstance(event, PostToolUse)
    assert (event.tool_name, event.tool_input, event.session_id, event.cwd) == ("Write", {"file_path": "a"}, "s", "/w")
    assert event.tool_response == {"output": "ok"}


def test_gencode_definition_has_every_key() -> None:
    flat = {"matcher": "Edit", "type": "command", "command": "x", "timeout": 1500, "blocking": False}
    asked = {"type": "prompt", "prompt": "ok?"}
    hook, prompt = dialects.get("gencode").read_config([text({"PreToolUse": [flat, asked]})]).hooks
    assert (hook.matcher.text, hook.action, hook.timeout, hook.background) == ("Edit", Command(command="x"), 1.5, True)
    assert prompt.action == Prompt(prompt="ok?")


# Every name the documents' interfaces use is in the table of its page.
NAMED = {
    "code-agent": (
        "HookConfigParser.parse", "validate", "merge", "HookConfig", "HookMatcher", "HookDefinition",
        "ValidationResult",
        "ScriptExecutor.execute", "HookEnvironment", "ExecutionResult.exitCode", "timedOut", "EventType", "HookEvent",
        "EventPayload", "ToolUsePayload", "HookMerger.merge", "PromptHook.evaluate", "HookDecision",
        "HooksEngine.trigger", "register", "unregister", "HookHandler", "HookResult.allowed", "results",
        "IndividualHookResult.hookId", "success", "output", "error", "decision",
    ),
    "claude-agent-rs": (
        "Hook", "FnHook", "HookManager::new", "register_arc", "HookEventData", "HookInput::pre_tool_use",
        "event_type()",
        "tool_name()", "subagent_id()", "HookOutput::allow()", "block(reason)", ".system_message", ".context",
        ".updated_input", ".suppress_logging", "HookContext.session_id", "cancellation_token", "CommandHook",
        "HookRule", "HookAction", "from_claude_code", "fire_hook",
    ),
    "gencode": (
        "HookEvent", "HookDefinition.matcher", "HooksConfig", "HookContext.event", "HookResult.success", "blocked",
        "message", "HooksManager", "loadFromSettings", "trigger", "hasHooks", "getHooks", "addHook", "removeHook",
        "executeHook", "expandVariables", "/hooks",
    ),
    "autohand": (
        "autohand.hook.", "/hooks", "filter.tool", "filter.path", "stopReason", "updatedInput", "additionalContext",
    ),
    "codemie": ("maxHookRetries", "debug", "$ARGUMENTS", "additionalContext", "tool_metadata", "suppressOutput"),
}  # fmt: skip


@pytest.mark.parametrize(("page", "name"), [(page, name) for page, names in NAMED.items() for name in names])
def test_each_named_interface_is_mapped_in_its_page(page: str, name: str) -> None:
    names = (DOCS / f"dialects/{page}.md").read_text().partition("## Names")[2]
    assert name in names
