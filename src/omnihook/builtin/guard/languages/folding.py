"""What expressions are worth without running them: strings put together, paths found, names followed."""

import re
from collections.abc import Iterable

from omnihook.builtin.guard.languages import loading, strings, surroundings
from omnihook.builtin.guard.languages.asking import GONE, MAX_TEXTS, Asked, pairs
from omnihook.builtin.guard.languages.locating import listed, located
from omnihook.builtin.guard.languages.naming import MAX_DEPTH
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
from omnihook.builtin.guard.languages.sequencing import Sequencing
from omnihook.builtin.guard.languages.spelling import spelt
from omnihook.builtin.guard.languages.tokens import TooLong
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text, unknown

_NETWORK = frozenset({"network"})
_FROM_NETWORK = unknown("network")
_FETCHERS = names(
    "urlopen urlretrieve curl_exec DownloadString Invoke-WebRequest Invoke-RestMethod iwr irm recv recvfrom getstore",
    "HTTPSConnection HTTPConnection URLSession axios got needle superagent url-retrieve-synchronously http_get",
)
_FETCHING_OWNERS = names(
    "requests http https httpx HTTP HTTParty Faraday HTTPoison Req LWP urllib3 aiohttp RestClient HTTPotion"
)
_INPUTS = names("input raw_input gets readline fgets")
_INPUT_OWNERS = names("stdin STDIN $stdin $STDIN")
_INPUT_NAMES = names("STDIN $< $_ gets")
_READERS = names("read readFileSync readFile file_get_contents open slurp cat")
_STDIN_NAMES = frozenset({"0", "/dev/stdin", "php://stdin", "-"})
_NEUTRAL = names("path name stdout output value string data body content text out parent sep chomp strip to_s")
_ITSELF = {"executable": "python3", "execPath": "node", "PHP_BINARY": "php"}
"""Names for the interpreter that runs the code."""
_REMOTE = re.compile(r"(?:https?|ftp)://|(?:curl|wget)(?:\s|$)")


class Folding(Sequencing):
    """The constants of one piece of code, and what follows from them."""

    def texts(self, node: Node | None) -> list[Text]:
        """The strings an expression can be, empty when nothing is known."""
        if node is None or self.depth > MAX_DEPTH:
            return []
        known = self.worth.get(id(node))
        if known is not None:
            return known[1]
        self.count()
        # A node that is asked for again while it is worked out depends on itself.
        self.worth[id(node)] = (node, [])
        self.depth += 1
        try:
            found = self._texts(node)
        finally:
            self.depth -= 1
        if len(found) > MAX_TEXTS:
            raise TooLong
        self.worth[id(node)] = (node, found)
        return found

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
                return [text for item in items for text in self.texts(item)]
            case Either(options=options):
                return [text for option in options for text in self.texts(option)]
            case Named(value=value) | Assign(value=value) | Return(value=value):
                return self.texts(value)
            case Group(items=[*_, last]) | Branch(body=[*_, last]) | Loop(kind="each", body=[*_, last]):
                return self.texts(last)
            case Operation():
                return self._operated(node)
            case Run(text=text):
                return [self._output(line) for line in self.texts(text)]
            case _:
                return []

    def _named(self, name: str) -> list[Text]:
        if name in self.bound:
            return self.bound[name]
        if name in _INPUT_NAMES:
            return self.around.input()
        if name in ("$HOME", "~") or name in surroundings.HOME - {"home"}:
            return [Text(self.around.home)]
        if name in surroundings.CURRENT:
            return [Text(".")]
        return self.around.argument(None) if name in surroundings.ARGUMENTS else []

    def _put_together(self, parts: Iterable[Node]) -> list[Text]:
        found = [Text("")]
        for part in parts:
            found = pairs(found, self.texts(part) or [GONE])
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
        if chained[-2:] in (("sys", "stdin"), ("process", "stdin")):
            return self.around.input()
        if node.name == "sep":
            return [Text("/")]
        if node.name in _ITSELF:
            return [Text(_ITSELF[node.name])]
        dotted = ".".join(part for part in chained if part != "()")
        if dotted in self.bound:
            return self.bound[dotted]
        return (
            self.entry(node.owner, node.name)
            or self._called(Call(node))
            or (self.texts(node.owner) if node.name in _NEUTRAL else [])
        )

    def _indexed(self, node: Index) -> list[Text]:
        chained = self.chain(node.owner)
        last = chained[-1] if chained else ""
        key = self.texts(node.key) if node.key is not None else []
        if last in surroundings.ENVIRONMENT and isinstance(node.key, Ref) and not key:
            return self.around.variable(node.key.name)
        if last in surroundings.ENVIRONMENT and key:
            return self.around.variable(key[0].text)
        if last in surroundings.ARGUMENTS:
            return self.around.argument(node.key.value if isinstance(node.key, Number) else None)
        if last == "Dir" and key:
            return [Text(text.text, text.origins, text.text) for text in key]
        if len(chained) > 1 and chained[-2] in ("getpwuid", "getpwnam"):
            return [Text(self.around.home)]
        entry = self.entry(node.owner, key[0].text) if key else []
        if entry:
            return entry
        items = self.sequence(self.items_of(node.owner) or node.owner)
        if isinstance(node.key, Number) and len(items) > 1:
            place = node.key.value
            return items[place : place + 1] if place >= 0 else items
        return items

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
        if self.around.files or self.written:
            held = self._read(last, mine, given, positional)
            if held:
                return held
        if last in _INPUTS or (len(chained) > 1 and chained[-2] in _INPUT_OWNERS) or chained == ("io", "lines"):
            return self.around.input()
        if last in _READERS and given and given[0].text in _STDIN_NAMES and self.around.stdin is not None:
            return self.around.input()
        asked = Asked(node, last, owner, mine, given, positional)
        for answer in (located, listed, spelt):
            found = answer(asked, self)
            if found is not None:
                return found
        return []

    def content(self, path: str) -> Text | None:
        """What a file holds that this script, or the code so far, wrote."""
        return loading.held(path, self.around, self.written)

    def module(self, name: str) -> Text | None:
        """What a file holds that is loaded by its path or as a module."""
        return loading.found(name, self.around, self.written)

    def _read(self, last: str, mine: list[Text], given: list[Text], positional: list[Node]) -> list[Text]:
        """What a call reads from files that are known."""
        paths: list[Text] = []
        if last in loading.READERS or (last == "parse" and self.around.language == "Rscript"):
            paths = mine or given
        elif last in ("readline", "glob") and positional:
            handle = positional[0].name if isinstance(positional[0], Ref) else given[0].text if given else ""
            paths = self.reading.get(handle, [])
        held = [self.content(path.text) for path in (*paths, *(given if paths is mine else ()))]
        return [text for text in held if text is not None]

    def _returned(self, function: Function) -> list[Text]:
        found: list[Text] = []
        for item in function.body:
            if isinstance(item, Return):
                found.extend(self.texts(item.value))
        return found or (self.texts(function.body[-1]) if function.body else [])

    def _output(self, line: Text) -> Text:
        """What a command prints that the code runs."""
        shown = _SHOWS.fullmatch(line.text)
        held = self.content(shown[1]) if shown is not None else None
        if held is not None:
            return held
        return _FROM_NETWORK if re.search(r"\b(?:curl|wget)\b", line.text) else unknown("command")

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


def _owner(chained: tuple[str, ...]) -> str:
    """What the last name belongs to; for the result of a call, what was called."""
    rest = [part for part in chained[:-1] if part != "()"]
    return rest[-1] if rest else ""


_SHOWS = re.compile(r"\s*cat\s+([^\s|;&<>]+)\s*")
