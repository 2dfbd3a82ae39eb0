"""Commits in a real repository, with messages from the scripted model server."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import modelserver
from builtin.kit import PRIVATE_KEY, Place, conflict, distrusted
from modelserver import Reply, fails, says
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
    verdict = place.run("smart-commit", stop(place))
    assert message(place) == "Add a.py"
    assert verdict is not None
    assert ("since no model answered: status_code: 500" in str(verdict.additional_context)) is (reply == fails(500))


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


def test_a_change_of_the_same_size_in_the_same_second_is_seen(place: Place) -> None:
    place.repository()
    place.git("config", "core.trustctime", "false")
    moment = (1_700_000_000, 1_700_000_000)
    file = place.write("a.py", "1\n")
    os.utime(file, moment)
    place.git("add", "a.py")
    place.git("commit", "-q", "-m", "Add a.py")
    place.write("a.py", "2\n")
    os.utime(file, moment)
    os.utime(place.project / ".git" / "index", moment)  # git looks closer at files as young as its index
    assert "committed" in text(place.run("smart-commit", stop(place)))
    assert committed(place) == ["M a.py"]


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


def test_conflicts_that_a_stash_left_are_not_committed(place: Place) -> None:
    conflict(place, "a.py")
    place.write("b.py", "1\n")
    assert place.run("smart-commit", stop(place)) is None
    assert place.git("status", "--porcelain") == "UU a.py\n?? b.py\n"


def test_an_index_that_stays_locked_keeps_the_commit_back(place: Place) -> None:
    place.repository()
    place.write("a.py", "1\n")
    lock = place.write(".git/index.lock")
    assert "another git holds the index" in text(place.run("smart-commit", stop(place)))
    lock.unlink()
    assert count(place) == 1
    assert place.git("status", "--porcelain") == "?? a.py\n"


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
        ('"', '"'),
        ('"Quote" the `name`\n\nIt was "bare".', '"Quote" the `name`\n\nIt was "bare".'),
        ("`Fix it`", "Fix it"),
        ("Here is the commit message:\n\nAdd x\n\nMore.", "Add x\n\nMore."),
        ("# Add x\n\n- one\n- two", "Add x\n\n- one\n- two"),
        ("- Add x\n- Add y", "Add x\n\n- Add y"),
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


def test_partial_staging_survives_a_commit_that_fails(place: Place) -> None:
    place.repository(**{"a.py": "1\n"})
    place.write("a.py", "2\n")
    place.git("add", "a.py")
    place.write("a.py", "3\n")
    place.write("b.py", "1\n")
    hook = place.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", mode=0o755)
    assert "git did not commit" in text(place.run("smart-commit", stop(place)))
    assert place.git("show", ":a.py") == "2\n"
    assert place.git("status", "--porcelain") == "MM a.py\n?? b.py\n"
    hook.unlink()
    place.run("smart-commit", stop(place))
    assert committed(place) == ["M a.py", "A b.py"]
    assert place.git("status", "--porcelain") == ""


def test_what_a_git_hook_adds_is_in_the_index_afterwards(place: Place) -> None:
    place.repository()
    place.write(".git/hooks/pre-commit", "#!/bin/sh\necho 1 > made.py; git add made.py\n", mode=0o755)
    place.write("a.py", "1\n")
    place.run("smart-commit", stop(place))
    assert committed(place) == ["A a.py", "A made.py"]
    assert place.git("status", "--porcelain") == ""


def test_staged_deletes_and_renames_and_folders_in_the_place_of_files(place: Place) -> None:
    place.repository(**{"gone.py": "1\n", "old.py": "2\n", "kept.py": "3\n", "thing": "4\n"})
    place.git("rm", "-q", "gone.py")
    place.git("mv", "old.py", "new.py")
    place.git("rm", "-q", "--cached", "kept.py")
    (place.project / "thing").unlink()
    place.write("thing/.env", "A=1\n")
    place.write("thing/b.py", "1\n")
    assert "committed" in text(place.run("smart-commit", stop(place)))
    assert committed(place) == ["D gone.py", "A new.py", "D old.py", "D thing", "A thing/b.py"]
    assert place.git("status", "--porcelain") == "?? thing/.env\n"


def test_names_that_are_no_text_and_names_of_two_lines(place: Place) -> None:
    place.repository()
    (place.project / os.fsdecode(b"caf\xe9.py")).write_text("1\n")
    place.write("two\nlines.py", "1\n")
    assert "committed" in text(place.run("smart-commit", stop(place)))
    assert message(place) == "Add 2 files\n\n- Add caf\\udce9.py\n- Add two\\nlines.py"
    assert place.git("status", "--porcelain") == ""


def test_the_first_commit_of_a_repository(place: Place) -> None:
    place.git("init", "-q")
    place.write("a.py", "1\n")
    place.run("smart-commit", stop(place))
    assert (message(place), place.git("status", "--porcelain")) == ("Add a.py", "")


def test_files_that_may_hold_secrets_are_left_out_and_named(place: Place) -> None:
    place.repository()
    place.write("a.py", "1\n")
    place.write("deploy/.netrc", "x\n")
    place.write("key.txt", PRIVATE_KEY)
    said = text(place.run("smart-commit", stop(place)))
    assert committed(place) == ["A a.py"]
    assert said.endswith("\nLeft out, since they may hold secrets: deploy/.netrc, key.txt")


def git_hook(place: Place, name: str, script: str) -> None:
    place.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n", mode=0o755)


def test_what_is_told_is_the_message_as_it_was_committed(place: Place) -> None:
    place.repository()
    git_hook(place, "commit-msg", 'echo "T-1: $(cat "$1")" > "$1"')
    place.write("a.py", "1\n")
    verdict = place.run("smart-commit", stop(place))
    assert verdict is not None
    assert str(verdict.additional_context).endswith(": T-1: Add a.py")


def test_a_commit_that_was_made_is_told_even_if_git_did_not_end(place: Place) -> None:
    place.repository()
    git_hook(place, "post-commit", "sleep 60")
    place.write("a.py", "1\n")
    verdict = place.run("smart-commit", stop(place), timeout=2)
    assert verdict is not None
    first, second = str(verdict.additional_context).splitlines()
    assert first.startswith("smart-commit: committed ")
    assert second == "After that git did not end well: it took longer than 2 s and was ended"
    assert place.git("status", "--porcelain") == ""


def test_a_repository_that_git_does_not_trust_is_told(place: Place) -> None:
    why = distrusted(place)
    place.write("a.py", "1\n")
    assert text(place.run("smart-commit", stop(place))) == f"smart-commit: nothing was committed: {why}"


@pytest.mark.parametrize("cone", ["--cone", "--no-cone"])
def test_a_sparse_checkout_keeps_what_is_not_checked_out(place: Place, cone: str) -> None:
    place.repository(**{"src/a.py": "1\n", "docs/a.md": "1\n"})
    place.git("sparse-checkout", "set", cone, "src")
    assert not (place.project / "docs").exists()
    place.write("src/a.py", "2\n")
    place.write("src/b.py", "1\n")
    place.write("other/c.py", "1\n")  # beyond what is checked out, but the agent made it
    assert "committed" in text(place.run("smart-commit", stop(place)))
    assert committed(place) == ["A other/c.py", "M src/a.py", "A src/b.py"]
    assert place.git("status", "--porcelain") == ""
    assert place.git("show", "HEAD:docs/a.md") == "1\n"
    assert not (place.project / "docs").exists()


@pytest.mark.parametrize(
    "meanwhile",
    [("commit", "-qm", "Mine", "--", "mine.py"), ("checkout", "-qb", "other"), ("merge", "-q", "--no-commit", "side")],
    ids=["commit", "branch", "merge"],
)
def test_what_happens_to_the_branch_meanwhile_is_not_undone(
    place: Place, model: modelserver.Model, meanwhile: tuple[str, ...]
) -> None:
    place.repository(**{"mine.py": "1\n"})
    place.git("checkout", "-qb", "side")
    place.write("side.py", "1\n")
    place.git("add", "side.py")
    place.git("commit", "-qm", "Side")
    place.git("checkout", "-q", "main")
    place.write("other.py", "1\n")
    place.git("add", "other.py")
    place.git("commit", "-qm", "Main")
    place.write("mine.py", "2\n")
    place.write("a.py", "1\n")
    model.script(Reply(text="Too late", delay=60))
    with ThreadPoolExecutor() as pool:
        running = pool.submit(place.run, "smart-commit", stop(place))
        while not model.asked:
            time.sleep(0.02)
        place.git(*meanwhile)
        model.stopping.set()  # answers at once
        said = text(running.result(60))
    assert said == "smart-commit: nothing was committed, since the branch changed meanwhile"
    assert message(place) in ("Mine", "Main")
