"""Decision, weakest to strongest, and Verdict: what a hook, or all of them together, said."""

from collections.abc import Mapping
from dataclasses import field, replace
from enum import IntEnum

from omnihook.jsontypes import EMPTY, Json, JsonObject
from omnihook.slotted import dataclass


class Decision(IntEnum):
    """What a verdict asks for; a larger member is stronger and wins a merge."""

    NONE = 0
    ALLOW = 1
    APPROVE = 2
    ASK = 3
    DEFER = 4
    DENY = 5
    BLOCK = 6

    @property
    def word(self) -> str | None:
        """The lower-case word used in JSON; None for no opinion."""
        return None if self is Decision.NONE else self.name.lower()

    @property
    def refuses(self) -> bool:
        """Whether the action must not go on."""
        return self >= Decision.DENY


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of asking one hook or all of them.

    `updated_input` is a patch over the tool's input while `partial`, else the whole new input.
    `extra` holds replies only some agents understand (a session title, paths to watch ...).
    """

    decision: Decision = Decision.NONE
    reason: str | None = None
    continue_: bool = True
    stop_reason: str | None = None
    updated_input: JsonObject | None = None
    partial: bool = True
    updated_output: Json = None
    additional_context: str | None = None
    system_message: str | None = None
    suppress_output: bool = False
    suppress_logging: bool = False
    ordinary: bool = False  # an ask that is the host's ordinary prompt: it withdraws approvals, no more
    extra: JsonObject = field(default=EMPTY)

    @classmethod
    def allow(cls, reason: str | None = None) -> "Verdict":
        """No objection; the host asks its user as it always would."""
        return cls(decision=Decision.ALLOW, reason=reason)

    @classmethod
    def approve(cls, reason: str | None = None) -> "Verdict":
        """Go on without asking the user."""
        return cls(decision=Decision.APPROVE, reason=reason)

    @classmethod
    def ask(cls, reason: str | None = None) -> "Verdict":
        """Let the user decide."""
        return cls(decision=Decision.ASK, reason=reason)

    @classmethod
    def deny(cls, reason: str | None = None) -> "Verdict":
        """Refuse, and tell the agent why."""
        return cls(decision=Decision.DENY, reason=reason)

    @classmethod
    def block(cls, reason: str | None = None) -> "Verdict":
        """Refuse, tell the agent, and show the user."""
        return cls(decision=Decision.BLOCK, reason=reason)

    @classmethod
    def context(cls, text: str) -> "Verdict":
        """Give the agent something more to know."""
        return cls(additional_context=text)

    @classmethod
    def rewrite(cls, **changes: Json) -> "Verdict":
        """Change some arguments of the tool call, leaving the others."""
        return cls(updated_input=changes)

    def with_message(self, text: str) -> "Verdict":
        """The same, and something to show the user."""
        return replace(self, system_message=text)

    def with_context(self, text: str) -> "Verdict":
        """The same, and something more for the agent to know."""
        return replace(self, additional_context=text)

    def with_input(self, changes: JsonObject, *, whole: bool = False) -> "Verdict":
        """The same, and a changed tool input: some keys, or the whole."""
        return replace(self, updated_input=changes, partial=not whole)

    def quietly(self) -> "Verdict":
        """The same, and nothing of it on the screen; the journal keeps it."""
        return replace(self, suppress_logging=True)

    @property
    def refused(self) -> bool:
        """Whether the action must not go on."""
        return self.decision >= Decision.DENY


NO_OPINION = Verdict()
WORDS: Mapping[str, Decision] = {d.name.lower(): d for d in Decision if d is not Decision.NONE}
