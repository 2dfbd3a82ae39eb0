"""add and enable, where a file or a word does not fit: nothing changes, and one line says why."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Place, Result
from omnihook import dialects

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
