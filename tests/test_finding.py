"""Files that a dialect keeps in folders of any name: found, and noticed when they come later."""

import json
import os
from pathlib import Path

import pytest

from omnihook import Engine
from omnihook.dialect import ConfigText
from omnihook.dialects import claude_code
from omnihook.events import Stop
from omnihook.files import expand
from omnihook.hooks import Layer
from omnihook.outcomes import Status

PLUGIN = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
SKILL = "---\nname: {0}\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: echo {0}\n---\n"


def engine(tmp_path: Path, name: str = "project") -> Engine:
    project, home = tmp_path / name, tmp_path / "home"
    project.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    return Engine(str(project), only="claude-code", environ={"HOME": str(home), "PATH": os.environ["PATH"]})


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_pattern_stands_for_what_could_be_there(tmp_path: Path) -> None:
    for name in ("b", "a", ".hidden"):
        (tmp_path / "skills" / name).mkdir(parents=True)
    write(tmp_path / "skills/README.md", "")
    folders: list[str] = []
    paths = expand(str(tmp_path), "skills/*/SKILL.md", 10, look=folders.append)
    assert paths == [f"{tmp_path}/skills/a/SKILL.md", f"{tmp_path}/skills/b/SKILL.md"]
    assert folders == [f"{tmp_path}/skills"]


def test_a_pattern_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    folders: list[str] = []
    assert expand(str(tmp_path), "agents/*.md", 10, look=folders.append) == []
    assert folders == [f"{tmp_path}/agents"]


def test_only_so_many_are_taken(tmp_path: Path) -> None:
    for number in range(5):
        write(tmp_path / f"agents/{number}.md", "")
    paths = expand(str(tmp_path), "agents/*.md", 3, look=str)
    assert [Path(path).name for path in paths] == ["0.md", "1.md", "2.md"]


@pytest.mark.parametrize("name", ["a[b]c", "st*r", "wh?t"])
def test_a_project_may_have_any_name(tmp_path: Path, name: str) -> None:
    held = engine(tmp_path, name)
    write(tmp_path / name / ".claude/skills/one/SKILL.md", SKILL.format("one"))
    assert [str(hook.source.path) for hook in held.hooks] == [f"{tmp_path / name}/.claude/skills/one/SKILL.md"]


def test_a_skill_that_comes_later_is_noticed(tmp_path: Path) -> None:
    held = engine(tmp_path)
    assert held.hooks == ()
    write(tmp_path / "project/.claude/skills/one/SKILL.md", SKILL.format("one"))
    assert len(held.hooks) == 1
    (tmp_path / "project/.claude/skills/two").mkdir()
    assert len(held.hooks) == 1
    write(tmp_path / "project/.claude/skills/two/SKILL.md", SKILL.format("two"))
    assert len(held.hooks) == 2


def test_a_plugin_that_comes_later_is_noticed(tmp_path: Path) -> None:
    held = engine(tmp_path)
    assert held.hooks == ()
    write(tmp_path / "home/.claude/plugins/cache/market/tool/1.0/hooks/hooks.json", json.dumps(PLUGIN))
    assert len(held.hooks) == 1


def test_only_the_newest_version_of_a_plugin_counts(tmp_path: Path) -> None:
    for version in ("1.9.0", "1.10.0", "1.10.0-beta", "unknown"):
        write(tmp_path / f"home/.claude/plugins/cache/market/tool/{version}/hooks/hooks.json", json.dumps(PLUGIN))
    write(tmp_path / "home/.claude/plugins/cache/other/tool/0.1/hooks/hooks.json", json.dumps(PLUGIN))
    assert sorted((hook.source.root or "").split("cache/")[1] for hook in engine(tmp_path).hooks) == [
        "market/tool/1.10.0",
        "other/tool/0.1",
    ]


def test_a_plugins_hook_is_told_where_it_is_and_where_its_data_are(tmp_path: Path) -> None:
    plugins = tmp_path / "home/.claude/plugins"
    command = 'printf "%s\\n" "$CLAUDE_PLUGIN_ROOT" "$CLAUDE_PLUGIN_DATA" "$CLAUDE_PID" > "${CLAUDE_PLUGIN_DATA}/told"'
    table = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    write(plugins / "cache/my.market/tool/1.0/hooks/hooks.json", json.dumps(table))
    with engine(tmp_path) as held:
        [outcome] = held.fire_sync(Stop(session_id="s")).outcomes
    assert (outcome.status, outcome.notes) == (Status.OK, ())
    told = (plugins / "data/tool-my-market/told").read_text().split()
    assert told == [str(plugins / "cache/my.market/tool/1.0"), str(plugins / "data/tool-my-market"), str(os.getpid())]


@pytest.mark.parametrize(
    ("user", "project", "managed", "runs"),
    [
        (None, None, None, True),
        (True, None, None, True),
        (["^1"], None, None, True),
        (False, None, None, False),
        (False, True, None, False),
        (True, False, None, True),
        (True, None, False, False),
        (False, None, True, True),
    ],
)
def test_a_plugin_is_switched_off_by_its_user_or_an_administrator(
    user: object, project: object, managed: object, runs: bool
) -> None:
    files = [
        ConfigText(path=f"/{layer.label}.json", layer=layer, text=json.dumps({"enabledPlugins": {"tool@market": said}}))
        for layer, said in ((Layer.MANAGED, managed), (Layer.USER, user), (Layer.PROJECT, project))
        if said is not None
    ]
    path = "/home/.claude/plugins/cache/market/tool/1.0/hooks/hooks.json"
    files.append(ConfigText(path=path, layer=Layer.PLUGIN, role="plugin", text=json.dumps(PLUGIN), root="/x"))
    assert [hook.enabled for hook in claude_code.read_config(files).hooks] == [runs]


def test_a_plugins_manifest_names_its_files_and_holds_tables(tmp_path: Path) -> None:
    root = tmp_path / "home/.claude/plugins/tool"
    named = ["./config/a.json", "hooks/hooks.json", "missing.json", "../../settings.json", PLUGIN["hooks"]]
    write(root / ".claude-plugin/plugin.json", json.dumps({"name": "tool", "hooks": named}))
    write(root / "config/a.json", json.dumps(PLUGIN))
    write(root / "hooks/hooks.json", json.dumps(PLUGIN))
    write(tmp_path / "home/.claude/settings.json", "{}")
    held = engine(tmp_path)
    paths = [Path(hook.source.path or "").name for hook in held.hooks]
    assert sorted(paths) == ["a.json", "hooks.json", "plugin.json"]
    assert {hook.source.root for hook in held.hooks} == {str(root)}
    found = [(Path(item.path or "").name, item.code) for item in held.diagnostics]
    assert found == [("missing.json", "missing")]
    write(root / "missing.json", json.dumps(PLUGIN))
    assert len(held.hooks) == 4


def test_a_plugins_manifest_may_name_one_file(tmp_path: Path) -> None:
    root = tmp_path / "home/.claude/plugins/tool"
    write(root / ".claude-plugin/plugin.json", json.dumps({"hooks": "./deep/down/own.json"}))
    write(root / "deep/down/own.json", json.dumps(PLUGIN))
    (hook,) = engine(tmp_path).hooks
    assert hook.source.root == str(root)


def test_a_plugin_may_not_name_files_outside_it(tmp_path: Path) -> None:
    root = tmp_path / "home/.claude/plugins/tool"
    write(root / ".claude-plugin/plugin.json", json.dumps({"hooks": "../other.json"}))
    write(root.parent / "other.json", json.dumps(PLUGIN))
    held = engine(tmp_path)
    assert held.hooks == ()
    assert [item.code for item in held.diagnostics] == ["refused"]


def test_commands_of_the_user_carry_hooks_too(tmp_path: Path) -> None:
    write(tmp_path / "home/.claude/commands/one.md", SKILL.format("one"))
    (hook,) = engine(tmp_path).hooks
    assert hook.source.owner == "skill:one"
