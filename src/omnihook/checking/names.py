"""The tools that matchers, filters and rules of a dialect may name, and which of them a misspelt name is near to."""

import difflib
from collections.abc import Iterable
from functools import cache

from omnihook import dialects
from omnihook.dialect import Dialect
from omnihook.shell.tables import names
from omnihook.tools import TOOLS, native_aliases

# Tools of the agents that have no canonical form; a matcher that names one is as good as any other.
FURTHER = names(
    "AskUserQuestion BashOutput CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree "
    "KillBash KillShell LSP ListMcpResourcesTool Monitor NotebookRead PowerShell ReadMcpResourceTool SendMessage Skill "
    "SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoRead "
    "ToolSearch Workflow"
)
_NEAR = 0.75  # below it, names of tools that do exist are taken for each other


def groups(dialect: Dialect) -> tuple[tuple[str, ...], ...]:
    """Every known tool under all the names its dialect has for it."""
    return _groups(dialect.name)


def known_tools(dialect: Dialect) -> frozenset[str]:
    """Every name of a tool that is not taken for a mistake."""
    return _known(dialect.name)


@cache  # asked for every name of every hook
def _groups(name: str) -> tuple[tuple[str, ...], ...]:
    return tuple(native_aliases(dialects.get(name).vocabulary, tool) for tool in TOOLS)


@cache
def _known(name: str) -> frozenset[str]:
    return FURTHER.union(*_groups(name))


def meant(name: str, known: Iterable[str]) -> str | None:
    """The known name that another one was most likely meant to be, or None."""
    if len(name) > 100:
        return None
    lowered: dict[str, str] = {}
    for word in known:
        lowered.setdefault(word.lower(), word)  # of several spellings the first is the usual one
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=_NEAR)
    return lowered[near[0]] if near else None


def misspelt(name: str, dialect: Dialect) -> str | None:
    """The tool that a name misspells; None for a known one, a server's tool, and one that is near to nothing."""
    if name in known_tools(dialect) or name.startswith("mcp_"):
        return None
    return meant(name, (alias for names in groups(dialect) for alias in names))
