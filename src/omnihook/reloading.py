"""Reloading: a guard that a session has worked under stays in force for that session, whatever becomes of its file.

Files are read again at the next event; what makes a guard weaker counts only for sessions that begin later.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import lru_cache

from omnihook.configuring import Choice, Configuration
from omnihook.dialect import ConfigText, Dialect
from omnihook.events import Event
from omnihook.hooks import Hook, Layer
from omnihook.matching import Index
from omnihook.planning import Planner
from omnihook.sessions import Key, MemorySessions, Sessions, State
from omnihook.slotted import dataclass
from omnihook.trust import identity

CHANGED = "hook configuration changed and was read again"
KEPT = "guards that were changed, removed or switched off stay in force for this session: {}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A guard as a session keeps it: what it is, and the file it can be read from again."""

    mark: str  # its identity
    dialect: str
    layer: str
    path: str
    role: str
    root: str | None
    text: str


@dataclass(slots=True)
class Reloading:
    """What sessions know of guards; `approved` says whether a project's guard still has its user's approval."""

    sessions: Sessions
    lookup: Callable[[str], Dialect]
    project: str
    choice: Choice
    approved: Callable[[Hook], bool]
    _marks: dict[int, tuple[Configuration, dict[str, Hook]]] = field(default_factory=dict)
    _made: dict[tuple[int, frozenset[str]], Configuration] = field(default_factory=dict)
    _ever: bool = False  # some configuration of this process had guards
    _keys: dict[str, str] = field(default_factory=dict)

    def configuration_for(self, event: Event, configuration: Configuration) -> tuple[Configuration, tuple[str, ...]]:
        """The configuration with the guards that the event's session must not lose, and what to tell its user."""
        active = self._active(configuration)
        resident = isinstance(self.sessions, MemorySessions)
        if (resident and not self._ever) or not (event.session_id or resident):
            return configuration, ()
        with self.sessions.changing(Key(event.agent, event.session_id)) as state:
            told = () if resident else self._changed(state, configuration)
            missing = self._missing(state, configuration, active)
            if missing and _note(state, self._key("told"), " ".join(sorted(missing))):
                told = (*told, KEPT.format(", ".join(sorted(hook.name for hook in missing.values()))))
        return (self._with(configuration, missing) if missing else configuration), told

    def _changed(self, state: State, configuration: Configuration) -> tuple[str, ...]:
        """A process that comes and goes knows from the session whether the files are still the same."""
        known = self._key("config") in state.texts
        return (CHANGED,) if _note(state, self._key("config"), configuration.digest) and known else ()

    def _missing(self, state: State, configuration: Configuration, active: dict[str, Hook]) -> dict[str, Hook]:
        kept = _read(state.texts.get(self._key("guards")))
        marks = {known.mark for known in kept}
        new = [_known(mark, hook, configuration) for mark, hook in active.items() if mark not in marks]
        if new:
            state.texts[self._key("guards")] = _written([*kept, *new])
        gone = [known for known in kept if known.mark not in active]
        return self._again(gone) if gone else {}

    def _again(self, gone: Sequence[Known]) -> dict[str, Hook]:
        """The hooks themselves, read from the texts they had."""
        found: dict[str, Hook] = {}
        for known in gone:
            layer = Layer[known.layer]
            text = ConfigText(path=known.path, layer=layer, text=known.text, role=known.role, root=known.root)
            for hook in self.lookup(known.dialect).read_config([text]).hooks:
                if identity(hook, self.project) == known.mark and (layer < Layer.PLUGIN or self.approved(hook)):
                    found.setdefault(known.mark, hook)
        return found

    def _active(self, configuration: Configuration) -> dict[str, Hook]:
        """The guards of files that run now, by identity."""
        held = self._marks.get(id(configuration))
        if held is None or held[0] is not configuration:
            off = configuration.planner.held
            guards = [h for n, h in enumerate(configuration.hooks) if n not in off and _guards(h)]
            if len(self._marks) > 8:
                self._marks.clear()
                self._made.clear()
            held = self._marks[id(configuration)] = (configuration, {identity(h, self.project): h for h in guards})
            self._ever = self._ever or bool(guards)
        return held[1]

    def _with(self, configuration: Configuration, missing: dict[str, Hook]) -> Configuration:
        key = (id(configuration), frozenset(missing))
        made = self._made.get(key)
        if made is None:
            hooks = (*configuration.hooks, *missing.values())
            dialects = {**configuration.dialects}
            for hook in missing.values():
                dialects[hook.source.dialect] = self.lookup(hook.source.dialect)
            old = configuration.planner
            planner = Planner(Index(hooks, dialects, self.project), dialects, old.held, old.sequential)
            made = self._made[key] = replace(configuration, hooks=hooks, planner=planner, dialects=dialects)
        return made

    def _key(self, word: str) -> str:
        """What is known holds for one project and one choice of files: another has other guards."""
        if word not in self._keys:
            chosen = repr((self.project, self.choice)).encode()
            self._keys[word] = f"{word}:{hashlib.sha256(chosen).hexdigest()[:12]}"
        return self._keys[word]


def _guards(hook: Hook) -> bool:
    """Whether losing a hook would let something through; files named on a command line are their caller's affair."""
    outside = hook.source.path is None or hook.source.layer is Layer.FLAG or hook.background or hook.shadow
    return not outside and (hook.guard or hook.source.layer is Layer.MANAGED)


def _note(state: State, key: str, text: str) -> bool:
    """Remember a text; whether it is another one than before."""
    if state.texts.get(key) == text:
        return False
    state.texts[key] = text
    return True


def _known(mark: str, hook: Hook, configuration: Configuration) -> Known:
    source = hook.source
    path = source.path or ""
    role = "frontmatter" if path.endswith(".md") else "plugin" if source.root is not None else "settings"
    text = configuration.texts.get(path, "")
    return Known(
        mark=mark, dialect=source.dialect, layer=source.layer.name, path=path, role=role, root=source.root, text=text
    )


def _written(kept: Sequence[Known]) -> str:
    """As JSON, each text once."""
    texts = list(dict.fromkeys(known.text for known in kept))
    rows = [[k.mark, k.dialect, k.layer, k.path, k.role, k.root, texts.index(k.text)] for k in kept]
    return json.dumps({"texts": texts, "guards": rows})


@lru_cache(maxsize=256)
def _read(text: str | None) -> tuple[Known, ...]:
    if text is None:
        return ()
    try:
        found = json.loads(text)
        return tuple(
            Known(mark=m, dialect=d, layer=la, path=p, role=r, root=ro, text=found["texts"][number])
            for m, d, la, p, r, ro, number in found["guards"]
            if la in Layer.__members__
        )
    except (ValueError, KeyError, TypeError, IndexError):
        return ()
