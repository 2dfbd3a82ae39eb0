"""Shell text, parsed once: statements, words and what can be known of them without running anything."""

from omnihook.shell.lines import command_lines
from omnihook.shell.lowering import lower
from omnihook.shell.parsing import ShellTextError

__all__ = ["ShellTextError", "command_lines", "lower"]
