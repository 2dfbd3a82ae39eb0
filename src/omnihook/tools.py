"""Canonical tools: their arguments, which files a call touches, and how a dialect's words map to ours."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import field

from omnihook.jsontypes import Json, JsonObject
from omnihook.slotted import dataclass

CREATE, MODIFY, DELETE = "create", "modify", "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What we know of a canonical tool: where its paths are, and what it does to them."""

    paths: tuple[str, ...] = ()
    change: str | None = None  # create, modify or delete when a call writes
    script: str | None = None  # the argument that holds shell text
    patch: str | None = None  # the argument that holds a patch


TOOLS: Mapping[str, Tool] = {
    "Bash": Tool(script="command"),
    "Read": Tool(paths=("file_path",)),
    "Write": Tool(paths=("file_path",), change=CREATE),
    "Edit": Tool(paths=("file_path",), change=MODIFY),
    "MultiEdit": Tool(paths=("file_path",), change=MODIFY),
    "NotebookEdit": Tool(paths=("notebook_path",), change=MODIFY),
    "Delete": Tool(paths=("file_path",), change=DELETE),
    "Move": Tool(paths=("file_path", "destination"), change=MODIFY),
    "apply_patch": Tool(patch="patch", change=MODIFY),
    "LS": Tool(paths=("path",)),
    "Glob": Tool(paths=("path",)),
    "Grep": Tool(paths=("path",)),
    "WebFetch": Tool(),
    "WebSearch": Tool(),
    "Agent": Tool(),
    "TodoWrite": Tool(),
}

UNKNOWN_TOOL = Tool(paths=("file_path", "path"))

# The shell tool of some agents carries a patch as its command: `apply_patch <<'EOF' ...`.
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)
_PATCH_CHANGE = {"Add": CREATE, "Update": MODIFY, "Delete": DELETE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A file a tool call names, and what the call does to it (None: it only looks)."""

    path: str
    change: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """A dialect's words for tools, arguments and enumerated values; what is not listed is spelt the same.

    `values` maps the name of an enumeration (an event field) to canonical word -> native word.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)  # further native names -> canonical
    arguments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    mcp: str = "mcp__{server}__{tool}"
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


_inverses: dict[int, tuple[Vocabulary, dict[str, str]]] = {}


def canonical_tool(words: Vocabulary, native: str) -> str:
    """Our name for a dialect's tool; an unknown one keeps its own."""
    found = _inverse_tools(words).get(native)
    return found if found is not None else canonical_mcp(words, native)


def native_tool(words: Vocabulary, canonical: str) -> str:
    """A dialect's name for a canonical tool."""
    found = words.tools.get(canonical)
    if found is not None:
        return found
    if canonical.startswith("mcp__") and words.mcp != "mcp__{server}__{tool}":
        server, _, tool = canonical.removeprefix("mcp__").partition("__")
        return words.mcp.format(server=server, tool=tool)
    return canonical


def native_aliases(words: Vocabulary, canonical: str) -> tuple[str, ...]:
    """Every name under which a dialect's matchers may know the tool, the current one first."""
    current = native_tool(words, canonical)
    return (
        current,
        *(name for name, target in words.aliases.items() if target == canonical and name != current),
    )


def canonical_mcp(words: Vocabulary, native: str) -> str:
    """`mcp__server__tool` for a tool named in the dialect's way of naming server tools."""
    if words.mcp == "mcp__{server}__{tool}" or native.startswith("mcp__"):
        return native
    prefix, rest = words.mcp.split("{server}")
    joint = rest.removesuffix("{tool}")
    server, found, tool = native.removeprefix(prefix).partition(joint)
    if not native.startswith(prefix) or not prefix or not found or not tool:
        return native
    return f"mcp__{server}__{tool}"


def canonical_input(words: Vocabulary, tool: str, arguments: JsonObject) -> JsonObject:
    """Arguments under their canonical names; those without a mapping keep theirs."""
    names = words.arguments.get(tool)
    if not names:
        return arguments
    ours = {native: canonical for canonical, native in names.items()}
    return {ours.get(key, key): value for key, value in arguments.items()}


def native_input(words: Vocabulary, tool: str, arguments: JsonObject) -> JsonObject:
    """Arguments under a dialect's names."""
    names = words.arguments.get(tool)
    if not names:
        return arguments
    return {names.get(key, key): value for key, value in arguments.items()}


def canonical_value(words: Vocabulary, enumeration: str, native: str) -> str:
    """Our word for a dialect's enumerated value."""
    table = words.values.get(enumeration)
    if not table:
        return native
    return next((ours for ours, theirs in table.items() if theirs == native), native)


def native_value(words: Vocabulary, enumeration: str, canonical: str) -> str:
    """A dialect's word for an enumerated value."""
    table = words.values.get(enumeration)
    return canonical if table is None else table.get(canonical, canonical)


def shell_text(tool: str, arguments: JsonObject) -> str | None:
    """The shell text a call would run, if it is a shell call."""
    key = TOOLS.get(tool, UNKNOWN_TOOL).script
    value = None if key is None else arguments.get(key)
    if isinstance(value, list):  # some agents send argv
        return shlex.join(str(word) for word in value)
    return value if isinstance(value, str) else None


def touched(tool: str, arguments: JsonObject) -> tuple[Touched, ...]:
    """The files a call names, in the order they appear, each with what happens to it."""
    known = TOOLS.get(tool, UNKNOWN_TOOL)
    if known.patch is not None:
        return patch_files(_patch_text(arguments, known.patch))
    found = (arguments.get(key) for key in known.paths)
    return tuple(Touched(path=path, change=known.change) for path in found if isinstance(path, str) and path)


def patch_files(patch: str) -> tuple[Touched, ...]:
    """The files named in the headers of an apply_patch text."""
    made: list[Touched] = []
    for verb, path, moved in _PATCH_FILE.findall(patch):
        if moved and made:
            made[-1] = Touched(path=made[-1].path, change=DELETE)  # the file that was named before it
        made.append(Touched(path=moved, change=CREATE) if moved else Touched(path=path, change=_PATCH_CHANGE[verb]))
    return tuple(made)


def _patch_text(arguments: JsonObject, key: str) -> str:
    for name in (key, "input", "command", "patchText"):
        value: Json = arguments.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "\n".join(str(part) for part in value)
    return ""


def _inverse_tools(words: Vocabulary) -> dict[str, str]:
    held = _inverses.get(id(words))
    if held is None or held[0] is not words:
        table = {native: canonical for canonical, native in words.tools.items()}
        held = _inverses[id(words)] = (words, {**words.aliases, **table})
    return held[1]
