"""Tools that run what a file of theirs lists: task runners, hooks, playbooks, builds, where this script wrote it."""

import json
import re
from collections.abc import Callable, Iterator

from omnihook.shell.hosts import Host, Inner
from omnihook.shell.state import absolute
from omnihook.shell.values import HOLE, Command, Text
from omnihook.slotted import dataclass

_MAX_LINES = 400
_BLOCK = frozenset({"|", ">", "|-", ">-", "|+", ">+", ""})
Listed = Callable[[str], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Tasks:
    """The files that a tool reads, by name or as its operands, and how to find the commands in one."""

    files: tuple[str, ...]
    listed: Listed
    operands: bool = False
    verbs: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()


def run_tasks(command: Command) -> list[Inner]:
    """Every command that the tool's files list: which of them it is asked for is seldom plain."""
    tasks = _TASKS[command.name]
    if not command.files or (tasks.verbs and tasks.verbs.isdisjoint(command.words[1:3])):
        return []
    return [
        Inner(script=_filled(line, text), context=tasks.context)
        for text in _texts(command, tasks)
        for line in tasks.listed(text.text)
    ]


def _filled(line: str, text: Text) -> Text:
    """A line with what the tool fills in left open; a program's name is then taken for some program's."""
    line = _PLACEHOLDER.sub(HOLE, line)
    line = _FIRST.sub("any", line) if HOLE in line else line
    return Text(line, text.origins | {"variable"} if HOLE in line else text.origins)


_FIRST = re.compile(rf"^{HOLE}", re.M)
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]*+\}\}|(?<!\$)\{[a-z_]++(?::[^{}\n]*+)?+\}")


def _texts(command: Command, tasks: Tasks) -> Iterator[Text]:
    named = [word for word in command.words[1:] if not word.startswith("-")] if tasks.operands else []
    places = dict.fromkeys(absolute(name, command.cwd.text) for name in (*tasks.files, *named))
    for place in places:
        text = command.files.get(place)
        if text is not None:
            yield text
    if tasks.operands and command.stdin is not None and not {"-", "/dev/stdin"}.isdisjoint(named or ("",)):
        yield command.stdin.text


def _keyed(*keys: str) -> Listed:
    """The values of keys, as YAML, INI and TOML write them: on the line, or indented on those below it."""
    wanted = re.compile(rf"^([ \t]*)(?:-[ \t]+)*[\"']?(?:{'|'.join(keys)})[\"']?[ \t]*[:=][ \t]*(.*)$")

    def listed(text: str) -> Iterator[str]:
        lines = re.sub(r"\\\n[ \t]*", " ", text).split("\n")[:_MAX_LINES]
        for place, line in enumerate(lines):
            found = wanted.match(line)
            if found is None:
                continue
            if found[2].strip() not in _BLOCK:
                yield _bare(found[2])
                continue
            block: list[str] = []
            for below in lines[place + 1 :]:
                if below.strip() and len(below) - len(below.lstrip()) <= len(found[1]):
                    break
                block.append(_bare(below.strip().removeprefix("- ")))
            yield (" " if found[2].startswith(">") else "\n").join(block)

    return listed


def _bare(value: str) -> str:
    """A value without its quotes; a list of words as one line."""
    value = value.strip()
    if value[:1] == "[" and value[-1:] == "]":
        return (
            " ".join(re.findall(r"[^\s,\"'\[\]]+", value))
            if '",' in value or "'," in value
            else value[1:-1].strip("\"' ")
        )
    return value[1:-1] if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0] else value


def _section(name: str) -> Listed:
    """The values below a heading of TOML."""

    def listed(text: str) -> Iterator[str]:
        inside = False
        text = _LONG_VALUE.sub(lambda found: "'" + found[2].strip().replace("\n", "; ").replace("'", '"') + "'", text)
        for line in text.split("\n")[:_MAX_LINES]:
            heading = re.match(r"\[++([^]]++)\]++", line.strip())
            if heading is not None:
                inside = re.match(name, heading[1]) is not None
            elif inside and "=" in line:
                value = line.partition("=")[2]
                shown = re.search(r"\b(?:cmd|shell|script)\s*=\s*(\"[^\"]*\"|'[^']*')", value)
                yield _bare(shown[1] if shown else value)

    return listed


_LONG_VALUE = re.compile(r"(\"\"\"|\'\'\')(.*?)\1", re.S)


def _table(*names: str) -> Listed:
    """The texts in a table of JSON."""

    def listed(text: str) -> Iterator[str]:
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            return
        for name in names:
            found = content.get(name) if isinstance(content, dict) else None
            for value in found.values() if isinstance(found, dict) else ():
                yield from [line for line in (value if isinstance(value, list) else [value]) if isinstance(line, str)]

    return listed


def _matching(pattern: str) -> Listed:
    """What an expression finds."""
    found = re.compile(pattern, re.M)
    return lambda text: (match[1] for match in found.finditer(text))


def _whole(text: str) -> Iterator[str]:
    """All of it is shell text; a test's heading is left out."""
    yield re.sub(r"^@test\b[^\n{]*\{", "{", text, flags=re.M)


def _cmake(text: str) -> Iterator[str]:
    """What a list of cmake's removes, and the commands that it runs now or while building."""
    text = re.sub(r"\$ENV\{(\w+)\}", r"${\1}", re.sub(r"(?<!ENV)\$?\$\{\w+\}", "./any", text))
    for _ in range(3):  # these stand inside one another
        text = re.sub(r"\$<[^<>\n]*+>", "./any", text)
    for removed in re.finditer(r"(?i)\bfile\s*+\(\s*+(REMOVE_RECURSE|REMOVE)\s++([^()]*+)\)", text):
        yield f"rm {'-rf' if removed[1].upper() == 'REMOVE_RECURSE' else '-f'} {' '.join(removed[2].split())}"
    for run in re.finditer(r"\bCOMMAND\s+((?:\"[^\"]*\"|[^()\"])*)", text):
        for part in re.split(r"\bCOMMAND\b", run[1]):
            yield " ".join(re.split(_CMAKE_WORDS, part)[0].split())


_CMAKE_WORDS = r"\b(?:WORKING_DIRECTORY|RESULT_VARIABLE|OUTPUT_VARIABLE|ERROR_VARIABLE|DEPENDS|COMMENT|VERBATIM)\b"
_MODULES = r"(?:ansible\.(?:builtin|legacy)\.)?(?:shell|command|raw)"
_PROCFILE = Tasks(("Procfile", "Procfile.dev"), _matching(r"^[\w-]+:[ \t]*(\S.*)$"), operands=True)
_LATEX = Tasks((), _matching(r"\\write18\s*\{([^{}]*)\}"), operands=True)
_COMPOSER = Tasks(("composer.json",), _table("scripts"))
_TASKS: dict[str, Tasks] = {
    "ansible-playbook": Tasks((), _keyed(_MODULES, "cmd"), operands=True, context=frozenset({"remote"})),
    **dict.fromkeys(("ninja", "samu", "n2"), Tasks(("build.ninja",), _keyed("command"), operands=True)),
    "tox": Tasks(("tox.ini",), _keyed("commands", "commands_pre", "commands_post"), operands=True),
    **dict.fromkeys(("pre-commit", "prek"), Tasks((".pre-commit-config.yaml",), _keyed("entry"), operands=True)),
    "lefthook": Tasks(("lefthook.yml", "lefthook.yaml", ".lefthook.yml"), _keyed("run")),
    **dict.fromkeys(("poe", "taskipy"), Tasks(("pyproject.toml",), _section(r"tool\.(?:poe|taskipy)\.tasks"))),
    "deno": Tasks(("deno.json", "deno.jsonc", "package.json"), _table("tasks", "scripts"), verbs=frozenset({"task"})),
    "composer": _COMPOSER,
    **dict.fromkeys(("foreman", "honcho", "overmind", "hivemind", "goreman", "nf"), _PROCFILE),
    "bats": Tasks((), _whole, operands=True),
    "cmake": Tasks(("CMakeLists.txt",), _cmake, operands=True),
    **dict.fromkeys(("pdflatex", "xelatex", "lualatex", "latex", "latexmk", "tectonic"), _LATEX),
}
TASKS: dict[str, Host] = dict.fromkeys(_TASKS.keys() - {"cmake"}, run_tasks)
"""cmake runs more than its lists."""
