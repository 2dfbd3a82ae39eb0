"""From a parse to statements: `lower(text)` is the only way in, and remembers recent texts."""

from collections.abc import Callable
from functools import lru_cache

from tree_sitter import Node

from omnihook.shell import syntax
from omnihook.shell.arranging import last_redirected, unreserved, with_redirects
from omnihook.shell.parsing import ShellTextError, parse
from omnihook.shell.plain import assignment, command_words, prefixed_words, says_nothing
from omnihook.shell.redirect_lowering import REDIRECTS, Redirects
from omnihook.shell.syntax import EMPTY, Assign, Redirect, Script, Sequence, Simple, Statement, Word, plain_command
from omnihook.shell.word_lowering import Words

MAX_DEPTH = 60
_MAX_REMEMBERED = 8 * 1024
_SILENT = frozenset({"comment", "heredoc_start", "heredoc_end", "variable_name", "special_variable_name"})


def lower(text: str) -> Script:
    """The statements of a text; raises `ShellTextError` when a cap is reached."""
    return _remembered(text) if len(text) <= _MAX_REMEMBERED else _lower(text)


def _lower(text: str) -> Script:
    tree, source = parse(text)
    try:
        lowering = _Lowering(source)
        body = lowering.many(tree.root_node.children)
        return Script(body=body, broken=tree.root_node.has_error or lowering.words.doubtful)
    except RecursionError as error:
        raise ShellTextError("the command is nested too deeply") from error


_remembered = lru_cache(maxsize=256)(_lower)


class _Lowering:
    """Lowers the nodes of one tree, as deep as `MAX_DEPTH`; chains and words are walked without recursion."""

    def __init__(self, source: bytes) -> None:
        self._depth = 0
        self.words = Words(source, self.many, self._reparsed)
        self._redirects = Redirects(self.words)
        self._plain: dict[bytes, Simple] = {}
        """Commands met before: the same text is the same value, which those who walk it may recognise."""

    def _reparsed(self, text: str) -> Statement:
        """Text found inside a word; where it cannot be read, neither can the whole."""
        script = lower(text)
        self.words.doubtful = self.words.doubtful or script.broken
        return script.body

    def many(self, nodes: list[Node]) -> Statement:
        """Statements in a row, with `&` turned into `Background`."""
        items: list[Statement] = []
        for node in nodes:
            kind = node.type
            if kind == "&" and items:
                items[-1] = syntax.Background(items[-1])
            elif node.is_named and kind not in _SILENT:
                items.append(self.one(node))
            elif kind == "comment" and (hidden := self.words.uncommented(node)) is not None:
                items.append(hidden)
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def one(self, node: Node) -> Statement:
        """One statement; a node we do not know is read as the statements inside it."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ShellTextError(f"the command is nested more than {MAX_DEPTH} levels deep")
        handler = _HANDLERS.get(node.type)
        statement = handler(self, node) if handler else self.fallback(node)
        self._depth -= 1
        return statement

    def fallback(self, node: Node) -> Statement:
        """Words outside a command, as in a condition: nothing but their substitutions runs."""
        if self.words.is_word(node):
            return syntax.Test((self.words.lower(node),))
        return self.many(node.children)

    def command(self, node: Node) -> Statement:
        if node.has_error:
            return self._command(node)
        source, start, end = self.words.source, node.start_byte, node.end_byte
        spelled = source[start:end]
        if (known := self._plain.get(spelled)) is not None:
            return known
        plain = command_words(source, start, end)
        if plain is not None:
            self._plain[spelled] = made = plain_command(unreserved(plain))
            return made
        prefixed = prefixed_words(source, start, end)
        return Simple(unreserved(prefixed[1]), prefixed[0]) if prefixed is not None else self._command(node)

    def _command(self, node: Node) -> Statement:
        assigns: list[Assign] = []
        redirects: list[Redirect] = []
        words: list[Node] = []
        further: list[Word] = []
        for child in node.children:
            kind = child.type
            if kind == "variable_assignment":
                assigns.append(self.assign(child))
            elif kind in REDIRECTS:
                redirects.extend(self._redirects.lower(child, further))
            elif kind == "subshell":
                return Sequence((self.one(child), EMPTY))
            elif kind == "command_name":
                words.append(child.children[0] if child.child_count else child)
            elif kind != "ERROR":
                words.append(child)
        row = (*self.words.row(words), *further)
        return Simple(unreserved(row), tuple(assigns), tuple(redirects))

    def error(self, node: Node) -> Statement:
        """Text the grammar rejects: read its words as a command too, so that nothing in it goes unseen."""
        loose = [child for child in node.children if self.words.is_word(child) or child.type == "command_name"]
        nodes = [child.children[0] if child.type == "command_name" else child for child in loose]
        taken = {child.id for child in loose}
        rest = [child for child in node.children if child.id not in taken]
        return Sequence((Simple(self.words.row(nodes)), self.many(rest)))

    def assign(self, node: Node) -> Assign:
        plain = None if node.has_error else assignment(self.words.source, node.start_byte, node.end_byte)
        if plain is not None:
            return plain
        if node.child_count < 2:
            return Assign(self.words.text(node).partition("=")[0])
        target, operator, *rest = node.children
        value = rest[0] if rest else None
        name, _, index = self.words.text(target).partition("[")
        append = operator.type == "+="
        if value is None:
            return Assign(name, append=append, index=index.rstrip("]"), inner=self.words.expansions(target))
        if value.type == "array":
            items = self.words.row([child for child in value.children if child.type not in ("(", ")", "comment")])
            return Assign(name, items=items, append=append)
        inner = self.words.expansions(target) if index else ()
        return Assign(name, self.words.lower(value), append=append, index=index.rstrip("]"), inner=inner)

    def assignments(self, node: Node) -> Statement:
        nodes = [node] if node.type == "variable_assignment" else node.named_children
        return Simple(assigns=tuple(self.assign(child) for child in nodes))

    def declaration(self, node: Node) -> Statement:
        """`export A=1 B`: an ordinary command whose assignments also count as arguments."""
        words = [child for child in node.children if child.type != "variable_assignment"]
        assigns = tuple(self.assign(child) for child in node.children if child.type == "variable_assignment")
        named = tuple((syntax.Lit(item.name + "="), *item.value) for item in assigns)
        return Simple((*self.words.row(words), *named), assigns)

    def bare_redirect(self, node: Node) -> Statement:
        """`$(<file)`: redirections without a command."""
        words: list[Word] = []
        redirects = tuple(self._redirects.lower(node, words))
        return Simple(tuple(words), redirects=redirects)

    def redirected(self, node: Node) -> Statement:
        """A statement with redirections, and what follows a here-doc's start on the same line."""
        children = [(child, child.type) for child in node.children]
        bodies = [child for child, kind in children if kind not in REDIRECTS and child.is_named]
        hung = [child for child, kind in children if kind in REDIRECTS]
        docs = [child for child, kind in children if kind == "heredoc_redirect"]
        further: list[Word] = []
        redirects = tuple([redirect for child in hung for redirect in self._redirects.lower(child, further)])
        body = self.one(bodies[0]) if bodies else Simple()
        added = (*self._hung_words(bodies, hung, docs), *further)
        chained = bool(bodies) and bodies[0].type == "list"
        statement = last_redirected(body, redirects, added) if chained else with_redirects(body, redirects, added)
        for doc in docs:
            statement = self._after_here_doc(statement, doc)
        return statement

    def _hung_words(self, bodies: list[Node], hung: list[Node], docs: list[Node]) -> tuple[Word, ...]:
        """The command's words that the grammar hangs under its here-docs, or swallows before the first of them."""
        words = [child for doc in docs for child in self._redirects.arguments(doc)]
        dash = ((syntax.Lit("-"),),) if bodies and hung and self._redirects.swallowed_dash(bodies[-1], hung[0]) else ()
        return (*dash, *self.words.row(words))

    def _after_here_doc(self, statement: Statement, doc: Node) -> Statement:
        for child in doc.children:
            if child.type == "pipeline":
                stages = tuple(self.one(stage) for stage in child.named_children)
                statement = syntax.Pipeline((statement, *stages))
            elif child.type in _HANDLERS and child.type not in REDIRECTS and child.type != "ERROR":
                statement = Sequence((statement, self.one(child)))
        return statement

    def chain(self, node: Node) -> Statement:
        """`a && b || c`, which nests to the left: unrolled here so that long chains stay flat."""
        links: list[tuple[str, Node]] = []
        while node.type == "list":
            left, operator, right = node.children[0], node.children[1], node.children[-1]
            links.append((operator.type, right))
            node = left
        items = [self.one(node)]
        for operator_type, right in reversed(links):
            statement = self.one(right)
            conditional = operator_type == "||" or isinstance(items[-1], syntax.Test)
            items.append(syntax.Maybe(statement) if conditional else statement)
        return Sequence(tuple(items))

    def pipeline(self, node: Node) -> Statement:
        return syntax.Pipeline(tuple(self.one(child) for child in node.named_children if child.type != "comment"))

    def block(self, node: Node) -> Statement:
        if node.children and node.children[0].type == "((":
            return syntax.Test((self.words.arithmetic(node, True),))
        return self.many(node.children)

    def subshell(self, node: Node) -> Statement:
        return syntax.Block(self.many(node.children), subshell=True)

    def loop(self, node: Node) -> Statement:
        """`for` and `select`."""
        name = next((self.words.text(child) for child in node.children if child.type == "variable_name"), "")
        body = [child for child in node.children if child.type in ("do_group", "compound_statement")]
        has_words = any(child.type == "in" for child in node.children)
        listed = [child for child in node.children if self.words.is_word(child) and child.type != "variable_name"]
        words = self.words.row(listed)
        return syntax.For(name, words if has_words else None, self.many(body))

    def arithmetic_loop(self, node: Node) -> Statement:
        body = [child for child in node.children if child.type in ("do_group", "compound_statement")]
        return syntax.While(syntax.Test(self.words.substitutions(node)), self.many(body))

    def while_loop(self, node: Node) -> Statement:
        body = [child for child in node.children if child.type == "do_group"]
        condition = [child for child in node.children if child.is_named and child.type != "do_group"]
        return syntax.While(self.many(condition), self.many(body))

    def conditional(self, node: Node) -> Statement:
        first: list[Node] = []
        arms: list[list[Node]] = [first]
        for child in node.children:
            if child.type == "then":
                arms.append([])
            elif child.type in ("elif_clause", "else_clause"):
                arms.append([child])
            elif child.is_named or child.type == "&":
                arms[-1].append(child)
        return syntax.Branches(self.many(first), tuple(self.many(arm) for arm in arms[1:]))

    def case(self, node: Node) -> Statement:
        subject = [child for child in node.children if self.words.is_word(child)]
        items = [child for child in node.children if child.type == "case_item"]
        arms = tuple(self.many([part for part in item.children if not self._pattern(part)]) for item in items)
        patterns = tuple(
            word
            for item in items
            for part in item.children
            if self._pattern(part)
            for word in self.words.substitutions(part)
        )
        return syntax.Branches(syntax.Test((*self.words.row(subject), *patterns)), arms)

    def _pattern(self, part: Node) -> bool:
        return self.words.is_word(part) or part.type in ("extglob_pattern", "regex")

    def function(self, node: Node) -> Statement:
        named = node.named_children
        redirects = [
            redirect for child in named if child.type in REDIRECTS for redirect in self._redirects.lower(child, [])
        ]
        body = self.many([child for child in named[1:] if child.type not in REDIRECTS])
        if redirects:
            body = syntax.Block(body, tuple(redirects))
        return syntax.Function(self.words.text(named[0]) if named else "", body)

    def test(self, node: Node) -> Statement:
        if says_nothing(self.words.source, node.start_byte, node.end_byte):
            return syntax.Test()
        return syntax.Test(self.words.substitutions(node))


_HANDLERS: dict[str, Callable[[_Lowering, Node], Statement]] = {
    "command": _Lowering.command,
    "ERROR": _Lowering.error,
    "variable_assignment": _Lowering.assignments,
    "variable_assignments": _Lowering.assignments,
    "declaration_command": _Lowering.declaration,
    "unset_command": _Lowering.declaration,
    "redirected_statement": _Lowering.redirected,
    "file_redirect": _Lowering.bare_redirect,
    "herestring_redirect": _Lowering.bare_redirect,
    "list": _Lowering.chain,
    "pipeline": _Lowering.pipeline,
    "compound_statement": _Lowering.block,
    "subshell": _Lowering.subshell,
    "for_statement": _Lowering.loop,
    "c_style_for_statement": _Lowering.arithmetic_loop,
    "while_statement": _Lowering.while_loop,
    "if_statement": _Lowering.conditional,
    "case_statement": _Lowering.case,
    "function_definition": _Lowering.function,
    "test_command": _Lowering.test,
}
