"""Staging beside the user's own index: a copy that holds the last commit and what is to be committed, nothing else."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import replace

from omnihook.builtin.repositories import Repository, fault
from omnihook.builtin.troubles import Trouble

_LISTING = ("--pathspec-from-file=-", "--pathspec-file-nul")


def aside(here: Repository, folder: str) -> Repository:
    """The repository with an index in another folder that says what the last commit holds."""
    own = here.place("rev-parse", "--git-path", "index")
    made = replace(here, index=os.path.join(folder, "index"))
    if os.path.exists(own):
        # A copy knows which files did not change; an index made from scratch would have git read them all. It must be
        # as old as the original: git compares files with its age, and would take what changed just now for unchanged.
        shutil.copy2(own, os.path.join(folder, "index"))
    made.asked("read-tree", *(("--reset", "HEAD") if here.head() else ("--empty",)))
    return made


def stage(made: Repository, paths: list[str]) -> str | None:
    """Stage the paths as they are on disk, those that are gone as deleted; gives back why git refuses."""
    there = {path: _is_file(os.path.join(made.top, path)) for path in paths}
    gone = [path for path, exists in there.items() if not exists]
    ended = made.git("update-index", "--force-remove", "-z", "--stdin", stdin=_joined(gone))
    if ended.code == 0 and len(gone) < len(paths):
        present = _joined(path for path, exists in there.items() if exists)
        ended = made.git("add", *_LISTING, stdin=present)
        if "sparse-checkout" in ended.errors:  # what was made beyond it was made on purpose
            ended = made.git("add", "--sparse", *_LISTING, stdin=present)
    return None if ended.code == 0 else fault(ended)


def follow(here: Repository, paths: list[str]) -> None:
    """Bring the user's own index up to the commit that was made, and leave everything else in it as it is."""
    committed = here.items("diff-tree", "--root", "--no-commit-id", "-r", "--no-renames", "--name-only", "-z", "HEAD")
    ended = here.git("reset", "--quiet", *_LISTING, stdin=_joined(dict.fromkeys((*paths, *committed))))
    if ended.code != 0:
        raise Trouble(f"the commit was made, but the index does not know it: {fault(ended)}")


def _is_file(path: str) -> bool:
    """Whether git can add it without adding more: a folder counts only as a repository of its own."""
    if os.path.isdir(path) and not os.path.islink(path):
        return os.path.lexists(os.path.join(path, ".git"))
    return os.path.lexists(path)


def _joined(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
