"""Variables that programs run: pagers, editors, start-up files of shells, prompts, settings of git."""

import re
from collections.abc import Mapping

from omnihook.shell.hosts import Inner
from omnihook.shell.hosts_tools import setting
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text

_COMMANDS = names(
    "GIT_SSH_COMMAND GIT_SSH GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND",
    "GIT_ASKPASS EDITOR VISUAL PAGER MANPAGER LESSOPEN LESSCLOSE BROWSER PROMPT_COMMAND SUDO_ASKPASS",
    "SSH_ASKPASS RSYNC_RSH SYSTEMD_PAGER PSQL_PAGER PSQL_EDITOR BASH_COMMAND_HOOK CVS_RSH TAR_OPTIONS",
)
"""Variables whose value some program runs as a command."""
_NAMED_SO = re.compile(r"[A-Z]+_(?:PAGER|EDITOR|BROWSER|ASKPASS|SSH_COMMAND|DEFAULT_COMMAND)|HGEDITOR|FCEDIT")
"""Names that many programs give to variables of that kind."""
_BUILDERS = names(
    "CC CXX CPP LD AR FC RUSTC RUSTC_WRAPPER CARGO_BUILD_RUSTC CARGO_BUILD_RUSTC_WRAPPER CMAKE_C_COMPILER"
)
"""Variables that name the programs which build: worth a look where more than a name is given."""
_PROMPTS = frozenset({"PS0", "PS1", "PS2", "PS4", "PROMPT", "RPROMPT"})
_START_FILES = frozenset({"BASH_ENV", "ENV"})
_EXPORTED = re.compile(r"BASH_FUNC_(.+?)(?:%%|\(\))")
"""What bash calls a variable in which it hands a function on."""


_PRELOADING = {"NODE_OPTIONS": "node", "RUBYOPT": "ruby", "BUN_OPTIONS": "bun"}
_PRELOADS = re.compile(r"(?:--(?:require|import|loader|preload)[ =]|-r ?)[\"']?([^\s\"']+)")
"""Options that name code to be loaded first."""


def variables(env: tuple[tuple[str, Text], ...]) -> list[Inner]:
    """What runs because these variables are set."""
    found = [inner for name, value in env if value.text.strip() for inner in _variable(name, value)]
    if any(name.startswith("GIT_CONFIG_KEY_") for name, _ in env):
        found.extend(_git_settings(dict(env)))
    return found


def _variable(name: str, value: Text) -> list[Inner]:
    if name in _START_FILES:
        return [Inner(file=value)]
    if function := _EXPORTED.fullmatch(name):
        return [Inner(script=Text(f"{function[1]} {value.text}\n{function[1]}", value.origins))]
    if name == "PYTHONSTARTUP":
        return [Inner(argv=(Text("python3"), value))]
    if name in _PRELOADING:
        files = [Text(match[1], value.origins) for match in _PRELOADS.finditer(value.text)]
        return [Inner(argv=(Text(_PRELOADING[name]), file)) for file in files if "/" in file.text or "." in file.text]
    if name in _BUILDERS:
        return [Inner(script=value)] if " " in value.text.strip() and not value.text.startswith(HOLE) else []
    if name in _COMMANDS or _NAMED_SO.fullmatch(name):
        return [Inner(script=Text(value.text.lstrip("|"), value.origins))]
    if name in _PROMPTS and ("$(" in value.text or "`" in value.text):
        shown = value.text.replace('"', "")
        return [Inner(script=Text(f': "{shown}"', value.origins))]
    return []


def _git_settings(env: Mapping[str, Text]) -> list[Inner]:
    """Settings that git takes from `GIT_CONFIG_KEY_0` and `GIT_CONFIG_VALUE_0`."""
    keys = [(name, value) for name, value in env.items() if name.startswith("GIT_CONFIG_KEY_")]
    pairs = [(key.text, env.get(name.replace("_KEY_", "_VALUE_"), Text(""))) for name, key in keys]
    return [inner for key, value in pairs for inner in setting(key, value)]
