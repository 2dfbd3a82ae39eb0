"""`omnihook trust`: show the hooks of this project and pin their definitions and files."""

import time
from collections.abc import Iterator

import click

from omnihook.cli.common import invoke, note, present_directory, print_json, say
from omnihook.cli.engines import engine_for
from omnihook.engine import Engine
from omnihook.errors import TrustError
from omnihook.holding import needs_trust
from omnihook.hooks import Command, Hook, Http, Prompt, summary
from omnihook.jsontypes import Json
from omnihook.protection import at_terminal, refuse_in_session
from omnihook.showing import counted, one_line, shown
from omnihook.trust import TrustStore

WHOLE = 5_000_000  # characters; more than a file we read can hold


@click.command()
@click.option("--as", "dialect", default=None, metavar="DIALECT", help="Whose files: a dialect.")
@click.option("--read", multiple=True, metavar="DIALECT", help="Also the hooks in this agent's own files.")
@click.option("--yes", is_flag=True, help="Do not ask; still needs a terminal or --trust-project.")
@click.option("--trust-project", is_flag=True, help="Approve without a terminal, for scripts that know the project.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def trust(dialect: str | None, read: tuple[str, ...], yes: bool, trust_project: bool, as_json: bool) -> int:
    """Approve the hooks of this project as they are now."""
    present_directory()
    engine = engine_for(dialect, (), read, trust_project=False)
    hooks = [hook for hook in engine.hooks if needs_trust(hook, engine.folders)]
    store = TrustStore(engine.folders.state)
    shown_seals = [store.standing(hook, engine.folders.project).seal for hook in hooks]
    if store.notice:
        note(f"omnihook: {store.notice}")
    if not as_json:
        describe(hooks, engine, store)
    if not hooks:
        if as_json:
            print_json({"approved": []})
        else:
            say("This project has no hooks to approve.")
        return 0
    refuse_in_session("hooks are not approved")
    if not trust_project and not at_terminal():
        raise TrustError("approving hooks needs a terminal; in a script that knows the project use --trust-project")
    if not (yes or trust_project) and not click.confirm("Approve these hooks?", default=False):
        say("Nothing was approved.")
        return 1
    store.approve(hooks, engine.folders.project, when=time.time(), seals=shown_seals)
    names: list[Json] = [hook.name for hook in hooks]
    if as_json:
        print_json({"approved": names, "project": engine.folders.project})
    else:
        say(f"Approved {counted(len(hooks), 'hook')} of {engine.folders.project}.")
    return 0


def describe(hooks: list[Hook], engine: Engine, store: TrustStore) -> None:
    """Each hook with its standing, what is pinned, and what changed."""
    for hook in hooks:
        standing = store.standing(hook, engine.folders.project)
        say(f"{one_line(hook.name)}  [{standing.state}]  {one_line(engine.configuration.source_of(hook))}")
        # Whole, however long: what is not shown cannot be approved.
        say(f"  on {one_line(', '.join(hook.native_events or hook.events))}: {one_line(summary(hook), WHOLE)}")
        for label, text in details(hook):
            say(f"  {label} {one_line(text, WHOLE)}")
        pinning = standing.pinning
        if pinning.open:
            say(f"  open: {one_line(pinning.why)}")
        for path in pinning.files:
            say(f"  pinned: {one_line(path)}")
        if standing.state == "modified":
            say(shown(store.difference(hook, engine.folders.project), WHOLE))


def details(hook: Hook) -> Iterator[tuple[str, str]]:
    """Whatever else decides when and how a hook runs, and what it takes with it."""
    if hook.matcher.text:
        yield "match", hook.matcher.text
    for label, words in (("tools", hook.tools), ("paths", hook.paths)):
        if words:
            yield label, ", ".join(words)
    if hook.rule is not None:
        yield "if", hook.rule
    if hook.cwd is not None:
        yield "in", hook.cwd
    if hook.background:
        yield "in", "the background"
    match hook.action:
        case Command(interpreter=str(shell)):
            yield "shell", shell
        case Http(headers=headers, allowed_env=names):
            yield from (("header", f"{name}: {value}") for name, value in headers.items())
            yield from (("may send", f"${name}") for name in names)
        case Prompt(model=str(model)):
            yield "model", model
    yield from (("with", f"{name}={value}") for name, value in hook.env.items())


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(trust, args, "trust")
