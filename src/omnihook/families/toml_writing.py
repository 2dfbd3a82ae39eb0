"""Writing the native configuration: hooks as `[[hook]]` tables in TOML."""

from collections.abc import Sequence

from omnihook.dialect import Written
from omnihook.families import toml_builtins
from omnihook.families.patterns import NAMES
from omnihook.families.writing import Losses
from omnihook.hooks import Argv, BlockOn, Call, Cause, Command, Function, Hook, Http, Layer, Matcher, McpTool, Prompt
from omnihook.jsontypes import Json


def write(hooks: Sequence[Hook]) -> Written:
    """Hooks as native TOML."""
    import tomlkit  # only where a file is written

    losses = Losses()
    document = tomlkit.document()
    tables = tomlkit.aot()
    for hook in hooks:
        table = tomlkit.table()
        for key, value in entry_of(hook, losses).items():
            table.add(key, value)
        tables.append(table)
    if hooks:
        document.add("hook", tables)
    return Written(files={".omnihook/hooks.toml": tomlkit.dumps(document)}, lost=losses.found)


def entry_of(hook: Hook, losses: Losses) -> dict[str, Json]:
    """The TOML table of a hook, without what is default."""
    on: Json = list(hook.events) if len(hook.events) != 1 else hook.events[0]
    matcher = matcher_text(hook.matcher)
    values: dict[str, Json] = {
        "name": hook.name,
        "on": on,
        "match": matcher,
        "if": hook.rule,
        "tools": list(hook.tools) or None,
        "paths": list(hook.paths) or None,
        **_action_entry(hook, losses),
        "timeout": None if hook.timeout is None else duration_text(hook.timeout),
        "async": hook.background or None,
        "rewake": hook.rewake or None,
        "priority": hook.priority or None,
        "once": hook.once or None,
        "env": dict(hook.env) or None,
        "clean_env": hook.clean_env or None,
        "cwd": _cwd_entry(hook),
        "on_error": _on_error_entry(hook),
        "block_on": None if hook.block_on is BlockOn.DIALECT else hook.block_on.value,
        "guard": hook.guard or None,
        "observe": hook.observe or None,
        "pure": hook.pure or None,
        "mode": "shadow" if hook.shadow else None,
        "description": hook.description,
        "enabled": None if hook.enabled else False,
        "pins": list(hook.pins) or None,
        "may_allow": hook.may_allow or None,
        "detach": hook.detach or None,
        "status": hook.status_message,
    }
    made = {key: value for key, value in values.items() if value is not None}
    return {**made, **{key: no for key, no in toml_builtins.noes(hook.action).items() if key not in made}}


def _cwd_entry(hook: Hook) -> str | None:
    """The directory as it was written: what lies in the project's own folder is relative to it, or left out."""
    if hook.cwd is None or hook.source.path is None or hook.source.layer < Layer.PROJECT:
        return hook.cwd
    root = hook.source.path.rsplit("/", 2)[0]
    return None if hook.cwd == root else hook.cwd.removeprefix(f"{root}/")


def matcher_text(matcher: Matcher) -> str | None:
    """A matcher as this dialect writes it."""
    if matcher.everything or matcher.never is not None:
        return None
    if matcher.names is not None:
        return "|".join(sorted(matcher.names))
    pattern = matcher.pattern or ""
    if matcher.whole:
        return f"^(?:{pattern})$"
    return pattern if not NAMES.fullmatch(pattern) else f"(?:{pattern})"


def duration_text(value: float) -> str:
    """Seconds as people write them: `500ms`, `2m`, `30s`."""
    if value < 1 and round(value * 1000, 6) == int(round(value * 1000, 6)):
        return f"{round(value * 1000)}ms"
    if value >= 60 and value % 60 == 0:
        return f"{round(value / 60)}m"
    return f"{value:g}s"


def _on_error_entry(hook: Hook) -> Json:
    words = {cause.value: found.name.lower() for cause, found in hook.on_error.items()}
    if not words:
        return None
    if len(words) == len(Cause) and len(set(words.values())) == 1:
        return next(iter(words.values()))
    return dict(words)


def _action_entry(hook: Hook, losses: Losses) -> dict[str, Json]:
    match hook.action:
        case Command(command=command, interpreter=shell):
            return {"run": command, "shell": shell}
        case Argv(argv=argv):
            return {"argv": list(argv)}
        case Call(target=target) as call:
            return toml_builtins.written(call) if call.builtin is not None else {"call": target}
        case Http(url=url, headers=headers, allowed_env=allowed):
            return {"http": url, "headers": dict(headers) or None, "allowed_env": list(allowed) or None}
        case Prompt(prompt=prompt, model=model, tools=tools, base_url=base_url):
            losses.check_action(hook, frozenset({"model", "tools", "base_url"}))
            return {("agent" if tools else "prompt"): prompt, "model": model, "base_url": base_url}
        case McpTool(server=server, tool=tool, input=given):
            table: dict[str, Json] = {"server": server, "tool": tool, **({"input": dict(given)} if given else {})}
            return {"mcp": table}
        case Function():
            losses.add(hook, "a function of the host program")
            return {}
