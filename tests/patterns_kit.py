"""Every regular expression of the packages that read foreign text, how each is used, and strings that tire it."""

import ast
import importlib
import pkgutil
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

import omnihook

PACKAGES = ("omnihook.shell", "omnihook.builtin", "omnihook.journal", "omnihook.matching")
METHODS = {"match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split"}
SEARCHING = {"search", "sub", "subn", "findall", "finditer", "split"}


@dataclass(frozen=True)
class Use:
    """A pattern, and whether it is tried at one place, against a whole text, or everywhere in it."""

    module: str
    pattern: str | bytes
    flags: int
    method: str

    def runs(self, text: str) -> object:
        """Use the pattern on a text as the code does."""
        compiled = re.compile(self.pattern, self.flags)
        given: str | bytes = text.encode() if isinstance(self.pattern, bytes) else text
        return getattr(compiled, self.method)(given)


def modules() -> list[types.ModuleType]:
    """The modules that hold the patterns."""
    found = [item.name for item in pkgutil.walk_packages(omnihook.__path__, "omnihook.")]
    wanted = [name for name in found if name.startswith(PACKAGES)]
    return [importlib.import_module(name) for name in wanted]


@cache
def uses(module: types.ModuleType) -> set[Use]:
    """Every pattern of a module with each way it is used there."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    return {*_named(module, tree), *_written(module, tree)}


def _named(module: types.ModuleType, tree: ast.Module) -> Iterator[Use]:
    """Patterns that the module keeps under a name, also in tables and as bound methods."""
    called: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name | ast.Subscript)
            and node.attr in METHODS
        ):
            called.setdefault(getattr(node.value, "id", ""), set()).add(node.attr)
    called.pop("re", None)
    kept = vars(module)
    of_locals = {method for name, methods in called.items() if name not in kept for method in methods}
    for name, value in kept.items():
        for pattern, method in _patterns(value):
            direct = isinstance(value, re.Pattern)
            methods = {method} if method else called.get(name, set()) if direct else of_locals
            # A pattern that is handed on is used elsewhere, nobody here knows how.
            for one in methods or {"match", "search"}:
                yield _use(module, pattern.pattern, pattern.flags, one)


def _patterns(value: object, depth: int = 3) -> Iterator[tuple[re.Pattern[str] | re.Pattern[bytes], str]]:
    if isinstance(value, re.Pattern):
        yield value, ""
    elif isinstance(value, types.BuiltinMethodType) and isinstance(value.__self__, re.Pattern):
        yield value.__self__, value.__name__
    elif isinstance(value, dict | list | tuple) and depth:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _patterns(item, depth - 1)


class _Anything(dict[str, object]):
    """The names of a module; any other stands for some text."""

    def __missing__(self, name: str) -> object:
        if name in vars(__builtins__) if isinstance(__builtins__, types.ModuleType) else name in __builtins__:
            raise KeyError(name)
        return "x"


def _written(module: types.ModuleType, tree: ast.Module) -> Iterator[Use]:
    """Patterns that stand where they are used: `re.sub("...", ...)`, `re.compile("...").search(...)`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in METHODS:
            continue
        owner, arguments = node.func.value, node.args
        flags = [word.value for word in node.keywords if word.arg == "flags"]
        if isinstance(owner, ast.Call) and ast.unparse(owner.func) == "re.compile":
            arguments, flags = owner.args, owner.args[1:]
        elif not (isinstance(owner, ast.Name) and owner.id == "re"):
            continue
        elif node.func.attr in ("match", "fullmatch", "search", "findall", "finditer"):
            flags = [*flags, *node.args[2:]]
        pattern = _worth(module, arguments[0])
        number = _worth(module, flags[0]) if flags else 0
        if isinstance(pattern, str | bytes):
            yield _use(module, pattern, int(number) if isinstance(number, int) else 0, node.func.attr)


def _worth(module: types.ModuleType, node: ast.expr) -> object:
    """The value of an expression, with some text for each name that only a function knows."""
    code = compile(ast.Expression(ast.parse(ast.unparse(node), mode="eval").body), "<pattern>", "eval")
    try:
        return eval(code, _Anything(vars(module)))
    except (TypeError, AttributeError, KeyError, IndexError):
        return None


def _use(module: types.ModuleType, pattern: str | bytes, flags: int, method: str) -> Use:
    return Use(module.__name__, pattern, flags & ~(re.UNICODE if isinstance(pattern, bytes) else 0), _plain(method))


def _plain(method: str) -> str:
    return "search" if method in SEARCHING else method


def pumps(use: Use, most: int) -> list[tuple[str, str]]:
    """Beginnings, and pieces to repeat behind each, taken from what the pattern itself repeats."""
    text = use.pattern.decode("latin-1") if isinstance(use.pattern, bytes) else use.pattern
    tree = parser.parse(text, use.flags & ~re.UNICODE if isinstance(use.pattern, bytes) else use.flags)
    found = dict.fromkeys(_pumps(list(tree), ""))
    return list(found)[:most]


def _pumps(items: list[tuple[object, object]], before: str) -> Iterator[tuple[str, str]]:
    for place, (kind, value) in enumerate(items):
        if kind in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            _, most, body = value  # type: ignore[misc]
            if most is ops.MAXREPEAT or most > 40:
                for piece in _samples(list(body))[:3]:
                    yield before, piece or "a"
                    # What ends the repetition or follows it, once too often.
                    yield "", before + piece
                    rest = _samples(items[place + 1 :])[:1]
                    yield before, piece + "".join(rest)
            yield from _pumps(list(body), before)
        elif kind is ops.BRANCH:
            for branch in value[1]:  # type: ignore[index]
                yield from _pumps(list(branch), before)
        elif kind is ops.SUBPATTERN:
            yield from _pumps(list(value[3]), before)  # type: ignore[index]
        elif kind is ops.ATOMIC_GROUP:
            yield from _pumps(list(value), before)  # type: ignore[call-overload]
        before += (_samples([(kind, value)]) or [""])[0]


def _samples(items: list[tuple[object, object]]) -> list[str]:
    """A few texts that a part of a pattern matches, the first of them in the plainest way."""
    made = [""]
    for kind, value in items:
        choices = _choices(kind, value)
        made = [text + choice for choice in choices[:3] for text in made][:6]
    return made


def _choices(kind: object, value: object) -> list[str]:
    if kind is ops.LITERAL:
        return [chr(value)]  # type: ignore[arg-type]
    if kind is ops.NOT_LITERAL:
        return ["a" if value != ord("a") else "b"]
    if kind is ops.ANY:
        return ["a"]
    if kind is ops.IN:
        return _members(value)  # type: ignore[arg-type]
    if kind is ops.BRANCH:
        return [text for branch in value[1] for text in _samples(list(branch))[:1]][:4]  # type: ignore[index]
    if kind is ops.SUBPATTERN:
        return _samples(list(value[3]))  # type: ignore[index]
    if kind is ops.ATOMIC_GROUP:
        return _samples(list(value))  # type: ignore[call-overload]
    if kind in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        least, most, body = value  # type: ignore[misc]
        return [text * max(least, 1 if most else 0) for text in _samples(list(body))]
    return [""]


_TRIED = " \n\ta1A/-_\\'\"$(=.;:,{[<@#x"
_CATEGORIES = {
    ops.CATEGORY_SPACE: " \n",
    ops.CATEGORY_DIGIT: "1",
    ops.CATEGORY_WORD: "a1",
    ops.CATEGORY_NOT_SPACE: "a/",
    ops.CATEGORY_NOT_DIGIT: "a",
    ops.CATEGORY_NOT_WORD: "- ",
}


def _members(parts: list[tuple[object, object]]) -> list[str]:
    """Characters of a class."""
    if parts[0][0] is ops.NEGATE:
        inside = set("".join(_members(parts[1:])))
        return [mark for mark in _TRIED if mark not in inside][:3] or ["%"]
    found = ""
    for kind, value in parts:
        if kind is ops.LITERAL:
            found += chr(value)  # type: ignore[arg-type]
        elif kind is ops.RANGE:
            found += "".join(chr(number) for number in range(value[0], value[1] + 1))  # type: ignore[index]
        elif kind is ops.CATEGORY:
            found += _CATEGORIES.get(value, "a")
    return [*dict.fromkeys(mark for mark in _TRIED if mark in found), *found][:40]
