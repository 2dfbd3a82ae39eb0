"""Deeds that run something: commands, shell lines, code that is evaluated or included."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.effects import Do, Note
from omnihook.builtin.guard.languages import strings
from omnihook.builtin.guard.languages.nodes import Call, Function, Literal, Member, Node, Ref, below
from omnihook.builtin.guard.languages.reaching import Code, Found, Reach, is_table, owner_of, quoted
from omnihook.builtin.guard.languages.vocabulary import Deed
from omnihook.builtin.guard.languages.wholes import fetches
from omnihook.shell.values import HOLE, Text

_EVALUATORS = {
    "assert": ("php",),
    "create_function": ("php",),
    "compile": ("python",),
    "load": ("lua", "python"),
    "Function": ("node", "deno", "bun"),
    "evaluate": ("groovy",),
}
"""Names that evaluate code in some languages only."""
_DECODERS = strings.BASE64 | strings.HEX | strings.INFLATE
_NETWORK = frozenset({"network"})
_SAVED = frozenset({"saved"})


class CommandDeeds(Reach):
    """What calls run."""

    def commands(self, deed: Deed, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        """A program or a line for the shell, in whichever way the function takes it."""
        if last in ("execute", "!", "run") and isinstance(node.callee, Member) and dotted[-1:] in (['"'], ["c"], []):
            yield from self._command([node.callee.owner], node)
            return
        arguments = self.arguments(node)
        arguments += (
            [*self.keywords(node, "cmd", "args")] if last in ("run", "Command", "subprocess") or not arguments else []
        )
        if last in ("cmd", "command", "Command") and not arguments:
            return
        if deed is Deed.EXECUTE:
            words = [word for arg in arguments for word in self.folding.sequence(arg)]
            line = " ".join(quoted(text) for text in (words[1:] if len(words) > 1 else words))
            yield from self.shell_lines([Text(line, self.origins)] if line else [], node)
            return
        if last in ("popen", "open-pipe", "open-pipe*") and len(arguments) > 1:
            arguments = arguments[:1] if last != "open-pipe*" else arguments[1:]
        yield from self._command(arguments, node)

    def _command(self, arguments: list[Node], node: Call) -> Iterator[Found]:
        """One string is a command line; a list, or several, are a command and its arguments."""
        if not arguments:
            return
        first = arguments[0]
        listed = self.folding.sequence(first) if self.is_list(first) else []
        rest = [arg for arg in arguments[1:] if not is_table(arg)]
        words = [
            word
            for arg in rest
            for word in (self.folding.sequence(arg) if self.is_list(arg) else self.folding.texts(arg)[:1])
        ]
        if listed:
            lines = [Text(" ".join(map(quoted, listed)), self.origins.union(*(word.origins for word in listed)))]
        else:
            heads = self.folding.texts(self._unsplit(first))
            joins = (lambda word: word.text) if (self.folding.chain(node.callee) or ("",))[-1] == "system2" else quoted
            lines = [
                Text(" ".join([head.text, *map(joins, words)]), head.origins)
                if words and " " not in head.text.strip()
                else head
                for head in heads
            ]
        given = self.texts(self.keywords(node, "input"))
        if given:
            fed = f" <<< {quoted(given[0])}"
            lines = [Text(line.text + fed, line.origins | given[0].origins) for line in lines]
        yield from self.shell_lines(lines, first, self.texts(self.keywords(node, "cwd", "chdir", "cd"))[:1])

    def _unsplit(self, node: Node) -> Node:
        """A command line that is split into words is that command line."""
        if isinstance(node, Call) and (self.folding.chain(node.callee) or ("",))[-1] in (
            "split",
            "shellsplit",
            "quote",
        ):
            owner = owner_of(node)
            return owner if owner is not None and self.folding.texts(owner) else node.args[0] if node.args else node
        return node

    def fed(self, node: Call) -> Iterator[Found]:
        """Text given to a shell that was started before."""
        owner = owner_of(node)
        started = self.folding.nodes.get(owner.name) if isinstance(owner, Ref) else owner
        if isinstance(started, Call) and started.args:
            words = self.folding.sequence(started.args[0])[:1]
            if words and re.fullmatch(r"(?:.*/)?(?:ba|z|da|k)?sh(?: -\w+)*", words[0].text):
                yield from self.shell_lines(self.texts(self.arguments(node)[:1]), node)

    def evaluated(self, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        """Text that is run as code. What nobody can see came from the network if the code reaches it."""
        arguments = self.arguments(node)
        if self.around.language not in _EVALUATORS.get(last, (self.around.language,)):
            return
        if last in ("load", "compile") and dotted and not {"Code", "builtins", "globalThis"}.intersection(dotted):
            return
        texts = self.texts(arguments[-1:] if last == "Function" else arguments[:1])
        for text in texts[:64]:
            if text.text.strip().startswith(HOLE) and text.origins & _NETWORK:
                yield Note("run-remote", f"{self.around.language} evaluates code from the network")
            elif text.origins & _SAVED:
                yield Note("run-download", f"{self.around.language} evaluates a file")
            elif text.known:
                yield Code(text)
        if not texts and self.seen.called & _DECODERS:
            yield Note("run-hidden", f"{self.around.language} evaluates decoded text")
        if not texts and arguments and self.seen.fetches and not isinstance(arguments[0], Literal | Function):
            yield Note("run-remote", f"{self.around.language} evaluates code from the network")

    def included(self, node: Call, last: str) -> Iterator[Found]:
        """A file that is run or read in; one at an address on the network, or that comes from there, is run unseen."""
        given = self.arguments(node)[:1]
        parts = [inner for arg in given for inner in below(arg)]
        if any(isinstance(inner, Call) and fetches(inner, self.folding) for inner in parts):
            yield Note("run-remote", f"{last} of what was fetched")
            return
        for text in self.texts(self.arguments(node)[:2]):
            held = self.folding.module(text.text)
            if held is not None:
                yield Note("run-download", text.text) if held.origins & _SAVED else Code(held)
        texts = self.texts(given)
        if self.seen.fetches and isinstance(given[0] if given else None, Ref) and not any(text.known for text in texts):
            yield Note("run-download", f"{last} of a file after something was fetched")
        for text in texts:
            if re.match(r"(?:https?|ftp|data)://?", text.text) and self.around.language not in ("deno", "node", "bun"):
                yield Note("run-remote", f"{last} {text.text}")
            elif "/" in text.text or "." in text.text:
                yield from self.paths(Do.READ, [text])
