"""What editing remembers in the state folder: disabled hooks that have no place in their file, and how to undo."""

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from omnihook.editing.json_text import Piece
from omnihook.errors import ConfigError
from omnihook.files import Refused, read_text, replace_text
from omnihook.hooks import Layer
from omnihook.jsontypes import Json, JsonError, JsonObject, loads_object, pretty, take
from omnihook.slotted import dataclass

FILE, LOCK = "edits.json", "edits.lock"
REMEMBERED = 400  # edits that can be undone exactly
ORIGINS, ORIGIN_SIZE = 16, 1 << 17  # files whose whole text is remembered, and its length


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A hook that was taken out of its file: its text, and the place to put it back."""

    id: str
    dialect: str
    path: str
    layer: str
    role: str
    root: str | None
    label: str  # what it was called when it was disabled
    name: str
    about: str  # what it runs
    guard: bool
    pointer: tuple[str | int, ...]  # the way to what held it, counting those that are kept aside too
    key: str | None  # its key in an object
    number: int  # its place there, counted alike
    piece: Piece
    group: Json  # the object around the list, without the list; None when there was none
    digest: str
    pending: bool = False  # it may still be in the file


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An edit that was made: in a file that has not changed since, its inverse gives the bytes back."""

    path: str
    kind: str  # enabled, switch, added
    digest: str
    after: str  # hash of the text it left
    at: int
    removed: str
    inserted: int  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A file's text before any hook of it was kept aside, for as long as nothing else changes the file."""

    path: str
    text: str
    after: str  # hash of the text that keeping aside and putting back left


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """All that is remembered."""

    kept: tuple[Kept, ...] = ()
    marks: tuple[Mark, ...] = ()
    origins: tuple[Origin, ...] = ()


class Ledger:
    """The file in the state folder; every change of it is atomic."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, FILE)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold everybody else off who keeps hooks aside, while a file and this memory change together."""
        path = os.path.join(self.folder, LOCK)
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except (FileExistsError, NotADirectoryError):
            raise ConfigError(f"cannot write {self.path}: {self.folder} is not a folder; move it away") from None
        except OSError as error:
            raise ConfigError(f"cannot write {self.path}: {error.strerror}; make its folder writable") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)  # it ends with the process that holds it
            yield
        finally:
            os.close(handle)

    def read(self) -> Memory:
        """Everything that is remembered; raises ConfigError when the file cannot be used."""
        text = read_text(self.path, layer=Layer.USER, root=None)
        if isinstance(text, Refused):
            raise ConfigError(f"{self.path}: {text.reason}{f'; {text.fix}' if text.fix else ''}")
        return _memory(text or "", self.path)

    def change(self, make: Callable[[Memory], Memory]) -> None:
        """Remember something else."""
        replace_text(self.path, lambda text: _text(make(_memory(text, self.path))))

    def keep(self, kept: Kept) -> None:
        """Remember a hook; one of the same id is replaced."""
        self.change(lambda memory: replace(memory, kept=(*_without(memory.kept, kept.id), kept)))

    def forget(self, id: str) -> None:
        """Remember a hook no longer, nor what its file was with it."""
        self.change(lambda memory: followed(_forgotten(memory, id), _path(memory, id), None))

    def restored(self, id: str, before: str, after: str) -> None:
        """Remember a hook no longer that is back in its file."""
        self.change(
            lambda memory: followed(_forgotten(memory, id), _path(memory, id), after, origin(memory, id, before))
        )

    def mark(self, mark: Mark) -> None:
        """Remember an edit, in place of an earlier one of the same thing."""
        self.change(
            lambda memory: replace(
                memory, marks=(*_others(memory, mark.path, mark.kind, mark.digest), mark)[-REMEMBERED:]
            )
        )

    def unmark(self, path: str, kind: str, digest: str) -> None:
        """Remember an edit no longer."""
        self.change(lambda memory: replace(memory, marks=_others(memory, path, kind, digest)))

    def marked(self, path: str, kind: str, digest: str) -> Mark | None:
        """The edit of a thing, if it is remembered."""
        found = (m for m in self.read().marks if (m.path, m.kind, m.digest) == (path, kind, digest))
        return next(found, None)


def origin(memory: Memory, id: str, text: str) -> str | None:
    """What the file of a kept hook was before any was kept aside; None when something else changed it since."""
    path, now = _path(memory, id), text_digest(text)
    return next((item.text for item in memory.origins if (item.path, item.after) == (path, now)), None)


def followed(memory: Memory, path: str, after: str | None, start: str | None = None) -> Memory:
    """The memory of a file that began as `start` and is `after` now; None in place of either forgets it."""
    others = tuple(item for item in memory.origins if item.path != path)
    if after is None or start is None or len(start) > ORIGIN_SIZE or all(item.path != path for item in memory.kept):
        return replace(memory, origins=others)
    made = Origin(path=path, text=start, after=text_digest(after))
    return replace(memory, origins=(*others, made)[-ORIGINS:])


def mark_of(path: str, kind: str, digest: str, before: str, after: str) -> Mark:
    """The edit that made one text of another."""
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    return Mark(
        path=path,
        kind=kind,
        digest=digest,
        after=text_digest(after),
        at=start,
        removed=before[start : len(before) - end],
        inserted=len(after) - end - start,
    )


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))


def undone(mark: Mark | None, text: str) -> str | None:
    """The text before an edit, when the text is still what the edit left; else None."""
    if mark is None or mark.after != text_digest(text):
        return None
    return text[: mark.at] + mark.removed + text[mark.at + mark.inserted :]


def text_digest(text: str) -> str:
    """A hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(value: Json) -> str:
    """A hash of a value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def _without(kept: tuple[Kept, ...], id: str) -> tuple[Kept, ...]:
    return tuple(item for item in kept if item.id != id)


def _path(memory: Memory, id: str) -> str:
    return next((item.path for item in memory.kept if item.id == id), "")


def _forgotten(memory: Memory, id: str) -> Memory:
    return replace(
        memory, kept=_without(memory.kept, id), marks=tuple(mark for mark in memory.marks if mark.digest != id)
    )


def _others(memory: Memory, path: str, kind: str, digest: str) -> tuple[Mark, ...]:
    return tuple(m for m in memory.marks if (m.path, m.kind, m.digest) != (path, kind, digest))


def _memory(text: str, path: str) -> Memory:
    try:
        document = loads_object(text) if text.strip() else {}
        kept = tuple(_kept(item) for item in _objects(document, "kept"))
        marks = tuple(Mark(**item) for item in _objects(document, "marks"))  # type: ignore[arg-type]  # see _text
        origins = tuple(Origin(**item) for item in _objects(document, "origins"))  # type: ignore[arg-type]  # see _text
        return Memory(kept=kept, marks=marks, origins=origins)
    except (JsonError, KeyError, TypeError) as error:
        told = f"{path}, which holds hooks you disabled, is broken and stays as it is: {error}"
        raise ConfigError(f"{told}; correct it, or move it away to begin anew") from None


def _objects(document: JsonObject, key: str) -> list[dict[str, Json]]:
    return [item for item in take(document, key, list) or [] if isinstance(item, dict)]


def _kept(item: Mapping[str, Json]) -> Kept:
    piece = take(item, "piece", dict) or {}
    texts = {key: str(piece.get(key, "")) for key in ("text", "lead", "tail")}
    values = {**item, "piece": Piece(**texts), "pointer": tuple(cast("list[str | int]", item["pointer"]))}
    return Kept(**values)  # type: ignore[arg-type]  # written by _text below


def _text(memory: Memory) -> str:
    kept = [{**_fields(item), "piece": _fields(item.piece), "pointer": list(item.pointer)} for item in memory.kept]
    marks, origins = [_fields(item) for item in memory.marks], [_fields(item) for item in memory.origins]
    return pretty({"kept": kept, "marks": marks, "origins": origins}) + "\n"


def _fields(value: Kept | Mark | Origin | Piece) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__slots__}
