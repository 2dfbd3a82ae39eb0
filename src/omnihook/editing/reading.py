"""What a text says before and after an edit: the hook that is meant in it, and the proof that the others stayed."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from omnihook import files
from omnihook.dialect import ConfigText, Dialect, Reading
from omnihook.editing.keeping import digest_of
from omnihook.errors import ConfigError
from omnihook.folders import Folders, inside
from omnihook.hooks import Hook, Layer
from omnihook.positions import locate, uncommented
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A file to edit, and how its dialect reads it."""

    dialect: Dialect
    path: str
    layer: Layer
    role: str = "settings"
    root: str | None = None

    @property
    def format(self) -> str:
        """How the file is written."""
        return "yaml" if self.role == "frontmatter" else self.dialect.editing.format

    def read(self, text: str) -> Reading:
        """What a text of this file says; raises ConfigError when it is broken."""
        plain = uncommented(text) if self.format == "json" else text
        config = ConfigText(path=self.path, layer=self.layer, text=plain, role=self.role, root=self.root)
        reading = self.dialect.read_config([config])
        broken = next((item for item in reading.diagnostics if item.code == "syntax"), None)
        if broken is not None:
            raise ConfigError(f"{self.path} is broken and stays as it is: {broken.message}; correct it first")
        return reading


def target_of(hook: Hook, dialect: Dialect) -> Target:
    """The file a hook was read from."""
    source = hook.source
    if source.path is None:
        raise ConfigError(f"hook {hook.name!r} comes from a program, not from a file")
    role = "frontmatter" if source.path.endswith(".md") else "plugin" if source.root is not None else "settings"
    return Target(dialect=dialect, path=source.path, layer=source.layer, role=role, root=source.root)


def edit(target: Target, change: Callable[[str], str], folders: Folders) -> tuple[str, str]:
    """Replace a file's text by what `change` makes of it; the text before and after."""
    seen: list[tuple[str, str]] = []

    def once(text: str) -> str:
        try:
            made = change(text)
        except KeyError:  # what the reader found is not where the text should have it: YAML in flow style, say
            wrong = next((item for item in target.read(text).diagnostics if item.severity == "error"), None)
            why = "it is written in a way only people edit; edit it by hand"
            told = why if wrong is None else f"{wrong.message}; correct that first"
            raise ConfigError(f"{target.path} is not changed: {told}") from None
        seen.append((text, made))
        return made

    files.replace_text(target.path, once, root=_root(target.path, folders))
    return seen[-1]


def _root(path: str, folders: Folders) -> str | None:
    """What a link may not lead out of: the project, else the home, else its own folder."""
    return next((root for root in (folders.project, folders.home, folders.config) if inside(path, root)), None)


def digest(hook: Hook, dialect: Dialect) -> str:
    """What tells a hook from others wherever in its file it stands, and whether it is enabled or not."""
    entry = hook.entry
    if isinstance(entry, dict) and dialect.editing.enabled is not None:
        entry = {key: value for key, value in entry.items() if key != dialect.editing.enabled}
    return digest_of([dialect.name, list(hook.native_events), entry, hook.matcher.text, hook.source.owner])


def find(hook: Hook, target: Target, text: str) -> tuple[Reading, int]:
    """What a text says, and which of its hooks is the one that is meant."""
    reading = target.read(text)
    wanted = digest(hook, target.dialect)
    same = [number for number, found in enumerate(reading.hooks) if digest(found, target.dialect) == wanted]
    if not same:
        raise ConfigError(f"hook {hook.name!r} is no longer in {target.path}; see 'omnihook list'")
    there = (number for number in same if reading.hooks[number].source.pointer == hook.source.pointer)
    return reading, next(there, same[0])


def bare(hook: Hook) -> Hook:
    """A hook without what an edit elsewhere in its file may change: its number and its place."""
    return replace(hook, name="", slot=None, source=replace(hook.source, pointer=(), line=None))


def same(one: Sequence[Hook], other: Sequence[Hook]) -> bool:
    """Whether two lists hold the same hooks in the same order."""
    return [bare(hook) for hook in one] == [bare(hook) for hook in other]


def prove(target: Target, before: Reading, after: Reading, expected: bool) -> None:
    """Refuse an edit that did not do exactly what it should."""
    old = {item.message for item in before.diagnostics}
    new = [item for item in after.diagnostics if item.severity == "error" and item.message not in old]
    if new:
        raise ConfigError(f"{target.path} is not changed: it would say {new[0].message}")
    if not expected:
        raise ConfigError(f"{target.path} is not changed: it cannot be edited safely; edit it by hand")


def place(hook: Hook, text: str) -> str:
    """File and line of a hook."""
    path = hook.source.path or ""
    found = locate(path, text, hook.source.pointer)
    return path if found is None else f"{path}:{found[0]}"
