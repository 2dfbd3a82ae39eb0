"""The shapes of secrets as linear-time patterns, by family; each works on a text and on the JSON form of it alike.

In the JSON form a line break is a backslash and a letter, which would hide where a word begins.
"""

import base64
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Protocol

import re2

from omnihook.journal.names import WORDS
from omnihook.journal.tokens import DISTINCT, LOOSE, MIDDLE, rows


class Match(Protocol):
    """Where a pattern was found."""

    def span(self) -> tuple[int, int]:
        """Start and end."""
        ...


class Pattern(Protocol):
    """What we use of a compiled pattern."""

    def finditer(self, text: bytes) -> Iterable[Match]:
        """Every place, first to last."""
        ...

    def search(self, text: bytes) -> Match | None:
        """The first place."""
        ...


_BEGIN = r"(?:\b|\\[bfnrt]|\\u[0-9a-f]{4})"
_GAP = r"(?:[\\\"'`\])\s]|\\[nrt])*"  # between a name and its sign
_ITEMS = r"(?:[\\\"',\s]|\\[nrt])+"  # between an option and its value, also as items of a list
_TELLING = (
    *("password", "Password", "PASSWORD", "passwd", "PASSWD", "secret", "Secret", "SECRET", "_token", "TOKEN"),
    *("token=", "api_key", "API_KEY", "apiKey", "api-key", "AKIA", "ghp_", "github_pat_", "glpat-", "xoxb-"),
    *("sk-ant-", "sk-proj-", "sk_live_", "-----BEGIN", "AccountKey", "access_key", "ACCESS_KEY", "npm_", "AIza"),
    *("PRIVATE KEY", "Bearer "),
)

# Programs that are given a secret by a short option, some of them by the same one.
LDAP = "ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapwhoami|ldappasswd|ldapcompare|ldapmodrdn"
SERVED = "mosquitto_pub|mosquitto_sub|sqlcmd|bcp|osql"
_PROGRAMS = rf"curl|https?|xhs?|zip|unzip|7z[ar]?|rar|unrar|htpasswd|openssl|{LDAP}|{SERVED}|mongo(?:sh|dump|restore)?"
_SETTERS = r"setenv|set(?:[ \t]+-[\w\-]+)+|config(?:ure)?[ \t]+set|git[ \t]+config"

_ARGUMENTS = (
    rf"\b(?:{_PROGRAMS}|smbclient|gh[ \t]+secret[ \t]+set)[ \t]+[^\s|;&]",
    rf"\b(?:{_SETTERS})(?:[ \t]+--?[\w\-]+)*[ \t]+[^\s\"'=\-][^\s\"'=]*[ \t]+[^\s\-]",
    r"--from-literal[= \t]+\\*[\"']?[\w.\-]+=[^\s]",
    r"(?i:\bidentified\s+(?:with\s+\S+\s+)?by\s|\b(?:with|encrypted)\s+password\s|\brole\s+\S+\s+password\s)",
    r"\|[ \t]*(?:sudo[ \t]+)?(?:[\w/]*/)?(?:chpasswd\b|passwd[ \t]+--stdin|sudo[ \t]+(?:-\w+[ \t]+)*-\w*S)",
    r"\bchpasswd[ \t]*<<",
)


def base64_marks() -> tuple[str, ...]:
    """What telling words look like inside base64, at each of the three places a word can begin."""
    found: dict[str, None] = {}
    for word in _TELLING:
        for shift in range(3):
            coded = base64.b64encode(b"\0" * shift + word.encode()).decode()
            first, last = -(-shift * 8 // 6), (shift + len(word)) * 8 // 6
            if last - first >= 4:
                found[coded[first:last].replace("+", r"\+")] = None
    return tuple(found)


def _any(table: tuple[tuple[str, str, str], ...]) -> str:
    return "|".join(word.replace(".", r"\.") for _, word, _ in rows(table))


FAMILIES: Mapping[str, tuple[str, ...]] = {
    # Only how tokens begin; the table says what must follow.
    "tokens": (
        rf"(?:{_any(DISTINCT)})[^\s\"'\\]{{6}}",
        rf"{_BEGIN}(?:{_any(LOOSE)})[A-Za-z0-9][A-Za-z0-9_\-]{{6}}",
        *(mark for _, mark, _, _ in MIDDLE),
    ),
    "named": (
        rf"(?i:{WORDS})[\w.\-]*{_GAP}(?:=>|:=|\+=|[:=])",
        rf"(?i:contrase)(?:[\x80-\xff]{{1,2}}|\\u00f1)as?{_GAP}[:=]",
        rf"(?:\b|_|\\[nrt])pw{_GAP}[:=]",
        rf"(?:[A-Z][A-Z0-9_]*_)?(?:KEY|PASS|PW|PSK|CREDS|AUTH|PAT|JWT|DSN|PIN|SEED){_GAP}\+?[:=]",
        # A secret's name that is itself a value: its neighbour is the secret.
        rf"(?i:{WORDS})[\w.\-]*\\*[\"'](?:\s|\\[nrt])*[,}}]",
        r"_(?:KEY|PASS|PW|PSK|CREDS|AUTH|PAT|JWT|DSN)\\*[\"'](?:\s|\\[nrt])*[,}]",
    ),
    "arguments": _ARGUMENTS,
    # A command that is a list: its words are put together before they are looked at.
    "lists": (rf"\b(?:{_PROGRAMS}|smbclient|mysql\w*|mariadb|redis-cli|docker|sshpass|gh)\\*[\"']\s*,",),
    "options": (rf"--?(?i:[\w\-]*(?:{WORDS}))[\w\-]*{_ITEMS}[^\s\-]",),
    "pairs": (
        r"[\s\"'](?:-u|--user|--proxy-user)(?:[\s=\"',\\]|\\[nrt])*[^\s:\"'\\,=]+:[^\s\"'\\]",
        r"\bsshpass(?:[\s\",\\])+-p[\s\",\\']*[^\s\"'\\]",
        r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^|;&]{0,60}?\s-p[^\s\"'\\]",
        r"\bredis-cli\b[^|;&]{0,60}?\s(?:-a|--pass)\s+[^\s\"'\\]",
        r"\bdocker\s+login\b[^|;&]{0,60}?\s-p\s*[^\s\"'\\]",
        r"\bpass:[^\s\"'\\]",
        r"(?i:login\s+\S+\s+password\s+)\S",
    ),
    "headers": (r"(?i:bearer|basic)\s+[A-Za-z0-9+/=_.~\-]{8}",),
    "urls": (r"://[^\s/\"'<>@]+@", r"[?&](?:sig|signature|key|auth|pass|pw|jwt|X-Amz-\w+|X-Goog-\w+)=[^&\s\"'\\<>]"),
    "tags": (rf"<[\w:.\-]*(?i:{WORDS})[\w:.\-]*>[^<]",),
    "blocks": (r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY", r"PuTTY-User-Key-File-"),
    "base64": base64_marks(),
    "files": (
        r"\.env|id_(?:rsa|dsa|ecdsa|ed25519)|netrc|\.pgpass|\.npmrc|\.pypirc|\.my\.cnf|credentials|vault-token|htpasswd",
        r"/etc/g?shadow|\.docker/config|\.kube/config|kubeconfig|secrets?\.(?:ya?ml|json|toml|ini)|service[_\-]account",
        r"\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfvars|tfstate|asc|gpg)|hosts\.yml|wallet\.dat",
    ),
}
# Groups, because the states of one automaton for everything would multiply.
_GROUPS = (
    ("tokens",),
    ("named", "options", "pairs", "headers", "urls", "tags", "blocks"),
    ("base64", "files", "arguments", "lists"),
)


@cache
def pattern(*families: str) -> Pattern:
    """The compiled pattern of some families together."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = 64 << 20
    parts = [part for family in families for part in FAMILIES[family]]
    made: Pattern = re2.compile("|".join(f"(?:{part})" for part in parts).encode("ascii"), options)
    return made


def suspicious(text: bytes) -> Iterable[int]:
    """Where something may be a secret, in a text or its JSON form; nothing found means that there is none."""
    for group in _GROUPS:
        for found in pattern(*group).finditer(text):
            yield found.span()[0]
