"""Text for the fish shell, spelled as other shells would: substitutions, blocks and variables."""

import re

from omnihook.shell.values import Text

_TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|\\.|[;\n()|&]|#[^\n]*+|[^\s;()|&'"\\#]++|[ \t]++|.""", re.S
)
_SEPARATORS = frozenset(";\n|&")
_OPENS = {"for": "; do ", "while": "; do ", "if": "; then ", "switch": "", "begin": "", "function": " { "}
_ENDS = {"for": "done", "while": "done", "if": "fi", "switch": "esac", "begin": "}", "function": "}"}
_BEFORE = frozenset({"and", "or", "not", "else", "begin", "command", "builtin"})
_NEAR = 100
_SET = re.compile(r"^([ \t]*)set[ \t]+(?:-[\w-]+[ \t]+)*([A-Za-z_]\w*)[ \t]+(\S[^;|&\n]*)$")


def spelled(text: Text) -> Text:
    """The same as a POSIX shell would have it written, as far as it takes to see what runs."""
    tokens = _TOKEN.findall(text.text)
    pieces: list[str] = []
    blocks: list[str] = []
    waiting, starts = "", True
    for place, token in enumerate(tokens):
        if token == "(":
            pieces.append("<(" if _is_file(tokens, place) else "(" if starts else "$(")
            starts = True
            continue
        if starts and token in _OPENS:
            blocks.append(token)
            waiting = _OPENS[token]
            token = {"begin": "{", "switch": "case"}.get(token, token)
        elif starts and token == "end" and blocks:
            token = _ENDS[blocks.pop()]
        elif token in ("\n", ";") and waiting:
            token, waiting = waiting, ""
            pieces.append(token)
            starts = True
            continue
        pieces.append(token)
        starts = token in _SEPARATORS or (starts and (not token.strip() or token in _BEFORE or token == "{"))
    return Text(_variables("".join(pieces)), text.origins)


def _is_file(tokens: list[str], place: int) -> bool:
    """Whether a substitution ends in `psub`, which gives the name of a file with the output in it."""
    near = tokens[place : place + _NEAR]
    return "psub" in near[: near.index(")") if ")" in near else None]


def _variables(text: str) -> str:
    """`set name value` as an assignment."""
    parts = re.split(r"([;\n])", text.replace("| psub", ""))
    return "".join([_SET.sub(r"\1\2=(\3)", part) for part in parts])
