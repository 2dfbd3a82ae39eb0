"""The formatters `auto-format` knows: which files each takes, when a project uses it, and how it is called."""

import os
from collections.abc import Callable, Mapping

from omnihook.builtin import manifests
from omnihook.builtin.programs import found, upwards
from omnihook.hooks import Context
from omnihook.slotted import dataclass

_SCRIPTS = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"})
_TEXTS = frozenset({"json", "jsonc", "css", "scss", "md"})
_PYTHON = frozenset({"py", "pyi"})
_C = frozenset({"c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx"})
_CODE = ("js", "cjs", "mjs", "ts", "cts", "mts")
_RC = ("json", "json5", "yaml", "yml", "toml", *_CODE)
_EDITION = "2021"  # of Rust, where no Cargo.toml says anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatter:
    """One formatter. `worked` are the exit codes that mean that it did its work.

    One that is `piped` would change more than the file it is given: it gets the text and gives back the new one.
    """

    name: str
    endings: frozenset[str]
    used: Callable[[str], bool]  # whether a folder says that the project uses it
    words: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()  # where in a project its program lies, before the user's own copy
    worked: frozenset[int] = frozenset({0})
    piped: bool = False
    told: Callable[[str, str], tuple[str, ...]] = lambda file, top: ()  # more words for a file of a project


def _has(*names: str) -> Callable[[str], bool]:
    return lambda folder: any(os.path.exists(os.path.join(folder, name)) for name in names)


def _tool(name: str, *files: str) -> Callable[[str], bool]:
    """Used where one of its own files is, or where pyproject.toml has a table for it."""
    return lambda folder: _has(*files)(folder) or name in manifests.tools(folder)


def _black(folder: str) -> bool:
    """Used where pyproject.toml sets it up: beside it, ruff is but the linter, unless it is told how to format."""
    tools = manifests.tools(folder)
    return "black" in tools and "format" not in manifests.table(tools, "ruff")


def _named(stem: str, *endings: str) -> tuple[str, ...]:
    return tuple(f"{stem}.{ending}" for ending in endings)


def _node(name: str, key: str, *files: str) -> Callable[[str], bool]:
    """Used where it is installed, where one of its own files is, or where package.json asks for it or sets it up."""
    return lambda folder: _has(f"node_modules/.bin/{name}", *files)(folder) or _in_package(folder, name, key)


def _in_package(folder: str, name: str, key: str) -> bool:
    package = manifests.package(folder)
    groups = (package.get(group) for group in ("dependencies", "devDependencies"))
    wanted = {word.removeprefix("@biomejs/") for group in groups if isinstance(group, dict) for word in group}
    return key in package or name in wanted


def _edition(file: str, top: str) -> tuple[str, ...]:
    """The edition of the crate a file is in, from its own Cargo.toml or from that of its workspace."""
    for folder in upwards(os.path.dirname(file), top):
        cargo = manifests.toml(folder, "Cargo.toml")
        for package in (
            manifests.table(cargo, "package"),
            manifests.table(manifests.table(cargo, "workspace"), "package"),
        ):
            edition = package.get("edition", "2015" if package else None)
            if isinstance(edition, str):
                return ("--edition", edition)
    return ("--edition", _EDITION)


FORMATTERS: Mapping[str, Formatter] = {
    item.name: item
    for item in (
        Formatter(
            name="prettier",
            endings=_SCRIPTS | _TEXTS,
            used=_node(
                *("prettier", "prettier", ".prettierrc"),
                *(*_named(".prettierrc", *_RC), *_named("prettier.config", *_CODE)),
            ),
            words=("--write", "--log-level", "warn", "--"),
            folders=("node_modules/.bin",),
        ),
        Formatter(
            name="eslint",
            endings=_SCRIPTS,
            used=_node(
                *("eslint", "eslintConfig", ".eslintrc"),
                *(*_named(".eslintrc", "json", "yaml", "yml", "js", "cjs"), *_named("eslint.config", *_CODE)),
            ),
            words=("--fix", "--"),
            folders=("node_modules/.bin",),
            worked=frozenset({0, 1}),  # 1: it fixed what it could, and more is left
        ),
        Formatter(
            name="biome",
            endings=_SCRIPTS | {"json", "jsonc", "css"},
            used=_node("biome", "biome", *_named("biome", "json", "jsonc"), *_named(".biome", "json", "jsonc")),
            words=("format", "--write"),
            folders=("node_modules/.bin",),
        ),
        Formatter(
            name="black",
            endings=_PYTHON,
            used=_black,
            words=("-q", "--"),
            folders=(".venv/bin", "venv/bin"),
        ),
        Formatter(
            name="ruff",
            endings=_PYTHON,
            used=_tool("ruff", "ruff.toml", ".ruff.toml"),
            words=("format", "-q", "--force-exclude", "--"),  # what the project leaves out stays as it is
            folders=(".venv/bin", "venv/bin"),
        ),
        Formatter(name="gofmt", endings=frozenset({"go"}), used=_has("go.mod"), words=("-w",)),
        Formatter(
            name="rustfmt",
            endings=frozenset({"rs"}),
            used=_has("Cargo.toml", "rustfmt.toml", ".rustfmt.toml"),
            told=_edition,
            piped=True,  # given the file, it would format every module the file declares
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
