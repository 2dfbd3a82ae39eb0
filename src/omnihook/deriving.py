"""Derived events: what follows from an event in an agent that has no event of its own for it."""

from collections.abc import Callable, Mapping

from omnihook.events import Event, FileModified, PostToolUse, PostToolUseFailure
from omnihook.jsontypes import Json, take
from omnihook.slotted import dataclass
from omnihook.tools import CREATE, MODIFY, touched


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """One row: an event of this kind gives events of that kind."""

    source: str
    target: str
    make: Callable[[Event], tuple[Event, ...]]


def derive(event: Event, wanted: frozenset[str]) -> tuple[Event, ...]:
    """The further events that follow from one, of the kinds its agent does not send itself."""
    if not wanted or event.name not in _SOURCES:
        return ()
    return tuple(
        made for row in DERIVATIONS if row.source == event.name and row.target in wanted for made in row.make(event)
    )


def targets(source: str) -> frozenset[str]:
    """The kinds of events that may follow from one of a kind."""
    return frozenset(row.target for row in DERIVATIONS if row.source == source)


def _files(event: Event) -> tuple[Event, ...]:
    if not isinstance(event, PostToolUse):
        return ()
    return tuple(
        FileModified(
            **_common(event),  # type: ignore[arg-type]  # the common fields of the same class
            file_path=file.path,
            change_type=_change(file.change, event.tool_response),
            tool_name=event.tool_name,
            tool_use_id=event.tool_use_id,
        )
        for file in touched(event.tool_name, event.tool_input)
        if file.change is not None
    )


def _failure(event: Event) -> tuple[Event, ...]:
    if not isinstance(event, PostToolUse) or not isinstance(event.tool_response, dict):
        return ()
    error = event.tool_response.get("error")
    if not error:
        return ()
    return (
        PostToolUseFailure(
            **_common(event),  # type: ignore[arg-type]  # the common fields of the same class
            tool_name=event.tool_name,
            tool_input=event.tool_input,
            tool_use_id=event.tool_use_id,
            tool_response=event.tool_response,
            error=error if isinstance(error, str) else str(error),
            duration=event.duration,
        ),
    )


def _common(event: Event) -> Mapping[str, object]:
    names = (
        "session_id cwd timestamp agent agent_name profile_name model subagent subagent_type transcript_path "
        "permission_mode prompt_id metadata"
    )
    return {name: getattr(event, name) for name in names.split()}


def _change(change: str | None, response: Json) -> str | None:
    """A tool that writes whole files tells in its answer whether the file was new."""
    if change != CREATE or not isinstance(response, dict):
        return change
    return MODIFY if take(response, "type", str) == "update" else CREATE


DERIVATIONS = (
    Derivation(source="PostToolUse", target="FileModified", make=_files),
    Derivation(source="PostToolUse", target="PostToolUseFailure", make=_failure),
)
_SOURCES = frozenset(row.source for row in DERIVATIONS)
