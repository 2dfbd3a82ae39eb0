"""Checking: what is wrong with configured hooks beyond their syntax, each finding with its place and its fix."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from omnihook import dialects, loading, shell
from omnihook.dialect import Diagnostic, Dialect, Reading
from omnihook.errors import suggestion
from omnihook.events import EVENTS, Event
from omnihook.folders import Folders
from omnihook.hooks import Argv, Command, Hook, Http, Layer, Prompt
from omnihook.loading import Loaded, Wanted
from omnihook.matching.rules import parse
from omnihook.tools import TOOLS, native_aliases, native_value

# What the subject of some events can be; None in the list means anything.
SUBJECTS: Mapping[str, tuple[str, ...]] = {
    "SessionStart": ("startup", "resume", "clear", "compact", "fork"),
    "PreCompact": ("manual", "auto"),
    "PostCompact": ("manual", "auto"),
    "Setup": ("init", "maintenance"),
}
TOOL_EVENTS = frozenset(name for name, event in EVENTS.items() if event.subject == "tool_name")
PATH_EVENTS = TOOL_EVENTS | {"FileModified", "FileChanged", "InstructionsLoaded", "ConfigChange"}
INTERPRETERS = frozenset(
    {"bash", "sh", "zsh", "dash", "ksh", "python", "python3", "node", "ruby", "perl", "php", "deno"}
)
SHORT, LONG = 0.2, 1000.0  # seconds: below in a file of milliseconds, or above in a file of seconds, is suspicious


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Every file that was looked at, and everything found."""

    files: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    hooks: tuple[Hook, ...]
    readers: Mapping[str, str] = field(default_factory=dict)  # file -> the dialect that read it


def check(
    folders: Folders,
    environ: Mapping[str, str],
    *,
    only: str | None = None,
    config: Sequence[tuple[str, str]] = (),
) -> Checked:
    """Look at every configuration file found; each file is read by one dialect."""
    loaded = list(_load(folders, only, config))
    findings: list[Diagnostic] = []
    for one in loaded:
        texts = {text.path: text.text for text in one.texts}
        findings += one.reading.diagnostics
        for item in _examine(one, folders, environ):
            findings.append(loading.located(item, texts))
    readers = {text.path: one.dialect for one in loaded for text in one.texts}
    hooks = tuple(hook for one in loaded for hook in one.reading.hooks)
    return Checked(files=tuple(readers), findings=tuple(findings), hooks=hooks, readers=readers)


def examine(
    hooks: Iterable[Hook], dialect: Dialect, folders: Folders, environ: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """What is wrong with some hooks of a dialect beyond their syntax, wherever they are going to be."""
    return tuple(_examine(Loaded(dialect=dialect.name, reading=Reading(hooks=tuple(hooks))), folders, environ))


def _load(folders: Folders, only: str | None, config: Sequence[tuple[str, str]]) -> Iterable[Loaded]:
    if config:
        for name, path in config:
            yield loading.load(Wanted(dialect=dialects.get(name), files=[path]), folders)
        return
    # Several dialects claim one file; whoever comes first in this order reads it.
    order = [only] if only is not None else sorted(dialects.names(), key=lambda name: name not in dialects.FIRST)
    seen: set[str] = set()
    for name in order:
        found = loading.load(Wanted(dialect=dialects.get(name), skip=frozenset(seen)), folders)
        seen.update(os.path.realpath(text.path) for text in found.texts)
        yield found


def _examine(one: Loaded, folders: Folders, environ: Mapping[str, str]) -> Iterable[Diagnostic]:
    dialect = dialects.get(one.dialect)
    names: dict[tuple[str, str | None], Hook] = {}
    for hook in one.reading.hooks:
        yield from _matcher(hook, dialect)
        yield from _timeout(hook, dialect)
        yield from _never(hook, dialect, one)
        yield from _script(hook, folders, environ)
        first = names.setdefault((hook.name, hook.source.path), hook)
        if first is not hook:
            yield _finding(hook, f"two hooks are named {hook.name!r}", "rename one of them", "duplicate", "name")


def _matcher(hook: Hook, dialect: Dialect) -> Iterable[Diagnostic]:
    matcher = hook.matcher
    if matcher.never is not None:
        yield _finding(hook, f"matcher {matcher.text!r} can never match: {matcher.never}", "correct it", "matcher")
    if matcher.everything:
        return
    events = [EVENTS[name] for name in hook.events if name in EVENTS]
    if events and all(event.subject is None for event in events):
        names = ", ".join(hook.native_events or hook.events)
        yield _finding(hook, f"a matcher has no effect on {names}", "remove the matcher", "matcher")
    if matcher.names is not None:
        for name in sorted(matcher.names):
            yield from _name(hook, dialect, name)


def _name(hook: Hook, dialect: Dialect, name: str) -> Iterable[Diagnostic]:
    for event in hook.events:
        known: Sequence[str] = ()
        if event in TOOL_EVENTS:
            known = [alias for tool in TOOLS for alias in native_aliases(dialect.vocabulary, tool)]
            if name.startswith("mcp__") and name.count("__") == 1:
                yield _finding(hook, f"{name!r} matches no tool", f"write {name + '__.*'!r}", "matcher", "matcher")
        elif event in SUBJECTS:
            field = EVENTS[event].subject or ""
            known = [native_value(dialect.vocabulary, field, word) for word in SUBJECTS[event]]
        near = suggestion(name, known) if name not in known else ""
        if near or (event in SUBJECTS and name not in known):
            yield _finding(hook, f"{event} has no {name!r}{near}", "correct the matcher", "matcher", "matcher")


def _timeout(hook: Hook, dialect: Dialect) -> Iterable[Diagnostic]:
    given, unit = hook.timeout, dialect.policy.timeout_unit
    if given is None:
        return
    if unit < 1 and given < SHORT:
        told = f"time-out of {given / unit:g} ms is very short: this file counts milliseconds"
        yield _finding(hook, told, f"write {given / unit * 1000:g} for {given / unit:g} seconds", "timeout", "timeout")
    elif unit >= 1 and given >= LONG and not isinstance(_written(hook), str):
        told = f"time-out of {given:g} s is very long: this file counts seconds"
        yield _finding(hook, told, f"write {given / 1000:g} for {given:g} milliseconds", "timeout", "timeout")


def _written(hook: Hook) -> object:
    return hook.entry.get("timeout") if isinstance(hook.entry, dict) else None


def _never(hook: Hook, dialect: Dialect, one: Loaded) -> Iterable[Diagnostic]:
    known = {row.event for row in dialect.names}
    events = set(hook.events) & known
    if hook.rule is not None:
        if events and not events & TOOL_EVENTS:
            yield _finding(
                hook, "an 'if' rule only holds for tools, so this hook never runs", "remove it", "never", "if"
            )
        elif parse(hook.rule) is None:
            yield _finding(hook, f"{hook.rule!r} is not a rule", "write Tool or Tool(pattern)", "never", "if")
    if hook.paths and events and not events & PATH_EVENTS:
        yield _finding(hook, "the event has no path, so this hook never runs", "remove 'paths'", "never", "paths")
    if hook.tools and events and not events & (TOOL_EVENTS | {"FileModified"}):
        yield _finding(hook, "the event has no tool, so this hook never runs", "remove 'tools'", "never", "tools")
    if isinstance(hook.action, Http) and events and events <= dialect.policy.no_http:
        yield _finding(hook, f"http hooks do not run on {', '.join(sorted(events))}", "use a command", "never")
    if hook.guard and hook.background:
        yield _finding(hook, "an async hook cannot decide, so it guards nothing", "remove 'async'", "never", "async")
    configured = any(settings.model for settings in one.reading.settings.values())
    if isinstance(hook.action, Prompt) and not configured and hook.action.model is None:
        told = "no model is configured for this prompt"
        yield _finding(hook, told, "name a model in the hook or in the settings", "model", severity="warning")


def _script(hook: Hook, folders: Folders, environ: Mapping[str, str]) -> Iterable[Diagnostic]:
    match hook.action:
        case Command(command=text):
            lines = shell.command_lines(text)
            commands = [line.split(" ") for line in lines] if lines else []
        case Argv(argv=words):
            commands = [list(words)]
        case _:
            return
    if commands:
        yield from _command(hook, commands[0], folders, environ)


def _command(hook: Hook, words: list[str], folders: Folders, environ: Mapping[str, str]) -> Iterable[Diagnostic]:
    program = words[0]
    if "/" in program:
        yield from _path(hook, program, folders, environ, executed=True)
    elif program in INTERPRETERS and len(words) > 1 and not words[1].startswith("-"):
        yield from _path(hook, words[1], folders, environ, executed=False)
    elif program.isidentifier() and not _known(program, environ):
        told = f"{program!r} is not a program on the path"
        yield _finding(hook, told, "install it, or write its whole path", "program", severity="warning")


def _path(
    hook: Hook, word: str, folders: Folders, environ: Mapping[str, str], *, executed: bool
) -> Iterable[Diagnostic]:
    path = _expanded(word, hook, folders, environ)
    if path is None:
        return
    if not os.path.isabs(path):
        if hook.cwd is None:
            told = f"{word!r} depends on the directory the agent happens to be in"
            yield _finding(hook, told, "write the path from a documented variable or from the root", "relative")
        path = os.path.join(hook.cwd or folders.project, path)
    if not os.path.exists(path):
        yield _finding(hook, f"the script {word!r} does not exist", "create it, or correct the path", "missing")
    elif os.path.isdir(path):
        yield _finding(hook, f"{word!r} is a directory", "name a script in it", "missing")
    elif executed and not os.access(path, os.X_OK):
        yield _finding(hook, f"the script {word!r} is not executable", f"chmod +x {path}", "not-executable")


def _expanded(word: str, hook: Hook, folders: Folders, environ: Mapping[str, str]) -> str | None:
    """A path with what is known filled in; None where something is not known."""
    made = word
    if made.startswith("~/"):
        made = folders.home + made[1:]
    dialect = dialects.get(hook.source.dialect)
    policy = dialect.policy
    own = dialect.hook_env(hook, Event()) if dialect.hook_env is not None else {}
    places = {"HOME": folders.home, **own}
    if policy.project_variable is not None:
        places[policy.project_variable] = folders.project
    for name, value in places.items():
        made = made.replace("${" + name + "}", value).replace("$" + name, value)
    return None if any(mark in made for mark in "$`*?") or "\0" in made else made


def _known(program: str, environ: Mapping[str, str]) -> bool:
    return program in BUILTINS or shutil.which(program, path=environ.get("PATH")) is not None


# Words of the shell itself, which no search of the path finds.
BUILTINS = frozenset(
    (
        *(
            ".",
            ":",
            "[",
            "alias",
            "bg",
            "break",
            "cd",
            "command",
            "continue",
            "declare",
            "eval",
            "exec",
            "exit",
            "export",
        ),
        *("fg", "getopts", "hash", "jobs", "let", "local", "read", "readonly", "return", "set", "shift", "shopt"),
        *("source", "times", "trap", "type", "typeset", "ulimit", "umask", "unset", "wait"),
    )
)


def _finding(
    hook: Hook, message: str, fix: str, code: str, key: str | None = None, *, severity: str = "error"
) -> Diagnostic:
    pointer = hook.source.pointer if key is None else (*hook.source.pointer, key)
    return Diagnostic(
        message=f"hook {hook.name}: {message}",
        path=hook.source.path,
        fix=fix,
        code=code,
        severity=severity if hook.source.layer is not Layer.PROGRAM else "warning",
        pointer=pointer,
    )
