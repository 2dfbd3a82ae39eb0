"""Holding hooks back: those that will not run whatever happens, and why: a switch, no approval, quarantine, another."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from omnihook.dialect import Settings
from omnihook.folders import Folders, inside
from omnihook.hooks import Hook, Layer
from omnihook.loading import Loaded, settings_of
from omnihook.plans import Skipped
from omnihook.quarantine import Quarantine
from omnihook.trust import TrustStore


def held(
    hooks: Sequence[Hook],
    found: Sequence[Loaded],
    folders: Folders,
    *,
    trust: TrustStore | None,
    quarantine: Quarantine | None,
) -> dict[int, Skipped]:
    """The hooks that will not run whatever happens, by number; without a store of approvals none is needed."""
    switches = settings_of(found)
    orders = [settings[Layer.MANAGED] for settings in switches.values() if Layer.MANAGED in settings]
    managed_only = any(order.managed_only for order in orders)
    forbid_open = any(order.forbid_open for order in orders)
    off = cache(lambda dialect, layer: _switched_off(layer, switches.get(dialect, {}), managed_only=managed_only))
    in_tree = cache(lambda path: _in_work_tree(path, folders))  # for this once: links may come to lead elsewhere
    kept_back: dict[int, Skipped] = {}
    for number, hook in enumerate(hooks):
        why = off(hook.source.dialect, hook.source.layer) if hook.enabled else "disabled"
        detail = ""
        if why is None and trust is not None and _needs_trust(hook, in_tree):
            why, detail = _distrusted(hook, folders, trust, forbid_open=forbid_open)
        if why is not None:
            kept_back[number] = Skipped(hook=hook, why=why, detail=detail)
    broken = {} if quarantine is None else _quarantined(hooks, quarantine)
    return broken | kept_back | _replaced(hooks, kept_back)


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
    if not quarantine.held():
        return {}
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
    return _needs_trust(hook, lambda path: _in_work_tree(path, folders))


def _needs_trust(hook: Hook, in_tree: Callable[[str], bool]) -> bool:
    layer, path = hook.source.layer, hook.source.path
    if layer in (Layer.MANAGED, Layer.PROGRAM, Layer.FLAG):
        return False
    return layer >= Layer.PROJECT or (path is not None and in_tree(path))


def _in_work_tree(path: str, folders: Folders) -> bool:
    """Whether a user's file is really the project's: a link may lead from the home into a work tree below it.

    A file that the home itself holds stays the user's, also where somebody works on the home's own folders.
    """
    project, home = folders.project, folders.home
    if not inside(path, project) or inside(home, project):
        return False
    unlinked = os.path.join(os.path.realpath(home), os.path.relpath(path, home))
    return not os.path.normpath(unlinked).startswith(os.path.realpath(project) + "/")


def _distrusted(hook: Hook, folders: Folders, trust: TrustStore, *, forbid_open: bool) -> tuple[str | None, str]:
    standing = trust.standing(hook, folders.project)
    if not standing.trusted:
        return standing.state, standing.detail
    if forbid_open and standing.pinning.open:
        return "open hooks are forbidden", standing.pinning.why
    return None, ""
