"""One module per agent, each ending in DIALECT, and the one table of them all; a module is imported when asked for."""

from collections.abc import Mapping
from importlib import import_module

from omnihook.dialect import Dialect
from omnihook.errors import UnknownDialect

MODULES: Mapping[str, str] = {
    "omnihook": "native",
    "autohand": "autohand",
    "codemie": "codemie",
    "code-agent": "code_agent",
    "claude-agent-rs": "claude_agent_rs",
    "gencode": "gencode",
    "claude-code": "claude_code",
}

FIRST = ("omnihook", "claude-code")  # who reads a file that several dialects claim
JSON_DEFAULT = "claude-code"  # whose a JSON file is when nobody says


def get(name: str) -> Dialect:
    """The dialect of that name; raises UnknownDialect, with a suggestion, when there is none."""
    module = MODULES.get(name)
    if module is None:
        raise UnknownDialect(name, MODULES)
    found = import_module(f"omnihook.dialects.{module}").DIALECT
    assert isinstance(found, Dialect)
    return found


def names() -> tuple[str, ...]:
    """Every dialect's name, the native one first."""
    return tuple(MODULES)
