"""Python code on a command line: a walk over its syntax tree, following only constants."""

import ast
import itertools
import shlex
import warnings
from collections.abc import Iterator

from omnihook.builtin.guard.commands.deleting import replaced
from omnihook.builtin.guard.commands.modes import mode_rule
from omnihook.builtin.guard.effects import Act, Do, Effect, Note, Shell
from omnihook.builtin.guard.languages.python_constants import Constants
from omnihook.builtin.guard.languages.scanner import scan
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text

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
        self._known = Constants(code, home)
        self._origins = code.origins
        self._names: set[str] = set()

    def acts(self, tree: ast.AST) -> Iterator[Act]:
        nodes = list(itertools.islice(ast.walk(tree), _MAX_NODES + 1))
        if len(nodes) > _MAX_NODES:
            yield Note("too-complex", "long Python code")
            return
        for node in sorted(nodes, key=lambda node: getattr(node, "lineno", 0)):
            self._known.bind(node)
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

    def _call(self, node: ast.Call) -> Iterator[Act]:
        owner, name, target = self._known.function(node.func)
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
            words = [self._known.texts(item) for item in first.elts]
            line = " ".join(_word(texts[0]) if texts else HOLE for texts in words)
            yield Shell(Text(line, self._origins))
        else:
            for text in self._known.texts(first):
                yield Shell(text)

    def _executed(self, node: ast.Call) -> Iterator[Act]:
        words: list[str] = []
        for argument in node.args:
            items = argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
            words.extend(_word(texts[0]) for item in items if (texts := self._known.texts(item)))
        if words:
            yield Shell(Text(" ".join(words[1:] if len(words) > 1 else words), self._origins))

    def _file(self, node: ast.Call, owner: str, name: str, target: ast.expr | None) -> Iterator[Act]:
        """Calls on paths: the path is the first argument, or the object of a Path method."""
        mine = self._known.texts(target) if target is not None and owner not in ("os", "shutil", "io", "codecs") else []
        given = self._known.texts(node.args[0]) if node.args else []
        paths = mine or given
        second = self._known.texts(node.args[1]) if len(node.args) > 1 else []
        if name in _DELETE_TREE or name in _DELETE:
            yield from (Effect(Do.DELETE, path, name in _DELETE_TREE) for path in paths)
        elif name in _READ:
            mode = (given if mine else second) or [
                text for key in node.keywords if key.arg == "mode" for text in self._known.texts(key.value)
            ]
            writes = any(mark in text.text for text in mode for mark in "wax+") and not any(
                "/" in text.text for text in mode
            )
            yield from (Effect(Do.WRITE if writes else Do.READ, path) for path in paths)
        elif name in _WRITE:
            yield from (Effect(Do.WRITE, path) for path in paths)
        elif name in _COPY:
            yield from (Effect(Do.READ, path) for path in given)
            for path in second:
                yield from replaced(tuple(given), path)
        elif name in _MOVE:
            yield from (Effect(Do.MOVE, path) for path in (mine or given))
            yield from (Effect(Do.WRITE, path) for path in (given if mine else second))
        elif name == "make_archive" and len(node.args) > 2:
            yield from (Effect(Do.READ, path) for path in self._known.texts(node.args[2]))
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
        called = {
            self._known.function(inner.func)[1] for inner in ast.walk(node.args[0]) if isinstance(inner, ast.Call)
        }
        if called & _NETWORK:
            yield Note("run-remote", "Python runs code from the network")
            return
        for text in self._known.texts(node.args[0]):
            if text.known:
                yield from python_acts(text, self._known.home.text)

    def _loop(self, node: ast.AST) -> Iterator[Act]:
        calls = {self._known.function(inner.func)[1] for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        unbounded = not isinstance(node, ast.For) or calls & {"count", "cycle", "iter", "repeat"}
        if "fork" in calls and unbounded:
            yield Note("fork-bomb", "Python forks in a loop")
        endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        if endless and calls & {"Popen", "Process", "start"} and not calls & {"wait", "sleep", "join", "communicate"}:
            yield Note("fork-bomb", "Python starts processes in an endless loop")

    def _recursion(self, node: ast.FunctionDef) -> Iterator[Act]:
        calls = {self._known.function(inner.func)[1] for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        if node.name in calls and calls & {"fork", "Popen", "Process"}:
            yield Note("fork-bomb", "Python forks and calls itself")


def _word(text: Text) -> str:
    """A word quoted for the shell, with holes left bare so that they stay holes."""
    return text.text if HOLE in text.text else shlex.quote(text.text)
