"""Python code on a command line: a walk over its syntax tree, following only constants."""

import ast
import base64
import binascii
import itertools
import shlex
import warnings
from collections.abc import Iterator

from omnihook.builtin.guard.commands.modes import mode_rule
from omnihook.builtin.guard.effects import Act, Do, Effect, Note, Shell
from omnihook.builtin.guard.languages.scanner import scan
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text, unknown

_MAX_CODE = 32 * 1024
_MAX_NODES = 4_000
_SHELL_CALLS = names(
    "system popen getoutput getstatusoutput run call check_call check_output Popen spawn",
    "create_subprocess_shell create_subprocess_exec",
)
_EXEC_CALLS = names(
    "execl execle execlp execlpe execv execve execvp execvpe spawnl spawnlp spawnv spawnvp posix_spawn",
    "posix_spawnp",
)
_DELETE_TREE = frozenset({"rmtree", "removedirs"})
_DELETE = frozenset({"remove", "unlink", "rmdir"})
_READ = names("open read_text read_bytes load_workbook FileInput input readlines read_csv")
_WRITE = frozenset({"write_text", "write_bytes", "touch", "truncate"})
_COPY = names("copy copy2 copyfile copytree copyfileobj link symlink")
_MOVE = frozenset({"move", "rename", "replace", "renames"})
_USE = frozenset({"load_dotenv", "dotenv_values", "load_cert_chain"})
_NETWORK = names("urlopen urlretrieve get post request HTTPSConnection HTTPConnection recv")
_OWNERS = names(
    "os shutil subprocess pty commands Path pathlib asyncio io codecs fileinput posix platform pexpect sh",
)
_AMBIGUOUS = names("remove replace copy run call input move link open spawn get")


def python_acts(code: Text, home: str) -> Iterator[Act]:
    """What the code does; text that is not Python 3 is read by the plain scanner."""
    if len(code.text) > _MAX_CODE:
        yield from scan(code, "python")
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(_dedented(code.text.replace(HOLE, "_unknown_")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from scan(code, "python")
        return
    yield from _Walk(code, home).acts(tree)


def _dedented(text: str) -> str:
    lines = text.strip("\n").split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[margin:] if not line[:margin].strip() else line for line in lines)


class _Walk:
    """One pass: names bound to constants, and calls that matter."""

    def __init__(self, code: Text, home: str) -> None:
        self._home = Text(home)
        self._origins = code.origins
        self._values: dict[str, list[Text]] = {}
        self._modules: dict[str, str] = {}
        self._names: set[str] = set()

    def acts(self, tree: ast.AST) -> Iterator[Act]:
        nodes = list(itertools.islice(ast.walk(tree), _MAX_NODES + 1))
        if len(nodes) > _MAX_NODES:
            yield Note("too-complex", "long Python code")
            return
        for node in sorted(nodes, key=lambda node: getattr(node, "lineno", 0)):
            self._bind(node)
        for node in nodes:
            if isinstance(node, ast.Call):
                yield from self._call(node)
            elif isinstance(node, ast.While | ast.For | ast.ListComp | ast.GeneratorExp):
                yield from self._loop(node)
            elif isinstance(node, ast.FunctionDef):
                yield from self._recursion(node)
        if "connect" in self._names and ("dup2" in self._names or self._opens_shell()):
            yield Note("reverse-shell", "Python socket connected to a shell")

    def _opens_shell(self) -> bool:
        return "socket" in self._names and bool(self._names & {"spawn", "Popen", "call"})

    def _bind(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found = self._texts(value)
                if found:
                    self._values[name] = [*self._values.get(name, []), *found][:8]
            case ast.For(target=ast.Name(id=name), iter=ast.List(elts=items) | ast.Tuple(elts=items)):
                self._values[name] = [text for item in items for text in self._texts(item)][:32]
            case (
                ast.For(target=ast.Name(id=name), iter=iterated)
                | ast.comprehension(target=ast.Name(id=name), iter=iterated)
            ):
                found = self._texts(iterated)
                if found:
                    self._values[name] = found
            case ast.With(items=items):
                for item in items:
                    if isinstance(item.optional_vars, ast.Name) and (found := self._texts(item.context_expr)):
                        self._values[item.optional_vars.id] = found
            case ast.Import(names=names):
                for alias in names:
                    self._modules[alias.asname or alias.name.split(".")[0]] = alias.name.split(".")[0]
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    self._modules[alias.asname or alias.name] = f"{module or ''}:{alias.name}"
            case _:
                pass

    def _function(self, node: ast.expr) -> tuple[str, str, ast.expr | None]:
        """(owner, name, object) of what is called: `os.system` is ("os", "system", ...)."""
        match node:
            case ast.Name(id=name):
                module, _, original = self._modules.get(name, "").partition(":")
                return (module, original or name, None)
            case ast.Attribute(value=value, attr=name):
                return (self._owner(value), name, value)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]):
                return (self._owner(owner), name, owner)
            case _:
                return ("", "", None)

    def _owner(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return self._modules.get(name, name).partition(":")[0]
            case ast.Attribute(attr=name):
                return name
            case ast.Call(func=ast.Name(id="__import__"), args=[ast.Constant(value=str(name)), *_]):
                return name
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
                return name
            case ast.Call(func=function):
                return self._function(function)[1]
            case ast.BinOp():
                return "Path"
            case _:
                return ""

    def _call(self, node: ast.Call) -> Iterator[Act]:
        owner, name, target = self._function(node.func)
        self._names.add(name)
        if not name:
            return
        if name in ("eval", "exec", "compile") and not owner:
            yield from self._evaluated(node)
            return
        if name in _AMBIGUOUS and owner and owner not in _OWNERS and not owner.startswith("Path"):
            return
        if name in _SHELL_CALLS and (owner or name in ("Popen", "check_output")) and node.args:
            yield from self._shell(node)
        elif name in _EXEC_CALLS:
            yield from self._executed(node)
        else:
            yield from self._file(node, owner, name, target)

    def _shell(self, node: ast.Call) -> Iterator[Act]:
        first = node.args[0]
        if isinstance(first, ast.List | ast.Tuple):
            words = [self._texts(item) for item in first.elts]
            line = " ".join(_word(texts[0]) if texts else HOLE for texts in words)
            yield Shell(Text(line, self._origins))
        else:
            for text in self._texts(first):
                yield Shell(text)

    def _executed(self, node: ast.Call) -> Iterator[Act]:
        words: list[str] = []
        for argument in node.args:
            items = argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
            words.extend(_word(texts[0]) for item in items if (texts := self._texts(item)))
        if words:
            yield Shell(Text(" ".join(words[1:] if len(words) > 1 else words), self._origins))

    def _file(self, node: ast.Call, owner: str, name: str, target: ast.expr | None) -> Iterator[Act]:
        """Calls on paths: the path is the first argument, or the object of a Path method."""
        mine = self._texts(target) if target is not None and owner not in ("os", "shutil", "io", "codecs") else []
        given = self._texts(node.args[0]) if node.args else []
        paths = mine or given
        second = self._texts(node.args[1]) if len(node.args) > 1 else []
        if name in _DELETE_TREE or name in _DELETE:
            yield from (Effect(Do.DELETE, path, name in _DELETE_TREE) for path in paths)
        elif name in _READ:
            mode = (given if mine else second) or [
                text for key in node.keywords if key.arg == "mode" for text in self._texts(key.value)
            ]
            writes = any(mark in text.text for text in mode for mark in "wax+") and not any(
                "/" in text.text for text in mode
            )
            yield from (Effect(Do.WRITE if writes else Do.READ, path) for path in paths)
        elif name in _WRITE:
            yield from (Effect(Do.WRITE, path) for path in paths)
        elif name in _COPY:
            yield from (Effect(Do.READ, path) for path in given)
            yield from (Effect(Do.WRITE, path) for path in second)
        elif name in _MOVE:
            yield from (Effect(Do.MOVE, path) for path in (mine or given))
            yield from (Effect(Do.WRITE, path) for path in (given if mine else second))
        elif name == "make_archive" and len(node.args) > 2:
            yield from (Effect(Do.READ, path) for path in self._texts(node.args[2]))
        elif name in _USE:
            yield from (Effect(Do.USE, path) for path in given)
        elif name in ("chmod", "fchmod", "lchmod"):
            mode_node = node.args[0] if mine else (node.args[1] if len(node.args) > 1 else None)
            if isinstance(mode_node, ast.Constant) and isinstance(mode_node.value, int):
                rule = mode_rule(oct(mode_node.value)[2:])
                if rule:
                    yield Note(rule, f"chmod {oct(mode_node.value)}")

    def _evaluated(self, node: ast.Call) -> Iterator[Act]:
        if not node.args:
            return
        called = {self._function(inner.func)[1] for inner in ast.walk(node.args[0]) if isinstance(inner, ast.Call)}
        if called & _NETWORK:
            yield Note("run-remote", "Python runs code from the network")
            return
        for text in self._texts(node.args[0]):
            if text.known:
                yield from python_acts(text, self._home.text)

    def _loop(self, node: ast.AST) -> Iterator[Act]:
        calls = {self._function(inner.func)[1] for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        unbounded = not isinstance(node, ast.For) or calls & {"count", "cycle", "iter", "repeat"}
        if "fork" in calls and unbounded:
            yield Note("fork-bomb", "Python forks in a loop")
        endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        if endless and calls & {"Popen", "Process", "start"} and not calls & {"wait", "sleep", "join", "communicate"}:
            yield Note("fork-bomb", "Python starts processes in an endless loop")

    def _recursion(self, node: ast.FunctionDef) -> Iterator[Act]:
        calls = {self._function(inner.func)[1] for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        if node.name in calls and calls & {"fork", "Popen", "Process"}:
            yield Note("fork-bomb", "Python forks and calls itself")

    def _texts(self, node: ast.expr | None) -> list[Text]:
        """The strings an expression can be, empty when nothing is known."""
        match node:
            case ast.Constant(value=str(value)):
                text = value.replace("_unknown_", HOLE)
                return [Text(text, self._origins if HOLE in text else frozenset())]
            case ast.Constant(value=bytes(value)):
                return [Text(value.decode("utf-8", "replace"))]
            case ast.Name(id=name):
                return self._values.get(name, [])
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [text for item in items[:32] for text in self._texts(item)]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _pairs(self._texts(left), self._texts(right), "")
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return _pairs(self._texts(left), self._texts(right) or [unknown("variable")], "/")
            case ast.JoinedStr(values=parts):
                return self._formatted(parts)
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value="HOME")):
                return [self._home]
            case ast.Call():
                return self._called(node)
            case ast.Attribute(value=value, attr="parent"):
                return [Text(text.text.rstrip("/") + "/..", text.origins) for text in self._texts(value)]
            case ast.Attribute(attr="sep"):
                return [Text("/")]
            case _:
                return []

    def _at_home(self, text: Text) -> Text:
        """`~` and `$HOME` expanded."""
        for mark in ("~", "$HOME", "${HOME}"):
            if text.text == mark or text.text.startswith(mark + "/"):
                return Text(self._home.text + text.text[len(mark) :], text.origins, text.pattern)
        return text

    def _formatted(self, parts: list[ast.expr]) -> list[Text]:
        texts = [Text("")]
        for part in parts:
            value = part.value if isinstance(part, ast.FormattedValue) else part
            texts = _pairs(texts, self._texts(value) or [unknown("variable")], "")
        return texts

    def _called(self, node: ast.Call) -> list[Text]:
        owner, name, target = self._function(node.func)
        first = self._texts(node.args[0]) if node.args else []
        match name:
            case (
                "expanduser"
                | "expandvars"
                | "abspath"
                | "realpath"
                | "Path"
                | "PurePath"
                | "PosixPath"
                | "str"
                | "normpath"
            ):
                texts = first or (self._texts(target) if name == "expanduser" else [])
                return [self._at_home(text) for text in texts] if name.startswith("expand") else texts
            case "open" | "resolve" | "absolute" | "decode" | "encode" | "strip" | "as_posix":
                return self._texts(target) if target is not None and owner not in ("io", "os") else first
            case "home":
                return [self._home]
            case "getcwd" | "cwd":
                return [Text(".")]
            case "join" if owner == "path":
                texts = first
                for argument in node.args[1:]:
                    texts = _pairs(texts, self._texts(argument) or [unknown("variable")], "/")
                return texts
            case "joinpath":
                return _pairs(self._texts(target), first or [unknown("variable")], "/")
            case "getenv" | "get" if first and first[0].text == "HOME":
                return [self._home]
            case "glob" | "iglob" | "rglob":
                base = [] if target is None or owner == "glob" else self._texts(target)
                found = _pairs(base, first, "/") if base else first
                return [Text(text.text, text.origins, text.text) for text in found]
            case "iterdir" | "listdir" | "scandir":
                folders = first or (self._texts(target) if target is not None else [])
                return [
                    Text(folder.text.rstrip("/") + "/*", frozenset(), folder.text.rstrip("/") + "/*")
                    for folder in folders
                ]
            case "b64decode" | "fromhex" | "unhexlify":
                return [Text(decoded) for text in first if (decoded := _decoded(name, text.text)) is not None]
            case "chr" if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, int):
                return [Text(chr(node.args[0].value))] if 0 <= node.args[0].value < 0x110000 else []
            case _:
                return []


def _decoded(name: str, text: str) -> str | None:
    try:
        raw = base64.b64decode(text) if name == "b64decode" else bytes.fromhex(text)
        return raw.decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return None


def _pairs(left: list[Text], right: list[Text], between: str) -> list[Text]:
    return [
        Text(one.text + between + two.text, one.origins | two.origins)
        for one, two in itertools.islice(itertools.product(left, right), 16)
    ]


def _word(text: Text) -> str:
    """A word quoted for the shell, with holes left bare so that they stay holes."""
    return text.text if HOLE in text.text else shlex.quote(text.text)
