"""Lines that sed changes or leaves out, for scripts that are plain enough to follow."""

import re

from omnihook.shell.filters import filtered, held, passed
from omnihook.shell.state import State
from omnihook.shell.values import Command, Stream, Text, joined


def edited(command: Command, state: State) -> Stream:
    """`s/old/new/` on known text, and lines by number or plain expression: `2p`, `1,3d`, `/x/p`, `$d`, `5q`."""
    words = command.argv[1:]
    scripts = [words[place + 1] for place, word in enumerate(words[:-1]) if word.text in ("-e", "--expression")]
    operands = [word for word in words if not word.text.startswith("-") and not any(word is one for one in scripts)]
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    texts = [text for word in operands for text in held(word, command, state)]
    source = joined(texts) if texts else passed(command, state).text
    if len(scripts) != 1 or not source.known:
        return filtered(command, state)
    script = scripts[0].text.strip()
    lines = _chosen(script, source.text, quiet=any(word.text in ("-n", "--quiet", "--silent") for word in words))
    if lines is not None:
        return Stream(Text(lines, source.origins))
    changed = _substituted(script, source.text)
    return filtered(command, state) if changed is None else Stream(Text(changed, source.origins | {"decoded"}))


def _chosen(script: str, text: str, *, quiet: bool) -> str | None:
    """The lines that `p` prints where nothing else is printed, that `d` leaves, or up to the one where `q` ends."""
    match = _ADDRESSED.fullmatch(script)
    if match is None or (match["verb"] == "p") is not quiet:
        return None
    lines = text.split("\n")
    ends = lines[-1:] if lines[-1] == "" else []
    lines = lines[: len(lines) - len(ends)]
    wanted = plain_expression(match["words"]) if match["words"] is not None else ""
    if wanted is None:
        return None
    pattern = re.compile(wanted) if wanted else None
    first = len(lines) if match["first"] == "$" else int(match["first"] or 0)
    last = first if match["last"] is None else len(lines) if match["last"] == "$" else int(match["last"])
    if match["verb"] == "q":
        return "\n".join([*lines[:first], ""])
    kept = [
        line
        for number, line in enumerate(lines, 1)
        if (bool(pattern.search(line)) if pattern is not None else first <= number <= last) == (match["verb"] == "p")
    ]
    return "\n".join([*kept, ""]) if kept else ""


_ADDRESSED = re.compile(
    r"(?:(?P<first>\d{1,6}|\$)(?:\s*,\s*(?P<last>\d{1,6}|\$))?|/(?P<words>[^/\\]+)/)\s*(?P<verb>[pdq])"
)


def _substituted(script: str, text: str) -> str | None:
    """What `s/old/new/` makes of text, for expressions of plain characters, dots, stars and anchors."""
    parts = _substitution(script)
    if parts is None:
        return None
    old, new, every = parts
    lines = text.split("\n")
    expression = plain_expression(old)
    if expression is None or any(len(line) > _MAX_LINE for line in lines):
        return None
    wanted = re.compile(expression)
    ends = lines[-1:] if lines[-1] == "" else []
    changed = [wanted.sub(lambda _: new, line, count=0 if every else 1) for line in lines[: len(lines) - len(ends)]]
    return "\n".join([*changed, *ends])


def plain_expression(old: str) -> str | None:
    """A basic regular expression as Python spells it; None unless it is of plain characters, dots, stars, anchors."""
    if re.search(r"[\\\[\]()|+?{}]", old) or old.count("*") > 2 or re.search(r"(?:^\^?|\*)\*", old):
        return None
    return _expression(old)


def _substitution(script: str) -> tuple[str, str, bool] | None:
    """The parts of `s/old/new/` and whether it is for every match; None for anything less plain."""
    if len(script) < 4 or script[0] != "s":
        return None
    parts = script[2:].split(script[1], 3)
    if len(parts) != 3 or parts[2] not in ("", "g") or re.search(r"[\\\[\]&\n]", parts[0] + parts[1]):
        return None
    return parts[0], parts[1], parts[2] == "g"


def _expression(text: str) -> str:
    """A basic regular expression without brackets or backslashes, as Python spells it."""
    anchors = {(0, "^"), (len(text) - 1, "$")}
    return "".join(
        mark if mark in ".*" or (place, mark) in anchors else re.escape(mark) for place, mark in enumerate(text)
    )


_MAX_LINE = 2_000
