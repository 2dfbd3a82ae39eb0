"""From an effect on a path to the rule that answers it, if any."""

import posixpath
import re
from collections.abc import Mapping

from omnihook.builtin.guard.effects import Do, Effect
from omnihook.builtin.guard.places import CRITICAL, Place, Scene, is_device, lexical, places
from omnihook.builtin.guard.protected import folder_hinted, hinted, protected
from omnihook.builtin.guard.rules import Finding
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text

_LOGIN_FILES = frozenset({"/etc/passwd", "/etc/sudoers", "/etc/group", "/proc/sysrq-trigger", "/etc/shadow"})
_START_FILES = frozenset({"/etc/fstab", "/etc/ld.so.preload", "/etc/inittab", "/etc/crypttab", "/etc/hosts.deny"})
_STARTUP = names(
    ".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zprofile .zshenv .zlogin .zlogout .kshrc",
    ".cshrc .tcshrc .config/fish/config.fish .xinitrc .xprofile .xsession .pam_environment",
    ".ssh/authorized_keys .ssh/rc .gitconfig .config/git/config .inputrc .vimrc .tmux.conf .ssh/config",
    ".ssh/authorized_keys2 .forward",
)
_STARTUP_FOLDERS = (
    ".config/autostart/", ".config/systemd/user/", "Library/LaunchAgents/", ".local/share/systemd/", ".config/fish/",
    ".bashrc.d/",
)  # fmt: skip
_AGENT = re.compile(
    r"(?:^|/)(?:\.claude/(?:settings[^/]*\.json|hooks/.*|agents/.*|commands/.*)|\.claude\.json|\.mcp\.json|\.codex/.*"
    r"|\.gemini/(?:settings\.json|hooks/.*)|\.qwen/settings\.json|\.cursor/(?:hooks\.json|mcp\.json|rules/.*)"
    r"|\.autohand/.*|\.codemie/.*|\.omnihook/.*|omnihook/hooks\.toml|\.windsurf/.*|\.codeium/.*hooks\.json"
    r"|\.copilot/.*|\.github/hooks/.*|\.opencode/.*|opencode\.jsonc?|\.openhands/hooks.*|\.kiro/(?:hooks|settings)/.*"
    r"|\.factory/.*|\.gen(?:code)?/.*|\.amp/.*|\.continue/config\..*|\.aider\.conf\.yml|\.cline/.*|\.vscode/tasks\.json"
    r"|\.git/config|\.git/info/attributes)$",
    re.I,
)
_SETTINGS = re.compile(
    r"/\.(?:claude|codex|gemini|qwen|cursor|autohand|codemie|omnihook|copilot|gen|gencode)"
    r"(?:/(?:settings[^/]*\.json|hooks(?:\.json|\.toml)?|config\.(?:json|toml)|[^/]*\.config\.json))?/?$",
    re.I,
)
"""The folders of agents, and the files in them that say which hooks run."""
_SYSTEM_SETTINGS = ("/etc/", "/proc/sys/", "/sys/", "/var/spool/")
_NAMED_HINT = re.compile(r"[oO][pPmM][eEnN][nNiI][cChH][oO]|Library/")
"""What a path holds that starts something and has no hidden name in it: opencode, omnihook, LaunchAgents."""
_HOOKS = re.compile(r"(?:^|/)(?:\.git/hooks|\.husky)/[^/]+")
_CRON = re.compile(r"/etc/cron|/var/spool/cron|/etc/systemd/system/|/etc/init\.d/|/etc/rc\.local|/etc/profile")
_BROAD = re.compile(r"\.?\*+|\.?\?\*|\*\.\*|\.\[[^]]*\]\*|\.\?\?\*|\[[^]]*\]\*")
_MAX_PATTERN = 1_000
_BLIND = frozenset({Do.MIRROR, Do.MODE})
_WRITING = frozenset({Do.WRITE, Do.APPEND, Do.CREATE})
_LEAVING = frozenset({Do.DELETE, Do.MOVE, Do.RENAME})
_LISTED = frozenset({"listed", "listing", "tree"})
_LOOKING = frozenset({Do.READ, Do.USE})
_TREE_RULES = {
    Place.UNKNOWN: "delete-unknown",
    Place.GIT: "delete-git",
    Place.TEMP_ROOT: "delete-outside",
    Place.ELSEWHERE: "delete-outside",
}


def weigh(effect: Effect, command: Command, scene: Scene, off: frozenset[str] = frozenset()) -> Finding | None:
    """The rule for one effect, or None when it is harmless; an empty path names nothing.

    Where a rule about protected files is `off`, what else there is to say about the path counts.
    """
    if not effect.target.text:
        return None
    elsewhere = command.links or command.mounts
    if effect.do in _LOOKING and not elsewhere and _is_ordinary(effect.target, command.cwd):
        return None
    located = _located(_relisted(effect.target) if "//" in effect.target.text else effect.target, command)
    if located is None:
        return None
    target, cwd = _followed(effect, *located, command.links) if command.links else located
    if target.pattern is not None and len(target.text) > _MAX_PATTERN:
        return Finding("too-complex", "a very long glob")
    rule = _guarded(effect, target, cwd, scene, off) or _rule(effect, target, cwd, scene)
    return Finding(rule, effect.target.text.replace(HOLE, "…")) if rule else None


def _relisted(target: Text) -> Text:
    """A listing prints names, which are kept here with their folder; who puts the folder before them has it twice."""
    if target.origins.isdisjoint(_LISTED):
        return target
    start = target.text.rindex("//") + 1
    return Text(target.text[start:], target.origins, None if target.pattern is None else target.text[start:])


def _is_ordinary(target: Text, cwd: Text) -> bool:
    """Whether a file is neither protected nor a device: true of most words, and quickly seen."""
    return target.pattern is None and not hinted(target.text) and not folder_hinted(cwd.text)


def _followed(effect: Effect, target: Text, cwd: Text, links: Mapping[str, str]) -> tuple[Text, Text]:
    """The target behind links made earlier; deleting or moving a link itself leaves what it names alone."""
    path = lexical(target, cwd)
    itself = effect.do in _LEAVING and not target.text.endswith("/")
    link = posixpath.dirname(path) if itself else path
    while link.strip("/"):
        place = links.get(link)
        if place is not None:
            text = place.rstrip("/") + path[len(link) :] or "/"
            return Text(text, target.origins, None if target.pattern is None else text), Text("/")
        link = posixpath.dirname(link)
    return target, cwd


def _located(target: Text, command: Command) -> tuple[Text, Text] | None:
    """The target as the host sees it; None when it exists only inside a fresh container."""
    if "fresh" not in command.context:
        return target, command.cwd
    path = lexical(target, command.cwd)
    for inside, outside in command.mounts:
        if inside and (path == inside or path.startswith(inside.rstrip("/") + "/")):
            rest = path[len(inside.rstrip("/")) :]
            pattern = outside.text + rest if target.pattern is not None else None
            return Text(outside.text.rstrip("/") + rest or "/", target.origins, pattern), Text(".")
    return (target, command.cwd) if is_device(path) and "container" not in command.context else None


def _guarded(effect: Effect, target: Text, cwd: Text, scene: Scene, off: frozenset[str]) -> str | None:
    """The rule for a protected file; to make or use one is milder than to read or change it."""
    if effect.do in _BLIND or (effect.do in _WRITING and is_device(_seen_from(target, cwd, scene))):
        return None
    rule = "use-protected" if effect.do in (Do.USE, Do.CREATE) else "protected-file"
    return rule if rule not in off and protected(target, _place(cwd, scene), scene) else None


def _place(cwd: Text, scene: Scene) -> Text:
    return Text(scene.cwd) if cwd.text == "." else cwd


def _seen_from(target: Text, cwd: Text, scene: Scene) -> str:
    return lexical(target, _place(cwd, scene))


def _rule(effect: Effect, target: Text, cwd: Text, scene: Scene) -> str | None:
    cwd = _place(cwd, scene)
    match effect.do:
        case Do.DELETE:
            return _deleted(effect, target, cwd, scene)
        case Do.MOVE:
            return _moved(target, cwd, scene)
        case Do.RENAME:
            return _renamed(target, cwd, scene)
        case Do.MIRROR:
            return _tree(target, cwd, scene)
        case Do.WRITE | Do.APPEND | Do.CREATE:
            return _written(effect, target, cwd, scene)
        case Do.READ:
            return "disk-image" if is_device(lexical(target, cwd)) else None
        case Do.USE:
            return None
        case Do.MODE:
            return _mode(effect, target, cwd, scene)


def _deleted(effect: Effect, target: Text, cwd: Text, scene: Scene) -> str | None:
    if effect.recursive or "tree" in target.origins:
        return _tree(target, cwd, scene)
    found = places(target, cwd, scene)
    if HOLE in target.text:
        return "delete-critical" if found == {Place.SYSTEM} else None
    if Place.SYSTEM in found:
        return "delete-critical"
    if target.pattern is not None and _is_broad(target) and found & CRITICAL:
        return "delete-critical"
    if (target.pattern is not None or "listing" in target.origins) and found & {Place.ELSEWHERE, Place.HOME}:
        return "delete-outside"
    return _unset(target, cwd)


def _is_broad(target: Text) -> bool:
    return _BROAD.fullmatch(posixpath.basename(target.text)) is not None


def _tree(target: Text, cwd: Text, scene: Scene) -> str | None:
    """A whole tree goes. A hole makes the answer milder only if some filling of it is harmless."""
    found = places(target, cwd, scene)
    holes = HOLE in lexical(target, cwd)
    critical = found & CRITICAL
    if critical and (not holes or found <= CRITICAL):
        return "delete-critical"
    if holes and (critical or found & _TREE_RULES.keys()):
        return "delete-unknown"
    return next((rule for place, rule in _TREE_RULES.items() if place in found), None) or _unset(target, cwd)


def _moved(target: Text, cwd: Text, scene: Scene) -> str | None:
    found = places(target, cwd, scene)
    if found & CRITICAL and HOLE not in lexical(target, cwd):
        return "delete-critical"
    if Place.GIT in found and posixpath.basename(target.text.rstrip("/")) == ".git":
        return "delete-git"
    return _unset(target, cwd)


def _unset(target: Text, cwd: Text) -> str | None:
    """The rule for an agent's settings that go away, and its hooks with them."""
    return "agent-config" if _SETTINGS.search(lexical(target, cwd)) else None


def _renamed(target: Text, cwd: Text, scene: Scene) -> str | None:
    path = lexical(target, cwd)
    if path in _LOGIN_FILES | _START_FILES or path.startswith("/boot/"):
        return "delete-critical"
    found = places(target, cwd, scene)
    if found & (CRITICAL - {Place.SYSTEM}):
        return "delete-critical"
    return "system-config" if Place.SYSTEM in found else None


def _written(effect: Effect, target: Text, cwd: Text, scene: Scene) -> str | None:
    path = lexical(target, cwd)
    if is_device(path):
        return "write-device"
    if path in _LOGIN_FILES or path.startswith("/boot/"):
        return "overwrite-critical"
    if path in _START_FILES:
        return "overwrite-critical" if effect.do is not Do.APPEND else "system-config"
    if path.startswith("/dev/tcp/"):
        return None
    if effect.do is Do.WRITE and "tree" in target.origins and places(target, cwd, scene) & CRITICAL:
        return "delete-critical"  # everything below it is emptied or replaced
    return persistent(path, scene)


def persistent(path: str, scene: Scene) -> str | None:
    """The rule for a file that makes something run later, or configures the system."""
    if "/." not in path and not path.startswith(_SYSTEM_SETTINGS) and not _NAMED_HINT.search(path):
        return None
    if _AGENT.search(path):
        return "agent-config"
    if _HOOKS.search(path) or _CRON.match(path):
        return "persistence"
    inside = path[len(scene.home) + 1 :] if path.startswith(scene.home + "/") else ""
    if not inside and (found := re.match(r"(?:/home/[^/]+|/Users/[^/]+|/root)/(.+)", path)):
        inside = found[1]
    if inside in _STARTUP or inside.startswith(_STARTUP_FOLDERS):
        return "persistence"
    if path.startswith(("/etc/", "/proc/sys/", "/sys/")):
        return "system-config"
    return None


def _mode(effect: Effect, target: Text, cwd: Text, scene: Scene) -> str | None:
    if not (effect.recursive or "tree" in target.origins) or HOLE in lexical(target, cwd):
        return None
    found = places(target, cwd, scene)
    if found & {Place.ROOT, Place.SYSTEM}:
        return "mode-system"
    path = lexical(target, cwd).removesuffix("/*")
    if Place.HOME in found or (Place.PROJECT in found and path != scene.project):
        return "mode-system" if path in ("/home", "/Users") else "mode-writable"
    return None
