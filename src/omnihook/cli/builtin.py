"""`omnihook builtin NAME`: a built-in hook as a command, for the configuration of any agent."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from difflib import get_close_matches
from typing import NoReturn

import click

from omnihook import builtin, deriving, dialects, stopping
from omnihook.cli.answering import REFUSED, answer
from omnihook.cli.builtin_payloads import Told, told
from omnihook.cli.common import event_from, invoke, note
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
from omnihook.shipped import SHIPPED, Shipped
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
    clock = _Clock(about)
    try:
        with clock.running():
            asker = _read(about, told(os.environ, event, dialect))
        return _answer(about, asker, options, clock)
    except (OmnihookError, TimeoutError) as error:
        return _unreadable(about, error)
    except KeyboardInterrupt:
        if not about.guard:
            raise
        note(f"BLOCKED: {about.name} was interrupted before it had decided")
        return REFUSED


def targets(event: Event, about: Shipped) -> tuple[Event, ...]:
    """The events a built-in is meant for: this one, or what follows from it; else this one all the same."""
    wanted = frozenset(about.events)
    if event.name in wanted or wanted.isdisjoint(deriving.targets(event.name)):
        return (event,)
    return deriving.derive(event, wanted)


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


def _answer(about: Shipped, asker: _Asker, options: dict[str, Json], clock: "_Clock") -> int:
    event = asker.event
    try:
        run = builtin.load(about.name, options)
        with clock.running(), _interruptible(about):
            found = [run(item, surroundings(item, about)) or NO_OPINION for item in targets(event, about)]
    except Exception as error:  # noqa: BLE001 - whatever it is, a guard refuses and any other hook only says so
        said = str(error) or type(error).__name__
        return _failed(about, asker, said if said.startswith(about.name) else f"{about.name}: {said}")
    verdict = _settled(about, asker, _joined(found))
    return _reply(asker, _possible(about, asker, verdict), line=verdict.system_message)


def _interruptible(about: Shipped) -> AbstractContextManager[None]:
    """Let a guard's walk through shell text be ended, so that it still can say what it found by then."""
    if not about.guard:
        return nullcontext()
    from omnihook.shell.limiting import signals_allowed  # with a parser, which no other built-in needs

    return signals_allowed()


def _joined(found: list[Verdict]) -> Verdict:
    """One verdict for all files of a call; what is to be shown of each of them is."""
    if not found:
        return NO_OPINION
    lines = dict.fromkeys(verdict.system_message for verdict in found if verdict.system_message)
    return replace(join_verdicts(found[0], found[1:]), system_message="\n".join(lines) or None)


class _Clock:
    """A guard decides before the agent gives up waiting, since most would then go on as if it had agreed.

    The time to read what happened counts: an agent may leave stdin open and write nothing.
    """

    def __init__(self, about: Shipped) -> None:
        self._until = time.monotonic() + GUARD_SECONDS if about.guard else None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Raise TimeoutError in the block once the time is over, or behind it where something in it swallowed that.

        Python drops what is raised inside a finalizer or a callback of its collector.
        """
        if self._until is None:
            yield
            return
        before = signal.signal(signal.SIGALRM, _late)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, self._until - time.monotonic()))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        if time.monotonic() > self._until:
            _late()


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


def _unreadable(about: Shipped, error: OmnihookError | TimeoutError) -> int:
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


def _meant(args: list[str]) -> Shipped | None:
    """The built-in that a command line names, or nearly names."""
    for word in args:
        near = [word] if word in SHIPPED else get_close_matches(word, SHIPPED, n=1)
        if near:
            return SHIPPED[near[0]]
    return None


def run(args: list[str]) -> int:
    """The verb. Whatever is wrong with the command line or with us, a guard refuses and no other hook does."""
    about = _meant(args)
    if about is None:
        return invoke(builtin_command, args, "builtin")
    if not about.guard:
        return invoke(builtin_command, args, "builtin", wrong=1)
    try:
        return invoke(builtin_command, args, "builtin", wrong=REFUSED)
    except Exception as error:  # noqa: BLE001 - a bug of ours must not let anything through
        note(f"BLOCKED: {error or type(error).__name__}")
        return REFUSED
