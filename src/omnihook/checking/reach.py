"""Hooks that can never run, or that can never do what they are there for."""

import re
from collections.abc import Iterable, Mapping

from omnihook.checking.findings import finding
from omnihook.checking.globs import globs
from omnihook.checking.matchers import TOOL_EVENTS, hits, listed
from omnihook.checking.names import groups, misspelt
from omnihook.dialect import Diagnostic, Dialect, Settings
from omnihook.events import EVENTS
from omnihook.hooks import Hook, Http, Layer, Prompt
from omnihook.matching.rules import Rule, parse, wildcard
from omnihook.tools import TOOLS, native_aliases

PATH_EVENTS = TOOL_EVENTS | {"FileModified", "FileChanged", "InstructionsLoaded", "ConfigChange"}


def reach(hook: Hook, dialect: Dialect, settings: Mapping[Layer, Settings]) -> Iterable[Diagnostic]:
    """What keeps a hook from running, or from deciding."""
    events = set(hook.events) & {row.event for row in dialect.names}
    yield from _filters(hook, events)
    yield from globs(hook, *_key(hook, "paths"))
    misspelt_names = list(_spelling(hook, dialect))
    yield from misspelt_names
    if events and events <= TOOL_EVENTS and not misspelt_names:
        yield from _together(hook, dialect)
        yield from _pathless(hook, dialect)
    if isinstance(hook.action, Http) and events and events <= dialect.policy.no_http:
        yield finding(hook, f"http hooks do not run on {', '.join(sorted(events))}", "use a command", "never")
    yield from _guarding(hook, dialect)
    configured = any(found.model for found in settings.values())
    if isinstance(hook.action, Prompt) and not configured and hook.action.model is None:
        told = "no model is configured for this prompt"
        yield finding(hook, told, "name a model in the hook or in the settings", "model", severity="warning")


def _filters(hook: Hook, events: set[str]) -> Iterable[Diagnostic]:
    """Filters on what the events do not have."""
    if hook.rule is not None:
        if events and not events & TOOL_EVENTS:
            told = "an 'if' rule only holds for tools, so this hook never runs"
            yield finding(hook, told, "remove it", "never", "if")
        elif parse(hook.rule) is None:
            yield finding(hook, f"{hook.rule!r} is not a rule", "write Tool or Tool(pattern)", "never", "if")
    if hook.paths and events and not events & PATH_EVENTS:
        told = "the event has no path, so this hook never runs"
        yield finding(hook, told, "remove 'paths'", "never", *_key(hook, "paths"))
    if hook.tools and events and not events & (TOOL_EVENTS | {"FileModified"}):
        told = "the event has no tool, so this hook never runs"
        yield finding(hook, told, "remove 'tools'", "never", *_key(hook, "tools"))


def _key(hook: Hook, key: str) -> tuple[str, ...]:
    """Where a filter stands in the entry: under its name, or in an object of filters under its singular."""
    nested = isinstance(hook.entry, dict) and key not in hook.entry and isinstance(hook.entry.get("filter"), dict)
    return ("filter", key.removesuffix("s")) if nested else (key,)


def _spelling(hook: Hook, dialect: Dialect) -> Iterable[Diagnostic]:
    for name in hook.tools:
        near = misspelt(name, dialect)
        if near is not None:
            told = f"there is no tool {name!r}, did you mean {near!r}?"
            yield finding(hook, told, f"write {near!r}", "matcher", *_key(hook, "tools"))
    rule = _rule(hook)
    near = None if rule is None or "*" in rule.tool else misspelt(rule.tool, dialect)
    if rule is not None and near is not None:
        told = f"there is no tool {rule.tool!r}, did you mean {near!r}?"
        yield finding(hook, told, f"write {near!r}", "matcher", "if")


def _together(hook: Hook, dialect: Dialect) -> Iterable[Diagnostic]:
    """A matcher, tools and a rule that no tool satisfies all at once, though some satisfies each."""
    rule = _rule(hook)
    if hook.matcher.everything or hook.matcher.never is not None or (not hook.tools and rule is None):
        return
    others = {*hook.tools, *(listed(hook.matcher) or ()), *(() if rule is None else (rule.tool,))}
    tools = [*groups(dialect), *((name,) for name in others)]
    if not any(_fits(names, hook, rule) for names in tools):
        key = "tools" if hook.tools else "if"
        words = f"tools {', '.join(hook.tools)}" if hook.tools else f"'if' rule {hook.rule!r}"
        told = f"its matcher {hook.matcher.text!r} and its {words} name different tools, so it never runs"
        yield finding(hook, told, "name the same tool in both", "never", *_key(hook, key))


def _pathless(hook: Hook, dialect: Dialect) -> Iterable[Diagnostic]:
    """Path globs for tools that are not told a path: what a shell command does to files nobody knows beforehand."""
    named = set(hook.tools or listed(hook.matcher) or ())
    tools = {alias: tool for tool in TOOLS for alias in native_aliases(dialect.vocabulary, tool)}
    known = [TOOLS[tools[name]] for name in named if name in tools]
    if hook.paths and named and len(known) == len(named) and not any(tool.paths or tool.patch for tool in known):
        told = f"{', '.join(sorted(named))} is given no path, so with 'paths' this hook never runs"
        yield finding(hook, told, "remove 'paths', or use an 'if' rule", "never", *_key(hook, "paths"))


def _fits(names: tuple[str, ...], hook: Hook, rule: Rule | None) -> bool:
    if hook.tools and set(names).isdisjoint(hook.tools):
        return False
    if rule is not None and not any(re.fullmatch(wildcard(rule.tool), name) for name in names):
        return False
    return hits(hook.matcher, names)


def _rule(hook: Hook) -> Rule | None:
    return None if hook.rule is None else parse(hook.rule)


def _guarding(hook: Hook, dialect: Dialect) -> Iterable[Diagnostic]:
    if not hook.guard:
        return
    if hook.background:
        told = "an async hook cannot decide, so it guards nothing"
        yield finding(hook, told, "remove 'async'", "never", "async")
    if hook.shadow:
        told = "a hook in shadow mode changes nothing, so it guards nothing"
        yield finding(hook, told, "remove 'mode' or 'guard'", "never", "mode")
    known = [event for event in hook.events if event in EVENTS]
    powerless = [event for event in known if not dialect.effects.get(event, dialect.other_effects).refuse]
    if powerless and len(powerless) == len(known):
        told = f"nothing can be refused at {', '.join(powerless)}, so it guards nothing"
        yield finding(hook, told, "guard an event before the action, PreToolUse say", "never", "guard")
