"""HTTP hooks against real servers on loopback that behave badly in every way we could think of."""

import asyncio
import datetime
import gzip
import ipaddress
import socket
import ssl
import time
import tracemalloc
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st

from omnihook.dialect import Failure, Raw
from omnihook.hooks import Cause, Http
from omnihook.runners import http, http_urls


@dataclass
class Received:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    port: int = 0
    scheme: str = "http"
    received: list[Received] = field(default_factory=list)
    written: int = 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/hook"


Answer = Callable[[Received, asyncio.StreamWriter, Server], Awaitable[None]]


def reply(body: bytes = b"", *, status: str = "200 OK", headers: str = "", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{headers}\r\n".encode() + body


def says(data: bytes) -> Answer:
    async def answer(_: Received, writer: asyncio.StreamWriter, __: Server) -> None:
        writer.write(data)
        await writer.drain()

    return answer


async def _receive(reader: asyncio.StreamReader) -> Received:
    first = await reader.readexactly(1)
    if first == b"\x16":
        raise ValueError("a TLS greeting, to a server that has none")
    head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, target, headers, body)


def call(
    answer: Answer,
    *,
    url: str | None = None,
    context: ssl.SSLContext | None = None,
    seconds: float = 5.0,
    headers: Mapping[str, str] | None = None,
    allowed_env: tuple[str, ...] = (),
    body: bytes = b"{}",
    **options: object,
) -> tuple[Raw | Failure, Server]:
    """Start a server that answers so, call it once as a hook, and give back both ends' view."""

    async def scenario() -> tuple[Raw | Failure, Server]:
        server = Server(scheme="http" if context is None else "https")

        connections: set[asyncio.Task[None]] = set()

        async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                received = await _receive(reader)
                server.received.append(received)
                await answer(received, writer, server)
            except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, ValueError):
                pass
            finally:
                writer.close()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.add(asyncio.create_task(connection(reader, writer)))

        listener = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
        server.port = listener.sockets[0].getsockname()[1]
        target = (url or server.url).replace("PORT", str(server.port))
        listed = options.get("allowed_urls")
        if isinstance(listed, tuple):
            options["allowed_urls"] = tuple(entry.replace("PORT", str(server.port)) for entry in listed)
        action = Http(url=target, headers=headers or {}, allowed_env=allowed_env)
        env = options.pop("env", {})
        try:
            outcome = await http.post(action, body=body, deadline=time.monotonic() + seconds, env=env, **options)  # type: ignore[arg-type]  # the options of the case
        finally:
            listener.close()
            for task in connections:
                task.cancel()
            await asyncio.gather(*connections, return_exceptions=True)
            await asyncio.sleep(0)  # the closing of their transports
        return outcome, server

    return asyncio.run(scenario())


def resolver(*found: str) -> http_urls.Resolver:
    async def resolve(_: str, __: int) -> tuple[str, ...]:
        return found

    return resolve


def failure(outcome: Raw | Failure) -> Failure:
    assert isinstance(outcome, Failure), outcome
    return outcome


def test_the_event_is_posted_and_the_body_comes_back() -> None:
    outcome, server = call(says(reply(b'{"decision":"block"}')), body=b'{"tool_name":"Bash"}')
    assert outcome == Raw(channel="http", status=200, stdout='{"decision":"block"}')
    (received,) = server.received
    assert (received.method, received.target, received.body) == ("POST", "/hook", b'{"tool_name":"Bash"}')
    assert received.headers["content-type"] == "application/json"
    assert received.headers["host"] == f"127.0.0.1:{server.port}"


def test_an_empty_2xx_answer_is_an_answer() -> None:
    outcome, _ = call(says(b"HTTP/1.1 204 No Content\r\n\r\n"))
    assert outcome == Raw(channel="http", status=204, stdout="")


def test_bytes_that_are_not_utf8_survive() -> None:
    outcome, _ = call(says(reply(b"\xff\xfe")))
    assert isinstance(outcome, Raw)
    assert outcome.stdout.encode("utf-8", "surrogateescape") == b"\xff\xfe"


@pytest.mark.parametrize("status", ["400 Bad Request", "404 Not Found", "500 Oops", "304 Not Modified"])
def test_a_status_other_than_2xx_fails_and_is_named(status: str) -> None:
    outcome, server = call(says(reply(b'{"decision":"allow"}', status=status)))
    assert failure(outcome).cause is Cause.EXIT
    assert status in failure(outcome).message
    assert server.url in failure(outcome).message


async def _silence(_: Received, writer: asyncio.StreamWriter, __: Server) -> None:
    await asyncio.sleep(30)


async def _drip(_: Received, writer: asyncio.StreamWriter, server: Server) -> None:
    writer.write(reply(length=1000))
    while True:
        writer.write(b" ")
        await writer.drain()
        server.written += 1
        await asyncio.sleep(0.02)


async def _drip_headers(_: Received, writer: asyncio.StreamWriter, server: Server) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-More: 1\r\n")
        await writer.drain()
        server.written += 1
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("answer", [_silence, _drip, _drip_headers], ids=["silent", "dripping", "endless-headers"])
def test_the_deadline_holds_against_a_server_that_takes_its_time(answer: Answer) -> None:
    began = time.monotonic()
    outcome, server = call(answer, seconds=0.4)
    took = time.monotonic() - began
    assert failure(outcome).cause is Cause.TIMEOUT
    assert len(server.received) == 1
    assert 0.35 < took < 1.5


def test_a_deadline_that_has_passed_is_a_timeout() -> None:
    outcome, _ = call(says(reply(b"late")), seconds=-1.0)
    assert failure(outcome).cause is Cause.TIMEOUT


def test_cancellation_passes_through() -> None:
    async def scenario() -> None:
        writers: list[asyncio.StreamWriter] = []
        listener = await asyncio.start_server(lambda _, writer: writers.append(writer), "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        action = Http(url=f"http://127.0.0.1:{port}/")
        task = asyncio.create_task(http.post(action, body=b"{}", deadline=time.monotonic() + 30, env={}))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        (writer,) = writers
        writer.close()
        listener.close()
        await asyncio.sleep(0)

    asyncio.run(scenario())


def test_a_gigabyte_that_is_announced_is_not_read() -> None:
    outcome, _ = call(says(reply(b"x" * 100, length=1 << 30)))
    assert failure(outcome).cause is Cause.OVERFLOW


async def _flood(_: Received, writer: asyncio.StreamWriter, server: Server) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    while server.written < 1 << 30:
        writer.write(chunk)
        await writer.drain()
        server.written += 65536


def test_a_gigabyte_that_is_streamed_ends_at_the_cap() -> None:
    outcome, server = call(_flood, cap=1 << 20)
    assert failure(outcome).cause is Cause.OVERFLOW
    assert server.written < 1 << 26


def test_an_answer_of_exactly_the_cap_is_read_and_one_byte_more_is_not() -> None:
    within, _ = call(says(reply(b"x" * 64)), cap=64)
    beyond, _ = call(says(reply(b"x" * 65)), cap=64)
    assert isinstance(within, Raw)
    assert failure(beyond).cause is Cause.OVERFLOW


def test_a_gzip_bomb_is_counted_after_decompression_and_never_unpacked() -> None:
    bomb = gzip.compress(bytes(96 << 20))
    assert len(bomb) < 1 << 17
    tracemalloc.start()
    try:
        outcome, _ = call(says(reply(bomb, headers="Content-Encoding: gzip\r\n")), cap=1 << 20, seconds=15)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert failure(outcome).cause is Cause.OVERFLOW
    assert peak < 16 << 20


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "identity"])
def test_compressed_answers_are_read(encoding: str) -> None:
    packed = {"gzip": gzip.compress, "deflate": zlib.compress, "identity": bytes}[encoding](b'{"ok":true}' * 50)
    outcome, _ = call(says(reply(packed, headers=f"Content-Encoding: {encoding}\r\n")))
    assert isinstance(outcome, Raw)
    assert outcome.stdout == '{"ok":true}' * 50


@pytest.mark.parametrize(
    "data",
    [
        reply(gzip.compress(b"x" * 4000)[:-12], headers="Content-Encoding: gzip\r\n"),
        reply(gzip.compress(b"a") + gzip.compress(b"b"), headers="Content-Encoding: gzip\r\n"),
        reply(b"not gzip at all", headers="Content-Encoding: gzip\r\n"),
        reply(b"abc", headers="Content-Encoding: br\r\n"),
        reply(b"abc", headers="Content-Encoding: gzip, gzip\r\n"),
        reply(b"short", length=50),
        b"this is no HTTP\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: minus one\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://[::bad/\r\nContent-Length: 0\r\n\r\n",
        b"",
    ],
    ids=[
        "cut-gzip",
        "two-gzip-members",
        "not-gzip",
        "brotli-unasked",
        "gzip-twice",
        "cut-body",
        "not-http",
        "bad-length",
        "bad-location",
        "closed-at-once",
    ],
)
def test_an_answer_that_cannot_be_read_fails_as_output(data: bytes) -> None:
    outcome, _ = call(says(data))
    assert failure(outcome).cause is Cause.OUTPUT


def test_redirects_on_the_same_host_keep_the_method_and_the_body() -> None:
    async def answer(received: Received, writer: asyncio.StreamWriter, _: Server) -> None:
        moved = received.target == "/hook"
        writer.write(reply(status="302 Found", headers="Location: /moved?x=1\r\n") if moved else reply(b"here"))

    outcome, server = call(answer, body=b'{"a":1}', headers={"X-Key": "k"})
    assert outcome == Raw(channel="http", status=200, stdout="here")
    assert [(r.method, r.target, r.body, r.headers["x-key"]) for r in server.received] == [
        ("POST", "/hook", b'{"a":1}', "k"),
        ("POST", "/moved?x=1", b'{"a":1}', "k"),
    ]


def test_a_redirect_loop_ends_after_five() -> None:
    outcome, server = call(says(reply(status="307 Temporary Redirect", headers="Location: /hook\r\n")))
    assert failure(outcome).cause is Cause.EXIT
    assert "5 times" in failure(outcome).message
    assert len(server.received) == 6


@pytest.mark.parametrize(
    "location",
    ["http://localhost:PORT/", "http://127.0.0.1:1/", "https://127.0.0.1:PORT/", "//evil.example/", "ftp://127.0.0.1/"],
)
def test_a_redirect_to_another_host_or_port_is_not_followed(location: str) -> None:
    async def answer(received: Received, writer: asyncio.StreamWriter, server: Server) -> None:
        target = location.replace("PORT", str(server.port))
        writer.write(reply(status="307 Temporary Redirect", headers=f"Location: {target}\r\n"))

    outcome, server = call(answer, headers={"Authorization": "Bearer secret"})
    assert failure(outcome).cause is Cause.EXIT
    assert "another host" in failure(outcome).message
    assert len(server.received) == 1


def test_a_redirect_out_of_the_allow_list_is_not_followed() -> None:
    outcome, server = call(
        says(reply(status="308 Permanent Redirect", headers="Location: /admin\r\n")),
        allowed_urls=("http://127.0.0.1:PORT/hook*",),
    )
    assert failure(outcome).cause is Cause.START
    assert len(server.received) == 1


def test_no_server_at_all_is_a_failure_to_start() -> None:
    outcome, _ = call(says(b""), url="http://127.0.0.1:1/hook")
    assert failure(outcome).cause is Cause.START
    assert "http://127.0.0.1:1/hook" in failure(outcome).message


@pytest.mark.parametrize(
    "url",
    ["", "hooks.example.com/x", "ftp://x.example/", "file:///etc/passwd", "http://", "https://[::1", "http://a b/"],
)
def test_what_is_not_an_http_url_is_refused(url: str) -> None:
    outcome = asyncio.run(http.post(Http(url=url), body=b"{}", deadline=time.monotonic() + 5, env={}))
    assert failure(outcome).cause is Cause.START


def test_secrets_in_a_url_stay_out_of_messages() -> None:
    outcome, _ = call(says(b""), url="http://127.0.0.1:1/hook?token=hunter2")
    assert "hunter2" not in failure(outcome).message
    refused, _ = call(says(b""), url="http://me:hunter2@127.0.0.1:PORT/hook")
    assert failure(refused).cause is Cause.START
    assert "hunter2" not in failure(refused).message


def test_plain_http_leaves_the_machine_only_when_allowed() -> None:
    outcome, server = call(says(reply(b"x")), url="http://hooks.example:PORT/", resolve=resolver("127.0.0.1"))
    assert failure(outcome).cause is Cause.START
    assert "https" in failure(outcome).message
    for unnamed in ("*", "hooks.example:PORT/*", "https://hooks.example:PORT/*"):
        refused, _ = call(says(reply(b"x")), url="http://hooks.example:PORT/", allowed_urls=(unnamed,))
        assert failure(refused).cause is Cause.START
    options = {"allowed_urls": ("http://hooks.example:PORT/*",), "resolve": resolver("127.0.0.1")}
    allowed, server = call(says(reply(b"x")), url="http://hooks.example:PORT/", **options)
    assert isinstance(allowed, Raw)
    assert server.received[0].headers["host"] == f"hooks.example:{server.port}"


PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "192.168.0.1",
    "172.16.0.9",
    "169.254.169.254",
    "100.100.100.200",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "ff02::1",
    "not an address",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_a_public_name_with_a_private_address_is_refused(address: str) -> None:
    outcome, server = call(says(reply(b"secret")), url="https://hooks.example:PORT/", resolve=resolver(address))
    assert failure(outcome).cause is Cause.START
    assert address in failure(outcome).message
    assert server.received == []


@pytest.mark.parametrize("address", ["10.1.2.3", "169.254.169.254", "[fd00::1]", "[::ffff:10.0.0.1]", "2130706433"])
def test_a_private_address_in_the_url_itself_is_refused(address: str) -> None:
    outcome = asyncio.run(http.post(Http(url=f"https://{address}/"), body=b"{}", deadline=time.monotonic() + 5, env={}))
    assert failure(outcome).cause is Cause.START
    assert "private network" in failure(outcome).message


def test_a_wildcard_in_the_allow_list_does_not_open_private_addresses() -> None:
    outcome, _ = call(
        says(reply(b"x")),
        url="http://hooks.example:PORT/",
        allowed_urls=("http://*.example:PORT/*", "*"),
        resolve=resolver("127.0.0.1"),
    )
    assert failure(outcome).cause is Cause.START


def test_a_name_on_the_allow_list_never_opens_the_metadata_address() -> None:
    outcome, _ = call(
        says(reply(b"x")),
        url="https://hooks.example:PORT/",
        allowed_urls=("https://hooks.example:PORT/*",),
        resolve=resolver("169.254.169.254"),
    )
    assert failure(outcome).cause is Cause.START


def test_localhost_that_leads_elsewhere_is_refused() -> None:
    outcome, _ = call(says(reply(b"x")), url="http://localhost:PORT/", resolve=resolver("93.184.216.34"))
    assert failure(outcome).cause is Cause.START


def test_the_name_is_resolved_once_so_that_dns_cannot_change_in_between() -> None:
    asked: list[str] = []

    async def rebinding(host: str, _: int) -> tuple[str, ...]:
        asked.append(host)
        return ("127.0.0.1",) if len(asked) == 1 else ("10.0.0.1",)

    async def answer(received: Received, writer: asyncio.StreamWriter, _: Server) -> None:
        moved = received.target == "/"
        writer.write(reply(status="307 Moved", headers="Location: /b\r\n") if moved else reply(b"same"))

    outcome, server = call(answer, url="http://localhost:PORT/", resolve=rebinding)
    assert outcome == Raw(channel="http", status=200, stdout="same")
    assert asked == ["localhost"]
    assert len(server.received) == 2


def test_the_next_address_is_tried_when_one_refuses() -> None:
    outcome, _ = call(says(reply(b"second")), url="http://localhost:PORT/", resolve=resolver("127.0.0.9", "127.0.0.1"))
    assert outcome == Raw(channel="http", status=200, stdout="second")


def test_a_silent_name_server_neither_stretches_the_deadline_nor_the_end_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def silent(*_: object, **__: object) -> None:
        time.sleep(3)
        raise socket.gaierror("timed out")

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    began = time.monotonic()
    action = Http(url="https://hooks.example/")
    outcome = asyncio.run(http.post(action, body=b"{}", deadline=began + 0.3, env={}))
    assert failure(outcome).cause is Cause.TIMEOUT
    assert time.monotonic() - began < 1.5


def test_names_are_looked_up_by_the_system() -> None:
    assert "127.0.0.1" in asyncio.run(http_urls.system_resolve("localhost", 80))
    with pytest.raises(OSError):
        asyncio.run(http_urls.system_resolve("no-such-host.invalid", 80))
    with pytest.raises((OSError, UnicodeError)):
        asyncio.run(http_urls.system_resolve("a" * 300, 80))


def test_a_host_without_an_address_fails_to_start() -> None:
    async def nowhere(_: str, __: int) -> tuple[str, ...]:
        raise OSError("Name or service not known")

    for resolve in (nowhere, resolver()):
        outcome, _ = call(says(b""), url="https://hooks.example/", resolve=resolve)
        assert failure(outcome).cause is Cause.START
        assert "no address" in failure(outcome).message


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("*", "https://a.example/x", True),
        ("https://*", "https://a.example/x", True),
        ("https://*", "http://a.example/x", False),
        ("https://a.example/*", "https://a.example/x/y?z", True),
        ("https://a.example/*", "https://a.example:8443/x", False),
        ("https://a.example:*", "https://a.example:8443/x", True),
        ("https://*.example/*", "https://evil.test/.example/", False),
        ("https://*.example/*", "https://evil.test?.example/", False),
        ("https://*.example/*", "https://a.b.example/", True),
        ("https://a.example", "https://a.example/", True),
        ("https://a.example", "https://a.example/x", False),
        ("https://a.example", "https://a.example.evil.test/", False),
        ("https://a.example/*", "https://A.EXAMPLE/x", True),
        ("https://a.example/hook", "https://a.example/hook2", False),
        ("http://localhost:*", "http://localhost:3000/hook", True),
        ("a.example/*", "https://a.example/x", True),
        ("https://a.example/a.b", "https://a.example/axb", False),
        ("", "https://a.example/", False),
    ],
)
def test_patterns_compare_part_by_part(pattern: str, url: str, expected: bool) -> None:
    assert http_urls.matches(pattern, httpx.URL(url)) is expected


def test_an_empty_allow_list_allows_nothing() -> None:
    outcome, server = call(says(reply(b"x")), allowed_urls=())
    assert failure(outcome).cause is Cause.START
    assert server.received == []


def test_headers_take_only_the_variables_they_may() -> None:
    env = {"TOKEN": "t1", "SECRET": "s1", "BOTH": "b1"}
    headers = {
        "Authorization": "Bearer $TOKEN",
        "X-Braces": "<${BOTH}>",
        "X-Secret": "a${SECRET}b$SECRET.c",
        "X-Odd": "${TOKEN:-x} costs $5",
        "Host": "evil.example",
        "Content-Length": "1",
    }
    allowed = ("TOKEN", "BOTH")
    _, server = call(says(reply()), headers=headers, allowed_env=allowed, env=env)
    sent = server.received[0].headers
    assert sent["authorization"] == "Bearer t1"
    assert sent["x-braces"] == "<b1>"
    assert sent["x-secret"] == "ab.c"
    assert sent["x-odd"] == "costs $5"
    assert sent["host"] == f"127.0.0.1:{server.port}"
    _, narrowed = call(says(reply()), headers=headers, allowed_env=("TOKEN",), env=env)
    assert narrowed.received[0].headers["x-braces"] == "<>"


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\x00b"])
def test_a_variable_cannot_smuggle_another_header(value: str) -> None:
    outcome, server = call(says(reply()), headers={"X-A": "v$V"}, allowed_env=("V",), env={"V": value})
    assert failure(outcome).cause is Cause.START
    assert "X-A" in failure(outcome).message
    assert server.received == []


def test_a_trailing_line_break_of_a_secret_is_dropped_and_other_text_is_kept() -> None:
    outcome, server = call(says(reply()), headers={"X-A": "é $V"}, allowed_env=("V",), env={"V": "key\n"})
    assert isinstance(outcome, Raw)
    assert server.received[0].headers["x-a"].encode("latin-1").decode() == "é key"


@given(st.lists(st.sampled_from(["$A", "${A}", "$B", "${B}", "$", "${", "}", "B", "x ", "${A:-$B}"])))
def test_no_arrangement_of_references_brings_out_a_variable_that_is_not_allowed(parts: list[str]) -> None:
    text = "".join(parts)
    made = http.expand(text, {"A": "allowed", "B": "secret", "BB": "secret", "AB": "secret"}, frozenset({"A"}))
    assert "secret" not in made
    assert http.expand(text.replace("$", ""), {"A": "1"}, frozenset({"A"})) == text.replace("$", "")


def test_a_name_is_not_taken_for_a_longer_one() -> None:
    assert http.expand("$A_B|$A-B|${A}B", {"A": "1"}, frozenset({"A"})) == "|1-B|1B"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for hooks.example and 127.0.0.1, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "hooks.example")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("hooks.example"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return path


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_a_self_signed_certificate_is_refused(tls: ssl.SSLContext) -> None:
    outcome, server = call(says(reply(b"x")), context=tls)
    assert failure(outcome).cause is Cause.START
    assert "certificate" in failure(outcome).message.lower()
    assert server.received == []


def test_a_certificate_from_the_users_bundle_is_accepted(tls: ssl.SSLContext, certificate: Path) -> None:
    outcome, _ = call(says(reply(b"x")), context=tls, env={"SSL_CERT_FILE": str(certificate)})
    assert outcome == Raw(channel="http", status=200, stdout="x")


def test_the_certificate_must_be_the_names_although_we_connect_to_an_address(
    tls: ssl.SSLContext, certificate: Path
) -> None:
    env = {"SSL_CERT_FILE": str(certificate)}
    for host, accepted in (("hooks.example", True), ("other.example", False)):
        outcome, _ = call(
            says(reply(b"x")),
            context=tls,
            url=f"https://{host}:PORT/",
            allowed_urls=(f"https://{host}:PORT/*",),
            resolve=resolver("127.0.0.1"),
            env=env,
        )
        assert isinstance(outcome, Raw) is accepted, outcome


def test_an_unreadable_bundle_is_said_and_not_ignored(tmp_path: Path, tls: ssl.SSLContext) -> None:
    missing = tmp_path / "none.pem"
    outcome, _ = call(says(reply(b"x")), context=tls, env={"SSL_CERT_FILE": str(missing)})
    assert failure(outcome).cause is Cause.START
    assert str(missing) in failure(outcome).message


def test_tls_spoken_to_a_plain_server_fails_to_start() -> None:
    outcome, _ = call(says(reply(b"x")), url="https://127.0.0.1:PORT/")
    assert failure(outcome).cause is Cause.START


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    outcome, _ = call(says(reply(b"direct")))
    assert outcome == Raw(channel="http", status=200, stdout="direct")
