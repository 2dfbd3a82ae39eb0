"""What Python expressions are worth without running them: names bound to constants, paths put together."""

import ast
import base64
import binascii
import itertools

from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text, joined, unknown


class Constants:
    """The constants of one piece of code. `bind` takes its nodes in the order written."""

    def __init__(self, code: Text, home: str) -> None:
        self.home = Text(home)
        self._origins = code.origins
        self._values: dict[str, list[Text]] = {}
        self._modules: dict[str, str] = {}

    def bind(self, node: ast.AST) -> None:
        """Note what an assignment, a loop, a with statement or an import gives a name."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found = self.texts(value)
                if found:
                    self._values[name] = [*self._values.get(name, []), *found][:8]
            case ast.For(target=ast.Name(id=name), iter=ast.List(elts=items) | ast.Tuple(elts=items)):
                self._values[name] = [text for item in items for text in self.texts(item)][:32]
            case (
                ast.For(target=ast.Name(id=name), iter=iterated)
                | ast.comprehension(target=ast.Name(id=name), iter=iterated)
            ):
                found = self.texts(iterated)
                if found:
                    self._values[name] = found
            case ast.With(items=items):
                for item in items:
                    if isinstance(item.optional_vars, ast.Name) and (found := self.texts(item.context_expr)):
                        self._values[item.optional_vars.id] = found
            case ast.Import(names=names):
                for alias in names:
                    self._modules[alias.asname or alias.name.split(".")[0]] = alias.name.split(".")[0]
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    self._modules[alias.asname or alias.name] = f"{module or ''}:{alias.name}"
            case _:
                pass

    def function(self, node: ast.expr) -> tuple[str, str, ast.expr | None]:
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
                return self.function(function)[1]
            case ast.BinOp():
                return "Path"
            case _:
                return ""

    def texts(self, node: ast.expr | None) -> list[Text]:
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
                return [text for item in items[:32] for text in self.texts(item)]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _pairs(self.texts(left), self.texts(right), "")
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return _pairs(self.texts(left), self.texts(right) or [unknown("variable")], "/")
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                filled = self.texts(right) or [unknown("variable")]
                return [
                    Text(text.text.replace("%s", one.text, 1), one.origins)
                    for text in self.texts(left)
                    for one in filled
                ]
            case ast.JoinedStr(values=parts):
                return self._formatted(parts)
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value="HOME")):
                return [self.home]
            case ast.Call():
                return self._called(node)
            case ast.Attribute(value=value, attr="parent"):
                return [Text(text.text.rstrip("/") + "/..", text.origins) for text in self.texts(value)]
            case ast.Attribute(attr="sep"):
                return [Text("/")]
            case _:
                return []

    def _at_home(self, text: Text) -> Text:
        """`~` and `$HOME` expanded."""
        for mark in ("~", "$HOME", "${HOME}"):
            if text.text == mark or text.text.startswith(mark + "/"):
                return Text(self.home.text + text.text[len(mark) :], text.origins, text.pattern)
        return text

    def _formatted(self, parts: list[ast.expr]) -> list[Text]:
        texts = [Text("")]
        for part in parts:
            value = part.value if isinstance(part, ast.FormattedValue) else part
            texts = _pairs(texts, self.texts(value) or [unknown("variable")], "")
        return texts

    def _called(self, node: ast.Call) -> list[Text]:
        """What a call is worth: functions on paths, then functions on strings, else nothing."""
        owner, name, target = self.function(node.func)
        given = self.texts(node.args[0]) if node.args else []
        mine = self.texts(target) if target is not None else []
        if name in _PATH_CALLS:
            return self._path_call(node, owner, name, given, mine)
        match name:
            case "open" | "decode" | "encode" | "strip" | "as_posix":
                return given if target is None or owner in ("io", "os") else mine
            case "str":
                return given
            case "split":
                return (mine if owner != "shlex" else []) or given
            case "format":
                filled = given or [unknown("variable")]
                return [Text(text.text.replace("{}", one.text, 1)) for text in mine for one in filled]
            case "getenv" | "get" if given and given[0].text == "HOME":
                return [self.home]
            case "b64decode" | "fromhex" | "unhexlify":
                return [Text(decoded) for text in given if (decoded := _decoded(name, text.text)) is not None]
            case "chr":
                return _character(node.args[0]) if node.args else []
            case _:
                return []

    def _path_call(self, node: ast.Call, owner: str, name: str, given: list[Text], mine: list[Text]) -> list[Text]:
        match name:
            case "expanduser" | "expandvars":
                return [self._at_home(text) for text in given or mine]
            case "home":
                return [self.home]
            case "getcwd" | "cwd":
                return [Text(".")]
            case "join" if owner == "path":
                texts = given
                for argument in node.args[1:]:
                    texts = _pairs(texts, self.texts(argument) or [unknown("variable")], "/")
                return texts
            case "join":
                return [joined(given, mine[0].text)] if mine and given else []
            case "joinpath":
                return _pairs(mine, given or [unknown("variable")], "/")
            case "glob" | "iglob" | "rglob":
                found = _pairs(mine, given, "/") if mine and owner != "glob" else given
                return [Text(text.text, text.origins, text.text) for text in found]
            case "iterdir" | "listdir" | "scandir":
                inside = [folder.text.rstrip("/") + "/*" for folder in given or mine]
                return [Text(path, frozenset(), path) for path in inside]
            case _:
                return given or mine


_PATH_CALLS = names(
    "expanduser expandvars abspath realpath normpath resolve absolute Path PurePath PosixPath home getcwd cwd join",
    "joinpath glob iglob rglob iterdir listdir scandir",
)


def _character(node: ast.expr) -> list[Text]:
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and 0 <= node.value < 0x110000:
        return [Text(chr(node.value))]
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
