"""Configuring: which dialects' hooks there are, in which order they run, and which are held back and why."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, lru_cache

from omnihook import loading
from omnihook.dialect import Diagnostic, Dialect, Settings
from omnihook.events import NATIVE
from omnihook.folders import Folders, inside
from omnihook.hooks import Hook, Layer
from omnihook.loading import Loaded, Wanted
from omnihook.matching import Index
from omnihook.matching.rules import parse
from omnihook.planning import Planner
from omnihook.plans import Skipped
from omnihook.quarantine import Quarantine
from omnihook.slotted import dataclass
from omnihook.trust import TrustStore, Verify

Lookup = Callable[[str], Dialect]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What to load: `read` names dialects whose own files count too, `only` one dialect instead of the native
    files, and `config` (dialect, file) pairs instead of any."""

    read: tuple[str, ...] = ()
    only: str | None = None
    config: tuple[tuple[str, str], ...] = ()
    files: bool = True
    trust_project: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Every hook in order, ready to be planned, with what was wrong and what would change it."""

    hooks: tuple[Hook, ...]
    planner: Planner
    dialects: Mapping[str, Dialect]
    settings: Mapping[str, Settings] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    watched: tuple[str, ...] = ()
    seen: tuple[tuple[int, int, int, int] | None, ...] = ()
    digest: str = ""

    def fresh(self) -> bool:
        """Whether every file is still as it was read."""
        return all(map(loading.unchanged, self.watched, self.seen))

    def source_of(self, hook: Hook) -> str:
        """A hook's file and line."""
        return str(loading.with_line(hook, dict(self.texts)))


def configure(
    choice: Choice,
    folders: Folders,
    lookup: Lookup,
    *,
    program: Sequence[Hook] = (),
    trust: TrustStore | None = None,
    quarantine: Quarantine | None = None,
) -> Configuration:
    """Load what was chosen and put it in order."""
    kept = [store.path for store in (trust, quarantine) if store is not None]
    looked = dict(zip(kept, loading.signature(kept), strict=True))
    found, problems = _load_all(choice, folders, lookup)
    watched: dict[str, loading.Signature] = {}
    for loaded in found:
        watched = {**loaded.watched, **watched}
    watched |= looked if watched else {}
    hooks, unruly = _unruled(_ordered(program, found))
    dialects = {name: lookup(name) for name in dict.fromkeys([NATIVE, *(hook.source.dialect for hook in hooks)])}
    settings = {loaded.dialect: _settings(loaded) for loaded in found}
    index = Index(hooks, dialects, folders.project)
    held = _held(hooks, found, folders, choice, trust)
    if quarantine is not None and quarantine.held():
        held = {**_quarantined(hooks, quarantine), **held}
    sequential = frozenset(name for name, chosen in settings.items() if chosen.sequential)
    refused = tuple(Diagnostic(message=text, code="folder", severity="warning") for text in folders.refused)
    diagnostics = (*refused, *problems, *unruly, *(item for loaded in found for item in loaded.reading.diagnostics))
    return Configuration(
        hooks=hooks,
        planner=Planner(index, dialects, held, sequential),
        dialects=dialects,
        settings=settings,
        diagnostics=diagnostics,
        texts={config.path: config.text for loaded in found for config in loaded.texts},
        watched=tuple(watched),
        seen=tuple(watched.values()),
        digest=hashlib.sha256("".join(loaded.digest for loaded in found).encode()).hexdigest()[:16],
    )


def _load_all(choice: Choice, folders: Folders, lookup: Lookup) -> tuple[list[Loaded], list[Diagnostic]]:
    if not choice.files and not choice.config:
        return [], []
    native = lookup(NATIVE)
    if choice.config:
        grouped: dict[str, list[str]] = {}
        for name, path in choice.config:
            grouped.setdefault(name, []).append(path)
        managed = loading.load(Wanted(dialect=native, managed_only=True), folders)
        named = [loading.load(Wanted(dialect=lookup(name), files=paths), folders) for name, paths in grouped.items()]
        return [managed, *named], []
    if choice.only is not None and choice.only != NATIVE:
        managed = loading.load(Wanted(dialect=native, managed_only=True), folders)
        return [managed, loading.load(Wanted(dialect=lookup(choice.only)), folders)], []
    own = loading.load(Wanted(dialect=native), folders)
    everywhere, in_project = _read_lists(own, choice)
    problems: list[Diagnostic] = []
    found = [own]
    for name in dict.fromkeys([*everywhere, *in_project]):
        try:
            wanted = Wanted(dialect=lookup(name), project_only=name not in everywhere)
        except LookupError as error:
            problems.append(Diagnostic(message=str(error), code="unknown-dialect", fix="correct `read`"))
            continue
        found.append(loading.load(wanted, folders))
    return found, problems


def _read_lists(own: Loaded, choice: Choice) -> tuple[list[str], list[str]]:
    everywhere = list(choice.read)
    in_project: list[str] = []
    for layer, settings in own.reading.settings.items():
        (in_project if layer >= Layer.PLUGIN else everywhere).extend(settings.read)
    return everywhere, in_project


def _ordered(program: Sequence[Hook], found: Iterable[Loaded]) -> tuple[Hook, ...]:
    """Managed first, then the program's, then the native files, then the dialects as they were named."""
    read = [hook for loaded in found for hook in loaded.reading.hooks]
    managed = [hook for hook in read if hook.source.layer is Layer.MANAGED]
    return (*managed, *program, *(hook for hook in read if hook.source.layer is not Layer.MANAGED))


def _unruled(hooks: tuple[Hook, ...]) -> tuple[tuple[Hook, ...], list[Diagnostic]]:
    """Guards whose `if` cannot be read run without it: a guard with a mistake still guards."""
    bad = [hook for hook in hooks if hook.guard and hook.rule is not None and parse(hook.rule) is None]
    if not bad:
        return hooks, []
    text = "the rule {!r} of guard {} cannot be read, so it runs for every call"
    found = [
        Diagnostic(
            message=text.format(hook.rule, hook.name),
            path=hook.source.path,
            pointer=(*hook.source.pointer, "if"),
            fix='write it as "Tool(pattern)"',
            code="bad-rule",
        )
        for hook in bad
    ]
    marked = {id(hook) for hook in bad}
    return tuple(replace(hook, rule=None) if id(hook) in marked else hook for hook in hooks), found


def _settings(loaded: Loaded) -> Settings:
    """What a dialect's files say together: a later layer fills in or replaces; endpoints come from trusted layers."""
    made = Settings()
    for layer in sorted(loaded.reading.settings, reverse=False):
        given = loaded.reading.settings[layer]
        outside = layer < Layer.PLUGIN
        made = replace(
            made,
            max_retries=given.max_retries if given.max_retries is not None else made.max_retries,
            debug=made.debug or given.debug,
            sequential=made.sequential or given.sequential,
            max_concurrent=given.max_concurrent or made.max_concurrent,
            allowed_urls=given.allowed_urls if outside and made.allowed_urls is None else made.allowed_urls,
            allowed_env=given.allowed_env if outside and made.allowed_env is None else made.allowed_env,
            model=(given.model if outside else None) or made.model,
            base_url=(given.base_url if outside else None) or made.base_url,
            api_key=(given.api_key if outside else None) or made.api_key,
            provider=(given.provider if outside else None) or made.provider,
            servers={**made.servers, **(given.servers if outside else {})},
        )
    return made


def _held(
    hooks: Sequence[Hook], found: Sequence[Loaded], folders: Folders, choice: Choice, trust: TrustStore | None
) -> dict[int, Skipped]:
    switches = {loaded.dialect: loaded.reading.settings for loaded in found}
    orders = [settings[Layer.MANAGED] for settings in switches.values() if Layer.MANAGED in settings]
    managed_only = any(order.managed_only for order in orders)
    forbid_open = any(order.forbid_open for order in orders)
    off = cache(lambda dialect, layer: _switched_off(layer, switches.get(dialect, {}), managed_only=managed_only))
    asked = None if choice.trust_project else trust
    held: dict[int, Skipped] = {}
    for number, hook in enumerate(hooks):
        why = off(hook.source.dialect, hook.source.layer) if hook.enabled else "disabled"
        detail = ""
        if why is None and asked is not None and needs_trust(hook, folders):
            why, detail = _distrusted(hook, folders, asked, forbid_open=forbid_open)
        if why is not None:
            held[number] = Skipped(hook=hook, why=why, detail=detail)
    return held | _replaced(hooks, held)


def _replaced(hooks: Sequence[Hook], held: Mapping[int, Skipped]) -> dict[int, Skipped]:
    """Hooks that a later one of the same slot stands in for; one that is held back itself replaces nothing."""
    standing: dict[tuple[str, str], int] = {}
    found: dict[int, Skipped] = {}
    for number, hook in enumerate(hooks):
        if hook.slot is None or number in held:
            continue
        key = (hook.source.dialect, hook.slot)
        earlier = standing.get(key)
        if earlier is not None and hooks[earlier].source.layer is not Layer.MANAGED:
            found[earlier] = Skipped(hook=hooks[earlier], why="replaced", detail=f"by the one in {hook.source}")
        standing[key] = number
    return found


def _quarantined(hooks: Sequence[Hook], quarantine: Quarantine) -> dict[int, Skipped]:
    detail = "it broke too often; bring it back with: omnihook enable"
    return {
        number: Skipped(hook=hook, why="quarantined", detail=f"{detail} {hook.name}")
        for number, hook in enumerate(hooks)
        if quarantine.holds(hook)
    }


def _switched_off(layer: Layer, settings: Mapping[Layer, Settings], *, managed_only: bool) -> str | None:
    """Why no hook of a dialect's layer runs, or None."""
    if layer is not Layer.MANAGED and managed_only:
        return "only managed hooks run"
    own = settings.get(layer)
    if own is not None and not own.enabled:
        return "disabled"
    for where, given in settings.items():
        # A file inside the work tree cannot switch off what others wrote.
        if given.disable_all and where < Layer.PLUGIN and (where is Layer.MANAGED or layer is not Layer.MANAGED):
            return "disabled"
    return None


def needs_trust(hook: Hook, folders: Folders) -> bool:
    """Whether a hook comes from inside the work tree."""
    layer, path = hook.source.layer, hook.source.path
    if layer in (Layer.MANAGED, Layer.PROGRAM, Layer.FLAG):
        return False
    if layer >= Layer.PROJECT:
        return True
    return path is not None and _in_work_tree(path, folders.project, folders.home)


def verifier(choice: Choice, folders: Folders, trust: TrustStore) -> Callable[[Hook, str], str | None]:
    """What says, for the hooks of one event, why one must not be started in a directory after all."""
    ask: Verify | None = None

    def verify(hook: Hook, cwd: str) -> str | None:
        nonlocal ask
        if choice.trust_project or not needs_trust(hook, folders):
            return None
        if ask is None:
            ask = trust.verifier(folders.project)
        return ask(hook, cwd)

    return verify


@lru_cache(maxsize=1024)
def _in_work_tree(path: str, project: str, home: str) -> bool:
    """A home that is itself inside the project would make every user file a project's; the home wins."""
    return inside(path, project) and not inside(path, home)


def _distrusted(hook: Hook, folders: Folders, trust: TrustStore, *, forbid_open: bool) -> tuple[str | None, str]:
    standing = trust.standing(hook, folders.project)
    if standing.state != "trusted":
        return standing.state, standing.detail
    if forbid_open and standing.pinning.open:
        return "open hooks are forbidden", standing.pinning.why
    return None, ""
