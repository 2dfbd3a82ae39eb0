"""Variables that a command finds set: those given to it alone, and those that make programs run something first."""

from omnihook.shell.hosts_variables import variables
from omnihook.shell.state import State
from omnihook.shell.values import Text

Environment = tuple[tuple[str, Text], ...]
Kept = list[tuple[str, tuple[Text, ...] | None, tuple[Text, ...] | None]]


def lend(env: Environment, state: State) -> Kept:
    """`NAME=value command`: what the command runs finds the variable set. Gives back what it was before."""
    kept = [(name, state.variables.get(name), state.arrays.get(name)) for name, _ in env]
    for name, value in env:
        state.assign(name, value)
    return kept


def put_back(kept: Kept, state: State) -> None:
    """Once the command is over, the variables are what they were."""
    for name, value, array in kept:
        for known, before in ((state.variables, value), (state.arrays, array)):
            if before is not None:
                known[name] = before
            else:
                known.pop(name, None)


def keep(env: Environment, state: State) -> None:
    """Set variables for all that follows, and remember that they make programs run something first."""
    state.variables.update({name: (value,) for name, value in env})
    state.startups = tuple(dict((*state.startups, *env)).items())


def inherit(env: Environment, state: State) -> None:
    """Let what a program starts know the variables that make programs run something first."""
    kept = tuple([item for item in env if variables((item,), {})])
    if kept:
        keep(kept, state)
