"""Commits in a real repository, with messages from the scripted model server."""

from collections.abc import Iterator

import pytest

import modelserver
from builtin.kit import Place
from modelserver import fails, says
from omnihook.builtin.commit_messages import Change, cleaned, plain
from omnihook.events import Stop
from omnihook.verdicts import Verdict

pytestmark = pytest.mark.timeout(90)  # it waits for programs that start slowly on a busy machine


@pytest.fixture
def model(place: Place) -> Iterator[modelserver.Model]:
    with modelserver.serve() as server:
        place.more |= {
            "OMNIHOOK_MODEL": "any",
            "OMNIHOOK_BASE_URL": server.openai_url,
            "OMNIHOOK_API_KEY": "key-for-the-model",
        }
        yield server


def stop(place: Place) -> Stop:
    return Stop(cwd=str(place.project))


def message(place: Place) -> str:
    return place.git("log", "-1", "--format=%B").strip()


def count(place: Place) -> int:
    return int(place.git("rev-list", "--count", "HEAD"))


def committed(place: Place) -> list[str]:
    return place.git("show", "--name-status", "--no-renames", "--format=").replace("\t", " ").splitlines()


def text(said: Verdict | None) -> str:
    assert said is not None
    assert said.decision.word is None
    return said.additional_context or ""


def test_a_turns_changes_are_committed_with_the_models_message(place: Place, model: modelserver.Model) -> None:
    place.repository(**{"old.py": "1\n"})
    place.write("src/new.py", "x = 1\n")
    (place.project / "old.py").unlink()
    model.script(says("```\nAdd new module\n\nIt replaces the old one.\n```"))
    said = place.run("smart-commit", stop(place))
    commit = place.git("rev-parse", "--short", "HEAD").strip()
    assert said == Verdict.context(f"smart-commit: committed {commit}: Add new module")
    assert message(place) == "Add new module\n\nIt replaces the old one."
    assert committed(place) == ["D old.py", "A src/new.py"]
    assert place.git("status", "--porcelain") == ""
    assert "+x = 1" in model.asked[0].text


def test_without_a_model_the_message_names_the_files(place: Place) -> None:
    place.repository()
    place.write("a.py", "1\n")
    place.run("smart-commit", stop(place))
    assert message(place) == "Add a.py"
    place.write("a.py", "2\n")
    place.write("b.py", "2\n")
    place.run("smart-commit", stop(place))
    assert message(place) == "Update 2 files\n\n- Update a.py\n- Add b.py"


@pytest.mark.parametrize("reply", [fails(500), says("   ")], ids=["error", "nothing"])
def test_a_model_that_fails_does_not_keep_the_commit_back(
    place: Place, model: modelserver.Model, reply: modelserver.Reply
) -> None:
    place.repository()
    place.write("a.py", "1\n")
    model.script(*[reply] * 8)
    place.run("smart-commit", stop(place))
    assert message(place) == "Add a.py"


def test_a_clean_tree_or_no_repository_is_nothing_to_do(place: Place) -> None:
    assert place.run("smart-commit", stop(place)) is None
    place.repository()
    assert place.run("smart-commit", stop(place)) is None
    assert count(place) == 1


def test_protected_files_are_never_committed_nor_shown(place: Place, model: modelserver.Model) -> None:
    place.repository(**{".env": "A=1\n"})
    place.write(".env", "PASSWORD=hunter2\n")
    place.write("deploy/id_rsa", "hunter2\n")
    place.write("server.pem", "hunter2\n")
    place.git("add", "server.pem")  # even where somebody staged it
    place.write("a.py", "1\n")
    model.script(says("Add a"))
    place.run("smart-commit", stop(place))
    assert committed(place) == ["A a.py"]
    assert "hunter2" not in model.asked[0].text
    assert place.git("status", "--porcelain") == " M .env\nA  server.pem\n?? deploy/\n"
    assert place.run("smart-commit", stop(place)) is None  # protected changes alone are no reason


@pytest.mark.parametrize("name", ["AUTOHAND_SMART_COMMIT_RUNNING", "OMNIHOOK_SMART_COMMIT_RUNNING"])
def test_it_does_not_run_inside_itself(place: Place, name: str) -> None:
    place.repository()
    place.write("a.py", "1\n")
    place.more[name] = "1"
    assert place.run("smart-commit", stop(place)) is None
    assert count(place) == 1


def test_what_it_starts_knows_that_it_runs(place: Place) -> None:
    place.repository()
    place.write("a.py", "1\n")
    place.more["OMNIHOOK_API_KEY"] = "secret"
    place.run("smart-commit", stop(place), test="env > ../seen")
    seen = (place.root / "seen").read_text().splitlines()
    assert {"AUTOHAND_SMART_COMMIT_RUNNING=1", "OMNIHOOK_SMART_COMMIT_RUNNING=1"} <= set(seen)
    assert not any("secret" in line for line in seen)


@pytest.mark.parametrize("step", ["lint", "test"])
def test_a_failing_step_keeps_the_commit_back_and_is_told(place: Place, step: str) -> None:
    place.repository(
        Makefile="lint:\n\t@echo linted >> steps\ntest:\n\t@echo tested >> steps\n", **{".gitignore": "steps\n"}
    )
    place.write("a.py", "1\n")
    said = place.run("smart-commit", stop(place), **{step: "echo what went wrong; exit 7"})
    assert text(said).startswith(
        f"smart-commit: nothing was committed. The {step} step failed (it ended with exit code 7):"
    )
    assert "what went wrong" in text(said)
    assert count(place) == 1
    assert place.git("status", "--porcelain") == "?? a.py\n"  # not even staged


def test_detected_steps_run_in_order_and_may_be_left_out(place: Place) -> None:
    makefile = "lint:\n\t@echo linted >> steps\ntest:\n\t@echo tested >> steps\n"
    place.repository(Makefile=makefile, **{".gitignore": "steps\n"})
    place.write("a.py", "1\n")
    place.run("smart-commit", stop(place))
    assert (place.project / "steps").read_text() == "linted\ntested\n"
    place.write("a.py", "2\n")
    place.run("smart-commit", stop(place), lint="")
    assert (place.project / "steps").read_text() == "linted\ntested\ntested\n"
    assert count(place) == 3


def test_what_a_linter_fixed_is_part_of_the_commit(place: Place) -> None:
    place.repository(**{"b.py": "1\n"})
    place.write("a.py", "1\n")
    place.run("smart-commit", stop(place), lint="echo fixed > b.py")
    assert committed(place) == ["A a.py", "M b.py"]


def test_a_refusing_git_hook_is_told(place: Place) -> None:
    place.repository()
    hook = place.write(".git/hooks/pre-commit", "#!/bin/sh\necho not today >&2\nexit 1\n", mode=0o755)
    place.write("a.py", "1\n")
    assert "git did not commit: not today" in text(place.run("smart-commit", stop(place)))
    hook.unlink()
    assert count(place) == 1


def test_a_merge_under_way_is_left_alone(place: Place) -> None:
    place.repository(**{"a.py": "1\n"})
    place.git("checkout", "-q", "-b", "other")
    place.write("a.py", "2\n")
    place.git("commit", "-qam", "two")
    place.git("checkout", "-q", "main")
    place.write("a.py", "3\n")
    place.git("commit", "-qam", "three")
    with pytest.raises(Exception, match="merge"):
        place.git("merge", "other")
    assert place.run("smart-commit", stop(place)) is None
    assert place.git("log", "-1", "--format=%s") == "three\n"


def test_nothing_is_pushed(place: Place) -> None:
    place.repository()
    remote = place.root / "remote.git"
    place.git("init", "-q", "--bare", str(remote))
    place.git("remote", "add", "origin", str(remote))
    place.git("push", "-q", "-u", "origin", "main")
    place.write("a.py", "1\n")
    place.run("smart-commit", stop(place))
    assert place.git("rev-list", "--count", "origin/main").strip() == "1"
    assert count(place) == 2


def test_odd_names_and_files_staged_and_deleted_again(place: Place) -> None:
    place.repository()
    names = ["-x", "[a]*.py", "sp ace", "ü"]
    for name in names:
        place.write(name, "1\n")
    place.write("brief.py", "1\n")
    place.git("add", "brief.py")
    (place.project / "brief.py").unlink()
    place.run("smart-commit", stop(place))
    found = place.git("show", "--name-only", "-z", "--format=").strip("\0").split("\0")
    assert sorted(found) == sorted(names)
    assert place.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Fix it", "Fix it"),
        ('"Fix it"\n', "Fix it"),
        ("```text\nFix it\n\nBecause.\n```", "Fix it\n\nBecause."),
        ("Fix\nbody without a gap", "Fix\n\nbody without a gap"),
        ("Fix \x1b[31mit", "Fix \\x1b[31mit"),
        ("x" * 500, "x" * 99 + "…"),
        ("\n \n", None),
    ],
)
def test_a_models_words_become_a_message(answer: str, expected: str | None) -> None:
    assert cleaned(answer) == expected


def test_a_plain_message_of_many_files_is_short() -> None:
    many = [Change(path=f"f{number}", status="A") for number in range(60)]
    lines = plain(many).splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("Add 60 files", "- and 10 more", 53)


def test_the_native_hook_uses_the_model_of_the_users_file(place: Place) -> None:
    with modelserver.serve() as server:
        server.script(says("Teach it to count"))
        place.repository()
        place.write("a.py", "1\n")
        table = f'[model]\nname = "any"\nbase_url = "{server.openai_url}"\napi_key = "k"\n'
        place.write("~/.config/omnihook/hooks.toml", f'[[hook]]\nbuiltin = "smart-commit"\n\n{table}')
        place.fire("Stop")
        assert message(place) == "Teach it to count"
        assert server.asked[0].headers["authorization"] == "Bearer k"
    assert [late.status.value for late in place.late] == ["ok"]
