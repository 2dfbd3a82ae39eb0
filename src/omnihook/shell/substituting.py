"""Lines that sed changes or leaves out, for scripts that are plain enough to follow."""

import re

from omnihook.shell.expressions import plain_expression
from omnihook.shell.filters import filtered, held, one_after_another, passed
from omnihook.shell.sed import read, substituted
from omnihook.shell.state import State
from omnihook.shell.values import Command, Stream, Text


def edited(command: Command, state: State) -> Stream:
    """`s/old/new/` on known text, and lines by number or plain expression: `2p`, `1,3d`, `/x/p`, `$d`, `5q`."""
    words = command.argv[1:]
    scripts = [words[place + 1] for place, word in enumerate(words[:-1]) if word.text in ("-e", "--expression")]
    operands = [word for word in words if not word.text.startswith("-") and not any(word is one for one in scripts)]
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    texts = [text for word in operands for text in held(word, command, state)]
    source = one_after_another(texts) if texts else passed(command, state).text
    if not scripts or not source.known:
        return filtered(command, state)
    quiet = any(word.text in ("-n", "--quiet", "--silent") for word in words)
    found: Text | None = source
    for script in scripts:
        found = _applied(script.text.strip(), found, quiet=quiet) if found is not None else None
    return filtered(command, state) if found is None else Stream(found)


def _applied(script: str, source: Text, *, quiet: bool) -> Text | None:
    """What a script makes of text: one command, or several that semicolons or lines part."""
    whole = _one(script, source, quiet=quiet)
    parts = [part.strip() for part in re.split(r"[;\n]", script) if part.strip()] if whole is None else []
    if len(parts) < 2 or len(parts) > _MAX_STEPS or quiet:
        return whole
    found: Text | None = source
    for part in parts:
        found = _one(part, found, quiet=quiet) if found is not None else None
    return found


def _one(script: str, source: Text, *, quiet: bool) -> Text | None:
    lines = _chosen(script, source.text, quiet=quiet)
    if lines is not None:
        return Text(lines, source.origins)
    changed = _substituted(script, source.text) if not quiet else None
    return None if changed is None else Text(changed, source.origins | {"decoded"})


_MAX_STEPS = 20


def _chosen(script: str, text: str, *, quiet: bool) -> str | None:
    """The lines that `p` prints where nothing else is printed, that `d` leaves, or up to the one where `q` ends."""
    match = _ADDRESSED.fullmatch(script)
    if match is None or (match["verb"] == "p") is not quiet:
        return None
    lines = text.split("\n")
    ends = lines[-1:] if lines[-1] == "" else []
    lines = lines[: len(lines) - len(ends)]
    wanted = plain_expression(match["words"], lines) if match["words"] is not None else ""
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
    """What `s/old/new/` makes of text, where it is all of the script."""
    steps = read(script).steps
    return substituted(steps[0], text) if len(steps) == 1 and "e" not in steps[0].flags else None
