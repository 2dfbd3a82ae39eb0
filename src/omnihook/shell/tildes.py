"""`~`, `~user` and the folders that `~+`, `~-` and `~2` stand for."""

import re

from omnihook.shell.state import State
from omnihook.shell.syntax import Lit
from omnihook.shell.values import HOLE

_ASSIGNED = re.compile(r"[A-Za-z_]\w*=(?=~)")
_TILDE = re.compile(r"~([A-Za-z_][A-Za-z0-9_.-]*|[+-]?\d*)(?=/|:|$)")


def tilde(part: Lit, state: State, *, alone: bool) -> str:
    """The text with a leading `~` or `~user` replaced; what follows it in the word must be a slash or nothing."""
    if part.quoted or "~" not in part.text:
        return part.text
    assigned = _ASSIGNED.match(part.text)
    before, text = (assigned[0], part.text[assigned.end() :]) if assigned else ("", part.text)
    match = _TILDE.match(text)
    if match is None or (match.end() == len(text) and not alone):
        return part.text
    return before + _home(match[1], state) + text[match.end() :]


def _home(name: str, state: State) -> str:
    """What `~name` stands for: a user's home, the folder now or before, or one of those that pushd left."""
    if name == "" or name == state.surroundings.user:
        return state.value("HOME").text if name == "" else state.surroundings.home
    if name in ("+", "-"):
        return state.cwd.text if name == "+" else state.value("OLDPWD").text
    if name.lstrip("+-").isdigit():
        folders = (state.cwd, *state.arrays.get("DIRSTACK", ()))
        place = int(name.lstrip("+-"))
        place = len(folders) - 1 - place if name[0] == "-" else place
        return folders[place].text if 0 <= place < len(folders) else HOLE
    return "/root" if name == "root" else f"/home/{name}"
