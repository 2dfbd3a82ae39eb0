"""Commands whose own script lies in a folder of the system, where no hook belongs."""

import posixpath
import re

from omnihook.shell import command_lines

FOLDERS = ("/etc", "/var", "/sys", "/proc", "/dev")
_HINT = re.compile("etc|var|sys|proc|dev")
# Programs that run the file they are given.
_INTERPRETER = re.compile(r"(?:ba|da|z|k|a)?sh|python[\d.]*|node|deno|bun|ruby|perl|php|lua|source|\.")


def script_in_system_folder(command: str) -> str | None:
    """The first script of a command that lies in such a folder, or None; files it merely reads do not count."""
    if not _HINT.search(command):
        return None
    for line in command_lines(command) or (command,):
        words = line.split()
        candidates = words[:1]
        if words and _INTERPRETER.fullmatch(posixpath.basename(words[0])):
            candidates += [word for word in words[1:] if not word.startswith("-")][:1]
        for word in candidates:
            if _inside(word.strip("'\"")):
                return word
    return None


def _inside(word: str) -> bool:
    if not word.startswith("/"):
        return False
    path = posixpath.normpath("/" + word.lstrip("/"))
    return any(path == folder or path.startswith(folder + "/") for folder in FOLDERS)
