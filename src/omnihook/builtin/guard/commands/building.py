"""Compilers given source text that can be seen: what the program would do is said where it is made."""

import re
import shlex
from collections.abc import Iterator

from omnihook.builtin.guard.commands.reading import used
from omnihook.builtin.guard.commands.table import Handler
from omnihook.builtin.guard.effects import Act, Do, Effect, Note, Shell
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.saving import contents
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_STRING = r"""\(\s*"((?:\\.|[^"\\\n])*)"""
_RUNS = re.compile(r"\b(?:system|popen)\s*" + _STRING)
_DELETES = re.compile(r"\b(?:unlink|remove|rmdir)\s*" + _STRING)
_DELETES_TREES = re.compile(r"\bremove_all\s*" + _STRING)
_STARTS = re.compile(r"\b(?:execl[pe]?|execlpe|spawnl[pe]?|_execl|_spawnl)\s*\(([^;]*)\)")
_QUOTED = re.compile(r'"((?:\\.|[^"\\\n])*)"')
_ENDLESS = re.compile(r"\bfor\s*\(\s*;\s*;|\bwhile\s*\(\s*(?:1|true|!0)\s*\)|\bdo\b[^;]{0,200}\bfork\b")
_COMMENT = re.compile(r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_FORKS = re.compile(r"\bv?fork\s*\(\s*\)")
_WAITS = re.compile(r"\b(?:wait|waitpid|sleep|usleep|break|exit|_exit)\s*[(;]")


def compiled(command: Command) -> Iterator[Act]:
    """C and its relatives, from standard input or from a file that was just written."""
    texts = [text for _, text in contents(command)]
    if command.stdin is not None and "-" in command.words:
        texts.append(command.stdin.text)
    for text in texts:
        yield from _source_acts(text)
    yield from used(command)


def _source_acts(source: Text) -> Iterator[Act]:
    code = _COMMENT.sub(" ", source.text)
    if _FORKS.search(code) and _ENDLESS.search(code) and not _WAITS.search(code):
        yield Note("fork-bomb", "forks in an endless loop")
    for found in _RUNS.finditer(code):
        yield Shell(Text(unescape_ansi_c(found[1]), source.origins))
    for found in _STARTS.finditer(code):
        words = [shlex.quote(unescape_ansi_c(word)) for word in _QUOTED.findall(found[1])[1:]]
        yield Shell(Text(" ".join(words), source.origins))
    for found in _DELETES.finditer(code):
        yield Effect(Do.DELETE, Text(unescape_ansi_c(found[1]), source.origins))
    for found in _DELETES_TREES.finditer(code):
        yield Effect(Do.DELETE, Text(unescape_ansi_c(found[1]), source.origins), recursive=True)


BUILDING: dict[str, Handler] = dict.fromkeys(names("gcc cc g++ c++ clang clang++ tcc c99 c11 zig"), compiled)
