"""Values that code loads from a file of secrets and then shows: all of them, or one that is named after a secret."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.effects import Do, Effect
from omnihook.builtin.guard.languages.folding import Folding
from omnihook.builtin.guard.languages.nodes import (
    Call,
    Group,
    Index,
    Items,
    Literal,
    Member,
    Named,
    Node,
    Operation,
    Ref,
    below,
    children,
)
from omnihook.builtin.guard.languages.surroundings import GETTERS
from omnihook.builtin.guard.languages.wholes import Seen
from omnihook.shell.tables import names
from omnihook.shell.values import Text

_LOADS = names("load_dotenv dotenv_values config load overload parse populate safeLoad createImmutable createMutable")
_PRINTS = names(
    "print printf say puts p pp pprint log error info warn debug dir table write echo var_dump print_r inspect exit",
    "dump var_export",
)
_WHOLE = names("environ env ENV %ENV $_ENV $_SERVER environb parsed")
_MERE = names("len length keys size count bool any all has includes contains isset empty key? has_key? include? sorted")
"""What tells of values without showing them."""
_SECRET = re.compile(
    r"(?i)key|secret|token|passw|pwd|cred|private|auth|dsn|(?:database|db|redis|mongo\w{0,64}?)_ur[il]"
)


def revealed(nodes: list[Node], seen: Seen, folding: Folding) -> Iterator[Effect]:
    """The file whose values are printed."""
    loads = folding.around.loads
    if not loads and not any("dotenv" in name.lower() for name in (*seen.named, *seen.strings)):
        return
    inner = [node for item in nodes for node in below(item)]
    loaded = [call for call in inner if isinstance(call, Call) and _loads(call, folding)]
    if not loaded and not loads and not any(text.startswith("dotenv/") for text in seen.strings):
        return
    values = any("dotenv_values" in folding.chain(call.callee) for call in loaded)
    files = [Text(loads)] if loads else [text for call in loaded for text in _paths(call, folding)] or [Text(".env")]
    calls = [node for node in inner if isinstance(node, Call)]
    printed = [arg for call in calls if _PRINTS.intersection(folding.chain(call.callee)[-1:]) for arg in call.args]
    if any(_shows(arg, values=values) for arg in (*printed, *(nodes[-1:] if folding.around.prints else ()))):
        yield from (Effect(Do.READ, file) for file in files)


def _loads(call: Call, folding: Folding) -> bool:
    chained = folding.chain(call.callee)
    if not chained or chained[-1] not in _LOADS:
        return False
    if "dotenv" in chained[-1]:
        return True
    required = any(isinstance(node, Literal) and "dotenv" in node.text.text for node in below(call.callee))
    return required or any("dotenv" in name.lower() for name in chained[:-1])


def _paths(call: Call, folding: Folding) -> list[Text]:
    """The file that is loaded, as the first argument or by name."""
    tables = [item for arg in call.args if isinstance(arg, Items) for item in arg.items]
    named = [arg.value for arg in (*call.args, *tables) if isinstance(arg, Named) and arg.name in _PATH]
    plain = [arg for arg in call.args if not isinstance(arg, Named | Items)]
    return [text for node in (named or plain[:1]) for text in folding.texts(node)]


_PATH = frozenset({"path", "dotenv_path"})


def _shows(arg: Node, *, values: bool) -> bool:
    """Whether what is printed holds values: all variables, one that is a secret, or what was loaded."""
    parts = list(_parts(arg))
    called = {part.name for part in parts if isinstance(part, Ref | Member)}
    if called & _MERE or any(isinstance(part, Operation) and part.op in ("in", "not in", "==", "!=") for part in parts):
        return False
    keys = [part.key.text.text for part in parts if isinstance(part, Index) and isinstance(part.key, Literal)]
    keys += [part.name for part in parts if isinstance(part, Member) and _is_environment(part.owner)]
    keys += [key for part in parts if isinstance(part, Call) for key in _asked(part)]
    whole = bool(called & _WHOLE)
    if values:
        return any(isinstance(part, Ref | Call) for part in parts) and (not keys or _named_so(keys))
    return (whole and not [key for key in keys if key not in _COPIES]) or (
        bool(keys) and _reads(called) and _named_so(keys)
    )


def _parts(node: Node) -> Iterator[Node]:
    """What is below a node and shows in what it is worth: no test, and nothing that is only denied."""
    if isinstance(node, Group) and len(node.items) > 1:
        if not (isinstance(node.items[0], Group) and not node.items[0].items):
            yield from _parts(node.items[-1])
        return
    yield node
    for child in children(node):
        yield from _parts(child)


def _asked(call: Call) -> list[str]:
    """The variables that a call asks for by name."""
    name = call.callee.name if isinstance(call.callee, Ref | Member) else ""
    return [arg.text.text for arg in call.args[:1] if isinstance(arg, Literal)] if name in GETTERS else []


_COPIES = names("to_h to_hash items entries values toString inspect copy")


def _named_so(keys: list[str]) -> bool:
    return any(map(_SECRET.search, keys))


def _reads(called: set[str]) -> bool:
    return bool(called & (_WHOLE | {"getenv", "Getenv"}))


def _is_environment(node: Node) -> bool:
    return isinstance(node, Ref | Member) and node.name in _WHOLE
