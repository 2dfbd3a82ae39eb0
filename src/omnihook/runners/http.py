"""HTTP hooks: one POST of the event, bounded in time and size, to an address that was checked before connecting."""

import asyncio
import re
import ssl
import time
import zlib
from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import lru_cache

import httpx

from omnihook.dialect import Failure, Raw
from omnihook.hooks import Cause, Http
from omnihook.runners.http_urls import (
    Refused,
    Resolver,
    Rules,
    addresses,
    check,
    parse,
    same_origin,
    show,
    system_resolve,
)

MAX_REDIRECTS = 5

# Anything in `${...}` counts, so that a reference nobody understands is never sent as it stands.
_REFERENCE = re.compile(r"\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})


class _TooLargeError(Exception):
    """The answer is larger than its cap."""


class _UnreadableError(Exception):
    """The answer cannot be read; the text says why."""


async def post(
    action: Http,
    *,
    body: bytes,
    deadline: float,
    env: Mapping[str, str],
    allowed_urls: tuple[str, ...] | None = None,
    allowed_env: tuple[str, ...] | None = None,
    cap: int = 1 << 20,
    resolve: Resolver = system_resolve,
) -> Raw | Failure:
    """POST the event as JSON and bring back the body of a 2xx answer; nothing the server does raises.

    `deadline` is a time.monotonic() value and covers everything, `cap` counts bytes after decompression.
    No proxy is used: the connection goes to the very address that was checked. A certificate bundle
    named by SSL_CERT_FILE in `env` replaces the usual one.
    """
    shown = show(action.url)
    rules = Rules(allowed=allowed_urls)
    try:
        async with asyncio.timeout(deadline - time.monotonic()):
            headers = _headers(action, env, allowed_env)
            async with _client(env) as client:
                return await _exchange(client, action.url, headers, body, rules, resolve, cap)
    except Refused as refusal:
        return Failure(cause=Cause.START, message=f"{shown} was not called: {refusal}")
    except TimeoutError:
        return Failure(cause=Cause.TIMEOUT, message=f"{shown} did not answer in time; raise the hook's timeout")
    except _TooLargeError:
        return Failure(cause=Cause.OVERFLOW, message=f"{shown} answered with more than {cap} bytes")
    except httpx.ConnectError as error:
        hint = "SSL_CERT_FILE can name who to trust" if "CERTIFICATE" in str(error) else "is the server running?"
        return Failure(cause=Cause.START, message=f"no connection to {shown} ({_brief(error)}); {hint}")
    except (httpx.HTTPError, httpx.InvalidURL, _UnreadableError, zlib.error) as error:
        return Failure(cause=Cause.OUTPUT, message=f"the answer of {shown} cannot be read ({_brief(error)})")


def expand(text: str, env: Mapping[str, str], names: frozenset[str]) -> str:
    """Replace `$NAME` and `${NAME}` by variables; a name that is not among `names` becomes nothing."""

    def value(reference: re.Match[str]) -> str:
        name = reference[1] if reference[1] is not None else reference[2]
        return env.get(name, "") if name in names else ""

    return _REFERENCE.sub(value, text)


async def _exchange(
    client: httpx.AsyncClient,
    target: str,
    headers: Mapping[bytes, bytes],
    body: bytes,
    rules: Rules,
    resolve: Resolver,
    cap: int,
) -> Raw | Failure:
    url = parse(target)
    check(url, rules)
    pins = await addresses(url, rules, resolve)
    for _ in range(MAX_REDIRECTS + 1):
        async with AsyncExitStack() as stack:
            response = await _send(client, url, pins, headers, body)
            stack.push_async_callback(response.aclose)
            if not response.has_redirect_location:
                return await _answer(response, url, cap)
            following = _following(url, response)
            if not same_origin(url, following):
                text = f"{show(str(url))} redirects to another host, {following.host!r}; use that URL in the hook"
                return Failure(cause=Cause.EXIT, message=text)
        url = following
        check(url, rules)
    return Failure(cause=Cause.EXIT, message=f"{show(target)} redirects more than {MAX_REDIRECTS} times")


async def _send(
    client: httpx.AsyncClient, url: httpx.URL, pins: tuple[str, ...], headers: Mapping[bytes, bytes], body: bytes
) -> httpx.Response:
    """Send to the first of the checked addresses that accepts a connection."""
    trouble: httpx.ConnectError | None = None
    for pin in pins:
        request = client.build_request(
            "POST",
            url.copy_with(host=pin, userinfo=b""),
            content=body,
            headers={**headers, b"host": url.netloc},
            # The certificate must be the name's, not the address's.
            extensions={"sni_hostname": url.host},
        )
        try:
            return await client.send(request, stream=True)
        except httpx.ConnectError as error:
            trouble = error
    assert trouble is not None  # there is at least one address
    raise trouble


def _following(url: httpx.URL, response: httpx.Response) -> httpx.URL:
    try:
        following = url.join(response.headers["location"])
    except (httpx.InvalidURL, ValueError):
        raise _UnreadableError("it redirects to something that is not a URL") from None
    return following.copy_with(fragment=None)


async def _answer(response: httpx.Response, url: httpx.URL, cap: int) -> Raw | Failure:
    if not response.is_success:
        phrase = f"{response.status_code} {response.reason_phrase}".strip()
        return Failure(
            cause=Cause.EXIT, message=f"{show(str(url))} answered {phrase}; a hook answers 200 and says no in JSON"
        )
    data = await _read(response, cap)
    return Raw(channel="http", status=response.status_code, stdout=data.decode("utf-8", "surrogateescape"))


async def _read(response: httpx.Response, cap: int) -> bytes:
    """The decoded body; decompression stops at the cap, so that a few bytes cannot become gigabytes."""
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > cap:
        raise _TooLargeError
    decoder = _decoder(response.headers.get("content-encoding", ""))
    kept, received = bytearray(), 0
    async for chunk in response.aiter_raw():
        received += len(chunk)
        kept += chunk if decoder is None else decoder.decompress(chunk, cap + 1 - len(kept))
        if len(kept) > cap:
            raise _TooLargeError
    if decoder is not None and received and (decoder.unused_data or not decoder.eof):
        raise _UnreadableError("its compressed body is incomplete")
    return bytes(kept)


def _decoder(encoding: str) -> "zlib._Decompress | None":
    match encoding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip" | "deflate":
            return zlib.decompressobj(32 + zlib.MAX_WBITS)
    raise _UnreadableError(f"content encoding {encoding[:40]!r} was not asked for")


def _headers(action: Http, env: Mapping[str, str], allowed_env: tuple[str, ...] | None) -> dict[bytes, bytes]:
    names = frozenset(action.allowed_env)
    if allowed_env is not None:
        names &= frozenset(allowed_env)
    made = {
        b"content-type": b"application/json",
        b"accept": b"application/json",
        b"accept-encoding": b"gzip, deflate",
        b"user-agent": b"omnihook",
    }
    for name, text in action.headers.items():
        value = expand(text, env, names).strip()
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or re.search(r"[\x00\r\n]", value):
            raise Refused(f"the header {name!r} cannot be sent (a line break or a sign that headers do not have)")
        if name.lower() not in _OURS:
            made[name.lower().encode()] = value.encode("utf-8", "surrogateescape")
    return made


def _client(env: Mapping[str, str]) -> httpx.AsyncClient:
    bundle = env.get("SSL_CERT_FILE") or None
    try:
        verify = _usual_context() if bundle is None else ssl.create_default_context(cafile=bundle)
    except OSError as error:  # ssl.SSLError is one, too
        raise Refused(f"the certificates in SSL_CERT_FILE={bundle} cannot be read ({error})") from None
    return httpx.AsyncClient(verify=verify, trust_env=False, timeout=None, follow_redirects=False)


@lru_cache(maxsize=1)
def _usual_context() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


def _brief(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]
