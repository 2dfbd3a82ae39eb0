"""What the shell remembers of assignments: plain, to elements and lists, by reference, and worked out as numbers."""

import re

from omnihook.shell.calculating import calculated
from omnihook.shell.expanding import Expander
from omnihook.shell.state import State, element_name
from omnihook.shell.syntax import Assign
from omnihook.shell.values import Text

DECLARATIONS = frozenset({"export", "declare", "typeset", "local", "readonly"})
_KEY = re.compile(r"\[([^]]*)\]=")

Values = tuple[tuple[str, Text], ...]


def declare(
    assigns: tuple[Assign, ...], values: Values, argv: tuple[Text, ...], state: State, expander: Expander
) -> Values:
    """Set variables for all that follows; gives back their values, which `declare -i` works out."""
    if _has_flag(argv, "i"):
        values = tuple([(name, calculated(value, state)) for name, value in values])
    refers = _has_flag(argv, "n")
    for item, (name, value) in zip(assigns, values, strict=True):
        if refers:
            state.references[state.references.get(name, name)] = value.text
        else:
            _remember(item, name, value, state, expander)
    return values


def _remember(item: Assign, given: str, value: Text, state: State, expander: Expander) -> None:
    name = state.references.get(given, given)
    if item.items is not None:
        elements = _keyed(name, expander.words(item.items, state), state)
        state.arrays[name] = (*state.arrays.get(name, ()), *elements) if item.append else elements
        state.variables.pop(name, None)
    elif item.index:
        state.arrays[name] = (*state.arrays.get(name, ()), value)
        state.variables[element_name(name, item.index)] = (value,)
    elif item.append:
        before = state.known_value(name)
        text = before.text if before is not None else ""
        state.assign(name, Text(text + value.text, value.origins | (before.origins if before else frozenset())))
    else:
        state.assign(name, value)


def _keyed(name: str, elements: tuple[Text, ...], state: State) -> tuple[Text, ...]:
    """The elements of `name=([key]=value ...)` without their keys, under which they are remembered too."""
    values: list[Text] = []
    for element in elements:
        found = _KEY.match(element.text)
        value = element if found is None else Text(element.text[found.end() :], element.origins)
        if found is not None:
            state.variables[element_name(name, found[1])] = (value,)
        values.append(value)
    return tuple(values)


def _has_flag(argv: tuple[Text, ...], letter: str) -> bool:
    """`declare -n name=other`: the name stands for another variable; `declare -i`: its value is worked out."""
    return any(word.text[:1] == "-" and letter in word.text for word in argv[1:])
