"""Autohand: a flat list of hooks, kebab-case events, stdin JSON and HOOK_ variables, and IDE notifications.

Facts are of its hooks document; what that leaves silent is of code-cli at 0693b91d, the document's own commit.
"""

from collections.abc import Mapping, Sequence

from omnihook.dialect import (
    ConfigFile,
    ConfigText,
    Dialect,
    Editing,
    Effects,
    EndLane,
    Failure,
    Name,
    Order,
    Policy,
    Raw,
    Reading,
    Reply,
    Wire,
    Written,
    events_named,
    native_name,
)
from omnihook.events import Event, Notification, SessionEnd, SessionStart, SubagentStop, ToolEvent
from omnihook.families import (
    autohand_configs,
    autohand_defaults,
    autohand_payloads,
    autohand_rpc,
    exits,
    fields,
    top_replies,
)
from omnihook.families.autohand_configs import FlatReader
from omnihook.hooks import Cause, Hook, Layer
from omnihook.jsontypes import Json, JsonObject, dumps
from omnihook.tools import Vocabulary, native_aliases, native_value
from omnihook.verdicts import NO_OPINION, Decision, Verdict

NAME = "autohand"

NAMES = (
    Name(event="PreToolUse", native="pre-tool"),
    Name(event="PostToolUse", native="post-tool"),
    Name(event="PostToolUseFailure", native="post-tool"),
    Name(event="FileModified", native="file-modified"),
    Name(event="UserPromptSubmit", native="pre-prompt"),
    Name(event="Stop", native="stop"),
    Name(event="Stop", native="post-response", send=False),
    Name(event="SessionStart", native="session-start"),
    Name(event="SessionEnd", native="session-end"),
    Name(event="SessionError", native="session-error"),
    Name(event="StopFailure", native="session-error"),
    Name(event="SubagentStop", native="subagent-stop"),
    Name(event="PermissionRequest", native="permission-request"),
    Name(event="Notification", native="notification"),
)
_CANONICAL = {row.native: row.event for row in reversed(NAMES)}
_NATIVE = {row.event: row.native for row in NAMES if row.send}
WITHOUT_SUBJECT = frozenset({"file-modified", "pre-prompt", "stop", "post-response", "session-error"})

_PATH = {"file_path": "path"}
VOCABULARY = Vocabulary(
    tools={
        "Bash": "run_command",
        "Read": "read_file",
        "Write": "write_file",
        "Edit": "search_replace",
        "MultiEdit": "multi_file_edit",
        "NotebookEdit": "notebook_edit",
        "Delete": "delete_path",
        "Move": "rename_path",
        "LS": "list_tree",
        "Glob": "fff_find",
        "Grep": "find_grep",
        "WebFetch": "fetch_url",
        "WebSearch": "web_search",
        "Agent": "delegate_task",
        "TodoWrite": "todo_write",
    },
    # Its apply_patch takes a path and a unified diff, so it is an edit of one file.
    aliases={"shell": "Bash", "apply_patch": "Edit", "append_file": "Edit", "replace_in_file": "Edit"},
    arguments={
        "Read": _PATH,
        "Write": _PATH,
        "Edit": _PATH,
        "MultiEdit": _PATH,
        "Delete": _PATH,
        "NotebookEdit": {"notebook_path": "path"},
        "Move": {"file_path": "from", "destination": "to"},
        "Grep": {"pattern": "query"},
        "Glob": {"pattern": "query"},
        "Agent": {"subagent_type": "agent_name", "prompt": "task"},
        "TodoWrite": {"todos": "tasks"},
    },
    values={
        # The first row with a native word is the one it is decoded to.
        "source": {"resume": "resume", "compact": "resume", "fork": "resume"},
        "reason": {"quit": "quit", "exit": "exit", "logout": "quit", "resume": "exit", "other": "exit"},
    },
)

_GATE = Effects(refuse=True, ask=True, approve=True, rewrite=True, context=True, stop=True)
_TOLD = Effects(context=True, stop=True)
EFFECTS: Mapping[str, Effects] = {
    "PreToolUse": _GATE,
    "PermissionRequest": _GATE,
    # "Exit code 2 blocks execution": the instruction has not been sent yet, so this holds here too.
    "UserPromptSubmit": Effects(refuse=True, context=True, stop=True),
    "PostToolUse": _TOLD,
    "PostToolUseFailure": _TOLD,
    "FileModified": _TOLD,
    "SessionStart": _TOLD,
    "SessionError": _TOLD,
    "StopFailure": _TOLD,
    "SubagentStop": _TOLD,
    "Notification": _TOLD,
    "Stop": _TOLD,
    "SessionEnd": Effects(stop=True),
}

REPLIES = top_replies.TopShape(
    decisions={
        "allow": Decision.APPROVE,  # "without prompting user"
        "deny": Decision.DENY,
        "ask": Decision.ASK,
        "block": Decision.BLOCK,
    },
    vocabulary=VOCABULARY,
    ordinary_ask=True,
    stops=True,
)
# Keys that would make another call of it: d24c4e64, where the tool's boundary refuses them.
FORBIDDEN = frozenset({"type", "tool", "__proto__", "prototype", "constructor"})
_WORDS = {Decision.APPROVE: "allow", Decision.ASK: "ask", Decision.DENY: "deny", Decision.BLOCK: "block"}


def read_config(files: Sequence[ConfigText]) -> Reading:
    """Read the list of hooks in its order."""
    reader = _reader()
    for config in files:
        reader.read(config)
    return reader.reading()


def write_config(hooks: Sequence[Hook]) -> Written:
    """Write hooks as a configuration file."""
    return autohand_configs.write(hooks, reader=_reader(), names=NAMES)


def decode_event(payload: JsonObject, name: str | None) -> Event:
    """Read a payload; the event may be named in Autohand's way or in ours."""
    native = fields.event_name(payload, name)
    native = _NATIVE.get(native, native)
    canonical = _CANONICAL.get(native, native)
    return autohand_payloads.decode(payload, native, canonical, agent=NAME, words=VOCABULARY)


def encode_event(event: Event) -> Wire:
    """Write an event: compact JSON without a newline on stdin, and the variables."""
    body = autohand_payloads.encode(event, native_name(DIALECT, event), agent=NAME, words=VOCABULARY)
    env = autohand_payloads.environment(body)
    return Wire(stdin=dumps(body).encode(), env=env, body=body, values=env)


def subjects(event: Event) -> tuple[str, ...] | None:
    """What a matcher compares: the tool, or the type of the session's start, its end, a subagent or a notification."""
    match event:
        case ToolEvent():
            given = event.native.get("tool_name") if event.agent == NAME else None
            return (given,) if isinstance(given, str) else native_aliases(VOCABULARY, event.tool_name)
        case Notification(notification_type=word) | SubagentStop(subagent_type=word):
            return (word or "",)
        case SessionStart(source=word):
            return (native_value(VOCABULARY, "source", word or ""),)
        case SessionEnd(reason=word):
            return (native_value(VOCABULARY, "reason", word or ""),)
        case _:
            return None


def decode_reply(hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read a reply: exit 0 with perhaps one JSON object, exit 2 blocks, any other code is an error."""
    if raw.exit_code in (0, None):
        found = top_replies.decode(REPLIES, event, raw.stdout)
        return NO_OPINION if found is None else _permitted(found)
    blocks = raw.exit_code == 2
    failure = exits.broken(raw, blocks=blocks)
    if failure is not None:
        return failure
    if blocks:
        return Verdict.block(raw.stderr.strip() or "blocked by a hook that gave no reason")
    return exits.failed(raw)


def encode_reply(event: Event, verdict: Verdict) -> Reply:
    """Write a verdict; a block that is only its reason is said by exit code, which every version understands."""
    changes = top_replies.patch(VOCABULARY, event, verdict)
    lost = [f"{what} has no place in a reply" for what, there in _unsayable(verdict) if there]
    if changes is not None and changes.gone and not verdict.refused:
        lost.append(f"rewrite -> deny: {', '.join(changes.gone)} cannot be removed")
        reason = verdict.reason or "a hook rewrote the input and the rewrite cannot be applied here"
        return Reply(stdout=dumps({"decision": "deny", "reason": reason}), lost=tuple(lost))
    decision = Decision.DENY if verdict.decision is Decision.DEFER else verdict.decision
    parts: dict[str, Json] = {
        "decision": _WORDS.get(decision),
        "reason": verdict.reason,
        "continue": None if verdict.continue_ else False,
        "stopReason": verdict.stop_reason,
        "updatedInput": None if changes is None or verdict.refused else dict(changes.changed),
        "additionalContext": verdict.additional_context,
    }
    said = {key: value for key, value in parts.items() if value is not None}
    if decision is Decision.BLOCK and not said.keys() - {"decision", "reason"}:
        return Reply(stderr=verdict.reason or "refused by a hook", exit_code=2, lost=tuple(lost))
    return Reply(stdout=dumps(said) if said else "", lost=tuple(lost))


def rpc_notifications(event: Event) -> tuple[tuple[str, JsonObject], ...]:
    """The JSON-RPC notifications of an event as (method, params); none for events Autohand does not have."""
    return autohand_rpc.notifications(event, agent=NAME, words=VOCABULARY)


def _permitted(found: Verdict | Failure) -> Verdict | Failure:
    if isinstance(found, Failure) or found.updated_input is None:
        return found
    wrong = sorted(FORBIDDEN & found.updated_input.keys())
    return Failure(cause=Cause.OUTPUT, message=f"updatedInput may not set {wrong[0]!r}") if wrong else found


def _unsayable(verdict: Verdict) -> tuple[tuple[str, bool], ...]:
    return (
        ("the message", verdict.system_message is not None),
        ("the rewritten output", verdict.updated_output is not None),
        ("hiding the output", verdict.suppress_output),
    )


def _reader() -> FlatReader:
    known = {row.native: events_named(DIALECT, row.native) for row in NAMES}
    return FlatReader(dialect=NAME, events=known, without_subject=WITHOUT_SUBJECT)


DIALECT = Dialect(
    name=NAME,
    title="Autohand",
    names=NAMES,
    effects=EFFECTS,
    vocabulary=VOCABULARY,
    policy=Policy(
        timeout=5.0,
        timeout_unit=autohand_configs.UNIT,
        order=Order.SEQUENTIAL,
        end_lane=EndLane.STOP,
        session_variable="HOOK_WORKSPACE",
        variables=frozenset(autohand_payloads.VARIABLES),
        dotfiles=False,
        joiner="\n\n",
    ),
    files=(ConfigFile(layer=Layer.USER, path=autohand_configs.PATH),),
    read_config=read_config,
    write_config=write_config,
    decode_event=decode_event,
    encode_event=encode_event,
    decode_reply=decode_reply,
    encode_reply=encode_reply,
    subjects=subjects,
    other_effects=_TOLD,
    defaults=autohand_defaults.files,
    told_by=autohand_payloads.VARIABLES,
    marks=("HOOK_WORKSPACE",),
    editing=Editing(table=lambda _: ("hooks", "hooks"), enabled="enabled", switch=("hooks", "enabled")),
)
