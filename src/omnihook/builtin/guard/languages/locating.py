"""Calls that are worth paths: home, the current folder, variables, paths put together, and listings of folders."""

from omnihook.builtin.guard.languages import surroundings
from omnihook.builtin.guard.languages.asking import GONE, Asked, Values, inside, narrowed, pairs
from omnihook.builtin.guard.languages.nodes import Call, Node
from omnihook.shell.tables import names
from omnihook.shell.values import Text

_FILTERS = names("filter grep select reject find_all filter! select! remove-if-not remove-if Filter")
_MAKERS = frozenset({"path", "Path", "get", "of", "PurePath"})
_MAKERS_OWNERS = frozenset({"", "file", "Paths", "Path", "pathlib"})


def located(asked: Asked, values: Values) -> list[Text] | None:
    """A path that a call makes or finds, None when the call is not about that."""
    last, owner, around = asked.last, asked.owner, values.around
    if (
        last in surroundings.GETTERS
        and asked.given
        and (owner in surroundings.ENVIRONMENT or last not in ("get", "fetch"))
    ):
        other = values.texts(asked.positional[1]) if len(asked.positional) > 1 else []
        return around.variable(asked.given[0].text) or other
    if last in surroundings.HOME and not asked.given:
        return [Text(around.home)]
    if last in surroundings.CURRENT:
        return [Text(".")]
    if last in surroundings.TEMPORARY or last in surroundings.FRESH:
        return [Text("/tmp" if last in surroundings.TEMPORARY else "/tmp/fresh")]
    return _made(asked, values)


def _made(asked: Asked, values: Values) -> list[Text] | None:
    """A path made from parts of paths."""
    last, owner = asked.last, asked.owner
    if last in surroundings.STRIPPED and (asked.mine or asked.given):
        return [Text(text.text.strip(), text.origins, text.pattern) for text in asked.mine or asked.given]
    if last in surroundings.EXPAND:
        return _expanded(asked, values)
    if last in surroundings.PATH_JOIN or (last == "join" and owner in surroundings.PATH_OWNERS):
        return _path(asked.positional, [] if owner in surroundings.PATH_OWNERS else asked.mine, values)
    if last in _MAKERS and owner in _MAKERS_OWNERS and (len(asked.positional) > 1 or owner == "file"):
        return _path(asked.positional, [], values)
    if last in ("dirname", "parent"):
        texts = asked.given or asked.mine
        return [Text(text.text.rstrip("/").rpartition("/")[0] or "/", text.origins) for text in texts]
    return None


def _expanded(asked: Asked, values: Values) -> list[Text]:
    """A path made absolute; a second argument is the folder it starts from, or more of the path."""
    module = asked.owner in surroundings.PATH_OWNERS and not isinstance(asked.receiver, Call)
    own = [] if module else asked.mine
    texts = own or asked.given
    if len(asked.positional) > 1 and asked.owner == "path":
        texts = _path(asked.positional, [], values)
    elif len(asked.positional) > 1 and not own:
        base = values.texts(asked.positional[1]) or [Text(".")]
        texts = [
            text if text.text.startswith(("/", "~")) else more for text in texts for more in pairs(base, [text], "/")
        ]
    return [values.around.at_home(text) for text in texts]


def _path(parts: list[Node], start: list[Text], values: Values) -> list[Text]:
    """Paths put together."""
    found = start
    for part in parts:
        more = values.texts(part) or [GONE]
        found = pairs(found, more, "/", afresh=values.around.language == "python") if found else more
    return found


def listed(asked: Asked, values: Values) -> list[Text] | None:
    """Names and paths in a folder, as globs."""
    last, given, mine = asked.last, asked.given, asked.mine
    tree = frozenset({"tree"}) if last in surroundings.TREES else frozenset[str]()
    if last in surroundings.GLOBS:
        found = pairs(mine, given, "/") if mine and asked.owner != "glob" else given
        return [Text(text.text, text.origins, text.text) for text in found]
    if last == "readdir" and given and asked.named("join"):
        return [inside(folder, tree) for folder in given]
    if last in surroundings.NAMES_IN and (given or mine or asked.positional or last == "listdir"):
        return [Text("*", frozenset(), "*")]
    if last in surroundings.PATHS_IN and (given or mine):
        folders = [text for arg in asked.positional for text in values.texts(arg)] if given else mine
        return [inside(folder, tree) for folder in folders if "*" not in folder.text] or None
    if last in _FILTERS:
        others = [text for arg in asked.positional for text in values.texts(arg)]
        return [narrowed(text) for text in (mine or others)]
    return None
