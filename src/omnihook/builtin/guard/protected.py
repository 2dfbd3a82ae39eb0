"""Names of files that hold secrets, and whether a path, a glob or a half-known word can mean one."""

import posixpath
import re
import unicodedata

from omnihook.builtin.guard.globbing import matching
from omnihook.builtin.guard.places import Scene, lexical
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text

_NAMES = names(".env id_rsa id_ed25519 id_ecdsa id_dsa credentials.json secrets.json .npmrc .pypirc")
_TEMPLATES = (".example", ".sample", ".template", ".dist", ".defaults")
_EXTENSIONS = (".pem", ".key")
_IN_HOME = names(
    ".ssh .aws/credentials .netrc .git-credentials .kube/config .docker/config.json .pgpass .gnupg",
    ".gnupg/private-keys-v1.d .gnupg/secring.gpg .ssh/* .aws .kube .docker",
)
_SYSTEM = frozenset({"/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-"})
_ENVIRON = re.compile(r"/proc/[^/]+(?:/task/[^/]+)?/environ")
_HOME = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root)/(.+)")
_SSH_PUBLIC = re.compile(
    r"\.ssh/(?:(?:config|known_hosts|authorized_keys|allowed_signers|environment|rc|sockets?|cm|control|master|mux|agent)"
    r"[2s]?(?:[-._@%*/~].*)?|.*\.(?:pub|sock)|\*?)"
)
"""What lies in ~/.ssh and is no key: settings, names of hosts, public keys, sockets."""
SAMPLES = (
    *("id_rsa", "id_ed25519", ".env", ".env.local", ".env.production", "credentials.json", "secrets.json"),
    *(".npmrc", ".pypirc", "server.pem", "server.key"),
)
"""Names to try a glob on."""
_HINT = re.compile(
    r"[.](?:env|pem|key|aws)|id_|credential|secret|npmrc|pypirc|ssh|netrc|kube|docker|pgpass|gnupg|shadow|environ"
    r"|(?<!\w)/dev/"
)
"""What every protected path contains, in lower case, and every device: most words are cleared by this one search."""
_GLOB = re.compile(r"[*?\[]")
_MAX_REMEMBERED = 80
_TELLING = 3
_MAX_CLEARED = 8 * 1024
_NO_LETTERS = re.compile(r"json|[\W_]")
_EVERYTHING = names("* ** *.* *.json ?* *.js* c* s* *s.json")


def folded(name: str) -> str:
    """A name as a careless file system compares it: one case, one Unicode form, no trailing dots or streams."""
    if name.isascii():
        return name.lower()
    plain = unicodedata.normalize("NFKC", name).casefold()
    return plain.partition("::$data")[0]


def is_template(name: str) -> bool:
    """`.env.example` and relatives, which hold no secrets."""
    return folded(name).endswith(_TEMPLATES)


def protected_name(name: str) -> bool:
    """Whether a file name alone is protected."""
    plain = folded(name).rstrip("~")  # an editor's copy holds the same
    if plain in _NAMES or plain.startswith(".env."):
        return not plain.endswith(_TEMPLATES)
    return plain.endswith(_EXTENSIONS) and len(plain) > 4


def protected_path(path: str, scene: Scene) -> bool:
    """Whether an absolute path, without globs or holes, is protected."""
    if path.startswith("/proc/"):
        path = re.sub(r"^/proc/(?:self|\d+)/root(?=/)", "", path)
    if path in _SYSTEM or _ENVIRON.fullmatch(path) or protected_name(posixpath.basename(path)):
        return True
    inside = path[len(scene.home) + 1 :] if path.startswith(scene.home + "/") else None
    if inside is None:
        match = _HOME.fullmatch(path)
        inside = match[1] if match else None
    if inside is None:
        return False
    plain = folded(inside)
    if plain.startswith(".ssh/"):
        return _SSH_PUBLIC.fullmatch(plain) is None or plain in _IN_HOME
    return plain in _IN_HOME or plain.startswith(".gnupg/private-keys")


def protected(target: Text, cwd: Text, scene: Scene) -> bool:
    """Whether a word can mean a protected file: a glob that can match one counts, and so does half a name."""
    if target.text in ("", HOLE) or "\n" in target.text:
        return False
    if target.pattern is None and not hinted(target.text) and not folder_hinted(cwd.text):
        return False
    path = lexical(target, cwd)
    if HOLE in path:
        name = posixpath.basename(path)
        if name == HOLE:
            return protected_path(posixpath.dirname(path) + "/id_rsa", scene) and "/.ssh/" in path
        if name.startswith(".env." + HOLE):
            return True
        return protected_path(path.replace(HOLE, "x"), scene)
    if target.pattern is None or not any(mark in path for mark in "*?["):
        return protected_path(path, scene)
    return _glob_can_match(path, target, scene)


def may_be_protected(command: Command) -> bool:
    """Whether a word needs a closer look: most commands name nothing that could be protected, or a device."""
    if command.links or command.mounts or folder_hinted(command.cwd.text):
        return True
    return not _cleared.issuperset(command.words) and any(map(hinted, command.words))


def hinted(text: str) -> bool:
    """Whether a word needs a closer look; the same few words make up most commands."""
    if text in _cleared:
        return False
    found = _hinted(text)
    if not found and len(text) <= _MAX_REMEMBERED:
        if len(_cleared) >= _MAX_CLEARED:
            _cleared.clear()
        _cleared.add(text)
    return found


def folder_hinted(cwd: str) -> bool:
    """Whether what is in a folder needs a closer look."""
    return hinted(cwd) or cwd.startswith("/dev")


def _hinted(text: str) -> bool:
    if not text.isascii():
        # A hole is no part of any hint, whatever it stands for; other letters may fold to ASCII ones.
        text = text.replace(HOLE, "")
        if not text.isascii():
            return True
    # Lower case first: the same expression told to ignore case takes five times as long.
    return _HINT.search(text.lower()) is not None or _GLOB.search(text) is not None


_cleared: set[str] = set()
"""Words that were seen to need no closer look; a set tells about all words of a command at once."""


def _glob_can_match(path: str, target: Text, scene: Scene) -> bool:
    folder, pattern = posixpath.split(path)
    if "tree" in target.origins:
        return protected_path(folder, scene)
    folded_pattern = folded(pattern)
    if any(mark in folder for mark in "*?["):
        secrets = (".ssh/id_rsa", ".ssh", ".aws/credentials")
        samples = [*(f"{scene.home}/{name}" for name in secrets), "/proc/1/environ", "/etc/shadow"]
        if matching(samples, path) and folder.strip("/*"):
            return True
    if "/.gnupg/private-keys" in folder:
        return True
    if folder.endswith("/.ssh") and (
        matching(SAMPLES[:2], folded_pattern) or _SSH_PUBLIC.fullmatch(f".ssh/{folded_pattern}") is None
    ):
        return True
    system = [*_SYSTEM, f"{scene.home}/.ssh", f"{scene.home}/.netrc", f"{scene.home}/.aws/credentials"]
    specific = sum(mark.isalnum() for mark in re.sub(r"\[[^]]*+(?:\]|\Z)", "x", pattern))
    if specific >= 2 and matching(system, path):
        return True
    if folded_pattern in _EVERYTHING or pattern.endswith(_TEMPLATES) or pattern.endswith(".pub"):
        return False
    # Who searches by name finds hidden files too, which a shell's star does not match.
    hidden = "listing" in target.origins and specific >= _TELLING
    return any(_is_meant(sample, folded_pattern, hidden=hidden) for sample in matching(SAMPLES, folded_pattern))


def _is_meant(sample: str, pattern: str, *, hidden: bool) -> bool:
    """Whether a glob that matches a protected name was written for such names."""
    if sample.startswith(".") and not pattern.startswith((".", "[")) and not hidden:
        return False
    if sample.endswith(".json") and pattern[:1] == "*" and len(_NO_LETTERS.sub("", pattern)) < _TELLING:
        return False
    return not sample.startswith("server") or re.search(r"\.\[?[pk?]", pattern) is not None
