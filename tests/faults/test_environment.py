"""F17, F19-F22, R12: bytes, sizes and places that hooks and the engine find around them."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from faults.kit import BASH, OMNIHOOK, Machine, fire, shell, toml
from omnihook import Decision, dialects
from omnihook.dialect import Dialect, Wire
from omnihook.events import Event, PostToolUse, PreToolUse
from omnihook.hooks import Cause, Layer, Source
from omnihook.outcomes import Status
from omnihook.runners import environment, one

EVERY_BYTE = bytes(range(256))
TEXT = EVERY_BYTE.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize("dialect", dialects.names())
def test_every_byte_in_every_field_reaches_the_hook_as_valid_json(box: Machine, dialect: str) -> None:
    """F17: lossless inwards, as escapes where a byte has no character; never invalid JSON, never a crash."""
    made = dialects.get(dialect)
    engine = box.engine(files=False)
    engine.register(shell("cat > stdin; env -0 > env", dialect=dialect, cwd=str(box.project)))
    event = PreToolUse(
        session_id=TEXT,
        cwd=str(box.project),
        transcript_path=TEXT,
        agent_name=TEXT,
        tool_name="Bash",
        tool_input={"command": TEXT, TEXT: [TEXT, "\ud800"]},
        metadata={"x": TEXT},
    )
    outcome = fire(engine, event).outcomes[0]
    assert outcome.failure is None, outcome
    body = (box.project / "stdin").read_bytes()
    if made.encode_event(event).stdin is not None:
        found = json.loads(body.decode("utf-8"))
        assert TEXT in json.dumps(found, ensure_ascii=False) or json.dumps(TEXT)[1:-1] in json.dumps(found)
    assert (box.project / "env").read_bytes()


@pytest.mark.parametrize("data", [EVERY_BYTE, b"\xff" * 10, "é\ud800".encode("utf-8", "surrogatepass"), b"\0" * 10])
def test_every_byte_a_hook_prints_comes_out_of_fire_as_valid_json(box: Machine, data: bytes) -> None:
    """F17: `fire --json` prints UTF-8 JSON whatever hooks print and whatever the event holds."""
    box.write("out", data)
    box.user(
        f'[[hook]]\non = "PreToolUse"\nrun = {toml(f"cat {box.project}/out; cat {box.project}/out >&2; exit 2")}\n'
    )
    payload = b'{"session_id":"s","tool_name":"Bash","tool_input":{"command":"\xff\xfe\\ud800\\u0000"}}'
    ended = box.run("fire", "PreToolUse", "--json", stdin=payload)
    assert (ended.code, ended.err) == (0, b"")
    run = ended.runs[0]
    assert run["stdout"] == run["stderr"] == data.decode("utf-8", "surrogateescape")
    assert ended.json["decision"] == "block"


COPY = """
for name in $(env -0 | tr '\\n' ' ' | tr '\\0' '\\n' | sed -n 's/^\\([A-Z_]*\\)_FILE=.*omnihook-.*/\\1/p'); do
  cp "$(printenv "${name}_FILE")" "whole.$name"
  printenv "$name" > "short.$name"
done
"""
BIG = "x" * 5_000_000


@pytest.mark.parametrize("dialect", ["autohand", "codemie", "code-agent", "gencode"])
def test_a_large_value_is_shortened_in_the_variable_and_whole_in_a_file(
    box: Machine, monkeypatch: pytest.MonkeyPatch, dialect: str
) -> None:
    """F19: exec succeeds, JSON stays JSON, and nothing is lost."""
    event = PostToolUse(
        session_id="s", cwd=str(box.project), tool_name="Bash", tool_input={"command": BIG}, tool_response={"o": BIG}
    )
    wire = dialects.get(dialect).encode_event(event)
    large = {name: value for name, value in wire.env.items() if len(value) > 131_072}
    monkeypatch.setattr("tempfile.tempdir", str(box.home))
    engine = box.engine(files=False)
    engine.register(shell(COPY, "PostToolUse", dialect=dialect, cwd=str(box.project)))
    outcome = fire(engine, event).outcomes[0]
    assert outcome.failure is None, outcome
    assert large, "this dialect passes its events by environment"
    for name, value in large.items():
        assert (box.project / f"whole.{name}").read_text() == value
        short = (box.project / f"short.{name}").read_text().rstrip("\n")
        assert 0 < len(short.encode()) < 131_072
        if value[0] in "{[":
            assert type(json.loads(short)) is type(json.loads(value))
    assert os.listdir(box.home) == []  # the private copies went with the hook


@pytest.mark.parametrize("dialect", ["codemie", "gencode"])
@pytest.mark.parametrize(("can_ask", "wanted"), [(True, "ask"), (False, "deny")])
def test_silence_about_a_shortened_event_is_a_question(box: Machine, dialect: str, can_ask: bool, wanted: str) -> None:
    """F19: who saw only a part, has cleared nothing; without anybody to ask it is refused."""
    made = dialects.get(dialect)
    event = PreToolUse(session_id="s", cwd=str(box.project), tool_name="Bash", tool_input={"command": BIG})
    blind = made.encode_event(event).stdin is None
    engine = box.engine(files=False, can_ask=can_ask)
    engine.register(shell("true", dialect=dialect))
    report = fire(engine, event)
    decision = report.verdict.decision.word
    assert decision == (wanted if blind else report.verdict.decision.word)
    assert blind or not report.refused
    small = replace(event, tool_input={"command": "ls"})
    assert not fire(engine, small).refused


def test_a_dialect_without_stdin_is_asked_for_whatever_it_is_called(
    box: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F19: the rule follows from the wire form, not from a name."""
    native = dialects.get("omnihook")

    def encode(event: Event) -> Wire:
        wire = native.encode_event(event)
        return Wire(stdin=None, env={**wire.env, "THE_EVENT": json.dumps(dict(wire.body))}, body=wire.body)

    envy: Dialect = replace(native, name="envy", encode_event=encode)
    monkeypatch.setattr("omnihook.engine.lookup", lambda name: envy if name == "envy" else dialects.get(name))
    for can_ask, wanted in ((True, Decision.ASK), (False, Decision.DENY)):
        engine = box.engine(files=False, can_ask=can_ask)
        engine.register(shell('test -s "$THE_EVENT_FILE"', dialect="envy"))
        report = fire(engine, replace(BASH, tool_input={"command": BIG}))
        assert report.verdict.decision is wanted
        assert "shortened" in (report.verdict.reason or "")
        assert fire(engine).verdict.decision is Decision.NONE


MEASURE = """
import resource, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=0, stdout=subprocess.PIPE)
out = child.communicate()[0]
sys.stdout.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024) + "\\n")
sys.stdout.flush()
sys.stdout.buffer.write(out)
sys.exit(child.returncode)
"""


def _measured(box: Machine, size: int) -> tuple[int, dict[str, object], int]:
    payload = box.top / "payload"
    with payload.open("wb") as file:
        file.write(b'{"session_id":"s","tool_name":"Bash","tool_input":{"command":"')
        for _ in range(size // 1_000_000):
            file.write(b"y" * 1_000_000)
        file.write(b'"}}')
    with payload.open("rb") as file:
        ran = subprocess.run(
            [sys.executable, "-c", MEASURE, *OMNIHOOK, "fire", "PreToolUse", "--json"],
            stdin=file,
            capture_output=True,
            env=box.environ(MALLOC_MMAP_THRESHOLD_="262144"),  # what is freed is given back, and not counted
            cwd=box.project,
            timeout=100,
        )
    rss, _, rest = ran.stdout.partition(b"\n")
    assert b"Traceback" not in ran.stderr, ran.stderr
    return int(rss), json.loads(rest) if rest else {}, ran.returncode


@pytest.mark.parametrize(
    ("size", "times"),
    [
        (10_000_000, 4.5),  # small blocks stay with the allocator for a while, so there is some noise in this one
        pytest.param(100_000_000, 4.0, marks=[pytest.mark.slow, pytest.mark.timeout(120)]),
    ],
)
def test_a_large_event_costs_at_most_four_times_its_size(box: Machine, size: int, times: float) -> None:
    """F20: it reaches the hook whole, and memory stays in proportion."""
    box.user('[[hook]]\non = "PreToolUse"\nrun = "wc -c >&2; exit 2"\n')
    base, _, _ = _measured(box, 0)
    rss, said, code = _measured(box, size)
    assert code == 0
    assert said["decision"] == "block"
    assert size < int(str(said["reason"])) < size + 1000
    assert rss - base <= times * size + 4_000_000, (rss - base) / size


def test_an_event_above_the_cap_is_refused_clearly(box: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """F20: a clear error per hook, and a guard fails closed."""
    monkeypatch.setattr(one, "MAX_INPUT", 10_000)
    for guard in (False, True):
        engine = box.engine(files=False)
        engine.register(shell("true", guard=guard))
        report = fire(engine, replace(BASH, tool_input={"command": "x" * 20_000}))
        failure = report.outcomes[0].failure
        assert failure is not None
        assert failure.cause is Cause.INPUT
        assert "more than the 10000" in failure.message
        assert report.refused is guard


def test_a_payload_above_the_cap_ends_with_one_line(box: Machine) -> None:
    """F20: the command line reads so much and no more."""
    script = "import omnihook.cli.common as c, sys; c.MAX_PAYLOAD = 1000\n"
    script += "from omnihook.cli import main; sys.exit(main(['fire', 'PreToolUse']))"
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=box.environ(),
        cwd=box.project,
    )
    out, err = child.communicate(b'{"x":"' + b"y" * 5000 + b'"}', timeout=50)
    assert (child.returncode, out) == (1, b"")
    assert err == b"omnihook: the payload on stdin has more than 1000 bytes\n"


def _gone(box: Machine) -> str:
    return str(box.top / "never")


def _file(box: Machine) -> str:
    return str(box.write("~/a-file", "x"))


def _nul(box: Machine) -> str:
    return "/tmp/a\0b"


def _half(box: Machine) -> str:
    return "/tmp/\ud800"


def _long(box: Machine) -> str:
    return "/" + "x" * 5000


def _relative(box: Machine) -> str:
    return "no/such/folder"


@pytest.mark.parametrize("where", [_gone, _file, _nul, _half, _long, _relative])
@pytest.mark.parametrize("guard", [False, True])
def test_hooks_run_somewhere_else_when_the_session_folder_cannot_be_entered(
    box: Machine, where: object, guard: bool
) -> None:
    """F21: a guard still decides, and the report says where it ran."""
    cwd = where(box)  # type: ignore[operator]
    engine = box.engine(files=False)
    engine.register(shell("pwd >&2; exit 2", guard=guard))
    report = fire(engine, replace(BASH, cwd=cwd))
    assert report.refused
    outcome = report.outcomes[0]
    if outcome.failure is None:
        assert outcome.status is Status.BLOCKED
        assert outcome.stderr.strip() == str(box.project)
        assert outcome.notes
    else:
        assert guard
        assert outcome.failure.cause is Cause.START


def test_a_folder_that_may_not_be_entered(box: Machine) -> None:
    """F21: unreadable, as a user who is not root."""
    script = f"""
import asyncio, os, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
os.makedirs({str(box.top / "shut")!r}, mode=0o000)
from omnihook import Engine
from omnihook.events import PreToolUse
from omnihook.folders import Folders
from omnihook.hooks import Command, Hook
import omnihook.runners.command, omnihook.firing
folders = Folders(home="/", config="/x", state="/x", project="/")
engine = Engine(files=False, folders=folders, environ={{"PATH": "/bin:/usr/bin", "HOME": "/"}})
engine.register(Hook(name="h", events=("PreToolUse",), action=Command(command="pwd >&2; exit 2"), guard=True))
event = PreToolUse(session_id="s", cwd={str(box.top / "shut")!r}, tool_name="Bash")
engine.plan(event)
os.setgroups([]); os.setgid(65534); os.setuid(65534)
report = asyncio.run(engine.fire(event))
print(report.refused, report.verdict.reason, report.outcomes[0].notes)
"""
    box.top.chmod(0o755)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, cwd="/")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("True / ("), ran.stdout
    assert "EACCES" in ran.stdout


def test_the_command_line_works_from_a_folder_that_is_gone(box: Machine) -> None:
    """F21: cwd deleted under us; every verb answers."""
    box.user('[[hook]]\non = "PreToolUse"\nrun = "exit 2"\nguard = true\n')
    for verb in (("fire", "PreToolUse", "--json"), ("list",), ("check",), ("explain", "PreToolUse")):
        gone = box.top / "gone"
        gone.mkdir()
        command = f"cd {gone}; rmdir {gone}; exec " + " ".join([*OMNIHOOK, *verb])
        ran = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, env=box.environ(), timeout=50)
        assert ran.returncode == 0, ran
        assert b"Traceback" not in ran.stderr
        if verb[0] == "fire":
            assert json.loads(ran.stdout)["decision"] == "block"


def test_an_engine_can_be_made_in_a_folder_that_is_gone(box: Machine) -> None:
    """F21: a host whose own directory vanished still gets its decisions."""
    script = """
import os, tempfile
from omnihook import Engine, Verdict
from omnihook.testing import pre_tool
folder = tempfile.mkdtemp(); os.chdir(folder); os.rmdir(folder)
engine = Engine()
engine.on("PreToolUse")(lambda event: Verdict.deny("no"))
print(engine.fire_sync(pre_tool("Bash")).verdict.reason)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=box.environ(), timeout=50)
    assert (ran.returncode, ran.stdout) == (0, "no\n"), ran.stderr


HOMES = {
    "unset": "",
    "empty": "HOME=",
    "missing": "HOME=/nonexistent/home",
    "a file": "HOME=/etc/passwd",
    "a device": "HOME=/dev/null",
    "relative": "HOME=home",
    "the proc": "HOME=/proc/self",
}


@pytest.mark.parametrize("home", HOMES)
def test_a_home_that_cannot_be_used_changes_no_decision(box: Machine, home: str) -> None:
    """F22: what is remembered degrades, decisions stay, and at most one line says so; no home is made."""
    config = box.write("~/own.toml", '[[hook]]\non = ["PreToolUse", "Stop"]\nrun = "exit 2"\nguard = true\n')
    env = (
        box.environ(XDG_STATE_HOME=str(box.top / "state")) if home in ("unset", "empty", "relative") else box.environ()
    )
    env.pop("HOME")
    if HOMES[home]:
        env["HOME"] = HOMES[home].removeprefix("HOME=")
    for event in ("PreToolUse", "Stop"):
        ended = box.run("fire", event, "--json", "--config", str(config), stdin={"session_id": home}, env=env)
        assert ended.code == 0, ended
        assert ended.json["decision"] == "block"
        assert ended.err.count(b"\n") <= 1, ended.err
        assert b"Traceback" not in ended.err
    assert not (box.project / "home").exists()
    assert not os.path.exists("/nonexistent")


def test_a_read_only_home_changes_no_decision(box: Machine) -> None:
    """F22: everything below the home is mounted read-only."""
    box.user('[[hook]]\non = ["PreToolUse", "Stop"]\nrun = "echo no >&2; exit 2"\nguard = true\n')
    inner = " && ".join(
        [
            f"mount --bind {box.home} {box.home}",
            f"mount -o remount,bind,ro {box.home}",
            f"! touch {box.home}/x 2>/dev/null",
            f"cd {box.project}",
            " ".join([*OMNIHOOK, "fire", "Stop", "--json"]),
        ]
    )
    for _ in range(2):
        ran = subprocess.run(
            ["unshare", "--mount", "sh", "-c", inner],
            input=b'{"session_id":"s"}',
            capture_output=True,
            env=box.environ(),
            timeout=50,
        )
        assert ran.returncode == 0, ran
        assert json.loads(ran.stdout)["decision"] == "block"
        assert ran.stderr.count(b"\n") <= 1


OWN = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/h",
    "LANG": "C.UTF-8",
    "EDITOR": "vi",
    "MY_SETTING": "1",
    "GITHUB_TOKEN": "t",
    "AWS_SECRET_ACCESS_KEY": "k",
    "DB_PASSWORD": "p",
    "SSH_AUTH_SOCK": "/s",
    "MONKEY": "see",
}
LOADED = (
    "LD_PRELOAD",
    "LD_AUDIT",
    "BASH_ENV",
    "ENV",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "NODE_OPTIONS",
    "PERL5OPT",
    "RUBYOPT",
)
LOADED += ("SHELLOPTS", "BASHOPTS", "IFS", "CDPATH", "PROMPT_COMMAND", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "ZDOTDIR")
LOADED += ("JAVA_TOOL_OPTIONS", "BASH_FUNC_ls%%", "GIT_EXTERNAL_DIFF", "DYLD_INSERT_LIBRARIES", "LUA_INIT")
SECRET = {"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "SSH_AUTH_SOCK"}


@pytest.mark.parametrize("layer", list(Layer))
def test_what_each_layer_s_hooks_inherit(layer: Layer) -> None:
    """R12: the user's own environment, never a loader variable, and no secrets for what a project brought."""
    given = {**OWN, **dict.fromkeys(LOADED, "evil")}
    found = environment.base(given, layer=layer, project="/p", clean=False)
    wanted = set(OWN) - (SECRET if layer >= Layer.PLUGIN else set())
    assert set(found) == wanted | {environment.DEPTH}
    assert set(environment.base(given, layer=layer, project="/p", clean=True)) == {
        "PATH",
        "HOME",
        "LANG",
        environment.DEPTH,
    }


def test_a_hook_really_gets_that_environment(box: Machine) -> None:
    """R12: the same in a real process, where a loader variable would run code at once."""
    evil = box.write("evil.sh", f"touch {box.top}/pwned\n")
    environ = {
        **box.environ(),
        "BASH_ENV": str(evil),
        "ENV": str(evil),
        "BASH_FUNC_true%%": f"() {{ touch {box.top}/pwned; }}",
        "GITHUB_TOKEN": "t",
    }
    for layer in (Layer.USER, Layer.PROJECT):
        engine = box.engine(files=False, environ=environ, trust_project=True)
        source = Source(dialect="claude-code", layer=layer)
        engine.register(shell("true; printenv GITHUB_TOKEN >&2; exit 2", source=source))
        report = fire(engine)
        assert report.outcomes[0].stderr.strip() == ("t" if layer is Layer.USER else "")
    assert not (box.top / "pwned").exists()


def test_programs_are_not_looked_for_where_a_project_could_plant_them(box: Machine) -> None:
    """R12: relative, empty, world-writable and project entries of PATH are dropped for the user's hooks."""
    for folder in ("bin", "sub/bin"):
        for program in ("true", "sh", "bash", "sha256sum"):
            box.write(f"{folder}/{program}", f"#!/bin/sh\ntouch {box.top}/pwned\n", mode=0o755)
    open_to_all = box.top / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    link = box.home / "bin"
    link.symlink_to(box.project / "bin")
    path = f":.:bin:{box.project}/bin:{box.project}/sub/../bin:{link}:{open_to_all}:/usr/bin:/bin"
    for name in environment.SEARCHED:
        found = environment.base({name: path}, layer=Layer.USER, project=str(box.project), clean=False)
        assert found[name] == "/usr/bin:/bin"
        assert environment.base({name: path}, layer=Layer.PROJECT, project=str(box.project), clean=False)[name] == path
    box.write(
        "~/.claude/settings.json",
        {
            "hooks": {
                "PreToolUse": [
                    {
                        "hooks": [
                            {"type": "command", "command": "sha256sum </dev/null >&2; exit 2", "shell": "bash"},
                            {"type": "command", "command": "sha256sum", "args": ["/dev/null"]},
                        ]
                    }
                ]
            }
        },
    )
    engine = box.engine(read=["claude-code"], environ={**box.environ(), "PATH": path})
    report = fire(engine, replace(BASH, cwd=str(box.project)))
    assert [outcome.exit_code for outcome in report.outcomes] == [2, 0], report.outcomes
    assert not (box.top / "pwned").exists()
