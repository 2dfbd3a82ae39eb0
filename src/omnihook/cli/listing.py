"""`omnihook list`: hooks grouped by event with numbers that restart per event, or as a table."""

import click

from omnihook.cli.builtin_listing import list_builtins
from omnihook.cli.common import invoke, note, print_json, say
from omnihook.cli.engines import engine_for, source_options
from omnihook.editing.asides import Aside, asides
from omnihook.editing.choosing import grouped
from omnihook.engine import Engine
from omnihook.errors import ConfigError
from omnihook.hooks import Hook, summary
from omnihook.jsontypes import Json
from omnihook.plans import Skipped
from omnihook.showing import one_line
from omnihook.views import hook_json

RULE = "─" * 50


@click.command("list")
@source_options
@click.option("--table", is_flag=True, help="Print a table of events and actions.")
@click.option("--builtin", is_flag=True, help="List the hooks that come with omnihook instead.")
def list_hooks(
    dialect: str | None,
    config: tuple[str, ...],
    read: tuple[str, ...],
    trust_project: bool,
    as_json: bool,
    table: bool,
    builtin: bool,
) -> int:
    """List the hooks that are configured, in the order they run within each event."""
    engine = engine_for(dialect, config, read, trust_project=trust_project)
    if builtin:
        list_builtins(engine, as_json=as_json)
        return 0
    if as_json:
        print_json([*(_with_state(hook, engine) for hook in engine.hooks), *map(_aside_json, _asides(engine))])
        return 0
    for item in engine.diagnostics:
        note(f"omnihook: {item}")
    if table:
        _table(engine.hooks)
    else:
        _display(engine)
    return 0


def _with_state(hook: Hook, engine: Engine) -> dict[str, Json]:
    held = next((item for item in engine.configuration.planner.held.values() if item.hook is hook), None)
    numbers = {
        event: held_hooks.index(hook) + 1 for event, held_hooks in grouped(engine.hooks).items() if hook in held_hooks
    }
    state: dict[str, Json] = {"held": None if held is None else held.why, "numbers": {**numbers}, "kept": None}
    return {**hook_json(hook, engine.configuration.source_of), **state}


def _aside_json(aside: Aside) -> dict[str, Json]:
    state: dict[str, Json] = {"name": aside.name, "held": "disabled", "numbers": {}, "kept": aside.kept.id}
    return {**hook_json(aside.hook, lambda hook: str(hook.source)), **state}


def _display(engine: Engine) -> None:
    mode = engine.configuration.switched_on
    held = {id(item.hook): _why(item, mode=mode) for item in engine.configuration.planner.held.values()}
    say("Hooks")
    say(RULE)
    say(f"Mode: {'enabled' if mode else 'disabled'}")
    groups, kept = grouped(engine.hooks), _asides(engine)
    for event in dict.fromkeys([*groups, *(aside.event for aside in kept)]):
        hooks = groups.get(event, [])
        aside = [item for item in kept if item.event == event]
        say()
        say(f"{one_line(event)} ({sum(hook.enabled for hook in hooks)}/{len(hooks) + len(aside)} enabled)")
        for number, hook in enumerate(hooks, 1):
            say(f"  {number}. {_line(hook, held.get(id(hook)))}")
        for item in aside:
            say(f"  - {_line(item.hook, None)} (omnihook enable {one_line(item.name)})")
    say()
    say(RULE)
    total, on = len(engine.hooks) + len(kept), sum(hook.enabled for hook in engine.hooks)
    say(f"Total: {total} hooks ({on} enabled, {total - on} disabled)")


def _asides(engine: Engine) -> tuple[Aside, ...]:
    """Disabled hooks of these files that are not in them."""
    try:
        return asides(engine.folders, engine.configuration.watched)
    except ConfigError as error:
        note(f"omnihook: {error}")
        return ()


def _line(hook: Hook, held: str | None) -> str:
    state = "enabled" if hook.enabled else "disabled"
    about = f" - {one_line(hook.description)}" if hook.description else ""
    extra = "" if held is None else f" [{held}]"
    return f"[{state}] {one_line(summary(hook))}{about}{extra}"


def _why(item: Skipped, *, mode: bool) -> str | None:
    """What a line adds about a hook that does not run, where its state and the mode above do not say it."""
    if item.why != "disabled":
        return item.why
    return "its file is off" if item.hook.enabled and mode else None


def _table(hooks: tuple[Hook, ...]) -> None:
    rows = [
        (one_line(event, 60), _action(hook)) for event, held in grouped(hooks).items() for hook in held if hook.enabled
    ]
    left = max([18, *(len(event) for event, _ in rows)])
    right = max([35, *(len(action) for _, action in rows)])
    say("Active Hooks:")
    say(f"┌{'─' * (left + 2)}┬{'─' * (right + 2)}┐")
    say(f"│ {'Event':<{left}} │ {'Action':<{right}} │")
    say(f"├{'─' * (left + 2)}┼{'─' * (right + 2)}┤")
    for event, action in rows:
        say(f"│ {event:<{left}} │ {action:<{right}} │")
    say(f"└{'─' * (left + 2)}┴{'─' * (right + 2)}┘")


def _action(hook: Hook) -> str:
    matcher = f" ({one_line(hook.matcher.text, 60)})" if hook.matcher.text and not hook.matcher.everything else ""
    return one_line(summary(hook), 60) + matcher


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(list_hooks, args, "list")
