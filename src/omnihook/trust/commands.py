"""What each command of a text does with the files it names; `Evaluator` shows them one after the other."""

import re
from collections.abc import Sequence

from omnihook.shell.state import absolute
from omnihook.shell.values import Command, Opened, Text
from omnihook.shell.wrappers import SHELLS, WRAPPERS
from omnihook.trust import invocations, programs
from omnihook.trust.findings import Findings
from omnihook.trust.invocations import Invocation
from omnihook.trust.programs import Interpreter, Runner

_VERSIONED = re.compile(r"(python|pypy|node|ruby|perl|php|lua|tclsh|guile)[\d.]*[tw]?")
_ELSEWHERE = frozenset({"remote", "container"})


class Reader:
    """Reads commands one by one into `found`; an observer of `Evaluator`."""

    def __init__(self, found: Findings) -> None:
        self.found = found

    def command(self, command: Command) -> list[Text]:
        """One command."""
        if command.context & _ELSEWHERE:
            return []
        for opened in command.redirects:
            self._redirect(opened, command)
        self.environment(command.env, command.cwd if command.argv else None)
        if command.argv:
            self._dispatch(command)
        return []

    def script(self, text: Text, via: str, command: Command) -> None:
        """Shell text that is wholly unknown."""
        self.found.doubt(f"{command.name} runs text that is not known")

    def bomb(self, name: str) -> None:
        """A script that spawns without end names no more files than one that does not."""

    def broken(self, text: str) -> None:
        """Shell text that does not parse."""
        self.found.doubt("it is not a shell command that can be read")

    def environment(self, env: Sequence[tuple[str, Text]], cwd: Text | None) -> None:
        """Variables that are set: search paths, and files named for a program that runs in `cwd`."""
        for name, value in env:
            if name in programs.SEARCH_PATHS:
                self.found.search_path(name, value)
            elif name in programs.SOURCED and value.text and cwd is not None:
                self.found.run(value, cwd)
            elif cwd is not None and value.known and "/" in value.text:
                for word in value.text.split():
                    self.found.operand(Text(word), cwd)

    def _dispatch(self, command: Command) -> None:
        first = command.argv[0]
        if not first.known or first.pattern is not None:
            self.found.doubt("it runs a program whose name is not known")
            return
        if "/" in first.text:
            self.found.run(first, command.cwd)
        name = command.name
        versioned = _VERSIONED.fullmatch(name)
        interpreter = programs.INTERPRETERS.get(versioned[1] if versioned else name)
        if name in programs.LOOKERS or (name in WRAPPERS and name not in programs.OPEN):
            self._look(command)
            return
        if "/" not in first.text:
            self.found.program(name)
        if name in programs.OPEN:
            self.found.doubt(f"{name} {programs.OPEN[name]}")
        elif name in programs.RUNNERS:
            self._task(command, programs.RUNNERS[name])
        elif interpreter is not None:
            self._interpret(command, interpreter)
        elif name in SHELLS:
            self._shell(command)
        elif name in ("source", "."):
            for word in command.argv[1:2]:
                self.found.run(word, command.cwd)
        elif name in programs.WRITERS:
            for word in command.argv[1:]:
                self.found.write(word, command.cwd)
        else:
            self._operands(command, command.argv[1:])

    def _look(self, command: Command) -> None:
        if command.name == "git":
            verb = next((word for word in command.words[1:] if word in programs.GIT_OPEN), None)
            if verb is not None:
                self.found.doubt(f"git {verb} runs the repository's own hooks")

    def _redirect(self, opened: Opened, command: Command) -> None:
        if opened.writes:
            self.found.write(opened.target, command.cwd)
        elif opened.op == "<" and opened.target.known:
            self.found.operand(opened.target, command.cwd, surely=True)

    def _shell(self, command: Command) -> None:
        """`sh file`; the text of `sh -c` is shown by itself."""
        found = invocations.shell(command.argv)
        self._load(command, found)
        if found.inline is None:
            self._invoked(command, found)

    def _interpret(self, command: Command, interpreter: Interpreter) -> None:
        found = invocations.interpreter(command.argv, interpreter)
        self._load(command, found)
        if found.module is not None:
            self._run_module(found.module, command)
            self._operands(command, found.rest)
        elif found.inline is not None:
            self._inline(command, found.inline, interpreter, isolated=found.isolated)
            self._operands(command, found.rest)
        elif found.script is None and command.stdin is not None:
            self._inline(command, command.stdin.text, interpreter, isolated=found.isolated)
        else:
            self._invoked(command, found)
            if interpreter.careless and found.script is not None:
                self.found.neighbours(found.script, command.cwd)

    def _load(self, command: Command, found: Invocation) -> None:
        for word in found.loads:
            if word.known:
                self.found.operand(word, command.cwd, surely=True)
            else:
                self.found.doubt(f"{command.name} loads a file that is not known")

    def _invoked(self, command: Command, found: Invocation) -> None:
        if found.script is not None:
            self.found.run(found.script, command.cwd)
            self._operands(command, found.rest)
        elif command.stdin is None:
            self.found.doubt(f"{command.name} runs what it reads")

    def _run_module(self, word: Text, command: Command) -> None:
        if word.known:
            self.found.module(word.text, command.cwd)
        else:
            self.found.doubt(f"{command.name} runs a module that is not known")

    def _inline(self, command: Command, code: Text, interpreter: Interpreter, *, isolated: bool) -> None:
        if not code.known:
            self.found.doubt(f"{command.name} runs code that is not known")
        elif interpreter.careless and not isolated:
            self.found.doubt(f"{command.name}'s inline code imports from the current folder first; -I prevents it")
        else:
            loading = programs.ISOLATED_LOADING if interpreter.careless else programs.LOADING
            if loading.search(code.text):
                self.found.doubt(f"{command.name}'s inline code may load files")

    def _task(self, command: Command, runner: Runner) -> None:
        """`make target`: the file that holds the tasks."""
        found = invocations.task(command.argv, runner)
        if not all(word.known for word in command.argv):
            self.found.doubt(f"{command.name} is given a word that is not known")
        if found.verb in runner.open_verbs:
            self.found.doubt(f"{command.name} {found.verb} runs what the project installs")
        folder = command.cwd if found.folder is None else Text(absolute(found.folder.text, command.cwd.text))
        for file in found.files:
            self.found.run(file, folder)
        if not found.files:
            self.found.tasks(folder, runner, command.name)

    def _operands(self, command: Command, words: Sequence[Text]) -> None:
        """The words of a program nobody has told us about, or that reads them."""
        name = command.name
        program = name in programs.PROGRAM_FIRST and not any(
            word.text.startswith((*programs.PROGRAM_OPTIONS, *programs.PROGRAM_FILES)) for word in words
        )
        files = programs.PROGRAM_FILES if name in programs.PROGRAM_FIRST else ()
        previous = ""
        for word in words:
            if program and not word.text.startswith("-"):
                program = False
                if not word.known and name in programs.PROGRAM_RUNS:
                    self.found.doubt(f"{name} runs a program that is not known")
            elif word.pattern is not None:
                self.found.doubt(f"{name} is given a glob")
            elif not word.known:
                if name not in programs.READERS:
                    self.found.doubt(f"{name} is given a word that is not known")
            elif previous not in programs.PROGRAM_OPTIONS:
                runs = name not in programs.READERS
                self.found.operand(word, command.cwd, surely=previous in files, runs=runs)
            previous = word.text
