"""Small corrections to lowered statements: reserved words at the front, and redirections where they belong."""

import re

from omnihook.shell import syntax
from omnihook.shell.syntax import Redirect, Sequence, Simple, Statement, Word

_RESERVED = frozenset(
    (syntax.Lit(word),) for word in ("{", "}", "!", "if", "then", "elif", "else", "while", "until", "do")
)
_FUNCTION = (syntax.Lit("function"),)
_LEADING = frozenset({"function", *(word[0].text for word in _RESERVED)})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def unreserved(row: tuple[Word, ...]) -> tuple[Word, ...]:
    """`! { a; }` and `! if X=1 a; then b; fi` come out of the grammar as commands named after the first word."""
    first = row[0][0] if row and row[0] else None
    if type(first) is not syntax.Lit or first.text not in _LEADING:
        return row
    place = 0
    while place < len(row) and (row[place] in _RESERVED or row[place] == _FUNCTION or _assigns(row[place])):
        place += 2 if row[place] == _FUNCTION else 1
    return row[place:]


def _assigns(word: Word) -> bool:
    first = word[0] if word else None
    return isinstance(first, syntax.Lit) and _ASSIGNMENT.match(first.text) is not None


def last_redirected(body: Statement, redirects: tuple[Redirect, ...], words: tuple[Word, ...]) -> Statement:
    """The grammar hangs what follows `a && b` on the whole; it belongs to the last command."""
    match body:
        case Sequence(items=(*before, last)):
            return Sequence((*before, last_redirected(last, redirects, words)))
        case syntax.Maybe():
            return syntax.Maybe(last_redirected(body.body, redirects, words))
        case _:
            return with_redirects(body, redirects, words)


def with_redirects(body: Statement, redirects: tuple[Redirect, ...], words: tuple[Word, ...]) -> Statement:
    """Redirections after a pipeline belong to its last command."""
    match body:
        case Simple():
            return Simple((*body.words, *words), body.assigns, (*body.redirects, *redirects))
        case syntax.Pipeline():
            *before, last = body.stages
            return syntax.Pipeline((*before, with_redirects(last, redirects, words)))
        case _:
            return syntax.Block(body, redirects)
