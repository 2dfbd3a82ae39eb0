"""A model on loopback that says what a test tells it to, in the words of OpenAI and Anthropic.

    with modelserver.serve() as model:
        model.script(calls("read_file", path="a.txt"), says("done"))
        ...                                   # point a client at model.openai_url or model.anthropic_url
        assert model.asked[0].body["model"] == "any"

Chat completions, responses and messages are spoken, plain and streamed. Replies are played in order; a request
after the last one is answered with status 400, so that a client that asks too often is noticed.
"""

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import omnihook.runners.prompt  # noqa: F401 - it imports for seconds on a busy machine, outside any test's time

Body = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a tool; `arguments` is JSON text as the model wrote it, which need not be valid."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model does with one request."""

    text: str | None = None
    calls: tuple[Call, ...] = ()
    delay: float = 0.0
    status: int = 200  # an error when it is not 200, with the text as its message
    raw: bytes | None = None  # sent as the body, whatever it is


def says(text: str) -> Reply:
    """Plain text."""
    return Reply(text=text)


def calls(name: str, /, **arguments: object) -> Reply:
    """One tool call."""
    return Reply(calls=(Call(name=name, arguments=json.dumps(arguments)),))


def fails(status: int, message: str = "scripted error") -> Reply:
    """An HTTP error in the API's own shape."""
    return Reply(status=status, text=message)


def garbage(raw: bytes) -> Reply:
    """Bytes that are no answer."""
    return Reply(raw=raw)


def late(delay: float, reply: Reply) -> Reply:
    """The same, after some seconds."""
    return replace(reply, delay=delay)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came."""

    api: str  # chat, responses, messages
    headers: dict[str, str]
    body: Body

    @property
    def tools(self) -> list[str]:
        """The names of the tools it offers."""
        return [tool["function"]["name"] if "function" in tool else tool["name"] for tool in self.body.get("tools", [])]

    @property
    def text(self) -> str:
        """Everything it says, as JSON."""
        return json.dumps(self.body, ensure_ascii=False)


@dataclass
class Model:
    """The server as a test sees it."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    replies: deque[Reply] = field(default_factory=deque)
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def openai_url(self) -> str:
        """The base URL for OpenAI clients."""
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        """The base URL for Anthropic clients."""
        return self.url

    def script(self, *replies: Reply) -> None:
        """Add replies to those still to be played."""
        self.replies.extend(replies)

    async def answer(self, request: Request) -> Response:
        """Play the next reply in the words of the API that was asked."""
        api = {"completions": "chat", "responses": "responses", "messages": "messages"}[request.url.path.split("/")[-1]]
        body: Body = await request.json()
        self.asked.append(Asked(api=api, headers=dict(request.headers), body=body))
        reply = self.replies.popleft() if self.replies else fails(400, "the script is over")
        await self._wait(request, reply.delay)
        if reply.raw is not None:
            return Response(reply.raw, media_type="application/json")
        if reply.status != 200:
            return _error(api, reply)
        made = {"chat": _chat, "responses": _responses, "messages": _messages}[api](reply, body, len(self.asked))
        if not body.get("stream"):
            return JSONResponse(made)
        events = {"chat": _chat_events, "responses": _responses_events, "messages": _messages_events}[api](made)
        return Response("".join(_sse(api, events)), media_type="text/event-stream")

    async def _wait(self, request: Request, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.stopping.is_set():
            if await request.is_disconnected():
                return
            await asyncio.sleep(0.01)


@contextlib.contextmanager
def serve() -> Iterator[Model]:
    """Run a model in a thread until the block ends."""
    model = Model()
    paths = ("/v1/chat/completions", "/v1/responses", "/v1/messages")
    app = Starlette(routes=[Route(path, model.answer, methods=["POST"]) for path in paths])
    with serve_app(app) as model.url:
        try:
            yield model
        finally:
            model.stopping.set()


@contextlib.contextmanager
def serve_app(app: Any, *, lifespan: str = "off") -> Iterator[str]:
    """Run an ASGI application on a free port of loopback; its base URL."""
    config = uvicorn.Config(app, log_level="critical", lifespan=lifespan, ws="none", timeout_graceful_shutdown=1)  # type: ignore[arg-type]  # a plain string
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.002)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
    assert not thread.is_alive()


def _error(api: str, reply: Reply) -> Response:
    error = {"type": "invalid_request_error", "message": reply.text}
    return JSONResponse({"type": "error", "error": error} if api == "messages" else {"error": error}, reply.status)


def _sse(api: str, events: list[Body]) -> Iterator[str]:
    for event in events:
        name = "" if api == "chat" else f"event: {event['type']}\n"
        yield f"{name}data: {json.dumps(event)}\n\n"
    if api == "chat":
        yield "data: [DONE]\n\n"


def _pieces(text: str) -> list[str]:
    """A text in small pieces, as a stream brings it."""
    return [text[start : start + 7] for start in range(0, len(text), 7)]


def _chat(reply: Reply, body: Body, number: int) -> Body:
    message: Body = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{index}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for index, call in enumerate(reply.calls)
        ]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if reply.calls else "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
    }


def _chat_events(made: Body) -> list[Body]:
    choice = made["choices"][0]
    deltas: list[Body] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in _pieces(choice["message"]["content"] or "")]
    for index, call in enumerate(choice["message"].get("tool_calls", [])):
        named = {**call, "index": index, "function": {"name": call["function"]["name"], "arguments": ""}}
        deltas.append({"tool_calls": [named]})
        for piece in _pieces(call["function"]["arguments"]):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    base = {**made, "object": "chat.completion.chunk", "usage": None}
    chunks = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    return [*chunks, {**base, "choices": [], "usage": made["usage"]}]


def _responses(reply: Reply, body: Body, number: int) -> Body:
    output: list[Body] = []
    if reply.text is not None:
        part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        output.append(
            {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
        )
    for index, call in enumerate(reply.calls):
        ids = {"id": f"fc_{number}_{index}", "call_id": f"call_{number}_{index}", "status": "completed"}
        output.append({"type": "function_call", "name": call.name, "arguments": call.arguments, **ids})
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": body["model"],
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 7,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 12,
        },
    }


def _responses_events(made: Body) -> list[Body]:
    events: list[Body] = [{"type": "response.created", "response": {**made, "status": "in_progress", "output": []}}]
    for index, item in enumerate(made["output"]):
        where = {"output_index": index, "item_id": item["id"]}
        started = {**item, "status": "in_progress"} | ({"content": []} if "content" in item else {"arguments": ""})
        events.append({"type": "response.output_item.added", "output_index": index, "item": started})
        if "content" in item:
            part, at = item["content"][0], {**where, "content_index": 0}
            events.append({"type": "response.content_part.added", "part": {**part, "text": ""}, **at})
            delta = {"type": "response.output_text.delta", "logprobs": [], **at}
            events += [{**delta, "delta": piece} for piece in _pieces(part["text"])]
            events.append({"type": "response.output_text.done", "text": part["text"], "logprobs": [], **at})
            events.append({"type": "response.content_part.done", "part": part, **at})
        else:
            kind = "response.function_call_arguments"
            events += [{"type": f"{kind}.delta", "delta": piece, **where} for piece in _pieces(item["arguments"])]
            events.append({"type": f"{kind}.done", "arguments": item["arguments"], "name": item["name"], **where})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": made})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _messages(reply: Reply, body: Body, number: int) -> Body:
    content: list[Body] = [] if reply.text is None else [{"type": "text", "text": reply.text}]
    for index, call in enumerate(reply.calls):
        # The API hands arguments over parsed; what is no object cannot be said in it.
        given = json.loads(call.arguments)
        content.append({"type": "tool_use", "id": f"toolu_{number}_{index}", "name": call.name, "input": given})
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 5},
    }


def _messages_events(made: Body) -> list[Body]:
    events: list[Body] = [{"type": "message_start", "message": {**made, "content": [], "stop_reason": None}}]
    for index, block in enumerate(made["content"]):
        if block["type"] == "text":
            empty: Body = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
        else:
            empty = {**block, "input": {}}
            whole = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(whole)]
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    ending = {"stop_reason": made["stop_reason"], "stop_sequence": None}
    return [
        *events,
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
