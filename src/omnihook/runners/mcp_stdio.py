"""An MCP server that is a child process: one JSON message per line, and nothing of it left when we are done."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from io import FileIO

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from omnihook.runners import reaping
from omnihook.runners.payload import Payload
from omnihook.runners.spawning import NotStarted, Spawned, spawn

LINE_CAP = 4 << 20
NOISE_CAP = 1 << 18  # bytes of lines that are no messages
STDERR_KEPT = 2048
GRACE = 0.5  # seconds to leave by itself once its stdin is closed, and again once it was told to go
_POLL = 0.01
_LAST_WORDS = 0.1

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


class _OpenStdin(Payload):
    """A stdin that stays open: `writer` is our end of it."""

    __slots__ = ("writer",)

    def __init__(self) -> None:
        super().__init__(b"")
        self.writer = -1

    def open(self) -> int:
        reader, self.writer = os.pipe()
        return reader


class StdioServer:
    """A running server process; `stop` it whatever happens."""

    def __init__(self, spawned: Spawned, stdin: int) -> None:
        self._process = spawned.process
        self._tree = spawned.tree
        self._stdin = os.fdopen(stdin, "wb", 0)
        self._stdout = os.fdopen(spawned.stdout, "rb", 0)
        self._stderr = os.fdopen(spawned.stderr, "rb", 0)
        self._said = b""  # the end of what came on stderr
        self.overflowed = False
        self.garbled = False  # it sent a message that is none
        self.ended = False  # it closed its stdout: there is no more to come

    @classmethod
    def start(cls, argv: tuple[str, ...], *, env: Mapping[str, str], cwd: str) -> "StdioServer | NotStarted":
        """Start a server, or say why it did not start."""
        stdin = _OpenStdin()
        spawned = spawn(argv=argv, env=env, cwd=cwd, fallbacks=(), payload=stdin)
        if isinstance(spawned, NotStarted):
            if stdin.writer >= 0:
                os.close(stdin.writer)
            return spawned
        return cls(spawned, stdin.writer)

    @property
    def complaint(self) -> str:
        """The last line it wrote to stderr, for messages."""
        lines = self._said.decode("utf-8", "replace").split("\n")
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "")

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[tuple[Incoming, Outgoing]]:
        """Its messages and ours, as an MCP client wants them; may be used once."""
        incoming_in, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, outgoing_out = anyio.create_memory_object_stream[SessionMessage](0)
        stdout, stdout_pipe = await _reader(self._stdout)
        stderr, stderr_pipe = await _reader(self._stderr)
        stdin = await _writer(self._stdin)
        tasks = (
            asyncio.create_task(self._receive(stdout, incoming_in)),
            asyncio.create_task(self._send(outgoing_out, stdin)),
            asyncio.create_task(self._listen(stderr)),
        )
        try:
            yield incoming, outgoing
        finally:
            if self.ended:  # its last words are on their way
                await asyncio.wait(tasks[-1:], timeout=_LAST_WORDS)
            stdout_pipe.close()
            stderr_pipe.close()
            if not stdin.transport.is_closing():
                stdin.transport.abort()  # not `close`: a server that reads nothing must not hold us
            for task in tasks:
                task.cancel()
            for stream in (incoming_in, incoming, outgoing, outgoing_out):
                stream.close()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)  # the pipes close on the loop's next turn

    async def stop(self, *, patience: float) -> None:
        """End the process and everything it started; `patience` is how long it may take to leave by itself."""
        try:
            await self._left_within(patience)
            await reaping.end(self._tree, grace=GRACE)
        except asyncio.CancelledError:
            reaping.end_now(self._tree)
            raise
        finally:
            self._process.poll()
            for file in (self._stdin, self._stdout, self._stderr):
                file.close()

    async def _left_within(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < until:  # noqa: ASYNC110 - nobody tells us
            await asyncio.sleep(_POLL)

    async def _receive(
        self, stdout: asyncio.StreamReader, incoming: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        noise = 0
        with incoming, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
            while line := await self._line(stdout):
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    if b'"jsonrpc"' in line:
                        self.garbled = True
                        return
                    noise += len(line)  # a greeting or a log line on the wrong stream
                    if noise > NOISE_CAP:
                        self.overflowed = True
                        return
                    continue
                await incoming.send(SessionMessage(message))
            self.ended = True

    async def _line(self, stdout: asyncio.StreamReader) -> bytes:
        """The next line; nothing when there is no more, or one that is too long."""
        try:
            return await stdout.readline()
        except ValueError:
            self.overflowed = True
            return b""

    async def _send(self, outgoing: MemoryObjectReceiveStream[SessionMessage], stdin: asyncio.StreamWriter) -> None:
        with outgoing, suppress(ConnectionError):
            async for message in outgoing:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()

    async def _listen(self, stderr: asyncio.StreamReader) -> None:
        with suppress(ConnectionError):
            while chunk := await stderr.read(4096):
                self._said = (self._said + chunk)[-STDERR_KEPT:]


async def _reader(file: FileIO) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    reader = asyncio.StreamReader(limit=LINE_CAP)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    return reader, transport


async def _writer(file: FileIO) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    # The protocol of a reader is the public one that also knows when to hold back a writer.
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), file
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)
