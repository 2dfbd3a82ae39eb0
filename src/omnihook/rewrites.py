"""Rewrites of a tool's input: what a hook changed of what it saw, and many such changes folded in plan order."""

from collections.abc import Iterable

from omnihook.jsontypes import Json, JsonObject, thawed
from omnihook.outcomes import Outcome
from omnihook.verdicts import Verdict


def changes(verdict: Verdict, saw: JsonObject) -> tuple[dict[str, Json], frozenset[str]]:
    """What a rewrite changed of the input its hook saw: keys with new values, and keys that are gone."""
    new = verdict.updated_input or {}
    changed = {key: value for key, value in new.items() if key not in saw or saw[key] != value}
    gone = frozenset() if verdict.partial else frozenset(key for key in saw if key not in new)
    return changed, gone


def fold(outcomes: Iterable[Outcome], given: JsonObject, conflicts: list[str] | None = None) -> JsonObject | None:
    """The input after every rewrite in plan order, or None when nothing changed it."""
    made = dict(given)
    owners: dict[str, str] = {}
    for outcome in outcomes:
        if outcome.verdict.updated_input is None:
            continue
        changed, gone = changes(outcome.verdict, outcome.saw)
        for key in (*changed, *gone):
            seen = key in outcome.saw and key in made and outcome.saw[key] == made[key]
            if key in owners and not seen and conflicts is not None and made.get(key) != changed.get(key):
                conflicts.append(f"{key!r} changed by {owners[key]} and again by {outcome.hook.name}: the later stands")
            owners[key] = outcome.hook.name
        made = {key: value for key, value in made.items() if key not in gone} | changed
    if not owners or made == dict(given):
        return None
    return {key: thawed(value) for key, value in made.items()}  # the host's, to do with as it likes
