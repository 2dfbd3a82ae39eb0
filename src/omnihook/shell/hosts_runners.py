"""Programs made to run others: on many machines, as benchmarks, as daemons, from packages."""

import re
from collections.abc import Iterator
from itertools import pairwise

from omnihook.shell.hosts import Host, Inner, known_words, option_scripts, with_options
from omnihook.shell.hosts_tasks import run_tasks
from omnihook.shell.options import given
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text


def ansible(command: Command) -> list[Inner]:
    """Ad-hoc modules: some run text, others do what a command does that is judged in their place."""
    words = command.argv
    options, _ = given(known_words(command), _ANSIBLE_VALUES, _ANSIBLE_LONG)
    context = frozenset({"remote", "elevated"} if any(one.name in _BECOME for one in options) else {"remote"})
    values = {
        one.name: Text(words[one.place].text[one.start :], words[one.place].origins) for one in options if one.place > 0
    }
    module = (values.get("-m") or values.get("--module-name") or Text("command")).text.rsplit(".", 1)[-1]
    text = values.get("-a") or values.get("--args") or Text("")
    if module in _RUN_TEXT:
        plain = re.sub(r"^(?:\s*(?:chdir|creates|removes|executable)=\S+)+|^\s*(?:cmd|_raw_params)=", "", text.text)
        return [Inner(script=Text(plain.strip(), text.origins), context=context)]
    settings = {name: value.strip("\"'") for name, value in _SETTING.findall(text.text)}
    path = next((settings[name] for name in ("path", "dest", "name") if name in settings), None)
    if path is None or module not in _CHANGES_FILES:
        return []
    return [Inner(argv=tuple(map(Text, line)), context=context) for line in _as_commands(module, path, settings)]


def _as_commands(module: str, path: str, settings: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """What a module that changes files does, as commands."""
    recursive = ("-R",) if settings.get("recurse", "no").lower() in ("yes", "true", "1", "on") else ()
    if settings.get("state") == "absent" and module == "file":
        yield ("rm", "-r", path)
    if "mode" in settings:
        yield ("chmod", *recursive, settings["mode"], path)
    if "owner" in settings or "group" in settings:
        yield ("chown", *recursive, settings.get("owner", "") + ":" + settings.get("group", ""), path)
    if module in ("copy", "template"):
        yield ("cp", settings.get("src", "-"), path) if "src" in settings else ("truncate", path)
    elif module in ("lineinfile", "blockinfile", "replace"):
        yield ("tee", "-a", path)


_ANSIBLE_VALUES = "amiuMtfBPTDecl"
_ANSIBLE_LONG = names(
    "--args --module-name --inventory --user --module-path --forks --background --poll --timeout --extra-vars",
    "--connection --limit --become-user --become-method --private-key --key-file --vault-password-file --tree",
)
_BECOME = frozenset({"-b", "--become", "--become-user", "-K", "--ask-become-pass"})
_RUN_TEXT = names("command shell raw script expect")
_CHANGES_FILES = names("file copy template lineinfile blockinfile replace")
_SETTING = re.compile(r"""(?<!\w)(\w++)=("[^"]*"|'[^']*'|\S+)""")


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
        return run_tasks(command)
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
}
