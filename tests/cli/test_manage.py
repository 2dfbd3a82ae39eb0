"""add, remove, enable, disable, on, off and check --fix, on files of every dialect in a scratch home."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Place, Result, in_terminal
from omnihook import dialects

Run = Callable[..., Result]
USER = "~/.config/omnihook/hooks.toml"
CLAUDE = "~/.claude/settings.json"
AUTOHAND = "~/.autohand/config.json"
MINE = """\
# hooks of mine
[[hook]]
name = "a"
on = "Stop"
run = "echo a" # says a

# about b
[[hook]]
name = "b"
on = ["Stop", "PreToolUse"]
run = "echo b"
x = 1
"""


def settings(*commands: str) -> dict[str, object]:
    return {"model": "m", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": c} for c in commands]}]}}


@pytest.mark.parametrize("name", dialects.names())
def test_a_hook_is_added_listed_disabled_enabled_and_removed(place: Place, omnihook: Run, name: str) -> None:
    first = omnihook("add", "--as", name, "--on", "Stop", "--run", "echo one", "--user", "--json")
    assert (first.code, first.err) == (0, "")
    path = Path(str(first.json["file"]))
    assert oct(path.stat().st_mode)[-3:] == "600"
    found = omnihook("add", "--as", name, "--on", "Stop", "--run", "echo two", "--timeout", "90s", "--user", "--json")
    event = "stop" if name in ("autohand", "claude-agent-rs") else "Stop"
    assert found.json["added"] == [f"{event}:2"]
    before = path.read_bytes()
    rows = json.loads(omnihook("list", "--as", name, "--json").out)
    assert [(row["command"], row["timeout_s"], row["enabled"]) for row in rows] == [
        ("echo one", None, True),
        ("echo two", 90.0, True),
    ]
    assert omnihook("disable", f"{event}:1", "--as", name).code == 0
    rows = json.loads(omnihook("list", "--as", name, "--json").out)
    assert [row["command"] for row in rows if row["enabled"]] == ["echo two"]
    assert omnihook("enable", f"{event}:1", "--as", name).code == 0
    assert path.read_bytes() == before
    assert omnihook("remove", f"{event}:1", "--as", name).code == 0
    rows = json.loads(omnihook("list", "--as", name, "--json").out)
    assert [row["command"] for row in rows] == ["echo two"]


def test_everything_an_option_says_is_written(place: Place, omnihook: Run) -> None:
    options = ["--match", "Bash|Edit", "--if", "Bash(git *)", "--paths", "src/**", "--paths", "*.md"]
    more = ["--timeout", "500ms", "--async", "--name", "all", "--description", "says it"]
    found = omnihook("add", "--on", "PreToolUse", "--on", "PostToolUse", "--run", "true", *options, *more)
    assert (found.code, found.err) == (0, "")
    assert (place.project / ".omnihook/hooks.toml").read_text() == (
        '[[hook]]\nname = "all"\non = ["PreToolUse", "PostToolUse"]\nmatch = "Bash|Edit"\nif = "Bash(git *)"\n'
        'paths = ["src/**", "*.md"]\nrun = "true"\ntimeout = "500ms"\nasync = true\ndescription = "says it"\n'
    )
    assert "omnihook trust" in found.out
    assert oct((place.project / ".omnihook/hooks.toml").stat().st_mode)[-3:] == "644"


def test_times_are_written_in_the_files_unit(place: Place, omnihook: Run) -> None:
    for name, wanted in (("autohand", 2500), ("codemie", 2500), ("claude-code", 2.5)):
        found = omnihook("add", "--as", name, "--on", "Stop", "--run", "x", "--timeout", "2.5", "--user", "--json")
        assert f'"timeout": {wanted}' in Path(str(found.json["file"])).read_text()


def test_a_hook_goes_where_others_are(place: Place, omnihook: Run) -> None:
    document = {"version": 2, "activeProfile": "w", "profiles": {"default": {}, "w": {"hooks": {}}}}
    path = place.write("~/.codemie/codemie-cli.config.json", document)
    omnihook("add", "--as", "codemie", "--on", "Stop", "--run", "x")
    added = [{"hooks": [{"type": "command", "command": "x"}]}]
    assert json.loads(path.read_text())["profiles"] == {"default": {}, "w": {"hooks": {"Stop": added}}}
    named = place.write("~/.claude/settings.json", {"hooks": {"PreToolUse": {"one": "ls"}}})
    assert (
        omnihook("add", "--as", "claude-agent-rs", "--user", "--on", "preToolUse", "--run", "x", "--name", "n").code
        == 0
    )
    assert json.loads(named.read_text()) == {"hooks": {"PreToolUse": {"one": "ls", "n": "x"}}}


WRONG = {
    "unknown event": (["--on", "Stopp", "--run", "x"], "did you mean 'Stop'?"),
    "no place for it": (
        ["--as", "claude-code", "--on", "Stop", "--run", "x", "--paths", "y"],
        "cannot say this: paths",
    ),
    "no name for it": (["--as", "claude-code", "--on", "Stop", "--run", "x", "--name", "y"], "no place for --name"),
    "pattern": (
        ["--as", "claude-code", "--on", "PreToolUse", "--match", "(a", "--run", "x"],
        "not a regular expression",
    ),
    "never matches": (["--as", "autohand", "--on", "pre-tool", "--match", "*", "--run", "x"], "can never match"),
    "matcher for nothing": (["--on", "Stop", "--match", "Bash", "--run", "true"], "has no effect on Stop"),
    "rule for nothing": (["--on", "Stop", "--if", "Bash", "--run", "true"], "never runs"),
    "more than it says": (
        ["--as", "autohand", "--on", "PostToolUse", "--run", "x"],
        "also fires for PostToolUseFailure",
    ),
    "empty command": (["--on", "Stop", "--run", " "], "is empty"),
    "no such layer": (["--as", "autohand", "--project", "--on", "stop", "--run", "x"], "no project file"),
}


@pytest.mark.parametrize(("args", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_would_not_be_the_same_hook_is_refused(place: Place, omnihook: Run, args: list[str], said: str) -> None:
    found = omnihook("add", *args)
    assert (found.code, found.out) == (1, "")
    assert said in found.err
    assert found.err.count("\n") == 1
    assert not [path for path in (*place.home.rglob("*"), *place.project.rglob("*")) if path.is_file()]


def test_add_says_what_is_still_missing(place: Place, omnihook: Run) -> None:
    found = omnihook("add", "--on", "Stop", "--run", "/no/such/script.sh")
    assert found.code == 0
    assert "does not exist" in found.err


def test_wrong_usage(place: Place, omnihook: Run) -> None:
    assert omnihook("add", "--on", "Stop").code == 2
    assert omnihook("add", "--on", "Stop", "--run", "x", "--timeout", "soon").code == 2
    assert omnihook("disable").code == 2


def test_a_hook_is_meant_by_name_by_event_and_number_or_by_number(place: Place, omnihook: Run) -> None:
    path = place.write(USER, MINE.replace("x = 1\n", ""))
    for word in ("b", "Stop:2", "PreToolUse:1", "2"):
        assert omnihook("disable", word).code == 0
        assert path.read_text().count("enabled = false") == 1
        assert omnihook("enable", word).code == 0
        assert path.read_text() == MINE.replace("x = 1\n", "")


def test_unknown_and_ambiguous_words_list_the_candidates(place: Place, omnihook: Run) -> None:
    place.write(USER, MINE.replace('name = "b"', 'name = "a"'))
    unknown = omnihook("disable", "Stop:3")
    assert (unknown.code, unknown.err.count("\n")) == (1, 1)
    assert "Stop:1 (a), Stop:2 (a), PreToolUse:1 (a)" in unknown.err
    for word in ("a", "1"):
        several = omnihook("remove", word)
        assert (several.code, several.err.count("\n")) == (1, 1)
        assert f"{word!r} could be Stop:1 (a), " in several.err
    assert "no hooks are configured" in omnihook("enable", "x", "--as", "autohand").err


def test_edits_keep_comments_order_and_unknown_keys(place: Place, omnihook: Run) -> None:
    path = place.write(USER, MINE)
    omnihook("disable", "a")
    assert path.read_text() == MINE.replace('run = "echo a" # says a\n', 'run = "echo a" # says a\nenabled = false\n')
    omnihook("add", "--user", "--on", "Stop", "--run", "echo c")
    omnihook("remove", "a")
    assert path.read_text() == (
        '# hooks of mine\n\n# about b\n[[hook]]\nname = "b"\non = ["Stop", "PreToolUse"]\nrun = "echo b"\nx = 1\n'
        '\n[[hook]]\non = "Stop"\nrun = "echo c"\n'
    )


def test_disabling_twice_changes_nothing(place: Place, omnihook: Run) -> None:
    path = place.write(USER, MINE)
    assert omnihook("enable", "a").out.startswith("Enabled already was Stop:1 (a)")
    assert omnihook("disable", "a", "--json").json["changed"] is True
    before = path.stat().st_mtime_ns
    assert omnihook("disable", "a", "--json").json["changed"] is False
    assert path.stat().st_mtime_ns == before


def test_enabling_brings_a_hook_back_from_quarantine(place: Place, omnihook: Run) -> None:
    path = place.write(USER, '[[hook]]\nname = "flaky"\non = "Stop"\nrun = "exit 9"\n')
    before = path.read_text()

    def why() -> object:
        runs = omnihook("fire", "Stop", "--json", stdin={"session_id": "s"}).json["runs"]
        assert isinstance(runs, list)
        return runs[0]["why"] or runs[0]["status"]

    assert [why() for _ in range(6)] == ["broken"] * 5 + ["quarantined"]
    found = omnihook("enable", "flaky")
    assert found.out == f"Brought back from quarantine: Stop:1 (flaky) in {path}.\n"
    assert (why(), path.read_text()) == ("broken", before)


def test_what_a_file_cannot_switch_off_is_kept_aside(place: Place, omnihook: Run) -> None:
    path = place.write(CLAUDE, settings("echo a", "echo b", "echo c"))
    before = path.read_text()
    ids = [str(omnihook("disable", "Stop:1", "--as", "claude-code", "--json").json["kept"]) for _ in range(3)]
    assert json.loads(path.read_text()) == settings()
    shown = omnihook("list", "--as", "claude-code").out
    assert "Stop (0/3 enabled)\n" in shown
    assert "Total: 3 hooks (0 enabled, 3 disabled)\n" in shown
    for word, id in zip("abc", ids, strict=True):
        assert f"  - [disabled] echo {word} (omnihook enable {id})\n" in shown
    ambiguous = omnihook("enable", "Stop:1", "--as", "claude-code")
    assert (ambiguous.code, all(id in ambiguous.err for id in ids)) == (1, True)
    for id in (ids[1], ids[2], ids[0]):
        assert omnihook("enable", id).code == 0
    assert path.read_text() == before
    state = place.home / ".local/state/omnihook/edits.json"
    assert oct(state.stat().st_mode)[-3:] == "600"


def test_hooks_kept_aside_are_listed_as_disabled_by_a_name_that_enables_them(place: Place, omnihook: Run) -> None:
    path = place.write(CLAUDE, settings("echo a", "echo b", "echo c"))
    before, listed = path.read_text(), json.loads(omnihook("list", "--as", "claude-code", "--json").out)
    omnihook("disable", "Stop:2", "--as", "claude-code")
    found = {row["command"]: row for row in json.loads(omnihook("list", "--as", "claude-code", "--json").out)}
    assert [found[row["command"]]["enabled"] for row in listed] == [True, False, True]
    state = {"enabled": False, "held": "disabled", "numbers": {}, "source": str(path)}
    assert {**found["echo b"], "kept": None} == {**listed[1], **state}
    omnihook("disable", "Stop:2", "--as", "claude-code")
    rows = [row for row in json.loads(omnihook("list", "--as", "claude-code", "--json").out) if not row["enabled"]]
    assert len({row["name"] for row in rows}) == 2
    for row in rows:
        assert omnihook("enable", row["name"], "--as", "claude-code").code == 0
    assert path.read_text() == before


def test_named_hooks_kept_aside_keep_their_names(place: Place, omnihook: Run) -> None:
    text = {"hooks": {"stop": {"fmt": "echo f", "lint": {"command": "echo l", "timeout_secs": 5}}}}
    path = place.write(CLAUDE, text)
    before = path.read_text()
    assert omnihook("disable", "lint", "--as", "claude-agent-rs").code == 0
    rows = {row["name"]: row for row in json.loads(omnihook("list", "--as", "claude-agent-rs", "--json").out)}
    assert {name: (row["enabled"], row["kept"] is None) for name, row in rows.items()} == {
        "fmt": (True, True),
        "lint": (False, False),
    }
    assert (rows["lint"]["command"], rows["lint"]["timeout_s"]) == ("echo l", 5)
    assert omnihook("enable", "lint", "--as", "claude-agent-rs").code == 0
    assert path.read_text() == before


def test_a_hook_kept_aside_from_a_file_that_broke_is_listed_still(place: Place, omnihook: Run) -> None:
    path = place.write(CLAUDE, settings("echo a"))
    omnihook("disable", "Stop:1", "--as", "claude-code")
    path.write_text("{broken")
    (row,) = json.loads(omnihook("list", "--as", "claude-code", "--json").out)
    assert (row["name"], row["command"], row["enabled"], row["event"]) == ("Stop:1", "echo a", False, "Stop")


def test_a_hook_that_is_kept_aside_comes_back_into_a_changed_file(place: Place, omnihook: Run) -> None:
    path = place.write(CLAUDE, settings("echo a", "echo b"))
    omnihook("disable", "Stop:2", "--as", "claude-code")
    path.write_text(json.dumps({"hooks": {"PreToolUse": []}}))
    assert omnihook("enable", "Stop:2", "--as", "claude-code").code == 0
    group = {"hooks": [{"type": "command", "command": "echo b"}]}
    assert json.loads(path.read_text()) == {"hooks": {"PreToolUse": [], "Stop": [group]}}
    omnihook("disable", "Stop:1", "--as", "claude-code")
    path.unlink()
    assert omnihook("enable", "Stop:1", "--as", "claude-code").code == 0
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [group]}}


def test_a_hook_that_is_kept_aside_stays_when_its_file_cannot_take_it(place: Place, omnihook: Run) -> None:
    path = place.write(CLAUDE, settings("echo a"))
    id = str(omnihook("disable", "1", "--as", "claude-code", "--json").json["kept"])
    path.write_text("{broken")
    found = omnihook("enable", id)
    assert (found.code, path.read_text()) == (1, "{broken")
    assert str(path) in found.err
    path.write_text('{"hooks": {"Stop": 5}}')
    assert omnihook("enable", id).code == 1
    path.write_text("{}")
    assert omnihook("enable", id).code == 0
    assert "echo a" in path.read_text()
    assert omnihook("enable", id).code == 1


def test_hooks_of_another_project_are_not_meant(place: Place, omnihook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write(".claude/settings.json", settings("echo a"))
    id = str(omnihook("disable", "Stop:1", "--as", "claude-code", "--json").json["kept"])
    other = place.home / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    assert omnihook("enable", "Stop:1", "--as", "claude-code").code == 1
    assert omnihook("enable", id).code == 0


def test_a_hook_that_is_kept_aside_can_be_removed_for_good(place: Place, omnihook: Run) -> None:
    place.write(CLAUDE, settings("echo a"))
    omnihook("disable", "Stop:1", "--as", "claude-code")
    found = omnihook("remove", "Stop:1", "--as", "claude-code")
    assert (found.code, "for good" in found.out) == (0, True)
    assert omnihook("enable", "Stop:1", "--as", "claude-code").code == 1


def test_enabling_a_builtin_adds_it_once(place: Place, omnihook: Run) -> None:
    assert omnihook("enable", "log-stop").code == 0
    path = place.home / ".config/omnihook/hooks.toml"
    assert path.read_text() == '[[hook]]\nbuiltin = "log-stop"\n'
    assert omnihook("enable", "log-stop", "--json").json["changed"] is False
    omnihook("disable", "log-stop")
    assert path.read_text() == '[[hook]]\nbuiltin = "log-stop"\nenabled = false\n'
    assert omnihook("enable", "log-stop").code == 0
    assert path.read_text() == '[[hook]]\nbuiltin = "log-stop"\n'


def test_weakening_protection_needs_a_person(place: Place, omnihook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = MINE.replace("x = 1", "guard = true")
    path = place.write(USER, text)
    place.write(CLAUDE, settings("echo a"))
    deeds = (["disable", "b"], ["remove", "b"], ["off", "--user"], ["off", "--as", "claude-code"])
    for args in deeds:
        found = omnihook(*args)
        assert (found.code, "without a terminal" in found.err) == (1, True)
    assert path.read_text() == text
    assert omnihook("disable", "a").code == 0
    omnihook("enable", "a")
    monkeypatch.setenv("CLAUDECODE", "1")
    for args in deeds:
        code, seen = in_terminal(*args)
        assert (code, "inside an agent's session" in seen) == (1, True)
    assert path.read_text() == text


def test_a_person_may_weaken_protection(place: Place, omnihook: Run) -> None:
    text = MINE.replace("x = 1", "guard = true")
    path = place.write(USER, text)
    code, seen = in_terminal("disable", "b")
    assert (code, "Disabled Stop:2 (b)" in seen) == (0, True)
    assert path.read_text() == text + "enabled = false\n"
    assert omnihook("enable", "b").code == 0
    assert in_terminal("off")[0] == 0
    assert path.read_text().startswith("enabled = false\n\n# hooks of mine\n")
    assert "Mode: disabled" in omnihook("list").out
    assert omnihook("on").code == 0
    assert path.read_text() == text


def test_the_list_tells_which_hooks_belong_to_a_file_that_is_off(place: Place, omnihook: Run) -> None:
    place.write(USER, MINE)
    assert omnihook("add", "--project", "--on", "Stop", "--run", "echo here").code == 0
    assert in_terminal("off", "--user")[0] == 0
    seen = omnihook("list").out
    assert "Mode: enabled" in seen
    assert "1. [enabled] echo a [its file is off]" in seen
    assert "[enabled] echo here [untrusted]" in seen


def test_the_switches_of_other_agents(place: Place, omnihook: Run) -> None:
    claude = place.write(CLAUDE, settings("echo a"))
    autohand = place.write(AUTOHAND, {"hooks": {"enabled": True, "hooks": []}})
    before = claude.read_text(), autohand.read_text()
    assert in_terminal("off", "--as", "claude-code")[0] == 0
    assert json.loads(claude.read_text())["disableAllHooks"] is True
    assert in_terminal("off", "--as", "autohand", "--config", str(autohand))[0] == 0
    assert json.loads(autohand.read_text())["hooks"]["enabled"] is False
    assert omnihook("on", "--as", "claude-code").code == 0
    assert omnihook("on", "--as", "autohand").code == 0
    assert (claude.read_text(), autohand.read_text()) == before


@pytest.mark.parametrize("name", ["codemie", "code-agent", "claude-agent-rs", "gencode"])
def test_dialects_without_a_switch_say_so(place: Place, omnihook: Run, name: str) -> None:
    found = omnihook("on", "--as", name)
    assert (found.code, "has no switch for all its hooks" in found.err) == (1, True)


def test_several_files_need_a_choice(place: Place, omnihook: Run) -> None:
    place.write(USER, "enabled = false\n")
    place.write(".omnihook/hooks.toml", "enabled = false\n")
    found = omnihook("on")
    assert (found.code, "--user" in found.err, "--project" in found.err) == (1, True, True)
    assert omnihook("on", "--project", "--json").json["changed"] is True
    assert (place.project / ".omnihook/hooks.toml").read_text() == "enabled = true\n"
    assert omnihook("on", "--local").code == 1


def test_a_managed_hook_is_not_changed_by_others(place: Place) -> None:
    script = (
        "import os, sys; from omnihook.editing import changing; from omnihook.editing.reading import Target; "
        "from omnihook.folders import Folders; from omnihook.hooks import Layer; from omnihook import dialects; "
        "f = Folders(home='/', config='/', state='/', project='/'); "
        "t = Target(dialect=dialects.get('omnihook'), path=sys.argv[1], layer=Layer.MANAGED); "
        "os.setresuid(65534, 65534, 65534) if os.geteuid() == 0 else None; "
        "changing.switch(t, f, on=False)"
    )
    path = place.write("managed.toml", "enabled = true\n")
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False)
    assert "is managed; only root may change it" in done.stderr
    assert path.read_text() == "enabled = true\n"


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.mkdir()


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 100_000_000)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nothing"))


def _broken(path: Path) -> None:
    path.write_text('[[hook]\nrun = "')


def _binary(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


def _outside(path: Path) -> None:
    path.symlink_to("/etc/passwd")


HOSTILE = (_fifo, _directory, _huge, _loop, _dangling, _broken, _binary, _outside)


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__[1:])
def test_files_that_cannot_be_edited_are_named_and_left(
    place: Place, omnihook: Run, make: Callable[[Path], None]
) -> None:
    path = place.home / ".config/omnihook/hooks.toml"
    path.parent.mkdir(parents=True)
    make(path)
    before = os.lstat(path)
    for args in (["add", "--user", "--on", "Stop", "--run", "x"], ["disable", "Stop:1"], ["on", "--user"]):
        found = omnihook(*args)
        assert (found.code, found.out, found.err.count("\n")) == (1, "", 1)
        assert str(path) in found.err
    after = os.lstat(path)
    assert (before.st_ino, before.st_mode, before.st_size) == (after.st_ino, after.st_mode, after.st_size)
    assert os.listdir(path.parent) == [path.name]


def test_a_folder_that_cannot_be_written_is_named(place: Place, omnihook: Run) -> None:
    found = omnihook("add", "--config", "omnihook:/proc/none/hooks.toml", "--on", "Stop", "--run", "x")
    assert (found.code, found.err.count("\n")) == (1, 1)
    assert "cannot change /proc/none/hooks.toml" in found.err


def test_a_state_folder_that_cannot_be_written_loses_nothing(
    place: Place, omnihook: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place.write(CLAUDE, settings("echo a"))
    native = place.write(USER, MINE)
    before = path.read_text()
    monkeypatch.setenv("OMNIHOOK_STATE_DIR", "/proc/none")
    found = omnihook("disable", "Stop:1", "--as", "claude-code")
    assert (found.code, path.read_text()) == (1, before)
    assert "/proc/none/edits.json" in found.err
    assert omnihook("disable", "a").code == 0
    assert omnihook("enable", "a").code == 0
    assert "enabled = true" in native.read_text()


def test_check_fix_shows_asks_and_fixes_only_what_is_obvious(place: Place, omnihook: Run) -> None:
    script = place.write("~/x.sh", "#!/bin/sh\n")
    text = f'# mine\n[[hook]]\non = ["Stop", "PreTolUse"] # keep\ntimeout = 5000\nrun = "{script}"\nmatch = "x"\n'
    path = place.write(USER, text)
    claude = place.write(CLAUDE, '{"hooks": {"Stopp": [], "PreTolUse": [], "PreToolUse": []}}')
    autohand = place.write(AUTOHAND, '{"hooks":{"hooks":[{"event":"stp","command":"true","timeout":5}]}}')
    asked = omnihook("check", "--fix")
    assert (asked.code, path.read_text(), "say --fix --yes" in asked.err) == (1, text, True)
    assert "-timeout = 5000\n+timeout = 5\n" in asked.out.replace('+on = ["Stop", "PreToolUse"] # keep\n', "")
    assert "new mode 100755" in asked.out
    fixed = omnihook("check", "--fix", "--yes")
    assert path.read_text() == text.replace("PreTolUse", "PreToolUse").replace("5000", "5")
    assert claude.read_text() == '{"hooks": {"Stop": [], "PreTolUse": [], "PreToolUse": []}}'
    assert autohand.read_text() == '{"hooks":{"hooks":[{"event":"stop","command":"true","timeout":5000}]}}'
    assert oct(script.stat().st_mode)[-3:] == "755"
    assert "unknown event 'PreTolUse'" in fixed.out
    assert "not executable" not in fixed.out
    again = omnihook("check", "--fix", "--yes", "--json")
    assert again.json["fixed"] == []


def test_check_fix_at_a_terminal_takes_no_for_an_answer(place: Place) -> None:
    path = place.write(USER, '[[hook]]\non = "Stop"\ntimeout = 5000\nrun = "true"\n')
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "omnihook", "check", "--fix"], stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    os.write(master, b"n\n")
    assert child.wait(10) == 1
    os.close(master)
    assert "5000" in path.read_text()
