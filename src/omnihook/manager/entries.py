"""A new hook while it is typed: the words of the form's fields, and what is wrong with each of them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from omnihook.checking.findings import LATER
from omnihook.dialect import Diagnostic, Dialect, Reading
from omnihook.editing.adding import Draft, Request, draft
from omnihook.editing.reading import Target
from omnihook.editing.targets import new_hooks
from omnihook.errors import OmnihookError, UnknownEvent
from omnihook.families.entries import BadEntry
from omnihook.families.toml_values import typed_duration
from omnihook.folders import Folders
from omnihook.hooks import Command, Layer
from omnihook.jsontypes import Json, pretty
from omnihook.slotted import dataclass

EVENT, COMMAND, ABOUT, MATCHER, PATHS, TIMEOUT, ASYNC = (
    "event",
    "command",
    "description",
    "matcher",
    "paths",
    "timeout",
    "async",
)
FIELDS = (EVENT, COMMAND, ABOUT, MATCHER, PATHS, TIMEOUT)
ANYWHERE = "form"  # what is wrong with no field in particular

# Which field an option of `omnihook add` or a key of a file is about.
_OPTIONS = {
    "--on": EVENT,
    "--run": COMMAND,
    "--match": MATCHER,
    "--paths": PATHS,
    "--timeout": TIMEOUT,
    "--async": ASYNC,
    "--description": ABOUT,
}
_KEYS = {"matcher": MATCHER, "match": MATCHER, "timeout": TIMEOUT, "paths": PATHS, "filter": PATHS, "async": ASYNC}
_CODES = {
    "matcher": MATCHER,
    "timeout": TIMEOUT,
    "missing": COMMAND,
    "relative": COMMAND,
    "not-executable": COMMAND,
    "program": COMMAND,
}
_PLACE = re.compile(r"^hook [^ ]+: ")  # how a finding about a hook begins
_OPTION = re.compile(r"--[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """What stands in the form; `paths` are separated by blanks or commas, `layer` says whose file it goes into."""

    event: str = ""
    command: str = ""
    description: str = ""
    matcher: str = ""
    paths: str = ""
    timeout: str = ""
    background: bool = False
    layer: Layer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with a field; a warning does not keep the hook from being added."""

    field: str
    text: str
    warning: bool = False


class Incomplete(OmnihookError):
    """Entries that make no hook yet."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A hook that could be added: how it is written, and into which file."""

    request: Request
    draft: Draft
    target: Target


def gaps(entries: Entries, dialect: Dialect) -> list[Problem]:
    """What is wrong with single fields, whatever the others say."""
    found = []
    if not entries.command.strip():
        found.append(Problem(field=COMMAND, text="a command is needed"))
    try:
        seconds(entries.timeout)
    except Incomplete as error:
        found.append(problem_of(error))
    try:
        _known(entries.event.strip(), dialect)
    except (Incomplete, UnknownEvent) as error:
        found.append(problem_of(error))
    return found


def filled(entries: Entries, found: Iterable[Problem]) -> Entries:
    """Entries whose gaps are filled in, so that the other fields can be looked at."""
    wrong = {problem.field for problem in found}
    return replace(
        entries,
        command="true" if COMMAND in wrong else entries.command,
        timeout="" if TIMEOUT in wrong else entries.timeout,
    )


def make(entries: Entries, dialect: Dialect, folders: Folders) -> Made:
    """The hook that entries without gaps describe; raises OmnihookError for what cannot be one."""
    request = Request(
        on=(entries.event.strip(),),
        run=Command(command=entries.command.strip()),
        match=entries.matcher or None,
        paths=tuple(re.split(r"[\s,]+", entries.paths.strip())) if entries.paths.strip() else (),
        timeout=seconds(entries.timeout),
        background=entries.background,
        description=entries.description.strip() or None,
    )
    made = draft(request, dialect)
    return Made(request=request, draft=made, target=new_hooks(dialect, folders, entries.layer, made.paths))


def _known(event: str, dialect: Dialect) -> None:
    if not event:
        raise Incomplete(EVENT, "an event is needed")
    if not any(event in (row.native, row.event) for row in dialect.names):
        raise UnknownEvent(event, dialect.name, {row.native for row in dialect.names})


def seconds(text: str) -> float | None:
    """A time-out: `500ms`, `30s`, `2m` or a number of seconds; None when nothing was written."""
    words = text.strip()
    if not words:
        return None
    try:
        return typed_duration(words)
    except BadEntry as error:
        raise Incomplete(TIMEOUT, f"{error.message}; write 500ms, 30s or 2m") from None


def tried(made: Made, text: str) -> Reading:
    """What the dialect's own reader says of the hook, by itself; raises ConfigError when its file is broken."""
    made.target.read(text)
    document = dict(made.draft.document)
    return made.target.read(pretty(document) if made.target.format == "json" else _toml(document))


def _toml(document: dict[str, Json]) -> str:
    import tomlkit  # only where a native hook is added

    return tomlkit.dumps(document)


def problem_of(error: OmnihookError) -> Problem:
    """An error, at the field it is about."""
    if isinstance(error, Incomplete):
        return Problem(field=error.field, text=str(error))
    if isinstance(error, UnknownEvent):
        return Problem(field=EVENT, text=str(error))
    found = _OPTION.search(str(error))
    text = _OPTION.sub(lambda option: _OPTIONS.get(option[0], option[0]), str(error))
    return Problem(field=_OPTIONS.get(found[0] if found else "", ANYWHERE), text=text)


def problems_of(findings: Iterable[Diagnostic]) -> list[Problem]:
    """Findings about a hook, each at the field it is about; what can be done later is a warning."""
    made = []
    for item in findings:
        key = next((part for part in reversed(item.pointer) if part in _KEYS), None)
        field = _KEYS[str(key)] if key is not None else _CODES.get(item.code, ANYWHERE)
        text = _PLACE.sub("", item.message) + (f" ({item.fix})" if item.fix else "")
        made.append(Problem(field=field, text=text, warning=item.code in LATER or item.severity != "error"))
    return made


def by_field(problems: Iterable[Problem]) -> Mapping[str, Problem]:
    """The first problem of each field, errors before warnings."""
    found: dict[str, Problem] = {}
    for problem in sorted(problems, key=lambda problem: problem.warning):
        found.setdefault(problem.field, problem)
    return found
