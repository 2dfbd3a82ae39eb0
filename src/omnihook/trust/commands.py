"""What each command of a text does with the files it names; `Evaluator` shows them one after the other."""

import os
import posixpath
import re
from collections.abc import Sequence

from omnihook.shell.state import absolute
from omnihook.shell.values import HOLE, Command, Opened, Text
from omnihook.shell.wrappers import SHELLS, WRAPPERS
from omnihook.trust import invocations, programs
from omnihook.trust.invocations import Invocation
from omnihook.trust.named import Named
from omnihook.trust.programs import Interpreter, Runner
from omnihook.trust.projects import relative

_VERSIONED = re.compile(r"(python|pypy|node|ruby|perl|php|lua|tclsh|guile)[\d.]*[tw]?")
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_ELSEWHERE = frozenset({"remote", "container"})


class Reader:
    """Collects what commands name; an observer of `Evaluator`."""

    def __init__(self, project: str, base: str) -> None:
        self._project = project
        self._base = base
        self._files: dict[str, None] = {}
        self._scripts: dict[str, None] = {}
        self._maybe: dict[str, None] = {}
        self._programs: dict[str, None] = {}
        self._globs: dict[str, None] = {}
        self._doubts: dict[str, None] = {}
        self._written: set[str] = set()
        self._relative = False

    def named(self) -> Named:
        """Everything seen so far. A file that the command itself writes cannot be pinned."""
        for path in self._written & (self._files.keys() | self._maybe.keys()):
            self.doubt(f"it uses {path}, which it writes itself")
        return Named(
            files=tuple(path for path in self._files if path not in self._written),
            scripts=tuple(path for path in self._scripts if path not in self._written),
            maybe=tuple(path for path in self._maybe if path not in self._written and path not in self._files),
            programs=tuple(self._programs),
            globs=tuple(self._globs),
            doubts=tuple(self._doubts),
            relative=self._relative,
        )

    def doubt(self, why: str) -> None:
        """More may run than is listed."""
        self._doubts[why] = None

    def command(self, command: Command) -> list[Text]:
        """One command."""
        if command.context & _ELSEWHERE:
            return []
        for opened in command.redirects:
            self._redirect(opened, command)
        self.environment(command.env, command if command.argv else None)
        if command.argv:
            self._dispatch(command)
        return []

    def script(self, text: Text, via: str, command: Command) -> None:
        """Shell text that is wholly unknown."""
        self.doubt(f"{command.name} runs text that is not known")

    def bomb(self, name: str) -> None:
        """A script that spawns without end names no more files than one that does not."""

    def broken(self, text: str) -> None:
        """Shell text that does not parse."""
        self.doubt("it is not a shell command that can be read")

    def environment(self, env: Sequence[tuple[str, Text]], command: Command | None = None) -> None:
        """Variables that are set: search paths, and files named for a program."""
        for name, value in env:
            if name in programs.SEARCH_PATHS:
                self._search_path(name, value)
            elif command is not None and value.known and "/" in value.text:
                self.operand(value, command.cwd)

    def run(self, word: Text, cwd: Text) -> None:
        """A file that is executed or interpreted."""
        if not word.known or word.pattern is not None:
            self.doubt("it runs a file whose name is not known")
            return
        path = self._place(word, cwd)
        if path is None:
            whole = absolute(word.text, cwd.text)
            if HOLE in whole:
                self.doubt(f"it runs {word.text} in a folder that is not known")
            elif not word.text.startswith("/") or whole.startswith(programs.SHARED_FOLDERS):
                self.doubt(f"it runs {word.text}, which is outside the project")
        elif path == ".":
            self.doubt("it runs a folder")
        else:
            self._pin(path, word)
            self._scripts[path] = None

    def operand(self, word: Text, cwd: Text, *, surely: bool = False, runs: bool = False) -> None:
        """A word that may be the name of a file; `runs` when what it names may be run, were it a folder."""
        text = word.text
        if text.startswith("-") and "=" in text:
            text = text.partition("=")[2]
        text = text.removeprefix("@")
        if not text or text.startswith("-") or "://" in text or "\n" in text or len(text) > 4096:
            return
        if not surely and "/" not in text and "." not in text[1:]:
            return
        path = self._place(Text(text), cwd)
        if path is None or path == ".":
            return
        self._pin(path, Text(text), maybe=not (surely or _surely_a_path(text)))
        if runs:
            self._scripts[path] = None

    def module(self, dotted: str, cwd: Text) -> None:
        """`python -m dotted`, or the module of a call: its package, looked for here and below `src`."""
        top = dotted.partition(".")[0]
        if top in programs.OPEN:
            self.doubt(f"{top} {programs.OPEN[top]}")
        if not _MODULE.fullmatch(dotted):
            self.doubt(f"it runs the module {dotted}, which is not known")
            return
        for folder in ("", "src/"):
            for name in (f"{folder}{top}.py", f"{folder}{top}/__init__.py"):
                path = self._place(Text(name), cwd)
                if path is not None:
                    self._pin(path, Text(name), maybe=bool(folder))
            package = self._place(Text(f"{folder}{top}"), cwd)
            if package is not None:
                self._globs[f"{package}/**/*.py"] = None

    def _pin(self, path: str, word: Text, *, maybe: bool = False) -> None:
        (self._maybe if maybe else self._files)[path] = None
        self._relative = self._relative or not word.text.startswith("/")

    def _dispatch(self, command: Command) -> None:
        first = command.argv[0]
        if not first.known or first.pattern is not None:
            self.doubt("it runs a program whose name is not known")
            return
        if "/" in first.text:
            self.run(first, command.cwd)
        name = command.name
        versioned = _VERSIONED.fullmatch(name)
        interpreter = programs.INTERPRETERS.get(versioned[1] if versioned else name)
        if name in programs.LOOKERS or (name in WRAPPERS and name not in programs.OPEN):
            self._look(command)
            return
        if "/" not in first.text:
            self._programs[name] = None
        if name in programs.OPEN:
            self.doubt(f"{name} {programs.OPEN[name]}")
        elif name in programs.RUNNERS:
            self._task(command, programs.RUNNERS[name])
        elif interpreter is not None:
            self._interpret(command, interpreter)
        elif name in SHELLS:
            self._shell(command)
        elif name in ("source", "."):
            for word in command.argv[1:2]:
                self.run(word, command.cwd)
        elif name in programs.WRITERS:
            for word in command.argv[1:]:
                self._write(word, command.cwd)
        else:
            self._operands(command, command.argv[1:])

    def _look(self, command: Command) -> None:
        if command.name == "git":
            verb = next((word for word in command.words[1:] if word in programs.GIT_OPEN), None)
            if verb is not None:
                self.doubt(f"git {verb} runs the repository's own hooks")

    def _redirect(self, opened: Opened, command: Command) -> None:
        if opened.writes:
            self._write(opened.target, command.cwd)
        elif opened.op == "<" and opened.target.known:
            self.operand(opened.target, command.cwd, surely=True)

    def _write(self, word: Text, cwd: Text) -> None:
        path = self._place(word, cwd) if word.known else None
        if path is not None:
            self._written.add(path)

    def _search_path(self, name: str, value: Text) -> None:
        for piece in value.text.split(":"):
            if piece == HOLE or not piece:
                continue
            inside = (
                HOLE in piece or not piece.startswith("/") or self._place(Text(piece), Text(self._base)) is not None
            )
            if inside:
                self.doubt(f"it puts folders of the project on {name}")

    def _place(self, word: Text, cwd: Text) -> str | None:
        """Where a word leads, relative to the project; None outside of it, or when nobody knows."""
        whole = absolute(word.text, cwd.text)
        if HOLE in whole or "\0" in whole:
            return None
        path = relative(whole, self._project)
        if path is None:  # another spelling of the same folder
            folder, name = posixpath.split(whole)
            path = relative(posixpath.join(os.path.realpath(folder), name), self._project)
        return path

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
                self._neighbours(found.script, command.cwd)

    def _neighbours(self, script: Text, cwd: Text) -> None:
        """A script in a folder of its own (`.claude/hooks`) imports what lies beside it before anything else."""
        folder = posixpath.dirname(self._place(script, cwd) or "") if script.known else ""
        if any(part.startswith(".") for part in folder.split("/")):
            self._globs[f"{folder}/*.py"] = None

    def _load(self, command: Command, found: Invocation) -> None:
        for word in found.loads:
            if word.known:
                self.operand(word, command.cwd, surely=True)
            else:
                self.doubt(f"{command.name} loads a file that is not known")

    def _invoked(self, command: Command, found: Invocation) -> None:
        if found.script is not None:
            self.run(found.script, command.cwd)
            self._operands(command, found.rest)
        elif command.stdin is None:
            self.doubt(f"{command.name} runs what it reads")

    def _run_module(self, word: Text, command: Command) -> None:
        if word.known:
            self.module(word.text, command.cwd)
        else:
            self.doubt(f"{command.name} runs a module that is not known")

    def _inline(self, command: Command, code: Text, interpreter: Interpreter, *, isolated: bool) -> None:
        if not code.known:
            self.doubt(f"{command.name} runs code that is not known")
        elif interpreter.careless and not isolated:
            self.doubt(f"{command.name}'s inline code imports from the current folder first; -I prevents it")
        else:
            loading = programs.ISOLATED_LOADING if interpreter.careless else programs.LOADING
            if loading.search(code.text):
                self.doubt(f"{command.name}'s inline code may load files")

    def _task(self, command: Command, runner: Runner) -> None:
        """`make target`: the file that holds the tasks."""
        found = invocations.task(command.argv, runner)
        if not all(word.known for word in command.argv):
            self.doubt(f"{command.name} is given a word that is not known")
        if found.verb in runner.open_verbs:
            self.doubt(f"{command.name} {found.verb} runs what the project installs")
        folder = command.cwd if found.folder is None else Text(absolute(found.folder.text, command.cwd.text))
        for file in found.files:
            self.run(file, folder)
        if not found.files:
            self._task_files(folder, runner, command.name)

    def _task_files(self, folder: Text, runner: Runner, name: str) -> None:
        if not folder.known:
            self.doubt(f"{name} runs in a folder that is not known")
            return
        place = folder.text
        while True:
            for file in runner.files:
                path = self._place(Text(file), Text(place))
                if path is not None:
                    self._pin(path, Text(file))
            if not runner.upward or relative(place, self._project) in (None, "."):
                return
            place = posixpath.dirname(place)

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
                    self.doubt(f"{name} runs a program that is not known")
            elif word.pattern is not None:
                self.doubt(f"{name} is given a glob")
            elif not word.known:
                if name not in programs.READERS:
                    self.doubt(f"{name} is given a word that is not known")
            elif previous not in programs.PROGRAM_OPTIONS:
                runs = name not in programs.READERS
                self.operand(word, command.cwd, surely=previous in files, runs=runs)
            previous = word.text


def _surely_a_path(text: str) -> bool:
    """Whether a word can hardly be anything but a path: `./x`, `/x/y`, `.claude/x`, `x/y.sh`."""
    return "/" in text and (text.startswith((".", "/")) or "." in posixpath.basename(text)[1:])
