"""What code in script languages is cut into, and how much of it is looked at."""

from omnihook.slotted import dataclass

MAX_TOKENS = 4_000


@dataclass(slots=True)
class Token:
    """One token; `parts` are those of a string, with code put into it as `Code`."""

    kind: str
    text: str
    parts: list[str]
    spaced: bool
    newline: bool


class TooLong(Exception):
    """There is more code than will be looked at."""
