"""Whether the programs, scripts and folders that a hook names are there."""

import os
import re
import shutil
from collections.abc import Iterable, Mapping

from omnihook import dialects
from omnihook.checking import walking
from omnihook.checking.findings import finding
from omnihook.checking.walking import Run, Start
from omnihook.dialect import Diagnostic
from omnihook.folders import Folders
from omnihook.hooks import Argv, Command, Hook
from omnihook.shell import ShellTextError
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text
from omnihook.shell.wrappers import SHELLS, base_name
from omnihook.trust import invocations
from omnihook.trust.programs import INTERPRETERS

# Words of the shell itself, which no search of the path finds.
BUILTINS = names(
    ". : [ [[ alias bg bind break builtin caller cd command compgen complete continue coproc declare dirs disown echo "
    "enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf "
    "pushd pwd read readarray readonly return set shift shopt source suspend test time times trap true type typeset "
    "ulimit umask unalias unset wait"
)
# Interpreters whose first operand is a file, and those where it may be something else unless it looks like a script.
_FILE_FIRST = re.compile(r"(python|pypy|node|nodejs|ruby|perl|php|lua|tclsh|Rscript)[\d.]*")
_PERHAPS_FILE = frozenset({"deno", "bun", "tsx", "ts-node"})
_SCRIPT = re.compile(r"[^:]+\.(sh|bash|zsh|py|js|mjs|cjs|ts|mts|cts|tsx|jsx|rb|pl|php|lua)")
_FOREIGN_SHELLS = frozenset({"fish", "csh", "tcsh"})
_NODE_ENDINGS = (".js", ".mjs", ".cjs", ".json", ".ts")
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def scripts(hook: Hook, folders: Folders, environ: Mapping[str, str]) -> Iterable[Diagnostic]:
    """What is wrong with the commands of a hook that are sure to run when it does."""
    start = _start(hook, folders)
    try:
        match hook.action:
            case Command(command=text, interpreter=shell) if _readable(shell):
                found = walking.runs(text, start)
            case Argv(argv=words):
                found = walking.argv_runs([_filled(word, start.variables) for word in words], start)
            case _:
                return
    except (ShellTextError, RecursionError):
        return
    search = hook.env.get("PATH", environ.get("PATH"))
    said: set[str] = set()
    for run in found:
        for item in _command(hook, run, search):
            if item.message not in said:
                said.add(item.message)
                yield item


def _readable(shell: str | None) -> bool:
    return shell is None or base_name(shell) in SHELLS - _FOREIGN_SHELLS


def _start(hook: Hook, folders: Folders) -> Start:
    policy = dialects.get(hook.source.dialect).policy
    places = {
        policy.project_variable: folders.project,
        policy.session_variable: folders.project,
        policy.plugin_variable: hook.source.root,
    }
    known = {name: place for name, place in places.items() if name is not None and place is not None}
    variables = {**known, "HOME": folders.home, **hook.env}
    cwd = os.path.join(folders.project, hook.cwd or "")
    return Start(cwd=cwd, anchored=hook.cwd is not None, home=folders.home, variables=variables)


def _filled(word: str, variables: Mapping[str, str]) -> str | None:
    names = _REFERENCE.findall(word)
    if any(name not in variables for name in names):
        return None
    return _REFERENCE.sub(lambda found: variables[found[1]], word)


def _command(hook: Hook, run: Run, search: str | None) -> Iterable[Diagnostic]:
    program = run.words[0] or ""
    name = base_name(program)
    if "\0" in program:
        return
    if "/" in program:
        yield from _path(hook, program, run, executed=True)
    elif not _on_path(program, search) and not run.loose and not run.tested:
        yield _not_a_program(hook, program, run)
        return
    if name in ("source", "."):
        yield from _sourced(hook, run, search)
    elif name in SHELLS:
        yield from _operand(hook, run, invocations.shell(_texts(run)).script if not _reads_input(run) else None)
    elif (found := _FILE_FIRST.fullmatch(name)) is not None:
        called = invocations.interpreter(_texts(run), INTERPRETERS[found[1]])
        yield from _operand(hook, run, called.script, file_only=False)
        if called.module is not None and called.module.known:
            yield from _module(hook, run, called.module.text)
    elif name in _PERHAPS_FILE:
        word = next((word for word in run.words[1:] if word and _SCRIPT.fullmatch(word)), None)
        yield from _operand(hook, run, None if word is None else Text(word))


def _texts(run: Run) -> list[Text]:
    return [Text(HOLE if word is None else word) for word in run.words]


def _reads_input(run: Run) -> bool:
    """`bash -s word`: the word is an argument of what the shell reads."""
    options = [word for word in run.words[1:] if word and word.startswith("-") and not word.startswith("--")]
    return any("s" in option for option in options)


def _on_path(program: str, search: str | None) -> bool:
    return program in BUILTINS or shutil.which(program, path=search) is not None


def _not_a_program(hook: Hook, program: str, run: Run) -> Diagnostic:
    here = run.cwd is not None and os.path.isfile(os.path.join(run.cwd, program))
    fix = f"write ./{program}" if here else "install it, or write its whole path"
    # What is named like a script is hardly installed anywhere; other programs may be where the agent looks.
    severity = "error" if _SCRIPT.fullmatch(program) else "warning"
    return finding(hook, f"{program!r} is not a program on the path", fix, "program", severity=severity)


def _operand(hook: Hook, run: Run, script: Text | None, *, file_only: bool = True) -> Iterable[Diagnostic]:
    # A number is a descriptor that the parser did not see as one; `node inspect` is a command.
    if script is None or not script.known or not script.text or script.text == "inspect" or script.text.isdigit():
        return
    yield from _path(hook, script.text, run, executed=False, file_only=file_only)


def _sourced(hook: Hook, run: Run, search: str | None) -> Iterable[Diagnostic]:
    word = run.words[1] if len(run.words) > 1 else None
    if word is None:
        return
    if "/" in word:
        yield from _path(hook, word, run, executed=False)
    elif run.cwd is not None and not run.tested and not _is_somewhere(word, run.cwd, search):
        yield _missing(hook, word, run)


def _is_somewhere(word: str, cwd: str, search: str | None) -> bool:
    return any(os.path.isfile(os.path.join(folder, word)) for folder in (cwd, *(search or "").split(":")))


def _module(hook: Hook, run: Run, dotted: str) -> Iterable[Diagnostic]:
    """A module of a package that stands in the folder; what is installed elsewhere cannot be known."""
    top, _, rest = dotted.partition(".")
    if not rest or run.cwd is None or not os.path.isfile(os.path.join(run.cwd, top, "__init__.py")):
        return
    place = os.path.join(run.cwd, *dotted.split("."))
    if not os.path.exists(f"{place}.py") and not os.path.isdir(place):
        told = f"the package {top!r} has no module {dotted!r}"
        yield finding(hook, told, "create it, or correct the name", "missing", severity="warning")


def _path(hook: Hook, word: str, run: Run, *, executed: bool, file_only: bool = True) -> Iterable[Diagnostic]:
    if "://" in word or word.startswith("/dev/"):
        return
    if not os.path.isabs(word):
        if not run.anchored and not run.made:
            told = f"{word!r} depends on the directory the agent happens to be in"
            yield finding(hook, told, "write the path from a documented variable or from the root", "relative")
        if run.cwd is None:
            return
    path = word if os.path.isabs(word) else os.path.join(run.cwd or "", word)
    if not os.path.exists(path):
        if not run.tested and not (not file_only and any(os.path.exists(path + end) for end in _NODE_ENDINGS)):
            yield _missing(hook, word, run)
    elif os.path.isdir(path):
        if file_only:
            yield finding(hook, f"{word!r} is a directory", "name a script in it", "missing")
    elif executed and not os.access(path, os.X_OK):
        yield finding(hook, f"the script {word!r} is not executable", f"chmod +x {path}", "not-executable")


def _missing(hook: Hook, word: str, run: Run) -> Diagnostic:
    # An earlier command of the same text may well be the one that makes it.
    severity = "warning" if run.made else "error"
    told = f"the script {word!r} does not exist"
    return finding(hook, told, "create it, or correct the path", "missing", severity=severity)
