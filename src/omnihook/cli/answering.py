"""Answering an agent in its own words; a refusal reaches it even when its output does not."""

import sys

from omnihook.cli import streams
from omnihook.dialect import Reply
from omnihook.showing import shown
from omnihook.verdicts import Decision, Verdict

REFUSED = 2  # the exit code that nearly every agent takes for a refusal, whatever was written


def answer(reply: Reply, verdict: Verdict) -> int:
    """Write a reply and give its exit code; where it cannot be written, a refusal is told by the exit code alone."""
    if reply.stdout and not streams.deliver(reply.stdout + "\n"):
        if verdict.decision >= Decision.ASK or not verdict.continue_:
            reason = verdict.reason or verdict.stop_reason or "refused by a hook"
            sys.stderr.write(shown(f"{reason} (the answer could not be written)", 100_000) + "\n")
            return REFUSED
        return reply.exit_code or 1
    if reply.stderr:
        sys.stderr.write(shown(reply.stderr, 100_000) + "\n")
    return reply.exit_code
