"""Commands that show what a pattern or a query finds in files: grep, jq, awk and their relatives."""

import re
from collections.abc import Iterator
from dataclasses import replace

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.table import Handler, effects
from omnihook.builtin.guard.effects import Act, Do, Effect
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_PATTERN_FIRST = names(
    "grep egrep fgrep zgrep rg ag ack ugrep jq yq gojq jaq awk gawk mawk nawk perl pcregrep xq htmlq zipgrep",
)
_PATTERN_VALUES = {
    "jq": "fL",
    "jaq": "fL",
    "yq": "fpoI",
    "awk": "Fvf",
    "gawk": "Fvf",
    "mawk": "Fvf",
    "nawk": "Fvf",
    "perl": "eEiI0FmM",
}
_NAMED_VALUES = names("--arg --argjson --slurpfile --rawfile")
_LOADS = re.compile(r"\bload(?:_str|_xml|_props|_base64)?\(\s*[\"']([^\"']+)")
_YQ_VERBS = names("e eval ea eval-all")
_GREP_LONG = ("--regexp", "--file", "--after-context", "--before-context", "--context", "--max-count", "--include",
              "--exclude", "--exclude-dir", "--glob", "--iglob", "--type", "--type-not", "--color", "--colour", "--arg",
              "--slurpfile", "--rawfile", "--argjson", "--indent", "--max-depth", "--exclude-from")  # fmt: skip


def searched(command: Command) -> Iterator[Act]:
    """grep and relatives: the first operand is a pattern, unless `-e` or `-f` gave one."""
    values = _PATTERN_VALUES.get(command.name, "efABCmgtTMdDjE")
    given = arguments(command, values, _GREP_LONG)
    has_pattern = (
        given.has("-e", "--regexp", "-f", "--file", "-E")
        if command.name != "grep"
        else given.has("-e", "-f", "--regexp", "--file")
    )
    listing = command.name in ("rg", "ag") and given.has("--files")
    files = given.operands if has_pattern or listing else given.operands[1:]
    quiet = given.has("-q", "--quiet", "--silent", "-c", "--count", "-l", "--files-with-matches", "-L")
    yield from effects(Do.USE if quiet or listing else Do.READ, files)
    for value in given.values("--include", "-g", "--glob", "--iglob", "--slurpfile", "--rawfile"):
        if not value.text.startswith("!"):
            yield Effect(Do.READ, Text(value.text, value.origins, value.text))


def queried(command: Command) -> Iterator[Act]:
    """jq and yq: options that give a variable a name and a file, and files that the query itself loads."""
    words = list(command.argv)
    for place in range(len(words) - 3, 0, -1):
        if words[place].text in _NAMED_VALUES:
            if words[place].text.endswith("file"):
                yield Effect(Do.READ, words[place + 2])
            del words[place : place + 3]
    for word in words[1:]:
        for path in _LOADS.findall(word.text):
            yield Effect(Do.READ, Text(path, word.origins))
    asked = replace(command, argv=tuple(words))
    yield from searched(_only_file(asked) if command.name == "yq" else asked)


def _only_file(command: Command) -> Command:
    """yq takes a lone operand for a file where nothing is piped in: the same with a query before it."""
    given = arguments(command, _PATTERN_VALUES["yq"], _GREP_LONG)
    operands = [word for word in given.operands if word.text not in _YQ_VERBS]
    if len(operands) != 1 or command.stdin is not None or given.has("-n", "--null-input"):
        return command
    return replace(command, argv=(command.argv[0], Text("."), operands[0]))


SEARCHING: dict[str, Handler] = {
    **dict.fromkeys(_PATTERN_FIRST, searched),
    **dict.fromkeys(("jq", "gojq", "jaq", "yq", "xq"), queried),
}
