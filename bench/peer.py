"""The peer: the hooks executor of openhands-sdk, called as its own manager calls it; None where it is not installed."""

import os
from collections.abc import Callable

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it asks the network for prices
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")


def runner(commands: int, project: str) -> Callable[[], None] | None:
    """A job that runs `true` so many times for one event."""
    try:
        from openhands.sdk import hooks
    except ImportError:
        return None
    executor = hooks.HookExecutor(working_dir=project)
    definitions = [hooks.HookDefinition(command="true") for _ in range(commands)]

    def run() -> None:
        event = hooks.HookEvent(
            event_type=hooks.HookEventType.PRE_TOOL_USE,
            tool_name="Bash",
            tool_input={"command": "ls -la"},
            session_id="bench",
            working_dir=project,
        )
        results = executor.execute_all(definitions, event)
        assert len(results) == commands and all(result.success for result in results)

    return run
