"""How a project is linted and tested, told from its files; what a person names instead is taken as it is."""

import os
import re
from collections.abc import Callable, Iterator, Mapping

from omnihook.builtin import manifests
from omnihook.builtin.programs import found, shell, upwards
from omnihook.hooks import Context
from omnihook.slotted import dataclass

LINT, TEST = "lint", "test"
_PLACEHOLDER = "no test specified"  # what `npm init` writes
_NO_TESTS = 5
_MANAGERS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun"))
_NATIVE: Mapping[str, tuple[str, Mapping[str, tuple[str, ...]]]] = {
    "Cargo.toml": ("cargo", {LINT: ("clippy", "--quiet"), TEST: ("test", "--quiet")}),
    "go.mod": ("go", {LINT: ("vet", "./..."), TEST: ("test", "./...")}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A program to run, and where."""

    argv: tuple[str, ...]
    folder: str


def step(what: str, given: str | None, context: Context, *, top: str, folder: str) -> Step | None:
    """A step as named, else detected: for the whole project, or for the part of it that the session is in.

    None where it was left out or nothing was found.
    """
    if given is not None:
        return Step(argv=shell(given), folder=top) if given.strip() else None
    for place in dict.fromkeys((top, *upwards(folder, top))):
        for detect in _DETECTORS:
            for argv in detect(what, place, context):
                return Step(argv=argv, folder=place)
    return None


def passed(argv: tuple[str, ...], code: int | None) -> bool:
    """Whether a step went well; pytest has an exit code of its own for having found nothing to run."""
    return code == 0 or (code == _NO_TESTS and os.path.basename(argv[0]) == "pytest")


def _node(what: str, top: str, context: Context) -> Iterator[tuple[str, ...]]:
    script = manifests.table(manifests.package(top), "scripts").get(what)
    if not isinstance(script, str) or not script.strip() or _PLACEHOLDER in script:
        return
    locked = (name for file, name in _MANAGERS if os.path.exists(os.path.join(top, file)))
    for name in (*locked, "npm"):
        path = found(name, context)
        if path is not None:
            yield (path, "run", what) if name != "npm" else (path, "run", "--silent", what)


def _make(what: str, top: str, context: Context) -> Iterator[tuple[str, ...]]:
    for name in ("GNUmakefile", "makefile", "Makefile"):
        # A rule may have several targets, and a colon may end them or begin an assignment.
        rule = rf"^(?:[^\s:=#]+ +)*{what}(?: +[^\s:=#]+)* *:{{1,2}}(?![:=])"
        if re.search(rule, manifests.text(top, name), re.MULTILINE):
            path = found("make", context)
            if path is not None:
                yield (path, "--no-print-directory", what)
            return


def _python(what: str, top: str, context: Context) -> Iterator[tuple[str, ...]]:
    uses, tool, words = (_uses_ruff, "ruff", ("check", "-q")) if what == LINT else (_uses_pytest, "pytest", ("-q",))
    if not uses(top):
        return
    for folder in (".venv/bin", "venv/bin"):
        path = os.path.join(top, folder, tool)
        if os.access(path, os.X_OK):
            yield (path, *words)
    path = found(tool, context) or ""
    if path:
        yield (path, *words)


def _others(what: str, top: str, context: Context) -> Iterator[tuple[str, ...]]:
    for mark, (program, words) in _NATIVE.items():
        path = found(program, context) if os.path.exists(os.path.join(top, mark)) else None
        if path is not None:
            yield (path, *words[what])


_DETECTORS: tuple[Callable[[str, str, Context], Iterator[tuple[str, ...]]], ...] = (_node, _make, _python, _others)


def _uses_ruff(top: str) -> bool:
    files = ("ruff.toml", ".ruff.toml")
    return any(os.path.exists(os.path.join(top, name)) for name in files) or "ruff" in manifests.tools(top)


def _uses_pytest(top: str) -> bool:
    if any(os.path.exists(os.path.join(top, name)) for name in ("pytest.ini", ".pytest.ini", "conftest.py")):
        return True
    if "pytest" in manifests.tools(top) or "[tool:pytest]" in manifests.text(top, "setup.cfg"):
        return True
    try:
        names = os.listdir(os.path.join(top, "tests"))
    except OSError:
        return False
    return any(re.fullmatch(r"test_.*\.py|.*_test\.py|conftest\.py", name) for name in names)
