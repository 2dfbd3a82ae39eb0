"""Text from hooks, files and repositories made safe to show: nothing in it moves a cursor or hides a character."""

import re

LIMIT = 4000

# C0 and C1 controls, DEL, bidirectional marks and overrides, zero-width and other invisible characters,
# lone surrogates, and the tag block.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202f"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U00013430-\U00013455\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def shown(text: str, limit: int = LIMIT) -> str:
    """A text for a terminal, its own line breaks kept."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return _UNSAFE.sub(_escaped, cut)


def one_line(text: str, limit: int = 300) -> str:
    """A text as one line: breaks and tabs are shown as escapes."""
    return shown(text, limit).replace("\n", "\\n").replace("\t", "\\t")


def counted(count: int, noun: str) -> str:
    """So many of something: `1 hook`, `2 hooks`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
