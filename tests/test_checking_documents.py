"""Whole files: commas too many, and the frontmatter of skills and subagents."""

from pathlib import Path

import pytest

from checking_kit import desk, errors

HEAD = "---\nname: s\nhooks:\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n  "hooks": {\n  },\n}\n', (3, 4)),
        ('{"hooks": {"Stop": [\n {"hooks": []} , \n]}}', (2, 16)),
        ('{"hooks": {"Stop": []\n\n,}}', (3, 1)),
    ],
)
def test_a_comma_too_many_is_called_by_its_name(tmp_path: Path, text: str, place: tuple[int, int]) -> None:
    (found,) = desk(tmp_path).json("claude-code", text)
    assert (found.line, found.column) == place
    assert found.message == "not valid JSON: a comma before a closing bracket, where JSON allows none"


def test_other_mistakes_in_json_are_told_with_their_place_once(tmp_path: Path) -> None:
    (found,) = desk(tmp_path).json("claude-code", '{"hooks": {"a" 1}}')
    assert str(found).endswith("claude-code.json:1:16: not valid JSON: Expecting ':' delimiter (correct the file)")


@pytest.mark.parametrize(
    ("rest", "line", "said"),
    [
        ("  PreToolUs:\n    - hooks:\n        - {type: command, command: 'true'}\n", 4, "unknown event 'PreToolUs'"),
        ("  Stop:\n    - hooks:\n        - type: command\n          comand: x\n", 6, "the hook has no 'command'"),
        (
            "  Stop:\n    - hooks:\n        - type: command\n          command: 'true'\n          timout: 3\n",
            8,
            "hook Stop:1: unknown key 'timout', did you mean 'timeout'?",
        ),
        (
            "  PreToolUse:\n    - matchr: Bash\n      hooks:\n        - {type: command, command: 'true'}\n",
            5,
            "hook PreToolUse:1: unknown key 'matchr', did you mean 'matcher'?",
        ),
        (
            "  PreToolUse:\n    - matcher: Bsh\n      hooks:\n        - {type: command, command: 'true'}\n",
            5,
            "did you mean 'Bash'?",
        ),
    ],
)
def test_frontmatter_is_looked_at_like_any_file(tmp_path: Path, rest: str, line: int, said: str) -> None:
    found = desk(tmp_path).look("claude-code", tmp_path / "SKILL.md", f"{HEAD}{rest}---\nWords.\n")
    assert [(item.line, item.message) for item in found if said in item.message] != [], found
    assert {item.line for item in found if said in item.message} == {line}


def test_hooks_under_another_key_of_frontmatter_are_told_of(tmp_path: Path) -> None:
    text = "---\nhook:\n  Stop:\n    - hooks: [{type: command, command: 'true'}]\n---\n"
    (found,) = desk(tmp_path).look("claude-code", tmp_path / "agents/a.md", text)
    assert (found.line, found.message) == (2, "'hook' is not read here; hooks belong under 'hooks'")


def test_frontmatter_that_is_no_yaml_is_told_with_its_line(tmp_path: Path) -> None:
    (found,) = desk(tmp_path).look("claude-code", tmp_path / "SKILL.md", "---\nname: s\nhooks: [a\n---\n")
    assert (found.line, found.code) == (4, "syntax")


def test_sound_frontmatter_is_no_problem(tmp_path: Path) -> None:
    text = HEAD + "  Stop:\n    - hooks:\n        - type: command\n          command: 'true'\n---\n"
    assert errors(desk(tmp_path).look("claude-code", tmp_path / "SKILL.md", text)) == []
