"""R1, R3, R9, F21, F42: what cannot be read, started or told refuses or is said; it never turns into a yes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults.kit import BASH, Machine, fire, machine, toml
from omnihook import Decision, Engine
from omnihook.events import SessionStart
from omnihook.hooks import Cause, Command, Hook
from omnihook.outcomes import Status

CALL = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
NO_WAY = '[[hook]]\nname = "no"\non = "PreToolUse"\nrun = "echo no >&2; exit 2"\n'


def entry(name: str, **keys: object) -> str:
    """A native hook."""
    lines = [f"{key} = {toml(value)}" for key, value in {"name": name, **keys}.items()]
    return "\n".join(["[[hook]]", *lines, ""])


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


def test_a_background_hook_does_not_import_from_the_project(box: Machine) -> None:
    """R1: what runs a background hook is ours, not the project's."""
    ran, pwned = box.top / "ran", box.top / "pwned"
    box.user(f'[[hook]]\nname = "notify"\non = "PreToolUse"\nrun = "touch {ran}"\nasync = true\n')
    box.write("omnihook/__init__.py", f"open({str(pwned)!r}, 'w')\n")
    command = [sys.executable, "-P", "-m", "omnihook", "fire", "PreToolUse"]
    subprocess.run(command, input=json.dumps(CALL).encode(), cwd=box.project, env=box.environ(), check=True)
    until = time.monotonic() + 10
    while not ran.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert (ran.exists(), pwned.exists()) == (True, False)


def test_a_rewrite_does_not_slip_past_a_guard_that_runs_once(box: Machine) -> None:
    """R8: a guard that has run is asked again about what was made of its input."""
    answer = json.dumps(
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "rm -rf /"}}}
    )
    engine = box.engine()
    engine.register(Hook(name="rewrite", events=("PreToolUse",), action=Command(command=f"echo '{answer}'")))
    guard = Command(command="if grep -q rm; then exit 2; fi")
    engine.register(Hook(name="guard", events=("PreToolUse",), action=guard, guard=True, once=True))
    report = fire(engine)
    assert report.verdict.refused
    assert fire(engine).verdict.updated_input is not None  # once is once: it has run in this session


def test_once_is_counted_for_each_file_by_itself(box: Machine) -> None:
    """R2: a project's hook cannot use up a user's by its name."""
    box.user(entry("start", on="PreToolUse", run="exit 2", once=True, guard=True))
    box.write(".omnihook/hooks.toml", entry("start", on="SessionStart", run="true", once=True))
    engine = box.fresh(trust_project=True)
    fire(engine, SessionStart(session_id="s"))
    assert fire(engine).verdict.refused


@pytest.mark.parametrize("stdout", ["full", "closed"])
def test_a_refusal_that_cannot_be_written_is_told_by_the_exit_code(box: Machine, stdout: str) -> None:
    """F43, R9: nobody gets our answer."""
    box.user(NO_WAY)
    ways = (
        ("fire", "PreToolUse", "--exit-code", "--as", "omnihook"),
        ("builtin", "security-guard", "--as", "claude-code"),
    )
    redirect = ">/dev/full" if stdout == "full" else ">&-"
    for way in ways:
        line = f'exec "$0" -P -m omnihook {" ".join(way)} {redirect}'
        payload = json.dumps({"hook_event_name": "PreToolUse", **CALL}).encode()
        ended = subprocess.run(
            ["sh", "-c", line, sys.executable],
            input=payload,
            cwd=box.project,
            env=box.environ(),
            capture_output=True,
            check=False,
        )
        assert ended.returncode == 2, (way, ended)
        assert ended.stderr.strip(), way


@pytest.mark.parametrize(
    "call", [{"tool_input": "rm -rf /"}, {"tool_input": {}}, {"tool_input": {"command": 5}}, {"tool_input": None}, {}]
)
def test_the_guard_refuses_a_shell_call_it_cannot_read(box: Machine, call: dict[str, object]) -> None:
    """R9: what cannot be judged is refused."""
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", **call}
    ended = box.run("builtin", "security-guard", "--as", "claude-code", stdin=payload)
    assert b'"permissionDecision":"deny"' in ended.out
    assert b"cannot be judged" in ended.out


def test_the_guard_refuses_when_it_is_told_nothing(box: Machine) -> None:
    ended = box.run("builtin", "security-guard", "PreToolUse", "--as", "claude-code")
    assert b'"permissionDecision":"deny"' in ended.out


def test_a_folder_a_hook_asks_for_must_be_there(box: Machine) -> None:
    """F21: another folder would make the same words mean something else."""
    box.user(entry("there", on="PreToolUse", run="exit 0", cwd=str(box.top / "gone")))
    [outcome] = fire(box.engine()).outcomes
    assert outcome.failure is not None
    assert outcome.failure.cause is Cause.START
    assert "gone" in outcome.failure.message


def test_a_session_whose_folder_is_gone_runs_hooks_in_the_project_and_says_so(box: Machine) -> None:
    """F21: hooks still run."""
    box.user(entry("where", on="PreToolUse", run="pwd >&2; exit 2"))
    ended = box.run("fire", "PreToolUse", stdin={**CALL, "cwd": str(box.top / "gone")})
    assert f"block ({box.project})" in ended.out.decode()
    assert "could not enter" in ended.out.decode()


def test_a_shell_that_is_not_there_is_not_replaced(box: Machine) -> None:
    """F14: another shell would read the same words otherwise."""
    for shell in ("no-such-shell", "/nope/sh"):
        box.user(entry("sh", on="PreToolUse", run="exit 0", shell=shell))
        [outcome] = fire(box.engine()).outcomes
        assert outcome.status is Status.BROKEN
        assert shell in str(outcome.error)


@pytest.mark.parametrize("bad", ['if = "Bash("', 'match = "["', 'block_on = "always"', 'timeout = "soon"', "paths = 5"])
def test_a_guard_with_a_mistake_still_guards(box: Machine, bad: str) -> None:
    """R9: it guards more than it was meant to."""
    box.user(f'[[hook]]\nname = "g"\non = "PreToolUse"\nrun = "exit 2"\nguard = true\n{bad}\n')
    engine = box.engine()
    assert fire(engine).verdict.refused
    assert engine.diagnostics


@pytest.mark.parametrize("text", ["if (", "echo 'open", "for", "case x in"])
def test_a_shell_that_cannot_read_its_text_has_not_refused(box: Machine, text: str) -> None:
    """R9: exit 2 of a shell is not a decision."""
    engine = box.engine()
    for name, shell in (("sh", "/bin/sh"), ("bash", "/bin/bash")):
        action = Command(command=text, interpreter=shell)
        engine.register(Hook(name=name, events=("PreToolUse",), action=action))
    assert [outcome.status for outcome in fire(engine).outcomes] == [Status.BROKEN, Status.BROKEN]


def test_a_hook_may_refuse_over_a_syntax_error_it_found(box: Machine) -> None:
    engine = box.engine()
    said = Command(command="echo 'deploy.sh: line 3: syntax error near unexpected token' >&2; exit 2")
    engine.register(Hook(name="linter", events=("PreToolUse",), action=said))
    assert fire(engine).verdict.refused


def test_a_guard_that_was_interrupted_has_not_allowed(box: Machine) -> None:
    """F42: an agent that ends us gets a refusal."""
    started = box.top / "started"
    box.user(entry("slow", on="PreToolUse", run=f"touch {started}; sleep 30", guard=True))
    with box.start("fire", "PreToolUse", "--exit-code") as child:
        assert child.stdin is not None
        child.stdin.write(json.dumps(CALL).encode())
        child.stdin.close()
        child.stdin = None
        until = time.monotonic() + 15
        while not started.exists() and time.monotonic() < until:
            time.sleep(0.05)
        os.kill(child.pid, signal.SIGTERM)
        _, err = child.communicate(timeout=15)
    assert child.returncode == 2
    assert b"slow" in err


def test_a_named_file_that_is_missing_is_trouble(box: Machine) -> None:
    """R9: a policy that is not there is not a yes."""
    ended = box.run("fire", "PreToolUse", "--config", "nope.toml", stdin=CALL)
    assert (ended.code, ended.out) == (1, b"")
    assert b"nope.toml" in ended.err


def test_loading_a_library_does_not_stop_the_clock_of_others(box: Machine) -> None:
    """F2: a time-out holds while something else is slow."""
    box.user(
        entry("slow", on="PreToolUse", run="sleep 1.5", timeout="300ms")
        + '[[hook]]\nname = "p"\non = "PreToolUse"\nprompt = "x"\nmodel = "openai:x"\nbase_url = "http://127.0.0.1:9/"\n'
    )
    ended = box.run("fire", "PreToolUse", "--json", stdin=CALL)
    status = {str(run["hook"]): run["status"] for run in ended.runs}
    assert status["slow"] == "timeout"


def test_secrets_do_not_go_out_with_a_projects_http_hook(box: Machine) -> None:
    """R12: headers get what commands get."""
    seen: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    async def played() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        headers = 'headers = { Authorization = "Bearer $GITHUB_TOKEN" }\nallowed_env = ["GITHUB_TOKEN"]\n'
        text = f'[[hook]]\nname = "h"\non = "PreToolUse"\nhttp = "http://127.0.0.1:{port}/"\n{headers}'
        box.write(".omnihook/hooks.toml", text)
        environ = {"HOME": str(box.home), "PATH": os.environ["PATH"], "GITHUB_TOKEN": "ghp_secret"}
        engine = Engine(folders=box.folders, environ=environ, trust_project=True)
        report = await engine.fire(BASH)
        assert report.verdict.decision is Decision.NONE
        server.close()

    asyncio.run(played())
    assert not any("ghp_secret" in text for text in seen)


@pytest.mark.parametrize("verb", ["init", "trust", "untrust"])
def test_nothing_is_changed_elsewhere_when_the_current_folder_is_gone(box: Machine, verb: str) -> None:
    """F21: the home is not the project."""
    gone = box.top / "gone"
    gone.mkdir()
    line = f'rmdir ../gone; exec "$0" -P -m omnihook {verb}'
    ended = subprocess.run(
        ["sh", "-c", line, sys.executable], cwd=gone, env=box.environ(), capture_output=True, check=False, input=b""
    )
    assert ended.returncode == 1
    assert b"the current directory is gone" in ended.stderr
    assert not (box.home / ".omnihook").exists()


def test_what_a_hook_takes_with_it_is_shown_before_it_is_approved(box: Machine) -> None:
    """R3: what is not shown cannot be approved."""
    headers = 'headers = { Authorization = "Bearer $API_TOKEN" }\nallowed_env = ["API_TOKEN"]\nmatch = "Bash"\n'
    box.write(".omnihook/hooks.toml", f'[[hook]]\nname = "h"\non = "PreToolUse"\nhttp = "https://x.test/"\n{headers}')
    seen = box.run("trust", "--trust-project").out.decode()
    for line in ("match Bash", "header Authorization: Bearer $API_TOKEN", "may send $API_TOKEN"):
        assert f"  {line}\n" in seen
