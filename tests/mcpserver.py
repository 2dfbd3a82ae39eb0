"""A small MCP server for hooks to call: `python mcpserver.py` on stdio, `python mcpserver.py PORT` over HTTP."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator

import anyio
from mcp.server.mcpserver import MCPServer
from mcp_types import ImageContent, TextContent
from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"


def make() -> MCPServer:
    """The server with its tools."""
    server = MCPServer("testing")

    @server.tool(structured_output=False)
    def judge(command: str, session: str = "", extra: dict[str, object] | None = None) -> str:
        """Decide about a command, as a hook would."""
        decision = "block" if "rm" in command else "allow"
        return json.dumps({"decision": decision, "reason": f"{command}|{session}", "extra": extra})

    @server.tool(structured_output=False)
    def pieces() -> list[TextContent | ImageContent]:
        """Several pieces of content, one of which is no text."""
        image = ImageContent(type="image", data="aGk=", mime_type="image/png")
        return [TextContent(type="text", text="one"), image, TextContent(type="text", text="two")]

    @server.tool()
    def figures() -> dict[str, int]:
        """A structured result."""
        return {"a": 1}

    @server.tool(structured_output=False)
    def broken() -> str:
        """A tool that fails."""
        raise ValueError("the tool is broken")

    @server.tool(structured_output=False)
    async def slow() -> str:
        """A tool that takes its time."""
        await anyio.sleep(60)
        return "done"

    @server.tool(structured_output=False)
    def large(size: int) -> str:
        """A tool that says much."""
        return "x" * size

    @server.tool(structured_output=False)
    def leave_child() -> str:
        """A tool that leaves a process behind, in a session of its own; its number and ours."""
        child = subprocess.Popen(["sleep", "300"], start_new_session=True, stdin=subprocess.DEVNULL)
        return f"{child.pid} {os.getpid()}"

    @server.tool(structured_output=False)
    def leave() -> str:
        """A tool that ends the server."""
        print("the server gives up", file=sys.stderr, flush=True)
        os._exit(3)

    @server.tool(structured_output=False)
    def surroundings(name: str) -> str:
        """A variable of the server's environment, and where it runs."""
        return f"{os.environ.get(name)}|{os.getcwd()}"

    return server


class _Recording:
    """An application that remembers the headers it was asked with."""

    def __init__(self, app: ASGIApp, seen: list[dict[str, str]]) -> None:
        self._app = app
        self._seen = seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self._seen.append({name.decode(): value.decode() for name, value in scope["headers"]})
        await self._app(scope, receive, send)


@contextlib.contextmanager
def serve() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Run the server over HTTP in a thread: its URL, and the headers of every request."""
    from modelserver import serve_app  # not needed on stdio

    seen: list[dict[str, str]] = []
    with serve_app(_Recording(make().streamable_http_app(), seen), lifespan="on") as url:
        yield f"{url}{PATH}", seen


if __name__ == "__main__":
    if len(sys.argv) > 1:
        make().run("streamable-http", port=int(sys.argv[1]))
    else:
        make().run("stdio")
