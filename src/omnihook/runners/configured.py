"""Whether a hook has a model or a server to ask: told before their libraries load, which takes seconds."""

from collections.abc import Mapping

from omnihook.dialect import Failure
from omnihook.errors import suggestion
from omnihook.hooks import Cause, McpTool, Prompt
from omnihook.jsontypes import JsonObject

HELP = 'set OMNIHOOK_MODEL to a name such as "anthropic:claude-..." or "openai:gpt-..."'


class NotConfigured(Exception):
    """There is nothing to ask; the text says what to set."""


def model_name(action: Prompt, model: str | None, env: Mapping[str, str]) -> str:
    """The name of the model for a hook: what the hook says, then the settings, then OMNIHOOK_MODEL in `env`."""
    name = action.model or model or env.get("OMNIHOOK_MODEL")
    if not name:
        raise NotConfigured(f"no model is configured for prompt hooks; {HELP}")
    return name


def server_entry(servers: JsonObject, action: McpTool) -> JsonObject:
    """What an `mcpServers` table says of the hook's server."""
    entry = servers.get(action.server)
    if entry is None:
        known = ", ".join(sorted(servers)) or "none"
        raise NotConfigured(f"there is no such server{suggestion(action.server, servers)}; configured: {known}")
    if not isinstance(entry, dict) or not ("command" in entry or "url" in entry):
        raise NotConfigured("its server has neither a command nor a url")
    return entry


def not_called(action: McpTool, why: Exception) -> Failure:
    """What is said of a tool that could not be called."""
    return Failure(cause=Cause.START, message=f"{named(action)} was not called: {why}")


def named(action: McpTool) -> str:
    """A tool, for messages."""
    return f"the tool {action.tool!r} of the MCP server {action.server!r}"
