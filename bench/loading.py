"""Reading a thousand hooks from the user's files, against parsing the text and building the index of the same hooks.

The first baseline is handed the hooks ready-made. The second makes them as plainly as possible from what was parsed:
no checks, no places, no order. It has no target; it shows how much of the first ratio is the price of values.
"""

import asyncio
import json
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import samples
from bench.measuring import Row, in_turns
from omnihook import Engine
from omnihook.events import NATIVE
from omnihook.families.patterns import native_matcher
from omnihook.hooks import Command, Hook
from omnihook.matching import Index

COUNT, ROUNDS = 1_000, 25
Parsed = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One kind of file."""

    name: str
    dialect: str
    file: str
    text: str
    parser: str
    parse: Callable[[str], Parsed]
    hooks: Callable[[Parsed], Iterator[Hook]]
    target: float


def rows() -> list[Row]:
    """The native file and Claude Code's."""
    with tempfile.TemporaryDirectory(prefix="omnihook-bench-") as folder:
        return [row for form in _formats() for row in _rows(Path(folder) / form.name, form)]


def _formats() -> tuple[Format, Format]:
    return (
        Format(
            name="TOML",
            dialect=NATIVE,
            file=".config/omnihook/hooks.toml",
            text=samples.toml(COUNT),
            parser="tomllib",
            parse=tomllib.loads,
            hooks=_native_hooks,
            target=1.3,
        ),
        Format(
            name="JSON",
            dialect="claude-code",
            file=".claude/settings.json",
            text=samples.settings(COUNT),
            parser="json",
            parse=json.loads,
            hooks=_claude_hooks,
            target=1.5,
        ),
    )


def _rows(home: Path, form: Format) -> list[Row]:
    file = home / form.file
    file.parent.mkdir(parents=True)
    file.write_text(form.text)
    file.chmod(0o600)
    loaded = _load(home, form).configuration
    assert len(loaded.hooks) == COUNT and not loaded.diagnostics, loaded.diagnostics

    def given() -> None:
        form.parse(form.text)
        Index(loaded.hooks, loaded.dialects).compile()

    def plain() -> None:
        Index(tuple(form.hooks(form.parse(form.text))), loaded.dialects).compile()

    jobs = {"ours": lambda: _load(home, form), "given": given, "plain": plain}
    took = asyncio.run(in_turns(jobs, rounds=ROUNDS, warm=2))
    case, measured = f"loading {COUNT:,} hooks, {form.name}", took["ours"].least
    return [
        Row(
            case=case,
            measured=measured,
            baseline=f"{form.parser} and the index",
            against=took["given"].least,
            target=form.target,
        ),
        Row(
            case=case,
            measured=measured,
            baseline=f"{form.parser}, plain hooks and the index",
            against=took["plain"].least,
        ),
    ]


def _load(home: Path, form: Format) -> Engine:
    only = None if form.dialect == NATIVE else form.dialect
    engine = Engine(str(home / "project"), only=only, environ={"HOME": str(home), "PATH": "/usr/bin:/bin"})
    engine.configuration.planner.index.compile()
    return engine


def _native_hooks(document: Parsed) -> Iterator[Hook]:
    for entry in document["hook"]:
        yield Hook(
            name=entry["name"],
            events=(entry["on"],),
            action=Command(command=entry["run"]),
            matcher=native_matcher(entry["match"]),
            rule=entry.get("if"),
            paths=tuple(entry.get("paths", ())),
        )


def _claude_hooks(document: Parsed) -> Iterator[Hook]:
    for event, groups in document["hooks"].items():
        for group in groups:
            for number, entry in enumerate(group["hooks"]):
                yield Hook(
                    name=f"{event}:{number}",
                    events=(event,),
                    action=Command(command=entry["command"]),
                    matcher=native_matcher(group["matcher"]),
                    rule=entry.get("if"),
                    timeout=float(entry["timeout"]),
                )
