"""Lists in code, member by member, and whole numbers."""

import re
from abc import abstractmethod

from omnihook.builtin.guard.languages import strings
from omnihook.builtin.guard.languages.asking import GONE
from omnihook.builtin.guard.languages.jsons import from_json
from omnihook.builtin.guard.languages.naming import MAX_DEPTH, Naming
from omnihook.builtin.guard.languages.nodes import (
    Call,
    Function,
    Index,
    Items,
    Joined,
    Literal,
    Member,
    Named,
    Node,
    Number,
    Operation,
    Ref,
)
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text

_STAT = {
    "S_IRWXU": 0o700, "S_IRWXG": 0o070, "S_IRWXO": 0o007, "S_IRUSR": 0o400, "S_IWUSR": 0o200, "S_IXUSR": 0o100,
    "S_IRGRP": 0o040, "S_IWGRP": 0o020, "S_IXGRP": 0o010, "S_IROTH": 0o004, "S_IWOTH": 0o002, "S_IXOTH": 0o001,
    "S_IREAD": 0o400, "S_IWRITE": 0o200, "S_IEXEC": 0o100, "S_ISVTX": 0o1000, "S_ISUID": 0o4000, "S_ISGID": 0o2000,
    "ModePerm": 0o777,
}  # fmt: skip


_PARSES = names("load loads parse require json_decode parse_json readJsonSync readJson decode")


class Sequencing(Naming):
    """Lists and numbers, on top of names."""

    def sequence(self, node: Node | None) -> list[Text]:
        """The members of a list in order; one that is not known is a hole."""
        if node is None or self.depth > MAX_DEPTH:
            return []
        match node:
            case Items(items=items):
                return [text for item in items for text in self._one(item)]
            case Joined(parts=parts) if any(self.items_of(part) for part in parts):
                return [text for part in parts for text in self.sequence(part)]
            case Ref(name=name) if isinstance(self.nodes.get(name), Items | Call):
                kept = self.nodes[name]
                self.depth += 10
                try:
                    return self.sequence(kept)
                finally:
                    self.depth -= 10
            case Call(callee=callee, args=args):
                return self._called_sequence(node, callee, args)
            case _:
                return self.texts(node)

    def _one(self, item: Node) -> list[Text]:
        """One member of a list; a list inside it was spread out."""
        if isinstance(item, Named):
            return []
        return self.sequence(item) if isinstance(item, Items) else (self.texts(item) or [GONE])[:1]

    def items_of(self, node: Node | None) -> Items | None:
        """The list or table that an expression is, if it is written out; `$x[0]` belongs to `@x`, `$x{k}` to `%x`."""
        if isinstance(node, Ref):
            bare = node.name.lstrip("$@%")
            bound = self.nodes.get(node.name) or self.nodes.get("@" + bare) or self.nodes.get("%" + bare)
            return self.items_of(bound) if isinstance(bound, Items | Call) else None
        if isinstance(node, Call):
            return self._parsed(node)
        if isinstance(node, Index | Member):
            return self._inner_table(node)
        return node if isinstance(node, Items) else None

    def _inner_table(self, node: Index | Member) -> Items | None:
        """A list or table inside another: `table["key"]`, `table.key`."""
        if self.depth > MAX_DEPTH:
            return None
        self.depth += 1
        key = [Text(node.name)] if isinstance(node, Member) else self.texts(node.key)
        table = self.items_of(node.owner)
        self.depth -= 1
        entries = table.items if table is not None and key else []
        found = [item.value for item in entries if isinstance(item, Named) and item.name == key[0].text]
        return found[0] if found and isinstance(found[0], Items) else None

    def _parsed(self, node: Call) -> Items | None:
        """The list or table that a call reads out of JSON: text, or a file that is known."""
        callee = node.callee
        if not isinstance(callee, Ref | Member) or callee.name not in _PARSES or not node.args:
            return None
        known = self.tables.get(id(node))
        if known is not None and known[0] is node:
            return known[1]
        texts = self.texts(node.args[0])[:1]
        held = self.content(texts[0].text) if texts else None
        found = from_json(held if held is not None else texts[0]) if texts else None
        self.tables[id(node)] = (node, found)
        return found

    @abstractmethod
    def content(self, path: str) -> Text | None:
        """What a file holds that is known, which a subclass works out."""

    def entry(self, owner: Node, key: str) -> list[Text]:
        """The entry of a table under a key."""
        table = self.items_of(owner)
        named = [item.value for item in table.items if isinstance(item, Named) and item.name == key] if table else []
        return [text for value in named for text in self.texts(value)]

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
            return self.mapped(owner, args)
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
        if not subject or not subject[0].known or subject[0].pattern is not None:
            return subject
        plain = subject[0].text
        pieces = list(plain) if name in ("chars", "toCharArray") or mark == "" else plain.split(mark or None)
        return [Text(piece, subject[0].origins) for piece in pieces]

    def mapped(self, owner: Node | None, args: list[Node]) -> list[Text]:
        """What a function makes of each member of a list."""
        function = next((arg for arg in args if isinstance(arg, Function)), None)
        others = [arg for arg in args if arg is not function]
        source = self.sequence(owner) if owner is not None and self.texts(owner) else []
        if function is not None:
            source = source or [text for arg in others for text in self.sequence(arg)]
            if not function.body:
                return source
            kept, found = dict(self.bound), list[Text]()
            for item in source:
                for name in (*function.params[:1], "$_", "it", "_1"):
                    self.bound[name] = [item]
                self.forget()
                found.extend(self.texts(_on_current(function.body[-1]))[:1])
            self.bound = kept
            self.forget()
            return found
        if len(others) > 1 and self.around.language == "perl" and isinstance(others[0], Call):
            return self.mapped(None, [Function("", ["$_"], others[:1]), *others[1:]])
        if others and self._spells(others[0], alone=len(others) == 1):
            source = source or [text for arg in others[1:] for text in self.sequence(arg)]
            return [Text(strings.characters([text.text]) or HOLE) for text in source]
        return source or [text for arg in others[1:] for text in self.sequence(arg)]

    def _spells(self, node: Node, *, alone: bool) -> bool:
        """Whether a function given by name makes characters of codes; `&:chr` comes as text."""
        if alone and isinstance(node, Literal):
            return node.text.text == "chr"
        return (self.chain(node) or ("",))[-1] in ("chr", "fromCharCode", "fromCodePoint")

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


def _on_current(node: Node) -> Node:
    """`chr` by itself, given each member in turn, is `chr($_)`."""
    return Call(node, [Ref("$_")]) if isinstance(node, Ref) and node.name in strings.CHARACTERS else node
