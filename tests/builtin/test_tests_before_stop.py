import os
import time

import pytest

from builtin.kit import Place
from omnihook.builtin.detecting import LINT, TEST, step
from omnihook.builtin.troubles import Trouble
from omnihook.events import Stop
from omnihook.verdicts import Decision

pytestmark = pytest.mark.timeout(90)  # it waits for programs that start slowly on a busy machine

PASS, FAIL = (
    "test:\n\t@echo fine\n",
    "test:\n\t@for i in $$(seq 100); do echo line $$i; done; echo broken >&2; exit 3\n",
)


def stop(place: Place, **fields: int) -> Stop:
    return Stop(cwd=str(place.project), **fields)  # type: ignore[arg-type]


def test_failing_tests_keep_the_agent_going_and_show_the_end(place: Place) -> None:
    place.write("Makefile", FAIL)
    said = place.run("tests-before-stop", stop(place), lines=5)
    assert said is not None
    assert said.decision is Decision.BLOCK
    reason = said.reason or ""
    assert reason.startswith("The tests fail (/")
    assert "exit code 2). Fix them before you stop.\n\n" in reason
    shown = reason.partition("\n\n")[2].splitlines()
    assert shown[:4] == ["line 98", "line 99", "line 100", "broken"]
    assert len(shown) == 5  # and what make has to say about it


def test_no_lines_of_output_may_be_wanted(place: Place) -> None:
    verdict = place.run("tests-before-stop", place.event("Stop"), command="echo long; exit 3", lines=0)
    assert verdict is not None
    assert verdict.reason == "The tests fail (echo long; exit 3, exit code 3). Fix them before you stop."


def test_passing_tests_let_it_stop(place: Place) -> None:
    place.write("Makefile", PASS)
    assert place.run("tests-before-stop", stop(place)) is None


def test_a_project_without_tests_is_left_alone(place: Place) -> None:
    assert place.run("tests-before-stop", stop(place)) is None


def test_a_turn_that_did_nothing_needs_no_tests(place: Place) -> None:
    place.write("Makefile", FAIL)
    assert place.run("tests-before-stop", stop(place, turn_tool_calls=0)) is None


def test_a_named_command_goes_before_the_detected_one(place: Place) -> None:
    place.write("Makefile", PASS)
    said = place.run("tests-before-stop", stop(place), command="echo 'no good' && false")
    assert said is not None
    assert (said.reason or "").startswith("The tests fail (echo 'no good' && false, exit code 1).")
    assert place.run("tests-before-stop", stop(place), command="") is None


def test_tests_that_cannot_run_are_trouble_and_no_failure(place: Place) -> None:
    with pytest.raises(Trouble, match=r"did not run: .*no-such-program.*not found"):
        place.run("tests-before-stop", stop(place), command="no-such-program")
    begun = time.monotonic()
    with pytest.raises(Trouble, match=r"longer than 0\.5 s and was ended"):
        place.run("tests-before-stop", stop(place), command="sleep 30 & sleep 30", timeout=0.5)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("files", "test", "lint"),
    [
        ({"package.json": '{"scripts": {"test": "x", "lint": "y"}}'}, "npm run --silent test", "npm run --silent lint"),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, None, None),
        ({"package.json": "broken", "Makefile": "test: x\n"}, "make --no-print-directory test", None),
        ({"Makefile": "test = 1\nlint:\n"}, None, "make --no-print-directory lint"),
        ({"Makefile": "test := 1\n"}, None, None),
        ({"Makefile": "test ::= 1\nlint :::= 1\n"}, None, None),
        ({"Makefile": "lint test:: x\n"}, "make --no-print-directory test", "make --no-print-directory lint"),
        ({"Makefile": ".PHONY: lint test\nuntested retest: x\n"}, None, None),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n"}, "pytest -q", "ruff check -q"),
        ({"tests/test_a.py": ""}, "pytest -q", None),
        ({"tests/data.py": ""}, None, None),
        ({"Cargo.toml": ""}, "cargo test --quiet", "cargo clippy --quiet"),
        ({"go.mod": ""}, "go test ./...", "go vet ./..."),
        ({"package.json": '{"scripts": {"test": "x"}}', "pnpm-lock.yaml": ""}, "pnpm run test", None),
        ({}, None, None),
    ],
    ids=lambda value: "+".join(value) or "nothing" if isinstance(value, dict) else "",
)
def test_tests_and_linters_are_detected(
    place: Place, files: dict[str, str], test: str | None, lint: str | None
) -> None:
    for program in ("npm", "pnpm", "make", "cargo", "go", "pytest", "ruff"):
        place.stand_in(program)
    for name, content in files.items():
        place.write(name, content)
    for what, expected in ((TEST, test), (LINT, lint)):
        found = step(what, None, place.context, top=str(place.project), folder=str(place.project))
        assert (None if found is None else " ".join(found.argv).removeprefix(f"{place.stand_ins}/")) == expected


@pytest.mark.parametrize(("whole", "where"), [(False, "packages/app"), (True, ".")])
def test_a_part_of_the_project_is_tested_where_the_whole_has_no_tests(place: Place, whole: bool, where: str) -> None:
    place.git("init", "-q")
    place.write("packages/app/Makefile", "test:\n\t@pwd; exit 1\n")
    place.write("packages/app/src/a.c")
    if whole:
        place.write("Makefile", "test:\n\t@pwd; exit 1\n")
    verdict = place.run("tests-before-stop", Stop(cwd=str(place.project / "packages/app/src")))
    assert verdict is not None
    assert f"\n\n{(place.project / where).resolve()}\n" in str(verdict.reason)


@pytest.mark.timeout(10)
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(place: Place) -> None:
    for name in ("package.json", "pyproject.toml", "Makefile", "setup.cfg"):
        os.mkfifo(place.project / name)
    assert place.run("tests-before-stop", stop(place)) is None


def test_tests_that_take_too_long_are_said_to(place: Place) -> None:
    place.write("Makefile", "test:\n\tsleep 30\n")
    with pytest.raises(Trouble, match=r"did not run: it took longer than 0\.5 s and was ended; sleep 30"):
        place.run("tests-before-stop", stop(place), timeout=0.5)


def test_no_tests_at_all_are_no_failing_tests(place: Place) -> None:
    place.write("conftest.py")
    assert place.run("tests-before-stop", stop(place)) is None


def test_the_native_hook_gives_up_after_a_while(place: Place) -> None:
    place.write("Makefile", FAIL)
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "tests-before-stop"\n')
    engine = place.engine()
    with engine:
        first = engine.fire_sync(place.event("Stop"))
        again = engine.fire_sync(place.event("Stop"))
    assert first.verdict.decision is Decision.BLOCK
    assert again.verdict.decision is Decision.NONE  # the same words, and nothing was done in between
    assert "the agent may stop" in " ".join(again.notices)


def test_a_real_test_runner(place: Place) -> None:
    place.write("tests/test_a.py", "def test_sum():\n    assert 1 + 1 == 3\n")
    said = place.run("tests-before-stop", stop(place))
    assert said is not None
    assert "assert (1 + 1) == 3" in (said.reason or "")
    place.write("tests/test_a.py", "def test_sum():\n    assert 1 + 1 == 2\n")
    assert place.run("tests-before-stop", stop(place)) is None
