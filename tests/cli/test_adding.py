"""add and enable, where a file or a word does not fit: nothing changes, and one line says why."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Place, Result
from omnihook import dialects
from omnihook.dialect import events_named

Run = Callable[..., Result]
ADD = ("add", "--on", "PreToolUse", "--run", "true", "--config")
SHAPES = {
    '{"hooks": []}': "hooks must be an object, not a list",
    '{"hooks": null}': "hooks must be an object, not null",
    '{"hooks": 3}': "hooks must be an object, not a number",
}
JSON = [name for name in dialects.names() if dialects.get(name).editing.format == "json"]


@pytest.mark.parametrize("text", SHAPES)
@pytest.mark.parametrize("name", ["claude-code", "autohand"])
def test_a_file_whose_hooks_are_no_object_is_said_to_be_so_and_stays(
    place: Place, omnihook: Run, name: str, text: str
) -> None:
    path = place.write("f.json", text)
    found = omnihook(*ADD, f"{name}:{path}")
    assert (found.code, found.out) == (1, "")
    assert found.err == f"omnihook: {path} is not changed: {SHAPES[text]}; correct that first\n"
    assert path.read_text() == text


def test_a_list_inside_that_is_none_is_said_to_be_so(place: Place, omnihook: Run) -> None:
    path = place.write("f.json", '{"hooks":{"PreToolUse":{}}}')
    assert "PreToolUse must be a list, not an object; correct" in omnihook(*ADD, f"claude-code:{path}").err
    path = place.write("f.json", '{"hooks":{"hooks":null}}')
    assert "hooks.hooks must be a list, not null; correct" in omnihook(*ADD, f"autohand:{path}").err


def test_a_name_is_given_once(place: Place, omnihook: Run) -> None:
    args = ("add", "--user", "--on", "Stop", "--run", "true", "--name", "n1")
    assert omnihook(*args).code == 0
    path = place.home / ".config/omnihook/hooks.toml"
    before = path.read_bytes()
    found = omnihook(*args)
    assert found.code == 1
    assert f"{path} has a hook named 'n1' already; choose another --name" in found.err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "args",
    [
        ("add", "--user", "--project", "--on", "Stop", "--run", "x"),
        ("add", "--name", "", "--on", "Stop", "--run", "x"),
        ("add", "--name", " ", "--on", "Stop", "--run", "x"),
        ("enable", "log-stop", "--local", "--user"),
        ("off", "--project", "--user"),
    ],
)
def test_options_that_cannot_be_meant_are_wrong_usage(place: Place, omnihook: Run, args: tuple[str, ...]) -> None:
    assert omnihook(*args).code == 2
    assert not [path for path in (*place.home.rglob("*"), *place.project.rglob("*")) if path.is_file()]


@pytest.mark.parametrize("text", ["", "\n", " \r\n\t"])
@pytest.mark.parametrize("name", JSON)
def test_an_empty_file_is_empty_again_after_add_and_remove(place: Place, omnihook: Run, name: str, text: str) -> None:
    path = place.project / "f.json"
    path.write_bytes(text.encode())
    assert omnihook(*ADD, f"{name}:{path}").code == 0
    assert path.read_bytes() != text.encode()
    assert omnihook("remove", "1", "--config", f"{name}:{path}").code == 0
    assert path.read_bytes() == text.encode()


def test_a_file_made_for_a_hook_is_json_without_it(place: Place, omnihook: Run) -> None:
    path = Path(place.project / "f.json")
    assert omnihook(*ADD, f"claude-code:{path}").code == 0
    assert omnihook("remove", "1", "--config", f"claude-code:{path}").code == 0
    assert json.loads(path.read_text()) == {}


@pytest.mark.parametrize("name", JSON)
def test_a_builtin_is_enabled_for_another_agent_once_as_a_command_at_its_events(
    place: Place, omnihook: Run, name: str
) -> None:
    found = omnihook("enable", "security-guard", "--as", name, "--json")
    assert (found.code, found.err) == (0, "")
    assert (found.json["dialect"], found.json["changed"]) == (name, True)
    path = Path(str(found.json["file"]))
    assert path.is_relative_to(place.home)
    [hook] = json.loads(omnihook("list", "--as", name, "--json").out)
    assert hook["command"] == f"omnihook builtin security-guard --as {name}"
    assert events_named(dialects.get(name), hook["event"]) == ("PreToolUse",)
    before = path.read_bytes()
    assert omnihook("enable", "security-guard", "--as", name, "--json").json["changed"] is False
    assert path.read_bytes() == before


def test_a_builtin_that_was_disabled_for_another_agent_comes_back(place: Place, omnihook: Run) -> None:
    for name in ("claude-code", "autohand"):
        assert omnihook("enable", "log-stop", "--as", name).code == 0
        assert omnihook("disable", "1", "--as", name).code == 0
        assert omnihook("enable", "log-stop", "--as", name).code == 0
        [hook] = json.loads(omnihook("list", "--as", name, "--json").out)
        assert hook["enabled"] is True


CANNOT = {
    ("auto-format", "claude-code"): "auto-format cannot be enabled here: Claude Code has no event FileModified; "
    "put 'omnihook builtin auto-format --as claude-code' at PostToolUse, for the tools that write",
    ("tests-before-stop", "autohand"): "at stop of Autohand cannot keep the agent from stopping",
    ("context-inject", "gencode"): "cannot tell the agent anything",
    ("sound-alert", "code-agent"): "sound-alert cannot be enabled here: Code Agent waits for every hook, and this one "
    "is meant for the background; if that is no matter, put 'omnihook builtin sound-alert --as code-agent' at Stop",
}


def test_a_misspelt_built_in_is_found(place: Place, omnihook: Run) -> None:
    assert "did you mean 'security-guard'?" in omnihook("enable", "security-gard").err


@pytest.mark.parametrize(("name", "dialect"), CANNOT)
def test_a_builtin_that_cannot_do_its_work_there_is_not_enabled(
    place: Place, omnihook: Run, name: str, dialect: str
) -> None:
    found = omnihook("enable", name, "--as", dialect)
    assert (found.code, found.out, found.err.count("\n")) == (1, "", 1)
    assert CANNOT[name, dialect] in found.err
    assert not [path for path in place.home.rglob("*.json") if path.is_file()]
