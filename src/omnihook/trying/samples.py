"""A realistic event of every kind, to try hooks on; a dialect's codec turns it into that agent's words."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from omnihook.dialect import Dialect
from omnihook.events import EVENTS, Event, OtherEvent, ToolEvent
from omnihook.hooks import Hook
from omnihook.jsontypes import JsonObject
from omnihook.matching import Index
from omnihook.tools import canonical_tool, canonical_value

SESSION = "sample-session"
FILE = "src/example.py"
PATCH = "*** Begin Patch\n*** Update File: src/example.py\n@@\n-a = 1\n+a = 2\n*** End Patch\n"

# What a call of each tool looks like; `{file}` is a path in the project.
CALLS: Mapping[str, JsonObject] = {
    "Bash": {"command": "git status --short", "description": "Show what changed"},
    "Write": {"file_path": "{file}", "content": "answer = 42\n"},
    "Edit": {"file_path": "{file}", "old_string": "answer = 41", "new_string": "answer = 42"},
    "Read": {"file_path": "{file}"},
    "MultiEdit": {"file_path": "{file}", "edits": [{"old_string": "41", "new_string": "42"}]},
    "Delete": {"file_path": "{file}"},
    "Move": {"file_path": "{file}", "destination": "src/moved.py"},
    "apply_patch": {"patch": PATCH},
    "Grep": {"pattern": "answer", "path": "."},
    "Glob": {"pattern": "**/*.py"},
    "LS": {"path": "."},
    "WebFetch": {"url": "https://example.org/", "prompt": "What is this page about?"},
    "WebSearch": {"query": "how to write hooks"},
    "NotebookEdit": {"notebook_path": "{file}", "new_source": "answer = 42"},
    "Agent": {"description": "Look for examples", "prompt": "Find examples.", "subagent_type": "Explore"},
    "TodoWrite": {"todos": [{"content": "Write the example", "status": "in_progress"}]},
}
OTHER_CALL: JsonObject = {"query": "example"}

# What the other events know; an event that is not listed here is plain.
FIELDS: Mapping[str, Mapping[str, object]] = {
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "exit", "duration": 61.5},
    "SessionError": {"error": "The connection was lost", "error_code": "network"},
    "Setup": {"trigger": "init"},
    "UserPromptSubmit": {"prompt": "Please add a test for the example.", "mentioned_files": (FILE,)},
    "UserPromptExpansion": {"command_name": "review", "command_args": "src", "prompt": "Review src."},
    "PermissionRequest": {"permission_type": "tool"},
    "PermissionDenied": {"reason": "The user said no"},
    "PostToolUse": {"tool_response": "ok", "exit_code": 0, "duration": 0.12},
    "PostToolUseFailure": {"error": "Exit code 1", "exit_code": 1, "duration": 0.12},
    "FileModified": {"file_path": "{file}", "change_type": "modify", "tool_name": "Edit"},
    "Stop": {
        "stop_hook_active": False,
        "last_assistant_message": "Done.",
        "tokens_used": 1500,
        "tool_calls_count": 3,
        "turn_tool_calls": 1,
        "turn_duration": 12.5,
        "duration": 61.5,
    },
    "StopFailure": {"error": "rate_limit", "error_details": "Too many requests"},
    "SubagentStart": {"subagent": "sub-1", "subagent_type": "Explore", "subagent_name": "explorer"},
    "SubagentStop": {
        "subagent": "sub-1",
        "subagent_type": "Explore",
        "subagent_name": "explorer",
        "success": True,
        "duration": 8.0,
        "stop_hook_active": False,
        "last_assistant_message": "Found it.",
    },
    "PreCompact": {"trigger": "auto"},
    "PostCompact": {"trigger": "auto", "compact_summary": "We wrote an example."},
    "PreModelSwitch": {"from_model": "small", "to_model": "large"},
    "PostModelSwitch": {"from_model": "small", "to_model": "large"},
    "Notification": {"notification_type": "idle_prompt", "message": "The agent is waiting for you"},
    "TaskCreated": {"task_id": "1", "task_subject": "Write the example"},
    "TaskCompleted": {"task_id": "1", "task_subject": "Write the example"},
    "Elicitation": {"mcp_server_name": "example", "message": "Which account?"},
    "ElicitationResult": {"mcp_server_name": "example", "action": "accept"},
    "ConfigChange": {"source": "user_settings"},
    "InstructionsLoaded": {"file_path": "{file}", "load_reason": "session_start"},
    "CwdChanged": {"old_cwd": "/", "new_cwd": "{folder}"},
    "FileChanged": {"file_path": "{file}", "change": "change"},
    "DirectoryAdded": {"directory": "{folder}", "source": "cli"},
    "WorktreeCreate": {"worktree_name": "example"},
    "WorktreeRemove": {"worktree_path": "{folder}/example"},
    "MessageDisplay": {"delta": "Done.", "index": 0, "final": True},
    "BeforeModel": {"llm_request": {"model": "large", "messages": [{"role": "user", "content": "Hello"}]}},
    "AfterModel": {"llm_response": {"text": "Hello."}},
    "BeforeToolSelection": {"llm_request": {"model": "large", "messages": []}},
}


def sample_for(hook: Hook, name: str, dialect: Dialect, cwd: str) -> Event:
    """An event that the hook is meant for, as far as one can be made; else the usual one of that name."""
    index = Index([replace(hook, events=(name,))], {hook.source.dialect: dialect})
    found = list(_candidates(hook, name, dialect, cwd))
    return next((event for event in found if index.match(event)), found[0])


def sample(name: str, cwd: str) -> Event:
    """The usual event of a name."""
    return _event(name, cwd, FILE, {})


def _candidates(hook: Hook, name: str, dialect: Dialect, cwd: str) -> Iterator[Event]:
    files = [FILE, *(_like(glob) for glob in hook.paths)]
    kind = EVENTS.get(name)
    words = [*(hook.matcher.names or ()), *re.findall(r"[\w-]+", hook.matcher.text), *hook.tools, *_ruled(hook)]
    if kind is not None and issubclass(kind, ToolEvent):
        tools = [canonical_tool(dialect.vocabulary, word) for word in words]
        for tool in dict.fromkeys([*CALLS, *tools]):
            for file in files:
                yield _event(name, cwd, file, {"tool_name": tool})
        return
    for file in files:
        yield _event(name, cwd, file, {})
    if kind is not None and kind.subject is not None and kind.subject != "file_name":
        for word in words:
            yield _event(name, cwd, FILE, {kind.subject: canonical_value(dialect.vocabulary, kind.subject, word)})


def _event(name: str, cwd: str, file: str, more: Mapping[str, object]) -> Event:
    kind = EVENTS.get(name)
    if kind is None:
        return OtherEvent(session_id=SESSION, cwd=cwd, native_name=name)
    values: dict[str, object] = {**FIELDS.get(name, {}), **more}
    if issubclass(kind, ToolEvent):
        tool = values.setdefault("tool_name", "Bash")
        values |= {"tool_input": CALLS.get(str(tool), OTHER_CALL), "tool_use_id": "call-1"}
    filled = {key: _filled(value, os.path.join(cwd, file), cwd) for key, value in values.items()}
    return kind(session_id=SESSION, cwd=cwd, permission_mode="default", **filled)  # type: ignore[arg-type]  # the tables name the event's own fields


def _filled(value: object, file: str, folder: str) -> object:
    if isinstance(value, str):
        return value.replace("{file}", file).replace("{folder}", folder)
    if isinstance(value, Mapping):
        return {key: _filled(item, file, folder) for key, item in value.items()}
    return value


def _like(glob: str) -> str:
    """A path that a glob probably matches."""
    plain = re.sub(r"\{([^,{}]*)[^{}]*\}", r"\1", glob.replace("**/", "")).replace("**", "*")
    return plain.replace("*", "example").replace("?", "x").lstrip("/")


def _ruled(hook: Hook) -> list[str]:
    return [] if hook.rule is None else [hook.rule.partition("(")[0]]
