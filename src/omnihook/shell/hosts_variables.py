"""Variables that programs run: pagers, editors, start-up files of shells, prompts, settings of git."""

import re
from collections.abc import Mapping

from omnihook.shell.hosts import Inner
from omnihook.shell.hosts_tools import setting
from omnihook.shell.tables import names
from omnihook.shell.values import EMPTY, HOLE, Text

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


_NOTHING_ELSE = (Text("-e"), Text("0"))
_SITE = ("sitecustomize.py", "usercustomize.py")
"""Modules that Python loads at every start where it finds them."""


def variables(env: tuple[tuple[str, Text], ...], files: Mapping[str, Text]) -> list[Inner]:
    """What runs because these variables are set, `files` being what the script has written so far."""
    found = [inner for name, value in env if value.text.strip() for inner in _variable(name, value)]
    if any(name.startswith("GIT_CONFIG_KEY_") for name, _ in env):
        found.extend(_git_settings(dict(env)))
    if any(name == "PYTHONPATH" for name, _ in env):
        # An empty command keeps the variable worth remembering, for modules that are written later.
        found.append(Inner(script=EMPTY))
        modules = [path for path in files if path.endswith(_SITE)]
        found.extend(Inner(argv=(Text("python3"), Text(path))) for path in modules)
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
        first = (Text(_PRELOADING[name]), Text("-r"))
        return [Inner(argv=(*first, file, *_NOTHING_ELSE)) for file in files if "/" in file.text or "." in file.text]
    if name in _LOADING:
        return _loading(name, value)
    if name in _BUILDERS:
        return [Inner(script=value)] if " " in value.text.strip() and not value.text.startswith(HOLE) else []
    if name in _COMMANDS or _NAMED_SO.fullmatch(name):
        return [Inner(script=Text(value.text.lstrip("|"), value.origins))]
    if name in _PROMPTS and ("$(" in value.text or "`" in value.text):
        shown = value.text.replace('"', "")
        return [Inner(script=Text(f': "{shown}"', value.origins))]
    return []


def _loading(name: str, value: Text) -> list[Inner]:
    """Code, a file of code or options that name modules, which an interpreter takes from a variable."""
    words = [Text(word, value.origins) for word in value.text.split()]
    match name:
        case "PERL5OPT":
            loads = any(word.text.startswith(("-M", "-m")) for word in words)
            return [Inner(argv=(Text("perl"), *words, *_NOTHING_ELSE))] if loads else []
        case "PERL5DB":
            return [Inner(argv=(Text("perl"), Text("-e"), value))]
        case "R_PROFILE" | "R_PROFILE_USER":
            return [Inner(argv=(Text("Rscript"), value))]
        case _:
            file = value.text.startswith("@")
            given = (Text(value.text[1:], value.origins),) if file else (Text("-e"), value)
            return [Inner(argv=(Text("lua"), *given))]


_LOADING = names("PERL5OPT PERL5DB R_PROFILE R_PROFILE_USER LUA_INIT LUA_INIT_5_2 LUA_INIT_5_3 LUA_INIT_5_4")


def _git_settings(env: Mapping[str, Text]) -> list[Inner]:
    """Settings that git takes from `GIT_CONFIG_KEY_0` and `GIT_CONFIG_VALUE_0`."""
    keys = [(name, value) for name, value in env.items() if name.startswith("GIT_CONFIG_KEY_")]
    pairs = [(key.text, env.get(name.replace("_KEY_", "_VALUE_"), Text(""))) for name, key in keys]
    return [inner for key, value in pairs for inner in setting(key, value)]
