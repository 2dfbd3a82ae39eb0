import dataclasses
from importlib import import_module

import pytest

from builtin.kit import Place
from omnihook import builtin
from omnihook.builtin import MODULES
from omnihook.dialect import ConfigText
from omnihook.dialects import native
from omnihook.engine import Engine
from omnihook.errors import UsageError
from omnihook.hooks import Call, Hook, Layer
from omnihook.shipped import SHIPPED
from omnihook.trust.definitions import identity
from omnihook.trust.naming import named


def read(text: str, layer: Layer = Layer.USER) -> Hook:
    reading = native.read_config([ConfigText(path="/h/.config/omnihook/hooks.toml", layer=layer, text=text)])
    assert [str(item) for item in reading.diagnostics] == []
    return reading.hooks[0]


def test_the_table_and_the_modules_tell_of_the_same_hooks_and_options() -> None:
    assert list(SHIPPED) == list(MODULES)
    for name, about in SHIPPED.items():
        options = import_module(f"omnihook.builtin.{MODULES[name]}").Options
        assert {field.name for field in dataclasses.fields(options)} == set(about.options), name


def test_an_entry_that_only_names_a_built_in_runs_as_it_was_meant() -> None:
    hook = read('[[hook]]\nbuiltin = "git-auto-stage"\n')
    assert (hook.name, hook.events) == ("git-auto-stage", ("FileModified",))
    assert hook.paths == ("src/**/*", "lib/**/*", "tests/**/*")
    assert (hook.guard, hook.background, hook.timeout) == (False, False, 30.0)
    assert hook.action == Call(target="builtin:git-auto-stage")
    assert hook.entry == {"builtin": "git-auto-stage"}
    guard = read('[[hook]]\nbuiltin = "security-guard"\n')
    assert (guard.events, guard.guard, guard.matcher.everything) == (("PreToolUse",), True, True)
    assert read('[[hook]]\nbuiltin = "slack-notify"\n').background


def test_what_is_staged_is_what_a_formatter_made_of_it(place: Place) -> None:
    place.repository()
    place.write(
        "~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "git-auto-stage"\n[[hook]]\nbuiltin = "auto-format"\n'
    )
    place.write(
        "node_modules/.bin/prettier", '#!/bin/sh\nsleep 0.5\nfor last; do :; done\necho neat > "$last"\n', mode=0o755
    )
    place.write("src/a.ts", "ugly\n")
    place.fire("FileModified", {"file_path": "src/a.ts", "change_type": "create"})
    assert place.git("show", ":src/a.ts") == "neat\n"
    assert builtin.hook("git-auto-stage").priority == read('[[hook]]\nbuiltin = "git-auto-stage"\n').priority < 0


def test_what_an_entry_says_itself_stands() -> None:
    text = '[[hook]]\nbuiltin = "security-guard"\nname = "mine"\non = ["PermissionRequest"]\nguard = false\n'
    hook = read(text + 'match = "Bash"\ntimeout = "2s"\noptions = { mode = "strict" }\n')
    assert (hook.name, hook.events, hook.guard, hook.timeout) == ("mine", ("PermissionRequest",), False, 2.0)
    assert hook.action == Call(target="builtin:security-guard", options={"mode": "strict"}, inline=True)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_built_in_written_and_read_again_is_the_same_hook(name: str) -> None:
    hook = read(f'[[hook]]\nbuiltin = "{name}"\n')
    for changed in (
        hook,
        dataclasses.replace(hook, guard=False, background=False, observe=False, paths=(), priority=0),
    ):
        again = read(native.DIALECT.write_config([changed]).text)
        assert dataclasses.replace(again, entry=None) == dataclasses.replace(changed, entry=None)


def test_mistakes_in_an_entry_are_found_where_they_stand() -> None:
    text = """\
[[hook]]
builtin = "securty-guard"

[[hook]]
builtin = "security-guard"
options = { mode = "strickt" }

[[hook]]
builtin = "slack-notify"
options = { timeout = "soon", url = "x" }
"""
    reading = native.read_config([ConfigText(path="/h/hooks.toml", layer=Layer.USER, text=text)])
    found = [(item.pointer, item.message) for item in reading.diagnostics]
    assert found == [
        (("hook", 0, "builtin"), "there is no built-in hook 'securty-guard', did you mean 'security-guard'?"),
        (("hook", 1, "options", "mode"), "option 'mode' must be one of standard, strict, paranoid, not 'strickt'"),
        (("hook", 2, "options", "timeout"), "option 'timeout' must be a number, not a string"),
        (("hook", 2, "options", "url"), "slack-notify has no option 'url'"),
    ]
    assert [hook.name for hook in reading.hooks] == ["security-guard", "security-guard", "slack-notify"]


@pytest.mark.parametrize(
    ("entry", "fix"),
    [
        ('builtin = "log-stop"\nfile = "a"', "write options = { file = ... }"),
        ('builtin = "security-guard"\nmode = "strict"', "write options = { mode = ... }"),
    ],
)
def test_an_option_in_the_wrong_place_is_told_where_it_belongs(entry: str, fix: str) -> None:
    text = f"[[hook]]\n{entry}\n"
    (found,) = native.read_config([ConfigText(path="/h/hooks.toml", layer=Layer.USER, text=text)]).diagnostics
    assert found.fix == fix


@pytest.mark.parametrize("value", ["-1", "inf", "nan"])
def test_numbers_that_cannot_be_meant(value: str) -> None:
    text = f'[[hook]]\nbuiltin = "slack-notify"\noptions = {{ timeout = {value} }}\n'
    (found,) = native.read_config([ConfigText(path="/h/hooks.toml", layer=Layer.USER, text=text)]).diagnostics
    assert found.message == f"option 'timeout' must be 0 or more, and not endless, not {value}"


@pytest.mark.parametrize(
    "entry",
    [
        'builtin = "securty-guard"',
        'builtin = "security-guard"\noptions = "strict"',
        'builtin = "security-guard"\nname = 5',
        'builtin = "security-guard"\ncwd = 5',
        'builtin = "security-guard"\nguard = "yes"',
        'on = "PreToolUse"\nrun = "exit 2"\nguard = 1',
    ],
)
def test_a_guard_with_a_mistake_in_its_entry_is_not_gone(place: Place, entry: str) -> None:
    place.write("~/.config/omnihook/hooks.toml", f"[[hook]]\n{entry}\n")
    with Engine(str(place.project), environ=place.env) as engine:
        assert len([item for item in engine.diagnostics if item.severity == "error"]) == 1
        report = engine.fire_sync(place.event("PreToolUse", tool_name="Bash", tool_input={"command": "rm -rf /"}))
    assert report.verdict.refused


def test_a_guard_with_a_misspelt_option_refuses_instead_of_being_gone(place: Place) -> None:
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "security-guard"\noptions = { mode = "x" }\n')
    report = place.fire("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert report.verdict.decision.word == "deny"
    assert "must be one of standard, strict, paranoid" in (report.verdict.reason or "")


def test_options_are_part_of_what_is_trusted() -> None:
    plain = read('[[hook]]\nbuiltin = "tests-before-stop"\n', Layer.PROJECT)
    told = read('[[hook]]\nbuiltin = "tests-before-stop"\noptions = { command = "make x" }\n', Layer.PROJECT)
    assert identity(plain, "/p") != identity(told, "/p")


@pytest.mark.parametrize("name", SHIPPED)
def test_what_runs_the_projects_own_programs_is_shown_as_open(name: str) -> None:
    hook = read(f'[[hook]]\nbuiltin = "{name}"\n', Layer.PROJECT)
    assert bool(named(hook, "/p").doubts) is SHIPPED[name].open
    assert {name for name, about in SHIPPED.items() if about.open} == {
        "auto-format",
        "tests-before-stop",
        "smart-commit",
    }


def test_a_program_may_register_one(place: Place) -> None:
    engine = place.engine()
    engine.register(builtin.hook("security-guard", mode="strict"))
    event = place.event("PreToolUse", tool_name="Bash", tool_input={"command": "dd if=a of=b"})
    with engine:
        assert engine.fire_sync(event).verdict.decision.word == "block"
    with pytest.raises(UsageError, match="did you mean 'mode'"):
        builtin.hook("security-guard", mod="strict")
    with pytest.raises(UsageError, match="no built-in hook 'guard'"):
        builtin.hook("guard")


def test_nothing_runs_until_it_is_enabled(place: Place) -> None:
    report = place.fire("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}})
    assert (report.outcomes, report.verdict.decision.word) == ((), None)


def test_an_inline_guard_has_no_process_of_its_own_and_the_others_do(place: Place) -> None:
    text = '[[hook]]\nbuiltin = "security-guard"\n[[hook]]\nbuiltin = "log-stop"\non = "PreToolUse"\n'
    place.write("~/.config/omnihook/hooks.toml", text)
    report = place.fire("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls -l"}})
    found = {outcome.hook.name: (outcome.status.value, outcome.exit_code) for outcome in report.outcomes}
    assert found == {"security-guard": ("ok", None), "log-stop": ("ok", 0)}
