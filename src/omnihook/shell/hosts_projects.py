"""Tools that run what a project's file says: make, just and package managers, where this script wrote that file."""

import re
from collections.abc import Iterator, Mapping

from omnihook.shell.hosts import Host, Inner, option_scripts, quoted_again, unversioned
from omnihook.shell.hosts_variables import variables
from omnihook.shell.options import given, places
from omnihook.shell.recipes import recipes
from omnihook.shell.saving import package_scripts
from omnihook.shell.state import absolute
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text, joined

_MAKE_VALUES = "CfIjloWE"
_MAKE_LONG = names("--directory --file --makefile --eval --include-dir --jobs --old-file --what-if --assume-new")
_MAKE_FILES = ("GNUmakefile", "makefile", "Makefile")
_JUST_LONG = names("--justfile --working-directory --set --shell --dotenv-path --chooser --color")
_JUST_FILES = ("justfile", "Justfile", ".justfile")
_STDIN = ("-", "/dev/stdin", "/dev/fd/0")
_INSTALLS = names("i install ci add in isntall clean-install install-test it rebuild link prepare pack publish")
_LIFECYCLE = names("preinstall install postinstall preprepare prepare postprepare prepack postpack prepublishOnly")
_NAMED = {"t": "test", "tst": "test", "test": "test", "start": "start", "stop": "stop", "restart": "restart"}
_PACKAGE_VALUES = names("--prefix --cwd --dir -C -w --workspace --filter -F")


def _values(command: Command, letters: str, longs: frozenset[str], *wanted: str) -> list[Text]:
    options, _ = given(command.words, letters, longs)
    words = command.argv
    return [Text(words[one.place].text[one.start :], words[one.place].origins) for one in places(options, wanted)]


def make(command: Command) -> list[Inner]:
    """The recipes that a makefile has for the goals; one that comes from the network is run as a whole."""
    folder = _values(command, _MAKE_VALUES, _MAKE_LONG, "-C", "--directory")
    cwd = absolute(folder[-1].text, command.cwd.text) if folder else command.cwd.text
    texts = _values(command, _MAKE_VALUES, _MAKE_LONG, "--eval", "-E")
    files = _values(command, _MAKE_VALUES, _MAKE_LONG, "-f", "--file", "--makefile")
    if command.stdin is not None and any(file.text in _STDIN for file in files):
        texts.append(command.stdin.text)
    texts.extend(_written(command, cwd, [file.text for file in files] or list(_MAKE_FILES)))
    _, operands = given(command.words, _MAKE_VALUES, _MAKE_LONG)
    words = [command.words[place] for place in operands]
    programs = variables(tuple([(name, Text(value)) for name, value in _set(words).items()]), command.files)
    return [*programs, *_goals(texts, [word for word in words if "=" not in word], _set(words), cwd)]


def _written(command: Command, cwd: str, files: list[str]) -> list[Text]:
    found = [command.files.get(absolute(file, cwd)) for file in files] if command.files else []
    return [text for text in found if text is not None]


def _set(words: list[str]) -> dict[str, str]:
    """`NAME=value` among the words."""
    return {name: value for name, equals, value in (word.partition("=") for word in words) if equals}


def _goals(texts: list[Text], goals: list[str], given_values: Mapping[str, str], cwd: str) -> list[Inner]:
    unseen = [Inner(script=text) for text in texts if text.text.strip() == HOLE and "network" in text.origins]
    if unseen:
        return unseen
    whole = joined(texts, "\n")
    return [Inner(script=Text(line, whole.origins), cwd=Text(cwd)) for line in recipes(whole.text, goals, given_values)]


def just(command: Command) -> list[Inner]:
    """just's recipes are written as make's are."""
    files = _values(command, "fd", _JUST_LONG, "-f", "--justfile")
    texts = _written(command, command.cwd.text, [file.text for file in files] or list(_JUST_FILES))
    _, operands = given(command.words, "fd", _JUST_LONG)
    plain = [Text(text.text.replace("{{", "$(").replace("}}", ")"), text.origins) for text in texts]
    words = [command.words[place] for place in operands]
    return _goals(plain, [word for word in words if "=" not in word], _set(words), command.cwd.text)


def task(command: Command) -> list[Inner]:
    """The commands that a Taskfile lists for the tasks named, or for the one called default."""
    texts = _written(command, command.cwd.text, ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"])
    wanted = [word for word in command.words[1:] if not word.startswith("-") and "=" not in word] or ["default"]
    return [
        Inner(script=Text(line, text.origins))
        for text in texts
        for name in wanted
        for line in _task_lines(text.text, name)
    ]


def _task_lines(text: str, name: str) -> list[str]:
    found = re.search(rf"^([ \t]+){re.escape(name)}:[ \t]*\n((?:\1[ \t]+[^\n]*\n?|[ \t]*\n)*)", text, re.M)
    lines = re.findall(r"^[ \t]*(?:-[ \t]+(?:cmd:[ \t]*)?|cmd:[ \t]*)(.+)$", found[2], re.M) if found else []
    return [line.strip("\"'") for line in lines]


def package_run(command: Command) -> list[Inner]:
    """`npm exec -c script`, `pnpm exec cmd`, a shell chosen for scripts, and the scripts of a package written here."""
    words = command.argv
    found = option_scripts(words[1:], frozenset({"--script-shell"}))
    start = _verb(command)
    verb = words[start].text if start < len(words) else "install"
    if verb in ("exec", "dlx") or (verb == "x" and command.name in ("npm", "bun")):
        scripts = option_scripts(words[start + 1 :], frozenset({"-c", "--call", "--shell-mode"}))
        inner = next((index for index in range(start + 1, len(words)) if not words[index].text.startswith("-")), None)
        if command.name == "bun" and verb == "exec" and inner is not None:
            return [*found, Inner(script=words[inner])]  # its own shell is given text
        return [*found, *scripts] if scripts or inner is None else [*found, Inner(argv=unversioned(words[inner:]))]
    return [*found, *_package_scripts(command, verb, words[start + 1 :])] if command.files else found


def _verb(command: Command) -> int:
    place = 1
    while place < len(command.words) and command.words[place].startswith("-"):
        place += 2 if command.words[place] in _PACKAGE_VALUES else 1
    return place


def _package_scripts(command: Command, verb: str, rest: tuple[Text, ...]) -> Iterator[Inner]:
    """The scripts that a verb runs; what follows the name is given to them."""
    folders = [command.words[place + 1] for place in range(len(command.words) - 1) if _is_folder(command.words[place])]
    folders += [word.partition("=")[2] for word in command.words if word.startswith(("--prefix=", "--cwd=", "--dir="))]
    cwd = absolute(folders[-1], command.cwd.text) if folders else command.cwd.text
    text = command.files.get(absolute("package.json", cwd))
    scripts = package_scripts(text.text) if text is not None else {}
    if not scripts or text is None:
        return
    name, arguments = _NAMED.get(verb, verb), rest
    if verb in ("run", "run-script", "rum", "urn"):
        operands = [place for place, word in enumerate(rest) if not word.text.startswith("-")]
        name, arguments = (rest[operands[0]].text, rest[operands[0] + 1 :]) if operands else ("", ())
    wanted = sorted(_LIFECYCLE) if verb in _INSTALLS else [f"pre{name}", name, f"post{name}"]
    for one in wanted:
        if one in scripts:
            given_words = [quoted_again(word) for word in arguments if word.text != "--"] if one == name else []
            line = joined([Text(scripts[one], text.origins), *given_words], " ")
            yield Inner(script=line, cwd=Text(cwd))


def _is_folder(word: str) -> bool:
    return word in ("--prefix", "--cwd", "--dir", "-C")


PROJECTS: dict[str, Host] = {
    **dict.fromkeys(("make", "gmake"), make),
    "just": just,
    **dict.fromkeys(("task", "go-task"), task),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), package_run),
}
