"""Makefiles and justfiles, as far as it takes to know which lines a shell is given for a goal."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field

from omnihook.slotted import dataclass

_ASSIGNED = re.compile(r"\s*(?:export\s+|override\s+)?([\w.-]+)\s*(?::{0,3}|\+|\?|!)=\s*(.*)")
_RULE = re.compile(r"([^\s#=:(](?:[^=:#(]++|\([^)]*+(?:\)|\Z))*+)::?(?!=)([^;]*+)(?:;(.*))?")
_NAMED = re.compile(r"(?<!\$)\$(?:\(([\w.-]+)\)|\{([\w.-]+)\})")
_MARKS = re.compile(r"\$([@<^*?$])")
_SHELL = re.compile(r"\$\(shell\s++((?:[^()]++|\([^()]*+\))++)\)")
_MAX_DEEP = 8
_MAX_LINES = 500
_MAX_LONG = 10_000


@dataclass(slots=True)
class Recipe:
    """A target: what it needs first, and the lines it is made with."""

    needs: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def recipes(text: str, goals: list[str], given: Mapping[str, str]) -> Iterator[str]:
    """The shell lines that making the goals runs, or the first target where none is named."""
    targets, values = _parsed(text)
    values.update(given)
    for line in [*values.values(), text]:
        for found in _SHELL.finditer(line):
            yield _expanded(found[1], values, "")
    first = next((name for name in targets if not name.startswith(".")), None)
    wanted = goals or ([first] if first is not None else [])
    done: set[str] = set()
    todo = [name for name in targets if "%" in name] + list(reversed(wanted))
    while todo and len(done) < _MAX_LINES:
        name = todo.pop()
        if name in done or name not in targets:
            continue
        done.add(name)
        todo.extend(word for need in targets[name].needs for word in _expanded(need, values, name).split())
        for line in targets[name].lines:
            yield _expanded(line, values, name).lstrip("@-+ \t")


def _parsed(text: str) -> tuple[dict[str, Recipe], dict[str, str]]:
    targets: dict[str, Recipe] = {}
    values: dict[str, str] = {}
    current: list[Recipe] = []
    for line in re.sub(r"\\\n[ \t]*", " ", text).split("\n")[:_MAX_LINES]:
        if line[:1] in ("\t", " ") and current and line.strip():
            for recipe in current:
                recipe.lines.append(line.strip())
        elif (assigned := _ASSIGNED.match(line)) is not None:
            value = assigned[2].strip()
            values[assigned[1]] = value[1:-1] if value[:1] in ("'", '"') and value[-1:] == value[:1] else value
        elif (rule := _RULE.match(line)) is not None:
            current = [targets.setdefault(name, Recipe()) for name in _names(rule[1])]
            for recipe in current:
                recipe.needs.extend(rule[2].split())
                recipe.lines.extend([rule[3].strip()] if rule[3] else [])
    return targets, values


def _names(text: str) -> list[str]:
    """The targets before a colon; just writes a recipe's parameters behind its name, others in brackets."""
    text = text.rstrip()
    if text.endswith(")"):
        text = text[: text.find("(", text.rfind(")", 0, -1) + 1)]
    return [word.lstrip("@") for word in text.split() if word.lstrip("@")]


def _expanded(line: str, values: Mapping[str, str], target: str) -> str:
    """A line with the file's own variables put in; others are left to the shell."""
    for _ in range(_MAX_DEEP):
        changed = _NAMED.sub(lambda found: values.get(found[1] or found[2], found[0]), line)
        if changed == line or len(changed) > _MAX_LONG:
            break
        line = changed
    line = _NAMED.sub(lambda found: f"${{{found[1] or found[2]}}}", line)
    return _MARKS.sub(lambda found: {"$": "$", "@": target}.get(found[1], "./any"), line)
