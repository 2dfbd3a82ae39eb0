"""What docs/guard.md shows is what the guard says."""

import re
import shlex
from pathlib import Path

import pytest

from omnihook.builtin.guard import Mode, judge, judge_file
from omnihook.builtin.guard.rules import RULES
from omnihook.cli.guard import run

PAGE = (Path(__file__).parents[3] / "docs" / "guard.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```console\n\$ omnihook guard (.*?)\n(.*?)```", PAGE, re.S)


@pytest.mark.parametrize(("arguments", "output"), EXAMPLES, ids=[arguments for arguments, _ in EXAMPLES])
def test_an_example_prints_what_it_shows(arguments: str, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(shlex.split(arguments))
    assert capsys.readouterr().out == output


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


def test_the_python_example_holds() -> None:
    example = re.search(r"```python\n(.*?)```", PAGE, re.S)
    assert example is not None
    calls = re.findall(r"^(judge.*?)\s+# (.*)$", example[1], re.M)
    assert len(calls) == 2
    for call, answer in calls:
        assert eval(call, {"judge": judge, "judge_file": judge_file}) == eval(answer)


def test_modes_and_fixed_rules_are_documented() -> None:
    assert all(f"`{mode.value}`" in PAGE for mode in Mode)
    assert all(f"`{rule.id}`" in PAGE for rule in RULES.values() if rule.catastrophic)
