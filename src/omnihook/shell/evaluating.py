"""Walk a script as a shell would, without running anything, and show an observer each command it comes to."""

from collections.abc import Iterable

from omnihook.shell import syntax
from omnihook.shell.assigning import DECLARATIONS, declare
from omnihook.shell.beside import Beside
from omnihook.shell.branching import each
from omnihook.shell.expanding import Expander
from omnihook.shell.invoking import Invoker
from omnihook.shell.lowering import lower
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.repeating import Repeats
from omnihook.shell.reserved import COPROCESS
from omnihook.shell.saving import redirected, standard_input
from omnihook.shell.spawning import endless, spawns
from omnihook.shell.state import State, Surroundings
from omnihook.shell.syntax import Assign, Redirect, Simple, Statement, Word
from omnihook.shell.values import SILENT, Command, Opened, Stream, Text, combined, unknown
from omnihook.shell.watching import Observer, Progress

MAX_NESTING = 90
MAX_WORDS = 5_000
_ROUNDS_DEEP = 12
_FEW = 4
_CALLED_BY_THE_SHELL = frozenset(
    {"command_not_found_handle", "command_not_found_handler", "precmd", "preexec", "chpwd"}
)


class Evaluator:
    """One walk. Raises `ShellTextError` when a cap is reached, which never means that the rest is harmless.

    `names` are commands worth trying where a name is a glob, and worth weighing where a function has their name.
    """

    def __init__(self, observer: Observer, surroundings: Surroundings, names: Iterable[str] = ()) -> None:
        self._observer = observer
        self._surroundings = surroundings
        self._progress = Progress()
        self._invoker = Invoker(observer, self._statement, self._progress, frozenset(names))
        self._repeats = Repeats(self._invoker, self._progress, surroundings.home)
        self._beside = Beside(self._statement, self._progress)
        self._expander = Expander(self._substitution, self._beside.substitute)

    def run(self, text: str) -> None:
        """Walk a whole text, then the functions it defines and never calls."""
        try:
            self._run(text)
        except RecursionError as error:
            raise ShellTextError("the command is nested too deeply") from error

    def _run(self, text: str) -> None:
        state = State(self._surroundings, (Text(self._surroundings.cwd),))
        script = lower(text)
        if script.broken:
            self._observer.broken(text)
        self._statement(script.body, state, None)
        if state.files and any("fifo" in content.origins for content in state.files.values()):
            # Who reads from a named pipe may stand before who writes to it.
            again = State(self._surroundings, (Text(self._surroundings.cwd),), files=state.files)
            self._statement(script.body, again, None)
        self._invoker.scripts.run_traps()
        for name in [name for name in state.functions if name not in self._progress.called]:
            alone = state.copy()
            alone.context |= frozenset() if name in _CALLED_BY_THE_SHELL else {"uncalled"}
            self._invoker.scripts.call(name, None, alone, None)

    def _statement(self, node: Statement, state: State, stdin: Stream | None) -> Stream:
        if type(node) is Simple:
            return self._simple(node, state, stdin)
        progress = self._progress
        progress.nesting += 1
        if progress.nesting > MAX_NESTING:
            raise ShellTextError(f"commands are nested more than {MAX_NESTING} levels deep")
        progress.clock.check()
        stream = self._dispatch(node, state, stdin)
        progress.nesting -= 1
        return stream

    def _dispatch(self, node: Statement, state: State, stdin: Stream | None) -> Stream:
        match node:
            case Simple():
                return self._simple(node, state, stdin)
            case syntax.Sequence():
                return combined([self._statement(item, state, stdin) for item in node.items])
            case syntax.Pipeline():
                return self._pipeline(node, state, stdin)
            case syntax.Background():
                self._progress.spawning += 1
                self._statement(node.body, state.copy(), stdin)
                self._progress.spawning -= 1
                return SILENT
            case syntax.Maybe():
                return self._branches((node.body,), state, stdin)
            case syntax.Branches():
                first = self._statement(node.first, state, stdin)
                return combined([first, self._branches(node.arms, state, stdin)])
            case syntax.Block():
                return self._block(node, state, stdin)
            case syntax.For():
                return self._for(node, state, stdin)
            case syntax.While():
                return self._while(node, state, stdin)
            case syntax.Function() if node.name.startswith(COPROCESS):
                return self._beside.start_group(node, state, stdin)
            case syntax.Function():
                state.functions[node.name] = node.body
                self._progress.called.discard(node.name)
                return SILENT
            case syntax.Test():
                for word in node.words:
                    self._expander.text(word, state)
                return SILENT

    def _branches(self, arms: tuple[Statement, ...], state: State, stdin: Stream | None) -> Stream:
        copies = [state.copy() for _ in arms]
        streams = [self._statement(arm, copy, stdin) for arm, copy in zip(arms, copies, strict=True)]
        state.join(copies)
        return combined(streams)

    def _pipeline(self, node: syntax.Pipeline, state: State, stdin: Stream | None) -> Stream:
        self._progress.spawning += 1
        self._progress.heard += 1
        stream = stdin
        for stage in node.stages:
            stream = self._statement(stage, state.copy(), stream)
        self._progress.heard -= 1
        self._progress.spawning -= 1
        return stream if stream is not None else SILENT

    def _block(self, node: syntax.Block, state: State, stdin: Stream | None) -> Stream:
        inner = state.copy() if node.subshell else state
        opened = self._opened(node.redirects, inner)
        stdin = standard_input(opened, inner, stdin)
        if opened:
            self._observer.command(Command((), inner.cwd, stdin, opened, context=inner.context, links=inner.links))
        self._progress.spawning += node.subshell
        self._progress.heard += bool(opened)
        stream = self._statement(node.body, inner, stdin)
        self._progress.heard -= bool(opened)
        self._progress.spawning -= node.subshell
        return redirected(opened, stream, state)

    def _for(self, node: syntax.For, state: State, stdin: Stream | None) -> Stream:
        values = state.arguments if node.words is None else self._expander.words(node.words, state)
        streams: list[Stream] = []
        if values and len(values) > 1 and all(value.text.isdigit() for value in values):
            values = values if len(values) <= _FEW else (values[0], values[-1])  # the rest are like these
        if values and state.files:
            values = (
                *values,
                *[Text(path) for value in values if value.pattern for path in state.matching(value.pattern)],
            )
        for value in values if values is not None else (unknown("variable"),):
            state.assign(node.name, value)
            streams.append(self._statement(node.body, state, stdin))
        return combined(streams)

    def _while(self, node: syntax.While, state: State, stdin: Stream | None) -> Stream:
        """The body runs twice when it changed what the shell remembers, so that later rounds are seen too."""
        self._statement(node.condition, state, stdin)
        if endless(node.condition) and spawns(node.body):
            self._observer.bomb("loop")
        before = (dict(state.variables), state.cwds)
        stream = self._statement(node.body, state, stdin)
        if (state.variables, state.cwds) != before and self._progress.nesting < _ROUNDS_DEEP:
            stream = self._statement(node.body, state, stdin)
        return stream

    def _simple(self, node: Simple, state: State, stdin: Stream | None) -> Stream:
        if not state.forked or (node.fixed is not None and len(state.cwds) == 1):
            return self._one(node, state, stdin)
        return combined([self._one(node, chosen, stdin) for chosen in each(node, state)])

    def _one(self, node: Simple, state: State, stdin: Stream | None) -> Stream:
        """One simple command under one choice of values; in one piece, for it is done for every command."""
        beside = self._beside
        special = beside.pending or beside.coprocesses or state.startups
        if node.fixed is not None and not special and node.fixed[0].text != "coproc":
            return self._repeats.run(node, node.fixed, state, state.stdin if stdin is None else stdin)
        argv = self._words(node.words, state) if node.words else ()
        stdin = state.stdin if stdin is None else stdin
        env = tuple([(item.name, self._assigned(item, state)) for item in node.assigns]) if node.assigns else ()
        opened = self._opened(node.redirects, state) if node.redirects else ()
        stdin = standard_input(opened, state, stdin) if opened else stdin
        declares = env != () and (not argv or argv[0].text in DECLARATIONS)
        if declares:
            env = declare(node.assigns, env, argv, state, self._expander)
        home = self._surroundings.home
        command = Command(
            argv, state.cwds[0], stdin, opened, env, state.context, state.mounts, home, state.files, state.links
        )
        if env and self._invoker.environment(env, command, state) and declares:
            state.startups = tuple(dict((*state.startups, *env)).items())
        elif state.startups and state.files and argv:
            self._invoker.started(command, state)
        if not argv:
            if opened:
                self._observer.command(command)
            return stdin if stdin is not None and opened else SILENT
        if opened and command.words == ("exec",):
            state.stdin = stdin
        coprocess = command.name == "coproc"
        heard = bool(opened or beside.pending or coprocess)
        self._progress.heard += heard
        stream = self._invoker.invoke(command, state, 0)
        self._progress.heard -= heard
        state.previous = argv
        if coprocess:
            return beside.start("COPROC", node, stream, state)
        if opened and beside.coprocesses:
            beside.feed(opened, stream, state)
        if opened:
            stream = redirected(opened, stream, state)
        return beside.flush(stream) if beside.pending else stream

    def _words(self, words: tuple[Word, ...], state: State) -> tuple[Text, ...]:
        argv = self._expander.words(words, state) if len(words) <= MAX_WORDS else ()
        if len(argv) > MAX_WORDS or len(words) > MAX_WORDS:
            raise ShellTextError(f"a command has more than {MAX_WORDS} words")
        return argv

    def _assigned(self, item: Assign, state: State) -> Text:
        if item.inner:
            self._expander.text(item.inner, state)
        return self._expander.text(item.value, state)

    def _opened(self, redirects: tuple[Redirect, ...], state: State) -> tuple[Opened, ...]:
        return tuple(Opened(item.op, self._expander.text(item.target, state), item.fd) for item in redirects)

    def _substitution(self, script: Statement, state: State) -> Stream:
        self._progress.nesting += 1
        self._progress.heard += 1
        stream = self._statement(script, state, None)
        self._progress.heard -= 1
        self._progress.nesting -= 1
        return stream
