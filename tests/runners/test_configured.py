"""A hook without a model or a server says so at once: the libraries for these take seconds to load."""

import subprocess
import sys
from pathlib import Path

_HOST = """
import sys
from omnihook import Engine
from omnihook.events import Stop

engine = Engine(sys.argv[1], config=[("omnihook", sys.argv[2])], trust_project=True, environ={})
report = engine.fire_sync(Stop(session_id="s", cwd=sys.argv[1]))
engine.close()
for outcome in report.outcomes:
    print(outcome.error)
print("loaded:", *[name for name in ("pydantic_ai", "mcp") if name in sys.modules])
"""
_HOOKS = """
[[hook]]
on = "Stop"
prompt = "Is it done?"

[[hook]]
on = "Stop"
mcp = { server = "nowhere", tool = "check" }
"""


def test_what_is_missing_is_told_before_libraries_load(tmp_path: Path) -> None:
    hooks = tmp_path / "hooks.toml"
    hooks.write_text(_HOOKS)
    said = subprocess.run(
        [sys.executable, "-c", _HOST, str(tmp_path), str(hooks)], capture_output=True, text=True, check=True
    ).stdout
    assert "no model is configured for prompt hooks; set OMNIHOOK_MODEL" in said
    assert "the MCP server 'nowhere' was not called: there is no such server; configured: none" in said
    assert said.splitlines()[-1] == "loaded:"
