"""Which project files a hook names, read off its definition without running anything."""

import os
import re
import shlex
from dataclasses import replace
from functools import lru_cache

from omnihook.dialect import lookup
from omnihook.hooks import Argv, Call, Command, Hook
from omnihook.shell.evaluating import Evaluator
from omnihook.shell.lowering import lower
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.quoting import expand_braces
from omnihook.shell.state import Surroundings
from omnihook.shell.syntax import Lit, Statement, Var
from omnihook.shell.values import Text
from omnihook.shell.wrappers import SHELLS, base_name
from omnihook.shipped import SHIPPED
from omnihook.trust.commands import Reader
from omnihook.trust.findings import Findings
from omnihook.trust.guesses import is_guess, nodes
from omnihook.trust.named import Named

_REFERENCE = re.compile(r"(\$\{[A-Za-z_][A-Za-z0-9_]*\})")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = re.compile(r"[\w./@+~-]+")
_FOREIGN = frozenset({"fish", "csh", "tcsh", "pwsh"})

Variables = tuple[tuple[str, str], ...]


def named(hook: Hook, project: str) -> Named:
    """What a hook names. `project` is a path without links."""
    base = os.path.normpath(os.path.join(project, hook.cwd)) if hook.cwd else project
    match hook.action:
        case Command(command=text, interpreter=shell):
            found = _in_text(text, shell or "sh", base, project, _places(hook, project), _set(hook))
        case Argv(argv=words):
            text = " ".join(map(_shell_word, words))
            found = _in_text(text, "sh", base, project, _places(hook, project), _set(hook))
        case Call() as call:
            found = _in_call(call, base, project)
        case _:
            return Named()
    globs = tuple(part for glob in hook.pins for part in _without_braces(glob))
    return replace(found, globs=(*found.globs, *globs), relative=found.relative and hook.cwd is None)


def _places(hook: Hook, project: str) -> Variables:
    """The variables that hold a folder whenever the hook runs: those that its own dialect sets, and no other's."""
    policy = lookup(hook.source.dialect).policy
    root = None if hook.source.root is None else os.path.realpath(hook.source.root)
    made = {policy.project_variable: project, policy.plugin_variable: root}
    return tuple((name, place) for name, place in made.items() if name is not None and place is not None)


def _set(hook: Hook) -> Variables:
    """The variables that the hook's own entry sets."""
    return tuple(sorted((name, value) for name, value in hook.env.items() if _NAME.fullmatch(name)))


def _in_call(call: Call, base: str, project: str) -> Named:
    found = Findings(project, base)
    if call.builtin is None:
        found.module(call.target.partition(":")[0], Text(base))
    elif call.builtin in SHIPPED and SHIPPED[call.builtin].open:
        found.doubt("it runs programs of the project")
    return found.named()


@lru_cache(maxsize=512)
def _in_text(text: str, shell: str, base: str, project: str, places: Variables, own: Variables) -> Named:
    found = Findings(project, base)
    reader = Reader(found)
    reader.environment([(name, Text(value)) for name, value in own], Text(base))
    if "/" in shell:
        found.run(Text(shell), Text(base))
    if base_name(shell) not in SHELLS - _FOREIGN:
        found.doubt(f"it is written for {base_name(shell)}, which is not read here")
        for token in _TOKEN.findall(text):
            found.operand(Text(token), Text(base))
        return found.named()
    try:
        script = lower(text)
        if is_guess(script.body):
            found.doubt("what it runs is only known when it runs")
        variables = {**dict(places), **dict(own)}
        unknown = _unknown(script.body, variables)
        given = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
        asked = [f"read {' '.join(unknown)}"] if unknown else []
        surroundings = Surroundings(cwd=base, home=os.path.expanduser("~"), project=project)
        Evaluator(reader, surroundings).run("\n".join((*given, *asked, text)))
    except (ShellTextError, RecursionError) as error:
        found.doubt(f"it cannot be read: {error}")
    return found.named()


def _unknown(body: Statement, given: dict[str, str]) -> list[str]:
    """The variables of a text whose values come from outside; `read` makes them unknown to the evaluator,
    which otherwise takes a variable that nothing sets as unset."""
    names = {node.name for node in nodes(body) if isinstance(node, Var) and _NAME.fullmatch(node.name)}
    return sorted(names - given.keys() - {"HOME", "PWD"})


def _shell_word(word: str) -> str:
    """An argument as shell text: `${NAME}` may be filled in, all else stays as it is."""
    pieces = _REFERENCE.split(word)
    made = [f'"{piece}"' if index % 2 else shlex.quote(piece) for index, piece in enumerate(pieces) if piece]
    return "".join(made) or "''"


def _without_braces(glob: str) -> list[str]:
    words = expand_braces((Lit(glob.removeprefix("./")),))
    return ["".join(part.text for part in word if isinstance(part, Lit)) for word in words]
