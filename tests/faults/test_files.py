"""F31-F33: configuration files that are damaged, huge, deep, or no files at all."""

import json
import os
import random
import resource
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from faults.kit import OMNIHOOK, Machine, fire, within
from omnihook import Engine

NATIVE = """# my hooks
enabled = true

[[hook]]
name = "{name}"
on = ["PreToolUse", "Stop"]
match = "Bash|Edit"
run = "echo {name} >&2; exit 2"
timeout = "5s"
on_error = {{ timeout = "deny", exit = "ask" }}
env = {{ A = "b" }}
"""
CLAUDE = {
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo claude >&2; exit 2", "timeout": 5}]}
        ]
    }
}
LAYERS = {
    "managed": ("/etc/omnihook/hooks.toml", NATIVE.format(name="managed")),
    "user": ("~/.config/omnihook/hooks.toml", NATIVE.format(name="user")),
    "project": (".omnihook/hooks.toml", NATIVE.format(name="project")),
    "claude": ("~/.claude/settings.json", json.dumps(CLAUDE, indent=2)),
}


def mutants(text: str, count: int, seed: int) -> list[bytes]:
    """The text with bytes changed, cut, doubled and mixed, the same ones in every run."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        data = bytearray(text.encode())
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(data) + 1)
            match chance.randrange(6):
                case 0:
                    data[place : place + 1] = bytes([chance.randrange(256)])
                case 1:
                    del data[place : place + chance.randint(1, 30)]
                case 2:
                    data[place:place] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 4)))
                case 3:
                    data[place:place] = data[: chance.randrange(len(data) + 1)]
                case 4:
                    del data[place:]
                case _:
                    data[place:place] = chance.choice(
                        [b"[[", b"]]", b'"', b"{", b"}", b"= ", b"\n", b"\0", b"'''", b"\xff", b"1e999"]
                    )
        made.append(bytes(data))
    return made


@pytest.mark.parametrize("layer", LAYERS)
def test_two_hundred_damaged_files_of_each_layer(box: Machine, layer: str) -> None:
    """F31: that file is reported or reads, the others work, managed hooks are enforced, nothing is overwritten."""
    for name, text in LAYERS.values():
        box.write(name, text)
    name, text = LAYERS[layer]
    others = set(LAYERS) - {layer}
    for number, data in enumerate(mutants(text, 200, seed=len(layer))):
        path = box.write(name, data)
        engine = box.engine(read=["claude-code"], trust_project=True)
        words = {hook.name: hook for hook in engine.hooks}
        assert {"claude" if word == "PreToolUse:1" else word for word in words} >= others, (number, data)
        reported = [item for item in engine.diagnostics if item.path == str(path)]
        found = [hook for hook in engine.hooks if hook.source.path == str(path)]
        assert reported or found or _says_nothing(data), (number, data)
        assert path.read_bytes() == data
        if number % 25 == 0:
            report = fire(engine)
            assert report.refused
            assert others <= {_who(outcome.hook.name) for outcome in report.outcomes}


def _says_nothing(data: bytes) -> bool:
    """Whether a damaged file is a sound one without hooks by now."""
    text = data.decode("utf-8").removeprefix("\ufeff")
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except ValueError:
        return False
    return not found.get("hook") and not found.get("hooks")


def _who(name: str) -> str:
    return "claude" if name.startswith("PreToolUse") else name


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def _loop(path: Path) -> None:
    _link(path, str(path) + "2")
    Path(str(path) + "2").symlink_to(path)


def _nowhere(path: Path) -> None:
    _link(path, "/no/such/file")


def _folder(path: Path) -> None:
    path.mkdir(parents=True)


def _fifo(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def _zero(path: Path) -> None:
    _link(path, "/dev/zero")


def _terminal(path: Path) -> None:
    _link(path, "/dev/tty")


def _socket(path: Path) -> None:
    import socket

    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _hundred_megabytes(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(100_000_000)


def _text(data: str | bytes) -> object:
    def write(path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    return write


DEEP = 10_000
MANY = 12_000  # more hooks than a file may hold
ODD_NATIVE = {
    "a loop of links": _loop,
    "a link to nothing": _nowhere,
    "a directory": _folder,
    "a named pipe": _fifo,
    "a socket": _socket,
    "endless zeros": _zero,
    "a terminal": _terminal,
    "100 MB": _hundred_megabytes,
    "lists in lists": _text("x = " + "[" * DEEP + "]" * DEEP),
    "tables in tables": _text("[" + ".".join("a" * DEEP) + "]\n"),
    "inline tables": _text("x = " + "{a=" * DEEP + "1" + "}" * DEEP),
    "a list that never ends": _text("x = " + "[" * DEEP),
    "NUL": _text(b"enabled = true\0\n"),
    "UTF-16": _text("enabled = true\n".encode("utf-16")),
    "too many hooks": _text('[[hook]]\non="Stop"\nrun="x"\n' * MANY),
    "many broken hooks": _text("[[hook]]\n" * MANY),
    "20000 unknown keys": _text("".join(f"k{n} = 1\n" for n in range(20_000))),
}
ODD_JSON = {
    "lists in lists": _text('{"hooks":' + "[" * DEEP + "]" * DEEP + "}"),
    "objects in objects": _text('{"hooks":' * DEEP + "1" + "}" * DEEP),
    "objects that never end": _text('{"hooks":' * DEEP),
    "too many hooks": _text(
        '{"hooks":{"Stop":[{"hooks":[' + ",".join(['{"type":"command","command":"x"}'] * MANY) + "]}]}}"
    ),
    "many broken hooks": _text('{"hooks":{"Stop":[{"hooks":[' + ",".join(["5"] * MANY) + "]}]}}"),
    "many events": _text('{"hooks":{' + ",".join(f'"e{n}":1' for n in range(MANY)) + "}}"),
    "two documents": _text('{"hooks":{}}{"hooks":{}}'),
    "NaN": _text('{"hooks":NaN}'),
    "a huge int": _text('{"hooks":' + "9" * 10_000 + "}"),
}
ODD_FRONTMATTER = {
    "aliases of aliases": _text(
        "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
        + "hooks: *i\n---\n"
    ),
    "a tag that calls": _text("---\nhooks: !!python/object/apply:os.system ['touch pwned']\n---\n"),
    "deep flow": _text("---\nhooks: " + "[" * 5000 + "\n---\n"),
    "no end": _text("---\nhooks:\n"),
    "bytes": _text(b"---\nhooks: \xff\n---\n"),
}
FILES = [
    *(("~/.config/omnihook/hooks.toml", word, make) for word, make in ODD_NATIVE.items()),
    *(("~/.claude/settings.json", word, make) for word, make in ODD_JSON.items()),
    *(("~/.claude/skills/s/SKILL.md", word, make) for word, make in ODD_FRONTMATTER.items()),
]


@pytest.mark.parametrize(("name", "word", "make"), FILES, ids=[f"{word}-{Path(name).name}" for name, word, _ in FILES])
def test_odd_files_are_one_clear_line_and_nothing_waits(box: Machine, name: str, word: str, make: object) -> None:
    """F32, F33: through list, check and fire: exit codes, a line that names the file, managed hooks enforced."""
    box.write("/etc/omnihook/hooks.toml", NATIVE.format(name="managed"))
    path = box.home / name[2:]
    make(path)  # type: ignore[operator]
    begun = time.monotonic()
    engine = box.engine(read=["claude-code"])
    messages = [str(item) for item in engine.diagnostics if item.path == str(path)]
    assert len(messages) <= 101
    assert messages or word in ("a terminal", "no end"), "the file is reported"
    report = fire(engine)
    assert report.verdict.reason == "managed"
    assert time.monotonic() - begun < within(12)
    assert not (box.project / "pwned").exists()


@pytest.mark.parametrize("word", ["a loop of links", "a named pipe", "100 MB", "many broken hooks"])
def test_the_verbs_answer_in_time_about_odd_files(box: Machine, word: str) -> None:
    """F32, F33: check says 1, the others go on; no traceback, and not a flood of lines."""
    ODD_NATIVE[word](box.home / ".config/omnihook/hooks.toml")  # type: ignore[operator]
    for verb, wanted in ((("list",), 0), (("check",), 1), (("fire", "Stop", "--json"), 0)):
        ended = box.run(*verb, stdin={})
        assert ended.code == wanted, ended
        assert b"Traceback" not in ended.err
        assert b"hooks.toml" in ended.out + ended.err
        lines = [line for line in (ended.out + ended.err).splitlines() if b"hooks.toml" in line]
        assert len(lines) <= (101 if word == "many broken hooks" else 1)


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", ["~/.config/omnihook/hooks.toml", "~/.claude/settings.json"])
@pytest.mark.parametrize("entry", ["a sound one", "a broken one"])
def test_a_hundred_thousand_hooks_are_refused_in_seconds(box: Machine, name: str, entry: str) -> None:
    """F32: the size the row names."""
    if name.endswith(".toml"):
        text = ('[[hook]]\non="Stop"\nrun="x"\n' if entry == "a sound one" else "[[hook]]\n") * 100_000
    else:
        one = '{"type":"command","command":"x"}' if entry == "a sound one" else "5"
        text = '{"hooks":{"Stop":[{"hooks":[' + ",".join([one] * 100_000) + "]}]}}"
    box.write(name, text)
    begun = time.monotonic()
    engine = box.engine(read=["claude-code"])
    assert engine.hooks == ()
    assert engine.diagnostics
    assert time.monotonic() - begun < within(30)


def test_memory_stays_small_whatever_a_file_claims(box: Machine) -> None:
    """F32: size and kind are looked at before anything is read."""
    _zero(box.home / ".config/omnihook/hooks.toml")
    _hundred_megabytes(box.home / ".claude/settings.json")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))

    ran = subprocess.run(
        [*OMNIHOOK, "fire", "Stop", "--json", "--read", "claude-code"],
        input=b"{}",
        capture_output=True,
        env=box.environ(),
        cwd=box.project,
        timeout=50,
        preexec_fn=limit,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count(b"\n") == 2


@pytest.mark.timeout(20)
def test_a_project_full_of_frontmatter_does_not_hold_us_up(box: Machine) -> None:
    """F32: YAML is read slowly, so a project may not have any amount of it; the user's own comes first."""
    entry = "    - hooks: [{type: command, command: 'true'}]\n"
    box.write("~/.claude/skills/own/SKILL.md", f"---\nhooks:\n  Stop:\n{entry}---\n")
    for number in range(60):
        box.write(f".claude/skills/s{number:02}/SKILL.md", f"---\nhooks:\n  Stop:\n{entry * 1000}---\n")
    box.write(".claude/skills/words/SKILL.md", f"---\n{'a: [b, {c: d}]' * 200_000}\n---\n")
    engine = box.engine(read=["claude-code"])
    assert engine.hooks[0].source.owner == "skill:own"
    refused = [item for item in engine.diagnostics if item.code == "refused"]
    assert len(refused) > 50 and all("frontmatter" in item.message for item in refused)


def test_a_file_that_changes_while_it_is_read_is_read_again(box: Machine) -> None:
    """F30, F31: a writer that replaces and one that truncates, while an engine fires: never an exception."""
    path = box.user(NATIVE.format(name="user"))
    script = f"""
import os, time
path, text = {str(path)!r}, open({str(path)!r}).read()
until = time.monotonic() + 1.5
while time.monotonic() < until:
    with open(path, "w") as file:
        file.write(text[:60]); file.flush(); file.write(text[60:])
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)
"""
    with subprocess.Popen([sys.executable, "-c", script]) as writer:
        engine: Engine = box.engine()
        while writer.poll() is None:
            fire(engine)
    assert fire(engine).verdict.reason == "user"
