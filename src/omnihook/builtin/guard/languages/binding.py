"""What names stand for: assignments, loops, blocks and calls of functions, in the order written."""

from omnihook.builtin.guard.languages.asking import narrowed
from omnihook.builtin.guard.languages.folding import Folding
from omnihook.builtin.guard.languages.nodes import (
    Assign,
    Branch,
    Call,
    Function,
    Index,
    Items,
    Joined,
    Literal,
    Loop,
    Member,
    Named,
    Node,
    Operation,
    Ref,
    below,
)
from omnihook.shell.tables import names
from omnihook.shell.values import Text

_MAX_BOUND = 256
_MAX_ITEMS = 1024
_ADDS = frozenset({"push", "append", "extend", "concat", "add"})
_LISTENS = frozenset({"on", "once", "addListener", "addEventListener"})
_IMPLIED = ("$_", "it", "_1", "$0")
_MERE = names(
    "isfile isdir exists islink isFile isDirectory is_file is_dir is_link isSymbolicLink file? directory? exist? lstat",
    "existsSync statSync lstatSync stat exists? is_symlink lexists ismount dir.exists file.exists file_exists in",
    "file-directory-p file-exists-p path os fs File Dir not true false skip continue next",
)


def bind(nodes: list[Node], folding: Folding) -> None:
    """Note what every name stands for. Twice, since a function's parameters follow from calls further down."""
    listed = [inner for node in nodes for inner in below(node)]
    for node in listed:
        if isinstance(node, Function) and node.name:
            folding.functions[node.name] = node
        elif isinstance(node, Assign) and isinstance(node.value, Function):
            for target in node.targets:
                if isinstance(target, Ref):
                    folding.functions[target.name] = node.value
    interesting = [node for node in listed if isinstance(node, Assign | Loop | Call)]
    for _ in range(2 if folding.functions else 1):
        for node in interesting:
            before = len(folding.bound), len(folding.nodes)
            _bind(node, folding)
            if isinstance(node, Assign | Loop) or before != (len(folding.bound), len(folding.nodes)):
                folding.forget()
    folding.forget()


def _bind(node: Node, folding: Folding) -> None:
    match node:
        case Assign(targets=targets, value=value, adds=adds):
            _assign(targets, value, adds, folding)
        case Loop(kind="each", targets=[*targets], head=head, body=body) if head is not None:
            _go_through(targets, head, body, folding)
        case Loop(kind="while", head=Call() as head) if folding.around.language == "perl" and folding.around.files:
            folding.bound["$_"] = _lines(head, folding)
        case Call(callee=callee, args=args):
            _called(node, callee, args, folding)
        case _:
            pass


def _assign(targets: list[Node], value: Node, adds: bool, folding: Folding) -> None:
    taken = len(targets) == 1 and isinstance(targets[0], Items)
    if taken and isinstance(targets[0], Items):
        targets = targets[0].items
    if len(targets) > 1 and isinstance(value, Items) and len(value.items) == len(targets):
        for target, item in zip(targets, value.items, strict=True):
            _give(target, item, adds, folding)
        return
    for target in targets:
        # `const {rmSync} = require('fs')` takes members out of a module.
        if taken and isinstance(target, Ref | Named) and isinstance(value, Call | Ref | Member):
            _take_member(target, value, folding)
        else:
            _give(target, value, adds, folding)


def _take_member(target: Ref | Named, value: Node, folding: Folding) -> None:
    renamed = target.value if isinstance(target, Named) else target
    if isinstance(renamed, Ref):
        folding.nodes[renamed.name] = Member(value, target.name)
        found = folding.texts(value)
        if found:
            folding.bound[renamed.name] = found


def _give(target: Node, value: Node, adds: bool, folding: Folding) -> None:
    name = _name(target, folding)
    if not name:
        return
    found = folding.texts(Joined([target, value]) if adds else value)
    if isinstance(target, Ref) and not (isinstance(value, Ref) and value.name == name):
        folding.nodes[name] = value
    if found:
        known = [] if adds else folding.bound.get(name, [])
        folding.bound[name] = list(dict.fromkeys((*known, *found)))[-_MAX_BOUND:]


def _name(target: Node, folding: Folding) -> str:
    match target:
        case Ref(name=name):
            return name
        case Items(items=[Ref(name=name)]):
            return name
        case Member():
            return ".".join(part for part in folding.chain(target) if part != "()")
        case Index(owner=Ref(name=name)):
            return name
        case _:
            return ""


def _go_through(targets: list[str], head: Node, body: list[Node], folding: Folding) -> None:
    columns = _columns(head, len(targets), folding)
    if columns is not None:
        folding.bound.update(zip(targets, columns, strict=True))
        return
    found = folding.sequence(head) if isinstance(head, Items) else folding.texts(head)
    if folding.around.files and folding.chain(head)[-2:] == ("open", "()"):
        found = _lines(Call(Member(head, "read")), folding) or found
    if not found:
        return
    if filters(body, targets):
        found = [narrowed(text) for text in found]
    walked = len(targets) == 3 and any("tree" in text.origins for text in found)
    for place, target in enumerate(targets):
        if walked:
            found_here = [_part(text, place) for text in found]
            folding.bound[target] = found_here
        else:
            folding.bound[target] = found
        folding.nodes.pop(target, None)


def _lines(node: Node, folding: Folding) -> list[Text]:
    """The lines of a file that is gone through, as far as they are known."""
    held = [text for text in folding.texts(node) if text.known]
    return [Text(line, text.origins) for text in held for line in text.text.split("\n") if line][:_MAX_BOUND]


def _columns(head: Node, count: int, folding: Folding) -> list[list[Text]] | None:
    """What each of several names goes through: `for a, b in ((1, 2), ...)`, `for key, value in table.items()`."""
    if count < 2:
        return None
    if isinstance(head, Call) and isinstance(head.callee, Member) and head.callee.name == "items" and count == 2:
        table = folding.items_of(head.callee.owner)
        entries = [item for item in table.items if isinstance(item, Named)] if table is not None else []
        keys = [Text(entry.name) for entry in entries]
        return [keys, [text for entry in entries for text in folding.texts(entry.value)]] if entries else None
    rows = folding.items_of(head)
    parts = [row.items for row in rows.items if isinstance(row, Items)] if rows is not None else []
    if rows is None or not parts or len(parts) < len(rows.items) or any(len(part) != count for part in parts):
        return None
    return [[text for part in parts for text in folding.texts(part[place])] for place in range(count)]


def _part(text: Text, place: int) -> Text:
    """`root, folders, files` of a walk: the folder, and names in it."""
    if place == 0:
        return Text(text.text.rpartition("/*")[0] or "/", text.origins)
    return Text("*", text.origins, "*")


def filters(body: list[Node], targets: list[str]) -> bool:
    """Whether a loop picks some of what it goes through: a test on it that asks for more than its kind."""
    wanted = {*targets, "/regex/"}
    for node in (inner for item in body for inner in below(item)):
        test = node.test if isinstance(node, Branch) else None
        if isinstance(node, Operation) and node.op in ("&&", "and"):
            test = node.left
        if test is not None and _picks(test, wanted):
            return True
    return False


def _picks(test: Node, wanted: set[str]) -> bool:
    inner = list(below(test))
    if not any(isinstance(node, Ref) and node.name in wanted for node in inner):
        return False
    words = {node.name for node in inner if isinstance(node, Member | Ref)} - wanted
    texts = {node.text.text for node in inner if isinstance(node, Literal)}
    compares = any(isinstance(node, Operation) for node in inner)
    if texts and texts <= {".", ".."}:
        return False
    return (
        bool(texts)
        or "/regex/" in {node.name for node in inner if isinstance(node, Ref)}
        or bool(words - _MERE or (compares and not words))
    )


def _called(node: Call, callee: Node, args: list[Node], folding: Folding) -> None:
    """A block's parameters are what the call goes through; a function's are what it is given."""
    if isinstance(callee, Member) and callee.name in _ADDS and isinstance(callee.owner, Ref):
        known = folding.nodes.get(callee.owner.name)
        if isinstance(known, Items):
            more = [inner for arg in args for inner in (arg.items if isinstance(arg, Items) else [arg])]
            folding.nodes[callee.owner.name] = Items([*known.items, *more][:_MAX_ITEMS])
            folding.forget()
    if isinstance(callee, Ref) and callee.name == "open" and folding.around.language == "perl" and len(args) > 1:
        _opens(args, folding)
    block = next((arg for arg in args if isinstance(arg, Function)), None)
    if block is not None:
        _bind_block(node, callee, args, block, folding)
    chained = folding.chain(callee)
    function = folding.functions.get(chained[-1]) if len(chained) == 1 else None
    function = function or _called_at_once(callee, folding)
    if function is None:
        return
    for name, given in zip(function.params, [arg for arg in args if not isinstance(arg, Named)], strict=False):
        _give(Ref(name), given, False, folding)
    for place, arg in enumerate(args):
        if isinstance(arg, Named):
            _give(Ref(arg.name), arg.value, False, folding)
        elif folding.around.language in ("perl", "raku"):
            folding.bound.setdefault("@_", []).extend(folding.texts(arg) if place < 32 else [])


def _opens(args: list[Node], folding: Folding) -> None:
    """`open F, "x"` and `open my $f, "<", "x"` name a handle of that file."""
    if isinstance(args[0], Ref):
        paths = [Text(text.text.lstrip("< "), text.origins) for text in folding.texts(args[-1])]
        folding.reading[args[0].name] = paths


def _called_at_once(callee: Node, folding: Folding) -> Function | None:
    """`(function (x) {...})(1)` and `f.call(1)`."""
    owner = callee.owner if isinstance(callee, Member) and callee.name in ("call", "apply", "invoke") else callee
    if isinstance(owner, Ref):
        return folding.functions.get(owner.name)
    return owner if isinstance(owner, Function) else None


def _bind_block(node: Call, callee: Node, args: list[Node], block: Function, folding: Folding) -> None:
    if isinstance(callee, Member) and callee.name in _LISTENS:
        return  # what comes with an event is not its name
    if isinstance(callee, Member) and callee.name == "then" and block.params:
        folding.nodes[block.params[0]] = callee.owner  # `import("fs").then(fs => ...)`
    found = folding.texts(Call(callee, [arg for arg in args if arg is not block]))
    if not found and isinstance(callee, Member):
        found = folding.texts(callee.owner)
    if not found:
        found = [text for arg in args if arg is not block for text in folding.texts(arg)]
    if not found:
        return
    names_ = block.params or _IMPLIED
    if filters(block.body, list(names_)):
        found = [narrowed(text) for text in found]
    for name in {*names_, "$_"} if folding.around.language == "perl" else names_:
        folding.bound[name] = found
