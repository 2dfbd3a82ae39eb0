"""The value that says which files a hook names; it is kept with an approval, so that no shell text is parsed again."""

from dataclasses import fields

from omnihook.jsontypes import Json, JsonObject
from omnihook.slotted import dataclass

READER = 2  # raised when commands are read differently, so that what was kept is read anew


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a hook names, relative to the project.

    `files` count even while they are missing, `maybe` once they exist, `programs` where PATH leads into the
    project, `globs` with all they match. `scripts` are those of `files` that are run. `doubts` say why more may
    run than is listed. `relative` is set when some name depends on the current folder.
    """

    files: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    relative: bool = False

    def to_json(self) -> dict[str, Json]:
        """As an object; what is empty is left out."""
        made: dict[str, Json] = {"reader": READER, "relative": self.relative}
        for name in _LISTS:
            listed: tuple[str, ...] = getattr(self, name)
            if listed:
                made[name] = list(listed)
        return made


_LISTS = tuple(field.name for field in fields(Named) if field.name != "relative")


def from_json(value: JsonObject) -> Named | None:
    """What `to_json` made, or None when it was made by another reader or by nobody."""
    if value.get("reader") != READER:
        return None
    lists: dict[str, tuple[str, ...]] = {}
    for name in _LISTS:
        listed = value.get(name, [])
        if not isinstance(listed, list):
            return None
        lists[name] = tuple(item for item in listed if isinstance(item, str))
        if len(lists[name]) != len(listed):
            return None
    return Named(relative=value.get("relative") is not False, **lists)
