"""GenCode's settings files: several folders and levels merged, entries in a flat and in a nested shape."""

from collections.abc import Mapping, Sequence

from omnihook.dialect import ConfigText, Diagnostic, Reading, Settings, Written
from omnihook.events import EVENTS
from omnihook.families import nested_writing, patterns
from omnihook.families.entries import BadEntry, command_action, flag, json_document, seconds, text, unknown_type
from omnihook.families.nested import Collector, Entry, NestedShape
from omnihook.families.sensitive import script_in_system_folder
from omnihook.families.writing import Losses, dump_json, in_units
from omnihook.hooks import Action, BlockOn, Command, Hook, Layer, Matcher, Prompt
from omnihook.jsontypes import Json, JsonObject, kind

AGENT = "gencode"
MILLISECOND = 0.001
FOLDERS = (".claude", ".gen", ".mycode")  # in the order in which one level's files are merged
AT_ONCE = 8
KNOWN = frozenset({"type", "command", "prompt", "timeout", "blocking", "statusMessage", "matcher"})
_BOTH = "write true or false"
_SCALARS = ("parallel", "maxConcurrent")


def read(files: Sequence[ConfigText], events: Mapping[str, tuple[str, ...]]) -> Reading:
    """Read every file, lower levels first; lists are joined, and the highest level's scalars stand."""
    collector = Collector(NestedShape(dialect=AGENT, events=events, matcher=_matcher, hook=_hook, flat=True))
    parallel, at_once = True, AT_ONCE
    layers: dict[Layer, None] = {}
    for config in sorted(files, key=_level):
        document = _document(config, collector)
        layers[config.layer] = None
        table = document.get("hooks")
        inside = table if isinstance(table, dict) else {}
        parallel = _parallel(config, collector, document, inside, parallel)
        at_once = _at_once(config, collector, document, inside, at_once)
        if isinstance(table, dict):
            table = {key: value for key, value in table.items() if key not in _SCALARS}
        collector.read(config, table, ("hooks",))
    settings = Settings(sequential=not parallel, max_concurrent=at_once)
    return Reading(
        hooks=tuple(collector.hooks),
        diagnostics=(*collector.diagnostics, *(made for hook in collector.hooks for made in _doubts(hook))),
        settings=dict.fromkeys(layers, settings),
    )


def write(hooks: Sequence[Hook], native: Mapping[str, str]) -> Written:
    """Hooks as GenCode's own settings file, in the nested shape."""
    losses = Losses()
    table = nested_writing.write_table(hooks, native, _written, losses, dialect=AGENT)
    return Written(files={".gen/settings.json": dump_json({"hooks": table})}, lost=losses.found)


def _level(config: ConfigText) -> tuple[int, int]:
    if config.layer is Layer.FLAG:
        return (int(config.layer), 0)  # as they were given
    parts = config.path.split("/")
    return (int(config.layer), next((rank for rank, folder in enumerate(FOLDERS) if folder in parts[-2:]), 0))


def _document(config: ConfigText, collector: Collector) -> JsonObject:
    try:
        return json_document(config)
    except BadEntry as bad:
        collector.report(config, (), bad)
        return {}


def _parallel(config: ConfigText, collector: Collector, top: JsonObject, inside: JsonObject, before: bool) -> bool:
    where, value = _scalar("parallel", top, inside)
    if value is None or isinstance(value, bool):
        return before if value is None else value
    collector.report(config, where, BadEntry(f"'parallel' must be true or false, not {kind(value)}", fix=_BOTH))
    return before


def _at_once(config: ConfigText, collector: Collector, top: JsonObject, inside: JsonObject, before: int) -> int:
    where, value = _scalar("maxConcurrent", top, inside)
    if value is None:
        return before
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    bad = BadEntry("'maxConcurrent' must be a whole number above 0", fix=f"write {AT_ONCE}, say")
    collector.report(config, where, bad)
    return before


def _scalar(key: str, top: JsonObject, inside: JsonObject) -> tuple[tuple[str, ...], Json]:
    """A scalar beside the events, or beside `hooks` itself."""
    return (("hooks", key), inside[key]) if key in inside else ((key,), top.get(key))


def _matcher(pattern: str, event: str) -> Matcher:
    if pattern in ("", "*"):
        return Matcher()
    known = EVENTS.get(event)
    if known is not None and known.subject != "tool_name":
        return Matcher(text=pattern, never=f"{event} has no tool to compare with")
    if patterns.problem(pattern) is not None:
        return patterns.exact(pattern, pattern)  # 4e39308, matcher.ts: compared as it stands
    return patterns.search(pattern, star=False)


def _doubts(hook: Hook) -> tuple[Diagnostic, ...]:
    """What is wrong with a matcher that is kept all the same."""
    matcher, message = hook.matcher, None
    if matcher.never is not None:
        message = f"the matcher {matcher.text!r} never matches: {matcher.never}"
    elif matcher.names is not None:
        message = f"matcher {matcher.text!r} is not a regular expression and is compared as it stands"
    if message is None:
        return ()
    fix = "remove the matcher" if matcher.never is not None else "correct the pattern"
    way = hook.source.pointer
    around = way[:-2] if len(way) > 3 and way[-2] == "hooks" else way
    return (
        Diagnostic(
            message=message,
            path=hook.source.path,
            pointer=(*around, "matcher"),
            fix=fix,
            code="matcher",
            severity="warning",
        ),
    )


def _hook(entry: Entry) -> Hook:
    value = entry.value
    waits = value.get("blocking")
    flag(value, "blocking")
    return Hook(
        name=entry.name,
        events=entry.events,
        native_events=(entry.native_event,),
        action=_action(value),
        matcher=entry.matcher,
        timeout=seconds(value, "timeout", MILLISECOND),
        block_on=BlockOn.NONZERO if waits is True else BlockOn.DIALECT,
        background=waits is False,
        status_message=text(value, "statusMessage"),
        source=entry.source,
        entry={key: item for key, item in value.items() if key != "matcher"},
    )


def _action(value: JsonObject) -> Action:
    match value.get("type"):
        case "command":
            action = command_action(value)
        case "prompt":
            return Prompt(prompt=text(value, "prompt", required=True) or "")
        case sort:
            raise unknown_type(sort, ("command", "prompt"))
    script = script_in_system_folder(action.command) if isinstance(action, Command) else None
    if script is not None:
        raise BadEntry(
            f"the script {script!r} lies in a system folder, from which hooks are not run",
            fix="keep the script in the project or in your home",
            key="command",
            code="sensitive-folder",
        )
    return action


def _written(hook: Hook, losses: Losses) -> dict[str, Json] | None:
    value = nested_writing.base_entry(hook, losses, says=frozenset({"background", "block_on", "status_message"}))
    if value is None:
        return None
    if hook.block_on is BlockOn.NEVER:
        losses.check(hook, "block_on")
    blocking = False if hook.background else True if hook.block_on is BlockOn.NONZERO else None
    parts: dict[str, Json] = {
        "timeout": in_units(hook.timeout, MILLISECOND),
        "blocking": blocking,
        "statusMessage": hook.status_message,
    }
    said = {key: item for key, item in parts.items() if item is not None}
    return {**value, **said, **nested_writing.unknown_keys(hook, KNOWN, dialect=AGENT)}
