"""Replies in the way of Claude Code, whatever channel they came by, and the line by which a command leaves."""

from omnihook.dialect import Failure, Leave, Raw
from omnihook.events import Event
from omnihook.families import answers, claude_replies
from omnihook.families.claude_replies import ReplyShape
from omnihook.hooks import Cause, Hook
from omnihook.jsontypes import JsonError, loads_object
from omnihook.verdicts import NO_OPINION, Verdict

REPLY_EXTRAS = frozenset(
    {
        "retry",
        "sessionTitle",
        "initialUserMessage",
        "watchPaths",
        "reloadSkills",
        "suppressOriginalPrompt",
        "action",
        "content",
        "displayContent",
        "worktreePath",
        "classifierContext",
    }
)


def decode_reply(shape: ReplyShape, hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read a reply from any channel."""
    match raw.channel:
        case "model":
            return answers.decode_model(raw, None)
        case "http":
            return _http(shape, event, raw)
        case "mcp":
            return claude_replies.decode_text(shape, event, raw.stdout)
        case _:
            return claude_replies.decode_reply(shape, hook, event, raw)


def leave(line: str) -> Leave | None:
    """`{"async": true}` as the first line of output; `asyncTimeout` is in milliseconds."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        said = loads_object(line)
    except JsonError:
        return None
    if said.get("async") is not True:
        return None
    limit = said.get("asyncTimeout")
    if isinstance(limit, bool) or not isinstance(limit, int | float) or limit <= 0:
        return Leave()
    return Leave(timeout=limit / 1000)


def _http(shape: ReplyShape, event: Event, raw: Raw) -> Verdict | Failure:
    if raw.status is not None and not 200 <= raw.status < 300:
        return Failure(cause=Cause.EXIT, message=f"the server answered {raw.status}")
    if not raw.stdout.strip():
        return NO_OPINION
    if not raw.stdout.lstrip().startswith("{"):
        return Failure(cause=Cause.OUTPUT, message="the server's answer is not a JSON object")
    return claude_replies.decode_text(shape, event, raw.stdout)
