"""Files that no built-in hands to git: by their name, or because a key or a well-known token stands in them.

Wider than what the guard protects: a file that is left out by mistake can be added by hand.
"""

import os
import re
import stat
from fnmatch import fnmatchcase
from functools import cache

from omnihook.builtin.guard.places import Scene
from omnihook.builtin.guard.protected import folded, is_template, protected_path

MAX_BYTES = 1 << 20  # of a file that is looked into
_GLOBS = (
    *(".netrc", "_netrc", ".pgpass", ".envrc", ".git-credentials", ".vault-token", "*.env", "kubeconfig"),
    *("*.kubeconfig", "*secret*.yaml", "*secret*.yml", "*secret*.json", "service-account*.json"),
    *("service_account*.json", "*.tfstate", "*.tfstate.*", "*.p12", "*.pfx", "*.jks", "*.keystore"),
)
# Names that programs have as well: `env.py` and `secrets.ts` are code, and are only looked into.
_UNLESS_CODE = ("env.*", "secrets.*", "id_*")
_CODE = re.compile(
    r"\.(?:[cm]?[jt]sx?|pyi?|rs|go|java|kts?|rb|php|cs|swift|scala|ex|c|h|cc|cpp|hpp|md|rst|html|css|sql|pub)$"
)
_KEY = re.compile(
    rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:\\[rn]|\s|[\"'+,])*(?:[A-Za-z0-9+/]{16}|[A-Z][A-Za-z\-]+: )"
)
_NO_PROOF = frozenset({"jwt", "twitter", "facebook", "alibaba", "tencent"})  # found in ordinary files, too


def why(path: str, scene: Scene) -> str | None:
    """Why an absolute path stays out of git; None when nothing is known against it."""
    if protected_path(path, scene) or secret_name(os.path.basename(path)):
        return "its name is that of a file with secrets"
    return "it holds a private key or a token" if _holds_secret(path) else None


def secret_name(name: str) -> bool:
    """Whether files of this name hold secrets, wherever they are."""
    plain = folded(name)
    if is_template(plain):
        return False
    if any(fnmatchcase(plain, glob) for glob in _GLOBS):
        return True
    return _CODE.search(plain) is None and any(fnmatchcase(plain, glob) for glob in _UNLESS_CODE)


def _holds_secret(path: str) -> bool:
    try:
        # Neither a link nor a pipe is opened: git would not keep what is behind it.
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError):
        return False
    if len(data) > MAX_BYTES or b"\0" in data[:8192]:
        return False
    return _KEY.search(data) is not None or any(
        word in data and pattern.search(data) is not None for word, pattern in _tokens()
    )


@cache
def _tokens() -> tuple[tuple[bytes, re.Pattern[bytes]], ...]:
    """The beginning of each token, which is quickly looked for, and the whole of it, where a word begins."""
    from omnihook.journal.tokens import DISTINCT, rows

    return tuple(
        (word.encode(), re.compile(rb"(?<![A-Za-z0-9+/_\-])" + re.escape(word).encode() + rest.encode()))
        for kind, word, rest in rows(DISTINCT)
        if kind not in _NO_PROOF and not word.startswith(("pk_", ".webhook"))
    )
