"""Values of a hook that can be read and yet cannot be meant: times, addresses, folders, variables, shell text."""

import glob
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from omnihook.checking.findings import finding
from omnihook.dialect import Diagnostic, Dialect
from omnihook.folders import Folders
from omnihook.hooks import Argv, Command, Hook, Http
from omnihook.shell import ShellTextError, lower
from omnihook.shell.wrappers import SHELLS, base_name

SHORT, LONG = 0.2, 1000.0  # seconds: no program answers in less, and more is another unit
_VARIABLE = re.compile(r"[^=\0]+")


def values(hook: Hook, dialect: Dialect, folders: Folders, environ: Mapping[str, str]) -> Iterable[Diagnostic]:
    """Everything of this kind."""
    yield from _timeout(hook, dialect)
    yield from _text(hook)
    yield from _address(hook)
    for name, value in hook.env.items():
        if not _VARIABLE.fullmatch(name) or "\0" in value:
            told = f"{name!r} cannot be set in an environment"
            yield finding(hook, told, "write a name without '=' and a text without NUL", "env", "env")
    yield from _folder(hook, folders)
    yield from _shell(hook, environ)
    yield from _pins(hook, folders)


def _timeout(hook: Hook, dialect: Dialect) -> Iterable[Diagnostic]:
    given, unit = hook.timeout, dialect.policy.timeout_unit
    if given is None or isinstance(_written(hook, "timeout"), str):
        return
    key = "timeout_secs" if _written(hook, "timeout_secs") is not None else "timeout"
    if unit < 1 and given < SHORT:
        told = f"time-out of {given / unit:g} ms is very short: this file counts milliseconds"
        yield finding(hook, told, f"write {given / unit * 1000:g} for {given / unit:g} seconds", "timeout", key)
    elif given < SHORT:
        told = f"time-out of {given:g} s is very short: this file counts seconds"
        yield finding(hook, told, "write how many seconds the hook may take", "timeout", key)
    elif unit >= 1 and given >= LONG:
        told = f"time-out of {given:g} s is very long: this file counts seconds"
        yield finding(hook, told, f"write {given / 1000:g} for {given:g} milliseconds", "timeout", key)


def _written(hook: Hook, key: str) -> object:
    return hook.entry.get(key) if isinstance(hook.entry, dict) else None


def _text(hook: Hook) -> Iterable[Diagnostic]:
    match hook.action:
        case Command(command=text):
            key, words = ("command" if _written(hook, "run") is None else "run"), (text,)
        case Argv(argv=words):
            key = "command" if _written(hook, "argv") is None else "argv"
        case _:
            return
    if any("\0" in word for word in words):
        yield finding(hook, "the command holds a NUL character, so it cannot be started", "remove it", "never", key)
    elif isinstance(hook.action, Command) and _in_shell(hook.action):
        yield from _syntax(hook, hook.action.command, key)


def _in_shell(action: Command) -> bool:
    return action.interpreter is None or base_name(action.interpreter) in ("sh", "bash", "dash", "ksh", "zsh")


def _syntax(hook: Hook, text: str, key: str) -> Iterable[Diagnostic]:
    try:
        if not lower(text).broken:
            return
    except (ShellTextError, RecursionError):
        return
    try:
        shlex.split(text, comments=True)
    except ValueError:
        yield finding(hook, "a quote in the command is not closed", "close it", "syntax", key)
        return
    told = "the command does not look like shell text"
    yield finding(hook, told, "try it with 'sh -n'", "syntax", key, severity="warning")


def _address(hook: Hook) -> Iterable[Diagnostic]:
    if not isinstance(hook.action, Http):
        return
    key = "url" if _written(hook, "http") is None else "http"
    url = hook.action.url
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable and "$" not in url:
        told = f"{url!r} is not the address of a web server"
        yield finding(hook, told, "write https://host/path, or http:// for this machine", "never", key)


def _folder(hook: Hook, folders: Folders) -> Iterable[Diagnostic]:
    given = _written(hook, "cwd")
    if hook.cwd is None or given is None or "$" in hook.cwd:
        return
    path = os.path.join(folders.project, os.path.expanduser(hook.cwd))
    if not os.path.isdir(path):
        # A user's hook with such a folder is for projects that have it.
        severity = "error" if os.path.isabs(hook.cwd) else "warning"
        told = f"there is no folder {given!r} to run in"
        yield finding(hook, told, "create it, or correct 'cwd'", "missing", "cwd", severity=severity)


def _shell(hook: Hook, environ: Mapping[str, str]) -> Iterable[Diagnostic]:
    shell = hook.action.interpreter if isinstance(hook.action, Command) else None
    search = hook.env.get("PATH", environ.get("PATH"))
    if shell is None or shutil.which({"powershell": "pwsh"}.get(shell, shell), path=search) is not None:
        return
    # A known shell may be there where the agent runs; what is no shell at all is a mistake.
    severity = "warning" if base_name(shell) in SHELLS | {"powershell", "pwsh"} else "error"
    told = f"the shell {shell!r} is not on the path"
    yield finding(hook, told, "install it, or correct 'shell'", "program", "shell", severity=severity)


def _pins(hook: Hook, folders: Folders) -> Iterable[Diagnostic]:
    for pin in hook.pins:
        if not glob.has_magic(pin) and "{" not in pin and not os.path.exists(os.path.join(folders.project, pin)):
            told = f"'pins' names {pin!r}, which does not exist"
            yield finding(hook, told, "create it, or correct 'pins'", "missing", "pins")
