"""The hooks Autohand installs on its first run, all switched off, and the scripts they name."""

import posixpath
from collections.abc import Mapping

from omnihook.families.autohand_configs import PATH
from omnihook.families.writing import dump_json
from omnihook.jsontypes import Json

FOLDER = ".autohand/hooks"
SCRIPTS = ("sound-alert", "auto-format", "slack-notify", "git-auto-stage", "security-guard", "smart-commit")
_SHIM = '#!/bin/sh\nexec omnihook builtin {name} "$@"\n'
_FORMATTED = ("ts", "tsx", "js", "jsx", "json", "css", "md")


def files(home: str) -> dict[str, tuple[str, int]]:
    """Path -> (text, mode) of everything a first run writes below a home."""
    made = {posixpath.join(home, PATH): (dump_json({"hooks": {"enabled": True, "hooks": _entries()}}), 0o600)}
    for name in SCRIPTS:
        made[posixpath.join(home, FOLDER, f"{name}.sh")] = (_SHIM.format(name=name), 0o755)
    return made


def _entries() -> list[Json]:
    return [
        _log("session-start", "Log session start", "Session started: $HOOK_SESSION_TYPE"),
        _log("session-end", "Log session end", "Session ended: $HOOK_SESSION_END_REASON after ${HOOK_DURATION}ms"),
        _log("stop", "Log turn completion", "Turn complete: $HOOK_TOKENS tokens, $HOOK_TOOL_CALLS_COUNT tool calls"),
        {
            **_log("file-modified", "Log file changes", "File $HOOK_CHANGE_TYPE: $HOOK_PATH"),
            "filter": {"path": ["src/**/*", "lib/**/*"]},
        },
        _script("stop", "sound-alert", "Play sound when task completes", {"async": True}),
        _script(
            "file-modified", "auto-format", "Auto-format changed files", _paths(*(f"**/*.{e}" for e in _FORMATTED))
        ),
        _script("stop", "slack-notify", "Send Slack notification when task completes", {"async": True}),
        _script(
            "file-modified",
            "git-auto-stage",
            "Auto-stage modified files to git",
            _paths("src/**/*", "lib/**/*", "tests/**/*"),
        ),
        _script(
            "pre-tool",
            "security-guard",
            "Block dangerous commands and operations",
            {"matcher": "^(run_command|delete_path|write_file)$"},
        ),
        _script("stop", "smart-commit", "Auto lint, test, and commit with LLM message", {"async": True}),
    ]


def _log(event: str, description: str, line: str) -> dict[str, Json]:
    return {"event": event, "command": f'echo "{line}"', "description": description, "enabled": False}


def _script(event: str, name: str, description: str, more: Mapping[str, Json]) -> dict[str, Json]:
    command = f"~/{FOLDER}/{name}.sh"
    return {"event": event, "command": command, "description": description, "enabled": False, **more}


def _paths(*globs: str) -> dict[str, Json]:
    return {"filter": {"path": list(globs)}}
