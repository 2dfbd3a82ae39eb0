"""Fixing what has one obvious fix: a time-out in the wrong unit, a misspelt event, a script that may not be run."""

import difflib
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence

from omnihook import files
from omnihook.dialect import Diagnostic, Dialect
from omnihook.editing import json_text, texts, toml_text
from omnihook.editing.reading import Target, edit
from omnihook.errors import ConfigError
from omnihook.folders import Folders
from omnihook.hooks import Layer
from omnihook.jsontypes import JsonObject, at
from omnihook.slotted import dataclass

_WRITE = re.compile(r"write (\d\S*) for ")
_MEANT = re.compile(r"unknown event '(.+)', did you mean '(.+)'\?")
_CHMOD = "chmod +x "

Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One file as it is and as it should be: its text, or its mode."""

    target: Target
    what: tuple[str, ...]
    before: str = ""
    after: str = ""
    modes: tuple[int, int] | None = None

    @property
    def difference(self) -> str:
        """What would change, as a diff."""
        path = self.target.path
        if self.modes is not None:
            return f"--- {path}\n+++ {path}\nold mode {self.modes[0]:o}\nnew mode {self.modes[1]:o}\n"
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True), self.after.splitlines(keepends=True), path, path, n=2
        )
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def fixes(
    findings: Iterable[Diagnostic], readers: Mapping[str, str], lookup: Callable[[str], Dialect]
) -> tuple[Fix, ...]:
    """The fixes for some findings; `readers` says which dialect read which file."""
    by_path: dict[str, list[Diagnostic]] = {}
    scripts: dict[str, Fix] = {}
    for item in findings:
        path, script = item.path, (item.fix or "").removeprefix(_CHMOD)
        if path is None or path not in readers:
            continue
        if item.code == "not-executable" and os.path.isfile(script):
            scripts[script] = _mode(script, lookup(readers[path]), item)
        elif not path.endswith(".md"):
            by_path.setdefault(path, []).append(item)
    made = (_text(path, items, lookup(readers[path])) for path, items in by_path.items())
    return (*(fix for fix in made if fix is not None), *scripts.values())


def apply(fix: Fix, folders: Folders) -> None:
    """Write a fix; raises ConfigError when the file is no longer what it was."""
    if fix.modes is not None:
        try:
            os.chmod(fix.target.path, stat.S_IMODE(fix.modes[1]))
        except OSError as error:
            raise ConfigError(f"cannot change the mode of {fix.target.path}: {error.strerror}") from None
        return

    def change(text: str) -> str:
        if text != fix.before:
            raise ConfigError(f"{fix.target.path} changed meanwhile; run 'omnihook check --fix' again")
        return fix.after

    edit(fix.target, change, folders)


def _mode(path: str, dialect: Dialect, item: Diagnostic) -> Fix:
    mode = os.stat(path).st_mode
    # Whoever may read it may run it, as `chmod +x` would have it.
    runnable = mode | (mode & 0o444) >> 2
    target = Target(dialect=dialect, path=path, layer=Layer.FLAG)
    return Fix(target=target, what=(item.message,), modes=(mode, runnable))


def _text(path: str, items: Sequence[Diagnostic], dialect: Dialect) -> Fix | None:
    before = files.read_text(path, layer=Layer.FLAG, root=None)
    if not isinstance(before, str):
        return None
    target = Target(dialect=dialect, path=path, layer=Layer.FLAG)
    text, done = before, []
    # Names of events last: they are part of the way to everything below them.
    for item in sorted(items, key=lambda item: item.code == "unknown-event"):
        try:
            made = _one(text, item, target)
        except (KeyError, ValueError, ConfigError):
            continue
        if made is not None and _better(target, text, made):
            text = made
            done.append(item.message)
    return Fix(target=target, what=tuple(done), before=before, after=text) if done else None


def _one(text: str, item: Diagnostic, target: Target) -> str | None:
    document = texts.parse(target.format, text)
    number = _WRITE.match(item.fix or "")
    if item.code == "timeout" and number is not None:
        value = float(number[1])
        pointer = _timeout(document, item.pointer)
        return texts.write(target.format, text, pointer, int(value) if value == int(value) else value)
    meant = _MEANT.search(item.message)
    if item.code != "unknown-event" or meant is None:
        return None
    return _renamed(text, document, item.pointer, meant[1], meant[2], target.format)


def _timeout(document: JsonObject, pointer: Pointer) -> Pointer:
    """The way to a time-out, which some dialects spell with its unit."""
    entry = at(document, pointer[:-1])
    keys = [key for key in entry if key.startswith(str(pointer[-1]))] if isinstance(entry, dict) else []
    if len(keys) != 1:
        raise KeyError(pointer)
    return (*pointer[:-1], keys[0])


def _renamed(text: str, document: JsonObject, pointer: Pointer, old: str, new: str, format: str) -> str | None:
    """An event's name corrected: as a key, as a value, or as one of several in a list."""
    if pointer[-1] == old and format == "json":
        around = at(document, pointer[:-1])
        taken = isinstance(around, dict) and new in around
        return None if taken else json_text.rename_key(text, pointer, new)
    held = at(document, pointer)
    if held == old:
        return texts.write(format, text, pointer, new)
    span = toml_text.find_value(text, pointer) if format == "toml" else None
    if not isinstance(held, list) or span is None:
        return None
    inside = text[span[0] : span[1]]
    quoted = next((word for word in (json.dumps(old), f"'{old}'") if inside.count(word) == 1), None)
    if quoted is None:
        return None
    return text[: span[0]] + inside.replace(quoted, quoted[0] + new + quoted[0]) + text[span[1] :]


def _better(target: Target, before: str, after: str) -> bool:
    """Whether a text has fewer problems than another and no new one, and no hook is lost."""
    old, new = target.read(before), target.read(after)
    known = {item.message for item in old.diagnostics}
    if len(new.hooks) < len(old.hooks):
        return False
    return all(item.message in known for item in new.diagnostics)
