"""Generated hooks files of every dialect, as people write them, in a scratch home."""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from omnihook import dialects
from omnihook.dialect import Dialect
from omnihook.editing.reading import Target
from omnihook.editing.targets import new_hooks
from omnihook.folders import Folders
from omnihook.hooks import Hook, Layer

NAMES = dialects.names()
EVENTS = ("PreToolUse", "Stop", "SessionStart")
# Thousands of edits are synced to disk each; where there is a file system in memory that costs nothing.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@dataclass(frozen=True)
class Scratch:
    """A file of a dialect in a scratch home."""

    dialect: Dialect
    target: Target
    folders: Folders

    @property
    def bytes(self) -> bytes:
        return Path(self.target.path).read_bytes()

    def write(self, text: str) -> None:
        path = Path(self.target.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    @property
    def hooks(self) -> tuple[Hook, ...]:
        return self.target.read(self.bytes.decode()).hooks


@contextmanager
def scratch(name: str, text: str | None = None) -> Iterator[Scratch]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        made = at(folder, name)
        if text is not None:
            made.write(text)
        yield made


def at(folder: str, name: str) -> Scratch:
    home, project = Path(folder, "home"), Path(folder, "project")
    for path in (home, project):
        path.mkdir(exist_ok=True)
    folders = Folders(home=str(home), config=f"{home}/.config", state=f"{home}/state", project=str(project))
    dialect = dialects.get(name)
    return Scratch(dialect, new_hooks(dialect, folders, Layer.USER, ()), folders)


commands = st.sampled_from(["true", "echo 'a \"b\" } ] ,'", "cat # no comment", "x=[1]; echo //", "printf 'é\\n'"])


TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s,:\[\]{}"]+')
blanks = st.sampled_from(["", "", " ", "\n", "\n    ", "\t", " // why,\n", " /* [so] */ ", "\n  // {next}\n  "])


def unique(draw: st.DrawFn, number: int) -> str:
    """A command that no other hook of the file has."""
    return f"{draw(commands)} # {number}"


@st.composite
def files(draw: st.DrawFn, name: str) -> str:
    """A file of a dialect with a few hooks."""
    if dialects.get(name).editing.format == "toml":
        return draw(toml_files())
    document = draw(DOCUMENTS[name])
    indent = draw(st.sampled_from([None, 2, 4, "\t"]))
    text = json.dumps(document, indent=indent, ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = "".join(token + draw(blanks) for token in TOKEN.findall(text))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))) + draw(st.sampled_from(["", "\n", "\n\n"]))


@st.composite
def toml_files(draw: st.DrawFn) -> str:
    if draw(st.integers(0, 3)) == 0:
        return draw(inline_files())
    lines = draw(st.sampled_from([[], ["# hooks of mine", ""], ["enabled = true # on", ""], ['read = ["autohand"]']]))
    lines = list(lines)
    for number in range(draw(st.integers(1, 4))):
        lines += draw(st.sampled_from([[], [""], ["# about the next one"], ["", "# [[hook]]"]]))
        lines += _toml_hook(draw, number)
    lines += draw(st.sampled_from([[], ["# the end"], ["", "[model]", 'name = "m"']]))
    text = draw(st.sampled_from(["\n", "\r\n"])).join(lines)
    return text + draw(st.sampled_from(["", "\n", "\n\n"]))


@st.composite
def inline_files(draw: st.DrawFn) -> str:
    """Hooks as one value."""
    hooks = []
    for number in range(draw(st.integers(1, 4))):
        more = draw(st.sampled_from(["", ", enabled = true", ', env = { A = "}" }', ', paths = ["a,b", "]"]']))
        command, event = json.dumps(unique(draw, number)), draw(st.sampled_from(EVENTS))
        hooks.append(f'{{ on = "{event}", run = {command}{more} }}')
    open_, between, close = draw(
        st.sampled_from([("[", ", ", "]"), ("[ # all\n  ", ",\n  ", "\n]"), ("[\n", ", # next\n\t", ",\n]")])
    )
    end = draw(st.sampled_from(["", "\n", '\n[model]\nname = "m"\n']))
    return f"# mine\nhook = {open_}{between.join(hooks)}{close}{end}"


def _toml_hook(draw: st.DrawFn, number: int) -> list[str]:
    pairs = [f'on = "{draw(st.sampled_from(EVENTS))}"  # when', f"run = {json.dumps(unique(draw, number))}"]
    pairs += draw(st.sampled_from([[], ['description = """', "[[hook]]", 'enabled = false"""'], ["# inside"]]))
    pairs += draw(st.sampled_from([[], ["enabled = true"], ["enabled=true # yes"], ["enabled = false"]]))
    pairs += draw(st.sampled_from([[], ["paths = [ # globs", '  "src/**", "b]" ]'], ['env = { A = "1" }']]))
    more = draw(st.sampled_from([[], ["[[hook.case]]", 'expect = "none"'], ["", "[[hook.case]]", 'expect = "deny"']]))
    return ["[[hook]]", *pairs, *more]


@st.composite
def nested(draw: st.DrawFn, *, flat: bool = False) -> dict[str, object]:
    """event -> list of groups; with `flat` also hooks directly in the list."""
    table: dict[str, object] = {}
    number = 0
    for event in draw(st.lists(st.sampled_from(EVENTS), min_size=1, max_size=2, unique=True)):
        groups: list[object] = []
        for _ in range(draw(st.integers(1, 4 if flat else 2))):
            direct = flat and draw(st.booleans())
            entries = []
            for _ in range(1 if direct else draw(st.integers(1, 2))):
                extra = draw(st.sampled_from([{}, {"timeout": 30}, {"x-mine": [1, {"a": None}]}]))
                entries.append({"type": "command", "command": unique(draw, number), **extra})
                number += 1
            matcher = draw(st.sampled_from([{}, {"matcher": "Bash"}])) if event == "PreToolUse" else {}
            if direct:
                groups.append({**matcher, **entries[0]})
            else:
                groups.append({**matcher, "hooks": entries})
        table[event] = groups
    return table


@st.composite
def settings(draw: st.DrawFn, *, flat: bool = False) -> dict[str, object]:
    more = draw(st.sampled_from([{}, {"permissions": {"allow": ["Bash(ls)"]}}, {"$schema": "x", "env": {}}]))
    table = draw(nested(flat=flat))
    return {**more, "hooks": table} if draw(st.booleans()) else {"hooks": table, **more}


@st.composite
def profiles(draw: st.DrawFn) -> dict[str, object]:
    return {
        "version": 2,
        "activeProfile": "work",
        "profiles": {"home": {"hooks": {}}, "work": {"model": "m", "hooks": draw(nested())}},
    }


@st.composite
def flat_lists(draw: st.DrawFn) -> dict[str, object]:
    entries = []
    for number in range(draw(st.integers(1, 4))):
        extra = draw(st.sampled_from([{}, {"enabled": True}, {"enabled": False}, {"async": True, "note": [1]}]))
        event = draw(st.sampled_from(["pre-tool", "stop", "session-start"]))
        entries.append({"event": event, "command": unique(draw, number), **extra})
    switch = draw(st.sampled_from([{}, {"enabled": True}]))
    return {"auth": {"token": "t"}, "hooks": {**switch, "hooks": entries}, "ui": {}}


@st.composite
def named_maps(draw: st.DrawFn) -> dict[str, object]:
    table: dict[str, object] = {}
    number = 0
    for event in draw(st.lists(st.sampled_from(["preToolUse", "Stop"]), min_size=1, unique=True)):
        entries = []
        for _ in range(draw(st.integers(1, 3))):
            command = unique(draw, number)
            number += 1
            entries.append(draw(st.sampled_from([command, {"command": command, "timeout_secs": 5, "priority": 2}])))
        if draw(st.booleans()):
            table[event] = {f"name-{n}": entry for n, entry in enumerate(entries)}
        else:
            for _ in range(draw(st.integers(1, 2))):
                group = {"matcher": "Bash", "hooks": [f"ls # {number}", f"pwd # {number}"]}
                entries.insert(draw(st.integers(0, len(entries))), group)
                number += 1
            table[event] = entries
    return {"hooks": table, "model": "m"}


DOCUMENTS = {
    "autohand": flat_lists(),
    "codemie": profiles(),
    "code-agent": settings(),
    "claude-agent-rs": named_maps(),
    "gencode": settings(flat=True),
    "claude-code": settings(),
}
