"""Numbers a script works out: `$((...))`, `let`, expr and bc, as far as what goes in is known."""

import re
from itertools import pairwise

from omnihook.shell.arithmetic import assignment, value_of
from omnihook.shell.filters import passed
from omnihook.shell.state import State
from omnihook.shell.values import Command, Stream, Text, joined

STAND_IN = "number"
"""The origin of a number that stands for one nobody can know."""
NUMBER = Text("1", frozenset({STAND_IN}))
_SOME_NUMBER = Stream(Text("1\n", NUMBER.origins))
_BASES = {2: "b", 8: "o", 10: "d", 16: "X"}
_MAX_DIGITS = 18
_MAX_CALCULATED = 2_000
_SETTING = re.compile(r"\s*([io]base)\s*=\s*(\w+)\s*")


def calculated(expression: Text, state: State) -> Text:
    """The number an expression comes to; what it assigns is remembered, and what is not known becomes some number."""
    given = assignment(expression.text)
    text = expression.text if given is None else given[1]
    value = value_of(text, lambda name: _known_number(name, state)) if STAND_IN not in expression.origins else None
    result = NUMBER if value is None else Text(str(value), expression.origins)
    if given is not None:
        state.assign(given[0], result)
    return result


def place_of(text: str, state: State) -> int | None:
    """The number that a subscript or an offset comes to, None where it is not known."""
    return value_of(text.replace("$", ""), lambda name: _known_number(name, state))


def _known_number(name: str, state: State) -> int | None:
    known = state.known_value(name)
    if known is None or STAND_IN in known.origins:
        return None
    return value_of(known.text)


def let(command: Command, state: State) -> None:
    """`let a=1+2 b=a*2`."""
    for word in command.argv[1:]:
        calculated(word, state)


def some_number(command: Command, state: State) -> Stream:
    """Output of a program that prints a number, or one word, that nobody can know."""
    return _SOME_NUMBER


def expr(command: Command, state: State) -> Stream:
    """`expr 1 + 2`; its string functions are not worked out."""
    return _line(joined(command.argv[1:], " "))


def bc(command: Command, state: State) -> Stream:
    """Statements on standard input; `obase` is the base in which results are printed."""
    source = passed(command, state).text
    base = 10
    lines: list[str] = []
    for statement in re.split(r"[;\n]", source.text[:_MAX_CALCULATED]):
        setting = _SETTING.fullmatch(statement)
        if setting is not None:
            base = int(setting[2]) if setting[1] == "obase" and setting[2].isdigit() else 0
        elif statement.strip():
            value = value_of(statement.replace("^", "**"), octal=False)
            if value is None or base not in _BASES or STAND_IN in source.origins:
                return _SOME_NUMBER
            lines.append(format(value, _BASES[base]) + "\n")
    return Stream(Text("".join(lines), source.origins))


def dc(command: Command, state: State) -> Stream:
    """Reverse Polish notation: `700 77 + p`."""
    given = [word for flag, word in pairwise(command.argv) if flag.text in ("-e", "--expression")]
    source = joined(given, " ") if given else passed(command, state).text
    stack: list[int] = []
    lines: list[str] = []
    for token in re.findall(r"\d+|\S", source.text[:_MAX_CALCULATED]):
        value = int(token) if token.isdigit() else None
        if token in "+-*/%" and len(stack) > 1:
            right, left = stack.pop(), stack.pop()
            value = value_of(f"({left}) {token} ({right})", octal=False)
        elif token in "pn" and stack:
            lines.append(f"{stack[-1]}\n")
            continue
        if value is None or len(token) > _MAX_DIGITS:
            return _SOME_NUMBER
        stack.append(value)
    return Stream(Text("".join(lines), source.origins))


def seq(command: Command, state: State) -> Stream:
    """`seq 3 3` names one number; a longer row is represented by some number."""
    words = command.words[1:]
    if len(words) in (2, 3) and words[0] == words[-1] and words[0].isdigit():
        return Stream(Text(words[0] + "\n"))
    return _SOME_NUMBER


def _line(expression: Text) -> Stream:
    value = value_of(expression.text, octal=False) if STAND_IN not in expression.origins else None
    return _SOME_NUMBER if value is None else Stream(Text(f"{value}\n", expression.origins))
