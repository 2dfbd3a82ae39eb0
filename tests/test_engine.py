"""The engine as a host uses it: real processes, real files under a scratch home."""

import asyncio
import errno
import json
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from omnihook import Context, Decision, Engine, Hook, Verdict
from omnihook.dialects import claude_code
from omnihook.events import (
    Event,
    FileModified,
    Notification,
    PostToolUse,
    PreToolUse,
    SessionStart,
    Stop,
    UserPromptSubmit,
)
from omnihook.hooks import Argv, Cause, Command, OnError
from omnihook.outcomes import Report, Status
from omnihook.plans import Step
from omnihook.sessions import FileSessions

BASH = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls", "description": "d"})


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(str(tmp_path), files=False)


def command(text: str, *events: str, **values: object) -> Hook:
    made = {"name": values.pop("name", text[:20]), "events": events or ("PreToolUse",)}
    return Hook(action=Command(command=text), **made, **values)  # type: ignore[arg-type]


def fire(engine: Engine, event: object = BASH) -> Report:
    return asyncio.run(engine.fire(event))  # type: ignore[arg-type]


def test_a_host_integrates_in_ten_lines(engine: Engine) -> None:
    @engine.on("PreToolUse", match="Bash")
    def no_sudo(event: PreToolUse) -> Verdict | None:
        return Verdict.deny("no sudo") if "sudo" in str(event.tool_input["command"]) else None

    assert not fire(engine).refused
    report = fire(engine, replace(BASH, tool_input={"command": "sudo ls"}))
    assert (report.verdict.decision, report.verdict.reason) == (Decision.DENY, "no sudo")


def test_a_command_gets_the_event_on_stdin_and_in_variables(engine: Engine, tmp_path: Path) -> None:
    engine.register(command("cat > seen.json; env > seen.env", cwd=str(tmp_path)))
    event = replace(BASH, cwd=str(tmp_path), tool_name="Write", tool_input={"file_path": "a b.txt", "content": "x"})
    assert fire(engine, event).outcomes[0].status is Status.OK
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert seen["hook_event_name"] == "PreToolUse"
    assert seen["tool_input"] == {"file_path": "a b.txt", "content": "x"}
    env = (tmp_path / "seen.env").read_text()
    for line in ("OMNIHOOK_EVENT=PreToolUse", "OMNIHOOK_TOOL_NAME=Write", "OMNIHOOK_FILE_PATH=a b.txt"):
        assert line in env


def test_argv_runs_without_a_shell(engine: Engine) -> None:
    engine.register(Hook(name="a", events=("PreToolUse",), action=Argv(argv=("/bin/echo", "$HOME", ";", "x"))))
    assert fire(engine).outcomes[0].stdout == "$HOME ; x\n"


def test_objects_with_execute_are_hooks(engine: Engine) -> None:
    class Security:
        name = "security"
        events = ("PreToolUse",)
        matcher = "Bash|Write"
        priority = 100
        timeout = 5.0

        async def execute(self, event: PreToolUse, context: Context) -> Verdict:
            await asyncio.sleep(0)
            return Verdict.deny(f"{context.session_id}:{event.tool_name}")

    made = engine.register(Security())
    assert fire(engine).verdict.reason == "s:Bash"
    assert fire(engine, replace(BASH, tool_name="Read")).outcomes == ()
    assert engine.unregister(made)
    assert not engine.unregister(made)
    assert fire(engine).outcomes == ()


def test_stages_hand_a_rewritten_input_on(engine: Engine) -> None:
    seen: list[str] = []

    @engine.on("PreToolUse", priority=10)
    def rewrite(event: PreToolUse) -> Verdict:
        return Verdict.rewrite(command="pwd")

    @engine.on("PreToolUse")
    def look(event: PreToolUse) -> None:
        seen.append(str(event.tool_input["command"]))

    report = fire(engine)
    assert seen == ["pwd"]
    assert report.verdict.updated_input == {"command": "pwd", "description": "d"}
    assert [outcome.pass_ for outcome in report.outcomes] == [1, 1]


def test_after_a_rewrite_exactly_those_who_have_not_answered_are_asked_again(engine: Engine) -> None:
    seen: list[tuple[str, str]] = []

    @engine.on("PreToolUse")
    def rewrite(event: PreToolUse) -> Verdict | None:
        seen.append(("rewrite", str(event.tool_input["command"])))
        return Verdict.rewrite(command="pwd")

    @engine.on("PreToolUse")
    def guard(event: PreToolUse) -> Verdict | None:
        seen.append(("guard", str(event.tool_input["command"])))
        return Verdict.deny("no pwd") if event.tool_input["command"] == "pwd" else None

    @engine.on("PreToolUse", observe=True)
    def log(event: PreToolUse) -> None:
        seen.append(("log", str(event.tool_input["command"])))

    report = fire(engine)
    assert seen == [("rewrite", "ls"), ("guard", "ls"), ("log", "ls"), ("guard", "pwd")]
    assert report.verdict.decision is Decision.DENY
    assert [(o.hook.name.rsplit(".", 1)[-1], o.pass_) for o in report.outcomes][-1] == ("guard", 2)


def test_a_hook_that_only_the_new_input_concerns_is_asked(engine: Engine) -> None:
    engine.register(command('echo \'{"updatedInput": {"command": "git push"}}\'', name="rewrite"))
    engine.register(command("echo $OMNIHOOK_PASS >&2; exit 2", name="push", rule="Bash(git push *)"))
    report = fire(engine)
    assert (report.verdict.decision, report.verdict.reason) == (Decision.BLOCK, "2")


def test_a_further_change_becomes_a_question(engine: Engine) -> None:
    @engine.on("PreToolUse")
    def one(event: PreToolUse) -> Verdict:
        return Verdict.rewrite(command=f"{event.tool_input['command']}1")

    @engine.on("PreToolUse")
    def two(event: PreToolUse) -> Verdict:
        return Verdict.rewrite(command=f"{event.tool_input['command']}2")

    report = fire(engine)
    assert report.verdict.decision is Decision.ASK
    assert report.conflicts
    nobody = Engine(files=False, can_ask=False)
    nobody.register(next(h for h in engine.hooks))
    nobody.register(engine.hooks[1])
    assert fire(nobody).verdict.decision is Decision.DENY


def test_an_approval_of_another_input_does_not_count(engine: Engine) -> None:
    @engine.on("PreToolUse")
    def approve_ls(event: PreToolUse) -> Verdict | None:
        return Verdict.approve("ls is fine") if event.tool_input["command"] == "ls" else None

    @engine.on("PreToolUse")
    def rewrite(event: PreToolUse) -> Verdict:
        return Verdict.rewrite(command="rm -rf x")

    assert fire(engine).verdict.decision is Decision.NONE


def test_a_shadow_hook_is_recorded_and_changes_nothing(engine: Engine) -> None:
    engine.register(command("exit 2", shadow=True))
    report = fire(engine)
    assert report.verdict == Verdict()
    assert report.outcomes[0].status is Status.SHADOW
    assert report.outcomes[0].said is not None
    assert report.outcomes[0].said.refused


@pytest.mark.parametrize(
    ("text", "cause", "status"),
    [
        ("exit 1", Cause.EXIT, Status.BROKEN),
        ("kill -SEGV $$", Cause.SIGNAL, Status.BROKEN),
        ("no-such-program", Cause.START, Status.BROKEN),
        ("echo '{torn'", Cause.OUTPUT, Status.BROKEN),
        ("sleep 5", Cause.TIMEOUT, Status.TIMEOUT),
        ("yes", Cause.OVERFLOW, Status.OVERFLOW),
    ],
)
@pytest.mark.parametrize("on_error", list(OnError))
def test_on_error_per_cause(engine: Engine, text: str, cause: Cause, status: Status, on_error: OnError) -> None:
    engine.register(command(text, timeout=0.5, on_error={cause: on_error}))
    report = fire(engine)
    outcome = report.outcomes[0]
    assert outcome.failure is not None
    assert (outcome.failure.cause, outcome.status) == (cause, status)
    wanted = {OnError.ALLOW: Decision.NONE, OnError.ASK: Decision.ASK, OnError.DENY: Decision.DENY}[on_error]
    assert report.verdict.decision is wanted
    assert report.notices
    if wanted is not Decision.NONE:
        assert "broke" in (report.verdict.reason or "")


def test_a_broken_guard_refuses_and_a_broken_stop_hook_does_not_hold(engine: Engine) -> None:
    engine.register(command("exit 1", "PreToolUse", "Stop", guard=True))
    assert fire(engine).verdict.decision is Decision.DENY
    assert fire(engine, Stop(session_id="s")).verdict.decision is Decision.NONE


def test_once_is_once_per_session(engine: Engine) -> None:
    engine.register(command("echo ran", "UserPromptSubmit", once=True))
    first, second = UserPromptSubmit(session_id="a", prompt="x"), UserPromptSubmit(session_id="b", prompt="x")
    assert [len(fire(engine, event).outcomes) for event in (first, first, second)] == [1, 0, 1]


def test_once_holds_across_processes(tmp_path: Path) -> None:
    made = command("echo ran", "UserPromptSubmit", once=True)
    counts = []
    for _ in range(2):
        engine = Engine(str(tmp_path), files=False, sessions=FileSessions(str(tmp_path / "sessions")))
        engine.register(made)
        counts.append(len(fire(engine, UserPromptSubmit(session_id="a")).outcomes))
    assert counts == [1, 0]


def test_async_hooks_do_not_block_and_their_context_comes_with_a_later_event(engine: Engine) -> None:
    engine.register(command('sleep 0.3; echo \'{"additionalContext": "late news"}\'', "PostToolUse", background=True))

    async def session() -> tuple[float, str | None, str | None]:
        begun = time.monotonic()
        report = await engine.fire(PostToolUse(session_id="s", tool_name="Bash"))
        took = time.monotonic() - begun
        assert [outcome.status for outcome in report.outcomes] == [Status.LATE]
        await engine.drain(5)
        first = await engine.fire(UserPromptSubmit(session_id="s", prompt="x"))
        second = await engine.fire(UserPromptSubmit(session_id="s", prompt="y"))
        return took, first.verdict.additional_context, second.verdict.additional_context

    took, first, second = asyncio.run(session())
    assert took < 0.25
    assert (first, second) == ("late news", None)


def test_a_background_hook_that_cannot_be_handed_over_is_told_and_changes_nothing(tmp_path: Path) -> None:
    def no_more_processes(step: Step, event: Event) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    engine = Engine(str(tmp_path), files=False, detach=no_more_processes)
    engine.register(command("exit 2", background=True, name="late"))
    report = fire(engine)
    assert (report.refused, [outcome.status for outcome in report.outcomes]) == (False, [Status.LATE])
    assert report.notices == ("hook late was not started in the background: Resource temporarily unavailable",)


def test_a_background_block_comes_too_late_to_count(engine: Engine) -> None:
    late: list[Decision] = []
    engine.observe_late(lambda event, outcome: late.append(outcome.verdict.decision))
    engine.register(command("exit 2", background=True))

    async def session() -> Report:
        report = await engine.fire(BASH)
        await engine.drain(5)
        return report

    assert not asyncio.run(session()).refused
    assert late == [Decision.BLOCK]


def test_file_modified_follows_from_a_write(engine: Engine, tmp_path: Path) -> None:
    seen: list[FileModified] = []

    @engine.on("FileModified", paths=["src/**"])
    def changed(event: FileModified) -> Verdict:
        seen.append(event)
        return Verdict.context(f"formatted {event.file_path}")

    event = PostToolUse(
        session_id="s", cwd=str(tmp_path), tool_name="Write", tool_input={"file_path": f"{tmp_path}/src/a.py"}
    )
    report = fire(engine, event)
    assert [(item.file_path, item.change_type) for item in seen] == [(f"{tmp_path}/src/a.py", "create")]
    assert len(report.derived) == 1
    assert report.verdict.additional_context == f"formatted {tmp_path}/src/a.py"
    assert fire(Engine(files=False, derive=False), event).derived == ()


def test_effects_of_the_host_lower_the_verdict(engine: Engine) -> None:
    @engine.on("Notification")
    def block(event: Notification) -> Verdict:
        return Verdict.block("no")

    event = claude_code.decode_event({"session_id": "s", "message": "m"}, "Notification")
    report = fire(engine, event)
    assert report.verdict.decision is Decision.NONE
    assert report.verdict.additional_context == "no"
    assert report.lowered


def test_fire_sync_works_from_anywhere(engine: Engine) -> None:
    threads: list[int] = []

    @engine.on("PreToolUse")
    def where(event: PreToolUse) -> Verdict:
        threads.append(threading.get_ident())
        return Verdict.allow()

    async def inside() -> Report:
        return engine.fire_sync(BASH)

    assert engine.fire_sync(BASH).verdict.decision is Decision.ALLOW
    assert asyncio.run(inside()).verdict.decision is Decision.ALLOW
    assert set(threads) == {threading.get_ident()}
    engine.register(command("exit 2"))
    assert asyncio.run(inside()).verdict.decision is Decision.BLOCK
    engine.close()
    engine.close()


def test_function_hooks_may_have_a_time_out(engine: Engine) -> None:
    @engine.on("PreToolUse", timeout=0.2, guard=True)
    def slow(event: PreToolUse) -> None:
        time.sleep(1)

    report = fire(engine)
    assert report.outcomes[0].status is Status.TIMEOUT
    assert report.verdict.decision is Decision.DENY


@pytest.mark.parametrize("answer", ["text", 5, {"decision": "deny"}])
def test_a_function_that_returns_something_else_is_broken(engine: Engine, answer: object) -> None:
    engine.on("PreToolUse", guard=True)(lambda event: answer)
    report = fire(engine)
    assert report.verdict.decision is Decision.DENY
    assert "returns a Verdict or None" in (report.verdict.reason or "")


def test_observers_see_every_report_and_cannot_break_anything(engine: Engine) -> None:
    seen: list[Report] = []
    engine.observe(lambda report: 1 / 0)
    engine.observe(seen.append)
    report = fire(engine)
    assert seen == [report]


def test_user_files_are_read_again_when_they_change(tmp_path: Path) -> None:
    config = tmp_path / "home/.config/omnihook/hooks.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[[hook]]\non = "PreToolUse"\nrun = "exit 2"\n')
    config.chmod(0o600)
    engine = Engine(str(tmp_path / "p"), environ={"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"})
    assert fire(engine).refused
    config.write_text('[[hook]]\non = "PreToolUse"\nrun = "true"\n')
    report = fire(engine)
    assert not report.refused
    assert report.notices == ("hook configuration changed and was read again",)
    assert fire(engine).notices == ()


def test_other_agents_files_count_when_they_are_read(tmp_path: Path) -> None:
    settings = tmp_path / "home/.claude/settings.json"
    settings.parent.mkdir(parents=True)
    entry = {"type": "command", "command": "echo from claude >&2; exit 2"}
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))
    settings.chmod(0o600)
    environ = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    assert fire(Engine(str(tmp_path / "p"), environ=environ)).outcomes == ()
    report = fire(Engine(str(tmp_path / "p"), environ=environ, read=["claude-code"]))
    assert report.verdict.reason == "from claude"


def test_project_hooks_wait_for_trust(tmp_path: Path) -> None:
    config = tmp_path / "p/.omnihook/hooks.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[[hook]]\nname = "mine"\non = "PreToolUse"\nrun = "touch ran; exit 2"\n')
    environ = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    report = fire(Engine(str(tmp_path / "p"), environ=environ))
    assert [(item.hook.name, item.why) for item in report.skipped] == [("mine", "untrusted")]
    assert not (tmp_path / "p/ran").exists()
    assert fire(Engine(str(tmp_path / "p"), environ=environ, trust_project=True)).refused


def test_context_that_an_agent_cannot_take_waits_for_an_event_that_can(engine: Engine) -> None:
    @engine.on("SessionEnd")
    def news(event: object) -> Verdict:
        return Verdict.context("news")

    ended = claude_code.decode_event({"session_id": "s", "reason": "clear"}, "SessionEnd")
    started = claude_code.decode_event({"session_id": "s", "source": "clear"}, "SessionStart")
    assert fire(engine, ended).verdict.additional_context is None
    assert fire(engine, started).verdict.additional_context == "news"


def test_hooks_of_one_stage_run_side_by_side(engine: Engine) -> None:
    for number in range(4):
        engine.register(command("sleep 0.4", name=f"h{number}"))
    begun = time.monotonic()
    assert len(fire(engine, SessionStart()).outcomes) == 0
    assert len(fire(engine).outcomes) == 4
    assert time.monotonic() - begun < 1.2


def test_the_deadline_covers_everything(engine: Engine) -> None:
    engine.register(command("sleep 5", timeout=60.0, guard=True))

    async def session() -> Report:
        return await engine.fire(BASH, deadline=time.monotonic() + 0.3)

    begun = time.monotonic()
    assert asyncio.run(session()).verdict.decision is Decision.DENY
    assert time.monotonic() - begun < 2


def test_a_hook_may_leave_variables_for_later_shell_calls(tmp_path: Path) -> None:
    settings = tmp_path / "s.json"
    entry = {"type": "command", "command": 'echo "export A=1" >> "$CLAUDE_ENV_FILE"'}
    settings.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [entry]}]}}))
    environ = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    engine = Engine(str(tmp_path / "p"), config=[("claude-code", str(settings))], environ=environ)
    event = SessionStart(session_id="s")
    assert fire(engine, event).outcomes[0].status is Status.OK
    assert Path(engine.session_environment(event)).read_text() == "export A=1\n"


def test_http_hooks_do_not_run_where_their_agent_skips_them(tmp_path: Path) -> None:
    settings = tmp_path / "s.json"
    entry = {"type": "http", "url": "http://127.0.0.1:9/"}
    settings.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [entry]}]}}))
    engine = Engine(str(tmp_path / "p"), config=[("claude-code", str(settings))], environ={"HOME": str(tmp_path)})
    assert [item.why for item in fire(engine, SessionStart()).skipped] == ["not at this event"]


@pytest.mark.parametrize("options", [{}, {"timeout": "10s"}], ids=["inline", "thread"])
def test_a_hook_that_fires_its_own_event_comes_to_an_end(options: dict[str, str]) -> None:
    fired: list[Event] = []
    reports: list[Report] = []
    with Engine(files=False) as engine:
        engine.observe(reports.append)

        @engine.on("Stop", **options)  # type: ignore[arg-type]
        def again(event: Event) -> Verdict:
            fired.append(event)
            return engine.fire_sync(event).verdict

        engine.fire_sync(Stop())
        engine.fire_sync(Stop())
    assert len(fired) == 2 * 16
    assert "16 deep" in (reports[0].outcomes[0].error or "")  # the innermost is done first
    assert all(report.outcomes[0].error is None for report in reports[1:16])


def test_a_guard_that_fires_its_own_event_refuses_at_last() -> None:
    with Engine(files=False) as engine:

        @engine.on("PreToolUse", guard=True)
        async def again(event: Event) -> Verdict:
            return (await engine.fire(event)).verdict

        report = asyncio.run(engine.fire(PreToolUse(tool_name="Bash")))
    assert report.refused and "16 deep" in (report.verdict.reason or "")
