"""One vocabulary for edits in every format a dialect's files have; a pointer that leads nowhere is a KeyError."""

import tomllib
from collections.abc import Sequence

from omnihook.editing import json_text, toml_inline, toml_text
from omnihook.editing.json_text import Piece
from omnihook.jsontypes import Json, JsonObject, loads_object
from omnihook.positions import find_json, uncommented

Pointer = Sequence[str | int]


def parse(format: str, text: str) -> JsonObject:
    """The document a text holds; raises ValueError when it holds none."""
    if not text.strip():
        return {}
    if format == "yaml":
        from omnihook.families.frontmatter import parse as parse_frontmatter  # YAML only where there is frontmatter

        document = parse_frontmatter(text)
        if isinstance(document, str):
            raise ValueError(document)
        return document
    return tomllib.loads(text) if format == "toml" else loads_object(uncommented(text))


def has(format: str, text: str, pointer: Pointer) -> bool:
    """Whether a pair or member stands in the text at a pointer."""
    if format == "toml":
        find = toml_inline.find_value if toml_inline.holds(text, pointer) else toml_text.find_value
        return find(text, pointer) is not None
    return find_json(text, pointer) is not None


def write(format: str, text: str, pointer: Pointer, value: Json) -> str:
    """The text with a value at a pointer: replaced where there is one, else added."""
    if not has(format, text, pointer):
        return add(format, text, pointer, value)
    if format != "toml":
        return json_text.replace_value(text, pointer, value)
    replace = toml_inline.replace_value if toml_inline.holds(text, pointer) else toml_text.replace_value
    return replace(text, pointer, value)


def add(format: str, text: str, pointer: Pointer, value: Json) -> str:
    """The text with a value added at a pointer, at the end of what holds it."""
    if format != "toml":
        return json_text.insert(text, pointer, value)
    insert = toml_inline.insert if toml_inline.holds(text, pointer) else toml_text.insert
    return insert(text, pointer, value)


def drop(format: str, text: str, pointer: Pointer) -> str:
    """The text without a pair, member or table."""
    if format == "toml":
        cut_out = toml_inline.cut if toml_inline.holds(text, pointer) else toml_text.cut
        take_out = toml_inline.drop if toml_inline.holds(text, pointer) else toml_text.drop
        return cut_out(text, pointer) if isinstance(pointer[-1], int) else take_out(text, pointer)
    return cut(format, text, pointer)[0]


def cut(format: str, text: str, pointer: Pointer) -> tuple[str, Piece]:
    """The text without a member of an object or list; and the member, to be put back."""
    if format == "yaml":
        from omnihook.editing import yaml_text

        return yaml_text.cut(text, pointer)
    return json_text.cut(text, pointer)


def put(format: str, text: str, pointer: Pointer, number: int, piece: Piece) -> str:
    """The text with a member put back into the object or list at a pointer, at a place among the others."""
    if format == "yaml":
        from omnihook.editing import yaml_text

        return yaml_text.put(text, pointer, number, piece)
    return json_text.put(text, pointer, number, piece)
