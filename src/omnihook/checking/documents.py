"""Whole files: keys that stand twice or are misspelt, so that hooks are dropped without a word."""

from collections.abc import Iterable, Iterator, Mapping

from omnihook import dialects
from omnihook.checking.names import meant
from omnihook.dialect import ConfigText, Diagnostic, Dialect, Reading
from omnihook.errors import suggestion
from omnihook.events import NATIVE
from omnihook.families import frontmatter
from omnihook.hooks import Hook
from omnihook.jsontypes import Json, JsonError, JsonObject, at, loads_object, loads_strict
from omnihook.positions import line_of, members
from omnihook.shell.tables import names

# The keys of a hook, and of the group around it, in any of the JSON files; what is near to one is a mistake.
ENTRY_KEYS = names(
    "allowedEnvVars args async asyncRewake asyncTimeout blocking command continueOnBlock description enabled env event "
    "extra_env filter headers hooks if input matcher model name onFailure once priority prompt server shell "
    "statusMessage timeout timeout_secs tool type url"
)
GROUP_KEYS = frozenset({"description", "enabled", "hooks", "matcher", "name"})
# What the same thing is called elsewhere.
_ELSEWHERE = {"run": "command", "cmd": "command", "argv": "args", "match": "matcher", "on": "event", "http": "url"}
_MAX_DEPTH = 12


def documents(config: ConfigText, dialect: Dialect, reading: Reading) -> Iterable[Diagnostic]:
    """What is wrong with one file as a whole."""
    document = _document(config, dialect)
    if document is None:
        return
    if config.role != "frontmatter":
        yield from _twice(config)
    yield from _misplaced(config, dialect, document)
    for hook in reading.hooks:
        if hook.source.path == config.path:
            yield from _keys(config, document, hook)


def _document(config: ConfigText, dialect: Dialect) -> JsonObject | None:
    """A file of nested objects; None for one of another shape, or that cannot be read, which is said already."""
    if not config.text.strip():
        return None
    if config.role == "frontmatter":
        found = frontmatter.parse(config.text)
        return None if isinstance(found, str) else found
    try:
        return loads_object(config.text) if dialect.editing.format == "json" else None
    except JsonError:
        return None


def read_lists(config: ConfigText, reading: Reading) -> Iterable[Diagnostic]:
    """Names in `read` that no dialect has."""
    found = reading.settings.get(config.layer)
    for name in () if found is None else found.read:
        if name not in (*dialects.names(), NATIVE):
            told = f"unknown dialect {name!r} in 'read'{suggestion(name, dialects.names())}"
            fix = f"write some of {', '.join(sorted(dialects.names()))}"
            yield Diagnostic(message=told, path=config.path, fix=fix, code="unknown-dialect", pointer=("read",))


def _twice(config: ConfigText) -> Iterator[Diagnostic]:
    try:
        loads_strict(config.text)
    except JsonError:
        start = len(config.text) - len(config.text.lstrip("\ufeff \t\r\n"))
        yield from _repeated(config, start, (), within=False, depth=0)


def _repeated(
    config: ConfigText, position: int, way: tuple[str | int, ...], *, within: bool, depth: int
) -> Iterator[Diagnostic]:
    """Keys that stand twice on the way to hooks, or among them; others are their owner's business."""
    seen: set[str | int] = set()
    for name, span in members(config.text, position):
        inside = within or name == "hooks"
        if name in seen and (inside or name in ("profiles", "hook")):
            line, column = line_of(config.text, span.key or span.start)
            yield Diagnostic(
                message=f"{name!r} stands twice; only the last one counts, and what the others hold is lost",
                path=config.path,
                line=line,
                column=column,
                fix="put both into one",
                code="duplicate-key",
                pointer=(*way, name),
            )
        seen.add(name)
        if depth < _MAX_DEPTH and (inside or name == "profiles" or way[:1] == ("profiles",)):
            yield from _repeated(config, span.start, (*way, name), within=inside, depth=depth + 1)


def _misplaced(config: ConfigText, dialect: Dialect, document: JsonObject) -> Iterator[Diagnostic]:
    """Hooks under a key at which nobody looks for them."""
    way = dialect.editing.table(document)
    holder: Json = dict(document)
    for depth, key in enumerate(way[: way.index("hooks") + 1]):
        if not isinstance(holder, dict):
            return
        for name in holder:
            if name != key and name.lower().rstrip("s") in ("hook", key.lower().rstrip("s")) and _holds(holder[name]):
                right = ".".join((*way[:depth], key)) if key == "hooks" else ".".join(way)
                told = f"{name!r} is not read here; hooks belong under {right!r}"
                yield Diagnostic(
                    message=told,
                    path=config.path,
                    fix=f"move it to {right!r}" if name == "hooks" else f"write {key!r}",
                    code="unknown-key",
                    pointer=(*way[:depth], name),
                )
        holder = holder.get(key)


def _holds(value: Json) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _keys(config: ConfigText, document: JsonObject, hook: Hook) -> Iterator[Diagnostic]:
    pointer = hook.source.pointer
    if isinstance(hook.entry, dict):
        yield from _unknown(config, hook.entry, ENTRY_KEYS, pointer, hook.name)
    if len(pointer) > 3 and pointer[-2] == "hooks" and pointer[-1] == 0:
        around = at(document, pointer[:-2])
        if isinstance(around, dict):
            yield from _unknown(config, around, GROUP_KEYS, pointer[:-2], hook.name)


def _unknown(
    config: ConfigText, entry: Mapping[str, Json], known: frozenset[str], pointer: tuple[str | int, ...], name: str
) -> Iterator[Diagnostic]:
    for key in entry.keys() - known:
        right = _ELSEWHERE.get(key) or meant(key, known)
        if right is not None and right in known:
            yield Diagnostic(
                message=f"hook {name}: unknown key {key!r}, did you mean {right!r}?",
                path=config.path,
                fix=f"remove it, or write {right!r}",
                code="unknown-key",
                pointer=(*pointer, key),
            )
