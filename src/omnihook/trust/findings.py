"""What was found in the commands of one hook: files to pin, names to look up, and doubts."""

import glob
import os
import posixpath
import re

from omnihook.shell.state import absolute
from omnihook.shell.values import HOLE, Text
from omnihook.trust import programs
from omnihook.trust.named import Named
from omnihook.trust.programs import Runner
from omnihook.trust.projects import relative

_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


class Findings:
    """Collects what commands name; `project` is a folder without links, `base` where the hook runs."""

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
        for path in sorted(self._written & (self._files.keys() | self._maybe.keys())):
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

    def program(self, name: str) -> None:
        """A program that is looked for on PATH."""
        self._programs[name] = None

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
                self._globs[f"{glob.escape(package)}/**/*.py"] = None

    def neighbours(self, script: Text, cwd: Text) -> None:
        """A script in a folder of its own (`.claude/hooks`) imports what lies beside it before anything else."""
        folder = posixpath.dirname(self._place(script, cwd) or "") if script.known else ""
        if any(part.startswith(".") for part in folder.split("/")):
            self._globs[f"{glob.escape(folder)}/*.py"] = None

    def tasks(self, folder: Text, runner: Runner, name: str) -> None:
        """The files in which a runner finds its tasks, seen from a folder."""
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

    def write(self, word: Text, cwd: Text) -> None:
        """A file that is written, removed or made: its content cannot be pinned."""
        path = self._place(word, cwd) if word.known else None
        if path is not None:
            self._written.add(path)

    def search_path(self, name: str, value: Text) -> None:
        """A list of folders in which code is looked for."""
        for piece in value.text.split(":"):
            if piece == HOLE or not piece:
                continue
            inside = (
                HOLE in piece or not piece.startswith("/") or self._place(Text(piece), Text(self._base)) is not None
            )
            if inside:
                self.doubt(f"it puts folders of the project on {name}")

    def _pin(self, path: str, word: Text, *, maybe: bool = False) -> None:
        (self._maybe if maybe else self._files)[path] = None
        self._relative = self._relative or not word.text.startswith("/")

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


def _surely_a_path(text: str) -> bool:
    """Whether a word can hardly be anything but a path: `./x`, `/x/y`, `.claude/x`, `x/y.sh`."""
    return "/" in text and (text.startswith((".", "/")) or "." in posixpath.basename(text)[1:])
