"""What `${name<op>arg}` makes of a value: defaults, trimming, replacing, substrings, letters' case, prompts."""

from collections.abc import Callable

from omnihook.shell.calculating import NUMBER, place_of
from omnihook.shell.lowering import lower
from omnihook.shell.state import CUSTOMARY, State
from omnihook.shell.syntax import Simple, Var, Word
from omnihook.shell.trimming import trimmed
from omnihook.shell.values import Text, unknown

Expand = Callable[[Word, State], Text]
MAX_PRODUCED = 4_000_000
_MAX_TRIMMED = 1_000
_ANYTHING = unknown("variable")


def operated(part: Var, value: Text | None, state: State, text: Expand) -> Text:
    """`${name<op>arg}` for a value, None meaning that nothing is known of the variable."""
    op = part.op
    if not op:
        return _ANYTHING if value is None else value
    if op.lstrip(":") in ("-", "=", "+", "?"):
        return _default(part, value, state, text)
    if op == "#":
        return NUMBER if not part.arg else _trimmed(part, value, state, text)
    if value is None:
        text(part.arg, state)
        return unknown("variable")
    if op == "!":
        return state.value(value.text)
    if op in ("##", "%", "%%"):
        return _trimmed(part, value, state, text)
    if op in ("/", "//", "/#", "/%"):
        return _replaced(part, value, state, text)
    if op == ":":
        return _substring(value, text(part.arg, state).text, state)
    if op in ("^^", "^", ",,", ","):
        return Text(value.text.upper() if "^" in op else value.text.lower(), value.origins)
    if op == "@" and text(part.arg, state).text == "P":
        return _prompted(value, state, text)
    return Text(value.text, value.origins | {"variable"})


def _prompted(value: Text, state: State, text: Expand) -> Text:
    """`${name@P}` expands the value as it would a prompt: substitutions in it run."""
    if "$" not in value.text and "`" not in value.text:
        return value
    again = lower(': "' + value.text.replace('"', "") + '"').body
    return text(again.words[1], state) if isinstance(again, Simple) and len(again.words) > 1 else value


def _default(part: Var, value: Text | None, state: State, text: Expand) -> Text:
    """A variable that nothing in sight sets is taken as unset: the text's own reading."""
    operator = part.op[-1]
    if operator == "+":
        return text(part.arg, state)
    if part.name in CUSTOMARY and part.name not in state.variables:
        value = None  # who names a default knows better than custom
    if part.name in state.unsure:
        value = None
    if value is not None and (value.text or not part.op.startswith(":")):
        return value
    default = text(part.arg, state)
    if operator == "?":
        return unknown("variable")
    if operator == "=":
        state.assign(part.name, default)
    return default


def _trimmed(part: Var, value: Text | None, state: State, text: Expand) -> Text:
    pattern = text(part.arg, state)
    if value is None or not value.known or not pattern.known:
        return unknown("variable")
    if len(value.text) > _MAX_TRIMMED or len(pattern.text) > _MAX_TRIMMED:
        return unknown("variable")
    rest = trimmed(part.op, value.text, pattern.text)
    return value if rest is None else Text(rest, value.origins)


def _replaced(part: Var, value: Text, state: State, text: Expand) -> Text:
    """The grammar gives pattern and replacement as one row of parts with a slash between them."""
    whole = text(part.arg, state)
    old, _, new = whole.text.partition("/")
    if not whole.known or not value.known or any(mark in old for mark in "*?["):
        return unknown("variable")
    count = -1 if part.op == "//" else 1
    if len(value.text) * (len(new) + 1) > MAX_PRODUCED:
        return unknown("variable")
    return Text(value.text.replace(old, new, count) if old else value.text, value.origins)


def _substring(value: Text, argument: str, state: State) -> Text:
    """`${name:offset}` and `${name:offset:length}`; a negative length counts from the end."""
    offset, colon, rest = argument.partition(":")
    start, length = place_of(offset, state), place_of(rest, state) if colon else None
    if start is None or (colon and length is None) or not value.known:
        return unknown("variable")
    return Text(value.text[start:][:length], value.origins)
