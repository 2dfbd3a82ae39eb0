"""The guard: judges shell commands and file accesses by their effects, without running anything.

It reads text, so it is a seat belt and not a sandbox: a program it lets start can do what it likes.
"""

from omnihook.builtin.guard.files import judge_file
from omnihook.builtin.guard.judging import Judgement, judge
from omnihook.builtin.guard.modes import Mode

__all__ = ["Judgement", "Mode", "judge", "judge_file"]
