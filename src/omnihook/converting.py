"""Converting: hooks from one dialect's words into another's, with a list of everything that could not be said."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

from omnihook.dialect import Dialect, Raw, Written, effects_of, events_named, native_name
from omnihook.events import EVENTS, NATIVE, Event, PreToolUse
from omnihook.hooks import Argv, BlockOn, Call, Command, Hook, Matcher, Prompt, Source, summary
from omnihook.jsontypes import text_of
from omnihook.planning import timeout_of
from omnihook.tools import Vocabulary, canonical_tool, canonical_value, native_tool, native_value
from omnihook.verdicts import Verdict

# What a reply can do, in words for people.
_ABILITIES = {"refuse": "refuse", "ask": "ask the user", "rewrite": "rewrite the call", "context": "add context"}
_REFERENCE = re.compile(r"\$\{?([A-Z][A-Z0-9_]*)")
_LISTED = r"(?:\((?:\?:)?)?([A-Za-z0-9_-]+(?:\|[A-Za-z0-9_-]+)*)\)?"
_EXACT = re.compile(rf"\^{_LISTED}\$")
_ANYWHERE = re.compile(_LISTED)


def convert(hooks: Sequence[Hook], source: Dialect, target: Dialect) -> Written:
    """Write hooks of one dialect as another's configuration."""
    if source.name == target.name:
        return target.write_config(hooks)
    lost: list[str] = []
    moved = [translated(hook, source, target, lost) for hook in hooks]
    written = target.write_config([hook for hook in moved if hook.events])
    return replace(written, lost=tuple(dict.fromkeys((*lost, *written.lost))))


def translated(hook: Hook, source: Dialect, target: Dialect, lost: list[str]) -> Hook:
    """A hook in the target's words; events the target does not have are gone from it, and noted."""
    known = {row.event for row in target.names}
    events = tuple(event for event in hook.events if event in known)
    lost.extend(f"{hook.name}: {target.name} has no event {event}" for event in hook.events if event not in known)
    names = tuple(dict.fromkeys(native_name(target, EVENTS[event](agent="")) for event in events))
    covered = {event for name in names for event in events_named(target, name)}
    more = sorted(covered - set(events))
    lost.extend(f"{hook.name}: {', '.join(names)} of {target.name} also means {event}" for event in more)
    _commands(hook, source, target, lost)
    left = replace(hook, events=events)
    _input(left, source, target, lost)
    _abilities(left, source, target, lost)
    hook = _builtin(hook, target, lost) if events else hook
    return replace(
        hook,
        timeout=_timeout(left, source, target, lost),
        block_on=_block_on(hook, source, target, lost),
        events=events,
        native_events=names,
        matcher=_matcher(left, source, target, lost),
        tools=tuple(_word(name, "tool_name", source.vocabulary, target.vocabulary) for name in hook.tools),
        source=Source(dialect=target.name, layer=hook.source.layer),
        entry=None,
    )


def _builtin(hook: Hook, target: Dialect, lost: list[str]) -> Hook:
    """A built-in hook as the command that runs it for another agent."""
    call = hook.action
    if target.name == NATIVE or not isinstance(call, Call) or call.builtin is None:
        return hook
    told = [f"--set {shlex.quote(f'{name}={text_of(value)}')}" for name, value in call.options.items()]
    command = " ".join(["omnihook builtin", call.builtin, "--as", target.name, *told])
    lost.append(f"{hook.name}: the built-in becomes the command {command!r}")
    return replace(hook, action=Command(command=command))


def _block_on(hook: Hook, source: Dialect, target: Dialect, lost: list[str]) -> BlockOn:
    """The setting under which exit codes mean in the target what they mean in the source."""
    wanted = _refusing(source, hook)
    for option in BlockOn:
        if _refusing(target, replace(hook, block_on=option)) == wanted:
            return option
    codes = ", ".join(str(code) for code in sorted(wanted)) or "none"
    lost.append(f"{hook.name}: exit codes that refuse in {source.name} ({codes}) are others in {target.name}")
    return BlockOn.DIALECT


def _refusing(dialect: Dialect, hook: Hook) -> frozenset[int]:
    """The exit codes by which a hook refuses a tool call."""
    event = PreToolUse(agent=dialect.name, tool_name="Bash")
    answers = {code: dialect.decode_reply(hook, event, Raw(exit_code=code, stderr="no")) for code in (1, 2, 3)}
    return frozenset(code for code, found in answers.items() if isinstance(found, Verdict) and found.refused)


def _matcher(hook: Hook, source: Dialect, target: Dialect, lost: list[str]) -> Matcher:
    matcher = hook.matcher
    if matcher.everything or matcher.never is not None:
        return matcher
    field = _subject(hook)
    if field is None:
        return matcher
    if matcher.names is not None:
        names = frozenset(_word(name, field, source.vocabulary, target.vocabulary) for name in matcher.names)
        return replace(matcher, names=names, text="|".join(sorted(names)))
    return _pattern(hook, field, source, target, lost)


def _pattern(hook: Hook, field: str, source: Dialect, target: Dialect, lost: list[str]) -> Matcher:
    """A pattern that only lists names is translated name by name; any other is kept, and said to be."""
    matcher, pattern = hook.matcher, hook.matcher.pattern or ""
    exact = _EXACT.fullmatch(pattern) or (_ANYWHERE.fullmatch(pattern) if matcher.whole else None)
    listed = exact or _ANYWHERE.fullmatch(pattern)
    if listed is None:
        if _words(pattern, field, source) != _words(pattern, field, target):
            lost.append(f"{hook.name}: matcher {pattern!r} is kept as it is; its words are {source.name}'s")
        return matcher
    made = [_word(name, field, source.vocabulary, target.vocabulary) for name in listed[1].split("|")]
    text = "|".join(made)
    if exact is not None:
        return Matcher(text=text, names=frozenset(made))
    return Matcher(text=text, pattern=text)


def _words(pattern: str, field: str, dialect: Dialect) -> set[str]:
    """The names of a dialect that a pattern would find."""
    words = dialect.vocabulary
    known = set(words.tools.values()) if field == "tool_name" else set(words.values.get(field, {}).values())
    try:
        return {word for word in known if re.search(pattern, word)}
    except re.error:
        return set()


def _word(name: str, field: str, source: Vocabulary, target: Vocabulary) -> str:
    if field == "tool_name":
        return native_tool(target, canonical_tool(source, name))
    return native_value(target, field, canonical_value(source, field, name))


def _subject(hook: Hook) -> str | None:
    kinds: set[type[Event]] = {EVENTS[event] for event in hook.events if event in EVENTS}
    fields = {kind.subject for kind in kinds}
    return fields.pop() if len(fields) == 1 else None


def _commands(hook: Hook, source: Dialect, target: Dialect, lost: list[str]) -> None:
    """A command is text in the words of its dialect: the variables it names will not be there."""
    if not isinstance(hook.action, Command | Argv | Prompt):
        return
    kind = next((EVENTS[event] for event in hook.events if event in EVENTS), None)
    if kind is None:
        return
    here = {*source.policy.variables, *source.encode_event(kind()).env}
    there = {*target.policy.variables, *target.encode_event(kind()).env}
    used = [name for name in dict.fromkeys(_REFERENCE.findall(summary(hook))) if name in here and name not in there]
    if used:
        lost.append(f"{hook.name}: {target.name} does not set {', '.join('$' + name for name in used)}")


def _input(hook: Hook, source: Dialect, target: Dialect, lost: list[str]) -> None:
    """A command that may read the event from its stdin finds nothing there, and a guard would let all pass."""
    if not isinstance(hook.action, Command | Argv):
        return
    kinds = [EVENTS[event] for event in hook.events if event in EVENTS]
    given = any(source.encode_event(kind()).stdin is not None for kind in kinds)
    if given and any(target.encode_event(kind()).stdin is None for kind in kinds):
        lost.append(f"{hook.name}: {target.name} gives hooks no stdin")


def _abilities(hook: Hook, source: Dialect, target: Dialect, lost: list[str]) -> None:
    """What a reply could do at an event of the source, and cannot at the target's."""
    for event in () if hook.observe else hook.events:
        one, other = (effects_of(dialect, EVENTS[event](agent="")) for dialect in (source, target))
        words = [
            text
            for name, text in _ABILITIES.items()
            # Nobody waits for a hook in the background: it can only tell something later.
            if getattr(one, name) and not getattr(other, name) and (name == "context" or not hook.background)
        ]
        if words:
            native = native_name(target, EVENTS[event](agent=""))
            lost.append(f"{hook.name}: {native} of {target.name} cannot {' or '.join(words)}")


def _timeout(hook: Hook, source: Dialect, target: Dialect, lost: list[str]) -> float | None:
    """The time-out, written out where the target would give another one than the source did."""
    here = [_default(hook, event, source) for event in hook.events]
    there = [_default(hook, event, target) for event in hook.events]
    if hook.timeout is not None or here == there:
        return hook.timeout
    known = sorted({seconds for seconds in here if seconds is not None})
    if len(known) > 1:
        told = ", ".join(f"{seconds:g} s" for seconds in known)
        lost.append(f"{hook.name}: its time-outs ({told}, by event) become one of {known[-1]:g} s")
    return known[-1] if known else None


def _default(hook: Hook, event: str, dialect: Dialect) -> float | None:
    return timeout_of(replace(hook, source=Source(dialect=dialect.name)), event, {dialect.name: dialect})
