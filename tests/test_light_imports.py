"""What a guest's start may not import: each of these costs more than the hook it would run."""

import subprocess
import sys

import pytest

HEAVY = {
    "pydantic",
    "pydantic_ai",
    "httpx",
    "mcp",
    "rich",
    "textual",
    "tomlkit",
    "yaml",
    "openai",
    "anthropic",
    "bracex",
}


def imported(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(' '.join(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in found.stdout.split()}


@pytest.mark.parametrize(
    ("statement", "more"),
    [
        ("import omnihook", {"click", "re2", "regex", "asyncio", "tree_sitter", "dataclasses"}),
        ("import omnihook.cli", {"click", "re2", "asyncio", "tree_sitter"}),
        ("from omnihook import Engine", {"click"}),
        ("from omnihook.dialects import get; get('claude-code')", {"click"}),
        ("import omnihook.runners.command", {"click"}),
    ],
)
def test_light_imports(statement: str, more: set[str]) -> None:
    assert imported(statement) & (HEAVY | more) == set()
