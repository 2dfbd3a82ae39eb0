"""MCP tool hooks against real servers, on stdio and over HTTP, well-behaved and not."""

import asyncio
import contextlib
import json
import os
import socket
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcpserver
from omnihook.dialect import Failure, Raw
from omnihook.hooks import Cause, McpTool
from omnihook.jsontypes import Json, JsonObject
from omnihook.runners import mcp

REAL: JsonObject = {"command": sys.executable, "args": [mcpserver.__file__]}

# A server of the first generation, written by hand: it knows three methods and refuses the others.
BY_HAND = """
import json, os, sys, time
print("a greeting that is no message", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    def say(**what):
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **what}), flush=True)
    match asked["method"]:
        case "initialize":
            say(result={"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                        "serverInfo": {"name": "by-hand", "version": "0"}})
        case "tools/list":
            say(result={"tools": [{"name": "act", "inputSchema": {"type": "object"}}]})
        case "tools/call":
            ACT
        case method if "id" in asked:
            say(error={"code": -32601, "message": "no method " + method})
END
"""


def by_hand(folder: Path, act: str, end: str = "") -> JsonObject:
    """A hand-written server that does this when its tool is called, and that after its stdin was closed."""
    path = folder / "server.py"
    path.write_text(BY_HAND.replace("ACT", textwrap.indent(act, " " * 12).lstrip()).replace("END", end))
    return {"command": sys.executable, "args": ["-S", str(path)]}


def call(
    server: Json,
    tool: str = "act",
    *,
    seconds: float = 15.0,
    body: JsonObject | None = None,
    env: dict[str, str] | None = None,
    cwd: str = "/",
    **arguments: Json,
) -> Raw | Failure:
    action = McpTool(server="own", tool=tool, input=arguments)
    surroundings = {"PATH": os.environ["PATH"], **(env or {})}
    return asyncio.run(
        mcp.call(
            action,
            servers={"own": server},
            body=body or {},
            deadline=time.monotonic() + seconds,
            env=surroundings,
            cwd=cwd,
        )
    )


def failure(outcome: Raw | Failure) -> Failure:
    assert isinstance(outcome, Failure), outcome
    return outcome


def text(outcome: Raw | Failure) -> str:
    assert isinstance(outcome, Raw), outcome
    assert outcome.channel == "mcp"
    return outcome.stdout


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def pipes() -> set[str]:
    """The pipes this process holds; its sockets come and go with the servers in its threads."""
    found = set()
    for fd in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.add(os.readlink(f"/proc/self/fd/{fd}"))
    return {link for link in found if link.startswith("pipe:")}


@pytest.fixture(scope="module")
def over_http() -> Iterator[tuple[JsonObject, list[dict[str, str]]]]:
    with mcpserver.serve() as (url, seen):
        yield {"type": "http", "url": url, "headers": {"X-Key": "Bearer ${KEY:-none}"}}, seen


@pytest.fixture
def remote(over_http: tuple[JsonObject, list[dict[str, str]]]) -> Json:
    return dict(over_http[0])


@pytest.fixture(params=["stdio", "http"])
def real(request: pytest.FixtureRequest, remote: Json) -> Json:
    return dict(REAL) if request.param == "stdio" else remote


def test_a_tool_is_called_with_the_event_and_its_text_comes_back(real: Json) -> None:
    body: JsonObject = {"session_id": "s1", "tool_input": {"command": "rm x", "tags": ["a", 2]}}
    outcome = call(
        real, "judge", body=body, command="run ${tool_input.command}", session="${session_id}", extra="${tool_input}"
    )
    expected = {"decision": "block", "reason": "run rm x|s1", "extra": {"command": "rm x", "tags": ["a", 2]}}
    assert json.loads(text(outcome)) == expected


def test_texts_are_joined_and_other_content_is_left_out(remote: Json) -> None:
    assert text(call(remote, "pieces")) == "one\ntwo"


def test_a_structured_result_is_json(remote: Json) -> None:
    assert json.loads(text(call(remote, "figures"))) == {"a": 1}


def test_a_tool_that_fails_is_a_failed_hook(real: Json) -> None:
    outcome = failure(call(real, "broken"))
    assert outcome.cause is Cause.EXIT
    assert "'broken' of the MCP server 'own' failed" in outcome.message


@pytest.mark.parametrize(("tool", "said"), [("no_such_tool", "no_such_tool"), ("judge", "command")])
def test_a_call_that_makes_no_sense_is_a_failed_hook(remote: Json, tool: str, said: str) -> None:
    outcome = failure(call(remote, tool))
    assert outcome.cause is Cause.EXIT
    assert said in outcome.message


def test_a_result_larger_than_the_cap_overflows(real: Json) -> None:
    assert failure(call(real, "large", size=9_000_000)).cause is Cause.OVERFLOW


def test_a_result_of_exactly_the_cap_is_read_and_one_byte_more_is_not(remote: Json) -> None:
    assert len(text(call(remote, "large", size=mcp.OUTPUT_CAP))) == mcp.OUTPUT_CAP
    assert failure(call(remote, "large", size=mcp.OUTPUT_CAP + 1)).cause is Cause.OVERFLOW


def test_the_deadline_holds(real: Json) -> None:
    began = time.monotonic()
    assert failure(call(real, "slow", seconds=1.5)).cause is Cause.TIMEOUT
    assert time.monotonic() - began < 4


def test_a_server_on_stdio_and_all_it_started_are_gone_afterwards() -> None:
    child, server = (int(pid) for pid in text(call(REAL, "leave_child")).split())
    assert not alive(server)
    assert not alive(child)


def test_a_server_gets_the_environment_and_folder_it_is_configured_with(tmp_path: Path) -> None:
    configured = {**REAL, "env": {"GIVEN": "${FROM_USER}-${MISSING:-x}"}, "cwd": str(tmp_path)}
    outcome = call(configured, "surroundings", env={"FROM_USER": "u"}, name="GIVEN")
    assert text(outcome) == f"u-x|{tmp_path}"


def test_the_headers_of_an_http_server_are_sent_with_their_variables(
    over_http: tuple[JsonObject, list[dict[str, str]]],
) -> None:
    server, seen = over_http
    seen.clear()
    text(call(dict(server), "judge", env={"KEY": "k1"}, command="ls"))
    assert {headers["x-key"] for headers in seen} == {"Bearer k1"}


def test_a_server_of_the_first_generation_that_also_chats_is_understood(tmp_path: Path) -> None:
    server = by_hand(tmp_path, 'say(result={"content": [{"type": "text", "text": json.dumps(asked["params"])}]})')
    assert json.loads(text(call(server, a=1)))["arguments"] == {"a": 1}


def test_an_answer_counts_although_the_server_does_not_leave(tmp_path: Path) -> None:
    act = """
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say(result={"content": [{"type": "text", "text": str(os.getpid())}]})
    """
    began = time.monotonic()
    outcome = call(by_hand(tmp_path, textwrap.dedent(act), "time.sleep(60)"))
    assert not alive(int(text(outcome)))
    assert time.monotonic() - began < 4


SPAWNING = """
import subprocess
child = subprocess.Popen(["sleep", "300"], start_new_session=True)
open(PIDS, "w").write(f"{os.getpid()} {child.pid}")
time.sleep(60)
"""


def test_a_time_out_ends_the_server_and_all_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    began = time.monotonic()
    outcome = call(by_hand(tmp_path, SPAWNING.replace("PIDS", repr(str(pids)))), seconds=3)
    assert failure(outcome).cause is Cause.TIMEOUT
    assert time.monotonic() - began < 6
    assert [alive(int(pid)) for pid in pids.read_text().split()] == [False, False]


def test_cancellation_ends_the_server_and_passes_through(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    server = by_hand(tmp_path, SPAWNING.replace("PIDS", repr(str(pids))))

    async def scenario() -> None:
        action = McpTool(server="own", tool="act")
        servers = {"own": dict(server)}
        task = asyncio.create_task(
            mcp.call(action, servers=servers, body={}, deadline=time.monotonic() + 60, env=dict(os.environ), cwd="/")
        )
        while not pids.exists() or len(pids.read_text().split()) < 2:  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert [alive(int(pid)) for pid in pids.read_text().split()] == [False, False]


def test_a_silent_http_server_is_a_time_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        began = time.monotonic()
        outcome = call({"type": "http", "url": url}, seconds=0.5)
    assert failure(outcome).cause is Cause.TIMEOUT
    assert time.monotonic() - began < 2


def test_a_deadline_that_has_passed_starts_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    outcome = call({"command": "touch", "args": [str(mark)]}, seconds=-1)
    assert failure(outcome).cause is Cause.TIMEOUT
    assert not mark.exists()


@pytest.mark.parametrize(
    ("script", "cause", "said"),
    [
        ("echo oh no >&2; exit 3", Cause.EXIT, "oh no"),
        ("exit 0", Cause.EXIT, "ended the connection"),
        ("sleep 60", Cause.TIMEOUT, "in time"),
        ("exec 0<&-; sleep 60", Cause.TIMEOUT, "in time"),
        ("trap '' TERM; while :; do sleep 1; done", Cause.TIMEOUT, "in time"),
        ("exec yes", Cause.OVERFLOW, "more than"),
        ("exec cat /dev/zero", Cause.OVERFLOW, "more than"),
        ("while :; do echo y >&2; done", Cause.TIMEOUT, "in time"),
    ],
    ids=["complains", "leaves", "sleeps", "deaf", "stubborn", "chatters", "floods", "floods-stderr"],
)
def test_whatever_a_server_does_is_a_failure_in_words(script: str, cause: Cause, said: str) -> None:
    before = pipes()
    began = time.monotonic()
    outcome = failure(call({"command": "sh", "args": ["-c", script]}, seconds=1.0 if cause is Cause.TIMEOUT else 6.0))
    assert (outcome.cause, said in outcome.message) == (cause, True), outcome
    assert time.monotonic() - began < 5
    assert pipes() == before


@pytest.mark.parametrize(
    "result",
    ["5", '{"content": 5}', '{"content": [{"type": "unheard-of"}]}', '{"content": [{"type": "text"}]}', "None"],
)
def test_a_result_of_the_wrong_shape_is_unreadable(tmp_path: Path, result: str) -> None:
    outcome = failure(call(by_hand(tmp_path, f"say(result={result})")))
    assert outcome.cause is Cause.OUTPUT


def test_an_error_of_the_protocol_is_a_failed_hook(tmp_path: Path) -> None:
    outcome = failure(call(by_hand(tmp_path, 'say(error={"code": -32050, "message": "not today"})')))
    assert outcome.cause is Cause.EXIT
    assert "not today" in outcome.message


def test_a_server_that_asks_back_gets_no_answer_from_us(tmp_path: Path) -> None:
    act = """
        print(json.dumps({"jsonrpc": "2.0", "id": "q", "method": "sampling/createMessage", "params":
            {"messages": [], "maxTokens": 1}}), flush=True)
        said = json.loads(sys.stdin.readline())
        say(result={"content": [{"type": "text", "text": "error" if "error" in said else "answered"}]})
    """
    assert text(call(by_hand(tmp_path, textwrap.dedent(act)))) == "error"


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ({"command": "/no/such/program"}, "/no/such/program"),
        ({"command": ""}, "'command'"),
        ({"command": 5}, "'command'"),
        ({}, "neither"),
        ("text", "neither"),
        ({"type": "sse", "url": "http://127.0.0.1:1/"}, "SSE"),
        ({"url": "nonsense"}, "URL"),
        ({"url": "http://127.0.0.1:1/mcp"}, "no connection"),
        ({"url": "http://127.0.0.1:1/", "headers": {"X": "a\nb"}}, ""),
        ({"url": "http://127.0.0.1/${NOT_SET}"}, "${NOT_SET}"),
        ({"command": "true", "cwd": "/no/such/folder"}, "/no/such/folder"),
    ],
)
def test_a_server_that_cannot_be_reached_is_a_failure_to_start(server: Json, said: str) -> None:
    before = pipes()
    outcome = failure(call(server, seconds=3))
    assert outcome.cause is Cause.START
    assert said in outcome.message
    assert pipes() == before


def test_an_unknown_server_is_named_with_the_known_ones() -> None:
    action = McpTool(server="linters", tool="t")
    question = mcp.call(
        action, servers={"linter": {}, "other": {}}, body={}, deadline=time.monotonic() + 5, env={}, cwd="/"
    )
    outcome = failure(asyncio.run(question))
    assert outcome.cause is Cause.START
    assert "did you mean 'linter'?" in outcome.message
    assert "configured: linter, other" in outcome.message


BODY: JsonObject = {"a": {"b": [10, {"c": None}], "t": "x${a.n}"}, "n": 3, "yes": True, "a.b": "dotted"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${n}", 3),
        ("n=${n} ${yes} ${a.t}", "n=3 true x${a.n}"),
        ("${a.b}", [10, {"c": None}]),
        ("b: ${a.b}", 'b: [10,{"c":null}]'),
        ("${a.b.0}", 10),
        ("${a.b.1.c}|", "|"),
        ("${a.b.9}", None),
        ("${missing.path}", None),
        ("<${missing.path}>", "<>"),
        ("$n ${} {n}", "$n ${} {n}"),
        ({"k": ["${n}", 1, None, {"deep": "${yes}"}]}, {"k": [3, 1, None, {"deep": True}]}),
        (7, 7),
    ],
)
def test_references_into_the_event_are_filled_in_once(value: Json, expected: Json) -> None:
    assert mcp.fill(value, BODY) == expected


@given(st.text(), st.text())
def test_event_text_is_never_taken_for_a_reference(secret: str, said: str) -> None:
    body: JsonObject = {"said": said + "${secret}", "secret": secret}
    assert mcp.fill("${said}", body) == said + "${secret}"
    assert mcp.fill("> ${said}", body) == "> " + said + "${secret}"
