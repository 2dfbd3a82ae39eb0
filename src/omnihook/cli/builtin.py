"""`omnihook builtin NAME`: a built-in hook as a command, for the configuration of any agent."""

import os
import signal
import sys

import click

from omnihook import builtin, dialects, stopping
from omnihook.cli.builtin_payloads import Told, told
from omnihook.cli.common import event_from, invoke, note
from omnihook.deriving import derive
from omnihook.dialect import Dialect, Failure, Raw, effects_of
from omnihook.errors import OmnihookError, UsageError
from omnihook.events import Event
from omnihook.folders import find
from omnihook.hooks import Call, Hook
from omnihook.isolated import surroundings
from omnihook.jsontypes import Json, JsonError, loads
from omnihook.lowering import lower
from omnihook.merging import join_verdicts
from omnihook.sessions import FileSessions
from omnihook.shipped import Shipped
from omnihook.showing import one_line
from omnihook.verdicts import NO_OPINION, Verdict

_AS_HOOK = Hook(name="builtin", events=(), action=Call(target="builtin:"))


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
    options = dict(_setting(item) for item in settings)
    try:
        host, happened = _read(about, told(os.environ, event, dialect))
    except OmnihookError as error:
        return _unreadable(about, error)
    return _answer(about, host, happened, options)


def targets(event: Event, about: Shipped) -> tuple[Event, ...]:
    """The events a built-in is meant for: this one, or what follows from it; else this one all the same."""
    if event.name in about.events:
        return (event,)
    return derive(event, frozenset(about.events)) or (event,)


def _read(about: Shipped, made: Told) -> tuple[Dialect, Event]:
    """The event and whose it is; a guard must know it, any other built-in may be put at events of tomorrow."""
    host = dialects.get(made.dialect)
    return host, event_from(host, made.event, made.payload, () if about.guard else (made.event,))


def _answer(about: Shipped, host: Dialect, event: Event, options: dict[str, Json]) -> int:
    try:
        run = builtin.load(about.name, options)
        first, *others = [run(item, surroundings(item, about)) or NO_OPINION for item in targets(event, about)]
    except Exception as error:  # noqa: BLE001 - whatever it is, a guard refuses and any other hook only says so
        return _failed(about, host, event, f"{about.name}: {error or type(error).__name__}")
    verdict = join_verdicts(first, others)
    return _reply(host, event, _settled(event, host, verdict), line=verdict.system_message)


def _settled(event: Event, host: Dialect, verdict: Verdict) -> Verdict:
    """What the agent can do with the verdict; it is not kept from stopping more often than its own limit."""
    folders = find(os.environ, cwd=event.cwd)
    sessions = FileSessions(os.path.join(folders.state, "sessions"))
    verdict, notice = stopping.after(event, verdict, sessions, host.policy.stop_limit)
    if notice is not None:
        note(f"omnihook: {notice}")
    lowered = lower(verdict, effects_of(host, event), f"{event.name} in {host.name}")
    return lowered.verdict


def _reply(host: Dialect, event: Event, verdict: Verdict, *, line: str | None = None) -> int:
    """Answer in the agent's words; `line` is for the user where the words have no place for it."""
    reply = host.encode_reply(event, verdict)
    if reply.stdout:
        sys.stdout.write(reply.stdout + "\n")
    elif line and not reply.exit_code:
        _say(host, event, line)
    if reply.stderr:
        sys.stderr.write(reply.stderr + "\n")
    sys.stdout.flush()
    return reply.exit_code


def _say(host: Dialect, event: Event, line: str) -> None:
    """A line on stdout if that means nothing to the agent, else on stderr."""
    read = host.decode_reply(_AS_HOOK, event, Raw(exit_code=0, stdout=line + "\n"))
    (sys.stdout if read == NO_OPINION else sys.stderr).write(line + "\n")


def _failed(about: Shipped, host: Dialect, event: Event, message: str) -> int:
    """A guard that fails refuses; any other built-in says so and lets the agent go on."""
    if about.guard:
        return _reply(host, event, _settled(event, host, Verdict.block(f"BLOCKED: {one_line(message)}")))
    note(f"omnihook: {message}")
    read = host.decode_reply(_AS_HOOK, event, Raw(exit_code=1, stderr=message))
    return 1 if isinstance(read, Failure) else 0


def _unreadable(about: Shipped, error: OmnihookError) -> int:
    """Without an event there is no dialect to answer in; exit 2 with a reason is what nearly all understand."""
    note(f"BLOCKED: {about.name} cannot read what happened: {error}" if about.guard else f"omnihook: {error}")
    return 2 if about.guard else 1


def _setting(item: str) -> tuple[str, Json]:
    name, equals, value = item.partition("=")
    if not equals:
        raise UsageError(f"--set {item!r} is not OPTION=VALUE")
    try:
        return name, loads(value)
    except JsonError:
        return name, value


def _end_children_too() -> None:
    """An agent that ends us means what we started as well: the runner ends it when it is interrupted."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(builtin_command, args, "builtin")
