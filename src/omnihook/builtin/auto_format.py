"""`auto-format`: a changed file is formatted with the first of the project's own formatters that can."""

import os

from omnihook.builtin import places, programs
from omnihook.builtin.formatters import FORMATTERS, Formatter, program
from omnihook.errors import UsageError, suggestion
from omnihook.events import Event, FileModified
from omnihook.hooks import Context
from omnihook.showing import one_line
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
    file, top = places.file(event, context), os.path.realpath(places.project(event, context))
    if file is None or not os.path.isfile(file) or not os.path.realpath(file).startswith(top + "/"):
        return None
    # The agent may be in the project by way of a link, and name the file by another.
    file = os.path.join(os.path.realpath(os.path.dirname(file)), os.path.basename(file))
    before = _read(file)
    used = []
    for name in options.formatters:
        if _format(FORMATTERS[name], file, top, options, context):
            used.append(name)
            if not options.every:
                break
    if _read(file) == before:
        return None
    who = f"{' and '.join(used)} reformatted" if used else "a formatter failed after it had changed"
    return Verdict.context(f"{who} {one_line(os.path.relpath(file, top))}; read it before editing it.")


def _format(formatter: Formatter, file: str, top: str, options: Options, context: Context) -> bool:
    found = program(formatter, file, top, context)
    if found is None:
        return False
    path, folder = found
    words = (path, *formatter.told(file, top), *formatter.words)
    if formatter.piped:
        return _through(words, file, options, context)
    ended = programs.run((*words, file), context, cwd=folder, timeout=options.timeout)
    return ended.code in formatter.worked


def _through(words: tuple[str, ...], file: str, options: Options, context: Context) -> bool:
    """Hand the text to a formatter and write what it gives back; what came out empty or cut off is no answer."""
    before = _read(file)
    if before is None:
        return False
    ended = programs.run(words, context, cwd=os.path.dirname(file), timeout=options.timeout, stdin=before)
    if ended.code != 0 or not ended.data.strip() or len(ended.data) >= programs.CAP:
        return False
    if ended.data != before:
        with open(file, "wb") as opened:
            opened.write(ended.data)
    return True


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
