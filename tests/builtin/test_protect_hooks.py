import pytest

from builtin.kit import Place
from omnihook import dialects
from omnihook.builtin.hook_files import known_globs
from omnihook.events import PreToolUse, Stop
from omnihook.folders import find
from omnihook.jsontypes import Json
from omnihook.verdicts import Decision


def decision(place: Place, tool: str, given: dict[str, Json], **options: Json) -> str | None:
    event = PreToolUse(cwd=str(place.project), tool_name=tool, tool_input=given)
    said = place.run("protect-hooks", event, **options)
    return None if said is None else said.decision.word


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Write", {"file_path": ".claude/settings.json"}, "ask"),
        ("Edit", {"file_path": "~/.claude/settings.json"}, "ask"),
        ("Delete", {"file_path": ".omnihook/hooks.toml"}, "ask"),
        ("Write", {"file_path": ".omnihook/checks/x.sh"}, "ask"),
        ("Move", {"file_path": ".claude/settings.json", "destination": "x"}, "ask"),
        ("Move", {"file_path": "x", "destination": ".claude/settings.local.json"}, "ask"),
        ("apply_patch", {"patch": "*** Add File: .gen/settings.json\n+{}\n"}, "ask"),
        ("Write", {"file_path": "src/../.claude/./settings.json"}, "ask"),
        ("Read", {"file_path": ".claude/settings.json"}, None),
        ("Write", {"file_path": "src/settings.json"}, None),
        ("Bash", {"command": "echo '{}' > .claude/settings.json"}, "ask"),
        ("Bash", {"command": "cd .claude && tee settings.json < x"}, "ask"),
        ("Bash", {"command": "rm -f ~/.config/omnihook/hooks.toml"}, "ask"),
        ("Bash", {"command": "sed -i s/a/b/ ~/.autohand/config.json"}, "ask"),
        ("Bash", {"command": "cp x ~/.codemie/config.json; ls"}, "ask"),
        ("Bash", {"command": "dd of=.claude/settings.json"}, "ask"),
        ("Bash", {"command": "sh -c 'mv x .claude/settings.json'"}, "ask"),
        ("Bash", {"command": "git checkout other -- .claude/settings.json"}, "ask"),
        ("Bash", {"command": "omnihook off"}, "ask"),
        ("Bash", {"command": "cd /tmp; omnihook disable security-guard"}, "ask"),
        ("Bash", {"command": "omnihook list && omnihook check"}, None),
        ("Bash", {"command": "python3 -c \"open('.claude/settings.json', 'w').write('{}')\""}, "ask"),
        ("Bash", {"command": "echo ${X:?} > .claude/settings.json ("}, "ask"),
        ("Bash", {"command": "git add .claude/settings.json && git commit -m 'Change .claude/settings.json'"}, None),
        ("Bash", {"command": "cat .claude/settings.json | jq .hooks"}, None),
        ("Bash", {"command": "git diff .claude/settings.json"}, None),
        ("Bash", {"command": "grep -r hooks . > out.txt"}, None),
        ("Bash", {"command": "npm test"}, None),
        ("Bash", {"command": "sed -n 1,20p .claude/settings.json"}, None),
        ("Bash", {"command": "sed -n '1w .claude/settings.json' x"}, "ask"),
        ("Bash", {"command": "sed --in-place=.b s/a/b/ .claude/settings.json"}, "ask"),
        ("Bash", {"command": "cp .claude/settings.json /tmp/before.json"}, None),
        ("Bash", {"command": "cp -t .claude settings.json"}, "ask"),
        ("Bash", {"command": "dd if=.claude/settings.json of=copy"}, None),
        ("Bash", {"command": "shasum .claude/settings.json"}, None),
        ("Bash", {"command": "uniq .claude/settings.json"}, None),
        ("Bash", {"command": "uniq x .claude/settings.json"}, "ask"),
        ("Bash", {"command": "xxd -r x .claude/settings.json"}, "ask"),
        ("Bash", {"command": "tree -o .claude/settings.json"}, "ask"),
        ("Bash", {"command": "less -o.claude/settings.json x"}, "ask"),
        ("Bash", {"command": "git diff --output=.claude/settings.json"}, "ask"),
        ("Bash", {"command": "git log -1 --output .claude/settings.json"}, "ask"),
        ("Bash", {"command": "sort x -o .claude/settings.json"}, "ask"),
    ],
)
def test_changing_hooks_needs_the_user(place: Place, tool: str, given: dict[str, Json], expected: str | None) -> None:
    assert decision(place, tool, given) == expected


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf .omnihook",
        "rm -rf .claude/",
        "rm -r ~/.claude",
        "rm -rf ~/.local/state/omnihook",
        "rm -rf ~/.local",
        "rm -rf .cl*",
        "rm -rf .claude/$X",
        "mv .omnihook x",
        "git rm -r .omnihook",
        "git mv .claude x",
        "git checkout HEAD~1 -- .claude",
        "git -C .claude rm settings.json",
        "sed -i s/a/b/ .claude/sett*.json",
        "perl -pi -e s/a/b/ .claude/*.json",
        'find .claude -name "*.json" -delete',
        "find . -name settings.json -exec rm {} +",
        "find .claude -type f -delete",
        "cp -r new/. .claude",
        "cp -r backup/.claude .",
        "mv x/settings.json .claude",
        "rsync -a x/ .claude/",
        "tar xf e.tar -C .claude",
        "tar -C .claude -xf e.tar",
        "unzip -d .claude x.zip",
        "find . -path './.claude/*' -delete",
        "chmod 000 .claude",
        "chmod -R a-w .",
        "cd .claude && rm -f *",
        "ln -sfn x .claude",
        "sh -c 'rm -rf .claude'",
        "python3 -c \"import shutil; shutil.rmtree('.claude')\"",
    ],
)
def test_a_change_to_a_folder_that_holds_hooks_needs_the_user(place: Place, command: str) -> None:
    assert decision(place, "Bash", {"command": command}) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "ls -la .claude",
        "cat .claude/*.json",
        "cp -r .claude backup",
        "tar czf x.tgz .claude",
        "tar xf e.tar",
        "tar cf - .claude | gzip > x.tgz",
        "find . -not -path './.claude/*' -name '*.pyc' -delete",
        "git -C .claude status",
        "find .claude/* -type f",
        "rsync -a .claude/ backup/",
        'find .claude -name "*.json"',
        'find . -name "*.pyc" -delete',
        "find build -type f -delete",
        "mkdir -p .claude",
        "git add .claude",
        "git status .claude",
        "cp x.txt .",
        "rm -rf build node_modules *.pyc",
        "rm -rf $DIR/build",
        "chmod +x run.sh",
        "sed -i s/a/b/ *.json src/*.py",
        "prettier --write . && ruff check .",
        "rm -rf .cache",
    ],
)
def test_reading_such_a_folder_and_changing_others_does_not(place: Place, command: str) -> None:
    assert decision(place, "Bash", {"command": command}) is None


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("mcp__fs__write_file", {"path": ".claude/settings.json", "content": "x"}, "ask"),
        ("mcp__fs__move_file", {"source": "x", "destination": ".claude/settings.json"}, "ask"),
        ("mcp__fs__move_file", {"source": ".claude", "destination": "x"}, "ask"),
        ("mcp__fs__edit", {"filename": ".omnihook/hooks.toml"}, "ask"),
        ("mcp__fs__save", {"files": [{"path": ".claude/settings.json"}]}, "ask"),
        ("mcp__fs__save", {"uri": "file://~/.claude/settings.json"}, "ask"),
        ("mcp__fs__apply", {"request": {"target_file": ".gen/settings.json"}}, "ask"),
        ("mcp__fs__read_text_file", {"path": ".claude/settings.json"}, None),
        ("mcp__fs__list_directory", {"path": ".claude"}, None),
        ("mcp__fs__write_file", {"path": "notes.md", "content": ".claude/settings.json"}, None),
        ("mcp__fs__write_file", {"path": "."}, None),
        ("Delete", {"file_path": ".claude"}, "ask"),
        ("Move", {"file_path": ".omnihook", "destination": "x"}, "ask"),
    ],
)
def test_tools_nobody_knows_are_read_by_their_arguments(
    place: Place, tool: str, given: dict[str, Json], expected: str | None
) -> None:
    assert decision(place, tool, given) == expected


@pytest.mark.parametrize("name", dialects.names())
def test_every_dialects_files_are_protected(place: Place, name: str) -> None:
    folders = find(place.env, cwd=str(place.project))
    bases = {"home": folders.home, "config": folders.config, "project": folders.project, "absolute": "/"}
    for file in dialects.get(name).files:
        path = f"{bases[file.base]}/{file.path.lstrip('/')}".replace("*", "some")
        assert decision(place, "Write", {"file_path": path}) == "ask", path
    assert len(known_globs(folders)) > len(dialects.names())


def test_a_link_leads_to_the_file_it_is(place: Place) -> None:
    target = place.write(".claude/settings.json", "{}")
    (place.project / "innocent.json").symlink_to(target)
    assert decision(place, "Edit", {"file_path": "innocent.json"}) == "ask"


def test_a_hard_link_is_the_file_it_is(place: Place) -> None:
    place.write(".claude/settings.json", "{}")
    place.write("other.json", "{}")
    (place.project / "src").mkdir()
    (place.project / "src/a.json").hardlink_to(place.project / ".claude/settings.json")
    (place.project / "src/b.json").hardlink_to(place.project / "other.json")
    assert decision(place, "Write", {"file_path": "src/a.json"}) == "ask"
    assert decision(place, "Bash", {"command": "echo {} > src/a.json"}) == "ask"
    assert decision(place, "Write", {"file_path": "src/b.json"}) is None


def test_more_files_may_be_named(place: Place) -> None:
    globs: list[Json] = ["ci/*.yml", "~/bin/*"]
    assert decision(place, "Write", {"file_path": "ci/test.yml"}, paths=globs) == "ask"
    assert decision(place, "Bash", {"command": "touch ~/bin/x"}, paths=globs) == "ask"
    assert decision(place, "Write", {"file_path": "ci/test.yml"}) is None


def test_the_native_hook_asks_and_refuses_where_nobody_can_be_asked(place: Place) -> None:
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "protect-hooks"\n')
    payload = {"tool_name": "Write", "tool_input": {"file_path": ".claude/settings.json"}}
    report = place.fire("PreToolUse", payload)
    assert report.verdict.decision is Decision.ASK
    assert ".claude/settings.json" in (report.verdict.reason or "")
    assert place.run("protect-hooks", Stop()) is None


def test_the_folder_that_a_command_asks_for_counts(place: Place) -> None:
    place.write(".claude/settings.json", "{}")
    assert decision(place, "Bash", {"command": "rm settings.json"}) is None
    assert decision(place, "Bash", {"command": "rm settings.json", "workdir": ".claude"}) == "ask"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python -m omnihook off", "ask"),
        ("python3.12 -I -m omnihook disable security-guard", "ask"),
        ("uvx omnihook off", "ask"),
        ("uv run omnihook untrust", "ask"),
        (".venv/bin/omnihook off", "ask"),
        ("pip uninstall -y omnihook", "ask"),
        ("uv tool uninstall omnihook", "ask"),
        ("wget -P .claude https://example.org/settings.json", "ask"),
        ("pip install omnihook", None),
        ("uvx omnihook list", None),
        ("python -m omnihook guard 'omnihook off'", None),
        ("python -m pytest tests/omnihook", None),
        ("wget -P vendor https://example.org/a.tar.gz", None),
        ("echo omnihook off", None),
    ],
)
def test_omnihook_itself_by_any_way_in(place: Place, command: str, expected: str | None) -> None:
    assert decision(place, "Bash", {"command": command}) == expected
