"""The cases kept beside native hooks, as far as they can be read without running them."""

from collections.abc import Iterator

from omnihook.checking.findings import finding
from omnihook.dialect import Diagnostic
from omnihook.families.toml_cases import wrong
from omnihook.hooks import Hook


def cases(hook: Hook) -> Iterator[Diagnostic]:
    """What is wrong with the cases of a hook."""
    given = hook.entry.get("case") if isinstance(hook.entry, dict) and hook.source.pointer[:1] == ("hook",) else None
    if given is None:
        return
    for number, case in enumerate(given if isinstance(given, list) else [given], 1):
        trouble = wrong(case, (*hook.events, *hook.native_events))
        if trouble is not None:
            yield finding(hook, f"case {number}: {trouble[0]}", trouble[1], "case", "case")
