"""The chain of records: each holds a hash of itself and of the one before, so that what is missing or changed shows."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from hashlib import blake2b

from omnihook.slotted import dataclass

START = b""
_SIZE = 16
_EXACT = 0.002  # seconds: a record has its time in milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A record as the chain sees it; `hash` is None for one that was written before there was a chain.

    `columns` are what the record is found by; they are in its body too.
    """

    seq: int
    id: str
    body: str
    hash: bytes | None
    columns: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """What came of following the chain: how many records are in it, and the first thing that is wrong with it."""

    records: int
    trouble: str | None = None


def link(before: bytes, id: str, body: str) -> bytes:
    """The hash of a record that stands behind another."""
    return blake2b(before + f"{id}\n{body}".encode("utf-8", "surrogatepass"), digest_size=_SIZE).digest()


def follow(links: Iterable[Link], anchor: bytes, last: int) -> Chain:
    """Follow the chain from what was pruned (`anchor`) to the number given out last."""
    count, before, expected = 0, anchor, None
    for item in links:
        if expected is not None and item.seq != expected:
            return Chain(records=count, trouble=f"{_records(item.seq - expected)} missing before {item.id}")
        if item.hash is None and before != anchor:
            return Chain(records=count, trouble=f"record {item.id} is not in the chain")
        if item.hash is not None and item.hash != link(before, item.id, item.body):
            return Chain(records=count, trouble=f"record {item.id} or the one before it is not as it was written")
        wrong = _misfiled(item)
        if wrong is not None:
            return Chain(records=count, trouble=f"record {item.id} is not as it was written: {wrong}")
        count, before, expected = count + 1, item.hash or anchor, item.seq + 1
    if expected is not None and last >= expected:
        return Chain(records=count, trouble=f"{_records(last - expected + 1)} missing at the end")
    return Chain(records=count)


def _misfiled(item: Link) -> str | None:
    """What of the columns is not what the body says; None when all of it is."""
    try:
        body = json.loads(item.body)
    except (TypeError, ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        return "it cannot be read"
    wrong = [name for name, value in item.columns.items() if not _same(value, body.get(name))]
    return f"it is listed under another {' and '.join(wrong)} than it holds" if wrong else None


def _same(column: object, said: object) -> bool:
    if isinstance(column, float) and isinstance(said, int | float):
        return abs(column - said) < _EXACT
    if column is None or said is None:
        return column is said
    return str(column) == str(said).encode("utf-8", "replace").decode()


def _records(count: int) -> str:
    return "1 record is" if count == 1 else f"{count} records are"
