"""Git as built-in hooks use it: in the session's own repository, patient with locks, and never prompting."""

import os
import re
import shlex
import time
from collections.abc import Sequence

from omnihook.builtin import programs
from omnihook.builtin.programs import Finished
from omnihook.builtin.troubles import Trouble
from omnihook.hooks import Context
from omnihook.showing import one_line
from omnihook.slotted import dataclass

SECONDS = 20.0
TRIES = 20
# Variables that would turn git away from the folder it is run in; we may be running inside another git's hook.
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
_BUSY = ("rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A work tree by its top folder; `index` is a file to use in the place of its own index."""

    top: str
    context: Context
    index: str | None = None

    def git(self, *words: str, stdin: bytes = b"", timeout: float = SECONDS) -> Finished:
        """Run git in the top folder; paths are taken literally. One that finds the index locked waits."""
        tries = 1
        while True:
            ended = _git(("--literal-pathspecs", *words), self.context, self.top, stdin, timeout, self.index)
            if ended.code in (0, None) or "index.lock" not in ended.errors or tries >= TRIES:
                return ended
            tries += 1
            time.sleep(0.1)

    def asked(self, *words: str) -> str:
        """What git answers; raises Trouble when it refuses."""
        return self._answered(words).output

    def items(self, *words: str) -> list[str]:
        """The items of a list that git ends with NULs; names that are no UTF-8 survive as surrogates."""
        return [item for item in os.fsdecode(self._answered(words).data).split("\0") if item]

    def _answered(self, words: Sequence[str]) -> Finished:
        ended = self.git(*words)
        if ended.code != 0:
            raise Trouble(f"git {words[0]}: {fault(ended)}")
        return ended

    def place(self, *words: str) -> str:
        """The one file or folder that git answers with, as an absolute path."""
        return os.path.join(self.top, os.fsdecode(self._answered(words).data).removesuffix("\n"))

    def head(self) -> str:
        """The last commit; nothing before the first."""
        return self.git("rev-parse", "--verify", "--quiet", "HEAD").output.strip()

    def position(self) -> tuple[str, str]:
        """The branch that is checked out, nothing when none is, and the last commit."""
        return self.git("symbolic-ref", "--quiet", "HEAD").output.strip(), self.head()

    def shown_head(self) -> str:
        """The last commit as people speak of it: its short name and its subject."""
        subject = self.asked("log", "-1", "--no-show-signature", "--format=%s").strip()
        return f"{self.asked('rev-parse', '--short', 'HEAD').strip()}: {subject}"

    def path(self, file: str) -> str | None:
        """A file relative to the top folder; None when it lies outside, or is git's own."""
        folder, name = os.path.split(file)
        relative = os.path.relpath(os.path.join(os.path.realpath(folder), name), self.top)
        return None if relative == ".." or relative.startswith("../") else relative

    def busy(self) -> bool:
        """Whether a merge, rebase or the like is under way, or has left conflicts behind."""
        folder = self.place("rev-parse", "--git-dir")
        return any(os.path.exists(os.path.join(folder, name)) for name in _BUSY) or self.unmerged()

    def unmerged(self, *paths: str) -> bool:
        """Whether one of the paths, or any file when none is named, is in conflict: to stage it is to settle it."""
        return bool(self.items("ls-files", "--unmerged", "-z", "--", *paths))

    def locked(self) -> bool:
        """Whether another git holds the index, and goes on holding it while we wait."""
        lock = self.place("rev-parse", "--git-path", "index.lock")
        for _ in range(TRIES):
            if not os.path.exists(lock):
                return False
            time.sleep(0.1)
        return True

    def belongs_to(self, other: "Repository") -> bool:
        """Whether this is the other one, or a submodule or work tree whose configuration the other one holds."""
        if self.top == other.top:
            return True
        held = os.path.realpath(other.place("rev-parse", "--git-common-dir"))
        return os.path.realpath(self.place("rev-parse", "--git-dir")).startswith(held + "/")


class Refused(Trouble):
    """There is a repository, but git does not open it; the text says why and what to do."""


def repository(folder: str, context: Context) -> Repository | None:
    """The repository a folder belongs to; None when it belongs to none or there is no git.

    Raises Refused for one that git does not open: another user's, or one whose own files are damaged.
    """
    found = _git(("rev-parse", "--show-toplevel"), context, folder, b"", SECONDS)
    top = os.fsdecode(found.data).removesuffix("\n")
    if found.code == 0:
        return Repository(top=os.path.realpath(top), context=context) if top else None
    doubtful = _DOUBTFUL.search(found.errors)
    if doubtful is not None:
        raise Refused(_distrusted(doubtful[1]))
    if found.code is not None and not _NO_WORK_TREE.search(found.errors):
        raise Refused(f"git does not open the repository of {one_line(folder)}: {fault(found)}")
    return None


_DOUBTFUL = re.compile(r"dubious ownership in repository at '(.*)'")
_NO_WORK_TREE = re.compile(r"not a git repository|must be run in a work tree|bare repository")


def _distrusted(top: str) -> str:
    trust = one_line(f"git config --global --add safe.directory {shlex.quote(top)}")
    return f"git does not trust {one_line(top)}, since it belongs to another user; only if the user does: {trust}"


def fault(ended: Finished) -> str:
    """Why git refused, in its own words: the error itself, without the advice after it."""
    lines = [line for line in ended.said.splitlines() if line.strip() and not line.startswith("hint:")]
    first = next((at for at, line in enumerate(lines) if line.startswith(("fatal:", "error:"))), None)
    kept = lines[-5:] if first is None else lines[first : first + 3]
    return programs.tail("\n".join(kept), 5, 500) or ended.why


def _git(
    words: Sequence[str], context: Context, cwd: str, stdin: bytes, timeout: float, index: str | None = None
) -> Finished:
    program = programs.found("git", context)
    if program is None:
        return Finished(code=None, output="", errors="", why="git is not there")
    env = {name: value for name, value in context.env.items() if name not in _ELSEWHERE}
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}
    quiet |= {} if index is None else {"GIT_INDEX_FILE": index}
    bare = Context(session_id=context.session_id, cwd=context.cwd, env=env, cancelled=context.cancelled)
    return programs.run((program, *words), bare, cwd=cwd, timeout=timeout, stdin=stdin, more=quiet)
