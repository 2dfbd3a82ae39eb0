"""What jq prints of JSON that is known, for queries that only name members."""

import json
import re

from omnihook.shell.filters import Maker, held, interpreter, one_after_another
from omnihook.shell.options import given
from omnihook.shell.state import State
from omnihook.shell.values import Command, Stream, Text

_LONG = ("--arg", "--argjson", "--indent", "--from-file")
_QUERY = re.compile(r"\.(?:\.?[A-Za-z_][\w-]*+|\.?\"[^\"]++\"|\[\d*+\]|\[\"[^\"]++\"\])*+")
_STEP = re.compile(r"\[(\d*+)\]|\"([^\"]++)\"|([A-Za-z_][\w-]*+)")
_MAX_QUERY = 200


def _jq(command: Command, state: State) -> Stream:
    """`jq -r .a.b[0] file`; any other query is left to the reader of code."""
    options, operands = given(command.words, "fL", _LONG)
    query = command.words[operands[0]] if operands else ""
    if len(query) > _MAX_QUERY or not _QUERY.fullmatch(query):
        return interpreter(command, state)
    files = [text for place in operands[1:] for text in held(command.argv[place], command, state)]
    source = one_after_another(files) if files else command.stdin.text if command.stdin is not None else None
    values = _values(query, source.text) if source is not None and source.known else None
    if source is None or values is None:
        return interpreter(command, state)
    raw = any(one.name in ("-r", "-j", "--raw-output", "--join-output") for one in options)
    lines = [value if raw and isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values]
    return Stream(Text("".join(line + "\n" for line in lines), source.origins))


def _values(query: str, text: str) -> list[object] | None:
    """What a query finds; None where the text is no JSON or has no such members."""
    try:
        found: list[object] = [json.loads(text)]
    except (ValueError, RecursionError):
        return None
    for index, quoted, name in _STEP.findall(query.replace('["', '"').replace('"]', '"')):
        key = quoted or name
        members = [_members(value, index, key) for value in found]
        if any(member is None for member in members):
            return None
        found = [value for member in members if member is not None for value in member]
    return found


def _members(value: object, index: str, key: str) -> list[object] | None:
    if key:
        return [value[key]] if isinstance(value, dict) and key in value else None
    if not index:
        return list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else None
    return value[int(index) : int(index) + 1] if isinstance(value, list) and len(index) < 6 else None


QUERYING: dict[str, Maker] = {"jq": _jq, "jaq": _jq, "gojq": _jq}
"""What programs that ask JSON print."""
