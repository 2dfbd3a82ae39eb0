"""One hooks system for every coding agent.

The public names are imported when they are first used, so that a guest starts fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omnihook.dialect import Dialect, Policy
    from omnihook.engine import Engine
    from omnihook.errors import (
        ConfigError,
        OmnihookError,
        PayloadError,
        TrustError,
        UnknownDialect,
        UnknownEvent,
        UsageError,
    )
    from omnihook.events import Event
    from omnihook.gates import Passage, gate
    from omnihook.hooks import Context, Hook
    from omnihook.outcomes import Outcome, Report
    from omnihook.plans import Plan
    from omnihook.verdicts import Decision, Verdict

__version__ = "0.1.0"

__all__ = [
    "ConfigError",
    "Context",
    "Decision",
    "Dialect",
    "Engine",
    "Event",
    "Hook",
    "OmnihookError",
    "Outcome",
    "Passage",
    "PayloadError",
    "Plan",
    "Policy",
    "Report",
    "TrustError",
    "UnknownDialect",
    "UnknownEvent",
    "UsageError",
    "Verdict",
    "gate",
]

_HOMES = {
    "dialect": ("Dialect", "Policy"),
    "engine": ("Engine",),
    "events": ("Event",),
    "gates": ("Passage", "gate"),
    "hooks": ("Context", "Hook"),
    "outcomes": ("Outcome", "Report"),
    "plans": ("Plan",),
    "verdicts": ("Decision", "Verdict"),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'omnihook' has no attribute {name!r}")
    home = next((module for module, names in _HOMES.items() if name in names), "errors")
    return getattr(import_module(f"omnihook.{home}"), name)
