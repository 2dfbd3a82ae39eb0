"""The formatters `auto-format` knows: which files each takes, when a project uses it, and how it is called."""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from omnihook.builtin.programs import found, upwards
from omnihook.hooks import Context

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
    folders: tuple[str, ...] = ()  # where in a project its program lies
    on_path: bool = True  # whether the user's own copy will do
    worked: frozenset[int] = frozenset({0})


def _has(*names: str) -> Callable[[str], bool]:
    return lambda folder: any(os.path.exists(os.path.join(folder, name)) for name in names)


def _tool(name: str, *files: str) -> Callable[[str], bool]:
    """Used where one of its own files is, or where pyproject.toml has a table for it."""
    return lambda folder: _has(*files)(folder) or name in _pyproject_tools(folder)


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
            used=_has("node_modules/.bin/prettier"),
            words=("--write", "--log-level", "warn", "--"),
            folders=("node_modules/.bin",),
            on_path=False,
        ),
        Formatter(
            name="eslint",
            endings=_SCRIPTS,
            used=_has("node_modules/.bin/eslint"),
            words=("--fix", "--"),
            folders=("node_modules/.bin",),
            on_path=False,
            worked=frozenset({0, 1}),  # 1: it fixed what it could, and more is left
        ),
        Formatter(
            name="biome",
            endings=_SCRIPTS | {"json", "jsonc", "css"},
            used=_has("node_modules/.bin/biome"),
            words=("format", "--write"),
            folders=("node_modules/.bin",),
            on_path=False,
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
    own = found(formatter.name, context) if formatter.on_path else None
    return None if own is None else (own, home)
