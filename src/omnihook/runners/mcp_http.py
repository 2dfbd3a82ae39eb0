"""The HTTP client for MCP servers: headers of the user, and a cap on what one answer may hold."""

from collections.abc import AsyncIterator, Mapping

import httpx2

from omnihook.runners.http_urls import means_loopback

BODY_CAP = 4 << 20


class Cap:
    """Ends every response that grows past the cap, and remembers that one did."""

    def __init__(self) -> None:
        self.exceeded = False

    async def __call__(self, response: httpx2.Response) -> None:
        """Take part in a response before its body is read."""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("it is compressed, which was not asked for", request=response.request)
        stream = response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)  # of an asynchronous client
        response.stream = _Counted(stream, self)


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, cap: Cap) -> None:
        self._stream = stream
        self._cap = cap

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > BODY_CAP:
                self._cap.exceeded = True
                raise httpx2.ReadError(f"it is larger than {BODY_CAP} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def open_client(url: str, headers: Mapping[str, str], cap: Cap) -> httpx2.AsyncClient:
    """A client for one call; raises ValueError or httpx2.InvalidURL for what cannot be a URL or a header."""
    return httpx2.AsyncClient(
        headers={**headers, "accept-encoding": "identity"},  # so that the cap counts what is unpacked
        timeout=None,  # the caller's deadline covers everything
        trust_env=not means_loopback(httpx2.URL(url).host),
        event_hooks={"response": [cap]},
    )
