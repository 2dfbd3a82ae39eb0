"""Programs made to run others: on many machines, as benchmarks, as daemons, from packages."""

import re
from itertools import pairwise

from omnihook.shell.hosts import Host, Inner, option_scripts, with_options
from omnihook.shell.values import Command, Text


def ansible(command: Command) -> list[Inner]:
    """Ad-hoc modules: command and shell run text, `file` with `state=absent` deletes a tree."""
    words = [word.text for word in command.argv]
    module = next((value for name, value in pairwise(words) if name in ("-m", "--module-name")), "command")
    texts = option_scripts(command.argv[1:], frozenset({"-a", "--args"}))
    if module.rsplit(".", 1)[-1] != "file":
        return texts if module.rsplit(".", 1)[-1] in ("command", "shell", "raw", "script") else []
    paths = [re.search(r"(?:path|dest|name)=(\S+)", inner.script.text) for inner in texts if inner.script is not None]
    gone = any("state=absent" in inner.script.text for inner in texts if inner.script is not None)
    remote = frozenset({"remote"})
    return [Inner(argv=(Text("rm"), Text("-r"), Text(path[1])), context=remote) for path in paths if path and gone]


def last_operand(command: Command) -> list[Inner]:
    """Tools that run their last operand on many machines."""
    return [Inner(script=command.argv[-1], context=frozenset({"remote"}))] if len(command.argv) > 1 else []


def benchmarked(command: Command) -> list[Inner]:
    """hyperfine runs each operand, and what it is told to run before and after."""
    words = command.argv[1:]
    texts = [word for word in words if " " in word.text and not word.text.startswith("-")]
    return [*map(_as_script, texts), *option_scripts(words, frozenset({"--prepare", "-p", "--setup", "--cleanup"}))]


def _as_script(text: Text) -> Inner:
    return Inner(script=text)


def cmake(command: Command) -> list[Inner]:
    """`cmake -E` has commands of its own for what a shell would do."""
    words = command.argv
    if len(words) < 3 or words[1].text != "-E":
        return []
    known = _CMAKE.get(words[2].text, (words[2].text,))
    return [Inner(argv=(*map(Text, known), *words[3:]))]


_CMAKE = {
    "remove_directory": ("rm", "-r"),
    "remove": ("rm", "-f"),
    "rename": ("mv",),
    "copy_directory": ("cp", "-r"),
    "copy_if_different": ("cp",),
    "copy": ("cp",),
    "create_symlink": ("ln", "-s"),
    "make_directory": ("mkdir",),
    "capabilities": ("true",),
}


def daemon_started(command: Command) -> list[Inner]:
    """`start-stop-daemon --exec program -- arguments`."""
    words = command.argv
    program = next((value for name, value in pairwise(words) if name.text in ("-x", "--exec", "-a", "--startas")), None)
    place = next((index for index, word in enumerate(words) if word.text == "--"), len(words))
    return [] if program is None else [Inner(argv=(program, *words[place + 1 :]))]


def after_dashes(command: Command) -> list[Inner]:
    """`capsh -- -c script`: what follows is given to a shell."""
    place = next((index for index, word in enumerate(command.argv) if word.text == "--"), None)
    return [] if place is None else [Inner(argv=(Text("bash"), *command.argv[place + 1 :]))]


def package_run(command: Command) -> list[Inner]:
    """`npm exec -c script`, `pnpm exec cmd`, and a shell chosen for scripts."""
    words = command.argv
    found = option_scripts(words[1:], frozenset({"--script-shell"}))
    verb = words[1].text if len(words) > 1 else ""
    if verb not in ("exec", "x", "dlx"):
        return found
    scripts = option_scripts(words[2:], frozenset({"-c", "--call", "--shell-mode"}))
    start = next((index for index, word in enumerate(words[2:], 2) if not word.text.startswith("-")), None)
    return [*found, *scripts] if scripts or start is None else [*found, Inner(argv=words[start:])]


def evaluated_input(command: Command) -> list[Inner]:
    """PowerShell's `... | iex`."""
    return [] if command.stdin is None else [Inner(script=command.stdin.text, via="pipe")]


RUNNERS: dict[str, Host] = {
    **dict.fromkeys(("iex", "Invoke-Expression", "invoke-expression"), evaluated_input),
    "ansible": ansible,
    **dict.fromkeys(("pdsh", "pssh", "parallel-ssh", "clush", "dsh", "cssh", "mussh"), last_operand),
    "hyperfine": benchmarked,
    "split": with_options("--filter"),
    "capsh": after_dashes,
    "start-stop-daemon": daemon_started,
    "cmake": cmake,
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), package_run),
}
