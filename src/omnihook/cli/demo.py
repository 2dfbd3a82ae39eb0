"""`omnihook demo`: a scripted agent session through the real engine, with real hooks, in a scratch project."""

import asyncio
import json
import os
import sys
import tempfile
import time
from dataclasses import replace

import click

from omnihook.cli.common import invoke, say
from omnihook.cli.fire import show
from omnihook.dialects import get
from omnihook.engine import Engine
from omnihook.events import NATIVE, Event, PostToolUse, PreToolUse, SessionStart, Stop, UserPromptSubmit
from omnihook.gates import gate
from omnihook.jsontypes import Json, dumps
from omnihook.outcomes import Report
from omnihook.trust import TrustStore
from omnihook.views import report_json

SESSION = "demo"
NATIVE_HOOKS = """\
read = ["claude-code"]

[[hook]]
name = "where-am-i"
on = "SessionStart"
run = "echo \\"Project: $(basename \\"$OMNIHOOK_PROJECT_DIR\\"), files: $(ls | wc -l)\\""

[[hook]]
name = "no-root-delete"
on = "PreToolUse"
match = "Bash"
guard = true
priority = 10
run = '''
case "$(cat)" in
  *"rm -rf /"*) echo "That would delete everything." >&2; exit 2 ;;
esac
'''

[[hook]]
name = "gentle-push"
on = "PreToolUse"
if = "Bash(git push *)"
priority = 20
run = '''
cat > /dev/null
echo '{"hookSpecificOutput": {"updatedInput": {"command": "git push --force-with-lease"}}}'
'''

[[hook]]
name = "note-changes"
on = "FileModified"
paths = ["src/**/*.py"]
run = "echo \\"$OMNIHOOK_FILE_PATH\\" >> changes.log"

[[hook]]
name = "broken-logger"
on = "PostToolUse"
run = "no-such-logger --append"

[[hook]]
name = "tests-before-done"
on = "Stop"
block_on = "nonzero"
run = "test -f tests-passed || { echo 'The tests have not passed yet.' >&2; exit 1; }"
"""
CLAUDE_HOOKS: Json = {
    "hooks": {
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo 'House rule: small commits.'"}]}],
        "PreToolUse": [
            {"matcher": "Read", "hooks": [{"type": "command", "command": "echo read >> reads.log", "async": True}]}
        ],
    }
}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON, one object a line.")
@click.option("--slow", is_flag=True, help="Pause between the events.")
def demo(as_json: bool, slow: bool) -> int:
    """Play a scripted agent session in a scratch project and show which hooks fired, and why."""
    with tempfile.TemporaryDirectory(prefix="omnihook-demo-") as folder:
        asyncio.run(_play(folder, as_json=as_json, pause=0.8 if slow else 0.0))
    return 0


async def _play(folder: str, *, as_json: bool, pause: float) -> None:
    engine = _scratch(folder)
    await (_as_json(engine) if as_json else _shown(engine, pause))
    await engine.drain()


async def _shown(engine: Engine, pause: float) -> None:
    say(f"A scratch project with {len(engine.hooks)} hooks, in the native dialect and in Claude Code's.")
    say("It was approved as `omnihook trust` would; nothing else on this machine is read.\n")
    for title, event in _session(engine.folders.project):
        say(f"── {title}")
        show(await engine.fire(event))
        say()
        await asyncio.sleep(pause)
    say("── The agent says it is done")

    def go_on(text: str) -> None:
        say(f"Stop: held back: {text}")
        say("  (the agent runs the tests and tries again)")
        _pass_tests(engine)

    show((await gate(engine, _stop(engine), go_on)).report)


async def _as_json(engine: Engine) -> None:
    reports: list[Report] = []
    engine.observe(reports.append)
    for _, event in _session(engine.folders.project):
        await engine.fire(event)
    await gate(engine, _stop(engine), lambda _: _pass_tests(engine))
    for report in reports:
        sys.stdout.write(dumps(report_json(report, engine.configuration.source_of, get(NATIVE))) + "\n")


def _stop(engine: Engine) -> Stop:
    return Stop(session_id=SESSION, cwd=engine.folders.project)


def _pass_tests(engine: Engine) -> None:
    """What the agent does once it hears that the tests have not passed."""
    _write(os.path.join(engine.folders.project, "tests-passed"), "")


def _session(project: str) -> list[tuple[str, Event]]:
    def tool(name: str, **arguments: Json) -> PreToolUse:
        return PreToolUse(tool_name=name, tool_input=arguments)

    written = PostToolUse(
        tool_name="Write",
        tool_input={"file_path": f"{project}/src/app.py", "content": "print('hi')\n"},
        tool_response={"type": "create"},
    )
    told: list[tuple[str, Event]] = [
        ("A session starts", SessionStart(source="startup")),
        ("The user asks for something", UserPromptSubmit(prompt="Tidy up")),
        ("The agent wants to read a file", tool("Read", file_path=f"{project}/README.md")),
        ("The agent wants to delete everything", tool("Bash", command="rm -rf / --no-preserve-root")),
        ("The agent wants to force a push", tool("Bash", command="git fetch && git push --force")),
        ("The agent has written a file", written),
    ]
    return [(title, replace(event, session_id=SESSION, cwd=project)) for title, event in told]


def _scratch(folder: str) -> Engine:
    home, project = os.path.join(folder, "home"), os.path.join(folder, "project")
    _write(os.path.join(project, ".omnihook", "hooks.toml"), NATIVE_HOOKS)
    _write(os.path.join(project, ".claude", "settings.json"), json.dumps(CLAUDE_HOOKS, indent=2))
    _write(os.path.join(project, "README.md"), "# Scratch\n")
    environ = {"HOME": home, "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8"}
    engine = Engine(project, environ=environ)
    TrustStore(engine.folders.state).approve(engine.hooks, project, when=time.time())
    return Engine(project, environ=environ)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8") as file:
        file.write(text)


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(demo, args, "demo")
