"""`omnihook builtin NAME`: a built-in hook as a command, for the configuration of any agent."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NoReturn

import click

from omnihook import builtin, dialects, stopping
from omnihook.cli.answering import REFUSED, answer
from omnihook.cli.builtin_payloads import Told, told
from omnihook.cli.common import event_from, invoke, note
from omnihook.deriving import derive
from omnihook.dialect import Dialect, Failure, Raw, Reply, effects_of
from omnihook.errors import OmnihookError, UsageError
from omnihook.events import Event, Stop, SubagentStop
from omnihook.folders import find
from omnihook.hooks import BUILTIN, Call, Hook
from omnihook.isolated import surroundings
from omnihook.jsontypes import Json, JsonError, loads
from omnihook.lowering import lower
from omnihook.merging import join_verdicts
from omnihook.sessions import FileSessions
from omnihook.shipped import Shipped
from omnihook.showing import one_line
from omnihook.slotted import dataclass
from omnihook.verdicts import NO_OPINION, Verdict

GUARD_SECONDS = 4.0  # the least that an agent is known to wait is five
_AS_HOOK = Hook(name="builtin", events=(), action=Call(target=BUILTIN))


@click.command("builtin")
@click.argument("name")
@click.argument("event", required=False)
@click.option(
    "--as", "dialect", default=None, metavar="DIALECT", help="Whose payload and reply; found out if not given."
)
@click.option("--set", "settings", multiple=True, metavar="OPTION=VALUE", help="An option of the built-in.")
def builtin_command(name: str, event: str | None, dialect: str | None, settings: tuple[str, ...]) -> int:
    """Run the built-in hook NAME for the payload on stdin and answer as a hook of that agent does."""
    about = builtin.get(name)
    _end_children_too()
    options = dict(_setting(item, about) for item in settings)
    try:
        asker = _read(about, told(os.environ, event, dialect))
        return _answer(about, asker, options)
    except OmnihookError as error:
        return _unreadable(about, error)
    except KeyboardInterrupt:
        if not about.guard:
            raise
        note(f"BLOCKED: {about.name} was interrupted before it had decided")
        return REFUSED


def targets(event: Event, about: Shipped) -> tuple[Event, ...]:
    """The events a built-in is meant for: this one, or what follows from it; else this one all the same."""
    if event.name in about.events:
        return (event,)
    return derive(event, frozenset(about.events)) or (event,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asker:
    """The event, the dialect to answer in, and whether that is known or guessed."""

    event: Event
    host: Dialect
    sure: bool

    def reads(self, raw: Raw) -> Verdict | Failure:
        """What the agent would make of an answer."""
        return self.host.decode_reply(_AS_HOOK, self.event, raw)


def _read(about: Shipped, made: Told) -> _Asker:
    """The event and whose it is; a guard must know it, any other built-in may be put at events of tomorrow."""
    host = dialects.get(made.dialect)
    event = event_from(host, made.event, made.payload, () if about.guard else (made.event,))
    return _Asker(event=event, host=host, sure=made.sure)


def _answer(about: Shipped, asker: _Asker, options: dict[str, Json]) -> int:
    event = asker.event
    try:
        run = builtin.load(about.name, options)
        with _in_time(about):
            first, *others = [run(item, surroundings(item, about)) or NO_OPINION for item in targets(event, about)]
    except Exception as error:  # noqa: BLE001 - whatever it is, a guard refuses and any other hook only says so
        return _failed(about, asker, f"{about.name}: {error or type(error).__name__}")
    verdict = _settled(about, asker, join_verdicts(first, others))
    return _reply(asker, _possible(about, asker, verdict), line=verdict.system_message)


@contextmanager
def _in_time(about: Shipped) -> Iterator[None]:
    """A guard decides before the agent gives up waiting: most would then go on as if it had agreed."""
    if not about.guard:
        yield
        return
    before = signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, GUARD_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _late(*_: object) -> NoReturn:
    raise TimeoutError(f"it could not decide within {GUARD_SECONDS:g} s")


def _settled(about: Shipped, asker: _Asker, verdict: Verdict) -> Verdict:
    """The verdict, unless it would keep the agent from stopping more often than the agent's own limit.

    It is counted for this built-in alone: others at the same event have a say of their own.
    """
    event = asker.event
    if not isinstance(event, Stop | SubagentStop):
        return verdict
    sessions = FileSessions(os.path.join(find(os.environ, cwd=event.cwd).state, "sessions", about.name))
    if event.stop_hook_active is False:
        stopping.after(event, NO_OPINION, sessions, 0)  # it is the first time in this turn
    verdict, notice = stopping.after(event, verdict, sessions, asker.host.policy.stop_limit, seen=False)
    # Some agents go on when they are told something now, which only a built-in that blocks may want.
    told = [text for text in (notice, verdict.system_message, verdict.additional_context) if text]
    return replace(verdict, system_message="\n".join(told) or None, additional_context=None)


def _possible(about: Shipped, asker: _Asker, verdict: Verdict) -> Verdict:
    """What the agent can do with the verdict."""
    where = f"{asker.event.name} in {asker.host.name}"
    lowered = lower(verdict, effects_of(asker.host, asker.event), where)
    if lowered.context is not None:
        note(f"omnihook: {about.name}: {where} has no place for what the agent should be told")
    return lowered.verdict


def _reply(asker: _Asker, verdict: Verdict, *, line: str | None = None) -> int:
    """Answer in the agent's words; `line` is for the user where the words have no place for it."""
    reply = asker.host.encode_reply(asker.event, verdict)
    if verdict.refused and not asker.sure:
        reply = _plain_refusal(asker, verdict.reason or "refused by a hook") or reply
    if line and not reply.stdout and not reply.exit_code:
        # On stdout only if that means nothing to the agent.
        silent = asker.reads(Raw(exit_code=0, stdout=line + "\n")) == NO_OPINION
        (sys.stdout if silent else sys.stderr).write(line + "\n")
    return answer(reply, verdict)


def _plain_refusal(asker: _Asker, reason: str) -> Reply | None:
    """A refusal that nearly every agent understands, where the guessed one does, too."""
    read = asker.reads(Raw(exit_code=2, stderr=reason))
    return Reply(stderr=reason, exit_code=2) if isinstance(read, Verdict) and read.refused else None


def _failed(about: Shipped, asker: _Asker, message: str) -> int:
    """A guard that fails refuses; any other built-in says so and lets the agent go on."""
    if about.guard:
        verdict = _settled(about, asker, Verdict.block(f"BLOCKED: {one_line(message)}"))
        return _reply(asker, _possible(about, asker, verdict), line=verdict.system_message)
    note(f"omnihook: {message}")
    return 1 if isinstance(asker.reads(Raw(exit_code=1, stderr=message)), Failure) else 0


def _unreadable(about: Shipped, error: OmnihookError) -> int:
    """Without an event there is no dialect to answer in; exit 2 with a reason is what nearly all understand."""
    note(f"BLOCKED: {about.name} cannot read what happened: {error}" if about.guard else f"omnihook: {error}")
    return 2 if about.guard else 1


def _setting(item: str, about: Shipped) -> tuple[str, Json]:
    """An option and its value: read as JSON where it is some, unless a text is wanted and no text came of it."""
    name, equals, value = item.partition("=")
    if not equals:
        raise UsageError(f"--set {item!r} is not OPTION=VALUE")
    try:
        read = loads(value)
    except JsonError:
        return name, value
    known = about.options.get(name)
    return name, value if known is not None and known.type is str and not isinstance(read, str) else read


def _end_children_too() -> None:
    """An agent that ends us means what we started as well: the runner ends it when it is interrupted."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(builtin_command, args, "builtin")
