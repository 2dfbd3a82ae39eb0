"""Configuring: which dialects' hooks there are, in which order they run, and which are held back and why."""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace

from omnihook import loading
from omnihook.dialect import Diagnostic, Dialect, Settings
from omnihook.events import NATIVE
from omnihook.folders import Folders
from omnihook.holding import held, needs_trust
from omnihook.hooks import Hook, Layer
from omnihook.loading import Loaded, Wanted
from omnihook.matching import Index
from omnihook.matching.rules import parse
from omnihook.planning import Planner
from omnihook.quarantine import Quarantine
from omnihook.slotted import dataclass
from omnihook.trust import TrustStore, Verify

Lookup = Callable[[str], Dialect]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What to load: the native files, or those of `only` one dialect, or `config`, (dialect, file) pairs.

    `read` names dialects whose own files count too.
    """

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

    @property
    def switched_on(self) -> bool:
        """Whether the switch of the files is on: it is off when it holds back every hook that is enabled itself."""
        off = sum(item.why == "disabled" and item.hook.enabled for item in self.planner.held.values())
        return not off or off < sum(hook.enabled for hook in self.hooks)

    def source_of(self, hook: Hook) -> str:
        """A hook's file and line."""
        return str(loading.with_line(hook, self.texts))


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
    before = loading.signatures([store.path for store in (trust, quarantine) if store is not None])
    found, problems = _load_all(choice, folders, lookup)
    watched = {path: seen for loaded in reversed(found) for path, seen in loaded.watched.items()}
    watched |= before if watched else {}
    hooks, unruly = _unruled(_ordered(program, found))
    dialects = {name: lookup(name) for name in dict.fromkeys([NATIVE, *(hook.source.dialect for hook in hooks)])}
    settings = {name: _settings(layers) for name, layers in loading.settings_of(found).items()}
    index = Index(hooks, dialects, folders.project)
    needed = None if choice.trust_project else trust
    kept_back = held(hooks, found, folders, trust=needed, quarantine=quarantine)
    sequential = frozenset(name for name, chosen in settings.items() if chosen.sequential)
    refused = tuple(Diagnostic(message=text, code="folder", severity="warning") for text in folders.refused)
    diagnostics = (*refused, *problems, *unruly, *(item for loaded in found for item in loaded.reading.diagnostics))
    return Configuration(
        hooks=hooks,
        planner=Planner(index, dialects, kept_back, sequential),
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
    found = _load_first(choice, folders, lookup)
    everywhere, in_project = _read_lists(found[0], choice)
    problems: list[Diagnostic] = []
    for name in dict.fromkeys([*everywhere, *in_project]):
        try:
            dialect = lookup(name)
        except LookupError as error:
            if name in choice.read:
                raise  # the caller's own mistake, which would cost it hooks
            problems.append(Diagnostic(message=str(error), code="unknown-dialect", fix="correct `read`"))
            continue
        # Several dialects claim one file: whoever is named first reads it, and its hooks run once.
        taken = frozenset(os.path.realpath(text.path) for loaded in found for text in loaded.texts)
        wanted = Wanted(dialect=dialect, project_only=name not in everywhere, skip=taken)
        found.append(loading.load(wanted, folders))
    return found, problems


def _load_first(choice: Choice, folders: Folders, lookup: Lookup) -> list[Loaded]:
    """The native files, or what was chosen in their place; those of an administrator are always there."""
    native = lookup(NATIVE)
    if not choice.config and choice.only in (None, NATIVE):
        return [loading.load(Wanted(dialect=native), folders)]
    managed = loading.load(Wanted(dialect=native, managed_only=True), folders)
    if not choice.config:
        return [managed, loading.load(Wanted(dialect=lookup(choice.only or NATIVE)), folders)]
    grouped: dict[str, list[str]] = {}
    for name, path in choice.config:
        grouped.setdefault(name, []).append(path)
    return [managed, *(loading.load(Wanted(dialect=lookup(n), files=paths), folders) for n, paths in grouped.items())]


def _read_lists(own: Loaded, choice: Choice) -> tuple[list[str], list[str]]:
    """Whose files count too: everywhere, and in the project alone, for a project cannot open its user's files."""
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


def _settings(layers: Mapping[Layer, Settings]) -> Settings:
    """What a dialect's files say together: a later layer fills in or replaces; endpoints come from trusted layers."""
    made = Settings()
    for layer in sorted(layers):
        given = layers[layer]
        outside = layer < Layer.PLUGIN
        made = replace(
            made,
            max_retries=made.max_retries if given.max_retries is None else given.max_retries,
            debug=made.debug or given.debug,
            sequential=made.sequential or given.sequential,
            max_concurrent=made.max_concurrent if given.max_concurrent is None else given.max_concurrent,
            allowed_urls=given.allowed_urls if outside and made.allowed_urls is None else made.allowed_urls,
            allowed_env=given.allowed_env if outside and made.allowed_env is None else made.allowed_env,
            model=(given.model if outside else None) or made.model,
            base_url=(given.base_url if outside else None) or made.base_url,
            api_key=(given.api_key if outside else None) or made.api_key,
            provider=(given.provider if outside else None) or made.provider,
            servers={**made.servers, **(given.servers if outside else {})},
        )
    return made


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
