"""The environment of a hook: the user's own, less what could hijack it, plus the event; large values made to fit."""

import os
import posixpath
import re
import stat
from collections.abc import Collection, Mapping
from dataclasses import field
from functools import lru_cache
from typing import TypeAlias

from omnihook.hooks import Layer
from omnihook.jsontypes import Json, JsonError, dumps, loads
from omnihook.slotted import dataclass

# Variables that make a shell or an interpreter run something else first.
LOADERS = frozenset(
    {
        "LD_PRELOAD",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "GCONV_PATH",
        "BASH_ENV",
        "ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "PROMPT_COMMAND",
        "PYTHONSTARTUP",
        "PYTHONINSPECT",
        "PYTHONHOME",
        "PYTHONBREAKPOINT",
        "PERL5OPT",
        "PERL5DB",
        "RUBYOPT",
        "NODE_OPTIONS",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "LUA_INIT",
        "ZDOTDIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_PROXY_COMMAND",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_ASKPASS",
        "GIT_EXEC_PATH",
        "GIT_TEMPLATE_DIR",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "IFS",
        "CDPATH",
    }
)
# Lists of folders that programs and libraries are looked for in.
SEARCHED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH")
_PATH = "/usr/bin:/bin"
SECRETS = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL|(^|_)AUTH(_|$)|_PAT$|SESSION_KEY|COOKIE",
    re.IGNORECASE,
)
CLEAN = frozenset({"PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "LOGNAME", "SHELL", "TZ"})
ONE_VALUE = 131_072 - 1  # bytes of `NAME=value` the kernel takes, less the final NUL
# NUL, and surrogates that stand for no byte: an event may hold them, an environment cannot.
_UNSAYABLE = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
DEPTH = "OMNIHOOK_DEPTH"
MAX_DEPTH = 3
_Snapshot: TypeAlias = dict[str, str] | dict[bytes, bytes]
# What was made of which environment, since it hardly ever changes between two hooks.
_bases: dict[tuple[bool, bool, str], tuple[_Snapshot, dict[str, str]]] = {}


@dataclass(slots=True)
class Fitted:
    """An environment the kernel takes: which variables hold a shortened value, and where their whole values are."""

    env: dict[str, str]
    shortened: tuple[str, ...] = ()
    whole: Mapping[str, str] = field(default_factory=dict)  # NAME -> the whole value, to be written to a file


def base(environ: Mapping[str, str], *, layer: Layer, project: str, clean: bool) -> dict[str, str]:
    """The part of the environment that does not depend on the event."""
    inside = layer >= Layer.PLUGIN
    key, now = (inside, clean, project), _snapshot(environ)
    held = _bases.get(key)
    if held is None or held[0] != now:
        if len(_bases) > 16:
            _bases.clear()
        held = _bases[key] = (now, _base(environ, inside=inside, project=project, clean=clean))
    return dict(held[1])


def _snapshot(environ: Mapping[str, str]) -> _Snapshot:
    """What tells whether an environment is still the same."""
    # The process's own decodes each variable anew, which takes longer than all else that is done for a hook.
    raw: dict[bytes, bytes] | None = getattr(environ, "_data", None) if environ is os.environ else None
    return dict(environ) if raw is None else dict(raw)


def _base(environ: Mapping[str, str], *, inside: bool, project: str, clean: bool) -> dict[str, str]:
    made = {name: value for name, value in environ.items() if _passes(name, inside=inside, clean=clean)}
    if not inside:
        for name in SEARCHED:
            if name in made:
                made[name] = safe_path(made[name], project) or (_PATH if name == "PATH" else "")
                if not made[name]:
                    del made[name]
    made[DEPTH] = str(depth(environ) + 1)
    return made


def depth(environ: Mapping[str, str]) -> int:
    """How many hooks deep we are already."""
    text = environ.get(DEPTH, "0")
    return int(text) if text.isdecimal() else MAX_DEPTH


@lru_cache(maxsize=64)
def safe_path(path: str, project: str) -> str:
    """A list of folders without those that a project or another user could plant programs in."""
    root = os.path.realpath(project) if project else None
    kept = [entry for entry in path.split(":") if _safe_entry(entry, root)]
    return ":".join(kept)


def fit(env: dict[str, str]) -> Fitted:
    """Shorten values the kernel would refuse; JSON stays JSON. What cannot be passed at all is replaced."""
    if _fits(env.values()):
        return Fitted(env)
    fitted = Fitted(dict(env))
    too_long: dict[str, str] = {}
    for name, value in env.items():
        if "\0" in value or not value.isascii():
            fitted.env[name] = value = passable(value)
        if len(value) > ONE_VALUE // 4 and _size(name, value) > ONE_VALUE:
            too_long[name] = value
            fitted.env[name] = shorten(value, ONE_VALUE - len(name) - 1)
    fitted.shortened = tuple(too_long)
    fitted.whole = too_long
    return fitted


def _fits(values: Collection[str]) -> bool:
    """Whether nothing needs to be done, as nearly always: all of it short, plain text."""
    if max(map(len, values), default=0) > ONE_VALUE // 4:
        return False
    text = "".join(values)
    return text.isascii() and "\0" not in text


def passable(text: str) -> str:
    """A text with everything replaced that no system call takes."""
    return text if _fits((text,)) else _UNSAYABLE.sub("\ufffd", text)


def shorten(value: str, limit: int) -> str:
    """A value of at most so many bytes; JSON text is shortened in its strings, so that it still parses."""
    if value[:1] in "{[":
        try:
            document = loads(value)
        except JsonError:
            return _cut(value, limit)
        for longest in (16_384, 4_096, 1_024, 256, 64, 8):
            text = dumps(_shortened(document, longest, 64 if longest > 64 else 8))
            if len(text.encode("utf-8", "surrogateescape")) <= limit:
                return text
        return "{}" if value[0] == "{" else "[]"
    return _cut(value, limit)


def _shortened(value: Json, longest: int, items: int, level: int = 0) -> Json:
    if isinstance(value, str):
        return value if len(value) <= longest else value[:longest] + "…"
    if level > 32:
        return None
    if isinstance(value, list):
        return [_shortened(item, longest, items, level + 1) for item in value[: items * 16]]
    if isinstance(value, dict):
        head = list(value.items())[: items * 16]
        return {key[:longest]: _shortened(item, longest, items, level + 1) for key, item in head}
    return value


def _cut(value: str, limit: int) -> str:
    return value.encode("utf-8", "surrogateescape")[:limit].decode("utf-8", "ignore")


def _size(name: str, value: str) -> int:
    return len(name) + 1 + len(value.encode("utf-8", "surrogateescape"))


def _passes(name: str, *, inside: bool, clean: bool) -> bool:
    if name in LOADERS or name.startswith("BASH_FUNC_"):
        return False
    if clean:
        return name in CLEAN or name.startswith(("LC_", "XDG_"))
    return not (inside and SECRETS.search(name))


def _safe_entry(entry: str, root: str | None) -> bool:
    if not entry.startswith("/"):
        return False
    real = os.path.realpath(entry)
    if root is not None and root != "/" and (real == root or real.startswith(root + "/")):
        return False
    try:
        mode = os.stat(real).st_mode
    except OSError:
        return True  # a folder that is not there holds nothing
    return not (mode & stat.S_IWOTH) or bool(mode & stat.S_ISVTX and posixpath.basename(real) == "bin")
