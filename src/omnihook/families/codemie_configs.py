"""CodeMie's configuration: profiles, of which the active one holds hooks in the nested shape, and a model to ask."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from omnihook.dialect import ConfigText, Diagnostic, Reading, Settings, Written
from omnihook.errors import suggestion
from omnihook.families import nested_writing, patterns
from omnihook.families.entries import BadEntry, command_or_prompt, json_document, seconds
from omnihook.families.nested import Collector, NestedShape
from omnihook.families.writing import Losses, dump_json
from omnihook.hooks import EVERYTHING, Hook, Layer, Matcher
from omnihook.jsontypes import Json, JsonObject, kind, take

UNIT = 0.001  # seconds in a millisecond
PATH = ".codemie/codemie-cli.config.json"
VERSION = 2
RETRIES = 5
OWNER = "profile:"
_MARKS = re.compile(r"[|\[\]{}().^$+*?\\]")


def read(files: Sequence[ConfigText], shape: NestedShape) -> Reading:
    """The hooks of each file's active profile."""
    collector = Collector(shape)
    settings: dict[Layer, Settings] = {}
    for config in files:
        found = _read_file(config, collector)
        if found is not None:
            settings[config.layer] = found
    warnings = [made for hook in collector.hooks for made in _doubts(hook)]
    return Reading(hooks=tuple(collector.hooks), diagnostics=(*collector.diagnostics, *warnings), settings=settings)


def matcher(pattern: str) -> Matcher:
    """Everything for `*`; a pattern with any regular-expression mark must match the whole name; else one name."""
    if pattern in ("", "*"):
        return EVERYTHING
    return patterns.whole(pattern) if _MARKS.search(pattern) else patterns.exact(pattern, pattern)


def write(hooks: Sequence[Hook], native: dict[str, str], *, dialect: str) -> Written:
    """Hooks as a configuration file with one profile; what the shape cannot say is listed."""
    losses = Losses()

    def entry(hook: Hook, losses: Losses) -> dict[str, Json] | None:
        if hook.source.dialect == dialect and isinstance(hook.entry, dict) and _unchanged(hook, hook.entry):
            return hook.entry
        return nested_writing.plain_entry(hook, losses, unit=UNIT, dialect=dialect)

    whole = [_whole(hook, dialect) for hook in hooks]
    table = nested_writing.write_table(whole, native, entry, losses, dialect=dialect)
    profile = next((p for p in (profile_of(hook) for hook in hooks if hook.source.dialect == dialect) if p), "default")
    document: Json = {"version": VERSION, "activeProfile": profile, "profiles": {profile: {"hooks": table}}}
    return Written(files={PATH: dump_json(document)}, lost=losses.found)


def profile_of(hook: Hook) -> str | None:
    """The profile a hook belongs to."""
    owner = hook.source.owner or ""
    return owner.removeprefix(OWNER) if owner.startswith(OWNER) else None


def table(document: JsonObject) -> tuple[str, ...]:
    """The way to the hooks of a document's active profile."""
    return ("profiles", take(document, "activeProfile", str) or "default", "hooks")


def _read_file(config: ConfigText, collector: Collector) -> Settings | None:
    try:
        document = json_document(config)
    except BadEntry as bad:
        collector.report(config, (), bad)
        return None
    found = _active(config, document, collector)
    if found is None:
        return None
    name, profile = found
    collector.read(config, profile.get("hooks"), ("profiles", name, "hooks"), owner=f"{OWNER}{name}")
    return _settings(config, name, profile, collector)


def _active(config: ConfigText, document: JsonObject, collector: Collector) -> tuple[str, JsonObject] | None:
    """The active profile and its name; `default` where none is named."""
    if "version" in document and document["version"] != VERSION:
        text = f"version {document['version']!r} is not known; it is read as version {VERSION}"
        bad = BadEntry(text, fix=f"write {VERSION}", code="version")
        collector.report(config, ("version",), bad, severity="warning")
    profiles = document.get("profiles")
    if profiles is None:
        return None
    if not isinstance(profiles, dict):
        fix = 'write {"default": {"hooks": {...}}}'
        bad = BadEntry(f"profiles must be an object, not {kind(profiles)}", fix=fix)
        collector.report(config, ("profiles",), bad)
        return None
    name = take(document, "activeProfile", str) or "default"
    profile = profiles.get(name)
    if not isinstance(profile, dict):
        message = f"the active profile {name!r} is not there{suggestion(name, profiles)}"
        collector.report(config, ("activeProfile",), BadEntry(message, fix="name one of the profiles", code="profile"))
        return None
    return name, profile


def _settings(config: ConfigText, name: str, profile: JsonObject, collector: Collector) -> Settings:
    retries = profile.get("maxHookRetries", RETRIES)
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        text = f"maxHookRetries must be a whole number, not {retries!r}; it is taken as {RETRIES}"
        bad = BadEntry(text, fix=f"write {RETRIES}, say")
        collector.report(config, ("profiles", name, "maxHookRetries"), bad)
        retries = RETRIES
    return Settings(
        max_retries=retries,
        debug=profile.get("debug") is True,
        provider=take(profile, "provider", str),
        base_url=take(profile, "baseUrl", str),
        api_key=take(profile, "apiKey", str),
        model=take(profile, "model", str),
    )


def _unchanged(hook: Hook, entry: JsonObject) -> bool:
    """Whether a hook is still what its entry says, so that the entry can be given back as it was."""
    try:
        return command_or_prompt(entry) == hook.action and seconds(entry, "timeout", UNIT) == hook.timeout
    except BadEntry:
        return False


def _whole(hook: Hook, dialect: str) -> Hook:
    """Another dialect's hook, its pattern that may match anywhere made one that matches the whole name."""
    held = hook.matcher
    if hook.source.dialect == dialect or held.pattern is None or held.whole:
        return hook
    return replace(hook, matcher=replace(held, pattern=f".*(?:{held.pattern}).*", whole=True))


def _doubts(hook: Hook) -> Iterator[Diagnostic]:
    """What is odd about the matcher of a hook that is kept."""
    text = hook.matcher.text
    if text != text.strip():
        message = f"matcher {text!r} begins or ends with a space, which is part of it"
        yield _warning(hook, message, "remove the space", "spaces")
    elif hook.matcher.everything and text not in ("", "*"):
        message = f"the matcher is ignored: {hook.native_events[0]} has nothing to match"
        yield _warning(hook, message, "remove it", "ignored")


def _warning(hook: Hook, message: str, fix: str, code: str) -> Diagnostic:
    place = (*hook.source.pointer[:-2], "matcher")
    return Diagnostic(message=message, path=hook.source.path, pointer=place, fix=fix, code=code, severity="warning")
