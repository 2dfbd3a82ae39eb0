"""Tokens of code in script languages, as far as strings, names and operators go; what is odd becomes an operator."""

import re

from omnihook.builtin.guard.languages.interpolating import literal, quoted_parts
from omnihook.builtin.guard.languages.lexemes import (
    BEFORE_REGEX,
    CLOSERS,
    HEREDOC,
    NUMBER,
    OPERATOR,
    PERL_QUOTES,
    POD,
    REGEX,
    RUBY_QUOTES,
    SIGIL,
    delimiter_end,
    name_pattern,
    string_end,
)
from omnihook.builtin.guard.languages.syntaxes import Syntax, Tick
from omnihook.builtin.guard.languages.tokens import MAX_TOKENS, Token, TooLong

_MAX_CODE = 64 * 1024
_MAX_UNCLOSED = 50
_TRIPLED = frozenset({"python", "groovy", "scala", "swift", "julia", "elixir", "java"})
_PREFIXED = frozenset({"python", "scala", "julia", "Rscript"})
_RAW_SINGLE = frozenset({"perl", "raku", "ruby", "php", "pwsh", "vim", "elixir"})
_OPERANDS = frozenset({"string", "name", "number", "run", "words", "glob", "regex"})


def lex(text: str, syntax: Syntax) -> list[Token]:
    """The tokens of a piece of code."""
    if syntax.words:
        text = POD.sub("", text)
    if len(text) > _MAX_CODE:
        raise TooLong
    return _Lexer(text, syntax).run()


class _Lexer:
    """A position in the text, and the tokens so far."""

    def __init__(self, text: str, syntax: Syntax) -> None:
        self._text = text
        self._syntax = syntax
        self._at = 0
        self._found: list[Token] = []
        self._spaced = self._newline = False
        self._after_line = 0
        self._unclosed = 0
        self._name = name_pattern(syntax.sigils, syntax.bangs, syntax.name)

    def run(self) -> list[Token]:
        while self._at < len(self._text):
            mark = self._text[self._at]
            if mark == "\n":
                self._line()
            elif mark.isspace():
                self._spaced = True
                self._at += 1
            elif not (self._comment() or self._special(mark) or self._string(mark) or self._word(mark)):
                operator = OPERATOR.match(self._text, self._at)
                self._add("op", operator[0] if operator else mark)
            if len(self._found) > MAX_TOKENS:
                raise TooLong
        return self._found

    def _line(self) -> None:
        self._at = max(self._at + 1, self._after_line)
        self._after_line = 0
        self._spaced = self._newline = True

    def _add(self, kind: str, text: str, parts: list[str] | None = None, end: int | None = None) -> None:
        self._found.append(Token(kind, text, parts or [], self._spaced, self._newline))
        self._at = self._at + len(text) if end is None else end
        self._spaced = self._newline = False

    def _comment(self) -> bool:
        text, at = self._text, self._at
        for start, stop in self._syntax.block_comments:
            if text.startswith(start, at):
                end = text.find(stop, at + len(start))
                self._at = len(text) if end < 0 else end + len(stop)
                return True
        if text.startswith(self._syntax.comments, at) and not (text[at] == "%" and self._spaced is False and at):
            end = text.find("\n", at)
            self._at = len(text) if end < 0 else end
            return True
        return False

    def _operand_before(self) -> bool:
        """Whether a value came just before, so that `/`, `<` and `%` are operators here."""
        if not self._found:
            return False
        last = self._found[-1]
        if last.kind == "name":
            bare = last.text in BEFORE_REGEX
            return not bare and not (self._syntax.regexes and self._spaced and not self._space_follows())
        return last.kind in _OPERANDS or last.text in (")", "]", "}")

    def _space_follows(self) -> bool:
        return self._text[self._at + 1 : self._at + 2].isspace()

    def _special(self, mark: str) -> bool:
        """Regexes, globs in angle brackets, here-documents, and quotes spelt with letters."""
        syntax = self._syntax
        if mark == "<" and (found := HEREDOC.match(self._text, self._at)) and syntax.name in ("perl", "ruby", "php"):
            return self._heredoc(found)
        if mark == "/" and syntax.regexes and not self._operand_before():
            found = REGEX.match(self._text, self._at)
            if found:
                self._add("regex", found[0])
                return True
            self._missed()
        if mark == "<" and syntax.name == "perl" and not self._operand_before():
            found = re.compile(r"<[^<>=;\n]*>").match(self._text, self._at)
            if found:
                self._add("glob", found[0], [found[0][1:-1]])
                return True
        if syntax.words and mark == "%" and syntax.name == "ruby":
            before = self._operand_before() and not (self._spaced and not self._space_follows())
            found = None if before else RUBY_QUOTES.match(self._text, self._at)
            return found is not None and self._delimited(found[1] or "Q", found.end() - 1)
        if mark == "~" and syntax.name == "elixir" and (found := SIGIL.match(self._text, self._at)):
            return self._delimited({"w": "w", "r": "r"}.get(found[1], "Q"), found.end() - 1)
        if syntax.words and syntax.name != "ruby" and mark in "qmtsy" and not self._after_arrow():
            found = PERL_QUOTES.match(self._text, self._at)
            if found and not self._text.startswith("=>", found.end(1)):
                return self._delimited(found[1], found.end() - 1)
        return False

    def _after_arrow(self) -> bool:
        return bool(self._found) and self._found[-1].text in ("->", "{", "sub", "::", "&")

    def _heredoc(self, found: re.Match[str]) -> bool:
        start = self._text.index("\n", found.end()) + 1
        stop = re.compile(rf"^[ \t]*{found[2]}\b", re.M).search(self._text, max(start, self._after_line))
        end = stop.start() if stop else len(self._text)
        body = self._text[max(start, self._after_line) : end]
        parts = [body] if found[1] == "'" else quoted_parts(body, self._syntax)
        self._add("run" if found[1] == "`" else "string", found[0], parts)
        self._after_line = len(self._text) if stop is None else stop.end()
        return True

    def _delimited(self, kind: str, start: int) -> bool:
        """`q(...)` and relatives; `start` is where the opening delimiter stands."""
        end = delimiter_end(self._text, start)
        if end is None:
            self._missed()
            return False
        body = self._text[start + 1 : end]
        if kind in ("s", "tr", "y"):
            after = end if CLOSERS.get(self._text[start]) is None else self._text.find(self._text[start], end)
            second = delimiter_end(self._text, after) if after >= 0 else None
            if second is None:
                self._missed()
            self._add("regex", "s", end=(end if second is None else second) + 1)
        elif kind in ("w", "W", "i", "I", "qw"):
            self._add("words", body, body.split(), end + 1)
        elif kind in ("x", "qx"):
            self._add("run", body, quoted_parts(body, self._syntax), end + 1)
        elif kind in ("r", "m", "qr"):
            self._add("regex", body, end=end + 1)
        else:
            parts = [body] if kind == "q" else quoted_parts(body, self._syntax)
            self._add("string", body, parts, end + 1)
        return True

    def _missed(self) -> None:
        """Note that something opened and never closed: each takes a look at all that follows."""
        self._unclosed += 1
        if self._unclosed > _MAX_UNCLOSED:
            raise TooLong

    def _string(self, mark: str) -> bool:
        text, at, syntax = self._text, self._at, self._syntax
        if mark == "[" and syntax.name == "lua" and (found := re.compile(r"\[(=*)\[").match(text, at)):
            end = text.find("]" + found[1] + "]", at)
            stop = len(text) if end < 0 else end
            self._add("string", found[0], [text[found.end() : stop]], stop + len(found[1]) + 2)
            return True
        if mark not in "\"'`" or (mark == "`" and syntax.tick is Tick.NONE):
            return False
        if syntax.name in _TRIPLED and text.startswith(mark * 3, at):
            end = text.find(mark * 3, at + 3)
            stop = len(text) if end < 0 else end
            self._add("string", mark, quoted_parts(text[at + 3 : stop], syntax), stop + 3)
            return True
        closed, missed = string_end(text, at, mark, "" if mark == "'" else syntax.inside)
        if closed is None or missed:
            self._missed()
        if closed is None:
            return False
        body = text[at + 1 : closed]
        raw = mark == "'" and syntax.name in _RAW_SINGLE
        parts = [literal(body, raw=raw)] if mark == "'" else quoted_parts(body, syntax)
        kind = "run" if mark == "`" and syntax.tick is Tick.RUN else "template" if mark == "`" else "string"
        if syntax.name in _PREFIXED and self._prefixed():
            self._found.pop()
        self._add(kind, mark, parts, closed + 1)
        return True

    def _prefixed(self) -> bool:
        """Whether letters stand directly before a quote: `f"..."`, `raw"..."`."""
        last = self._found[-1] if self._found else None
        return last is not None and last.kind == "name" and not self._spaced and len(last.text) <= 3

    def _word(self, mark: str) -> bool:
        if mark.isdigit():
            found = NUMBER.match(self._text, self._at)
            if found:
                self._add("number", found[0])
                return True
        found = self._name.match(self._text, self._at)
        if not found or (mark == "%" and self._operand_before()):
            return False
        self._add("name", found[0])
        return True
