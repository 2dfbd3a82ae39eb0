"""Shell text in calls of tools that nobody has told us about: by the names of arguments, at any depth."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping

from omnihook.builtin import tool_words
from omnihook.jsontypes import Json, JsonObject
from omnihook.shell.tables import names

MAX_DEPTH = 64
MAX_VALUES = 20_000
MAX_COMMANDS = 200
_COMMANDS = names(
    "command cmd script commands cmds scripts commandline cmdline shellcommand shellscript bashcommand argv"
)
_LISTED = names("commands cmds scripts")
_PROGRAMS = names("program executable exe bin line text value command cmd argv")
"""What the parts of a command are called where it is an object of its own."""
_STARTED = names("program executable exe binary")
"""What a program is called that is given with its arguments beside it."""
_RUNNERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("python", "python3", "py", "ipython", "jupyter"), ("python3", "-c")),
    **dict.fromkeys(("javascript", "js", "node", "nodejs"), ("node", "-e")),
    "ruby": ("ruby", "-e"),
    "perl": ("perl", "-e"),
    "php": ("php", "-r"),
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "terminal"), ("bash", "-c")),
}
"""By the word that a tool or its argument `language` has for it: what runs the text of an argument `code`."""
_PLAIN = re.compile(r"[\w./~-]+")
_MAX_JSON = 256 * 1024


def beyond_caps(arguments: JsonObject) -> bool:
    """Whether a call holds more than is looked at: nested too deeply, too many values, too many commands."""
    if any(depth >= MAX_DEPTH for _, depth in _objects(arguments)):
        return True
    return sum(1 for _ in _texts(arguments)) > MAX_COMMANDS


def commands(arguments: JsonObject, tool: str = "") -> Iterator[str]:
    """The shell text of a call, that of lists and objects in it too, up to the caps; a list of words is one text.

    Code for another language is the command that runs it, where the tool or the call says which language it is.
    """
    for found, _ in zip(_texts(arguments), range(MAX_COMMANDS), strict=False):
        yield found
    code = arguments.get("code")
    runner = _RUNNERS.get(_language(arguments, tool))
    if isinstance(code, str) and runner is not None:
        yield shlex.join((*runner, code))


def _language(arguments: JsonObject, tool: str) -> str:
    said = next((arguments[key] for key in ("language", "lang") if key in arguments), None)
    if isinstance(said, str):
        return said.lower()
    return next((word for word in sorted(tool_words.words(tool)) if word in _RUNNERS), "")


def command_text(value: Json, beside: JsonObject) -> str | None:
    """A command as a text, with the arguments that are given beside it."""
    words = word_list(value)
    if words is not None:
        return shlex.join(words)
    if not isinstance(value, str):
        return None
    return " ".join((value, *map(shlex.quote, word_list(beside.get("args") or beside.get("arguments")) or ())))


def word_list(value: Json) -> list[str] | None:
    """A list of nothing but texts."""
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return None
    return [str(word) for word in value]


def _texts(arguments: JsonObject) -> Iterator[str]:
    for item, depth in _objects(arguments):
        for key, value in item.items():
            plain = re.sub(r"[_-]", "", key).lower()
            if plain in _COMMANDS or (plain in _STARTED and ("args" in item or "arguments" in item)):
                for text in _said(plain, value, item):
                    yield text if depth == 0 else _in_folder(text, item)


def _said(key: str, value: Json, beside: JsonObject) -> Iterator[str]:
    """What an argument that is named like a command says: a text, its words, several of either, or an object."""
    listed = isinstance(value, list) and (key in _LISTED or word_list(value) is None)
    for one in value if listed and isinstance(value, list) else [value]:
        if isinstance(one, Mapping):
            parts = [one[name] for name in one if name in _PROGRAMS - _COMMANDS]
            found = [command_text(part, one) for part in parts]
        else:
            found = [command_text(one, beside if not listed else {})]
        yield from (text for text in found if text)


def _in_folder(text: str, beside: JsonObject) -> str:
    """A command of a list, in the folder that its own entry asks for."""
    folder = tool_words.folder(beside)
    if folder is None:
        return text
    return f"cd {folder if _PLAIN.fullmatch(folder) else shlex.quote(folder)} && {text}"


def _objects(arguments: JsonObject) -> Iterator[tuple[JsonObject, int]]:
    """Every object of a call with its depth, one that is spelt as a text too; beyond the caps an empty one."""
    todo: list[tuple[object, int]] = [(arguments, 0)]
    for item, depth in todo:
        if depth >= MAX_DEPTH or len(todo) >= MAX_VALUES:
            yield {}, MAX_DEPTH
            return
        if isinstance(item, Mapping):
            yield item, depth
        for value in item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ():
            inner = _spelt(value) if isinstance(value, str) else value
            if isinstance(inner, Mapping | list):
                todo.append((inner, depth + 1))


def _spelt(text: str) -> Json:
    """The object that a text spells out, as some tools take their arguments; None for any other text."""
    if not 2 < len(text) < _MAX_JSON or text[0] not in "{[" or text.rstrip()[-1:] not in ("}", "]"):
        return None
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found
