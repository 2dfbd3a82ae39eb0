"""Hooks in the frontmatter of skills: cut out and put back by lines."""

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from editing.kit import Scratch, at
from omnihook.editing import changing, setting_aside, yaml_text
from omnihook.editing.keeping import Ledger
from omnihook.editing.reading import digest
from omnihook.errors import ConfigError

TEXT = """\
---
name: example # a skill
hooks:
  # before tools
  PreToolUse:
    - matcher: "Bash"
      hooks:
        # the first
        - type: command
          command: "./a.sh"
          timeout: 5

        # the second
        - type: command
          command: |
            echo one
            echo two

    - matcher: Read # for reading
      hooks: # only one
        - {type: command, command: ./c.sh}
  Stop:
  - hooks:
    - type: command
      command: >-
        ./d.sh
description: words
---
# Body

- hooks: stay
"""


@pytest.fixture(params=["plain", "windows"])
def skill(request: pytest.FixtureRequest, folder: str) -> Scratch:
    made = at(folder, "claude-code")
    path = Path(folder, "home/.claude/skills/x/SKILL.md")
    place = replace(made, target=replace(made.target, path=str(path), role="frontmatter", root=str(path.parent)))
    place.write(TEXT if request.param == "plain" else TEXT.replace("\n", "\r\n"))
    return place


def test_each_hook_can_be_disabled_and_enabled(skill: Scratch) -> None:
    before, count = skill.bytes, len(skill.hooks)
    assert count == 4
    for number in range(count):
        hook = skill.hooks[number]
        changing.disable(hook, skill.dialect, skill.folders, label=hook.name)
        assert len(skill.hooks) == count - 1
        (kept,) = Ledger(skill.folders.state).read().kept
        setting_aside.enable(kept, skill.dialect, skill.folders)
        assert skill.bytes == before


def test_the_order_does_not_matter_for_what_is_read(skill: Scratch) -> None:
    wanted = [digest(hook, skill.dialect) for hook in skill.hooks]
    lines = sorted(skill.bytes.splitlines())
    for order in list(permutations(range(4)))[::9]:
        for number in order:
            hook = next(h for h in skill.hooks if digest(h, skill.dialect) == wanted[number])
            changing.disable(hook, skill.dialect, skill.folders, label=hook.name)
        assert skill.hooks == ()
        for kept in Ledger(skill.folders.state).read().kept:
            setting_aside.enable(kept, skill.dialect, skill.folders)
        assert [digest(hook, skill.dialect) for hook in skill.hooks] == wanted
        assert sorted(skill.bytes.splitlines()) == lines


def test_hooks_are_removed_with_what_held_only_them(skill: Scratch) -> None:
    while skill.hooks:
        changing.remove(skill.hooks[-1], skill.dialect, skill.folders)
    text = skill.bytes.decode().replace("\r\n", "\n")
    comments = "  # before tools\n        # the first\n\n        # the second\n\n"
    body = TEXT[TEXT.index("description: words") :]
    assert text == f"---\nname: example # a skill\nhooks: {{}}\n{comments}{body}"


def test_what_is_written_in_brackets_is_left_to_people(tmp_path: Path) -> None:
    made = at(str(tmp_path), "claude-code")
    path = tmp_path / "home/.claude/agents/x.md"
    text = "---\nhooks: {PreToolUse: [{hooks: [{type: command, command: ls}]}]}\n---\n"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    target = replace(made.target, path=str(path), role="frontmatter")
    (hook,) = target.read(text).hooks
    for deed in (
        lambda: changing.remove(hook, made.dialect, made.folders),
        lambda: changing.disable(hook, made.dialect, made.folders, label="x"),
    ):
        with pytest.raises(ConfigError, match="a way only people edit"):
            deed()
    assert path.read_text() == text
    assert Ledger(made.folders.state).read().kept == ()


@pytest.mark.parametrize(
    "text", ["", "no frontmatter\n", "---\nhooks: [\n---\n", "---\nhooks: 5\n---\n", "---\na: b\x85c\n---\n"]
)
def test_what_is_no_list_is_an_error(text: str) -> None:
    with pytest.raises(KeyError):
        yaml_text.cut(text, ("hooks", 0))
