"""JSON as typed values: strict reading, compact writing, and narrowing of foreign objects."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NoReturn, SupportsIndex, TypeAlias, TypeVar

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]

T = TypeVar("T")
MAX_NESTING = 200  # lists and objects in each other: far below what any reader or writer of ours can recurse
_FLAT = frozenset((str, bool, int, float, type(None)))
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(code for code in range(256) if code not in _STEPS)


class FrozenList(list[Json]):
    """A list that cannot be changed; a copy of it can."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("events cannot be changed: return Verdict.rewrite(...), or change a copy")

    append = extend = insert = pop = remove = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[type, tuple[object]]:
        return list, (list(self),)

    def __copy__(self) -> list[Json]:
        return list(self)

    def __deepcopy__(self, memo: object) -> Json:
        return thawed(self)


class FrozenDict(dict[str, Json]):
    """An object that cannot be changed; a copy of it can."""

    __slots__ = ()

    _refuse = FrozenList._refuse
    update = setdefault = pop = popitem = clear = _refuse
    __setitem__ = __delitem__ = __ior__ = _refuse

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[type, tuple[object]]:
        return dict, (dict(self),)

    def __copy__(self) -> dict[str, Json]:
        return dict(self)

    def __deepcopy__(self, memo: object) -> Json:
        return thawed(self)


class _Nothing(FrozenDict):
    """An object that stays empty, so that values may share it as a default."""

    def __hash__(self) -> int:  # type: ignore[override]  # it never changes
        return 0


EMPTY: JsonObject = _Nothing()


# `json.dumps` makes an encoder for each call.
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_ASCII = json.JSONEncoder(separators=(",", ":"))


class JsonError(ValueError):
    """Text that is not the JSON we asked for; the message says where and why."""


def loads(text: str | bytes) -> Json:
    """Parse one JSON document as agents send them: duplicate keys keep the last, NaN is refused."""
    return _parse(text, unique=False)


def loads_strict(text: str | bytes) -> Json:
    """Parse one JSON document in which no object names a key twice."""
    return _parse(text, unique=True)


def loads_object(text: str | bytes) -> dict[str, Json]:
    """Parse one JSON document that must be an object."""
    value = loads(text)
    if not isinstance(value, dict):
        raise JsonError(f"expected a JSON object, found {kind(value)}")
    return value


def dumps(value: object) -> str:
    """Compact JSON; characters stay themselves unless they have no UTF-8 form."""
    text = _COMPACT.encode(value)
    return text if _encodable(text) else _ASCII.encode(value)


def pretty(value: object) -> str:
    """JSON with two spaces; characters stay themselves unless they have no UTF-8 form."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return text if _encodable(text) else json.dumps(value, indent=2)


def encoded(value: object) -> bytes:
    """Compact JSON as UTF-8, made with few copies: an event may be large."""
    try:
        return _COMPACT.encode(value).encode()
    except UnicodeEncodeError:
        return _ASCII.encode(value).encode()


def kind(value: object) -> str:
    """The JSON name of a value's type, for messages."""
    names: dict[type, str] = {
        type(None): "null",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), type(value).__name__)


def take(payload: JsonObject, key: str, wanted: type[T]) -> T | None:
    """The value under key when it has the wanted type, else None; booleans are not numbers."""
    value = payload.get(key)
    if isinstance(value, bool) and wanted is not bool:
        return None
    return value if isinstance(value, wanted) else None


def object_at(payload: JsonObject, key: str) -> JsonObject:
    """The object under a key; an empty one where there is none."""
    value = payload.get(key)
    return value if isinstance(value, dict) else EMPTY


def list_at(payload: JsonObject, key: str) -> Sequence[Json]:
    """The list under a key; an empty one where there is none."""
    value = payload.get(key)
    return value if isinstance(value, list) else ()


def at(document: JsonObject, pointer: Sequence[str | int]) -> Json:
    """The value a pointer leads to, None when there is none."""
    found: Json = dict(document)
    for part in pointer:
        if isinstance(found, dict) and isinstance(part, str):
            found = found.get(part)
        elif isinstance(found, list) and isinstance(part, int) and part < len(found):
            found = found[part]
        else:
            return None
    return found


def number_of(value: Json) -> float:
    """A number as it is, anything else as 0."""
    return float(value) if isinstance(value, int | float) else 0.0


def text_of(value: Json) -> str:
    """A value as text: strings as they are, anything else as compact JSON."""
    return value if isinstance(value, str) else dumps(value)


def frozen(value: Json) -> Json:
    """A value whose lists and objects cannot be changed, at any depth; what is frozen already is not copied."""
    if isinstance(value, (str, FrozenDict, FrozenList)):
        return value
    if isinstance(value, (dict, Mapping)):  # asking for dict first is much quicker
        made = FrozenDict(value)
        for key, item in value.items():
            if type(item) not in _FLAT:
                dict.__setitem__(made, key, frozen(item))
        return made
    return FrozenList([frozen(item) for item in value]) if isinstance(value, (list, tuple)) else value


def thawed(value: Json) -> Json:
    """A copy in plain lists and objects, at any depth."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    return [thawed(item) for item in value] if isinstance(value, list | tuple) else value


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _parse(text: str | bytes, *, unique: bool) -> Json:
    try:
        decoded = text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
        _refuse_depth(decoded)
        value: Json = json.loads(
            decoded.removeprefix("\ufeff"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_unique_keys if unique else None,
        )
    except JsonError:
        raise
    except RecursionError:
        raise JsonError("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise JsonError(_told(error)) from None
    except ValueError as error:  # integers beyond Python's digit limit
        raise JsonError(str(error)) from None
    return value


def _told(error: json.JSONDecodeError) -> str:
    """What the parser says; of a trailing comma, which other formats allow, what is wrong with it."""
    before = error.doc[: error.pos + (error.doc[error.pos : error.pos + 1] == ",")].rstrip()
    rest = error.doc[len(before) :].lstrip()
    if not before.endswith(",") or rest[:1] not in ("]", "}"):
        return str(error)
    comma = json.JSONDecodeError("a comma before a closing bracket, where JSON allows none", error.doc, len(before) - 1)
    return str(comma)


def _refuse_depth(text: str) -> None:
    """Refuse what would end in a RecursionError somewhere; the count alone clears nearly every text."""
    if text.count("[") + text.count("{") <= MAX_NESTING:
        return
    # Without escapes every second part between quotes is a string.
    plain = text.replace("\\\\", "").replace('\\"', "") if "\\" in text else text
    outside = "".join(plain.split('"')[::2]).encode("utf-8", "surrogatepass")
    depths = accumulate(map(_STEPS.__getitem__, outside.translate(None, _NO_BRACKETS)))
    if any(map(MAX_NESTING.__lt__, depths)):
        raise JsonError(f"nested more than {MAX_NESTING} levels deep")


def _finite(word: str) -> float:
    value = float(word)
    if math.isinf(value):
        raise JsonError(f"{word[:40]} is too large for a number")
    return value


def _refuse_constant(word: str) -> Json:
    raise JsonError(f"{word} is not JSON")


def _unique_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise JsonError(f"key {twice!r} appears twice")
    return made
