"""Keeps the inventory of the five documents: every fenced block, table row and list item, with the tests that cover it.

python scripts/inventory.py --check    every entry has a test or a reason, and those tests exist and pass
python scripts/inventory.py --write    add what is not listed yet, without a test

The documents themselves lie beside the repository; where they are missing only the tests are checked.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/seeds/inventory.toml"
DOCUMENTS = ROOT.parent / "shared/seeds"
HINT = 60  # characters of a thing's first line, enough to find it
KINDS = ("block", "row", "item")
_RULE = re.compile(r"\|[\s:|-]+\|")
_ITEM = re.compile(r"(?:[-*]|\d+\.)\s+(.*)")
_SUMMARY = re.compile(r"(?:FAILED|ERROR) (?:not found: )?(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing a document says: `number` counts things of its kind within the document."""

    file: str
    section: str
    kind: str
    number: int
    sha256: str
    hint: str
    test: tuple[str, ...] = ()
    reason: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from all others."""
        return self.file, self.kind, self.number

    def __str__(self) -> str:
        return f"{self.file} {self.kind} {self.number} ({self.hint})"


def extract(name: str, text: str) -> Iterator[Entry]:
    """Everything a document lists, in its order."""
    path: list[str] = []
    counts = dict.fromkeys(KINDS, 0)
    for kind, body in _things(text.splitlines()):
        if kind == "heading":
            marks, _, title = body.partition(" ")
            path = [*path[: len(marks) - 1], title.strip()]
            continue
        counts[kind] += 1
        digest = hashlib.sha256(body.encode()).hexdigest()[:12]
        hint = body.split("\n", 1)[0].strip()[:HINT]
        yield Entry(file=name, section=" / ".join(path), kind=kind, number=counts[kind], sha256=digest, hint=hint)


def _things(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Headings, blocks, rows and items as (kind, text); a table's header and rule are none."""
    block: list[str] | None = None
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith("```"):
            if block is not None:
                yield "block", "\n".join(block)
            block = [] if block is None else None
        elif block is not None:
            block.append(line)
        elif text.startswith("#"):
            yield "heading", text
        elif text.startswith("|"):
            after = lines[number + 1].strip() if number + 1 < len(lines) else ""
            if not _RULE.fullmatch(text) and not _RULE.fullmatch(after):
                yield "row", text
        elif found := _ITEM.match(text):
            yield "item", found[1]


def documents() -> list[Entry]:
    """Everything in the documents that are there."""
    files = sorted(DOCUMENTS.glob("*.txt")) if DOCUMENTS.is_dir() else []
    return [entry for path in files for entry in extract(path.name, path.read_text(encoding="utf-8"))]


def listed() -> list[Entry]:
    """The inventory as it is kept."""
    if not LIST.exists():
        return []
    found = tomllib.loads(LIST.read_text(encoding="utf-8")).get("entry", [])
    return [Entry(**{**item, "test": tuple(item.get("test", ()))}) for item in found]


def stale(kept: Sequence[Entry], found: Sequence[Entry]) -> Iterator[str]:
    """What the documents have and the inventory has not, or has otherwise, and the other way round."""
    known = {entry.key: entry for entry in kept}
    for entry in found:
        held = known.pop(entry.key, None)
        if held is None:
            yield f"not listed: {entry}"
        elif (held.sha256, held.section) != (entry.sha256, entry.section):
            yield f"changed: {entry}"
    yield from (f"gone: {entry}" for entry in known.values())


def uncovered(kept: Iterable[Entry]) -> Iterator[str]:
    """Entries with neither a test nor a reason, or with both."""
    for entry in kept:
        if bool(entry.test) == bool(entry.reason):
            yield f"{'both test and reason' if entry.test else 'no test and no reason'}: {entry}"


def failing(tests: Sequence[str], workers: int = 2) -> Iterator[str]:
    """Those of the tests that are missing or fail, run in one go."""
    options = (
        "-q",
        "-n",
        str(workers),
        "--dist",
        "worksteal",
        "--no-header",
        "--tb=line",
        "-rfE",
        "-p",
        "no:cacheprovider",
    )
    command = [sys.executable, "-m", "pytest", *options, *tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = [found[1] for line in (done.stdout + done.stderr).splitlines() if (found := _SUMMARY.match(line.strip()))]
    yield from dict.fromkeys(said) if said else [done.stdout[-2000:] + done.stderr[-2000:]]


def check() -> list[str]:
    """Everything wrong with the inventory."""
    kept, found = listed(), documents()
    problems = [*uncovered(kept), *(stale(kept, found) if found else ())]
    tests = sorted({test for entry in kept for test in entry.test})
    return [*problems, *(f"test: {line}" for line in failing(tests))] if tests else [*problems, "no tests are named"]


def write() -> int:
    """Bring places, hashes and hints up to date and add what is missing; gives the number of entries added."""
    kept = {entry.key: entry for entry in listed()}
    found = documents() or list(kept.values())
    merged = []
    for entry in found:
        held = kept.get(entry.key)
        same = held is not None and held.sha256 == entry.sha256
        merged.append((entry, held.test if held and same else (), held.reason if held and same else ""))
    LIST.write_text("\n".join(_lines(merged)) + "\n", encoding="utf-8")
    return sum(entry.key not in kept for entry in found)


def _lines(entries: Iterable[tuple[Entry, tuple[str, ...], str]]) -> Iterator[str]:
    yield "# Kept by scripts/inventory.py: what the documents list, and the tests that cover it or why none can."
    for entry, tests, reason in entries:
        yield "\n[[entry]]"
        yield from (f"{name} = {_quoted(getattr(entry, name))}" for name in ("file", "section", "kind"))
        yield f"number = {entry.number}"
        yield from (f"{name} = {_quoted(getattr(entry, name))}" for name in ("sha256", "hint"))
        if len(tests) == 1:
            yield f"test = [{_quoted(tests[0])}]"
        elif tests:
            yield "\n".join(["test = [", *(f"    {_quoted(test)}," for test in tests), "]"])
        if reason:
            yield f"reason = {_quoted(reason)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="The inventory of the five documents.")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="Fail when something is uncovered, stale or failing.")
    action.add_argument("--write", action="store_true", help="Add what is not listed yet, without a test.")
    if parser.parse_args().write:
        print(f"{write()} entries added to {LIST.relative_to(ROOT)}")
        return 0
    problems = check()
    for problem in problems:
        print(f"inventory: {problem}")
    entries = listed()
    tested, reasoned = (sum(bool(getattr(entry, name)) for entry in entries) for name in ("test", "reason"))
    print(f"inventory: {len(entries)} entries, {tested} with tests, {reasoned} with a reason")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
