"""What changed since an approval: in words, and as a difference to read before approving again."""

import difflib
from collections.abc import Callable, Iterable, Mapping

from omnihook.jsontypes import JsonObject
from omnihook.trust.definitions import shown
from omnihook.trust.prints import Print

_NAMED = 4


def changed_fields(before: JsonObject, after: JsonObject) -> str:
    """Which parts of a definition differ."""
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return f"its definition changed ({_few(names)})"


def changed_files(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Which pinned files differ; empty when none does."""
    paths = dict.fromkeys((*before, *after))
    return _few(
        f"{path} {_verb(before.get(path), after.get(path))}" for path in paths if before.get(path) != after.get(path)
    )


def definitions(before: JsonObject | None, after: JsonObject, name: str) -> str:
    """The difference of two definitions."""
    return _unified("" if before is None else shown(before) + "\n", shown(after) + "\n", f"hook {name}")


def files(
    before: Mapping[str, str], texts: Mapping[str, str], after: Mapping[str, Print], kept: Callable[[str], str | None]
) -> str:
    """The differences of pinned files, as far as their texts are known."""
    parts = []
    for path in dict.fromkeys((*before, *after)):
        now = after.get(path)
        if now is not None and before.get(path) == now.mark:
            continue
        old = kept(texts[path]) if path in texts else "" if before.get(path) in (None, "missing") else None
        new = _text(now)
        if old is None or new is None or old == new:
            parts.append(f"{path} {_verb(before.get(path), now.mark if now is not None else None)}\n")
        else:
            parts.append(_unified(old, new, path))
    return "".join(parts)


def _unified(old: str, new: str, name: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "approved: " + name, "now: " + name, lineterm="")
    return "".join(line + "\n" for line in lines)


def _text(found: Print | None) -> str | None:
    if found is None or found.kind == "missing":
        return ""
    data = found.data
    if data is None or b"\0" in data:
        return None
    return data.decode("utf-8", "replace")


def _verb(before: str | None, after: str | None) -> str:
    if before in (None, "missing"):
        return "is new"
    return "is gone" if after in (None, "missing") else "changed"


def _few(words: Iterable[str]) -> str:
    listed = list(words)
    more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
    return ", ".join(listed[:_NAMED]) + more
