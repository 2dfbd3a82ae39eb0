"""Reading a thousand hooks from the user's files, against parsing the text and building the index of the same hooks."""

import asyncio
import json
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from bench import samples
from bench.measuring import Row, in_turns
from omnihook import Engine
from omnihook.events import NATIVE
from omnihook.matching import Index

COUNT, ROUNDS = 1_000, 25
CLAUDE = "claude-code"
FILES = {NATIVE: ".config/omnihook/hooks.toml", CLAUDE: ".claude/settings.json"}
TARGETS = {NATIVE: 1.3, CLAUDE: 1.5}
PARSERS: dict[str, Callable[[str], object]] = {NATIVE: tomllib.loads, CLAUDE: json.loads}
NAMES = {NATIVE: "TOML", CLAUDE: "JSON"}


def rows() -> list[Row]:
    """The native file and Claude Code's."""
    texts = {NATIVE: samples.toml(COUNT), CLAUDE: samples.settings(COUNT)}
    with tempfile.TemporaryDirectory(prefix="omnihook-bench-") as folder:
        return [_row(Path(folder) / dialect, dialect, text) for dialect, text in texts.items()]


def _row(home: Path, dialect: str, text: str) -> Row:
    file = home / FILES[dialect]
    file.parent.mkdir(parents=True)
    file.write_text(text)
    file.chmod(0o600)

    def load() -> Engine:
        engine = Engine(
            str(home / "project"),
            only=None if dialect == NATIVE else dialect,
            environ={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        )
        engine.configuration.planner.index.compile()
        return engine

    loaded = load()
    configuration = loaded.configuration
    assert len(configuration.hooks) == COUNT and not configuration.diagnostics, configuration.diagnostics

    def least() -> None:
        PARSERS[dialect](text)
        Index(configuration.hooks, configuration.dialects).compile()

    took = asyncio.run(in_turns({"ours": load, "least": least}, rounds=ROUNDS, warm=2))
    return Row(
        case=f"loading {COUNT:,} hooks, {NAMES[dialect]}",
        measured=took["ours"].least,
        baseline=f"{PARSERS[dialect].__module__.split('.')[0].strip('_')} and the index",
        against=took["least"].least,
        target=TARGETS[dialect],
    )
