"""`security-guard`: judges what a tool is about to do, in whatever words its agent uses, before it is done."""

from collections.abc import Iterator, Mapping
from dataclasses import field

from omnihook.builtin import places, tool_commands, tool_words
from omnihook.builtin.guard.files import Action, judge_file
from omnihook.builtin.guard.judging import Judgement, Settings, answer, judge, switched_off
from omnihook.builtin.guard.modes import Mode
from omnihook.builtin.guard.rules import RULES, Finding
from omnihook.errors import UsageError, suggestion
from omnihook.events import Event, PermissionRequest, PreToolUse, ToolEvent
from omnihook.hooks import Context
from omnihook.jsontypes import Json, JsonObject
from omnihook.shell.state import absolute
from omnihook.slotted import dataclass
from omnihook.tools import CREATE, DELETE, MODIFY, TOOLS, Touched, patch_files, touched
from omnihook.verdicts import Decision, Verdict

_ACTIONS: Mapping[str | None, Action] = {CREATE: "create", MODIFY: "edit", DELETE: "delete", None: "read"}
_LOOKING = frozenset({"LS", "Glob"})
_MOVES: tuple[Action, ...] = ("move", "write")
_SEARCHED = ("glob", "include", "include_pattern")  # which files a search looks into
_FILE_TOOLS = frozenset({"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Delete", "Move"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`mode`: how strict; `rules`: names of rules that are off (false). Catastrophic rules stay on."""

    mode: str = Mode.STANDARD.value
    rules: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, wanted in self.rules.items():
            if name not in RULES:
                raise UsageError(f"the guard has no rule {name!r}{suggestion(name, RULES)}")
            if not isinstance(wanted, bool):
                raise UsageError(f"rule {name!r} must be true or false")


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Block or ask about the worst thing a call would do; nothing to say about the rest."""
    if not isinstance(event, ToolEvent):
        return None
    if isinstance(event, PreToolUse):
        _refuse_unreadable(event)
    found = [_verdict(judgement) for judgement in _judgements(event, options, context)]
    return max((verdict for verdict in found if verdict is not None), key=lambda v: v.decision, default=None)


def _refuse_unreadable(event: PreToolUse) -> None:
    """What a call is about must be there to be judged; a guard that raises refuses."""
    known = TOOLS.get(event.tool_name)
    if not event.tool_name:
        raise ValueError("nothing says which tool is called, so it cannot be judged")
    if not isinstance(event.native.get("tool_input", {}), Mapping):
        raise ValueError(f"the input of {event.tool_name} is no object, so it cannot be judged")
    if known is not None and known.script is not None and event.tool_input.get(known.script) is None:
        raise ValueError(f"the call of {event.tool_name} has no {known.script!r}, so it cannot be judged")
    if event.tool_name in _FILE_TOOLS and not any(files(event)):
        raise ValueError(f"the call of {event.tool_name} names no file, so it cannot be judged")


def shell_texts(tool: str, arguments: JsonObject) -> Iterator[str]:
    """The shell text of a call, also of tools we do not know; a list of words is quoted back into one text."""
    known = TOOLS.get(tool)
    if known is None:
        yield from tool_commands.commands(arguments, tool)
    elif known.script is not None and (value := arguments.get(known.script)) is not None:
        # Some agents give a program and, beside it, its arguments.
        text = tool_commands.command_text(value, arguments)
        if text is None:
            raise ValueError(f"the argument {known.script!r} of {tool} is no text, so it cannot be judged")
        yield text


def working_folder(event: ToolEvent, context: Context) -> str:
    """The folder a call works in: what it asks for itself when it runs a command, else the session's."""
    here = places.folder(event, context)
    asked = tool_words.folder(event.tool_input) if any(shell_texts(event.tool_name, event.tool_input)) else None
    return here if asked is None else absolute(_at_home(asked, places.home(context)), here)


def _at_home(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def files(event: ToolEvent) -> Iterator[tuple[Action, str]]:
    """What a call does to which files; where the table does not find them, the names of its arguments tell."""
    named = touched(event.tool_name, event.tool_input)
    if event.tool_name == "Move" and len(named) == len(_MOVES):
        yield from zip(_MOVES, (file.path for file in named), strict=True)
        return
    if isinstance(event, PermissionRequest) and event.path:
        named = (*named, Touched(path=event.path, change=MODIFY))
    for text in shell_texts(event.tool_name, event.tool_input):
        named = (*named, *patch_files(text))
    for file in dict.fromkeys((*named, *_told(event))):
        yield ("list" if event.tool_name in _LOOKING else _ACTIONS[file.change]), file.path
    if event.tool_name == "Grep":
        found = (event.tool_input.get(key) for key in _SEARCHED)
        yield from (("search", glob) for glob in found if isinstance(glob, str))


def _told(event: ToolEvent) -> Iterator[Touched]:
    """Files of tools that are not in the table, and of those in it that are called in another way."""
    known = TOOLS.get(event.tool_name)
    if known is not None and event.tool_name not in _FILE_TOOLS | {"WebFetch"}:
        return
    change = tool_words.change(event.tool_name) if known is None else known.change
    for path, done in tool_words.paths(event.tool_input, change):
        yield Touched(path=path, change=done)
    for value in event.tool_input.values():
        yield from patch_files(value) if isinstance(value, str) and value.startswith("*** Begin Patch") else ()


def _judgements(event: ToolEvent, options: Options, context: Context) -> Iterator[Judgement]:
    cwd, home, project = working_folder(event, context), places.home(context), places.project(event, context)
    mode = Mode(options.mode)
    rules = {name: bool(wanted) for name, wanted in options.rules.items()}
    if event.tool_name not in TOOLS and tool_commands.beyond_caps(event.tool_input):
        yield answer([Finding("too-complex", "the call's arguments")], Settings(mode, switched_off(rules)), [])
    for text in shell_texts(event.tool_name, event.tool_input):
        yield judge(text, cwd=cwd, home=home, project=project, mode=mode, rules=rules)
    for action, path in files(event):
        yield judge_file(action, path, cwd=cwd, home=home, project=project, mode=mode, rules=rules)


def _verdict(found: Judgement) -> Verdict | None:
    if found.verdict == "allow":
        return None
    word = "BLOCKED" if found.verdict == "block" else "ASK"
    instead = f" Instead: {found.fix}." if found.fix else ""
    decision = Decision.BLOCK if found.verdict == "block" else Decision.ASK
    return Verdict(decision=decision, reason=f"{word} ({found.rule}): this {found.reason}.{instead}")
