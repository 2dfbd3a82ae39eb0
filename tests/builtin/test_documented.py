"""The document names every built-in and every option, and its examples work."""

import re
import tomllib
from pathlib import Path

from builtin.kit import Place
from omnihook.shipped import SHIPPED

TEXT = (Path(__file__).parents[2] / "docs" / "builtin.md").read_text()


def example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    assert found is not None
    return found[1]


def test_every_built_in_and_option_is_documented() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| ([^|]+) \|", TEXT.split("## In a native")[0], re.MULTILINE))
    assert list(rows) == list(SHIPPED)
    for name, about in SHIPPED.items():
        assert all(event in rows[name] for event in about.events), name
        assert ("in the background" in rows[name]) is about.background, name
    told = TEXT.split("## Options")[1].split("## What they promise")[0]
    assert all(f"`{option}`" in told for about in SHIPPED.values() for option in about.options)
    shown = re.findall(r"^\| (?:`([\w-]+)`|the four logging hooks)? ?\| ", told, re.MULTILINE)
    assert {name for name in shown if name} == {
        name for name, about in SHIPPED.items() if about.options and not name.startswith("log-")
    }


def test_the_example_of_a_hooks_file(place: Place) -> None:
    text = example("toml")
    place.write("~/.config/omnihook/hooks.toml", text)
    engine = place.engine()
    assert engine.diagnostics == ()
    assert [hook.name for hook in engine.hooks] == [entry["builtin"] for entry in tomllib.loads(text)["hook"]]
    assert engine.hooks[1].paths == ("app/**/*",)


def test_the_example_of_an_agents_configuration(place: Place) -> None:
    place.write("~/.claude/settings.json", example("json"))
    report = place.fire("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}, only="claude-code")
    assert report.verdict.refused


def test_the_example_of_a_program(place: Place) -> None:
    made: dict[str, object] = {}
    exec(
        compile(example("python").replace("Engine()", f"Engine({str(place.project)!r}, files=False)"), "doc", "exec"),
        made,
    )
    engine = made["engine"]
    assert [hook.name for hook in engine.hooks] == ["security-guard"]  # type: ignore[attr-defined]
