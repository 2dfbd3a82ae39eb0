"""What weakens protection, and where that may be done: at a terminal, by a person, never from an agent's session."""

import os
import sys
from collections.abc import Mapping

from omnihook import dialects
from omnihook.errors import TrustError
from omnihook.hooks import Call, Hook, Layer
from omnihook.runners.environment import DEPTH
from omnihook.shipped import SHIPPED


def refuse_in_session(what: str, environ: Mapping[str, str] = os.environ) -> None:
    """Raise TrustError inside an agent's session or one of its hooks; `what` says what is not done there."""
    marks = [DEPTH, *(mark for name in dialects.names() for mark in dialects.get(name).marks)]
    inside = next((name for name in marks if environ.get(name)), None)
    if inside is not None:
        raise TrustError(f"{what} from inside an agent's session ({inside} is set); use a terminal")


def at_terminal() -> bool:
    """Whether a person can read what we say and answer it."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def require_person(what: str, environ: Mapping[str, str] = os.environ) -> None:
    """Raise TrustError unless a person at a terminal asks for something that weakens protection."""
    refuse_in_session(what, environ)
    if not at_terminal():
        raise TrustError(f"{what} without a terminal; do it yourself, in one")


def guards(hook: Hook) -> bool:
    """Whether something is less protected without a hook: a guard, or what a managed file says."""
    about = SHIPPED.get(hook.action.builtin or "") if isinstance(hook.action, Call) else None
    own = about is not None and about.guard  # whatever its entry says
    return hook.guard or own or hook.source.layer is Layer.MANAGED
