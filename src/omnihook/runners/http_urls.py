"""Where an HTTP hook may go: https or loopback, allow-listed URLs, and no private address behind a public name."""

import asyncio
import ipaddress
import re
import socket
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias

import httpx

from omnihook.slotted import dataclass

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver: TypeAlias = Callable[[str, int], Awaitable[tuple[str, ...]]]

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PATTERN = re.compile(r"(?:(?P<scheme>[^:/]+)://)?(?P<authority>[^/?#]*)(?P<rest>.*)", re.DOTALL)


class Refused(Exception):
    """A request we do not make; the text says why, and what would help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What limits the URLs of HTTP hooks; `allowed` None means every URL, empty means none.

    A pattern that begins with `http://` also allows what it matches to be sent in the clear.
    """

    allowed: tuple[str, ...] | None = None


def parse(text: str) -> httpx.URL:
    """The URL of a hook, or Refused when it is none that can be posted to."""
    try:
        url = httpx.URL(text.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise Refused(f"it is not a URL ({error})") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise Refused("it is not an http or https URL")
    if url.port is not None and not 0 < url.port < 1 << 16:
        raise Refused(f"there is no port {url.port}")
    if url.userinfo:
        raise Refused("it has credentials in it; send them in a header")
    return url


def show(text: str) -> str:
    """A URL as it may be shown and logged: credentials and query left out, because secrets live there."""
    try:
        url = httpx.URL(text.strip())
    except (httpx.InvalidURL, ValueError):
        return repr(text[:80])
    return str(url.copy_with(userinfo=b"", query=None, fragment=None))


def check(url: httpx.URL, rules: Rules) -> None:
    """Refuse a URL that is not allow-listed, or would send the event over a network in the clear."""
    if rules.allowed is not None and not any(matches(pattern, url) for pattern in rules.allowed):
        raise Refused("the URL is not on the list of allowed URLs; add it there to allow it")
    if url.scheme == "http" and not (means_loopback(url.host) or _in_the_clear(url, rules)):
        raise Refused("plain http is only for this machine; use https, or allow its http:// URL by name")


def _in_the_clear(url: httpx.URL, rules: Rules) -> bool:
    spelled = (pattern for pattern in rules.allowed or () if pattern.strip().lower().startswith("http://"))
    return any(matches(pattern, url) for pattern in spelled)


def matches(pattern: str, url: httpx.URL) -> bool:
    """Whether a URL fits a pattern in which `*` is any text.

    Scheme, host with port, and the rest are compared one by one, so that a `*` meant for a host
    never reaches into a path. A pattern that ends in a `*` host, such as `https://*`, means every path.
    """
    parts = _PATTERN.fullmatch(pattern.strip())
    assert parts is not None  # every group may be empty
    scheme, authority, rest = parts["scheme"], parts["authority"], parts["rest"]
    if not rest:
        rest = "*" if authority.endswith("*") else "/"
    return (
        _fits(scheme if scheme is not None else "*", url.scheme)
        and _fits(authority.lower(), url.netloc.decode("ascii").lower())
        and _fits(rest, url.raw_path.decode("ascii"))
    )


def names_host(pattern: str, host: str) -> bool:
    """Whether a pattern spells this very host, without any `*` in it."""
    parts = _PATTERN.fullmatch(pattern.strip())
    assert parts is not None  # every group may be empty
    spelled = re.sub(r":(\d+|\*)$", "", parts["authority"]).strip("[]").lower()
    return "*" not in spelled and spelled == host.lower()


def means_loopback(host: str) -> bool:
    """Whether whoever wrote this host meant the machine itself."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = _literal(name)
    return address is not None and address.is_loopback


async def system_resolve(host: str, port: int) -> tuple[str, ...]:
    """The addresses of a host, as the system's resolver gives them.

    It waits in a thread of its own, which nobody joins: an executor's thread would keep the whole
    program from ending for as long as a name server is silent.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[tuple[str, ...]] = loop.create_future()
    threading.Thread(target=_look_up, args=(host, port, loop, answer), daemon=True).start()
    return await answer


async def addresses(url: httpx.URL, rules: Rules, resolve: Resolver) -> tuple[str, ...]:
    """The addresses of the URL's host that we may connect to; Refused when there are none.

    The caller connects to these and never resolves again, so that a name cannot change in between.
    """
    port = url.port if url.port is not None else {"http": 80, "https": 443}[url.scheme]
    try:
        found = await resolve(url.host, port)
    except (OSError, UnicodeError) as error:
        raise Refused(f"the host {url.host!r} has no address ({error})") from None
    usable = tuple(text for text in found if _may_connect(text, url.host, rules))
    if found and not usable:
        raise Refused(
            f"the host {url.host!r} leads to {found[0]}, an address inside a private network; "
            "name the host itself in the list of allowed URLs if that is meant"
        )
    if not usable:
        raise Refused(f"the host {url.host!r} has no address")
    return usable


def same_origin(url: httpx.URL, other: httpx.URL) -> bool:
    """Whether a redirect stays on the same host and port, or goes from http to https on it."""
    if (url.scheme, url.host, url.port) == (other.scheme, other.host, other.port):
        return True
    upgrade = (url.scheme, other.scheme) == ("http", "https")
    return upgrade and url.host == other.host and url.port is None and other.port is None


def _look_up(host: str, port: int, loop: asyncio.AbstractEventLoop, answer: "asyncio.Future[tuple[str, ...]]") -> None:
    found: tuple[str, ...] | OSError | UnicodeError
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        found = tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
    except (OSError, UnicodeError) as error:
        found = error
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(_settle, answer, found)


def _settle(answer: "asyncio.Future[tuple[str, ...]]", found: tuple[str, ...] | OSError | UnicodeError) -> None:
    if answer.done():
        return
    if isinstance(found, tuple):
        answer.set_result(found)
    else:
        answer.set_exception(found)


def _may_connect(text: str, host: str, rules: Rules) -> bool:
    address = _literal(text.partition("%")[0])
    if address is None:
        return False
    if means_loopback(host):
        return address.is_loopback
    if address.is_global and not address.is_multicast:
        return True
    named = any(names_host(pattern, host) for pattern in rules.allowed or ())
    # Cloud metadata lives on link-local addresses; a name in front of one is never meant.
    reachable = not (address.is_link_local or address.is_multicast or address.is_unspecified)
    return named and (reachable or _literal(host) == address)


def _literal(text: str) -> Address | None:
    """The address a text spells, with IPv4 taken out of the IPv6 forms that embed it."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo is not None else address)


def _fits(pattern: str, text: str) -> bool:
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), text, re.DOTALL) is not None
