"""Flattening: a record copied as plain JSON no larger than it may be, and a list of all the texts in it."""

import hashlib
import marshal
import math
from collections.abc import Mapping, Sequence

from omnihook.journal import names
from omnihook.jsontypes import Json
from omnihook.slotted import dataclass

FIELD = 32 << 10  # characters kept of one text
RECORD = 128 << 10  # characters kept of one record
DEPTH = 64
_MARGIN = 4 << 10  # read beyond what is kept, so that a secret at the edge is seen whole
_NODE = 96  # what one value takes of a record's size, however short it is
_PIECE = 1 << 20  # characters hashed at once
_SHORT = 12  # a key no longer than this is no secret


# What is known of a text from where it stands; numbers, because members of an enum are slow to join.
SECRET = 1  # under the name of a secret
GIVEN = 2  # a tool was given it
CONTENT = 4  # it may be content of a file
KEY = 8  # it is a key itself

Holder = dict[str, Json] | list[Json]


@dataclass(slots=True)
class Leaf:
    """A text and its place in the copy. `text` may end a little behind `keep`, what is kept of `total` characters."""

    holder: Holder
    place: str | int
    text: str
    keep: int
    total: int
    role: int = 0
    digest: str = ""

    def put(self, text: str) -> None:
        """Set the text in the copy."""
        if isinstance(self.holder, list):
            assert isinstance(self.place, int)
            self.holder[self.place] = text
        elif self.role & KEY:
            items = [(text if key == self.place else key, value) for key, value in self.holder.items()]
            self.holder.clear()
            self.holder.update(items)
        else:
            self.holder[str(self.place)] = text


class Copy:
    """A copy in the making; `leaves` are its texts in order."""

    def __init__(self, key: bytes) -> None:
        self.leaves: list[Leaf] = []
        self._key = key
        self._left = RECORD

    def of(self, record: Mapping[str, object]) -> dict[str, Json]:
        """The copy of a record; its texts are not redacted yet."""
        return self._object(record, 0, 0)

    def _object(self, source: Mapping[str, object], role: int, depth: int) -> dict[str, Json]:
        made: dict[str, Json] = {}
        named = any(isinstance(name := source.get(key), str) and names.holds_secret(name) for key in names.NAMING)
        for key, value in source.items():
            if self._left <= 0:
                made["[cut]"] = f"[cut:{len(source)} keys:{self._digest_of(source)}]"
                break
            self._left -= _NODE + len(key)
            if len(key) > _SHORT:
                self.leaves.append(Leaf(made, key, key[: FIELD + _MARGIN], FIELD, len(key), KEY))
            own = role | SECRET if named and key in names.VALUED else role
            if own & SECRET and names.describes(key):
                own &= ~SECRET
            made[key] = self._value(value, made, key, _role(key, own), depth)
        return made

    def _list(self, source: Sequence[object], role: int, depth: int) -> list[Json]:
        made: list[Json] = []
        before: object = None
        if len(source) == 2 and isinstance(source[0], str) and isinstance(source[1], str):
            pair = names.paired(source[0], source[1])
        else:
            pair = False
        for value in source:
            if self._left <= 0:
                made.append(f"[cut:{len(source)} items:{self._digest_of(source)}]")
                break
            self._left -= _NODE
            named = isinstance(before, str) and before.startswith("-") and "=" not in before
            secret = SECRET if named and names.holds_secret(str(before).lstrip("-")) else 0
            secret |= SECRET if pair and made else 0
            made.append(None)
            made[-1] = self._value(value, made, len(made) - 1, role | secret, depth)
            before = value
        return made

    def _value(self, value: object, holder: Holder, place: str | int, role: int, depth: int) -> Json:
        if isinstance(value, str):
            return self._text(value, holder, place, role)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            if role & SECRET or not math.isfinite(value):
                return self._text(str(value), holder, place, role)
            return value
        if isinstance(value, Mapping | list | tuple):
            if depth >= DEPTH:
                return f"[cut:{len(value)} items deeper]"
            if isinstance(value, Mapping):
                return self._object(value, role, depth + 1)
            return self._list(value, role, depth + 1)
        return self._text(str(value), holder, place, role)

    def _text(self, text: str, holder: Holder, place: str | int, role: int) -> str:
        total = len(text)
        keep = FIELD if self._left > 0 else 0
        self._left -= min(total, FIELD)
        leaf = Leaf(holder, place, text, keep, total, role)
        if total > keep:
            leaf.text, leaf.digest = text[: keep + _MARGIN], self.digest(text)
        self.leaves.append(leaf)
        return text

    def digest(self, text: str) -> str:
        """The keyed hash of a text."""
        made = hashlib.sha256(self._key)
        for start in range(0, len(text), _PIECE):  # piece by piece: a text may be as large as an event
            made.update(text[start : start + _PIECE].encode("utf-8", "surrogatepass"))
        return made.hexdigest()[:12]

    def _digest_of(self, value: object) -> str:
        # Version 2, whose bytes depend on the value alone.
        try:
            whole = marshal.dumps(value, 2)  # type: ignore[arg-type]  # what cannot be dumped raises
        except ValueError:
            return "?"
        return hashlib.sha256(self._key + whole).hexdigest()[:12]


def _role(key: str, role: int) -> int:
    if names.holds_secret(key):
        role |= SECRET
    if key in names.INPUTS:
        role |= GIVEN
    if key in names.RESPONSES:
        role |= CONTENT
    return role & ~CONTENT if key in names.PLAIN else role
