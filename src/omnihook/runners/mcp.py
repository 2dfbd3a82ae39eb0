"""MCP tool hooks: one call of a tool of a configured server, over stdio or streamable HTTP."""

import asyncio
import re
import time
from collections.abc import Mapping

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CONNECTION_CLOSED, CallToolResult, Implementation, TextContent

from omnihook.dialect import Failure, Raw
from omnihook.hooks import Cause, McpTool
from omnihook.jsontypes import Json, JsonObject, dumps, take, text_of
from omnihook.runners.configured import NotConfigured, named, not_called, server_entry
from omnihook.runners.http_urls import Refused, parse, show
from omnihook.runners.mcp_http import Cap, open_client
from omnihook.runners.mcp_stdio import GRACE, StdioServer
from omnihook.runners.spawning import NotStarted
from omnihook.slotted import dataclass

OUTPUT_CAP = 1 << 20

_GOODBYE = 0.5  # seconds after the deadline for taking leave of a server
_REFERENCE = re.compile(r"\$\{([^{}]+)\}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
# What the client library raises over what a server does: its own errors, and its parts' when one says nonsense.
_TROUBLE = (
    *(MCPError, httpx2.HTTPError, httpx2.InvalidURL, OSError),
    *(anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream),
    *(ValueError, RuntimeError, TypeError, AttributeError, LookupError),
)


class _TooLargeError(Exception):
    """An answer that is larger than its cap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    tool: str
    arguments: dict[str, Json]
    deadline: float
    named: str  # for messages


async def call(
    action: McpTool,
    *,
    servers: JsonObject,
    body: JsonObject,
    deadline: float,
    env: Mapping[str, str],
    cwd: str,
) -> Raw | Failure:
    """Call the hook's tool and bring back the text of its result; nothing the server does raises.

    `servers` is an `mcpServers` table, whose strings may name variables of `env`. `deadline` is a
    time.monotonic() value. A server on stdio lives for this one call.
    """
    arguments = {key: fill(value, body) for key, value in action.input.items()}
    asked = _Call(tool=action.tool, arguments=arguments, deadline=deadline, named=named(action))
    try:
        entry = server_entry(servers, action)
        if time.monotonic() >= deadline:
            raise TimeoutError
        return await (_on_stdio(asked, entry, env, cwd) if "command" in entry else _over_http(asked, entry, env))
    except (NotConfigured, Refused) as refusal:
        return not_called(action, refusal)
    except TimeoutError:
        return Failure(cause=Cause.TIMEOUT, message=f"{asked.named} did not answer in time; raise the hook's timeout")
    except _TooLargeError:
        return Failure(cause=Cause.OVERFLOW, message=f"{asked.named} answered with more than {OUTPUT_CAP} bytes")


def fill(value: Json, body: JsonObject) -> Json:
    """Put the event into a tool's arguments: `${path.into.event}` in strings, at any depth, in one pass.

    A string that is nothing but a reference becomes the value it names, of whatever type; what the event
    does not have is null there, and nothing inside a longer string.
    """
    if isinstance(value, dict):
        return {key: fill(item, body) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, body) for item in value]
    if not isinstance(value, str):
        return value
    whole = _REFERENCE.fullmatch(value)
    if whole is not None:
        return _at(body, whole[1])
    return _REFERENCE.sub(lambda found: "" if (there := _at(body, found[1])) is None else text_of(there), value)


async def _on_stdio(asked: _Call, entry: JsonObject, env: Mapping[str, str], cwd: str) -> Raw | Failure:
    argv = (_text(entry, "command", env), *(_expand(text_of(item), env) for item in take(entry, "args", list) or []))
    place = _expand(take(entry, "cwd", str) or cwd, env)
    server = StdioServer.start(argv, env={**env, **_strings(entry, "env", env)}, cwd=place)
    if isinstance(server, NotStarted):
        raise Refused(server.error)
    patience = 0.0  # a server that failed or was too slow gets no time to leave by itself
    try:
        outcome = await _ask(server.streams(), asked)
        patience = GRACE
    finally:
        await server.stop(patience=patience)
    if server.overflowed:
        raise _TooLargeError
    if isinstance(outcome, Failure) and server.garbled:
        return Failure(cause=Cause.OUTPUT, message=f"{asked.named} answered with a message that cannot be read")
    if isinstance(outcome, Failure) and server.ended and server.complaint:
        return Failure(cause=outcome.cause, message=f"{outcome.message}; its stderr ends with: {server.complaint}")
    return outcome


async def _over_http(asked: _Call, entry: JsonObject, env: Mapping[str, str]) -> Raw | Failure:
    if entry.get("type") == "sse":
        raise Refused("its server speaks the old SSE transport; use its streamable HTTP url")
    url, cap = str(parse(_text(entry, "url", env))), Cap()
    try:
        client = open_client(url, _strings(entry, "headers", env), cap)
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        raise Refused(f"{show(url)} cannot be called ({error})") from None
    # The library takes leave of a server even after the deadline, which a silent one must not stretch.
    async with asyncio.timeout(asked.deadline - time.monotonic() + _GOODBYE), client:
        outcome = await _ask(streamable_http_client(url, http_client=client), asked)
    if cap.exceeded:
        raise _TooLargeError
    return outcome


async def _ask(transport: Transport, asked: _Call) -> Raw | Failure:
    result: CallToolResult | None = None
    trouble: Exception = TimeoutError()
    try:
        async with (
            asyncio.timeout(asked.deadline - time.monotonic()) as limit,
            Client(transport, client_info=Implementation(name="omnihook", version="1")) as client,
        ):
            result = await client.call_tool(asked.tool, asked.arguments)
            limit.reschedule(asyncio.get_running_loop().time() + _GOODBYE)
    except ExceptionGroup as group:
        trouble = _first(group)
    except _TROUBLE as error:
        trouble = error
    # An answer counts, however badly the server takes its leave.
    return _lost(trouble, asked) if result is None else _told(result, asked.named)


def _told(result: CallToolResult, named: str) -> Raw | Failure:
    text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    if result.is_error:
        return Failure(cause=Cause.EXIT, message=f"{named} failed: {text[:500]}")
    if not text and result.structured_content is not None:
        text = dumps(result.structured_content)
    if len(text.encode("utf-8", "surrogatepass")) > OUTPUT_CAP:
        raise _TooLargeError
    return Raw(channel="mcp", stdout=text)


def _lost(error: Exception, asked: _Call) -> Failure:
    if isinstance(error, TimeoutError) or time.monotonic() >= asked.deadline:
        raise TimeoutError
    why = (str(error) or type(error).__name__).partition("\n")[0][:200]
    match error:
        case httpx2.ConnectError():
            return Failure(cause=Cause.START, message=f"{asked.named} was not called: no connection ({why})")
        case MCPError(code=code) if code == CONNECTION_CLOSED:
            return Failure(cause=Cause.EXIT, message=f"{asked.named} gave no answer: the server ended the connection")
        case MCPError():
            return Failure(cause=Cause.EXIT, message=f"{asked.named} was refused: {why}")
        case _:
            return Failure(cause=Cause.OUTPUT, message=f"{asked.named} gave no answer that can be read ({why})")


def _first(group: ExceptionGroup[Exception]) -> Exception:
    """The first cause inside a group of them."""
    found: Exception = group
    while isinstance(found, ExceptionGroup):
        found = found.exceptions[0]
    return found


def _at(body: JsonObject, path: str) -> Json:
    """The value at a dotted path, or None."""
    found: Json = dict(body)
    for step in path.split("."):
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found


def _text(entry: JsonObject, key: str, env: Mapping[str, str]) -> str:
    text = take(entry, key, str)
    if not text:
        raise Refused(f"{key!r} of its server is not a text")
    return _expand(text, env)


def _strings(entry: JsonObject, key: str, env: Mapping[str, str]) -> dict[str, str]:
    table: dict[str, Json] = take(entry, key, dict) or {}
    return {name: _expand(text_of(value), env) for name, value in table.items()}


def _expand(text: str, env: Mapping[str, str]) -> str:
    """A string of the server's configuration with `${NAME}` and `${NAME:-default}` replaced."""

    def value(found: re.Match[str]) -> str:
        known = env.get(found[1], found[2])
        if known is None:
            raise Refused(f"its server's configuration names ${{{found[1]}}}, which is not set")
        return known

    return _VARIABLE.sub(value, text)
