"""What expressions are worth without running them: strings put together, paths found, names followed."""

import re
from collections.abc import Iterable

from omnihook.builtin.guard.languages import strings, surroundings
from omnihook.builtin.guard.languages.asking import GONE, MAX_LENGTH, MAX_TEXTS, Asked, pairs
from omnihook.builtin.guard.languages.lexing import TooLong
from omnihook.builtin.guard.languages.locating import listed, located
from omnihook.builtin.guard.languages.nodes import (
    Assign,
    Branch,
    Call,
    Either,
    Function,
    Group,
    Index,
    Items,
    Joined,
    Literal,
    Loop,
    Member,
    Named,
    Node,
    Number,
    Operation,
    Ref,
    Return,
    Run,
)
from omnihook.builtin.guard.languages.spelling import spelt
from omnihook.builtin.guard.languages.surroundings import Around
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text, unknown

_MAX_DEPTH = 40
_MAX_STEPS = 60_000
_NETWORK = frozenset({"network"})
_FROM_NETWORK = unknown("network")
_FETCHERS = names(
    "urlopen urlretrieve curl_exec DownloadString Invoke-WebRequest Invoke-RestMethod iwr irm recv recvfrom getstore",
    "HTTPSConnection HTTPConnection URLSession axios got needle superagent url-retrieve-synchronously http_get",
)
_FETCHING_OWNERS = names(
    "requests http https httpx HTTP HTTParty Faraday HTTPoison Req LWP urllib3 aiohttp RestClient HTTPotion"
)
_IMPORTS = names("require __import__ import_module import")
_INPUTS = names("input raw_input gets readline")
_INPUT_OWNERS = names("stdin STDIN $stdin $STDIN")
_READERS = names("read readFileSync readFile file_get_contents open slurp cat")
_STDIN_NAMES = frozenset({"0", "/dev/stdin", "php://stdin", "-"})
_NEUTRAL = names("path name stdout output value string data body content text out parent sep chomp strip to_s")


class Folding:
    """The constants of one piece of code, and what follows from them."""

    def __init__(self, around: Around) -> None:
        self.around = around
        self.bound: dict[str, list[Text]] = {name: [value] for name, value in around.given}
        self.nodes: dict[str, Node] = {}
        self.functions: dict[str, Function] = {}
        self._depth = 0
        self._steps = 0
        # Nodes are kept beside what they are worth: an id means nothing once its object is gone.
        self._worth: dict[int, tuple[Node, list[Text]]] = {}
        self._chains: dict[int, tuple[Node, tuple[str, ...]]] = {}

    def chain(self, node: Node, depth: int = 0) -> tuple[str, ...]:
        """What a callee or owner is called, through aliases: `fs.rmSync` is ("fs", "rmSync")."""
        if depth > _MAX_DEPTH:
            return ()
        known = self._chains.get(id(node))
        if known is not None:
            return known[1]
        self._count()
        found = self._chain(node, depth)
        self._chains[id(node)] = (node, found)
        return found

    def _chain(self, node: Node, depth: int) -> tuple[str, ...]:
        match node:
            case Ref(name=name):
                bound = self.nodes.get(name)
                if isinstance(bound, Ref | Member | Call | Index) and bound is not node:
                    return self.chain(bound, depth + 10) or (name,)
                if isinstance(bound, Literal | Joined) and name.startswith("$"):
                    return tuple(text.text for text in self.texts(bound)[:1])
                return (name,)
            case Member(owner=owner, name=name):
                return (*self.chain(owner, depth + 1), name)
            case Index(owner=owner, key=key):
                keys = self.texts(key) if key is not None else []
                return (*self.chain(owner, depth + 1), keys[0].text if keys else "[]")
            case Call(callee=callee, args=args):
                return self._called_chain(callee, args, depth)
            case Group(items=[*_, last]):
                return self.chain(last, depth + 1)
            case Items(items=[only]):
                return self.chain(only, depth + 1)
            case Literal() | Joined():
                return ('"',)
            case Operation(op="/"):
                return ("Path", "()")
            case _:
                return ()

    def _called_chain(self, callee: Node, args: list[Node], depth: int) -> tuple[str, ...]:
        called = self.chain(callee, depth + 1)
        last = called[-1] if called else ""
        first = self.texts(args[0]) if args and last in _NAMING else []
        if last in _IMPORTS and first:
            module = first[0].text.removeprefix("node:").removeprefix("npm:")
            return tuple(part for part in re.split(r"[./]", module) if part and part != "promises") or (module,)
        if last == "getattr" and len(args) > 1:
            return (*self.chain(args[0], depth + 1), *(text.text for text in self.texts(args[1])[:1]))
        if last in ("method", "public_method", "instance_method", "fn") and first:
            return (*called[:-1], first[0].text)
        if last in ("bind", "promisify", "partial", "curry", "fromfunction") and args and len(called) > 1:
            return called[:-1] if last == "bind" else self.chain(args[0], depth + 1)
        return (*called, "()")

    def texts(self, node: Node | None) -> list[Text]:
        """The strings an expression can be, empty when nothing is known."""
        if node is None or self._depth > _MAX_DEPTH:
            return []
        known = self._worth.get(id(node))
        if known is not None:
            return known[1]
        self._count()
        # A node that is asked for again while it is worked out depends on itself.
        self._worth[id(node)] = (node, [])
        self._depth += 1
        try:
            found = self._texts(node)[:MAX_TEXTS]
        finally:
            self._depth -= 1
        self._worth[id(node)] = (node, found)
        return found

    def _count(self) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise TooLong

    def forget(self) -> None:
        """Work everything out afresh, since a name has been bound."""
        self._worth.clear()
        self._chains.clear()

    def _texts(self, node: Node) -> list[Text]:
        match node:
            case Literal(text=text):
                return [text]
            case Number(value=value):
                return [Text(str(value))]
            case Ref(name=name):
                return self._named(name)
            case Joined(parts=parts):
                return self._put_together(parts)
            case Call():
                return self._called(node)
            case Member():
                return self._member(node)
            case Index():
                return self._indexed(node)
            case Items(items=items):
                return [text for item in items[:MAX_TEXTS] for text in self.texts(item)]
            case Either(options=options):
                return [text for option in options for text in self.texts(option)]
            case Named(value=value) | Assign(value=value) | Return(value=value):
                return self.texts(value)
            case Group(items=[*_, last]) | Branch(body=[*_, last]) | Loop(kind="each", body=[*_, last]):
                return self.texts(last)
            case Operation():
                return self._operated(node)
            case Run(text=text):
                return [_output(line) for line in self.texts(text)]
            case _:
                return []

    def _named(self, name: str) -> list[Text]:
        if name in self.bound:
            return self.bound[name]
        if name in ("STDIN", "$<", "$_") and self.around.stdin is not None:
            return [self.around.stdin]
        if name in ("$HOME", "~") or name in surroundings.HOME - {"home"}:
            return [Text(self.around.home)]
        if name in surroundings.CURRENT:
            return [Text(".")]
        return self.around.argument(None) if name in surroundings.ARGUMENTS else []

    def _put_together(self, parts: Iterable[Node]) -> list[Text]:
        found = [Text("")]
        for part in parts:
            found = pairs(found, self.texts(part) or [GONE])
            if any(len(text.text) > MAX_LENGTH for text in found):
                return []
        return found if any(text.text.strip(HOLE) or text.origins & _NETWORK for text in found) else []

    def _operated(self, node: Operation) -> list[Text]:
        match node.op:
            case "/":
                return pairs(self.texts(node.left), self.texts(node.right) or [GONE], "/", afresh=True)
            case "%":
                given = [text.text for text in self.sequence(node.right)] or [HOLE]
                return [Text(strings.filled(text.text, given), text.origins) for text in self.texts(node.left)]
            case "*" | "x":
                count = node.right.value if isinstance(node.right, Number) else 0
                return [Text(text.text * count, text.origins) for text in self.texts(node.left) if count < 200]
            case "+" | "." | ".." | "~" | "&":
                return self._put_together([node.left, node.right])
            case _:
                return []

    def _member(self, node: Member) -> list[Text]:
        chained = self.chain(node)
        if len(chained) > 1 and chained[-2] in surroundings.ENVIRONMENT:
            return self.around.variable(node.name)
        if chained[-3:] in (("$File", "Find", "name"), ("$File", "Find", "dir")):
            return self.bound.get("$_", [])
        if node.name == "parent":
            return [Text(text.text.rstrip("/") + "/..", text.origins) for text in self.texts(node.owner)]
        if node.name == "sep":
            return [Text("/")]
        dotted = ".".join(part for part in chained if part != "()")
        if dotted in self.bound:
            return self.bound[dotted]
        return self._called(Call(node)) or (self.texts(node.owner) if node.name in _NEUTRAL else [])

    def _indexed(self, node: Index) -> list[Text]:
        chained = self.chain(node.owner)
        last = chained[-1] if chained else ""
        key = self.texts(node.key) if node.key is not None else []
        if last in surroundings.ENVIRONMENT and key:
            return self.around.variable(key[0].text)
        if last in surroundings.ARGUMENTS:
            return self.around.argument(node.key.value if isinstance(node.key, Number) else None)
        if last == "Dir" and key:
            return [Text(text.text, text.origins, text.text) for text in key]
        items = self.sequence(node.owner)
        if isinstance(node.key, Number) and len(items) > 1:
            place = node.key.value
            return items[place : place + 1] if place >= 0 else items
        return items

    def sequence(self, node: Node | None) -> list[Text]:
        """The members of a list in order; one that is not known is a hole."""
        if node is None or self._depth > _MAX_DEPTH:
            return []
        match node:
            case Items(items=items):
                return [(self.texts(item) or [GONE])[0] for item in items[:1024] if not isinstance(item, Named)]
            case Ref(name=name) if isinstance(self.nodes.get(name), Items | Call):
                kept = self.nodes[name]
                self._depth += 10
                try:
                    return self.sequence(kept)
                finally:
                    self._depth -= 10
            case Call(callee=callee, args=args):
                return self._called_sequence(node, callee, args)
            case _:
                return self.texts(node)

    def _called_sequence(self, node: Call, callee: Node, args: list[Node]) -> list[Text]:
        last = (self.chain(callee) or ("",))[-1]
        owner = callee.owner if isinstance(callee, Member) else None
        if last in strings.SPLIT:
            return self._split(args, owner, last)
        if last in strings.REVERSE:
            found = self.sequence(owner if owner is not None and not args else args[0] if args else None)
            return found[::-1] if len(found) > 1 else self.texts(node)
        if (
            last in ("c", "of", "asList", "list", "List", "tuple", "vec", "array", "vector", "bytes", "bytearray")
            and args
        ):
            return [text for arg in args for text in self.sequence(arg)]
        if last in strings.MAPS:
            return self._mapped(owner, args)
        if last == "range":
            return []
        return self.texts(node)

    def _split(self, args: list[Node], owner: Node | None, name: str) -> list[Text]:
        subject = self.texts(owner) if owner is not None else []
        rest = args
        if not subject and args:
            place = 1 if name in ("explode", "split") and len(args) > 1 else 0
            subject, rest = self.texts(args[place]), args[:1] if place else args[1:]
        mark = next((text.text for arg in rest[:1] for text in self.texts(arg)), None)
        if not subject or not subject[0].known:
            return subject
        plain = subject[0].text
        pieces = list(plain) if name in ("chars", "toCharArray") or mark == "" else plain.split(mark or None)
        return [Text(piece, subject[0].origins) for piece in pieces[:1024]]

    def _mapped(self, owner: Node | None, args: list[Node]) -> list[Text]:
        function = next((arg for arg in args if isinstance(arg, Function)), None)
        others = [arg for arg in args if arg is not function]
        source = self.sequence(owner) if owner is not None and self.texts(owner) else []
        if function is not None:
            source = source or [text for arg in others for text in self.sequence(arg)]
            if not function.body:
                return source
            kept, found = dict(self.bound), list[Text]()
            for item in source[:1024]:
                for name in (*function.params[:1], "$_", "it", "_1"):
                    self.bound[name] = [item]
                self.forget()
                found.extend(self.texts(function.body[-1])[:1])
            self.bound = kept
            self.forget()
            return found
        if len(others) > 1 and (self.chain(others[0]) or ("",))[-1] == "chr":
            source = [text for arg in others[1:] for text in self.sequence(arg)]
            return [Text(strings.characters([text.text]) or HOLE) for text in source]
        return source or [text for arg in others[1:] for text in self.sequence(arg)]

    def _called(self, node: Call) -> list[Text]:
        """What a call is worth: fetched, read, listed, joined, decoded; or what it was given."""
        chained = self.chain(node.callee)
        if not chained:
            return []
        last, owner = chained[-1], _owner(chained)
        function = self.functions.get(last)
        if function is not None and len(chained) == 1:
            return self._returned(function)
        positional: list[Node] = [arg for arg in node.args if not isinstance(arg, Named | Function)]
        mine = self.texts(node.callee.owner) if isinstance(node.callee, Member) else []
        given = self.texts(positional[0]) if positional else []
        if self._fetches(chained, mine, positional):
            return [_FROM_NETWORK]
        if last in _INPUTS or (len(chained) > 1 and chained[-2] in _INPUT_OWNERS):
            return [self.around.stdin] if self.around.stdin is not None else []
        if last in _READERS and given and given[0].text in _STDIN_NAMES and self.around.stdin is not None:
            return [self.around.stdin]
        asked = Asked(node, last, owner, mine, given, positional)
        for answer in (located, listed, spelt):
            found = answer(asked, self)
            if found is not None:
                return found
        return []

    def _returned(self, function: Function) -> list[Text]:
        found: list[Text] = []
        for item in function.body:
            if isinstance(item, Return):
                found.extend(self.texts(item.value))
        return found or (self.texts(function.body[-1]) if function.body else [])

    def _fetches(self, chained: tuple[str, ...], mine: list[Text], positional: list[Node]) -> bool:
        """Whether the value comes from the network."""
        last = chained[-1]
        if last in _FETCHERS or any(text.origins & _NETWORK and text.text.strip() == HOLE for text in mine):
            return True
        if (
            last in surroundings.WRAPPERS - {"open", "text", "io"}
            or last in surroundings.PATH_JOIN
            or last in strings.JOIN
        ):
            return any(
                text.text == HOLE and text.origins & _NETWORK for arg in positional[:2] for text in self.texts(arg)
            )
        if len(chained) > 1 and _FETCHING_OWNERS.intersection(chained[:-1]):
            return True
        return any(
            _REMOTE.match(text.text) or (text.text == HOLE and text.origins & _NETWORK)
            for arg in positional[:2]
            for text in self.texts(arg)
        )

    def number(self, node: Node | None) -> int | None:
        """A whole number, such as a mode: literals, sums of stat's constants, text in octal."""
        match node:
            case Number(value=value):
                return value
            case Operation(op="|" | "+", left=left, right=right) | Joined(parts=[left, right]):
                one, two = self.number(left), self.number(right)
                return one | two if one is not None and two is not None else None
            case Joined(parts=[*parts]) if parts:
                values = [self.number(part) for part in parts]
                return sum(value for value in values if value is not None) if None not in values else None
            case Member(name=name) if name in _STAT:
                return _STAT[name]
            case Ref(name=name):
                bound = self.nodes.get(name)
                if name in _STAT:
                    return _STAT[name]
                chained = self.chain(node)
                if chained and chained[-1] in _STAT:
                    return _STAT[chained[-1]]
                return self.number(bound) if isinstance(bound, Number | Operation) else None
            case Call(callee=callee, args=[first, *_]):
                last = (self.chain(callee) or ("",))[-1]
                digits = self.texts(first)
                octal = last in ("oct", "parseInt", "int", "octdec", "as.octmode", "octmode", "to_i") and digits
                return int(digits[0].text, 8) if octal and re.fullmatch(r"0?o?[0-7]{3,5}", digits[0].text) else None
            case _:
                return None


_NAMING = names("require __import__ import_module import method public_method instance_method getattr fn")
_REMOTE = re.compile(r"(?:https?|ftp)://|(?:curl|wget)(?:\s|$)")
_STAT = {
    "S_IRWXU": 0o700, "S_IRWXG": 0o070, "S_IRWXO": 0o007, "S_IRUSR": 0o400, "S_IWUSR": 0o200, "S_IXUSR": 0o100,
    "S_IRGRP": 0o040, "S_IWGRP": 0o020, "S_IXGRP": 0o010, "S_IROTH": 0o004, "S_IWOTH": 0o002, "S_IXOTH": 0o001,
    "S_IREAD": 0o400, "S_IWRITE": 0o200, "S_IEXEC": 0o100, "S_ISVTX": 0o1000, "S_ISUID": 0o4000, "S_ISGID": 0o2000,
}  # fmt: skip


def _owner(chained: tuple[str, ...]) -> str:
    """What the last name belongs to; for the result of a call, what was called."""
    rest = [part for part in chained[:-1] if part != "()"]
    return rest[-1] if rest else ""


def _output(line: Text) -> Text:
    return _FROM_NETWORK if re.search(r"\b(?:curl|wget)\b", line.text) else unknown("command")
