"""One hooks system for every coding agent."""

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
