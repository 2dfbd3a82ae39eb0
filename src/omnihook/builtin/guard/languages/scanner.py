"""A small scanner for code in C-like and script languages: calls with literal arguments, nothing else.

It looks for a name followed by literals, so text that is only printed stays text.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from omnihook.builtin.guard.commands.deleting import replaced
from omnihook.builtin.guard.commands.modes import mode_rule
from omnihook.builtin.guard.effects import Act, Do, Effect, Note, Shell
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text

LANGUAGES = names(
    "node deno bun perl ruby php lua awk julia Rscript osascript elixir groovy pwsh python swift tclsh",
)
_MAX_TOKENS = 4_000
_SLASH_COMMENTS = frozenset({"node", "deno", "bun", "php", "groovy", "swift"})
_TOKEN = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<command>`(?:\\.|[^`\\])*`|\b(?:qx|%x)\s*(?:\{[^{}]*\}|\([^()]*\)|/[^/]*/|\[[^\[\]]*\]))
      | (?P<name>[A-Za-z_$@%][\w$]*(?:(?:\.|::|->|:)[A-Za-z_]\w*)*[!?]?)
      | (?P<number>0o?[0-7]+|\d+)
      | (?P<comment>//[^\n]*|\#[^\n]*)
      | (?P<mark>[^\s])""",
    re.X,
)
_SHELL = names(
    "system exec popen popen3 shell_exec passthru proc_open execSync spawn spawnSync execFile execFileSync",
    "capture2 capture3 capture2e execute sh run spawn! system! pipeline execvp getoutput check_output Popen",
    "call os:cmd shell Invoke-Expression iex",
)
_TREE = names(
    "rmSync rm rmdirSync rmdir rm_rf rm_r remove_dir remove_entry rmtree remove_tree rimraf removeSync",
    "emptyDirSync remove_entry_secure rm_f unlink_recursive rm_rf! rf",
)
_DELETE = frozenset({"unlinkSync", "unlink", "delete", "remove", "Remove-Item"})
_READ = names(
    "readFileSync readFile createReadStream read open fopen file_get_contents file readfile openSync",
    "readlines readTextFile slurp read_file parse_ini_file binread foreach lines readLines Get-Content",
    "copyFileSync copyFile cpSync cp copy show_source highlight_file",
)
_COPY = names("copyFileSync copyFile cpSync cp copy")
_WRITE = names(
    "writeFileSync writeFile appendFileSync appendFile write file_put_contents createWriteStream truncateSync",
    "writeTextFile binwrite truncate outputFileSync",
)
_MOVE = frozenset({"renameSync", "rename", "mv", "moveSync", "move"})
_LOOPS = frozenset({"while", "loop", "until", "for", "times", "forever"})
_FORKS = frozenset({"fork", "pcntl_fork", "Process.fork"})
_SOCKETS = re.compile(r"TCPSocket|fsockopen|Socket|socket|net\.connect|createConnection|INET|TcpClient|net\.Socket")
_STARTS = names("exec spawn system proc_open popen shell_exec passthru execvp call Popen")
_FETCHES = re.compile(
    r"\b(fetch|https?\.get|URI\.open|open-uri|LWP|axios|DownloadString|Invoke-WebRequest|iwr|urlopen|curl_exec)\b|https?://"
)
_PRINTS = names(
    "print puts echo say printf console.log log p pp io.write write print_r var_dump error warn raise die",
    "format match test sub gsub includes index",
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


def scan(code: Text, language: str) -> Iterator[Act]:
    """What the calls in a piece of code do."""
    tokens = _tokens(code.text, language)
    if len(tokens) > _MAX_TOKENS:
        yield Note("too-complex", f"long {language} code")
        return
    names = {token.text for token in tokens if token.kind == "name"}
    yield from _wholes(code, tokens, names)
    values = _assignments(tokens)
    for place, token in enumerate(tokens):
        if token.kind == "command" and (language in ("ruby", "perl", "php") or not token.text.startswith("`")):
            yield Shell(Text(_command_text(token.text), code.origins))
        elif token.kind == "name":
            yield from _call(tokens, place, values, code, language)
    if language == "tclsh":
        for match in re.finditer(r"(?:^|[;\n\[{])[ \t]*(?:exec|spawn|system)[ \t]+([^\n;\]}]+)", code.text):
            yield Shell(Text(match[1], code.origins))
    if language == "awk":
        yield from _awk_pipes(tokens, code)
    if language == "osascript":
        for match in re.finditer(r'do shell script\s+"((?:\\.|[^"\\])*)"', code.text):
            yield Shell(Text(unescape_ansi_c(match[1]), code.origins))


def _tokens(text: str, language: str) -> list[_Token]:
    found: list[_Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "mark"
        if kind == "comment" and (match[0].startswith("//") != (language in _SLASH_COMMENTS)) and language != "php":
            found.append(_Token("mark", match[0][0]))
            continue
        if kind != "comment":
            found.append(_Token(kind, match[0]))
        if len(found) > _MAX_TOKENS:
            break
    return found


def _wholes(code: Text, tokens: list[_Token], names: set[str]) -> Iterator[Act]:
    """What shows only in the code as a whole: fork bombs, reverse shells, code fetched and evaluated."""
    last = {name.rsplit(".", 1)[-1] for name in names}
    if last & _FORKS and names & _LOOPS:
        yield Note("fork-bomb", "forks in a loop")
    starts = last & _STARTS
    strings = [token.text for token in tokens if token.kind == "string"]
    shell = any(re.search(r"\b(ba|z|da|k)?sh\b|cmd\.exe", text) for text in strings)
    if starts and shell and any(_SOCKETS.search(name) for name in names | set(strings)):
        yield Note("reverse-shell", "a socket connected to a shell")
    endless = bool(names & {"while", "loop"}) and bool(
        re.search(r"while[\s(]*(1|true)|loop\s*[{d]|for\s*\(\s*;\s*;", code.text)
    )
    endless = endless or "setInterval" in names or (bool(names & {"while"}) and any("&" in text for text in strings))
    if endless and last & {"spawn", "fork", "exec", "Popen", "system"} and not last & {"wait", "sleep", "waitpid"}:
        yield Note("fork-bomb", "starts processes in an endless loop")
    if last & {"eval", "Function", "Invoke-Expression", "iex", "instance_eval", "runInThisContext"} and _FETCHES.search(
        code.text
    ):
        yield Note("run-remote", "evaluates code from the network")


def _assignments(tokens: list[_Token]) -> dict[str, str]:
    """Names bound to one literal."""
    values: dict[str, str] = {}
    for place in range(len(tokens) - 2):
        name, equals, value = tokens[place : place + 3]
        if name.kind == "name" and equals.text == "=" and value.kind == "string":
            values[name.text] = _literal(value.text)
    return values


def _call(tokens: list[_Token], place: int, values: dict[str, str], code: Text, language: str) -> Iterator[Act]:
    name = tokens[place].text
    last = re.split(r"\.|::|->|:", name)[-1]
    following = tokens[place + 1].text if place + 1 < len(tokens) else ""
    direct = place + 1 < len(tokens) and tokens[place + 1].kind == "string"
    bare = place + 1 < len(tokens) and tokens[place + 1].kind == "name"
    direct = direct or (language == "perl" and last in ("open", "unlink", "system", "exec") and bare)
    if following != "(" and not (
        direct and language in ("ruby", "perl", "php", "lua", "awk", "pwsh", "tclsh", "groovy")
    ):
        return
    if name in _PRINTS or last not in _KNOWN:
        return
    given = _arguments(tokens, place + 1, values)
    if not given:
        return
    texts = [Text(text, code.origins, text if "glob" in code.text and "*" in text else None) for text in given]
    if last in _SHELL and not (language == "python" and last == "exec"):
        yield from _shell(given, last, code)
    elif last in _TREE:
        yield from (Effect(Do.DELETE, text, True) for text in texts[:8])
    elif last in _DELETE:
        yield from (Effect(Do.DELETE, text) for text in texts[:8])
    elif last in _MOVE:
        yield from (Effect(Do.MOVE, text) for text in texts[:1])
    elif last in _COPY:
        yield Effect(Do.READ, texts[0])
        for target in texts[1:2]:
            yield from replaced((texts[0],), target)
    elif last in _READ:
        yield from _opened(texts, code)
    elif last in _WRITE:
        yield Effect(Do.WRITE, texts[0])
    elif last in ("chmod", "chmodSync", "lchmod"):
        for text in given:
            rule = mode_rule(text.removeprefix("0o")) if re.fullmatch(r"0?o?[0-7]{3,4}", text) else None
            if rule:
                yield Note(rule, f"{last} {text}")


def _opened(texts: list[Text], code: Text) -> Iterator[Act]:
    """`open` in Perl may name a mode first, or a command before or after a bar."""
    modes = [text.text for text in texts if re.fullmatch(r"[<>+rwab|-]{1,3}(:.*)?", text.text)]
    for text in texts:
        stripped = text.text.strip()
        if stripped.startswith("|") or stripped.endswith("|"):
            if stripped.strip("|- "):
                yield Shell(Text(stripped.strip("|"), code.origins))
        elif stripped.startswith(">"):
            yield Effect(Do.WRITE, Text(stripped.lstrip("> "), code.origins))
        elif stripped not in modes:
            path = Text(stripped.lstrip("< "), code.origins)
            yield Effect(Do.WRITE if any(mark in mode for mode in modes for mark in ">wa") else Do.READ, path)
            break


def _shell(given: list[str], last: str, code: Text) -> Iterator[Act]:
    """One string is a command line; several are a command and its arguments."""
    if len(given) == 1 or (" " in given[0].strip() and last != "spawn"):
        yield Shell(Text(given[0], code.origins))
    else:
        yield Shell(Text(" ".join(shlex.quote(text) for text in given), code.origins))


def _arguments(tokens: list[_Token], place: int, values: dict[str, str]) -> list[str]:
    """The literal arguments of a call: strings joined by `+`, `.` or nothing, lists flattened, the rest holes."""
    given: list[str] = []
    depth, join = 0, False
    for token in tokens[place : place + 60]:
        text = _value(token, values)
        if text is not None:
            if join and given:
                given[-1] += text
            else:
                given.append(text)
            join = token.kind == "string"
        elif token.text in "([{":
            depth, join = depth + 1, False
        elif token.text in ")]}":
            depth, join = depth - 1, False
            if depth <= 0:
                break
        elif token.text in ("+", ".", ".."):
            join = True
        elif token.kind == "name" and join and given:
            given[-1] += HOLE
        elif token.text == ";" and depth <= 0:
            break
        else:
            join = False
    return given


def _value(token: _Token, values: dict[str, str]) -> str | None:
    """What a token is worth as an argument, or None."""
    if token.kind in ("string", "command"):
        return _literal(token.text)
    if token.kind == "number":
        return token.text
    return values.get(token.text) if token.kind == "name" else None


def _literal(token: str) -> str:
    body = token[1:-1]
    return unescape_ansi_c(body) if token.startswith('"') else body.replace("\\'", "'").replace("\\\\", "\\")


def _command_text(token: str) -> str:
    return token[1:-1] if token.startswith("`") else re.sub(r"^(?:qx|%x)\s*", "", token)[1:-1]


def _awk_pipes(tokens: list[_Token], code: Text) -> Iterator[Act]:
    """`"cmd" | getline` and `print | "cmd"`, and files that awk reads or writes by name."""
    for place, token in enumerate(tokens):
        if token.kind != "string":
            continue
        before = tokens[place - 1].text if place else ""
        after = tokens[place + 1].text if place + 1 < len(tokens) else ""
        if before == "|" or after == "|":
            yield Shell(Text(_literal(token.text), code.origins))
        elif before == ">":
            yield Effect(Do.WRITE, Text(_literal(token.text), code.origins))
        elif before == "<":
            yield Effect(Do.READ, Text(_literal(token.text), code.origins))


_KNOWN = _SHELL | _TREE | _DELETE | _COPY | _READ | _WRITE | _MOVE | {"chmod", "chmodSync", "lchmod"}
