"""Every command in shell text as one plain line, for rules such as `Bash(git push *)`."""

from functools import lru_cache

from omnihook.shell import syntax
from omnihook.shell.lowering import lower
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.quoting import expand_braces
from omnihook.shell.syntax import Lit, Part, Script, Simple, Statement, Sub, Var, Word
from omnihook.shell.wrappers import (
    SHELLS,
    SWITCH_USER,
    WRAPPERS,
    base_name,
    inner_start,
    script_options,
    shell_script,
)

_MAX_DEPTH = 16
_MAX_LINES = 5_000
_MAX_REMEMBERED = 8 * 1024


def command_lines(text: str) -> tuple[str, ...] | None:
    """Each simple command anywhere in `text`, words joined by one space, assignments and redirections removed.

    Commands inside wrappers (`sudo`, `timeout 5`, `sh -c '...'`) follow as lines of their own.
    None when the text cannot be parsed or is beyond a cap.
    """
    return _remembered(text) if len(text) <= _MAX_REMEMBERED else _command_lines(text)


def _command_lines(text: str) -> tuple[str, ...] | None:
    try:
        script = lower(text)
        return None if script.broken else tuple(dict.fromkeys(_Lines().collect(script)))
    except ShellTextError:
        return None


_remembered = lru_cache(maxsize=512)(_command_lines)


class _Lines:
    """Walks statements with a list of what is still to visit, so that depth costs nothing."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._todo: list[tuple[Statement, int]] = []

    def collect(self, script: Script) -> list[str]:
        self._todo.append((script.body, 0))
        while self._todo:
            statement, depth = self._todo.pop()
            if len(self._lines) > _MAX_LINES or depth > _MAX_DEPTH:
                raise ShellTextError("too many commands, or too deep, to list")
            self._visit(statement, depth)
        return self._lines

    def _visit(self, statement: Statement, depth: int) -> None:
        inner = _children(statement)
        if isinstance(statement, Simple):
            inner.extend(script for word in _words(statement) for script in _scripts(word))
            argv = [expanded for word in statement.words for expanded in expand_braces(word)]
            inner.extend(self._command(argv, depth))
        elif isinstance(statement, syntax.Test):
            inner.extend(script for word in statement.words for script in _scripts(word))
        elif isinstance(statement, syntax.For):
            inner.extend(script for word in statement.words or () for script in _scripts(word))
        elif isinstance(statement, syntax.Block):
            inner.extend(script for item in statement.redirects for script in _scripts(item.target))
        self._todo.extend((child, depth) for child in reversed(inner))

    def _command(self, words: list[Word], depth: int) -> list[Statement]:
        """Note the command and those its wrappers hide; give back scripts it runs."""
        texts = [_shown(word) for word in words]
        known = [text if _literal(word) else None for text, word in zip(texts, words, strict=True)]
        scripts: list[Statement] = []
        for _ in range(_MAX_DEPTH):
            if not texts:
                break
            self._lines.append(" ".join(texts))
            name = base_name(texts[0])
            for text in _script_texts(name, known):
                self._todo.append((lower(text).body, depth + 1))
            start = inner_start(known, WRAPPERS[name]) if name in WRAPPERS else None
            if start is None:
                break
            texts, known = texts[start:], known[start:]
        return scripts


def _script_texts(name: str, argv: list[str | None]) -> list[str]:
    """Shell text among the arguments: `sh -c`, `eval`, `env -S` and the like, where it is literal."""
    if name in SHELLS:
        place = shell_script(argv)
        found = [] if place is None or place >= len(argv) else [argv[place]]
    elif name == "eval":
        found = [" ".join(word for word in argv[1:] if word is not None)]
    elif name == "trap":
        found = argv[1:2]
    elif name in WRAPPERS or name == "su":
        places = script_options(argv, SWITCH_USER if name == "su" else WRAPPERS[name])
        found = [(argv[place] or "")[len(prefix) :] for place, prefix in places]
    else:
        found = []
    return [text for text in found if text]


def _children(statement: Statement) -> list[Statement]:
    match statement:
        case syntax.Sequence(items=items) | syntax.Pipeline(stages=items):
            return list(items)
        case syntax.Maybe() | syntax.Background() | syntax.Block() | syntax.For() | syntax.Function():
            return [statement.body]
        case syntax.While():
            return [statement.condition, statement.body]
        case syntax.Branches():
            return [statement.first, *statement.arms]
        case _:
            return []


def _words(statement: Simple) -> list[Word]:
    values = [word for item in statement.assigns for word in (item.value, item.inner, *(item.items or ()))]
    return [*values, *statement.words, *(redirect.target for redirect in statement.redirects)]


def _scripts(word: Word) -> list[Statement]:
    found: list[Statement] = []
    for part in word:
        match part:
            case Sub() | syntax.Proc():
                found.append(part.script)
            case Var():
                found.extend(_scripts((*part.arg, *part.inner)))
            case syntax.Arith():
                found.extend(_scripts(part.expression))
            case Lit():
                pass
    return found


def _literal(word: Word) -> bool:
    return all(isinstance(part, Lit) for part in word)


def _shown(word: Word) -> str:
    return "".join(map(_shown_part, word))


def _shown_part(part: Part) -> str:
    match part:
        case Lit():
            return part.text
        case Var():
            return f"${part.name}"
        case Sub():
            return "$(...)"
        case syntax.Proc():
            return ">(...)" if part.output else "<(...)"
        case syntax.Arith():
            return "$((...))"
