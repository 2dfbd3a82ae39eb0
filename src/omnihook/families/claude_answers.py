"""Answering in Claude Code's wire shape: a verdict as the JSON its hooks print."""

from collections.abc import Mapping

from omnihook.dialect import Reply
from omnihook.events import Event, ToolEvent
from omnihook.jsontypes import Json, dumps
from omnihook.slotted import dataclass
from omnihook.tools import Vocabulary, native_input
from omnihook.verdicts import Decision, Verdict

PERMISSION_EVENTS = frozenset({"PreToolUse", "PreModelSwitch"})
BLOCK_EVENTS = frozenset(
    {
        "UserPromptSubmit",
        "UserPromptExpansion",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "ConfigChange",
        "TaskCreated",
        "TaskCompleted",
        "TeammateIdle",
    }
)
_DECLINED = frozenset({"Elicitation", "ElicitationResult"})
_PERMISSIONS = {
    Decision.APPROVE: "allow",
    Decision.ASK: "ask",
    Decision.DEFER: "defer",
    Decision.DENY: "deny",
    Decision.BLOCK: "deny",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerShape:
    """What differs between the relatives that are answered in this shape."""

    vocabulary: Vocabulary
    names: Mapping[str, str]


def encode_reply(shape: AnswerShape, event: Event, verdict: Verdict) -> Reply:
    """Write a verdict so that the agent does what it says."""
    if event.name == "WorktreeCreate":
        return _worktree(verdict)
    top: dict[str, Json] = {}
    own: dict[str, Json] = {}
    lost: list[str] = []
    if event.name in PERMISSION_EVENTS:
        _permission(verdict, own)
    elif event.name == "PermissionRequest":
        _permission_request(shape, event, verdict, own, lost)
    elif event.name in _DECLINED:
        if verdict.refused:
            own["action"] = "cancel" if verdict.extra.get("action") == "cancel" else "decline"
    elif event.name in BLOCK_EVENTS and verdict.refused:
        top |= {"decision": "block", "reason": verdict.reason or "refused by a hook"}
    elif verdict.refused:
        lost.append(f"{verdict.decision.word} cannot be said at {event.name}")
    _general(shape, event, verdict, top, own)
    if own:
        top["hookSpecificOutput"] = {"hookEventName": shape.names.get(event.name, event.name), **own}
    return Reply(stdout=dumps(top) if top else "", lost=tuple(lost))


def _permission(verdict: Verdict, own: dict[str, Json]) -> None:
    ordinary = verdict.decision is Decision.ASK and verdict.ordinary
    word = None if ordinary else _PERMISSIONS.get(verdict.decision)
    if word is not None:
        own["permissionDecision"] = word
        if verdict.reason is not None or verdict.refused:
            own["permissionDecisionReason"] = verdict.reason or "refused by a hook"


def _permission_request(
    shape: AnswerShape, event: Event, verdict: Verdict, own: dict[str, Json], lost: list[str]
) -> None:
    if verdict.refused:
        answer: dict[str, Json] = {"behavior": "deny", "message": verdict.reason or "refused by a hook"}
        if "interrupt" in verdict.extra:
            answer["interrupt"] = verdict.extra["interrupt"]
        own["decision"] = answer
    elif verdict.decision is Decision.APPROVE:
        answer = {"behavior": "allow"}
        if verdict.updated_input is not None:
            answer["updatedInput"] = full_input(shape.vocabulary, event, verdict)
        if "updatedPermissions" in verdict.extra:
            answer["updatedPermissions"] = verdict.extra["updatedPermissions"]
        own["decision"] = answer
    elif verdict.updated_input is not None:
        # A changed input goes only with an approval; without one the original must not run either.
        lost.append("a rewrite without an approval: said as deny")
        own["decision"] = {"behavior": "deny", "message": verdict.reason or "a hook wants to change the input"}


def _general(shape: AnswerShape, event: Event, verdict: Verdict, top: dict[str, Json], own: dict[str, Json]) -> None:
    if verdict.updated_input is not None and not verdict.refused and event.name == "PreToolUse":
        own["updatedInput"] = full_input(shape.vocabulary, event, verdict)
    if verdict.updated_output is not None and event.name == "PostToolUse":
        own["updatedToolOutput"] = verdict.updated_output
    if verdict.additional_context is not None:
        own["additionalContext"] = verdict.additional_context
    # Who refuses an answer to a server is not outvoted by who gives one.
    withheld = ("action", "content") if verdict.refused and event.name in _DECLINED else ()
    said_apart = ("updatedPermissions", "interrupt", "ask", *withheld)
    own |= {k: v for k, v in verdict.extra.items() if k not in said_apart}
    if not verdict.continue_:
        top["continue"] = False
        if verdict.stop_reason is not None:
            top["stopReason"] = verdict.stop_reason
    message = verdict.system_message
    if message is None and verdict.refused and _only_for_the_user(event, verdict):
        message = verdict.reason
    if message is not None:
        top["systemMessage"] = message
    if verdict.suppress_output:
        top["suppressOutput"] = True


def _only_for_the_user(event: Event, verdict: Verdict) -> bool:
    """Where the reason has no key of its own, or the user should see it too."""
    return event.name in _DECLINED or (verdict.decision is Decision.BLOCK and event.name in PERMISSION_EVENTS)


def full_input(words: Vocabulary, event: Event, verdict: Verdict) -> dict[str, Json]:
    """The whole new input in the agent's words: what it sent, with only the changed keys replaced."""
    changes = verdict.updated_input or {}
    if not isinstance(event, ToolEvent):
        return dict(changes)
    if verdict.partial:
        return dict(native_input(words, event.tool_name, {**event.tool_input, **changes}))
    return dict(native_input(words, event.tool_name, changes))


def _worktree(verdict: Verdict) -> Reply:
    if verdict.refused:
        return Reply(stderr=verdict.reason or "refused by a hook", exit_code=1)
    path = verdict.extra.get("worktreePath")
    return Reply(stdout=path if isinstance(path, str) else "")
