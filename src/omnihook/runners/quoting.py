"""References to documented variables in a command, quoted for the author: the value never becomes shell code.

Only the reference is rewritten, never a value spliced in: bare `$X` becomes `"$X"`, and where the dialect's
documents promise it, `$X` inside single quotes becomes `'"$X"'`. In text that a further shell will read as a
script (`sh -c "... $X"`, `eval`) it becomes a reference for that shell, which finds the variable in its environment.
What no quoting makes safe is told by `exposing`.
"""

import re
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from itertools import pairwise

from omnihook.slotted import dataclass

_REFERENCE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)([^{}\"'`$\\]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
# Where quoting would change the meaning: here-documents and arithmetic. There only text for further shells is quoted.
_LEAVE = re.compile(r"(?<!<)<<(?!<)|\(\(|\$\[")
SHELLS = frozenset({"sh", "bash", "rbash", "dash", "zsh", "ksh", "mksh", "yash", "ash", "busybox", "fish"})
_TAKERS = SHELLS | {"su", "runuser", "script", "flock", "sg"}  # the operand of their -c is a script
_SCRIPT_FLAG = re.compile(r"-[A-Za-z]*c[A-Za-z]*|--command")
_FURTHER = re.compile(r"\b(?:eval|trap)\b|\b(?:[a-z]*sh|su|script|flock)\b[^;|&\n]*\s-[A-Za-z]*c")  # a shell within
_SHELL_VARIABLE = re.compile(r"\$\{?(?:SHELL|BASH|0)\b.*")
_CODE = frozenset({"", "(", "`"})  # kinds of text in which words are words


@lru_cache(maxsize=2048)
def quote_references(command: str, names: frozenset[str], single_quotes: bool) -> str:
    """The command with its references to these variables quoted."""
    if not any(_name(found) in names for found in _REFERENCE.finditer(command)):
        return command
    return _Scan(command, names, single_quotes).rewritten()


def nested_references(command: str, names: frozenset[str]) -> set[str]:
    """The variables whose values reach a shell within a further shell, or a substitution in its text, as code."""
    scan = _Scan(command, names, False)
    scan.rewritten()
    return scan.nested


def _name(found: "re.Match[str]") -> str:
    return found[1] or found[3]


@dataclass(slots=True)
class _Level:
    """One level of quoting or substitution: its kind, and the words of the simple command that is being read."""

    kind: str  # nothing, ( or ` for code; ' " or $' for a string
    words: list[str] = field(default_factory=list)
    word: str = ""
    start: int = 0  # where it begins in the text
    inner: str = ""  # the quote that is open in the script which this string holds


class _Scan:
    """Reads a command once, as far as quoting goes."""

    def __init__(self, command: str, names: frozenset[str], single_quotes: bool) -> None:
        self._text, self._names, self._single_quotes = command, names, single_quotes
        self._only_scripts = _LEAVE.search(command) is not None
        self._levels = [_Level("")]
        self._made: list[str] = []
        self._position = 0
        self.nested: set[str] = set()

    def rewritten(self) -> str:
        position = 0
        while position < len(self._text):
            found = _REFERENCE.match(self._text, position)
            if found is not None and _name(found) in self._names:
                self._position = position
                self._note_nested(_name(found))
                self._made.append(self._quoted(found[0], plain=not found[2]))
                self._code.word += found[0]
                position = found.end()
            else:
                size = self._step(position)
                self._made.append(self._text[position : position + size])
                position += size
        return "".join(self._made)

    @property
    def _code(self) -> _Level:
        return next(level for level in reversed(self._levels) if level.kind in _CODE)

    def _step(self, position: int) -> int:
        """How many characters belong together here; the levels are left as they are after them."""
        level, char = self._levels[-1], self._text[position]
        if char == "\\" and level.kind != "'":
            if level.kind == '"' and self._text[position + 1 : position + 2] == '"' and level.inner != "'":
                level.inner = "" if level.inner else '"'
            self._code.word += self._text[position + 1 : position + 2]
            return 2
        if level.kind not in _CODE and char == level.kind[-1]:
            self._levels.pop()
            return 1
        if level.kind not in _CODE:
            self._code.word += char  # the quoted part of a word is a part of it
        if level.kind == '"' and char == "'" and level.inner != '"':
            level.inner = "" if level.inner else "'"
        elif level.kind not in ("'", "$'"):
            return self._step_inside(level, position)
        return 1

    def _step_inside(self, level: _Level, position: int) -> int:
        char = self._text[position]
        if self._text.startswith("$(", position):
            self._levels.append(_Level("("))
            return 2
        if char == "`":
            self._backquote()
        elif level.kind in _CODE:
            return self._step_code(level, position)
        return 1

    def _step_code(self, level: _Level, position: int) -> int:
        char = self._text[position]
        if char == "#" and not level.word:
            end = self._text.find("\n", position)
            return (len(self._text) if end < 0 else end) - position
        if char in "'\"":
            ansi = char == "'" and self._text[position - 1 : position] == "$"
            self._levels.append(_Level("$'" if ansi else char, start=position))
        elif char == "(":
            self._levels.append(_Level("("))
        elif char == ")" and level.kind == "(":
            self._levels.pop()
        elif char in ";&|\n":
            level.words, level.word = [], ""
        elif char.isspace():
            level.words, level.word = level.words + [level.word] * bool(level.word), ""
        else:
            level.word += char
        return 1

    def _backquote(self) -> None:
        kinds = [level.kind for level in self._levels]
        if "`" in kinds:
            del self._levels[len(kinds) - 1 - kinds[::-1].index("`") :]
        else:
            self._levels.append(_Level("`"))

    def _quoted(self, reference: str, *, plain: bool) -> str:
        level, script = self._levels[-1], _holds_script(self._code)
        if not script and (self._only_scripts or not plain):
            return reference
        if level.kind in _CODE:
            return f"'\"{reference}\"'" if script else f'"{reference}"'
        if level.kind == '"' and script:
            return {"": f'\\"\\{reference}\\"', '"': f"\\{reference}", "'": f"'\\\"\\{reference}\\\"'"}[level.inner]
        if level.kind == "'" and self._single_quotes and not script:
            return f"'\"{reference}\"'"
        return reference

    def _note_nested(self, name: str) -> None:
        """Remember a value that is used in a substitution of a script's text, or for a shell that the script starts."""
        for level, above in pairwise(self._levels):
            if above.kind not in _CODE and _holds_script(level):
                inside = above is not self._levels[-1]
                if inside or _FURTHER.search(self._text[above.start : self._position]):
                    self.nested.add(name)


@lru_cache(maxsize=256)
def script_at(words: tuple[str, ...]) -> int | None:
    """Which of the words of a command without a shell is one that a shell will read as a script, if any."""
    return next((n for n in range(1, len(words)) if _script_follows(words[:n])), None)


def _holds_script(code: _Level) -> bool:
    """Whether the word being read is one that a shell will read as a script."""
    return bool(code.words) and _script_follows(code.words)


def _script_follows(before: Sequence[str]) -> bool:
    words = [word.rsplit("/", 1)[-1] for word in before]
    if "eval" in words or ("trap" in words and words[-1] in ("trap", "--")):
        return True
    takers = (n for n, word in enumerate(words) if word in _TAKERS or _SHELL_VARIABLE.fullmatch(word))
    behind = words[next(takers, len(words)) + 1 :]
    flag = next((n for n, word in enumerate(behind) if _SCRIPT_FLAG.fullmatch(word)), None)
    return flag is not None and all(word[:1] in ("-", "+") for word in behind[flag:])
