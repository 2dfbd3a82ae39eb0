"""Hooks that come with omnihook: one module each, one table of them all; a module is imported when asked for.

Each module has `Options`, a frozen record of what it may be told, and `run(event, options, context)`. When a
built-in runs and what its options are called is data in `omnihook.shipped`.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TypeAlias, cast

from omnihook.errors import UsageError, suggestion
from omnihook.events import Event
from omnihook.hooks import BUILTIN, Call, Context, Hook
from omnihook.jsontypes import EMPTY, Json, JsonObject
from omnihook.shipped import SHIPPED, Shipped, problems
from omnihook.verdicts import Verdict

BuiltIn: TypeAlias = Callable[[Event, Context], Verdict | None]

MODULES: Mapping[str, str] = {
    "log-session-start": "logs",
    "log-session-end": "logs",
    "log-stop": "logs",
    "log-file-modified": "logs",
    "sound-alert": "sound_alert",
    "desktop-notify": "desktop_notify",
    "auto-format": "auto_format",
    "slack-notify": "slack_notify",
    "git-auto-stage": "git_auto_stage",
    "security-guard": "security_guard",
    "protect-hooks": "protect_hooks",
    "context-inject": "context_inject",
    "tests-before-stop": "tests_before_stop",
    "smart-commit": "smart_commit",
}


def get(name: str) -> Shipped:
    """What is known of a built-in; raises UsageError, with a suggestion, when there is none of that name."""
    about = SHIPPED.get(name)
    if about is None:
        raise UsageError(f"there is no built-in hook {name!r}{suggestion(name, SHIPPED)}; known: {', '.join(SHIPPED)}")
    return about


def load(name: str, options: JsonObject = EMPTY) -> BuiltIn:
    """The function of a built-in with these options; raises UsageError for options that cannot be meant."""
    about = get(name)
    wrong = [message for _, message in problems(about, options)]
    if wrong:
        raise UsageError("; ".join(wrong))
    module = import_module(f"{__name__}.{MODULES[name]}")
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    settled = module.Options(**given)
    run = cast("Callable[[Event, object, Context], Verdict | None]", module.run)
    return lambda event, context: run(event, settled, context)


def hook(name: str, **options: Json) -> Hook:
    """A built-in as a hook to register: `engine.register(hook("security-guard", mode="strict"))`."""
    about = get(name)
    load(name, options)  # a mistake in the options is the caller's, and is found here
    return Hook(
        name=about.name,
        events=about.events,
        action=Call(target=f"{BUILTIN}{name}", options=options, inline=about.inline),
        paths=about.paths,
        timeout=about.timeout,
        priority=about.priority,
        background=about.background,
        guard=about.guard,
        observe=about.observe,
        pure=about.pure,
        description=about.description,
    )
