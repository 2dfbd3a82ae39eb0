"""Checking: what is wrong with configured hooks beyond their syntax, each finding with its place and its fix.

Nothing is started, imported or connected to.
"""

from omnihook.checking.files import Checked, check, examine

__all__ = ["Checked", "check", "examine"]
