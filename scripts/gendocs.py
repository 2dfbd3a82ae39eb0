"""Writes the generated parts of the documents, between markers; with --check says which are stale.

python scripts/gendocs.py [--check]
"""

import io
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import fields
from pathlib import Path

from omnihook import dialects
from omnihook.cli import VERBS, main, usage
from omnihook.dialect import EFFECT_NAMES, Dialect
from omnihook.events import EVENTS, Event

DOCS = Path(__file__).resolve().parent.parent / "docs"
START, END = "<!-- generated: {} -->", "<!-- /generated -->"


def dialect_table(dialect: Dialect) -> str:
    """Events, variables, fields and defaults of a dialect, from its own data."""
    policy = dialect.policy
    unit = "milliseconds" if policy.timeout_unit < 1 else "seconds"
    facts = [
        ("time-outs are in", unit),
        ("default time-out", f"{policy.timeout:g} s"),
        *((f"default time-out of {event}", f"{value:g} s") for event, value in sorted(policy.timeouts.items())),
        *([("default time-out of prompts", f"{policy.prompt_timeout:g} s")] if policy.prompt_timeout else []),
        *([("default time-out of agents", f"{policy.agent_timeout:g} s")] if policy.agent_timeout else []),
        ("hooks of one event run", policy.order.value),
        ("a lane ends early at", policy.end_lane.value),
        ("a broken hook means", policy.on_error.name.lower()),
        ("output over", f"{policy.output_cap} bytes is {'cut' if policy.truncate else 'a failure'}"),
        ("shell", f"`{policy.interpreter}`"),
        ("`*` in a path matches a leading dot", "yes" if policy.dotfiles else "no"),
        ("consecutive Stop blocks before the turn ends", str(policy.stop_limit)),
    ]
    sections = [
        "### Files\n\n"
        + table(("layer", "path"), ((f.layer.label, f"`{place(f.base, f.path)}`") for f in dialect.files)),
        "### Events\n\n" + table(("event here", "canonical", "a reply can"), event_rows(dialect)),
        "### Payload and variables\n\n" + table(("event here", "fields", "variables"), field_rows(dialect)),
        "### Tools\n\n" + table(("canonical", "here", "arguments"), tool_rows(dialect)),
        "### Exit codes\n\n" + table(("exit", "at PreToolUse"), exit_rows(dialect)),
        "### Defaults\n\n" + table(("what", "value"), facts),
    ]
    return "\n\n".join(sections)


def place(base: str, path: str) -> str:
    prefix = {"home": "~/", "config": "~/.config/", "project": "<project>/"}.get(base, "")
    return prefix + path


def event_rows(dialect: Dialect) -> Iterable[tuple[str, str, str]]:
    for row in dialect.names:
        effects = dialect.effects.get(row.event, dialect.other_effects)
        can = ", ".join(name for name in EFFECT_NAMES if getattr(effects, name)) or "nothing"
        alias = "" if row.send else " (alias)"
        yield f"`{row.native}`{alias}", row.event, can


def field_rows(dialect: Dialect) -> Iterable[tuple[str, str, str]]:
    for row in dialect.names:
        if not row.send:
            continue
        wire = dialect.encode_event(sample(row.event))
        fields = ", ".join(f"`{key}`" for key in wire.body)
        yield f"`{row.native}`", fields if wire.stdin is not None else f"(no stdin) {fields}", variables(wire.env)


def variables(env: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(env)) or "none"


def tool_rows(dialect: Dialect) -> Iterable[tuple[str, str, str]]:
    words = dialect.vocabulary
    for canonical, native in words.tools.items():
        arguments = ", ".join(f"`{ours}` is `{theirs}`" for ours, theirs in words.arguments.get(canonical, {}).items())
        yield canonical, f"`{native}`", arguments or "the same"
    for native, canonical in words.aliases.items():
        yield canonical, f"`{native}` (alias)", "the same"


def exit_rows(dialect: Dialect) -> Iterable[tuple[str, str]]:
    from omnihook.dialect import Failure, Raw
    from omnihook.hooks import Command, Hook, Source

    hook = Hook(name="h", events=("PreToolUse",), action=Command(command="x"), source=Source(dialect=dialect.name))
    for code in (0, 1, 2, 3, 126, 127):
        answer = dialect.decode_reply(hook, sample("PreToolUse"), Raw(exit_code=code, stderr="words"))
        said = f"broken ({answer.cause.value})" if isinstance(answer, Failure) else answer.decision.word or "no opinion"
        yield str(code), said


def sample(event: str):
    values = {
        "str | None": "x", "float | None": 1.0, "int | None": 1, "bool | None": True, "Json": {"k": 1},
        "JsonObject | None": {"k": 1}, "tuple[str, ...] | None": ("x",), "str": "x",
    }  # fmt: skip
    kind = EVENTS[event]
    known = {f.name: str(f.type) for f in fields(kind)}
    common = {f.name for f in fields(Event)}
    named = {name: values.get(_plain(kind_of)) for name, kind_of in known.items() if name not in common}
    given = {name: value for name, value in named.items() if value is not None}
    if "tool_name" in known:
        given |= {"tool_name": "Bash", "tool_input": {"command": "ls", "file_path": "f"}}
        given = {name: value for name, value in given.items() if name in known}
    return kind(session_id="s", cwd="/p", transcript_path="t", permission_mode="default", **given)


def _plain(text: str) -> str:
    return text.replace("omnihook.jsontypes.", "")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    made = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    made += [f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in rows]
    return "\n".join(made)


def cli_help() -> str:
    parts = [f"```\n{usage().rstrip()}\n```"]
    for verb in VERBS:
        out = io.StringIO()
        with redirect_stdout(out):
            main([verb, "--help"])
        parts.append(f"## {verb}\n\n```\n{out.getvalue().rstrip()}\n```")
    return "\n\n".join(parts)


def targets() -> dict[Path, tuple[str, str, str]]:
    """Each document: the marker's name, its generated text, and how it begins when it is new."""
    made = {DOCS / "cli.md": ("command line", cli_help(), "# The command line\n\n")}
    for name in dialects.names():
        dialect = dialects.get(name)
        made[DOCS / "dialects" / f"{name}.md"] = ("dialect table", dialect_table(dialect), f"# {dialect.title}\n\n")
    return made


def updated(text: str, marker: str, body: str, opening: str) -> str:
    start = START.format(marker)
    if start not in text:
        text = f"{text or opening}{'' if text.endswith(chr(10)) or not text else chr(10)}{start}\n{END}\n"
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(END)
    return f"{before}{start}\n\n{body}\n\n{END}{after}"


def run(check: bool) -> int:
    stale = []
    for path, (marker, body, opening) in targets().items():
        old = path.read_text() if path.exists() else ""
        new = updated(old, marker, body, opening)
        if new != old:
            stale.append(path)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(new)
    for path in stale:
        print(f"{'stale' if check else 'wrote'}: {path.relative_to(DOCS.parent)}")
    if check and stale:
        print("run: make docs")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(run("--check" in sys.argv[1:]))
