"""The hooks that come with omnihook, as data: when each runs and what it may be told, unless an entry says otherwise.

What they do is in `omnihook.builtin`; this is all that files and their readers need to know of them.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import field

from omnihook.errors import suggestion
from omnihook.jsontypes import Json, JsonObject, kind
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One thing a built-in may be told: the JSON type of its value, and the words it may be, if not any."""

    type: type
    help: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """A built-in hook as its entry would spell it, were everything written out.

    Where several run at one event, those of a lower `priority` see what the others did. `inline` says that it only
    looks and answers at once, so that it needs no process of its own. `open` says that it runs programs of the
    project, which nobody can list beforehand. `asks` says that it uses a model.
    """

    name: str
    description: str
    events: tuple[str, ...]
    paths: tuple[str, ...] = ()
    timeout: float | None = None
    priority: int = 0
    background: bool = False
    guard: bool = False
    observe: bool = False
    pure: bool = False
    inline: bool = False
    open: bool = False
    asks: bool = False
    options: Mapping[str, Option] = field(default_factory=dict)


_FILE = {"file": Option(type=str, help="also append the line, with the time, to this file")}
_PROGRAM = "a command line to use instead of the detected one; empty to leave this step out"
_SECONDS = "seconds each program may take"
_FORMATTED = (
    *("ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "json", "jsonc", "css", "scss", "md"),
    *("py", "pyi", "go", "rs", "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx"),
)

_ALL = (
    Shipped(
        name="log-session-start",
        description="Log when a session starts",
        events=("SessionStart",),
        observe=True,
        options=_FILE,
    ),
    Shipped(
        name="log-session-end",
        description="Log when a session ends, with its duration",
        events=("SessionEnd",),
        observe=True,
        options=_FILE,
    ),
    Shipped(
        name="log-stop",
        description="Log turn completion with token and tool counts",
        events=("Stop",),
        observe=True,
        options=_FILE,
    ),
    Shipped(
        name="log-file-modified",
        description="Log file changes",
        events=("FileModified",),
        paths=("src/**/*", "lib/**/*"),
        observe=True,
        options=_FILE,
    ),
    Shipped(
        name="sound-alert",
        description="Play a sound when a task completes",
        events=("Stop",),
        timeout=30.0,
        background=True,
        observe=True,
    ),
    Shipped(
        name="desktop-notify",
        description="Show a desktop notification when a task completes or the agent needs attention",
        events=("Stop", "Notification"),
        timeout=15.0,
        background=True,
        observe=True,
        options={"title": Option(type=str, help="the title; the project's name when not given")},
    ),
    Shipped(
        name="auto-format",
        description="Format changed files with the project's own formatter",
        events=("FileModified",),
        paths=tuple(f"**/*.{ending}" for ending in _FORMATTED),
        timeout=60.0,
        open=True,
        options={
            "formatters": Option(type=list, help="which formatters to try, in order"),
            "every": Option(type=bool, help="run every formatter that applies, not only the first that works"),
            "timeout": Option(type=int, help=_SECONDS),
        },
    ),
    Shipped(
        name="slack-notify",
        description="Post to Slack when a task completes (SLACK_WEBHOOK_URL)",
        events=("Stop",),
        timeout=30.0,
        background=True,
        observe=True,
        options={"timeout": Option(type=int, help="seconds the post may take")},
    ),
    Shipped(
        name="git-auto-stage",
        description="Stage changed files in git",
        events=("FileModified",),
        paths=("src/**/*", "lib/**/*", "tests/**/*"),
        timeout=30.0,
        priority=-10,  # what is staged is what a formatter has made of it
        options={"skip": Option(type=list, help="more names to skip: globs for files, names ending in / for folders")},
    ),
    Shipped(
        name="security-guard",
        description="Block dangerous commands and the use of protected files",
        events=("PreToolUse",),
        timeout=10.0,
        guard=True,
        pure=True,
        inline=True,
        options={
            "mode": Option(type=str, help="how strict to be", choices=("standard", "strict", "paranoid")),
            "rules": Option(type=dict, help="rules to switch off: { rule = false }"),
        },
    ),
    Shipped(
        name="protect-hooks",
        description="Ask before an agent changes any agent's hook configuration",
        events=("PreToolUse",),
        timeout=10.0,
        guard=True,
        pure=True,
        inline=True,
        options={"paths": Option(type=list, help="more files to protect: globs relative to the project or ~/")},
    ),
    Shipped(
        name="context-inject",
        description="Tell the agent the branch, the changed files and the system when a session starts",
        events=("SessionStart",),
        timeout=10.0,
        options={"files": Option(type=int, help="how many changed files to name")},
    ),
    Shipped(
        name="tests-before-stop",
        description="Run the project's tests before the agent may stop",
        events=("Stop",),
        timeout=600.0,
        open=True,
        options={
            "command": Option(type=str, help=_PROGRAM),
            "timeout": Option(type=int, help="seconds the tests may take"),
            "lines": Option(type=int, help="how many lines of output the agent is shown"),
        },
    ),
    Shipped(
        name="smart-commit",
        description="Lint, test and commit with a message from a model when a task completes",
        events=("Stop",),
        timeout=900.0,
        background=True,
        open=True,
        asks=True,
        options={
            "lint": Option(type=str, help=_PROGRAM),
            "test": Option(type=str, help=_PROGRAM),
            "model": Option(type=str, help="the model to ask, as OMNIHOOK_MODEL names it"),
            "timeout": Option(type=int, help=_SECONDS),
        },
    ),
)
SHIPPED: Mapping[str, Shipped] = {about.name: about for about in _ALL}


def entry(about: Shipped) -> dict[str, Json]:
    """What a native hook entry that only names the built-in says by that."""
    values: dict[str, Json] = {
        "name": about.name,
        "description": about.description,
        "on": [*about.events],
        "paths": [*about.paths] or None,
        "timeout": about.timeout,
        "priority": about.priority or None,
        "async": about.background or None,
        "guard": about.guard or None,
        "observe": about.observe or None,
        "pure": about.pure or None,
    }
    return {key: value for key, value in values.items() if value is not None}


def problems(about: Shipped, options: JsonObject) -> Iterable[tuple[str, str]]:
    """(option, what is wrong with it) for everything in a table of options that cannot be meant."""
    for name, value in options.items():
        known = about.options.get(name)
        if known is None:
            yield name, f"{about.name} has no option {name!r}{suggestion(name, about.options)}"
        elif not _fits(value, known.type):
            yield name, f"option {name!r} must be {_instead(value, known.type)}"
        elif known.choices and value not in known.choices:
            yield name, f"option {name!r} must be one of {', '.join(known.choices)}, not {value!r}"


_WORDS = {str: "a string", bool: "true or false", int: "a number", list: "a list of strings", dict: "a table"}


def _fits(value: Json, wanted: type) -> bool:
    if wanted is int:
        return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
    if wanted is list:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, wanted)


def _instead(value: Json, wanted: type) -> str:
    """What should stand there, and what does."""
    if wanted is int and isinstance(value, int | float) and not isinstance(value, bool):
        return f"0 or more, and not endless, not {value}"
    return f"{_WORDS[wanted]}, not {kind(value)}"
