"""Built-in hooks in the files of other agents: the command that runs one, at its events."""

from omnihook.dialect import Dialect, effects_of, native_name
from omnihook.editing.adding import Draft, Request, draft
from omnihook.errors import ConfigError
from omnihook.events import EVENTS
from omnihook.hooks import Command, Hook
from omnihook.shipped import Shipped

# What a built-in that is waited for is there to do, by its event.
_PURPOSE = {
    "PreToolUse": ("refuse", "refuse a tool call"),
    "Stop": ("refuse", "keep the agent from stopping"),
    "SessionStart": ("context", "tell the agent anything"),
}


def command_of(about: Shipped, dialect: Dialect) -> Command:
    """The command that runs a built-in for an agent."""
    return Command(command=f"omnihook builtin {about.name} --as {dialect.name}")


def drafted(about: Shipped, dialect: Dialect) -> tuple[Request, Draft]:
    """A built-in as a new hook of another dialect; raises ConfigError where it could not do there what it is for."""
    request = Request(
        on=about.events,
        run=command_of(about, dialect),
        paths=about.paths,
        timeout=about.timeout,
        background=about.background,
    )
    try:
        for event in about.events:
            _refuse(about, dialect, event)
        _refuse_background(about, request, dialect)
        return request, draft(request, dialect)
    except ConfigError as error:
        raise ConfigError(f"{about.name} cannot be enabled here: {error}") from None


def _refuse_background(about: Shipped, request: Request, dialect: Dialect) -> None:
    """Raise ConfigError where an agent waits for every hook: whether that is wanted is for the user to say."""
    lost = dialect.write_config([Hook(name=about.name, events=about.events, action=request.run, background=True)]).lost
    if about.background and lost:
        raise ConfigError(
            f"{dialect.title} waits for every hook, and this one is meant for the background; if that is no matter, "
            f"put '{command_of(about, dialect).command}' at {' and '.join(about.events)}"
        )


def _instead(about: Shipped, dialect: Dialect, event: str) -> str:
    """Where else the command may stand: what a writing tool touched is worked out from its call."""
    after = next((row.native for row in dialect.names if row.event == "PostToolUse"), None)
    if event != "FileModified" or after is None:
        return ""
    return f"; put '{command_of(about, dialect).command}' at {after}, for the tools that write"


def _refuse(about: Shipped, dialect: Dialect, event: str) -> None:
    """Raise ConfigError for an event that is not there, or at which the built-in would be powerless."""
    if all(row.event != event for row in dialect.names):
        raise ConfigError(f"{dialect.title} has no event {event}{_instead(about, dialect, event)}")
    if about.observe or about.background or event not in _PURPOSE:
        return
    happened = EVENTS[event](agent="")
    effect, told = _PURPOSE[event]
    if not getattr(effects_of(dialect, happened), effect):
        place = f"{native_name(dialect, happened)} of {dialect.title}"
        raise ConfigError(f"a hook at {place} cannot {told}")
