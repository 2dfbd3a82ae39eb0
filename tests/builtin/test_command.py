"""`omnihook builtin NAME` as agents' configurations call it: Autohand's own scripts, Claude Code's settings."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from builtin.kit import PROGRAMS, Place, Said
from omnihook import dialects
from omnihook.cli.builtin_payloads import from_variables, whose
from omnihook.dialects import autohand
from omnihook.engine import Engine
from omnihook.events import PreToolUse
from omnihook.hooks import Command, Hook
from omnihook.jsontypes import dumps
from omnihook.verdicts import Decision

pytestmark = pytest.mark.timeout(90)  # many processes, each of which imports us anew

Run = Callable[..., Said]
RM = {"command": "rm -rf /"}


def autohand_hooks(place: Place, *entries: dict[str, object]) -> None:
    place.write("~/.autohand/config.json", {"hooks": {"enabled": True, "hooks": [*entries]}})


def claude_hooks(place: Place, **events: dict[str, object]) -> None:
    hooks = {
        event: [
            {**({"matcher": entry["matcher"]} if "matcher" in entry else {}), "hooks": [{"type": "command", **entry}]}
        ]
        for event, entry in events.items()
    }
    place.write("~/.claude/settings.json", {"hooks": hooks})


def shims(place: Place, *enabled: str) -> None:
    """Autohand's own default files, with some of their entries switched on."""
    omnihook = os.path.join(PROGRAMS, "omnihook")
    subprocess.run(
        [omnihook, "init", "--as", "autohand"], env=place.env, cwd=place.project, check=True, capture_output=True
    )
    path = place.home / ".autohand" / "config.json"
    config = json.loads(path.read_text())
    assert not any(entry["enabled"] for entry in config["hooks"]["hooks"])
    for entry in config["hooks"]["hooks"]:
        entry["enabled"] = any(name in entry["command"] for name in enabled)
        entry["timeout"] = 60_000
    path.write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("stdin", "code", "out", "err"),
    [
        (
            {"hook_event_name": "pre-tool", "tool_name": "run_command", "tool_input": RM},
            2,
            "",
            "BLOCKED (delete-critical)",
        ),
        ({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": RM}, 2, "", "BLOCKED (delete-critical)"),
        (
            {
                "hook_event_name": "PreToolUse",
                "tool_name": "Bash",
                "tool_input": {"command": "git reset --hard"},
            },
            0,
            '"permissionDecision":"ask"',
            "",
        ),
        ({"hook_event_name": "pre-tool", "tool_name": "run_command", "tool_input": {"command": "ls"}}, 0, "", ""),
        (
            {"hook_event_name": "pre-tool", "tool_name": "run_command", "tool_input": {"command": "git reset --hard"}},
            0,
            '{"decision":"ask","reason":"ASK (git-history)',
            "",
        ),
    ],
    ids=["autohand", "most agents", "claude-code asks", "harmless", "autohand asks"],
)
def test_the_answer_is_in_the_words_of_whoever_asks(
    place: Place, command: Run, stdin: object, code: int, out: str, err: str
) -> None:
    said = command("security-guard", stdin=stdin)
    assert said.code == code
    assert out in said.out
    assert bool(said.out) is bool(out)
    assert said.err.startswith(err)


def test_a_named_dialect_and_event_go_before_what_the_payload_looks_like(place: Place, command: Run) -> None:
    payload = {"tool_name": "run_command", "tool_input": RM}
    assert command("security-guard", "pre-tool", stdin=payload).code == 2
    native = command("security-guard", "PreToolUse", "--as", "omnihook", stdin={"tool_name": "Bash", "tool_input": RM})
    assert (native.code, native.json["decision"]) == (2, "block")
    said = command("security-guard", "--as", "claude-code", stdin={"hook_event_name": "PreToolUse", **payload})
    assert (said.code, '"permissionDecision":"deny"' in said.out) == (0, True)


@pytest.mark.parametrize(
    ("words", "stdin"),
    [((), "no json"), ((), "[]"), ((), "{}"), (("NoSuchEvent",), ""), (("--set", "mode=sloppy", "pre-tool"), "{}")],
    ids=["no json", "no object", "no event", "unknown event", "bad option"],
)
def test_a_guard_that_cannot_tell_refuses_and_any_other_hook_does_not(
    place: Place, command: Run, words: tuple[str, ...], stdin: str
) -> None:
    guard = command("security-guard", *words, stdin=stdin)
    assert (guard.code, guard.out, guard.err[:8]) == (2, "", "BLOCKED:")
    other = command("git-auto-stage", *words, stdin=stdin)
    assert other.code in (0, 1)
    assert "Traceback" not in guard.err + other.err


@pytest.mark.parametrize("words", [("--set", "mode"), ("--loud",), ("--as",), ("PreToolUse", "Stop")])
def test_a_mistake_in_the_command_line_refuses_only_for_a_guard(
    place: Place, command: Run, words: tuple[str, ...]
) -> None:
    stop = {"hook_event_name": "Stop", "cwd": str(place.project)}
    guard, other = command("security-guard", *words, stdin=stop), command("log-stop", *words, stdin=stop)
    assert (guard.code, other.code) == (2, 1)  # 2 at a Stop would keep an agent going for ever
    assert guard.err and other.err
    assert "Traceback" not in guard.err + other.err


def test_a_misspelt_guard_refuses(place: Place, command: Run) -> None:
    said = command("security-gaurd", stdin={"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": RM})
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("BLOCKED: there is no built-in hook 'security-gaurd', did you mean 'security-guard'?")


def test_options_on_the_command_line(place: Place, command: Run) -> None:
    payload = {"hook_event_name": "pre-tool", "tool_name": "run_command", "tool_input": {"command": "dd if=a of=b"}}
    assert command("security-guard", stdin=payload).code == 0
    assert command("security-guard", "--set", "mode=strict", stdin=payload).code == 2
    off = '{"literal-list": false}'
    assert command("security-guard", "--set", "mode=strict", "--set", f"rules={off}", stdin=payload).code == 0
    assert "is not OPTION=VALUE" in command("log-stop", "--set", "file", stdin=payload).err
    misspelt = command("log-stop", "--set", "fil=x", stdin=payload)
    assert (misspelt.code, misspelt.err) == (1, "omnihook: log-stop has no option 'fil', did you mean 'file'?\n")


@pytest.mark.parametrize("name", ["security-guard", "protect-hooks"])
def test_a_guard_that_cannot_decide_in_time_refuses(
    place: Place, command: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("omnihook.cli.builtin.GUARD_SECONDS", 0.001)
    payload = {"tool_name": "Bash", "tool_input": {"command": "ls a*; " * 2500}}
    said = command(name, "PreToolUse", "--as", "gencode", stdin=payload)
    assert said.code == 2
    assert "could not decide within 0.001 s" in said.err


def test_a_guard_refuses_though_its_alarm_was_swallowed(
    place: Place, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("omnihook.cli.builtin.GUARD_SECONDS", 0.0)
    monkeypatch.setattr("omnihook.cli.builtin.signal.setitimer", lambda *_: (0.0, 0.0))
    said = command(
        "security-guard", "PreToolUse", "--as", "gencode", stdin={"tool_name": "Bash", "tool_input": {"command": "ls"}}
    )
    assert (said.code, "could not decide within 0 s" in said.err) == (2, True)


def test_a_guard_does_not_wait_for_ever_for_what_happened(place: Place) -> None:
    guard = [os.path.join(PROGRAMS, "omnihook"), "builtin", "security-guard"]
    process = subprocess.Popen(
        guard, env=place.env, cwd=place.project, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.wait(15) == 2  # with stdin open all the while
        assert process.stderr is not None
        assert "it could not decide within 4 s" in process.stderr.read()


def test_a_text_that_happens_to_be_json_stays_a_text(place: Place, command: Run) -> None:
    payload = {"hook_event_name": "Stop", "cwd": str(place.project)}
    said = command("tests-before-stop", "--as", "claude-code", "--set", "command=false", stdin=payload)
    assert "The tests fail (false, exit code 1)" in str(said.json["reason"])


def test_an_unknown_name_is_answered_with_the_known_ones(place: Place, command: Run) -> None:
    said = command("sound-alrt")
    assert (said.code, "did you mean 'sound-alert'" in said.err) == (1, True)


def test_variables_alone_are_enough(place: Place, command: Run) -> None:
    place.repository()
    place.write("src/a.py", "1\n")
    told = {"HOOK_EVENT": "file-modified", "HOOK_WORKSPACE": str(place.project)}
    said = command("git-auto-stage", env={**told, "HOOK_PATH": "src/a.py", "HOOK_CHANGE_TYPE": "create"})
    assert (said.code, said.out, said.err) == (0, "", "")
    assert place.git("diff", "--cached", "--name-only") == "src/a.py\n"
    told = {"HOOK_EVENT": "pre-tool", "HOOK_TOOL": "run_command", "HOOK_ARGS": dumps(RM)}
    assert command("security-guard", env=told).code == 2


def test_the_variables_of_an_event_give_its_payload_back() -> None:
    event = PreToolUse(session_id="7", cwd="/w", tool_name="Bash", tool_input={"command": "1"}, tool_use_id="c")
    wire = autohand.encode_event(event)
    assert autohand.decode_event(from_variables(wire.env, "autohand"), None).tool_input == {"command": "1"}  # type: ignore[attr-defined]
    made = from_variables(
        {**wire.env, "HOOK_TOKENS": "12", "HOOK_SUCCESS": "false", "HOOK_INSTRUCTION": "12"}, "autohand"
    )
    assert (made["tokens_used"], made["tool_success"], made["instruction"]) == (12, False, "12")


def test_a_value_too_long_for_a_variable_is_read_from_its_file(place: Place, command: Run) -> None:
    whole = place.write("whole", dumps({"command": "echo " + "x" * 200_000 + "; rm -rf /"}))
    told = {"HOOK_EVENT": "pre-tool", "HOOK_TOOL": "run_command", "HOOK_ARGS": "{}", "HOOK_ARGS_FILE": str(whole)}
    assert command("security-guard", env=told).code == 2
    gone = command("security-guard", env={**told, "HOOK_ARGS_FILE": "/nowhere"})
    assert (gone.code, "cannot be read" in gone.err) == (2, True)


@pytest.mark.parametrize(
    ("event", "env", "dialect", "sure"),
    [
        ("pre-tool", {}, "autohand", True),
        ("PreToolUse", {}, "claude-code", False),
        ("PreToolUse", {"CLAUDECODE": "1"}, "claude-code", True),
        ("PreToolUse", {"HOOK_WORKSPACE": "/w"}, "claude-code", False),
        ("PreToolUse", {"EVENT": "PreToolUse"}, "claude-agent-rs", True),
        ("PreToolUse", {"EVENT": "something else"}, "claude-code", False),
        ("FileModified", {}, "omnihook", True),
        ("something-new", {}, "claude-code", False),
    ],
)
def test_whose_words_they_are(event: str, env: dict[str, str], dialect: str, sure: bool) -> None:
    assert whose(event, env) == (dialect, sure)


@pytest.mark.parametrize("name", dialects.names())
def test_every_agents_configuration_can_call_the_guard_and_understands_it(place: Place, name: str) -> None:
    host = dialects.get(name)
    native = next(row.native for row in host.names if row.event == "PreToolUse")
    guard = Hook(
        name="guard",
        events=("PreToolUse",),
        native_events=(native,),
        action=Command(command="omnihook builtin security-guard"),
        timeout=60.0,
    )
    for path, text in host.write_config([guard]).files.items():
        place.write(path if any(f.path == path and f.base == "project" for f in host.files) else f"~/{path}", text)
    engine = Engine(str(place.project), only=name, environ=place.env, trust_project=True)
    with engine:
        for command, rule in (("ls", None), ("rm -rf /", "delete-critical"), ("git reset --hard", "git-history")):
            event = PreToolUse(cwd=str(place.project), agent=name, tool_name="Bash", tool_input={"command": command})
            (outcome,) = engine.fire_sync(event).outcomes
            assert (outcome.verdict.decision >= Decision.ASK) is (rule is not None), (command, outcome)
            assert rule is None or f"({rule})" in str(outcome.verdict.reason)


def test_autohands_own_scripts_guard_and_stage(place: Place) -> None:
    place.repository()
    shims(place, "security-guard", "git-auto-stage")
    report = place.fire("pre-tool", {"tool_name": "run_command", "tool_input": RM}, only="autohand")
    assert report.verdict.decision is Decision.BLOCK
    assert (report.verdict.reason or "").startswith("BLOCKED (delete-critical)")
    place.write("src/a.py", "1\n")
    place.fire("file-modified", {"file_path": "src/a.py", "change_type": "create"}, only="autohand")
    assert place.git("diff", "--cached", "--name-only") == "src/a.py\n"


def test_autohands_own_scripts_format(place: Place) -> None:
    shims(place, "auto-format")
    place.write("node_modules/.bin/prettier", '#!/bin/sh\nfor last; do :; done\necho neat > "$last"\n', mode=0o755)
    place.write("src/a.ts", "ugly")
    report = place.fire("file-modified", {"file_path": "src/a.ts", "change_type": "modify"}, only="autohand")
    assert report.verdict.additional_context == "prettier reformatted src/a.ts; read it before editing it."
    assert (place.project / "src/a.ts").read_text() == "neat\n"


def test_autohands_own_scripts_in_the_background(place: Place) -> None:
    place.repository()
    shims(place, "sound-alert", "slack-notify", "smart-commit")
    place.stand_in("paplay")
    place.write("src/a.py", "1\n")
    report = place.fire("stop", {"tokens_used": 1}, only="autohand")
    assert [outcome.status.value for outcome in report.outcomes] == ["late"] * 3
    assert [late.status.value for late in place.late] == ["ok"] * 3
    assert len(place.calls("paplay")) == 1
    assert place.git("log", "-1", "--format=%s") == "Add src/a.py\n"


def test_autohands_logging_entries_and_ours_print_the_same(place: Place) -> None:
    ours = {"event": "stop", "command": "omnihook builtin log-stop", "timeout": 60_000}
    autohand_hooks(place, ours)
    payload = {"tokens_used": 42, "tool_calls_count": 3}
    (outcome,) = place.fire("stop", payload, only="autohand").outcomes
    assert (outcome.status.value, outcome.stdout) == ("ok", "Turn complete: 42 tokens, 3 tool calls\n")
    shims_home = json.loads(json.dumps(autohand.DIALECT.defaults("/h") if autohand.DIALECT.defaults else {}))
    entries = json.loads(shims_home["/h/.autohand/config.json"][0])["hooks"]["hooks"]
    theirs = next(entry for entry in entries if entry["event"] == "stop" and "echo" in entry["command"])
    autohand_hooks(place, {**theirs, "enabled": True})
    assert place.fire("stop", payload, only="autohand").outcomes[0].stdout == outcome.stdout


def test_claude_code_calls_them_too(place: Place) -> None:
    place.repository()
    place.write("Makefile", "test:\n\t@echo nope; exit 1\n")
    claude_hooks(
        place,
        PreToolUse={"command": "omnihook builtin security-guard --as claude-code"},
        PostToolUse={"command": "omnihook builtin git-auto-stage", "matcher": "Write|Edit"},
        SessionStart={"command": "omnihook builtin context-inject"},
        Stop={"command": "omnihook builtin tests-before-stop"},
    )
    report = place.fire("PreToolUse", {"tool_name": "Bash", "tool_input": RM}, only="claude-code")
    assert report.verdict.refused
    report = place.fire("SessionStart", {"source": "startup"}, only="claude-code")
    assert "Git branch: main" in (report.verdict.additional_context or "")
    place.write("src/a.py", "1\n")
    place.fire("PostToolUse", {"tool_name": "Write", "tool_input": {"file_path": "src/a.py"}}, only="claude-code")
    assert place.git("diff", "--cached", "--name-only") == "src/a.py\n"  # a write tool's call became a file event
    report = place.fire("Stop", only="claude-code")
    assert report.verdict.refused
    assert "nope" in (report.verdict.reason or "")


def test_an_agent_is_not_kept_from_stopping_for_ever(place: Place, command: Run) -> None:
    failing = ("tests-before-stop", "--as", "codemie", "--set", "command=echo the same; exit 1")
    stop = {"hook_event_name": "Stop", "session_id": "s1", "cwd": str(place.project)}
    for _ in range(dialects.get("codemie").policy.stop_limit):
        assert command(*failing, stdin=stop).json["decision"] == "block"
        assert command("log-stop", "--as", "codemie", stdin=stop).code == 0  # has no say in it
    said = command(*failing, stdin=stop)
    assert (said.code, said.out) == (0, "")
    assert "the agent may stop" in said.err
    assert command(*failing, stdin=stop).json["decision"] == "block"  # in a later turn


def test_a_new_turn_is_told_by_the_agent(place: Place, command: Run) -> None:
    failing = ("tests-before-stop", "--as", "claude-code", "--set", "command=false")
    stop = {"hook_event_name": "Stop", "session_id": "s1", "cwd": str(place.project)}
    limit = dialects.get("claude-code").policy.stop_limit
    for active in (False, *[True] * (limit - 1), False, *[True] * (limit - 1)):
        assert command(*failing, stdin={**stop, "stop_hook_active": active}).json["decision"] == "block"
    said = command(*failing, stdin={**stop, "stop_hook_active": True})
    assert (said.code, list(said.json)) == (0, ["systemMessage"])
    assert "the agent may stop: hooks blocked 8 times: The tests fail" in str(said.json["systemMessage"])


@pytest.mark.parametrize("name", [name for name in dialects.names() if name not in ("autohand", "claude-agent-rs")])
def test_failing_tests_keep_an_agent_going_that_our_own_engine_runs_for(place: Place, name: str) -> None:
    place.write("Makefile", "test:\n\t@echo nope; exit 1\n")
    entry = Hook(name="t", events=("Stop",), action=Command(command="omnihook builtin tests-before-stop"), timeout=60.0)
    for path, text in dialects.get(name).write_config([replace(entry, native_events=("Stop",))]).files.items():
        place.write(f"~/{path}" if not path.startswith(".omnihook") else "~/.config/omnihook/hooks.toml", text)
    done = subprocess.run(
        [os.path.join(PROGRAMS, "omnihook"), "fire", "Stop", "--as", name, "--json"],
        input=dumps({"session_id": "s1", "cwd": str(place.project)}),
        env=place.env,
        cwd=place.project,
        text=True,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["decision"] in ("deny", "block"), done.stdout


def test_what_is_told_at_a_stop_is_for_the_user_and_keeps_no_agent_going(place: Place, command: Run) -> None:
    place.repository(Makefile="test:\n\t@echo nope; exit 1\n")
    place.write("a.py", "1\n")
    stop = {"hook_event_name": "Stop", "session_id": "s1", "cwd": str(place.project)}
    said = command("smart-commit", "--as", "claude-code", stdin=stop)
    assert (said.code, list(said.json)) == (0, ["systemMessage"])
    assert str(said.json["systemMessage"]).startswith("smart-commit: nothing was committed. The test step failed")
    said = command("smart-commit", "--as", "gencode", "--set", "test=", stdin=stop)
    assert (said.code, said.out.startswith("smart-commit: committed "), said.err) == (0, True, "")


def test_a_call_that_changes_no_file_is_nothing_to_a_built_in_for_changed_files(place: Place, command: Run) -> None:
    read = {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "a.py"}}
    said = command("log-file-modified", "--as", "claude-code", stdin=read)
    assert (said.code, said.out, said.err) == (0, "", "")


def test_every_file_of_a_call_is_told_of(place: Place, command: Run) -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+1\n*** Delete File: b.py\n*** End Patch"
    call = {"hook_event_name": "PostToolUse", "tool_name": "apply_patch", "tool_input": {"input": patch}}
    said = command("log-file-modified", "--as", "omnihook", stdin=call)
    assert said.json == {"systemMessage": "File create: a.py\nFile delete: b.py"}


def test_what_an_agent_cannot_be_told_is_said_on_stderr(place: Place, command: Run) -> None:
    start = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": str(place.project)}
    said = command("context-inject", "--as", "gencode", stdin=start)
    assert (said.code, said.out) == (0, "")
    assert said.err == (
        "omnihook: context-inject: SessionStart in gencode has no place for what the agent should be told\n"
    )


def test_ending_the_command_ends_what_it_started(place: Place) -> None:
    stop = dumps({"hook_event_name": "stop", "cwd": str(place.project)})
    pid = place.project / "pid"
    process = subprocess.Popen(
        [
            os.path.join(PROGRAMS, "omnihook"),
            "builtin",
            "tests-before-stop",
            "--set",
            f"command=echo $$ > {pid}; sleep 60",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=place.env,
        cwd=place.project,
    )
    assert process.stdin is not None
    with process.stdin as pipe:
        pipe.write(stop.encode())
    until = time.monotonic() + 60
    while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 130
    assert not os.path.exists(f"/proc/{pid.read_text().strip()}")


def test_the_list_says_which_are_on(place: Place) -> None:
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "log-stop"\n')
    omnihook = os.path.join(PROGRAMS, "omnihook")
    common = {"env": place.env, "cwd": place.project, "capture_output": True, "text": True, "check": True}
    shown = subprocess.run([omnihook, "list", "--builtin"], **common).stdout.splitlines()  # type: ignore[call-overload]
    assert "log-stop           [enabled]   Stop - Log turn completion with token and tool counts" in shown
    assert sum("[disabled]" in line for line in shown) == 13
    rows = json.loads(subprocess.run([omnihook, "list", "--builtin", "--json"], **common).stdout)  # type: ignore[call-overload]
    guard = next(row for row in rows if row["name"] == "security-guard")
    assert (guard["enabled"], guard["guard"], guard["events"]) == (False, True, ["PreToolUse"])
    assert guard["options"]["mode"]["choices"] == ["standard", "strict", "paranoid"]
