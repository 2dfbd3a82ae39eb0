"""GenCode's hooks proposal, example by example, with real processes."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import modelserver
from omnihook.dialects.gencode import display
from omnihook.engine import Engine
from omnihook.outcomes import Report, Status
from omnihook.verdicts import NO_OPINION, Decision

if TYPE_CHECKING:
    from conftest import World

DATA = Path(__file__).parent / "gencode"
HOSTILE = "src/a b;touch pwned;$(touch pwned)`touch pwned`'\"\n*.ts"
Stand = Callable[..., tuple[Path, Callable[[str], list[list[str]]]]]
WRITE: dict[str, object] = {"tool_name": "Write", "tool_input": {"file_path": "src/component.tsx", "content": "x"}}


def put(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def fire(world: "World", event: str, payload: dict[str, object]) -> Report:
    engine = Engine(str(world.project), only="gencode", environ=world.environ, trust_project=True, can_ask=False)
    return world.fire("gencode", event, payload, engine=engine)


def settings(world: "World", table: object, *, path: str = ".gen/settings.json", home: bool = False) -> None:
    put((world.home if home else world.project) / path, {"hooks": table})


def flat(command: str, **more: object) -> dict[str, object]:
    return {"type": "command", "command": command, **more}


def test_the_claude_code_example_runs_its_linter_on_the_file(world: "World", stand_ins: Stand) -> None:
    put(world.project / ".claude/settings.json", (DATA / "claude-settings.json").read_text())
    world.script(world.project / ".claude/hooks/run-linter.sh", '#!/bin/sh\nprintf "%s|" "$@" > linted\n')
    _, calls = stand_ins(world.root, "afplay")
    fire(world, "PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": HOSTILE}})
    assert (world.project / "linted").read_text() == HOSTILE + "|"
    assert not list(world.project.glob("pwned*"))
    fire(world, "Notification", {"message": "look"})
    assert calls("afplay") == [[str(world.home / ".claude/sounds/notify.mp3")]]


def test_the_mycode_example_does_not_wait_for_its_linter(world: "World", stand_ins: Stand) -> None:
    put(world.project / ".mycode/settings.json", (DATA / "mycode-settings.json").read_text())
    _, calls = stand_ins(world.root, "npm", "afplay")
    report = fire(world, "PostToolUse", WRITE)
    assert [outcome.status for outcome in report.outcomes] == [Status.LATE]
    assert calls("npm") == [["run", "lint:fix", "src/component.tsx"]]
    fire(world, "Stop", {})
    assert calls("afplay") == [[str(world.home / ".mycode/sounds/done.mp3")]]


@pytest.mark.parametrize("home", [True, False])
def test_the_gen_example_fills_in_a_variable_between_single_quotes(
    world: "World", stand_ins: Stand, home: bool
) -> None:
    put((world.home if home else world.project) / ".gen/settings.json", (DATA / "gen-settings.json").read_text())
    _, calls = stand_ins(world.root, "afplay")
    (outcome,) = fire(world, "PostToolUse", WRITE).outcomes
    assert outcome.stdout == "File modified: src/component.tsx\n"
    assert outcome.hook.timeout == 5.0
    fire(world, "Stop", {})
    assert calls("afplay") == [[str(world.home / ".gen/sounds/done.mp3")]]


def test_the_display_of_a_hook_that_ran(world: "World") -> None:
    world.script(world.root / "stand-ins/npm", "#!/bin/sh\necho checking\necho 'Lint completed (2 issues fixed)'\n")
    settings(world, {"PostToolUse": [flat("npm run lint:fix $FILE_PATH", matcher="Write|Edit")]})
    report = fire(world, "PostToolUse", WRITE)
    assert display(report) == (DATA / "display.txt").read_text().partition("\n\n")[2]


def test_a_blocking_hook_holds_further_execution_and_says_so(world: "World") -> None:
    world.script(world.root / "stand-ins/npm", "#!/bin/sh\necho 'Tests failed (2 failures)'\nexit 1\n")
    settings(world, {"PostToolUse": [flat("npm test -- --related $FILE_PATH", matcher="Edit", blocking=True)]})
    report = fire(world, "PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "src/auth.ts"}})
    assert (report.verdict.decision, report.verdict.reason) == (Decision.BLOCK, "Tests failed (2 failures)")
    wanted = (DATA / "display-blocked.txt").read_text().partition("\n\n")[2].splitlines()
    shown = display(report).splitlines()
    assert shown[:-1] == wanted[:-1]
    assert shown[-1].startswith("Hook blocked further execution.")


def test_nothing_is_displayed_when_nothing_ran(world: "World") -> None:
    settings(world, {"Stop": [flat("true")]})
    assert display(fire(world, "PostToolUse", WRITE)) == ""


@pytest.mark.parametrize(
    ("blocking", "code", "refused"),
    [(None, 1, False), (None, 2, True), (None, 3, False), (True, 1, True), (True, 2, True), (True, 0, False)],
)
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "UserPromptSubmit"])
def test_what_an_exit_code_means(world: "World", event: str, blocking: bool | None, code: int, refused: bool) -> None:
    more = {} if blocking is None else {"blocking": blocking}
    settings(world, {event: [flat(f"echo why >&2; exit {code}", **more)]})
    report = fire(world, event, WRITE)
    assert report.refused is refused
    assert report.verdict.reason == ("why" if refused else None)
    if not refused and code:
        assert report.outcomes[0].status is Status.BROKEN
        assert "why" in report.notices[0]


def test_a_hook_that_is_not_waited_for_decides_nothing(world: "World") -> None:
    settings(world, {"PreToolUse": [flat("sleep 0.3; echo done > late; exit 2", blocking=False)]})
    report = fire(world, "PreToolUse", WRITE)
    assert world.waited < 0.25
    assert report.verdict == NO_OPINION
    assert (world.project / "late").read_text() == "done\n"


def test_printed_json_is_not_an_answer(world: "World") -> None:
    put(world.project / "said.json", {"decision": "block", "continue": False})
    settings(world, {"PreToolUse": [flat("cat said.json")]})
    assert fire(world, "PreToolUse", WRITE).verdict == NO_OPINION


def test_a_script_sees_the_variables_and_the_payload(world: "World") -> None:
    settings(world, {"PostToolUse": [flat("env > env.txt; cat > stdin.json")]})
    result = {"success": True, "output": "ok", "exitCode": 3}
    payload: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "npm t"}, "tool_result": result}
    fire(world, "PostToolUse", payload)
    seen = dict(line.split("=", 1) for line in (world.project / "env.txt").read_text().splitlines() if "=" in line)
    wanted = {
        "TOOL_NAME": "Bash",
        "SESSION_ID": "s1",
        "CWD": str(world.project),
        "HOOK_EVENT_NAME": "PostToolUse",
        "COMMAND": "npm t",
        "EXIT_CODE": "3",
    }
    assert {name: seen.get(name) for name in wanted} == wanted
    assert "FILE_PATH" not in seen
    text = (world.project / "stdin.json").read_text()
    body = json.loads(text)
    assert text == json.dumps(body, indent=2)
    assert {key: body[key] for key in payload} == payload
    assert body["timestamp"].endswith("Z")
    assert (body["session_id"], body["hook_event_name"]) == ("s1", "PostToolUse")


def test_every_file_counts_lower_levels_first_and_twins_run_once(world: "World") -> None:
    def say(word: str) -> list[object]:
        return [{"matcher": "Write", "hooks": [flat(f"echo {word}")]}, {"hooks": [flat("echo twin")]}]

    for home, path in (
        (True, ".claude/settings.json"),
        (True, ".gen/settings.json"),
        (True, ".mycode/settings.json"),
        (False, ".claude/settings.json"),
        (False, ".gen/settings.json"),
        (False, ".mycode/settings.json"),
        (False, ".claude/settings.local.json"),
        (False, ".gen/settings.local.json"),
    ):
        settings(world, {"PreToolUse": say(f"{'user' if home else 'project'}{path}")}, path=path, home=home)
    report = fire(world, "PreToolUse", WRITE)
    assert [outcome.stdout.strip() for outcome in report.outcomes] == [
        "user.claude/settings.json",
        "twin",
        "user.gen/settings.json",
        "user.mycode/settings.json",
        "project.claude/settings.json",
        "project.gen/settings.json",
        "project.mycode/settings.json",
        "project.claude/settings.local.json",
        "project.gen/settings.local.json",
    ]
    assert [skipped.why for skipped in report.skipped] == ["duplicate"] * 7


def test_hooks_run_side_by_side_unless_told_otherwise(world: "World") -> None:
    hooks = [flat("sleep 0.3; echo a >> order"), flat("echo b >> order")]
    settings(world, {"PreToolUse": hooks})
    begun = time.monotonic()
    fire(world, "PreToolUse", WRITE)
    assert (world.project / "order").read_text().split() == ["b", "a"]
    assert time.monotonic() - begun < 5
    settings(world, {"parallel": False, "PreToolUse": hooks})
    fire(world, "PreToolUse", WRITE)
    assert (world.project / "order").read_text().split() == ["b", "a", "a", "b"]


def test_no_more_run_at_once_than_allowed(world: "World") -> None:
    running = "mkdir r$$; ls -d r* | wc -l; sleep 0.15; rmdir r$$"
    hooks = [flat(f"{running} # {number}") for number in range(6)]
    settings(world, {"maxConcurrent": 2, "PreToolUse": hooks})
    outcomes = fire(world, "PreToolUse", WRITE).outcomes
    assert max(int(outcome.stdout) for outcome in outcomes) == 2


def test_commands_are_given_to_bash(world: "World") -> None:
    settings(world, {"Stop": [flat('[[ abc == a* ]] && words=(x "y z") && echo "${#words[@]}"')]})
    (outcome,) = fire(world, "Stop", {}).outcomes
    assert (outcome.stdout, outcome.status) == ("2\n", Status.OK)


def test_a_prompt_hook_asks_a_model(world: "World") -> None:
    settings(world, {"PreToolUse": [{"type": "prompt", "prompt": "Is $FILE_PATH fine?", "matcher": "Write"}]})
    with modelserver.serve() as model:
        model.script(modelserver.calls("answer", decision="block", reason="generated file"))
        environ = {**world.environ, "OMNIHOOK_MODEL": "any", "OMNIHOOK_BASE_URL": model.openai_url}
        engine = Engine(str(world.project), only="gencode", environ=environ, trust_project=True)
        report = world.fire("gencode", "PreToolUse", WRITE, engine=engine)
        assert "src/component.tsx" in model.asked[0].text
    assert (report.verdict.decision, report.verdict.reason) == (Decision.BLOCK, "generated file")


def test_much_output_is_cut_and_is_no_error(world: "World") -> None:
    settings(world, {"PreToolUse": [flat("head -c 100000 /dev/zero | tr '\\0' x")]})
    (outcome,) = fire(world, "PreToolUse", WRITE).outcomes
    assert outcome.status is Status.OK
    assert len(outcome.stdout) == 30 * 1024


def test_a_shell_that_ignores_the_time_out_is_killed(world: "World") -> None:
    settings(world, {"PreToolUse": [flat("trap '' TERM; sleep 30 & while :; do sleep 1; done", timeout=200)]})
    report = fire(world, "PreToolUse", WRITE)
    assert report.outcomes[0].status is Status.TIMEOUT
    assert report.outcomes[0].duration < 4
    assert not report.refused


@pytest.mark.parametrize("command", ["/etc/hooks/x.sh", "bash /var/tmp/x.sh $FILE_PATH", ". /dev/shm/x", "//proc/x"])
def test_scripts_in_system_folders_are_set_aside(world: "World", command: str) -> None:
    settings(world, {"PreToolUse": [flat(command), flat("cat /etc/hostname > /dev/null; echo fine")]})
    report = fire(world, "PreToolUse", WRITE)
    assert [outcome.stdout for outcome in report.outcomes] == ["fine\n"]
    engine = Engine(str(world.project), only="gencode", environ=world.environ)
    assert [(item.code, item.line) for item in engine.diagnostics] == [("sensitive-folder", 1)]


@pytest.mark.parametrize(
    ("matcher", "tool", "runs"),
    [
        ("Edit", "Edit", True),
        ("Edit", "MultiEdit", True),
        ("Edit|Write", "Write", True),
        ("*", "Anything", True),
        ("", "Anything", True),
        (None, "Anything", True),
        ("Write", "Read", False),
        ("C++", "C++", True),
        ("Task", "Agent", True),
    ],
)
def test_matchers(world: "World", matcher: str | None, tool: str, runs: bool) -> None:
    group = {} if matcher is None else {"matcher": matcher}
    settings(world, {"PreToolUse": [{**group, "hooks": [flat("true")]}]})
    report = fire(world, "PreToolUse", {"tool_name": tool, "tool_input": {}})
    assert bool(report.outcomes) is runs


def test_a_pattern_matches_nothing_where_there_is_no_tool(world: "World") -> None:
    settings(world, {"Stop": [flat("true", matcher=".*"), flat("true", matcher="*"), flat("echo 3", matcher="")]})
    report = fire(world, "Stop", {})
    assert [outcome.hook.name for outcome in report.outcomes] == ["Stop:2", "Stop:3"]
