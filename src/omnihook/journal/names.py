"""Which names hold secrets: of variables, keys, headers and options, whatever their spelling."""

import re
from functools import lru_cache

# All of these are compiled when they are first needed, since a process may end without.
# Inside a name, in re2's and in Python's syntax alike; compared without regard to case.
WORDS = (
    r"passw(?:or)?d|passwd|passwort|kennwort|contrase|wachtwoord|passphrase|passcode|storepass|keypass|pwd|secret|token|credential|authorization"
    r"|cookie|api[_.\- ]?key|connection[_.\-]?string|signature|otpauth|mnemonic"
    r"|(?:access|account|admin|app|auth|client|consumer|decryption|deploy|encrypt|encryption|hmac|license|master"
    r"|private|publish|root|rsa|secret|service|session|shared(?:access)?|signing|ssh|storage|subscription|webhook|functions)[_.\-]?key"
    r"|x-(?:[a-z]+-)*key|(?:become|sudo|ssh|db|mysql|pg|smtp|mail|ftp|user|admin|root|login|ldap|proxy)[_\-]pass"
)
_HOLDS_UPPER = r"(?:^|_)(?:KEY|PASS|PW|PSK|CREDS|AUTH|PAT|JWT|DSN|PIN|SEED)$|(?:^|[_\-])pw$"
# What is about a secret without being one.
_ABOUT = (
    r"[_\-]pass(?:es|ed|ing|enger|age|port|_?through)|tokens|tokeniz|tokenis|token_?(?:count|limit|budget|usage|type|kind|url|uri|name|class)|secretar"
    r"|(?:^|[_.\-])(?:id|ids|name|names|url|uri|path|file|files|dir|type|kind|length|len|count|size|policy|field|fields"
    r"|expiry|expires|ttl|enabled|required|prompt|hint|label|strength|provider|version|format|status|expiresin|expiresat"
    r"|expires_in|expires_at|exp|stdin|manager|store|helper|scanner|scanning)$"
)
_CAMEL = r"(?<=[a-z0-9])(?=[A-Z])"


@lru_cache(maxsize=4096)
def holds_secret(name: str) -> bool:
    """Whether what stands under a name is a secret."""
    if len(name) > 200:
        return False
    if re.search(WORDS, name, re.IGNORECASE) is None:
        return re.search(_HOLDS_UPPER, name) is not None
    return re.search(_ABOUT, re.sub(_CAMEL, "_", name).strip("-_. "), re.IGNORECASE) is None


# Pairs in which one value is the name of the other.
NAMING = ("name", "key", "Name", "Key", "header", "variable", "id", "field", "parameter", "ParameterKey", "OptionName")
VALUED = frozenset({"value", "Value", "values", "val", "secretValue", "stringValue", "ParameterValue", "contents"})
# Keys under a secret's name that tell about it.
_DESCRIBING = frozenset(
    {
        *("type", "description", "title", "name", "id", "format", "kind", "enum", "required", "default", "pattern"),
        *("examples", "label", "hint", "placeholder", "path", "file", "url", "uri", "user", "username", "email"),
        *("host", "port", "region", "minLength", "maxLength", "scope", "scopes", "expires", "created", "updated"),
        *("status", "nullable", "readOnly", "writeOnly", "sensitive", "optional", "items", "properties", "$ref"),
        *("anyOf", "oneOf", "message", "error", "line", "column", "source", "help", "metavar", "env", "provider"),
        *("domain", "method"),
    }
)


@lru_cache(maxsize=1024)
def describes(key: str) -> bool:
    """Whether a key under a secret's name tells about the secret and does not hold it."""
    return key in _DESCRIBING or re.search(_ABOUT, re.sub(_CAMEL, "_", key), re.IGNORECASE) is not None


def paired(name: str, value: str) -> bool:
    """Whether a list of these two is a header or a variable with its secret, and not a list of names."""
    return holds_secret(name) and ("-" in name or re.fullmatch(r"[A-Za-z_.\- ]*", value) is None)


HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})

# Keys under which agents put what a tool is given, and what it gave back.
INPUTS = frozenset(
    {"tool_input", "toolInput", "tool_args", "toolArgs", "args", "arguments", "input", "parameters", "command"}
)
RESPONSES = frozenset(
    {
        *("tool_response", "toolResponse", "tool_output", "toolOutput", "tool_result", "toolResult", "result"),
        *("output", "response", "stdout", "stderr", "content", "contents", "text", "file_text", "fileText"),
        *("new_string", "old_string", "newString", "oldString", "new_content", "newContent", "originalFile", "patch"),
        *("old_str", "new_str", "new_source", "structuredPatch", "diff", "data", "body", "lines", "edits"),
    }
)
PLAIN = frozenset({"file_path", "filePath", "path", "type", "filename", "mode", "name", "id", "tool_use_id", "cwd"})

# Files whose content is secret as a whole, but not their templates.
FILES = (
    r"(?:\.env(?:rc|\.[\w.\-]+)?|[\w\-]*\.env|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|\.?_?netrc|\.pgpass|\.npmrc|\.pypirc"
    r"|\.my\.cnf|\.git-credentials|\.vault-token|\.?htpasswd|/etc/g?shadow|\.aws/credentials|credentials(?:\.\w+)?"
    r"|\.docker/config\.json|\.kube/config|kubeconfig|secrets?\.(?:ya?ml|json|toml|ini)|service[_\-]account[\w\-]*\.json"
    r"|[\w.\-]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfvars|tfstate|asc|gpg)|hosts\.yml|wallet\.dat)"
)
_PROTECTED = rf"(?:^|[\s/'\"=<>(:@,]){FILES}(?=$|[\s'\"<>|;&):,])"
_TEMPLATE = r"\.(?:example|sample|template|dist|defaults?|test|pub)$"


def names_protected_file(text: str) -> bool:
    """Whether a path or a command names a file whose content is a secret."""
    return any(re.search(_TEMPLATE, found[0]) is None for found in re.finditer(_PROTECTED, text[:8192]))
