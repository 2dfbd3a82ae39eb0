"""PowerShell code: cmdlets and their parameters as calls; .NET calls as in other languages."""

import re
import shlex

from omnihook.builtin.guard.languages.nodes import Call, Group, Index, Joined, Literal, Node, Ref
from omnihook.builtin.guard.languages.parsing import parse
from omnihook.builtin.guard.languages.tokens import TooLong
from omnihook.shell.tables import names
from omnihook.shell.values import Text

_MAX_CODE = 32 * 1024
_CMDLETS = {
    **dict.fromkeys(("remove-item", "ri", "rd", "del", "erase", "rmdir"), "delete"),
    **dict.fromkeys(("get-content", "gc", "type", "import-csv", "select-string"), "readFile"),
    **dict.fromkeys(("get-childitem", "gci", "dir", "ls"), "iterdir"),
    **dict.fromkeys(("set-content", "out-file", "clear-content", "sc", "clc", "export-csv"), "writeFile"),
    **dict.fromkeys(("add-content", "ac"), "appendFile"),
    **dict.fromkeys(("move-item", "mi", "rename-item", "rni"), "rename"),
    **dict.fromkeys(("copy-item", "ci", "cpi"), "copyFile"),
    **dict.fromkeys(("invoke-expression", "iex"), "eval"),
    **dict.fromkeys(("set-location", "sl", "cd", "chdir", "push-location"), "chdir"),
    **dict.fromkeys(("start-process", "saps", "start"), "spawn"),
    **dict.fromkeys(("invoke-webrequest", "iwr", "invoke-restmethod", "irm", "curl", "wget"), "fetch"),
}  # fmt: skip
_STATEMENT = re.compile(r"""(?:"(?:`.|[^"`])*"|'[^']*'|\([^()]*\)|[^;\n|"'])+""")
_WORD = re.compile(r"""\([^()]*\)|(?:"(?:`.|[^"`])*"|'[^']*'|[^\s"'])+""")
_PRINTED = re.compile(r"""(?i:(?:echo|write-output|write)\s+)?("(?:`.|[^"`])*"|'[^']*')""")
_KEYWORDS = names(
    "while if for foreach do switch function param return try catch finally throw else elseif until begin process end",
    "in filter class using",
)
_FLAGS = frozenset(
    {"-recurse", "-force", "-r", "-fo", "-rec", "-recur", "-confirm:$false", "-raw", "-append", "-verbose"}
)


def parse_powershell(text: str, origins: frozenset[str] = frozenset()) -> list[Node]:
    """The statements of a piece of code; a pipe hands what is before it on to what is after it."""
    if len(text) > _MAX_CODE:
        raise TooLong
    found: list[Node] = []
    for line in re.split(r";|\n", _bodies(text)):
        given: Node | None = None
        for piece in line.split("|"):
            node = _statement(piece.strip().lstrip("&. "), origins, given)
            if node is not None:
                found.append(node)
            printed = _PRINTED.fullmatch(piece.strip())
            given = _value(printed[1], origins) if printed is not None else node
    return [*found, *parse(text, "pwsh", origins)]


def _bodies(text: str) -> str:
    """Blocks opened up, so that what is inside them stands as statements."""
    return re.sub(r"[{}]", "\n", re.sub(r"\$\{(\w+)\}", r"$\1", text))


def _statement(piece: str, origins: frozenset[str], given: Node | None) -> Node | None:
    words = _WORD.findall(piece)
    if not words or (re.match(r"[\[$(\d\"']", piece) and not words[0].startswith("(")):
        return None
    name = words[0].lower()
    meant = _CMDLETS.get(name)
    if meant is None:
        if (
            re.fullmatch(r"[a-z][\w.-]*", words[0])
            and name not in _KEYWORDS
            and not re.search(r"[@]|\$\(", piece)
            and len(words) > 1
        ):
            return Call(Ref("system"), [Joined([_line(words, origins)])])
        return None
    operands = [_value(word, origins) for word in words[1:] if not re.match(r"-[A-Za-z]", word)]
    if given is not None and not operands:
        operands = [given]
    elif given is not None and meant == "writeFile" and len(operands) == 1:
        operands = [*operands, given]
    recursive = meant == "delete" and any(word.lower().startswith("-r") for word in words[1:])
    return Call(Ref("rmtree" if recursive else meant), operands)


def _line(words: list[str], origins: frozenset[str]) -> Node:
    parts: list[Node] = []
    for word in words:
        value = _value(word, origins)
        if word[0] in "'\"" and isinstance(value, Literal):
            value = Literal(Text(shlex.quote(value.text.text), origins))
        parts.extend((Literal(Text(" ")), value) if parts else (value,))
    return Joined(parts)


def _value(word: str, origins: frozenset[str]) -> Node:
    """One word: quoted, a variable, an expression in parentheses, or itself."""
    if word.startswith("("):
        inner = word[1:-1]
        node = _statement(inner.strip(), origins, None)
        return node if node is not None else Group(parse(inner, "pwsh", origins))
    if word.startswith("'"):
        return Literal(Text(word[1:-1], origins))
    parts: list[Node] = []
    at = 0
    plain = word.strip('"')
    for found in re.finditer(r"\$(env:)?(\w+)", plain):
        parts.append(Literal(Text(plain[at : found.start()], origins)))
        name = Literal(Text(found[2]))
        parts.append(Index(Ref("$env"), name) if found[1] else Ref("$" + found[2]))
        at = found.end()
    parts.append(Literal(Text(plain[at:], origins)))
    wanted = [part for part in parts if not (isinstance(part, Literal) and not part.text.text)]
    return wanted[0] if len(wanted) == 1 else Joined(wanted)
