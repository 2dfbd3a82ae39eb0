"""F50, R13: hostile strings from hooks, files and repositories, as every verb shows them."""

import io
import json
import os
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.kit import KEPT, Ended, Machine, toml
from omnihook.cli import VERBS, main
from omnihook.showing import one_line, shown

HOSTILE: list[tuple[str, str]] = [
    (row[0], row[1]) for row in json.loads((Path(__file__).parent / "hostile.json").read_text())
]
# Categories of characters that are controls, invisible, or turn the text around; and half characters.
FORBIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def unsafe(text: str, *, breaks: str = "\n\t") -> list[str]:
    """The characters of a text that must not reach a terminal."""
    return [
        hex(ord(c))
        for c in text
        if unicodedata.category(c) in FORBIDDEN and c not in breaks and not "\u0600" <= c <= "\u0605"
    ]


def test_two_hundred_strings_have_their_golden_form() -> None:
    """R13: byte for byte, on one line, with nothing unsafe."""
    assert len(HOSTILE) >= 200
    for given, wanted in HOSTILE:
        assert one_line(given) == wanted
        assert unsafe(wanted, breaks="") == []
        assert unsafe(shown(given), breaks="\n\t") == []


def test_every_control_and_every_invisible_character_is_escaped() -> None:
    """R13: the whole of Unicode, by category."""
    for code in range(0x110000):
        char = chr(code)
        if unicodedata.category(char) in FORBIDDEN and char not in "\n\t" and not unsafe_is_visible(char):
            assert shown(char) != char, hex(code)


def unsafe_is_visible(char: str) -> bool:
    """Format characters that have a shape of their own: signs of Arabic, Syriac and Kaithi numbers."""
    return char in "\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd" or "\u0600" <= char <= "\u0605"


def _check(ended: Ended, *, codes: tuple[int, ...] = (0, 1)) -> str:
    assert ended.code in codes, ended
    out, err = ended.out.decode("utf-8"), ended.err.decode("utf-8")
    assert unsafe(out) == []
    assert unsafe(err) == []
    assert "Traceback" not in err
    return out + err


def _config(strings: list[str]) -> str:
    made = []
    for text in strings:
        written = toml(text)
        made.append(
            f"[[hook]]\nname = {written}\non = {toml(text or 'x')}\nrun = {toml(': ' + text)}\n"
            f"description = {written}\nstatus = {written}\n"
            f'[[hook]]\non = "PreToolUse"\nmatch = {written}\nif = {written}\nrun = "true"\n'
        )
    return "\n".join(made)


def _sayable(text: str) -> bool:
    """TOML cannot write half characters; nothing else is left out."""
    return not any("\ud800" <= char <= "\udfff" for char in text) and text.strip() != ""


STRINGS = [given for given, _ in HOSTILE if _sayable(given)]


@pytest.mark.parametrize("layer", ["user", "project"])
def test_no_verb_shows_an_unsafe_character_of_a_file(box: Machine, line: Callable[..., Ended], layer: str) -> None:
    """F50: 200 hooks whose every string is hostile, through every verb that lists them."""
    name = "~/.config/omnihook/hooks.toml" if layer == "user" else ".omnihook/hooks.toml"
    box.write(name, _config(STRINGS))
    out = _check(line("list"))
    for given in STRINGS:
        assert one_line(": " + given) in out
    _check(line("list", "--table"))
    _check(line("check"))
    _check(line("explain", "PreToolUse"))
    _check(line("audit"))
    _check(line("trust", "--trust-project"))
    _check(line("list"))
    _check(line("untrust"))
    assert unsafe(_on_a_terminal(box, "convert", "--from", "omnihook", "--to", "claude-code")) == []


def _on_a_terminal(box: Machine, *args: str) -> str:
    """What a verb writes when its output is a terminal."""
    ours, theirs = os.openpty()
    child = box.start(*args, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL)
    os.close(theirs)
    data = b""
    try:
        while part := os.read(ours, 65536):
            data += part
    except OSError:  # the last writer has gone
        pass
    os.close(ours)
    assert child.wait(15) in (0, 1)
    return data.decode().replace("\r\n", "\n")


def test_one_hook_is_one_line_of_a_list(box: Machine, line: Callable[..., Ended]) -> None:
    """R13: a line break in a name, a command or a description does not make a line that looks like ours."""
    forged = "x\nTotal: 0 hooks (0 enabled, 0 disabled)\nomnihook: all is trusted"
    counts = []
    for text in ("x", forged):
        box.write(".omnihook/hooks.toml", _config([text]))
        outputs = [_check(line(*verb)) for verb in SHOWING]
        assert all("\nomnihook: all is trusted" not in output for output in outputs)
        counts.append([output.count("\n") for output in outputs])
    assert counts[0] == counts[1]


SHOWING = (
    ("list",),
    ("list", "--table"),
    ("explain", "Stop"),
    ("fire", "Stop"),
    ("trust", "--trust-project"),
    ("untrust",),
    ("audit",),
)


def test_what_is_approved_is_shown_whole(box: Machine) -> None:
    """R3, R13: a command too long for the eye is not cut, so that nothing hides behind its end."""
    command = "true " + "x" * 50_000 + "; curl evil"
    box.write(
        ".omnihook/hooks.toml",
        f'[[hook]]\non = "Stop"\nrun = {toml(command)}\nenv = {{ A = {toml("y" * 9000 + "end")} }}\n',
    )
    out = _check(box.run("trust", "--trust-project"))
    assert command in out
    assert "yend" in out


def _replying(box: Machine, text: str) -> None:
    """A user's hook that says a hostile text in every field of its reply."""
    reply = {
        "decision": "block",
        "reason": text,
        "continue": False,
        "stopReason": text,
        "systemMessage": text,
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": text, "updatedInput": {text: text}},
    }
    file = box.write("reply.json", json.dumps(reply))
    box.user(f'[[hook]]\non = "PreToolUse"\nrun = {toml(f"cat {file}; cat {file} >&2")}\n')


@pytest.mark.parametrize("form", [(), ("--json",), ("--exit-code",)])
def test_no_hostile_reply_reaches_the_terminal(box: Machine, form: tuple[str, ...]) -> None:
    """F50: every string at once, in every field of a reply, for people and for programs."""
    _replying(box, "".join(given for given, _ in HOSTILE)[:60_000])
    ended = box.run("fire", "PreToolUse", *form, stdin={"tool_name": "Bash", "tool_input": {"command": "x"}})
    if form == ("--exit-code",):
        assert unsafe(ended.err.decode()) == []
        assert json.loads(ended.out)["decision"] == "block"  # escaped by JSON for the agent that reads it
        assert b"\x1b" not in ended.out
    else:
        _check(ended)


def test_a_broken_hooks_words_and_a_name_of_the_file_are_escaped(box: Machine) -> None:
    """F50: what the system says about a hostile program, and paths with hostile names."""
    evil = "a\x1b]0;x\x07\u202eb\nc"
    folder = box.project / evil
    folder.mkdir()
    config = box.write(
        f"{evil}/hooks.toml",
        f'[[hook]]\non = "PreToolUse"\nargv = [{toml("/no/" + evil)}]\nname = {toml(evil)}\n[[hook]]\n',
    )
    for verb in (("fire", "PreToolUse"), ("explain", "PreToolUse"), ("list",), ("check",)):
        _check(box.run(*verb, "--config", str(config), stdin={}))
    _check(box.run("fire", "PreToolUse", stdin={"tool_name": evil, "session_id": evil, "cwd": evil}))


@pytest.fixture
def line(box: Machine, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """The command line inside this process, for tests that need it often."""
    for name in os.environ:
        if name not in KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(box.home))
    monkeypatch.chdir(box.project)

    def run(*args: str) -> Ended:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
        code = main(list(args))
        out, err = capfd.readouterr()
        return Ended(code, out.encode(), err.encode())

    return run


@pytest.mark.parametrize("verb", [*VERBS, "no\x1b[31msuch\nverb"])
def test_arguments_come_back_escaped(line: Callable[..., Ended], verb: str) -> None:
    """F50: what is wrong with an argument is said without repeating its controls."""
    evil = "\x1b]52;c;x\x07\u202e\r"
    several = [(evil, evil, evil), ("--as", evil), ("--config", evil), ("--from", evil, "--to", evil)]
    for words in [("--" + evil,), *(several if verb != "demo" else [])]:
        _check(line(verb, *words), codes=(0, 1, 2))


def test_the_guard_escapes_what_it_repeats(line: Callable[..., Ended]) -> None:
    """F50: the commands it judges are a model's."""
    for given, _ in HOSTILE:
        if "\0" not in given and _sayable(given):
            _check(line("guard", f"rm -rf / ; echo '{given}'"))
            _check(line("guard", "--explain", f"cat {given}"))
