"""The index: which hooks an event concerns, and for any other hook why it does not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from omnihook.dialect import Dialect
from omnihook.events import Event, ToolEvent
from omnihook.hooks import Hook
from omnihook.jsontypes import EMPTY
from omnihook.matching.globs import GlobSet, comparable, from_project
from omnihook.matching.rules import RuleSet, parse
from omnihook.matching.sets import PatternSet
from omnihook.slotted import dataclass
from omnihook.tools import native_aliases, native_value, touched

NO_NAMES: tuple[str, ...] = ()


class Index:
    """Hooks in the order they run, ready to be asked; an event's part is compiled when it is first needed.

    `project` is the folder that path globs start from, whatever directory an event happens in.
    """

    __slots__ = ("_buckets", "_by_event", "_dialects", "hooks", "project")

    def __init__(self, hooks: Sequence[Hook], dialects: Mapping[str, Dialect], project: str = "") -> None:
        self.hooks = tuple(hooks)
        self.project = "" if project == "/" else project  # everything is below the root, and globs name it
        self._dialects = dialects
        self._by_event: dict[str, list[int]] = {}
        for number, hook in enumerate(self.hooks):
            for event in hook.events:
                self._by_event.setdefault(event, []).append(number)
        self._buckets: dict[str, tuple[_Bucket, ...]] = {}

    def compile(self) -> "Index":
        """Compile every event's part now."""
        for event in self._by_event:
            self._compiled(event)
        return self

    def match(self, event: Event) -> list[int]:
        """The numbers of the hooks that the event concerns, in order."""
        buckets = self._buckets.get(event.name)
        if buckets is None:
            buckets = self._compiled(event.name)
        if not buckets:
            return []
        found = [number for bucket in buckets for number in bucket.match(event)]
        if len(found) > 1:
            found.sort()
        return found

    def why_not(self, event: Event, number: int) -> str | None:
        """Why the event does not concern a hook, or None when it does."""
        hook = self.hooks[number]
        if event.name not in hook.events:
            return f"it is for {', '.join(hook.native_events or hook.events)}"
        one = _Bucket(self._dialects[hook.source.dialect], [(number, hook)], self.project)
        return one.why_not(event, hook)

    def _compiled(self, event: str) -> tuple["_Bucket", ...]:
        grouped: dict[str, list[tuple[int, Hook]]] = {}
        for number in self._by_event.get(event, ()):
            grouped.setdefault(self.hooks[number].source.dialect, []).append((number, self.hooks[number]))
        made = tuple(_Bucket(self._dialects[name], held, self.project) for name, held in grouped.items())
        self._buckets[event] = made
        return made


@dataclass(slots=True)
class _Candidates:
    """What the subject alone decides, remembered per subject."""

    plain: list[int] = field(default_factory=list)
    globbed: set[int] = field(default_factory=set)
    ruled: set[int] = field(default_factory=set)
    checked: dict[int, Callable[[Event], bool]] = field(default_factory=dict)


class _Bucket:
    """The hooks of one dialect for one event."""

    __slots__ = (
        "_aliases",
        "_always",
        "_cache",
        "_dialect",
        "_exact",
        "_globs",
        "_hooks",
        "_patterns",
        "_project",
        "_rules",
    )

    def __init__(self, dialect: Dialect, hooks: Sequence[tuple[int, Hook]], project: str) -> None:
        self._dialect, self._project = dialect, project
        self._hooks = dict(hooks)
        self._always = [n for n, h in hooks if h.matcher.everything]
        self._exact: dict[str, list[int]] = {}
        for number, hook in hooks:
            for name in hook.matcher.names or ():
                self._exact.setdefault(name, []).append(number)
        self._patterns = PatternSet((n, _anchored(h)) for n, h in hooks if h.matcher.pattern is not None)
        globbed = [(n, from_project(glob, project)) for n, h in hooks for glob in h.paths]
        self._globs = GlobSet(globbed, dotfiles=dialect.policy.dotfiles) if globbed else None
        parsed = ((n, parse(h.rule)) for n, h in hooks if h.rule is not None)
        self._rules = RuleSet((n, rule) for n, rule in parsed if rule is not None)
        self._aliases: dict[str, tuple[str, ...]] = {}
        self._cache: dict[tuple[tuple[str, ...] | None, tuple[str, ...]], _Candidates] = {}

    def match(self, event: Event) -> list[int]:
        tools = self._tool_names(event)
        found = self._candidates(self._subjects(event, tools), tools)
        if not found.globbed and not found.ruled and not found.checked:
            return found.plain
        chosen = found.plain + self._filtered(event, tools, found)
        return [n for n in chosen if n not in found.checked or found.checked[n](event)]

    def _filtered(self, event: Event, tools: tuple[str, ...], found: _Candidates) -> list[int]:
        on_path: set[int] = set()
        if found.globbed and self._globs is not None:
            for path in self._paths(event):
                on_path |= self._globs.match(path)
            on_path &= found.globbed
        by_rule: set[int] = set()
        tool: str = getattr(event, "tool_name", None) or ""
        if found.ruled and tool:
            by_rule = self._rules.match(tools, tool, getattr(event, "tool_input", EMPTY), self._place(event))
        passed = [n for n in on_path if n not in found.ruled]
        return passed + [n for n in by_rule if n in found.ruled and (n not in found.globbed or n in on_path)]

    def why_not(self, event: Event, hook: Hook) -> str | None:
        tools = self._tool_names(event)
        subjects = self._subjects(event, tools)
        if hook.matcher.never is not None:
            return f"its matcher can never match: {hook.matcher.never}"
        if subjects is not None and not self._subject_hits(subjects):
            return f"its matcher {hook.matcher.text!r} does not match {_said(subjects)}"
        if hook.tools and not set(tools) & set(hook.tools):
            return f"it is only for the tools {', '.join(hook.tools)}, not {_said(tools)}"
        if hook.paths and self._globs is not None and not any(self._globs.match(p) for p in self._paths(event)):
            return f"no path matches {', '.join(hook.paths)}: {_said(self._paths(event))}"
        if not self.match(event):
            return self._late_reason(hook)
        return None

    def _late_reason(self, hook: Hook) -> str:
        if hook.source.owner is not None:
            return f"its {hook.source.owner.replace(':', ' ')} is not active"
        return f"its rule {hook.rule!r} does not hold"

    def _subject_hits(self, subjects: tuple[str, ...]) -> set[int]:
        found = set(self._always)
        for subject in subjects or ("",):
            found.update(self._exact.get(subject, ()))
            if self._patterns:
                found.update(self._patterns.match(subject))
        return found

    def _candidates(self, subjects: tuple[str, ...] | None, tools: tuple[str, ...]) -> _Candidates:
        key = (subjects, tools)
        found = self._cache.get(key)
        if found is None:
            if len(self._cache) > 4096:
                self._cache.clear()
            found = self._cache[key] = self._sorted(subjects, tools)
        return found

    def _sorted(self, subjects: tuple[str, ...] | None, tools: tuple[str, ...]) -> _Candidates:
        if subjects is None:
            numbers = {n for n, h in self._hooks.items() if h.matcher.never is None}
        else:
            numbers = self._subject_hits(subjects)
        found = _Candidates()
        for number in sorted(numbers):
            hook = self._hooks[number]
            if hook.tools and not set(tools) & set(hook.tools):
                continue
            if hook.paths:
                found.globbed.add(number)
            if hook.rule is not None:
                found.ruled.add(number)
            check = _check(self._dialect, hook)
            if check is not None:
                found.checked[number] = check
            if not hook.paths and hook.rule is None:
                found.plain.append(number)
        return found

    def _tool_names(self, event: Event) -> tuple[str, ...]:
        tool = getattr(event, "tool_name", None)
        if not tool:
            return NO_NAMES
        # A dialect knows better under which of its names its own agent called the tool.
        known = self._dialect.subjects(event) if self._dialect.subjects and isinstance(event, ToolEvent) else None
        return known or self._aliases.get(tool) or self._aliases_of(tool)

    def _aliases_of(self, tool: str) -> tuple[str, ...]:
        if len(self._aliases) > 4096:
            self._aliases.clear()
        found = self._aliases[tool] = native_aliases(self._dialect.vocabulary, tool)
        return found

    def _subjects(self, event: Event, tools: tuple[str, ...]) -> tuple[str, ...] | None:
        if self._dialect.subjects is not None:
            return self._dialect.subjects(event)
        field_name = event.subject
        if field_name is None:
            return None
        if field_name == "tool_name":
            return tools
        value = getattr(event, field_name)
        return (native_value(self._dialect.vocabulary, field_name, value),) if value else ("",)

    def _paths(self, event: Event) -> list[str]:
        path = getattr(event, "file_path", None) or getattr(event, "path", None)
        place = self._place(event)
        if path:
            return [comparable(path, *place)]
        files = touched(getattr(event, "tool_name", "") or "", getattr(event, "tool_input", EMPTY))
        return [comparable(file.path, *place) for file in files]

    def _place(self, event: Event) -> tuple[str, str]:
        """The directory of the event and the project: what its paths start from."""
        return event.cwd, self._project


def _check(dialect: Dialect, hook: Hook) -> Callable[[Event], bool] | None:
    """What must hold of the event itself: the name's predicate, and the component a hook belongs to."""
    predicates = [row.when for row in dialect.names if row.native in hook.native_events and row.when is not None]
    owner = hook.source.owner
    if not predicates and owner is None:
        return None

    def holds(event: Event) -> bool:
        fits = not predicates or any(predicate(event) for predicate in predicates)
        return fits and (owner is None or active(owner, event))

    return holds


def active(owner: str, event: Event) -> bool:
    """Whether the skill or subagent a hook belongs to is at work in the event."""
    sort, _, name = owner.partition(":")
    if sort == "agent":
        return event.subagent_type == name
    skills = event.metadata.get("active_skills")
    return sort != "skill" or (isinstance(skills, list) and name in skills)


def _anchored(hook: Hook) -> str:
    pattern = hook.matcher.pattern or ""
    return f"^(?:{pattern})$" if hook.matcher.whole else pattern


def _said(words: Sequence[str]) -> str:
    return ", ".join(repr(word) for word in words) or "nothing"
