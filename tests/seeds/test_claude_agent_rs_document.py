"""claude-agent-rs's hooks document, example by example, with real processes."""

import asyncio
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from omnihook.engine import Engine
from omnihook.events import Event, PreToolUse, SubagentStart, SubagentStop
from omnihook.hooks import Context
from omnihook.outcomes import Report, Status
from omnihook.verdicts import NO_OPINION, Decision, Verdict

if TYPE_CHECKING:
    from conftest import World

DATA = Path(__file__).parent / "claude_agent_rs"
AUDIT = "/tmp/audit.log"  # the document's own path, which tests of several processes would share
Stand = Callable[..., tuple[Path, Callable[[str], list[list[str]]]]]
CHECK = """import json, sys
given = json.load(sys.stdin)
json.dump(given, open("seen.json", "w"))
if "rm -rf" in given["tool_input"].get("command", ""):
    print(open("output.json").read())
"""


@pytest.fixture
def documented(world: "World") -> "World":
    """The document's settings, with the programs it names."""
    text = (DATA / "settings.json").read_text()
    assert AUDIT in text
    put(world.home / ".claude/settings.json", text.replace(AUDIT, str(world.root / "audit.log")))
    put(world.project / "check_security.py", CHECK)
    put(world.project / "output.json", (DATA / "output.json").read_text())
    (world.programs / "python").symlink_to(sys.executable)
    return world


def put(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def fire(world: "World", event: str, payload: dict[str, object]) -> Report:
    engine = Engine(
        str(world.project), only="claude-agent-rs", environ=world.environ, trust_project=True, can_ask=False
    )
    return world.fire("claude-agent-rs", event, payload, engine=engine)


def settings(world: "World", table: object, *, layer: str = "home") -> None:
    target = {
        "home": world.home / ".claude/settings.json",
        "project": world.project / ".claude/settings.json",
        "local": world.project / ".claude/settings.local.json",
    }[layer]
    put(target, {"hooks": table})


BASH: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def test_the_security_check_sees_the_documented_input_and_blocks_with_the_documented_output(
    documented: "World",
) -> None:
    payload = json.loads((DATA / "input.json").read_text())
    report = fire(documented, "pre_tool_use", payload)
    seen = json.loads((documented.project / "seen.json").read_text())
    assert {key: seen[key] for key in payload} == payload
    assert report.verdict.decision is Decision.BLOCK
    assert report.verdict.reason == "Dangerous command blocked"
    assert report.outcomes[0].hook.name == "security-check"


def test_empty_output_lets_the_call_go_on(documented: "World") -> None:
    report = fire(documented, "PreToolUse", BASH)
    assert report.verdict == NO_OPINION
    assert [outcome.status for outcome in report.outcomes] == [Status.OK]


@pytest.mark.parametrize(("tool", "runs"), [("Bash", 1), ("Write", 1), ("BashOutput", 1), ("Read", 0)])
def test_the_matcher_is_searched_for(documented: "World", tool: str, runs: int) -> None:
    report = fire(documented, "preToolUse", {"tool_name": tool, "tool_input": {}})
    assert len(report.outcomes) == runs


def test_the_audit_log_names_the_event_though_it_stands_in_single_quotes(documented: "World") -> None:
    fire(documented, "postToolUse", {**BASH, "tool_result": "fine"})
    assert (documented.root / "audit.log").read_text() == '{"event":"post_tool_use"}\n'


def test_session_hooks_are_commands_in_a_list(documented: "World", stand_ins: Stand) -> None:
    _, calls = stand_ins(documented.root, "notify-send", "cleanup-temp.sh")
    started = fire(documented, "session_start", {})
    ended = fire(documented, "session_end", {})
    assert calls("notify-send") == [["Session started"]]
    assert len(calls("cleanup-temp.sh")) == 1
    assert [o.hook.name for o in (*started.outcomes, *ended.outcomes)] == ["session-start-0", "session-end-0"]


def test_a_session_cannot_start_when_its_hook_is_missing(documented: "World") -> None:
    documented.root.joinpath("stand-ins").mkdir()
    report = fire(documented, "session_start", {})
    assert report.outcomes[0].status is Status.BROKEN
    assert report.verdict.decision is Decision.DENY
    assert "127" in (report.verdict.reason or "")


def test_the_frontmatter_of_a_skill_counts_while_the_skill_is_at_work(world: "World") -> None:
    text = f"---\nname: formatter\n{(DATA / 'frontmatter.yaml').read_text()}---\n# Formatter\n"
    put(world.home / ".claude/skills/formatter/SKILL.md", text)
    world.script(world.project / "scripts/format.sh", "#!/bin/sh\necho formatted >> log\n")
    edit: dict[str, object] = {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}}
    assert fire(world, "PreToolUse", edit).outcomes == ()
    (outcome,) = fire(world, "PreToolUse", {**edit, "metadata": {"active_skills": ["formatter"]}}).outcomes
    assert outcome.status is Status.OK
    assert (outcome.hook.timeout, outcome.hook.source.owner) == (10.0, "skill:formatter")
    assert (world.project / "log").read_text() == "formatted\n"


def test_the_frontmatter_of_a_subagent_counts_inside_it(world: "World") -> None:
    text = f"---\nname: helper\n{(DATA / 'frontmatter.yaml').read_text()}---\n# Helper\n"
    put(world.home / ".claude/agents/helper.md", text)
    world.script(world.project / "scripts/format.sh", "#!/bin/sh\n")
    engine = Engine(str(world.project), only="claude-agent-rs", environ=world.environ)
    edit = PreToolUse(tool_name="Edit", tool_input={"file_path": "a.py"}, cwd=str(world.project))
    inside = PreToolUse(tool_name="Edit", tool_input={}, cwd=str(world.project), subagent_type="helper")
    assert asyncio.run(engine.fire(edit)).outcomes == ()
    assert [o.status for o in asyncio.run(engine.fire(inside)).outcomes] == [Status.OK]


def test_a_plugin_file_in_the_official_format(world: "World", stand_ins: Stand) -> None:
    put(world.home / ".claude/plugins/tidy/hooks/hooks.json", (DATA / "plugin-hooks.json").read_text())
    _, calls = stand_ins(world.root, "fmt.sh")
    report = fire(world, "PostToolUse", {"tool_name": "Write", "tool_input": {"file_path": "a"}})
    assert len(calls("fmt.sh")) == 1
    assert report.outcomes[0].hook.name == "tidy:post-tool-use-0"


def test_a_flat_plugin_file_finds_its_own_folder(world: "World") -> None:
    root = world.home / ".claude/plugins/my plugin"
    put(root / "hooks/hooks.json", {"description": "x", "SessionEnd": ["cat ${CLAUDE_PLUGIN_ROOT}/note.txt"]})
    put(root / "note.txt", "found\n")
    (outcome,) = fire(world, "SessionEnd", {}).outcomes
    assert outcome.stdout == "found\n"


EVENTS = {
    "PreToolUse": True,
    "PostToolUse": False,
    "PostToolUseFailure": False,
    "UserPromptSubmit": True,
    "Stop": False,
    "SubagentStart": True,
    "SubagentStop": False,
    "PreCompact": False,
    "SessionStart": True,
    "SessionEnd": False,
}


@pytest.mark.parametrize(("event", "can_block"), EVENTS.items())
def test_what_each_event_can_refuse(world: "World", event: str, can_block: bool) -> None:
    say = json.dumps({"continue_execution": False, "stop_reason": "no"})
    put(world.project / "no.json", say)
    settings(world, {event: {"said": "cat no.json"}})
    said = fire(world, event, BASH)
    settings(world, {event: {"exit": "echo bad >&2; exit 1"}})
    failed = fire(world, event, BASH)
    settings(world, {event: {"broken": "exit 127"}})
    broken = fire(world, event, BASH)
    refused = (said.refused, failed.refused, broken.refused)
    assert refused == (can_block, can_block, can_block)
    status = Status.BLOCKED if can_block else Status.BROKEN
    assert (failed.outcomes[0].status, broken.outcomes[0].status) == (status, Status.BROKEN)
    if can_block:
        assert (said.verdict.reason, failed.verdict.reason) == ("no", "bad")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("spelling", ["camel", "pascal", "snake"])
def test_every_event_in_every_shape(world: "World", event: str, spelling: str) -> None:
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()
    name = {"camel": event[0].lower() + event[1:], "pascal": event, "snake": snake}[spelling]
    shapes: list[object] = [
        {"a": "echo map-text"},
        {"a": {"command": "echo map-object", "timeout_secs": 5}},
        ["echo list-text"],
        [{"command": "echo list-object", "timeout_secs": 5}],
        [{"hooks": [{"type": "command", "command": "echo rule", "timeout": 5}]}],
    ]
    put(world.home / ".claude/settings.json", {"hooks": {}})
    found = []
    for shape in shapes:
        settings(world, {name: shape})
        found += [o.stdout.strip() for o in fire(world, name, BASH).outcomes]
    assert found == ["map-text", "map-object", "list-text", "list-object", "rule"]


def test_a_later_layer_replaces_a_hook_of_the_same_name_and_lists_add_up(world: "World") -> None:
    for layer in ("home", "project", "local"):
        settings(
            world,
            {"preToolUse": {"check": f"echo {layer}", f"only-{layer}": "true"}, "sessionEnd": [f"echo {layer}"]},
            layer=layer,
        )
    report = fire(world, "PreToolUse", BASH)
    names = [outcome.hook.name for outcome in report.outcomes]
    assert names == ["only-home", "only-project", "check", "only-local"]
    assert [o.stdout for o in report.outcomes if o.hook.name == "check"] == ["local\n"]
    assert [skipped.why for skipped in report.skipped] == ["replaced", "replaced"]
    ended = fire(world, "SessionEnd", {})
    assert [o.stdout.strip() for o in ended.outcomes] == ["home", "project", "local"]


def test_a_project_nobody_trusts_replaces_nothing(world: "World") -> None:
    settings(world, {"preToolUse": {"check": "echo mine >&2; exit 1"}})
    settings(world, {"preToolUse": {"check": "true"}}, layer="project")
    report = world.fire("claude-agent-rs", "PreToolUse", BASH)
    assert report.verdict.reason == "mine"
    assert [skipped.why for skipped in report.skipped] == ["untrusted"]


def test_priority_comes_first_and_the_first_block_ends_it(world: "World") -> None:
    settings(
        world,
        {
            "preToolUse": {
                "late": "echo late >> order",
                "early": {"command": "echo early >> order", "priority": 100},
                "no": {"command": "echo no >> order; exit 1", "priority": 1},
            }
        },
    )
    report = fire(world, "PreToolUse", BASH)
    assert (world.project / "order").read_text().split() == ["early", "no"]
    assert report.refused


def test_every_hook_gets_the_original_input_and_the_latest_rewrite_stands(world: "World") -> None:
    put(world.project / "one.json", {"updated_input": {"command": "one"}})
    put(world.project / "two.json", {"updated_input": {"command": "two"}})
    settings(
        world,
        {
            "preToolUse": {
                "first": "cat > a$OMNIHOOK_PASS; cat one.json",
                "second": "cat > b$OMNIHOOK_PASS; cat two.json",
            }
        },
    )
    report = fire(world, "PreToolUse", BASH)
    seen = [json.loads((world.project / name).read_text())["tool_input"] for name in ("a", "b")]
    assert seen == [{"command": "ls"}, {"command": "ls"}]
    assert report.verdict.updated_input is None or report.verdict.updated_input == {"command": "two"}
    assert report.outcomes[1].verdict.updated_input == {"command": "two"}


def test_all_six_output_fields_are_understood(world: "World") -> None:
    said = {
        "continue_execution": True,
        "stop_reason": "later",
        "suppress_logging": True,
        "system_message": "note",
        "updated_input": {"command": "ls -a"},
        "additional_context": "one",
    }
    put(world.project / "all.json", said)
    put(world.project / "more.json", {"additional_context": "two", "system_message": "last"})
    settings(world, {"preToolUse": {"all": "cat all.json"}})
    assert fire(world, "PreToolUse", BASH).verdict == Verdict(
        decision=Decision.ALLOW,
        stop_reason="later",
        suppress_logging=True,
        system_message="note",
        updated_input={"command": "ls -a"},
        partial=False,
        additional_context="one",
    )
    settings(world, {"postToolUse": {"all": "cat all.json", "more": "cat more.json"}})
    after = fire(world, "PostToolUse", BASH).verdict
    assert (after.additional_context, after.system_message) == ("one\ntwo", "last")


def test_stdin_tells_everything_and_extra_env_is_set(world: "World") -> None:
    both = {"command": 'cat > seen.json; echo "$EVENT $MODE"', "extra_env": {"MODE": "strict"}}
    settings(world, {"subagentStop": {"x": both}, "userPromptSubmit": {"x": both}, "postToolUseFailure": {"x": both}})
    cases: dict[str, dict[str, object]] = {
        "subagent_stop": {"subagent_id": "a1", "success": False, "error": "lost"},
        "user_prompt_submit": {"prompt": "hello"},
        "post_tool_use_failure": {**BASH, "error": "exit 1"},
    }
    for event, payload in cases.items():
        (outcome,) = fire(world, event, payload).outcomes
        seen = json.loads((world.project / "seen.json").read_text())
        assert {key: seen[key] for key in payload} == payload
        assert seen["event"] == event
        assert outcome.stdout == f"{event} strict\n"


def test_a_hook_that_takes_too_long_refuses(world: "World") -> None:
    settings(world, {"preToolUse": {"slow": {"command": "sleep 30", "timeout_secs": 0.2}}})
    report = fire(world, "PreToolUse", BASH)
    assert report.outcomes[0].status is Status.TIMEOUT
    assert report.verdict.decision is Decision.DENY


def test_a_bad_pattern_sets_its_hook_aside(world: "World") -> None:
    settings(world, {"preToolUse": {"bad": {"command": "exit 1", "matcher": "["}, "good": "true"}})
    report = fire(world, "PreToolUse", BASH)
    assert [outcome.hook.name for outcome in report.outcomes] == ["good"]
    assert [item.code for item in world.engine("claude-agent-rs").diagnostics] == ["bad-regex"]


class SecurityHook:
    """The document's example, in Python."""

    name = "security-hook"
    events = ("PreToolUse",)
    priority = 100

    def __init__(self, *blocked: str) -> None:
        self.blocked = blocked

    def execute(self, event: Event, context: Context) -> Verdict | None:
        assert isinstance(event, PreToolUse)
        command = event.tool_input.get("command")
        for pattern in self.blocked:
            if event.tool_name == "Bash" and isinstance(command, str) and pattern in command:
                return Verdict.block(f"Blocked: contains '{pattern}'")
        return Verdict.allow()


class SubagentMonitorHook:
    """The document's example, in Python."""

    name = "subagent-monitor"
    events = ("SubagentStart", "SubagentStop")

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def execute(self, event: Event, context: Context) -> None:
        match event:
            case SubagentStart(subagent=id, subagent_type=sort, description=text):
                self.seen.append(f"{id} {sort} {text}")
            case SubagentStop(subagent=id, success=success):
                self.seen.append(f"{id} {success}")


def test_hooks_as_objects(documented: "World") -> None:
    """The trait, the manager and `from_claude_code(".")`: an engine with the project's files and two objects."""
    engine = Engine(str(documented.project), only="claude-agent-rs", environ=documented.environ)
    monitor = SubagentMonitorHook()
    engine.register(SecurityHook("rm -rf", "sudo"))
    engine.register(monitor)
    blocked = asyncio.run(engine.fire(PreToolUse(tool_name="Bash", tool_input={"command": "sudo ls"})))
    assert blocked.verdict.reason == "Blocked: contains 'sudo'"
    assert not asyncio.run(engine.fire(PreToolUse(tool_name="Read", tool_input={"file_path": "a"}))).refused
    asyncio.run(engine.fire(SubagentStart(subagent="a1", subagent_type="explore", description="look")))
    asyncio.run(engine.fire(SubagentStop(subagent="a1", success=True)))
    assert monitor.seen == ["a1 explore look", "a1 True"]
