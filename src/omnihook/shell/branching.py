"""Variables and folders that may be one of several things after a branch: each is tried in turn."""

import itertools
from collections.abc import Iterator

from omnihook.shell.state import State
from omnihook.shell.syntax import Simple, Var
from omnihook.shell.values import Text

_MAX_CHOICES = 16
Choice = tuple[tuple[str, Text], ...]


def each(node: Simple, state: State) -> Iterator[State]:
    """The state as it is for each combination of values the command uses; what several values had stays so."""
    choices = _choices(node, state)
    if not choices:
        yield state
        return
    kept, cwds = dict(state.variables), state.cwds
    for choice in choices:
        state.variables = {**state.variables, **{name: (value,) for name, value in choice if name}}
        state.cwds = tuple(value for name, value in choice if not name) or cwds
        yield state
        for name, value in choice:
            if name and state.variables.get(name) == (value,):
                state.variables[name] = kept[name]
            elif not name and state.cwds == (value,):
                state.cwds = cwds


def _choices(node: Simple, state: State) -> list[Choice]:
    """Every combination of values of variables that may hold several; empty when there is but one."""
    if not state.forked:
        return []
    used = {name: values for name in _variables(node) if len(values := state.variables.get(name, ())) > 1}
    if len(state.cwds) > 1:
        used[""] = state.cwds
    if not used:
        return []
    rows = [[(name, value) for value in values] for name, values in used.items()]
    return list(itertools.islice(itertools.product(*rows), _MAX_CHOICES))


def _variables(node: Simple) -> list[str]:
    """The variables a command uses, in the order it does."""
    words = node.words
    if node.assigns or node.redirects:
        words = (*words, *[item.value for item in node.assigns], *[item.target for item in node.redirects])
    found = [part for word in words for part in word if type(part) is Var]
    return [part.name for outer in found for part in (outer, *outer.arg) if isinstance(part, Var)]
