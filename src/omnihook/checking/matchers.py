"""Whether a hook's matcher can match anything at the hook's events, and what was probably meant where it cannot."""

import re
from collections.abc import Iterable, Sequence

from omnihook.checking.findings import at_matcher
from omnihook.checking.names import groups, known_tools, meant, misspelt
from omnihook.dialect import Diagnostic, Dialect
from omnihook.events import EVENTS
from omnihook.hooks import Hook, Matcher
from omnihook.matching.rules import parse
from omnihook.matching.sets import PatternSet
from omnihook.tools import native_value

# What the subject of some events can be.
SUBJECTS = {
    "SessionStart": ("startup", "resume", "clear", "compact", "fork"),
    "PreCompact": ("manual", "auto"),
    "PostCompact": ("manual", "auto"),
    "Setup": ("init", "maintenance"),
}
TOOL_EVENTS = frozenset(name for name, event in EVENTS.items() if event.subject == "tool_name")
# Subjects that are words of the agent, of which new ones appear; no tool is among them.
_OPEN = frozenset({"reason", "notification_type", "error", "load_reason", "source"})
# Those of today: what is near to one of them is probably meant to be it.
_TODAY = {
    "SessionEnd": "clear resume logout quit exit error other prompt_input_exit",
    "Notification": "permission_prompt idle_prompt auth_success elicitation_dialog elicitation_complete "
    "elicitation_response agent_needs_input agent_completed",
    "StopFailure": "rate_limit overloaded authentication_failed billing_error invalid_request model_not_found "
    "server_error max_output_tokens unknown",
    "ConfigChange": "user_settings project_settings local_settings policy_settings skills",
    "InstructionsLoaded": "session_start nested_traversal path_glob_match include compact",
    "DirectoryAdded": "slash_command register_repo_root",
}
_ALL = re.compile(r"\^?\(?(?:\?:)?\.[*+]\)?\$?")
_GROUP = re.compile(r"\^?\((?:\?:)?([^()]*)\)\$?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_EMPTY = re.compile(r"\^\(?\)?\$|\$\^")
_MARKS = re.compile(r"[\^$().*+?\[\]\\|\s]+")


def matchers(hook: Hook, dialect: Dialect) -> Iterable[Diagnostic]:
    """What is wrong with a hook's matcher."""
    matcher = hook.matcher
    if matcher.never is not None:
        yield at_matcher(hook, dialect, f"matcher {matcher.text!r} can never match: {matcher.never}", "correct it")
        return
    if matcher.text.strip() in ("", "*") or _ALL.fullmatch(matcher.text):
        return
    events = [name for name in hook.events if name in EVENTS]
    if matcher.everything:
        return  # whoever read it said that it is ignored
    if events and all(_ignored(name, dialect) for name in events):
        names = ", ".join(hook.native_events or hook.events)
        yield at_matcher(hook, dialect, f"a matcher has no effect on {names}", "remove the matcher")
        return
    for name in events:
        for message, fix, severity in _at_event(name, matcher, dialect):
            yield at_matcher(hook, dialect, message, fix, severity=severity)


def hits(matcher: Matcher, subjects: Iterable[str]) -> bool:
    """Whether a matcher matches any of some subjects."""
    if matcher.everything:
        return True
    if matcher.names is not None:
        return not matcher.names.isdisjoint(subjects)
    if matcher.pattern is None:
        return False
    found = PatternSet([(0, f"^(?:{matcher.pattern})$" if matcher.whole else matcher.pattern)])
    return any(found.match(subject) for subject in subjects)


def listed(matcher: Matcher) -> tuple[str, ...] | None:
    """The names a matcher lists, when it does nothing else."""
    if matcher.names is not None:
        return tuple(sorted(matcher.names))
    inside = _GROUP.fullmatch(matcher.pattern or "")
    text = inside[1] if inside is not None else matcher.pattern or ""
    pieces = tuple(piece.removeprefix("^").removesuffix("$") for piece in text.split("|"))
    return pieces if all(_NAME.fullmatch(piece) for piece in pieces) else None


def _ignored(event: str, dialect: Dialect) -> bool:
    kind = EVENTS[event]
    return kind.subject is None if dialect.subjects is None else dialect.subjects(kind()) is None


Problem = tuple[str, str, str]


def _at_event(event: str, matcher: Matcher, dialect: Dialect) -> Iterable[Problem]:
    if _ignored(event, dialect):
        return
    subject = EVENTS[event].subject or ""
    if event in TOOL_EVENTS:
        yield from _tools(event, matcher, dialect)
    elif event in SUBJECTS:
        words = [native_value(dialect.vocabulary, subject, word) for word in SUBJECTS[event]]
        yield from _words(event, matcher, words)
    elif subject in _OPEN:
        names = listed(matcher) or (_MARKS.sub("", matcher.text),)
        if all(name in known_tools(dialect) for name in names):
            told = f"{event} is matched with its {subject.replace('_', ' ')}, not with a tool"
            yield told, "remove or correct the matcher", "error"
        else:
            today = [native_value(dialect.vocabulary, subject, word) for word in _TODAY.get(event, "").split()]
            yield from _slips(event, matcher, today)


def _slips(event: str, matcher: Matcher, known: Sequence[str]) -> Iterable[Problem]:
    """Names that are near to a word of today and none themselves."""
    for name in listed(matcher) or ():
        near = None if _names_one(matcher, name, known) else meant(name, known)
        if near is not None:
            yield f"{event} has no {name!r} that is known{_asked(near)}", f"write {near!r}", "warning"


def _words(event: str, matcher: Matcher, known: Sequence[str]) -> Iterable[Problem]:
    fix = f"write one of {', '.join(known)}"
    names = listed(matcher)
    if names is None and not hits(matcher, known):
        yield f"{matcher.text!r} matches nothing that {event} can have", fix, "error"
    for name in names or ():
        if not _names_one(matcher, name, known):
            near = meant(name, known)
            yield f"{event} has no {name!r}{_asked(near)}", fix if near is None else f"write {near!r}", "error"


def _tools(event: str, matcher: Matcher, dialect: Dialect) -> Iterable[Problem]:
    known = known_tools(dialect)
    names = listed(matcher)
    for name in names or ():
        if matcher.names is not None and name.startswith("mcp__") and name.count("__") == 1:
            yield f"{name!r} matches no tool", f"write {name + '__.*'!r}", "error"
        elif not _names_one(matcher, name, known):
            near = misspelt(name, dialect)
            if near is not None:
                yield f"{event} has no {name!r}{_asked(near)}", f"write {near!r}", "error"
            else:
                yield from _joined(name, dialect)
    if names is None and not hits(matcher, known):
        yield from _pattern(matcher, dialect)


def _pattern(matcher: Matcher, dialect: Dialect) -> Iterable[Problem]:
    """A pattern that matches no known tool: it is what it looks like, unless it looks like a mistake."""
    text = matcher.text
    rule = parse(text)
    if rule is not None and rule.pattern is not None and any(rule.tool in names for names in groups(dialect)):
        fix = f"match {rule.tool!r}, and say the rest in an 'if' rule or in the hook"
        yield f"matcher {text!r} is a rule; a matcher only compares names", fix, "error"
    elif _EMPTY.fullmatch(text):
        yield f"matcher {text!r} matches no tool", "remove it, or name a tool", "error"
    elif "," in text:
        yield from _joined(text, dialect)
    elif not text.startswith(("mcp_", "^mcp_", "(mcp_", "^(mcp_")):
        near = misspelt(_MARKS.sub("", text), dialect)
        if near is not None:
            yield f"matcher {text!r} matches no known tool{_asked(near)}", "correct the pattern", "warning"


def _joined(text: str, dialect: Dialect) -> Iterable[Problem]:
    """`Bash, Write`: names joined by something that does not join names here."""
    pieces = [piece for piece in re.split(r"[,;\s]+", text) if piece]
    known = known_tools(dialect)
    if len(pieces) > 1 and all(piece in known or misspelt(piece, dialect) for piece in pieces):
        yield f"matcher {text!r} matches no tool: names are joined by '|'", f"write {'|'.join(pieces)!r}", "error"


def _names_one(matcher: Matcher, name: str, known: Iterable[str]) -> bool:
    """Whether one of a matcher's names is, or where it may match anywhere is a part of, something known."""
    pattern = matcher.pattern or ""
    anchored = matcher.names is not None or matcher.whole or (pattern.startswith("^") and pattern.endswith("$"))
    return any(name == word if anchored else name in word for word in known)


def _asked(near: str | None) -> str:
    return "" if near is None else f", did you mean {near!r}?"
