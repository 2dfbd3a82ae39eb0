"""How the tokens of script languages are spelt, and where those that open close."""

import re
from functools import lru_cache

from omnihook.builtin.guard.languages.interpolating import closing
from omnihook.shell.tables import names

CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"}
NUMBER = re.compile(r"0[xX][0-9a-fA-F_]+|0[bB][01]+|0[oO]?[0-7_]+(?![\d.])|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?")
OPERATOR = re.compile(
    r"===|!==|<=>|\.\.\.|\?->|>>=|<<-|:::|\|\|=|\?\?=|=>|->|::|\.\.|==|!=|<=|>=|&&|\|\||\?\?|\?\.|&\.|<<|>>|=~|!~|<-|\|>"
    r"|<>|\+\+|--|\+=|-=|\.=|\*\*|:=|\^=|.",
    re.S,
)
PERL_QUOTES = re.compile(r"(qq|qx|qw|qr|q|m|tr|s|y)(?:([/|!#~,'\"^{\[(<])|\s+([/|!{\[(<]))")
RUBY_QUOTES = re.compile(r"%([xwWiIqQr]?)([(\[{<|!/])")
POD = re.compile(
    r"^__(?:END|DATA)__$.*|^=(?:begin|head\d|pod|over|item|for|encoding|cut)\b.*?(?:^=(?:cut|end)\b[^\n]*|\Z)",
    re.M | re.S,
)
"""Documentation inside Perl and Ruby code, and what comes after its end."""
SIGIL = re.compile(r"~([a-zA-Z])([\"'(\[{</|])")
HEREDOC = re.compile(r"<<(?:<\s?)?[~-]?([\"'`]?)([A-Z_][A-Z_0-9]*)\1(?=[^\n]*\n)")
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*+\]|[^/\\\n\[])++/[a-z]*+")
BEFORE_REGEX = names("return if unless while until and or not split grep when in print puts match push elsif case")
"""Words behind which a slash opens a regular expression."""


@lru_cache(maxsize=64)
def name_pattern(sigils: str, bangs: bool, language: str) -> re.Pattern[str]:
    """The names of a language, with the marks that may stand before and behind them."""
    mark = rf"(?:[{re.escape(sigils)}]{{1,2}}(?=[A-Za-z_0-9]))?" if sigils else ""
    extra = r"|\$[_0&!@/,;]" if "$" in sigils else ""
    more = {"node": "$", "deno": "$", "bun": "$", "ghc": "'", "ocaml": "'", "pwsh": "-"}.get(language, "")
    first = "A-Za-z_" + ("$" if more == "$" else "") + ("0-9" if sigils else "")
    tail = r"(?:[!?](?![=~]))?" if bangs else ""
    return re.compile(rf"{mark}[{first}][\w{re.escape(more)}]*{tail}{extra}")


def delimiter_end(text: str, start: int) -> int | None:
    """Where the delimiter that stands at `start` closes; None where it never does."""
    opened = text[start]
    closer = CLOSERS.get(opened, opened)
    depth = 0
    for place in range(start + 1, len(text)):
        mark = text[place]
        if text[place - 1] == "\\":
            continue
        if mark == closer:
            if depth == 0:
                return place
            depth -= 1
        elif mark == opened:
            depth += 1
    return None


def string_end(text: str, at: int, mark: str, inside: str) -> tuple[int | None, bool]:
    """Where the quote that opens at `at` closes, and whether a bracket in it does not.

    Quotes in code put into the string are the code's own.
    """
    place, missed = at + 1, False
    while place < len(text):
        if text[place] == mark:
            return place, missed
        if inside == "\\(" and text.startswith("\\(", place):
            place = closing(text, place + 2, "(")
        elif text[place] == "\\":
            place += 1
        elif inside and inside[0] in "#$" and text.startswith(("#{", "${", "{$"), place):
            opened = place if text[place] == "{" else place + 1
            end = closing(text, opened + 1, "{")
            # A bracket that never closes is text; looking for the end of many would take too long.
            missed = missed or end == len(text)
            place, inside = (end, inside) if end < len(text) else (place, "")
        place += 1
    return None, missed
