"""Where the evaluator's answer is a plausible one and not a sure one: `$?` is 1, `find -name x` finds `x`.

A guard wants that; an approval does not. So text that runs something under such a name is in doubt.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from omnihook.shell import tables
from omnihook.shell.syntax import Arith, Assign, For, Lit, Simple, Statement, Sub, Var, Word
from omnihook.shell.wrappers import base_name
from omnihook.trust import programs

# Programs whose output is guessed, or cut from text that may have been.
_GUESSERS = tables.names(
    "ls find gfind fd which type whereis mktemp realpath readlink whoami logname yes sort uniq head tail "
    "grep egrep fgrep rg shuf sed tr git command"
)
_SURE_GIT = ("git", "rev-parse", "--show-toplevel")
_READS = frozenset({"read", "mapfile", "readarray"})
_HANDS_ON = frozenset({"xargs", "gxargs", "parallel"})
_EXECUTES = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
_NUMBERS = "$?!#-"
# What these are given changes what later commands run.
_LASTING = frozenset({"cd", "pushd", "set", "alias", "builtin", "command", *_READS})
_SAFE = (programs.LOOKERS | programs.READERS | programs.WRITERS) - programs.PROGRAM_RUNS - _LASTING


def is_guess(body: Statement) -> bool:
    """Whether some command runs, or may run, a name that is only guessed."""
    found = list(nodes(body))
    simple = [node for node in found if isinstance(node, Simple)]
    lists = any(_guesses(node) for node in simple)
    tainted = _tainted(found, simple, lists=lists)
    return any(_risky(node, tainted, lists=lists) for node in simple)


def nodes(node: object) -> Iterator[object]:
    """Every part of a statement, itself included."""
    todo = [node]
    while todo:
        found = todo.pop()
        if isinstance(found, tuple):
            todo.extend(found)
        elif is_dataclass(found):
            yield found
            todo.extend(getattr(found, field.name) for field in fields(found))


def _risky(node: Simple, tainted: set[str], *, lists: bool) -> bool:
    names = _names(node)
    if not names:
        return False
    harmless = any(name in _SAFE for name in names[1:])
    if names[0] in _HANDS_ON:
        return lists and not harmless
    if names[0] in ("find", "gfind", "fd"):
        return any(name in _EXECUTES for name in names) and not harmless
    return names[0] not in _SAFE and any(_unsure(word, tainted) for word in node.words)


def _tainted(found: list[object], simple: list[Simple], *, lists: bool) -> set[str]:
    """The variables that hold a guess, or may come to."""
    tainted: set[str] = set()
    if lists:
        for node in simple:
            names = _names(node)
            if names and names[0] in _READS:
                tainted.update(names[1:] or ["REPLY", "MAPFILE"])
    return _spread(tainted, [row for node in found for row in _assigned(node)])


def _assigned(node: object) -> Iterator[tuple[str, Word]]:
    """The variables a part of a statement sets, each with a word its value comes from."""
    if isinstance(node, Assign):
        yield from ((node.name, word) for word in (node.value, *(node.items or ())))
    elif isinstance(node, For):
        yield from ((node.name, word) for word in node.words or ())


def _spread(tainted: set[str], assigned: list[tuple[str, Word]]) -> set[str]:
    """With every variable that is set from one of them; each word is looked at once."""
    users: dict[str, set[str]] = {}
    todo = [*tainted, *(name for name, word in assigned if _unsure(word, set()))]
    for name, word in assigned:
        for part in nodes(word):
            if isinstance(part, Var):
                users.setdefault(part.name, set()).add(name)
    reached: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo.extend(users.get(name, ()))
    return reached


def _unsure(word: Word, tainted: set[str]) -> bool:
    for part in nodes(word):
        if isinstance(part, Arith) or (isinstance(part, Sub) and _lists(part.script)):
            return True
        if isinstance(part, Var) and (part.name in _NUMBERS or part.name in tainted or _length(part)):
            return True
    return False


def _length(part: Var) -> bool:
    return part.op.startswith("#") and not part.arg


def _lists(script: Statement) -> bool:
    return any(_guesses(node) for node in nodes(script) if isinstance(node, Simple))


def _guesses(node: Simple) -> bool:
    names = _names(node)
    return not _GUESSERS.isdisjoint(names) and tuple(names[:3]) != _SURE_GIT


def _names(node: Simple) -> list[str]:
    """The words of a command without their folders; empty for what is not literal."""
    return ["".join(base_name(part.text) if isinstance(part, Lit) else "" for part in word) for word in node.words]
