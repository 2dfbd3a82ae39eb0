"""Functions on strings that languages share under many names, on known text: decoding, reversing, replacing."""

import base64
import binascii
import codecs
import re
import zlib
from collections.abc import Callable, Sequence

from omnihook.shell.tables import names
from omnihook.shell.values import HOLE

BASE64 = names(
    "b64decode urlsafe_b64decode standard_b64decode decodebytes atob decode64 decode64! strict_decode64 base64_decode",
    "decode_base64 urlsafe_decode64 base64decode base64-decode-string FromBase64String decodestring",
)
HEX = names("fromhex unhexlify hex2bin a2b_hex from_hex FromHexString parseHex")
ROT13 = names("str_rot13 rot13 rot13-string")
REVERSE = names("reverse strrev reversed rev reverse! string-reverse stri_reverse")
CHARACTERS = names(
    "chr fromCharCode fromCodePoint char intToUtf8 rawToChar bytes bytearray to_string list_to_binary from_charlist",
    "Character integer->char string unichr make-string",
)
LOWER = names("lower downcase toLowerCase strtolower tolower lowercase casefold lc string-downcase")
UPPER = names("upper upcase toUpperCase strtoupper toupper uppercase uc")
REPLACE = names("replace replaceAll gsub sub tr delete str_replace replace-regexp-in-string string-replace remove")
SPLIT = names("split chars explode strsplit shellsplit toCharArray")
JOIN = names("join implode paste paste0 concat string-append str strcat string-join append mapconcat format-string")
FORMAT = names("format sprintf printf formatted stringf string.format")
INFLATE = names(
    "decompress inflate inflateSync gunzipSync unzipSync gzinflate gzuncompress gzdecode memGunzip inflateRawSync",
)
MAPS = names("map collect flat_map lapply sapply mapcar array_map flatMap for-each pmap")
_MAX = 4096


def base64_decoded(text: str) -> str | None:
    """Base64 undone, None when it is not that."""
    try:
        plain = "".join(text.split()).replace("-", "+").replace("_", "/")
        raw = base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (ValueError, binascii.Error):
        return None

    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        # Kept byte by byte, since it may be unpacked next.
        return raw.decode("latin-1")


def inflated(text: str) -> str | None:
    """Compressed bytes unpacked, whichever of the usual headers they have."""
    for form in (47, -15):
        try:
            return zlib.decompressobj(form).decompress(text.encode("latin-1"), 16 * _MAX).decode("utf-8", "replace")
        except (zlib.error, UnicodeEncodeError):
            continue
    return None


def hex_decoded(text: str) -> str | None:
    """Hexadecimal undone."""
    try:
        return bytes.fromhex(re.sub(r"\s|0x|\\x", "", text)).decode("utf-8", "replace")
    except ValueError:
        return None


def rot13_decoded(text: str) -> str | None:
    """Letters moved by thirteen."""
    return codecs.encode(text, "rot13")


_DECODERS: dict[str, Callable[[str], str | None]] = {
    **dict.fromkeys(BASE64, base64_decoded),
    **dict.fromkeys(("base64", "m", "m0", "base64url"), base64_decoded),
    **dict.fromkeys(HEX, hex_decoded),
    **dict.fromkeys(("hex", "H*", "h*", "hex_codec"), hex_decoded),
    **dict.fromkeys(ROT13, rot13_decoded),
    "rot_13": rot13_decoded,
    **dict.fromkeys(INFLATE, inflated),
}


def decoder(name: str) -> Callable[[str], str | None] | None:
    """What undoes an encoding, by the name of the function or of the encoding."""
    return _DECODERS.get(name)


def characters(codes: Sequence[str]) -> str | None:
    """The text of character codes."""
    if not codes or not all(code.isdigit() and int(code) < 0x110000 for code in codes):
        return None
    return "".join(chr(int(code)) for code in codes[:_MAX])


def replaced(name: str, text: str, given: Sequence[str]) -> str | None:
    """`text.replace(old, new)` with plain text; None when a pattern would have to be understood."""
    if not given or HOLE in given[0]:
        return None
    old, new = given[0], given[1] if len(given) > 1 else ""
    if name in ("tr", "delete"):
        if "-" in old[1:-1] or "^" in old or (len(old) != len(new) and new):
            return None
        return text.translate({ord(mark): (new[place] if new else None) for place, mark in enumerate(old)})
    if not old or len(text) * max(len(new), 1) > _MAX * 16:
        return None
    return text.replace(old, new, 1 if name == "sub" else -1)


def filled(form: str, given: Sequence[str]) -> str:
    """A format with its places filled in turn: `%s`, `%d`, `{}`, `{0}`, `{name}`, `~a`."""
    values = list(given)

    def place(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        value = values.pop(0) if values else HOLE
        return (characters([value]) or value) if found[0].endswith("c") else value

    return re.sub(r"%%|%(?:\d+\$)?-?[\d.]*[sdicvuxr@]|\{\w*(?:[:!][^{}]*)?\}|~[asAS]", place, form)
