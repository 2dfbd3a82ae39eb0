"""JSON as nodes, so that what code looks up in it is found like anything else."""

import json

from omnihook.builtin.guard.languages.nodes import NOTHING, Items, Literal, Named, Node, Number
from omnihook.shell.values import Text

_MAX_TEXT = 64 * 1024


def from_json(text: Text) -> Items | None:
    """The list or table that a text spells; None for any other text."""
    plain = text.text.strip()
    if not plain.startswith(("{", "[")) or len(plain) > _MAX_TEXT or not text.known:
        return None
    try:
        found = _node(json.loads(plain), text.origins)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Items) else None


def _node(value: object, origins: frozenset[str]) -> Node:
    match value:
        case dict():
            return Items([Named(str(key), _node(item, origins)) for key, item in value.items()])
        case list():
            return Items([_node(item, origins) for item in value])
        case str():
            return Literal(Text(value, origins))
        case int():
            return Number(int(value), str(value))
        case _:
            return NOTHING
