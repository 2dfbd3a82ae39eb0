"""Loading: finds and reads the configuration files of dialects; nothing is started, imported or connected to."""

import hashlib
import os
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from omnihook.dialect import ConfigFile, ConfigText, Diagnostic, Dialect, Reading, Settings
from omnihook.files import Refused, expand, read_text
from omnihook.folders import Folders
from omnihook.hooks import Hook, Layer, Source
from omnihook.positions import locate, uncommented
from omnihook.slotted import dataclass

Signature: TypeAlias = tuple[int, int, int, int] | None
UNREAD = frozenset({"refused", "syntax", "missing"})  # codes of diagnostics that keep a whole file from being read
MAX_FILES = 500  # of one glob: a project with more plugins than this is not read further
MAX_HOOKS = 10_000  # of one file
MAX_FRONTMATTER = 1 << 18  # of all files of a dialect together
MAX_PROBLEMS = 100  # of one file; the rest is counted

_PLACE = re.compile(r": line (\d+) column (\d+)(?: \(char \d+\))?$")  # where a parser stopped


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What one dialect's files hold, the files themselves, and a signature that changes when one of them does."""

    dialect: str
    reading: Reading
    texts: tuple[ConfigText, ...] = ()
    watched: Mapping[str, Signature] = field(default_factory=dict)  # each file as it was right before it was read
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A dialect to load: every file, or only those of a project; or the given files instead of its own."""

    dialect: Dialect
    project_only: bool = False
    managed_only: bool = False
    files: Sequence[str] | None = None
    skip: frozenset[str] = frozenset()  # real paths that another dialect has read


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A file to look for: what it may not lead out of, the folder of its plugin or skill, and who names it.

    `named` is None for a file that need not be there, empty where the caller names it, else the file that does.
    """

    path: str
    layer: Layer
    role: str
    limit: str | None = None
    root: str | None = None
    named: str | None = None

    def config(self, text: str) -> ConfigText:
        """The file with the text that was found."""
        plain = uncommented(text) if self.path.endswith(".json") else text
        return ConfigText(path=self.path, layer=self.layer, text=plain, role=self.role, root=self.root)


def load(wanted: Wanted, folders: Folders) -> Loaded:
    """Read a dialect's files; a file that cannot be used is a diagnostic and the others work."""
    watched: dict[str, Signature] = {}
    texts, refusals = _texts(wanted, folders, watched)
    reading = wanted.dialect.read_config(texts)
    by_path = {config.path: config.text for config in texts}
    kept, crowded = _uncrowded(reading.hooks)
    diagnostics = tuple(located(item, by_path) for item in _few((*refusals, *crowded, *reading.diagnostics)))
    return Loaded(
        dialect=wanted.dialect.name,
        reading=replace(reading, hooks=kept, diagnostics=diagnostics),
        texts=tuple(texts),
        watched=watched,
        digest=_digest(texts),
    )


def _texts(
    wanted: Wanted, folders: Folders, watched: dict[str, Signature]
) -> tuple[list[ConfigText], list[Diagnostic]]:
    """The files that can be used, and why others cannot; `watched` gets every path that was looked at."""
    texts: list[ConfigText] = []
    refusals: list[Diagnostic] = []
    seen = set(wanted.skip)
    left = deque(_places(wanted, folders, watched))
    spent = 0
    while left:
        place = left.popleft()
        # Before it is read: what changes after this look is noticed at the next event.
        watched.setdefault(place.path, _stat(place.path))
        real = os.path.realpath(place.path)
        if real in seen:
            continue
        found = read_text(place.path, layer=place.layer, root=place.limit)
        if isinstance(found, Refused):
            refusals.append(_refusal(found))
        elif found is not None and (spent := spent + _frontmatter(place, found)) > MAX_FRONTMATTER:
            told = (
                f"the file is not used: with those before it, it holds more than {MAX_FRONTMATTER} bytes of frontmatter"
            )
            refusals.append(Diagnostic(message=told, path=place.path, fix="make it shorter", code="refused"))
        elif found is not None:
            seen.add(real)
            texts.append(place.config(found))
            left.extendleft(reversed(_further(wanted.dialect, texts[-1])))
        elif place.named is not None:
            told = "there is no such file" + (f", though {place.named} names it" if place.named else "")
            refusals.append(Diagnostic(message=told, path=place.path, fix="correct the path", code="missing"))
    return texts, refusals


def _frontmatter(place: _Place, text: str) -> int:
    """How much frontmatter with hooks a file has; reading it is slow, so a project may not have any amount of it."""
    block = text[: max(text.find("\n---"), 0)] if place.role == "frontmatter" else ""
    return len(block) if "hook" in block.lower() else 0


def _further(dialect: Dialect, config: ConfigText) -> list[_Place]:
    """The files that a plugin's file names; they may not lead out of the plugin."""
    root = config.root
    if dialect.further is None or root is None:
        return []
    paths = (os.path.normpath(os.path.join(root, name)) for name in dialect.further(config))
    return [
        _Place(path=path, layer=config.layer, role=config.role, limit=root, root=root, named=config.path)
        for path in paths
    ]


def settings_of(found: Iterable[Loaded]) -> dict[str, Mapping[Layer, Settings]]:
    """What each dialect's files say besides hooks, by layer; an administrator's file may have been loaded apart."""
    made: dict[str, Mapping[Layer, Settings]] = {}
    for loaded in found:
        made[loaded.dialect] = {**made.get(loaded.dialect, {}), **loaded.reading.settings}
    return made


def _uncrowded(hooks: tuple[Hook, ...]) -> tuple[tuple[Hook, ...], list[Diagnostic]]:
    """Without the hooks of files that hold absurdly many: nobody wrote those for their good."""
    if len(hooks) <= MAX_HOOKS:
        return hooks, []
    counts = Counter(hook.source.path for hook in hooks)
    refused = {path: count for path, count in counts.items() if count > MAX_HOOKS}
    text = "the file is not used: it has {} hooks, more than " + str(MAX_HOOKS)
    problems = [Diagnostic(message=text.format(count), path=path, code="refused") for path, count in refused.items()]
    return tuple(hook for hook in hooks if hook.source.path not in refused), problems


def _few(diagnostics: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    """The first problems of each file, and how many more there are."""
    counts: Counter[str | None] = Counter()
    for item in diagnostics:
        counts[item.path] += 1
        if counts[item.path] <= MAX_PROBLEMS:
            yield item
    for path, count in counts.items():
        if count > MAX_PROBLEMS:
            yield Diagnostic(message=f"and {count - MAX_PROBLEMS} more problems in this file", path=path, code="more")


def unchanged(path: str, seen: Signature) -> bool:
    """Whether a file is as it was; one that was not there is looked for without the price of an exception."""
    return not os.access(path, os.F_OK) if seen is None else _stat(path) == seen


def signatures(paths: Iterable[str]) -> dict[str, Signature]:
    """What tells whether any of some files changed: cheap enough for every event."""
    return {path: _stat(path) for path in paths}


def located(item: Diagnostic, texts: Mapping[str, str]) -> Diagnostic:
    """A diagnostic with its line and column."""
    if item.line is not None or item.path is None or item.path not in texts:
        return item
    place = locate(item.path, texts[item.path], item.pointer)
    if place is None and (found := _PLACE.search(item.message)):
        place, item = (int(found[1]), int(found[2])), replace(item, message=item.message[: found.start()])
    return item if place is None else replace(item, line=place[0], column=place[1])


def with_line(hook: Hook, texts: Mapping[str, str]) -> Source:
    """A hook's source with its line."""
    source = hook.source
    if source.path is None or source.line is not None or source.path not in texts:
        return source
    place = locate(source.path, texts[source.path], source.pointer)
    return source if place is None else replace(source, line=place[0])


def _places(wanted: Wanted, folders: Folders, watched: dict[str, Signature]) -> Iterator[_Place]:
    if wanted.files is not None:
        for path in wanted.files:
            role = "frontmatter" if path.endswith(".md") else "settings"
            yield _Place(path=os.path.abspath(path), layer=Layer.FLAG, role=role, named="")
        return
    for file in wanted.dialect.files:
        inside = file.base == "project"
        if (wanted.project_only and not inside) or (wanted.managed_only and file.layer is not Layer.MANAGED):
            continue
        root = {"home": folders.home, "config": folders.config, "project": folders.project}.get(file.base)
        base = folders.managed if root is None else root
        # People keep such files elsewhere in their home and link them to where programs look.
        limit = folders.home if file.base == "config" and base.startswith(folders.home + "/") else base
        for path in _expanded(base, file.path, watched):
            yield _Place(path=path, layer=file.layer, role=file.role, limit=limit, root=_own_root(file, path))


def _expanded(base: str, pattern: str, watched: dict[str, Signature]) -> list[str]:
    if "*" not in pattern:
        return [os.path.join(base, pattern.lstrip("/"))]
    return expand(base, pattern, MAX_FILES, look=lambda folder: watched.setdefault(folder, _stat(folder)))


def _own_root(file: ConfigFile, path: str) -> str | None:
    """The folder of a plugin or a skill: above `hooks/hooks.json`, or beside `SKILL.md`."""
    if file.role == "plugin":
        return os.path.dirname(os.path.dirname(path))
    return os.path.dirname(path) if os.path.basename(path) == "SKILL.md" else None


def _refusal(found: Refused) -> Diagnostic:
    return Diagnostic(message=f"the file is not used: {found.reason}", path=found.path, fix=found.fix, code="refused")


def _digest(texts: Sequence[ConfigText]) -> str:
    made = hashlib.sha256()
    for config in texts:
        made.update(f"{config.layer.label}\0{config.path}\0".encode("utf-8", "surrogateescape"))
        made.update(config.text.encode("utf-8", "surrogateescape"))
    return made.hexdigest()[:16]


def _stat(path: str) -> Signature:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode)
