"""`slack-notify`: a message to a Slack webhook when a task completes; nothing without SLACK_WEBHOOK_URL."""

import asyncio
import re
import time

from omnihook.builtin import places
from omnihook.builtin.durations import human
from omnihook.builtin.troubles import Trouble
from omnihook.dialect import Failure
from omnihook.events import Event, Stop
from omnihook.hooks import Context, Http
from omnihook.jsontypes import dumps
from omnihook.showing import one_line
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict

VARIABLE = "SLACK_WEBHOOK_URL"
# The host, and signs after it that no library spells in another way.
_PLAIN = re.compile(
    r"(?<![a-z])[a-z]++://([A-Za-z0-9.\-]+(?::[0-9]+)?|\[[0-9A-Fa-f:.]+\](?::[0-9]+)?)(?:[/?#][A-Za-z0-9._~:/?#!$&()*+,;=%\-]*)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`timeout`: seconds the whole post may take."""

    timeout: float = 10.0


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Post the message; a URL that is neither https nor of this machine is refused."""
    url = context.env.get(VARIABLE, "").strip()
    if not url:
        return None
    from omnihook.runners import http

    body = dumps({"text": message(event, places.project_name(event, context))}).encode("utf-8", "backslashreplace")
    deadline = time.monotonic() + options.timeout
    answer = asyncio.run(http.post(Http(url=url), body=body, deadline=deadline, env={}))
    if isinstance(answer, Failure):
        raise Trouble(f"the message could not be posted: {_without(answer, url)}")
    return None


def message(event: Event, project: str) -> str:
    """Project, duration, tokens and tool calls; what the agent did not tell is left out."""
    lines = ["*Task complete*", f"*Project:* {_escaped(project)}"]
    if isinstance(event, Stop):
        spent = event.turn_duration if event.turn_duration is not None else event.duration
        calls = event.tool_calls_count if event.tool_calls_count is not None else event.turn_tool_calls
        lines += [f"*Duration:* {human(spent)}"] if spent is not None else []
        lines += [f"*Tokens:* {event.tokens_used}"] if event.tokens_used is not None else []
        lines += [f"*Tool calls:* {calls}"] if calls is not None else []
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Slack reads three characters as markup, and `<!channel>` would wake everybody."""
    return one_line(text, 120).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _without(failure: Failure, url: str) -> str:
    """What went wrong, with no more of the URL than its host: a webhook's URL is its password."""
    from omnihook.runners.http_urls import show

    if _PLAIN.fullmatch(url) is None:
        return f"${VARIABLE} is not a URL that can be posted to; copy it again"
    host = _PLAIN.sub(r"\1", url)
    said = failure.message.partition("; a hook answers ")[0]  # which is for those who write servers for hooks
    text = one_line(said.replace(show(url), host).replace(url, host))
    parts = [part for part in re.split(r"[/?#&=]+", url.partition("://")[2])[1:] if len(part) > 2]
    # Whatever else a library put into its words, none of the rest may be among them.
    return f"{host} could not be reached ({failure.cause.value})" if any(part in text for part in parts) else text
