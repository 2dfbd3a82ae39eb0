"""What events and keys are called elsewhere, so that a name from another agent is answered with ours."""

from collections.abc import Iterable, Mapping

from omnihook.errors import suggestion

# Common names of other agents, in lower case and without `-`, `_` and `.`.
EVENTS: Mapping[str, str] = {
    "beforetool": "PreToolUse",
    "beforetooluse": "PreToolUse",
    "beforetoolcall": "PreToolUse",
    "pretool": "PreToolUse",
    "pretoolcall": "PreToolUse",
    "toolexecutebefore": "PreToolUse",
    "beforeshellexecution": "PreToolUse",
    "beforemcpexecution": "PreToolUse",
    "beforereadfile": "PreToolUse",
    "aftertool": "PostToolUse",
    "aftertooluse": "PostToolUse",
    "aftertoolcall": "PostToolUse",
    "posttool": "PostToolUse",
    "posttoolcall": "PostToolUse",
    "toolexecuteafter": "PostToolUse",
    "aftershellexecution": "PostToolUse",
    "aftermcpexecution": "PostToolUse",
    "afterfileedit": "FileModified",
    "fileedited": "FileModified",
    "beforeagent": "UserPromptSubmit",
    "preprompt": "UserPromptSubmit",
    "userpromptsubmitted": "UserPromptSubmit",
    "beforesubmitprompt": "UserPromptSubmit",
    "afteragent": "Stop",
    "agentstop": "Stop",
    "sessionidle": "Stop",
    "agentspawn": "SessionStart",
    "sessioncreated": "SessionStart",
    "precompress": "PreCompact",
    "sessioncompacting": "PreCompact",
    "permissionask": "PermissionRequest",
}
KEYS: Mapping[str, str] = {
    "event": "on",
    "events": "on",
    "when": "on",
    "command": "run",
    "cmd": "run",
    "exec": "run",
    "script": "run",
    "args": "argv",
    "url": "http",
    "matcher": "match",
    "pattern": "match",
    "tool": "tools",
    "path": "paths",
    "glob": "paths",
    "rule": "if",
    "background": "async",
    "asyncrewake": "rewake",
    "statusmessage": "status",
    "environment": "env",
    "timeoutsecs": "timeout",
    "timeoutms": "timeout",
    "disabled": "enabled",
    "function": "call",
}


def plain(name: str) -> str:
    """A name without what only says how it is written."""
    return "".join(letter for letter in name.lower() if letter not in "-_. ")


def asked(name: str, known: Iterable[str], elsewhere: Mapping[str, str], *, after: int = 0) -> str:
    """`, did you mean 'X'?` for a name that is called X here or is near to X, else nothing."""
    if after >= 100:  # nobody reads on
        return ""
    listed = list(known)
    same = {plain(word): word for word in listed}
    meant = same.get(plain(name)) or elsewhere.get(plain(name))
    return f", did you mean {meant!r}?" if meant in listed else suggestion(name, listed)
