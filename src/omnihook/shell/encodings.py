"""Text behind an encoding or a compression that nobody needs a key for."""

import base64
import binascii
import bz2
import codecs
import itertools
import lzma
import re
import zlib
from collections.abc import Callable


def base64_text(text: str) -> str | None:
    """What base64 stands for; None where it is none."""
    try:
        return _as_text(base64.b64decode("".join(text.split()) + "==", validate=False))
    except (ValueError, binascii.Error):
        return None


def _as_text(data: bytes) -> str:
    """Bytes as text; those that are none keep their values, so that they can be unpacked."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def inflated(text: str) -> str | None:
    """What compressed bytes unpack to, as far as a small script would go."""
    try:
        data = text.encode("latin-1")
        for start, make in _UNPACKERS.items():
            if data.startswith(start):
                return _as_text(make(data))
    except (UnicodeEncodeError, ValueError, EOFError, OSError, zlib.error, lzma.LZMAError):
        return None
    return text


def _gunzip(data: bytes) -> bytes:
    return zlib.decompressobj(wbits=31).decompress(data, _MAX_UNPACKED)


def _bunzip(data: bytes) -> bytes:
    return bz2.BZ2Decompressor().decompress(data, _MAX_UNPACKED)


def _unxz(data: bytes) -> bytes:
    return lzma.LZMADecompressor(memlimit=_MAX_MEMORY).decompress(data, _MAX_UNPACKED)


_MAX_UNPACKED = 64 * 1024
_MAX_MEMORY = 16 * 1024 * 1024
_UNPACKERS: dict[bytes, Callable[[bytes], bytes]] = {b"\x1f\x8b": _gunzip, b"BZh": _bunzip, b"\xfd7zXZ": _unxz}


def base32_text(text: str) -> str | None:
    """What base32 stands for; None where it is none."""
    try:
        return base64.b32decode("".join(text.split())).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return None


def hexadecimal(text: str) -> str | None:
    """What pairs of hexadecimal digits stand for; None where they are none."""
    try:
        return _as_text(bytes.fromhex(re.sub(r"\s|0x", "", text)))
    except ValueError:
        return None


def reversed_lines(text: str) -> str:
    """Every line backwards."""
    return "\n".join(line[::-1] for line in text.split("\n"))


def in_base64(text: str) -> str:
    """Text in base64, on lines as the program writes them."""
    return base64.encodebytes(_as_bytes(text)).decode()


def in_hexadecimal(text: str) -> str:
    """Text as pairs of hexadecimal digits."""
    return _as_bytes(text).hex() + "\n"


def packed(program: str) -> Callable[[str], str]:
    """How a program packs text, kept as characters for its bytes."""
    pack = _PACKERS[program]
    return lambda text: pack(_as_bytes(text)).decode("latin-1")


def _gzip(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(data) + packer.flush()


_PACKERS: dict[str, Callable[[bytes], bytes]] = {"gzip": _gzip, "bzip2": bz2.compress, "xz": lzma.compress}


def _as_bytes(text: str) -> bytes:
    """The bytes of text; those that were no text before keep their values."""
    try:
        return (
            text.encode("latin-1")
            if text.startswith(tuple(start.decode("latin-1") for start in _UNPACKERS))
            else text.encode()
        )
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def rot13(text: str) -> str:
    """Letters moved by thirteen places."""
    return codecs.encode(text, "rot13")


def uuencoded(text: str) -> tuple[str, str] | None:
    """The file's name and its text in what uuencode wrote, in either of its alphabets."""
    lines = text.split("\n")
    start = next((place for place, line in enumerate(lines) if _BEGIN.match(line)), None)
    match = _BEGIN.match(lines[start]) if start is not None else None
    if start is None or match is None:
        return None
    rows = itertools.takewhile(lambda line: line not in ("end", "====", ""), lines[start + 1 :])
    try:
        data = base64.b64decode("".join(rows)) if match[1] else b"".join(map(binascii.a2b_uu, rows))
    except (ValueError, binascii.Error):
        return None
    return match[2].rstrip(), _as_text(data)


_BEGIN = re.compile(r"begin(-base64)? [0-7]++ (.++)")
