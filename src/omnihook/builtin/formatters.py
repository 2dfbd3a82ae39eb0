"""The formatters `auto-format` knows: which files each takes, when a project uses it, and how it is called."""

import os
import tomllib
from collections.abc import Callable, Mapping

from omnihook.builtin.programs import found, upwards
from omnihook.hooks import Context
from omnihook.jsontypes import JsonError, loads_object
from omnihook.slotted import dataclass

_SCRIPTS = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"})
_TEXTS = frozenset({"json", "jsonc", "css", "scss", "md"})
_PYTHON = frozenset({"py", "pyi"})
_C = frozenset({"c", "h", "cc", "cpp", "hpp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatter:
    """One formatter. `worked` are the exit codes that mean that it did its work."""

    name: str
    endings: frozenset[str]
    used: Callable[[str], bool]  # whether a folder says that the project uses it
    words: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()  # where in a project its program lies, before the user's own copy
    worked: frozenset[int] = frozenset({0})


def _has(*names: str) -> Callable[[str], bool]:
    return lambda folder: any(os.path.exists(os.path.join(folder, name)) for name in names)


def _tool(name: str, *files: str) -> Callable[[str], bool]:
    """Used where one of its own files is, or where pyproject.toml has a table for it."""
    return lambda folder: _has(*files)(folder) or name in _pyproject_tools(folder)


def _node(name: str, *files: str) -> Callable[[str], bool]:
    """Used where it is installed, where one of its own files is, or where package.json asks for it."""
    return lambda folder: _has(f"node_modules/.bin/{name}", *files)(folder) or name in _dependencies(folder)


def _dependencies(folder: str) -> frozenset[str]:
    try:
        with open(os.path.join(folder, "package.json"), encoding="utf-8", errors="replace") as file:
            package = loads_object(file.read(1 << 20))
    except (OSError, JsonError):
        return frozenset()
    groups = (package.get(key) for key in ("dependencies", "devDependencies"))
    return frozenset(name.removeprefix("@biomejs/") for group in groups if isinstance(group, dict) for name in group)


def _pyproject_tools(folder: str) -> Mapping[str, object]:
    try:
        with open(os.path.join(folder, "pyproject.toml"), "rb") as file:
            tools = tomllib.load(file).get("tool")
    except (OSError, ValueError):
        return {}
    return tools if isinstance(tools, dict) else {}


FORMATTERS: Mapping[str, Formatter] = {
    item.name: item
    for item in (
        Formatter(
            name="prettier",
            endings=_SCRIPTS | _TEXTS,
            used=_node("prettier", ".prettierrc", ".prettierrc.json", ".prettierrc.yaml", "prettier.config.js"),
            words=("--write", "--log-level", "warn", "--"),
            folders=("node_modules/.bin",),
        ),
        Formatter(
            name="eslint",
            endings=_SCRIPTS,
            used=_node("eslint", "eslint.config.js", "eslint.config.mjs", ".eslintrc.json", ".eslintrc.js"),
            words=("--fix", "--"),
            folders=("node_modules/.bin",),
            worked=frozenset({0, 1}),  # 1: it fixed what it could, and more is left
        ),
        Formatter(
            name="biome",
            endings=_SCRIPTS | {"json", "jsonc", "css"},
            used=_node("biome", "biome.json", "biome.jsonc"),
            words=("format", "--write"),
            folders=("node_modules/.bin",),
        ),
        Formatter(
            name="ruff",
            endings=_PYTHON,
            used=_tool("ruff", "ruff.toml", ".ruff.toml"),
            words=("format", "-q", "--"),
            folders=(".venv/bin", "venv/bin"),
        ),
        Formatter(
            name="black",
            endings=_PYTHON,
            used=_tool("black"),
            words=("-q", "--"),
            folders=(".venv/bin", "venv/bin"),
        ),
        Formatter(name="gofmt", endings=frozenset({"go"}), used=_has("go.mod"), words=("-w",)),
        Formatter(
            name="rustfmt",
            endings=frozenset({"rs"}),
            used=_has("Cargo.toml", "rustfmt.toml", ".rustfmt.toml"),
            words=("--edition", "2021"),
        ),
        Formatter(name="clang-format", endings=_C, used=_has(".clang-format", "_clang-format"), words=("-i",)),
    )
}


def program(formatter: Formatter, file: str, top: str, context: Context) -> tuple[str, str] | None:
    """(program, folder to run it in) for a file; None where the project does not use the formatter."""
    if file.rsplit(".", 1)[-1].lower() not in formatter.endings:
        return None
    home = next((folder for folder in upwards(os.path.dirname(file), top) if formatter.used(folder)), None)
    if home is None:
        return None
    for folder in upwards(os.path.dirname(file), top):
        for place in formatter.folders:
            path = os.path.join(folder, place, formatter.name)
            if os.access(path, os.X_OK):
                return path, home
    own = found(formatter.name, context)
    return None if own is None else (own, home)
