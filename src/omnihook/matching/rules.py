"""`if` rules: `Tool` or `Tool(pattern)`, looking into compound commands; many of them asked at once."""

import re
from collections.abc import Iterable, Mapping

from omnihook.jsontypes import JsonObject
from omnihook.matching.globs import GlobSet, comparable
from omnihook.matching.sets import PatternSet
from omnihook.slotted import dataclass
from omnihook.tools import TOOLS, shell_text, touched

# Shell text in which every word stands as it is: no quoting, no expansion, no substitution.
_PLAIN = re.compile(r"[\w\s./:=,@%+#<>&;|^-]*", re.ASCII)
_RULE = re.compile(r"\s*([^()\s]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A parsed rule; a pattern of None means any call of the tool."""

    tool: str
    pattern: str | None


def parse(text: str) -> Rule | None:
    """A rule, or None when it is not one."""
    found = _RULE.fullmatch(text)
    if found is None:
        return None
    pattern = found[2]
    return Rule(tool=found[1], pattern=None if pattern in (None, "", "*") else pattern)


class RuleSet:
    """Rules with numbers, sorted by tool."""

    __slots__ = ("_open", "_tools")

    def __init__(self, rules: Iterable[tuple[int, Rule]]) -> None:
        grouped: dict[str, list[tuple[int, Rule]]] = {}
        for number, rule in rules:
            grouped.setdefault(rule.tool, []).append((number, rule))
        self._tools: Mapping[str, _ToolRules] = {tool: _ToolRules(tool, held) for tool, held in grouped.items()}
        self._open = [(re.compile(wildcard(tool)), held) for tool, held in self._tools.items() if "*" in tool]

    def match(self, names: Iterable[str], tool: str, arguments: JsonObject, place: tuple[str, str]) -> set[int]:
        """The numbers of the rules that hold for a call of a tool known under some names.

        `place` is the directory of the call and the project, from which paths start.
        """
        found: set[int] = set()
        for name in names:
            held = self._tools.get(name)
            if held is not None:
                found |= held.match(tool, arguments, place)
        for pattern, held in self._open:
            if any(pattern.fullmatch(name) for name in names):
                found |= held.match(tool, arguments, place)
        return found


class _ToolRules:
    __slots__ = ("_all", "_any", "_lines", "_paths", "_values", "_words")

    def __init__(self, tool: str, rules: list[tuple[int, Rule]]) -> None:
        self._any = [number for number, rule in rules if rule.pattern is None]
        open_rules = [(number, rule.pattern) for number, rule in rules if rule.pattern is not None]
        self._all = [number for number, _ in rules]
        known = TOOLS.get(tool)
        paths = known is not None and bool(known.paths or known.patch)
        self._paths = (
            GlobSet(((n, glob) for n, p in open_rules for glob in _path_globs(p)), dotfiles=True) if paths else None
        )
        self._lines = None if paths else PatternSet((n, command_pattern(p)) for n, p in open_rules)
        self._words = None if paths else PatternSet((n, re.escape(longest_word(p))) for n, p in open_rules)
        self._values = [(n, p) for n, p in open_rules if ":" in p]

    def match(self, tool: str, arguments: JsonObject, place: tuple[str, str]) -> set[int]:
        found = set(self._any)
        if len(found) == len(self._all):
            return found
        if self._paths is not None:
            for file in touched(tool, arguments):
                found |= self._paths.match(comparable(file.path, *place))
            return found
        text = shell_text(tool, arguments)
        if text is not None:
            return found | self._commands(text)
        return found | self._named_values(arguments)

    def _commands(self, text: str) -> set[int]:
        assert self._lines is not None and self._words is not None
        if _PLAIN.fullmatch(text) and not self._words.match(text):
            return set()  # no reading of the text could make a command of any rule of it
        from omnihook import shell  # a parser, which only rules about commands need

        lines = shell.command_lines(text)
        if lines is None:  # cannot be looked into: a guard must see it
            return set(self._all)
        found: set[int] = set(self._lines.match(text.strip()))
        for line in lines:
            found.update(self._lines.match(line))
        return found

    def _named_values(self, arguments: JsonObject) -> set[int]:
        """`WebFetch(domain:example.com)`: a value of the arguments by name."""
        found: set[int] = set()
        for number, pattern in self._values:
            key, _, wanted = pattern.partition(":")
            value = arguments.get("url") if key == "domain" else arguments.get(key)
            if isinstance(value, str) and re.fullmatch(wildcard(wanted), _host(value) if key == "domain" else value):
                found.add(number)
        return found


def command_pattern(pattern: str) -> str:
    """A regular expression for a command pattern: `*` is any text, and a trailing ` *` or `:*` any arguments."""
    for ending in (" *", ":*"):
        if pattern.endswith(ending):
            return f"^(?s:{wildcard(pattern.removesuffix(ending))}(?:\\s.*)?)$"
    return f"^(?s:{wildcard(pattern)})$"


def longest_word(pattern: str) -> str:
    """The longest piece of a command pattern that any command it matches has inside one word; perhaps none."""
    for ending in (" *", ":*"):
        if pattern.endswith(ending):
            pattern = pattern.removesuffix(ending)
            break
    return max(re.split(r"[*\s]+", pattern), key=len)


def wildcard(pattern: str) -> str:
    """A regular expression for text in which `*` is any text."""
    return ".*".join(re.escape(part) for part in pattern.split("*"))


def _path_globs(pattern: str) -> tuple[str, ...]:
    """A rule's path as globs. As in gitignore a bare name is meant at any depth, and a folder with all it holds.

    `//x` is a path from the root and `/x` one from the project, which other agents' users take for the root's.
    """
    whole = f"{pattern}**" if pattern.endswith("/") else pattern
    if whole.startswith("//"):
        return (whole[1:],)
    if whole.startswith("/"):
        return whole, whole[1:]
    return (whole, f"**/{whole}") if "/" not in whole else (whole,)


def _host(url: str) -> str:
    return re.sub(r"^[a-z]+://(?:[^@/]*@)?([^/:]+).*$", r"\1", url, flags=re.DOTALL)
