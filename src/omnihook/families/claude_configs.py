"""Claude Code's settings files, plugin files and frontmatter, read into hooks and settings."""

from dataclasses import replace

from omnihook.dialect import ConfigText, Settings
from omnihook.families.entries import (
    BadEntry,
    Readers,
    flag,
    json_document,
    seconds,
    string_map,
    strings,
    text,
    told,
    unknown_type,
)
from omnihook.families.nested import Collector, Entry
from omnihook.hooks import Action, Argv, Cause, Command, Hook, Http, Layer, McpTool, OnError, Prompt
from omnihook.jsontypes import Json, JsonError, JsonObject, kind, loads_object, take

# What a file inside a work tree must not decide: who else's hooks run, where they connect, and with which environment.
SWITCHES = (
    "allowManagedHooksOnly",
    "allowedHttpHookUrls",
    "disableAllHooks",
    "env",
    "httpHookAllowedEnvVars",
    "mcpServers",
)
TYPES = ("command", "http", "mcp_tool", "prompt", "agent")
_FAILURES = (Cause.START, Cause.TIMEOUT, Cause.EXIT, Cause.OUTPUT, Cause.SIGNAL, Cause.OVERFLOW)
BLOCKING = dict.fromkeys(_FAILURES, OnError.DENY)  # what `onFailure: block` says


def read_file(config: ConfigText, collector: Collector) -> Settings | None:
    """Read one file of any role into the collector; its settings, when it has some."""
    if config.role == "frontmatter":
        _read_frontmatter(config, collector)
        return None
    try:
        document = json_document(config)
    except BadEntry as bad:
        collector.report(config, (), bad)
        return None
    table = document.get("hooks")
    if config.role == "plugin" and isinstance(table, str | list):
        # A manifest: files it names are read by themselves (see `named_files`), tables stand in it.
        for index, item in enumerate(table if isinstance(table, list) else ()):
            if not isinstance(item, str):
                collector.read(config, item, ("hooks", index))
        return None
    collector.read(config, table, ("hooks",))
    if config.layer >= Layer.PLUGIN:
        _refuse_switches(config, document, collector)
        return Settings()
    _check_switches(config, document, collector)
    return read_settings(document, config.layer)


def named_files(config: ConfigText) -> tuple[str, ...]:
    """The hook files that a plugin's manifest names."""
    if config.role != "plugin" or not config.path.endswith("/plugin.json"):
        return ()
    try:
        table = loads_object(config.text).get("hooks")
    except JsonError:
        return ()  # said when it is read
    return tuple(item for item in (table if isinstance(table, list) else [table]) if isinstance(item, str))


def _refuse_switches(config: ConfigText, document: JsonObject, collector: Collector) -> None:
    """Say which settings count for nothing, because whoever wrote a project must not decide them for its user."""
    for key in SWITCHES:
        if key in document:
            bad = BadEntry(f"{key!r} has no effect in a {config.layer.label} file", fix="remove it", code="not-here")
            collector.report(config, (key,), bad, severity="warning")


def _check_switches(config: ConfigText, document: JsonObject, collector: Collector) -> None:
    """Say which switches switch nothing, because only true and false do."""
    for key in ("disableAllHooks", "allowManagedHooksOnly"):
        value = document.get(key)
        if value is not None and not isinstance(value, bool):
            text = f"{key!r} must be true or false, not {kind(value)}, so it switches nothing"
            collector.report(config, (key,), BadEntry(text, fix="write true or false"))


def read_settings(document: JsonObject, layer: Layer) -> Settings:
    """The switches of a settings file of a user or of an administrator."""
    servers = document.get("mcpServers")
    return Settings(
        disable_all=document.get("disableAllHooks") is True,
        managed_only=layer is Layer.MANAGED and document.get("allowManagedHooksOnly") is True,
        allowed_urls=_texts(document.get("allowedHttpHookUrls")),
        allowed_env=_texts(document.get("httpHookAllowedEnvVars")),
        servers=servers if isinstance(servers, dict) else {},
    )


def joined(one: Settings | None, other: Settings) -> Settings:
    """The settings of two files of one layer."""
    if one is None:
        return other
    return replace(
        other,
        disable_all=one.disable_all or other.disable_all,
        managed_only=one.managed_only or other.managed_only,
        allowed_urls=_union(one.allowed_urls, other.allowed_urls),
        allowed_env=_union(one.allowed_env, other.allowed_env),
        servers={**one.servers, **other.servers},
    )


def read_entry(entry: Entry) -> Hook:
    """One handler."""
    value = entry.value
    said = told(value, _READERS)
    if said.get("rewake"):
        said["background"] = True
    if value.get("onFailure") == "block" and not said.get("background"):
        said["on_error"] = BLOCKING
    return Hook(
        name=entry.name,
        events=entry.events,
        native_events=(entry.native_event,),
        action=read_action(value),
        matcher=entry.matcher,
        source=entry.source,
        entry=dict(value),
        **said,
    )


def _timeout(value: JsonObject, key: str) -> float | None:
    return seconds(value, key, 1.0)


_READERS: Readers = {
    "if": ("rule", text),
    "timeout": ("timeout", _timeout),
    "async": ("background", flag),
    "asyncRewake": ("rewake", flag),
    "once": ("once", flag),
    "statusMessage": ("status_message", text),
}


def read_action(value: JsonObject) -> Action:
    """The action of a handler by its type."""
    sort = value.get("type")
    if sort == "command":
        command = text(value, "command", required=True) or ""
        if "args" in value:
            return Argv(argv=(command, *strings(value, "args")))
        return Command(command=command, interpreter=_shell(text(value, "shell")))
    if sort == "http":
        return Http(
            url=text(value, "url", required=True) or "",
            headers=string_map(value, "headers"),
            allowed_env=strings(value, "allowedEnvVars"),
        )
    if sort == "mcp_tool":
        given = value.get("input")
        return McpTool(
            server=text(value, "server", required=True) or "",
            tool=text(value, "tool", required=True) or "",
            input=given if isinstance(given, dict) else {},
        )
    if sort in ("prompt", "agent"):
        return Prompt(
            prompt=text(value, "prompt", required=True) or "",
            model=text(value, "model"),
            tools=sort == "agent",
            continue_on_block=flag(value, "continueOnBlock"),
        )
    raise unknown_type(sort, TYPES)


def _read_frontmatter(config: ConfigText, collector: Collector) -> None:
    from omnihook.families.frontmatter import parse  # YAML only where there is frontmatter

    document = parse(config.text)
    if isinstance(document, str):
        fix = "correct what stands between the lines of dashes"
        bad = BadEntry(f"the frontmatter is not valid YAML: {document}", fix=fix, code="syntax")
        collector.report(config, (), bad)
        return
    table = document.get("hooks")
    if table is None:
        return
    agent = "/agents/" in config.path
    name = take(document, "name", str) or _component_name(config.path)
    if agent and isinstance(table, dict) and "Stop" in table:
        table = {("SubagentStop" if key == "Stop" else key): item for key, item in table.items()}
    collector.read(config, table, ("hooks",), owner=f"{'agent' if agent else 'skill'}:{name}")


def _component_name(path: str) -> str:
    parts = path.split("/")
    return parts[-2] if parts[-1] == "SKILL.md" else parts[-1].removesuffix(".md")


def _shell(name: str | None) -> str | None:
    if name is None or name in ("bash", "powershell"):
        return name
    raise BadEntry(f"shell must be 'bash' or 'powershell', not {name!r}", fix='write "bash"', key="shell")


def _texts(value: Json) -> tuple[str, ...] | None:
    return tuple(str(item) for item in value) if isinstance(value, list) else None


def _union(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if one is None or other is None:
        return other if one is None else one
    return tuple(dict.fromkeys((*one, *other)))
