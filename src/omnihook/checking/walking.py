"""Which commands of a shell text are sure to run when the hook does, with as much of their words as is known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from omnihook.shell import lower, syntax
from omnihook.shell.syntax import Assign, Lit, Simple, Statement, Sub, Var, Word
from omnihook.shell.tables import names
from omnihook.shell.wrappers import (
    SHELLS,
    WRAPPERS,
    base_name,
    folder_option,
    inner_start,
    script_options,
    shell_script,
)
from omnihook.slotted import dataclass
from omnihook.trust.guesses import nodes
from omnihook.trust.programs import LOOKERS, PROGRAM_RUNS, READERS

MAX_DEPTH = 8
# They only pass their command on; it is looked for as if it stood alone.
PASSING = names("caffeinate command doas env exec ionice nice nohup setsid stdbuf sudo time timeout")
# What stands behind these is looked for somewhere else.
ELSEWHERE = names("autossh bunx chroot firejail machinectl mosh npx nsenter unshare vagrant")
# They make no files that a later command could run.
HARMLESS = (LOOKERS | READERS | {"exec"}) - PROGRAM_RUNS - names("curl git gunzip http tar unzip wget xh zip")
ASKING = frozenset({"test", "[", "which", "type", "hash"})
_DECLARATIONS = frozenset({"export", "declare", "typeset", "local", "readonly"})
_GLOB = frozenset("*?[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One command that runs: its words (None where only a run tells) and what is known about its surroundings.

    `cwd` is None in a folder nobody knows; `anchored` tells that it does not depend on where the agent is; `made`
    that an earlier command may have made files; `tested` that something was asked first; `loose` that the program
    may be found in other ways than on the path.
    """

    words: tuple[str | None, ...]
    cwd: str | None
    anchored: bool
    made: bool
    tested: bool
    loose: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where a text starts: its folder, the home, and the variables whose values the configuration gives."""

    cwd: str
    anchored: bool
    home: str
    variables: Mapping[str, str]


@dataclass(slots=True)
class _State:
    cwd: str | None
    anchored: bool
    variables: dict[str, str]
    made: bool = False
    tested: bool = False
    loose: bool = False
    ended: bool = False


def runs(text: str, start: Start) -> list[Run]:
    """The commands of a text that are sure to run; raises ShellTextError for text beyond a cap."""
    walker = _Walker(start)
    walker.visit(lower(text).body, walker.state)
    return walker.found


def argv_runs(words: Sequence[str | None], start: Start) -> list[Run]:
    """The commands that one list of words runs."""
    walker = _Walker(start)
    walker.command(list(words), walker.state)
    return walker.found


class _Walker:
    def __init__(self, start: Start, depth: int = 0) -> None:
        self.found: list[Run] = []
        self.state = _State(start.cwd, start.anchored, dict(start.variables))
        self._start, self._depth = start, depth
        self._functions: set[str] = set()

    def visit(self, node: Statement, state: _State) -> None:
        """Walk a statement that is sure to run."""
        if state.ended:
            return
        match node:
            case Simple():
                self._simple(node, state)
            case syntax.Sequence():
                for item in node.items:
                    self.visit(item, state)
            case syntax.Pipeline():
                for stage in node.stages:
                    self._apart(stage, state)
            case syntax.Background():
                self._apart(node.body, state)
            case syntax.Block():
                (self._apart if node.subshell else self.visit)(node.body, state)
            case syntax.Branches():
                self.visit(node.first, state)
                for arm in node.arms:
                    self._perhaps(arm, state)
            case syntax.While():
                self.visit(node.condition, state)
                self._perhaps(node.body, state)
            case syntax.For():
                state.variables.pop(node.name, None)
                self._perhaps(node.body, state)
            case syntax.Maybe():
                self._perhaps(node.body, state)
            case syntax.Function():
                self._functions.add(node.name)
                self._perhaps(node.body, state)
            case syntax.Test():
                state.tested = True

    def command(self, words: list[str | None], state: _State, *, loose: bool = False) -> None:
        """Note a command, and those it passes on to."""
        name = words[0] if words else None
        if name is None:
            state.made = True
            return
        if name in self._functions:
            return
        self.found.append(
            Run(
                words=tuple(words),
                cwd=state.cwd,
                anchored=state.anchored,
                made=state.made,
                tested=state.tested,
                loose=loose or state.loose,
            )
        )
        base = base_name(name)
        self._inner(base, words, state, loose=loose)
        self._after(base, words, state)

    def _inner(self, name: str, words: list[str | None], state: _State, *, loose: bool) -> None:
        script = shell_script(words) if name in SHELLS else None
        if script is not None:
            text = words[script] if script < len(words) else None
            if text is not None and self._depth < MAX_DEPTH:
                self._nested(text, state)
        elif name in WRAPPERS and name not in ELSEWHERE:
            wrapper = WRAPPERS[name]
            as_text = wrapper.joined or any(script_options(words, wrapper))
            start = None if as_text else inner_start(words, wrapper)
            inside = _nowhere_known(state) if folder_option(words, wrapper) is not None else state
            if start is not None:
                self.command(words[start:], inside, loose=loose or name not in PASSING)

    def _nested(self, text: str, state: _State) -> None:
        if state.cwd is None:
            return
        inner = replace(self._start, cwd=state.cwd, anchored=state.anchored)
        walker = _Walker(inner, self._depth + 1)
        walker.state.made, walker.state.tested, walker.state.loose = state.made, state.tested, state.loose
        walker.visit(lower(text).body, walker.state)
        self.found += walker.found

    def _after(self, name: str, words: list[str | None], state: _State) -> None:
        """What is different once a command has run."""
        if name in ("cd", "pushd"):
            self._move(words, state)
        elif name == "popd":
            state.cwd = None
        elif name in ("source", ".", "eval", "alias"):
            state.loose = True
        elif name in ("exit", "return"):
            state.ended = True
        elif name in ASKING or (name == "command" and words[1:2] in (["-v"], ["-V"])):
            state.tested = True
        state.made = state.made or (name not in HARMLESS and name not in WRAPPERS)

    def _move(self, words: list[str | None], state: _State) -> None:
        operands = [word for word in words[1:] if word is None or not word.startswith("-") or word == "-"]
        folder = operands[0] if operands else self._start.home
        if folder is None or folder == "-":
            state.cwd, state.anchored = None, True
        elif folder.startswith("/"):
            state.cwd, state.anchored = folder, True
        elif state.cwd is not None:
            state.cwd = f"{state.cwd}/{folder}"

    def _apart(self, node: Statement, state: _State) -> None:
        """A subshell: what it changes for itself is gone afterwards, what it made is there."""
        inner = replace(state, variables=dict(state.variables))
        self.visit(node, inner)
        state.made, state.tested = state.made or inner.made, state.tested or inner.tested

    def _perhaps(self, node: Statement, state: _State) -> None:
        """A statement that may run or not: what it might change is no longer known."""
        for part in nodes(node):
            if isinstance(part, Assign):
                state.variables.pop(part.name, None)
                state.loose = state.loose or part.name == "PATH"
            elif isinstance(part, syntax.Function):
                self._functions.add(part.name)
            elif isinstance(part, Simple) and part.words:
                name = base_name(self._word(part.words[0], state) or "?")
                state.cwd = None if name in ("cd", "pushd", "popd") else state.cwd
                state.loose = state.loose or name in ("source", ".", "eval", "alias", "?")
                state.made = state.made or name not in HARMLESS

    def _simple(self, node: Simple, state: _State) -> None:
        for word in node.words:
            for part in word:
                if isinstance(part, Sub):
                    self._apart(part.script, state)
        words = [self._word(word, state) for word in node.words]
        lasting = not words or words[0] in _DECLARATIONS
        own_path = any(item.name == "PATH" for item in node.assigns)
        if lasting:
            self._assign(node.assigns, state)
            state.loose = state.loose or own_path
        if words:
            self.command(words, state, loose=own_path)
        written = (self._word(item.target, state) for item in node.redirects if ">" in item.op)
        state.made = state.made or any(target is None or not target.isdigit() for target in _files(written))

    def _assign(self, assigns: Sequence[Assign], state: _State) -> None:
        for item in assigns:
            value = None if item.items is not None or item.append or item.index else self._word(item.value, state)
            if value is None:
                state.variables.pop(item.name, None)
            else:
                state.variables[item.name] = value

    def _word(self, word: Word, state: _State) -> str | None:
        """What a word becomes, or None where that is not known."""
        made: list[str] = []
        for index, part in enumerate(word):
            match part:
                case Lit(text=text, quoted=True):
                    made.append(text)
                case Lit(text=text):
                    if not _GLOB.isdisjoint(text):
                        return None
                    tilde = index == 0 and (text.startswith("~/") or text == "~")
                    if index == 0 and text.startswith("~") and not tilde:
                        return None
                    made.append(self._start.home + text[1:] if tilde else text)
                case Var(name=name, op="" | ":-" | "-", index="") if name in state.variables:
                    value = state.variables[name]
                    if not part.quoted and name not in self._start.variables and len(value.split()) != 1:
                        return None
                    made.append(value)
                case _:
                    return None
        loose = "".join(part.text for part in word if isinstance(part, Lit) and not part.quoted)
        return None if "{" in loose and ("," in loose or ".." in loose) else "".join(made)


def _nowhere_known(state: _State) -> _State:
    """The same surroundings in a folder that is not known."""
    return replace(state, cwd=None, variables=dict(state.variables))


def _files(targets: Iterator[str | None]) -> Iterator[str | None]:
    return (target for target in targets if target not in ("/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty"))
