"""`auto-format`: a changed file is formatted with the first of the project's own formatters that can."""

import os

from omnihook.builtin import places, programs
from omnihook.builtin.formatters import FORMATTERS, Formatter, program
from omnihook.errors import UsageError, suggestion
from omnihook.events import Event, FileModified
from omnihook.hooks import Context
from omnihook.slotted import dataclass
from omnihook.tools import DELETE
from omnihook.verdicts import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`formatters`: which to try, in order; `every`: all that apply; `timeout`: seconds for each."""

    formatters: tuple[str, ...] = tuple(FORMATTERS)
    every: bool = False
    timeout: float = 30.0

    def __post_init__(self) -> None:
        for name in self.formatters:
            if name not in FORMATTERS:
                raise UsageError(f"there is no formatter {name!r}{suggestion(name, FORMATTERS)}")


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Format the file; says so only when the file is another one afterwards, and what fails is left to the next."""
    if not isinstance(event, FileModified) or event.change_type == DELETE:
        return None
    file = places.file(event, context)
    top = places.project(event, context)
    if file is None or not os.path.isfile(file) or not os.path.realpath(file).startswith(os.path.realpath(top) + "/"):
        return None
    before = _read(file)
    used = []
    for name in options.formatters:
        if _format(FORMATTERS[name], file, top, options, context):
            used.append(name)
            if not options.every:
                break
    if not used or _read(file) == before:
        return None
    return Verdict.context(f"{' and '.join(used)} reformatted {os.path.relpath(file, top)}; read it before editing it.")


def _format(formatter: Formatter, file: str, top: str, options: Options, context: Context) -> bool:
    found = program(formatter, file, top, context)
    if found is None:
        return False
    path, folder = found
    ended = programs.run((path, *formatter.words, file), context, cwd=folder, timeout=options.timeout)
    return ended.code in formatter.worked


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
