"""The cases kept beside native hooks, as far as they can be read without running them."""

from collections.abc import Iterator

from omnihook.checking.findings import finding
from omnihook.dialect import Diagnostic
from omnihook.hooks import Hook
from omnihook.jsontypes import Json, kind
from omnihook.verdicts import WORDS

_EXPECTED = ("none", "broken", *WORDS)


def cases(hook: Hook) -> Iterator[Diagnostic]:
    """What is wrong with the cases of a hook."""
    given = hook.entry.get("case") if isinstance(hook.entry, dict) and hook.source.pointer[:1] == ("hook",) else None
    if given is None:
        return
    for number, case in enumerate(given if isinstance(given, list) else [given], 1):
        wrong = _wrong(case)
        if wrong is not None:
            yield finding(hook, f"case {number}: {wrong[0]}", wrong[1], "case", "case")


def _wrong(case: Json) -> tuple[str, str] | None:
    if not isinstance(case, dict):
        return f"it must be a table, not {kind(case)}", "write [[hook.case]]"
    expect = case.get("expect")
    if expect not in _EXPECTED:
        return f"expect must be one of {', '.join(_EXPECTED)}, not {expect!r}", f"write one of {', '.join(_EXPECTED)}"
    return None
