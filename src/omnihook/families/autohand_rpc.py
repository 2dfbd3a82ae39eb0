"""Autohand's events as JSON-RPC 2.0 notifications for editors: twelve methods, each with its parameters."""

from collections.abc import Mapping
from typing import TypeAlias

from omnihook.events import (
    Event,
    FileModified,
    Notification,
    PermissionRequest,
    PostToolUse,
    PostToolUseFailure,
    PreToolUse,
    SessionEnd,
    SessionError,
    SessionStart,
    Stop,
    StopFailure,
    SubagentStop,
    ToolEvent,
    UserPromptSubmit,
)
from omnihook.families.autohand_payloads import path_of
from omnihook.families.times import iso
from omnihook.jsontypes import Json, JsonObject, text_of
from omnihook.slotted import dataclass
from omnihook.tools import Vocabulary, native_input, native_tool, native_value, shell_text

PREFIX = "autohand.hook."
METHODS: Mapping[str, tuple[str, ...]] = {
    "PreToolUse": ("preTool",),
    "PostToolUse": ("postTool",),
    "PostToolUseFailure": ("postTool",),
    "FileModified": ("fileModified",),
    "UserPromptSubmit": ("prePrompt",),
    "Stop": ("stop", "postResponse"),
    "SessionStart": ("sessionStart",),
    "SessionEnd": ("sessionEnd",),
    "SessionError": ("sessionError",),
    "StopFailure": ("sessionError",),
    "SubagentStop": ("subagentStop",),
    "PermissionRequest": ("permissionRequest",),
    "Notification": ("notification",),
}
Params: TypeAlias = dict[str, Json]


def notifications(event: Event, *, agent: str, words: Vocabulary) -> tuple[tuple[str, JsonObject], ...]:
    """The notifications of an event as (method, params); none for events without one.

    Values that are missing have the document's defaults, optional ones are left out; a turn's end gives two.
    The timestamp is the event's, which has one once it is fired.
    """
    methods = METHODS.get(event.name)
    if methods is None:
        return ()
    parts = _Maker(agent=agent, words=words).params(event)
    params = {key: value for key, value in parts.items() if value is not None}
    params["timestamp"] = iso(event.timestamp or 0.0)
    return tuple((PREFIX + method, params) for method in methods)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Maker:
    agent: str
    words: Vocabulary

    def params(self, event: Event) -> Params:
        match event:
            case ToolEvent():
                return self._tool_params(event)
            case FileModified(file_path=path, change_type=change, tool_use_id=call):
                return {"filePath": path, "changeType": change or "modify", "toolId": call or ""}
            case UserPromptSubmit(prompt=prompt, mentioned_files=files):
                return {"instruction": prompt, "mentionedFiles": list(files or ())}
            case Stop():
                return _stop(event)
            case SessionStart(source=source):
                return {"sessionType": native_value(self.words, "source", source or "startup")}
            case SessionEnd(reason=reason, duration=duration):
                return {"reason": native_value(self.words, "reason", reason or "exit"), "duration": _ms(duration)}
            case SessionError(error=error, error_code=code, context=context):
                return {"error": error or "", "code": code, "context": None if context is None else dict(context)}
            case StopFailure(error=error):
                return {"error": error or ""}
            case SubagentStop():
                return _subagent_stop(event)
            case Notification(notification_type=sort, message=message):
                return {"notificationType": sort or "", "message": message or ""}
            case _:
                return {}

    def _tool_params(self, event: ToolEvent) -> Params:
        call: Params = {"toolId": event.tool_use_id or "", "toolName": self._tool(event)}
        match event:
            case PreToolUse():
                return {**call, "args": self._arguments(event)}
            case PostToolUse() | PostToolUseFailure():
                return {**call, **self._result(event)}
            case PermissionRequest():
                return {
                    "tool": self._tool(event),
                    "path": path_of(event),
                    "command": shell_text(event.tool_name, event.tool_input),
                    "args": self._arguments(event) or None,
                }
            case _:
                return call

    def _result(self, event: PostToolUse | PostToolUseFailure) -> Params:
        own = event.agent == self.agent
        output = event.tool_response
        if output is None and isinstance(event, PostToolUseFailure):
            output = event.error
        return {
            # Autohand's own event without the flag has not told of a success.
            "success": event.native.get("tool_success") is True if own else isinstance(event, PostToolUse),
            "duration": _ms(event.duration),
            "output": None if output is None else text_of(output),
        }

    def _tool(self, event: ToolEvent) -> str:
        given = event.native.get("tool_name") if event.agent == self.agent else None
        return given if isinstance(given, str) else native_tool(self.words, event.tool_name)

    def _arguments(self, event: ToolEvent) -> Params:
        return dict(native_input(self.words, event.tool_name, event.tool_input))


def _stop(event: Stop) -> Params:
    return {
        "tokensUsed": event.tokens_used or 0,
        "toolCallsCount": event.tool_calls_count or 0,
        "duration": _ms(event.duration if event.turn_duration is None else event.turn_duration),
    }


def _subagent_stop(event: SubagentStop) -> Params:
    return {
        "subagentId": event.subagent,
        "subagentName": event.subagent_name or "",
        "subagentType": event.subagent_type or "",
        "success": event.success is True,
        "duration": _ms(event.duration),
        "error": event.error,
    }


def _ms(seconds: float | None) -> int:
    return 0 if seconds is None else round(seconds * 1000)
