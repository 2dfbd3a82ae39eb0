"""Many hooks and events as projects have them: names, alternations, patterns, globs and rules; none of them match."""

import json
import random
from collections.abc import Iterator

from omnihook.events import PreToolUse
from omnihook.jsontypes import Json

CWD = "/home/dev/shop"
FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")
OTHER_TOOLS = ("Grep", "Glob", "LS", "WebFetch", "WebSearch", "TodoWrite", "Agent")
SERVERS = ("github", "jira", "slack", "postgres", "browser", "sentry", "figma", "linear", "notion")
VERBS = ("get", "list", "create", "search")
MCP_TOOLS = tuple(f"mcp__{server}__{verb}_item" for server in SERVERS for verb in VERBS)
TOOLS = ("Bash", *FILE_TOOLS, *OTHER_TOOLS, *MCP_TOOLS, "Skill")  # fifty
FOLDERS = ("api", "core", "web", "jobs", "auth", "cart", "mail", "search", "admin", "ops")
ENDINGS = ("py", "ts", "tsx", "go", "rs", "sql", "md", "yaml", "json", "css")
COMMANDS = ("git status", "ls -la", "pytest -q tests/{0}", "cat {0}/notes.md", "grep -rn todo {0} | head", "make {0}")


def entries(count: int, *, globs: bool = True) -> Iterator[dict[str, Json]]:
    """Hooks in the native form: a fifth with globs (unless told), a tenth with an `if`, all with matchers."""
    for number in range(count):
        entry: dict[str, Json] = {"name": f"hook-{number}", "on": "PreToolUse", "run": f"./hooks/check.sh {number}"}
        kind = number % 10
        if kind < 2 and globs:
            entry |= {"match": "Edit|Write|MultiEdit", "paths": [_glob(number)]}
        elif kind == 2:
            entry |= {"match": "Bash", "if": _rule(number)}
        else:
            entry |= {"match": _matcher(number)}
        yield entry


def events(count: int) -> list[PreToolUse]:
    """Distinct tool calls over all the tools: a third shell, a third files, the rest anything."""
    chance = random.Random(7)
    return [_event(number, chance) for number in range(count)]


def toml(count: int) -> str:
    """The hooks as a native file."""
    lines = []
    for entry in entries(count):
        lines.append("[[hook]]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
        lines.append("")
    return "\n".join(lines)


def settings(count: int) -> str:
    """The hooks as Claude Code's settings, which know no globs."""
    groups = []
    for entry in entries(count, globs=False):
        hook: dict[str, Json] = {"type": "command", "command": entry["run"], "timeout": 30}
        if "if" in entry:
            hook["if"] = entry["if"]
        groups.append({"matcher": entry["match"], "hooks": [hook]})
    return json.dumps({"hooks": {"PreToolUse": groups}}, indent=2)


def _glob(number: int) -> str:
    folder, ending = f"{FOLDERS[number % 10]}{number}", ENDINGS[number // 10 % 10]
    return (f"src/{folder}/**/*.{ending}", f"**/{folder}/*.{ending}", f"docs/{folder}*.md", f"{folder}/**")[number % 4]


def _rule(number: int) -> str:
    words = (
        f"git push origin{number} *",
        f"rm -rf build{number}",
        f"npm run task{number}:*",
        f"kubectl * ns{number} *",
    )
    return f"Bash({words[number // 10 % 4]})"


def _matcher(number: int) -> str:
    forms = (
        f"Tool{number}",
        f"Tool{number}|Other{number}",
        f"mcp__server{number}__.*",
        f"^(Deploy|Release){number}$",
        f"mcp__.*__drop_{number}",
        f"Notebook{number}.*",
        f"Custom{number}",
    )
    return forms[number % len(forms)]


def _event(number: int, chance: random.Random) -> PreToolUse:
    tool, arguments = _call(number, chance)
    return PreToolUse(session_id=f"session-{number % 20}", cwd=CWD, tool_name=tool, tool_input=arguments)


def _call(number: int, chance: random.Random) -> tuple[str, dict[str, Json]]:
    folder = chance.choice(FOLDERS)
    if number % 3 == 0:
        return "Bash", {"command": f"{chance.choice(COMMANDS).format(folder)} # {number}", "description": "work"}
    if number % 3 == 1:
        path = f"{CWD}/src/{folder}/part{number % 97}/file{number}.{chance.choice(ENDINGS)}"
        return chance.choice(FILE_TOOLS), {"file_path": path, "content": "text\n" * 5}
    return chance.choice(TOOLS[6:]), {"query": f"item {number}", "path": f"{CWD}/{folder}"}
