import os
import threading
import time

import pytest

from builtin.kit import PRIVATE_KEY, Place, conflict, distrusted
from omnihook.builtin.git_auto_stage import skipped
from omnihook.builtin.troubles import Trouble
from omnihook.events import FileModified, SessionStart
from omnihook.verdicts import Verdict


def staged(place: Place) -> list[str]:
    return [
        line.strip().replace("\t", " ")
        for line in place.git("diff", "--cached", "--no-renames", "--name-status").splitlines()
    ]


def test_created_changed_and_deleted_files(place: Place) -> None:
    place.repository(**{"src/old.py": "1\n", "src/gone.py": "1\n"})
    place.write("src/new.py", "1\n")
    place.write("src/old.py", "2\n")
    (place.project / "src/gone.py").unlink()
    for path, change in (("src/new.py", "create"), ("src/old.py", "modify"), ("src/gone.py", "delete")):
        assert place.run("git-auto-stage", place.changed(path, change)) is None
    assert staged(place) == ["D src/gone.py", "A src/new.py", "M src/old.py"]


def test_a_deleted_file_leaves_the_index_only(place: Place) -> None:
    place.repository(**{"src/kept.py": "1\n"})
    place.run("git-auto-stage", place.changed("src/kept.py", "delete"))
    assert staged(place) == ["D src/kept.py"]
    assert (place.project / "src/kept.py").exists()


def test_absolute_paths_and_odd_names(place: Place) -> None:
    place.repository()
    names = ["src/[a-b]*.py", "src/-n", "src/sp ace.py", "src/ü.py", ":(top)x"]
    for name in names:
        place.write(name, "1\n")
        place.run("git-auto-stage", place.changed(str(place.project / name), "create"))
    place.write("src/a.py", "never named\n")
    assert sorted(place.git("diff", "--cached", "--name-only", "-z").split("\0")[:-1]) == sorted(names)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/.env", True),
        ("src/.env.local", True),
        ("src/environment.ts", False),
        ("src/x.log", True),
        ("src/x.logs", False),
        ("src/a.tmp", True),
        ("src/.a.swp", True),
        ("src/a.bak", True),
        ("src/node_modules/x/i.js", True),
        ("dist/a.js", True),
        ("src/build/a.js", True),
        ("coverage/a", True),
        (".git/config", True),
        ("src/rebuild/a.js", False),
        ("src/mydist/a.js", False),
        ("src/build", False),
        ("src/distribution.py", False),
    ],
)
def test_skip_lists_compare_whole_components(path: str, expected: bool) -> None:
    assert skipped(path) is expected


def test_what_is_skipped_or_ignored_stays_out(place: Place) -> None:
    place.repository(**{".gitignore": "*.gen\n/private/\n"})
    for path in ("src/.env", "src/build/x.js", "src/a.gen", "private/a.py", "src/secret/x.py"):
        place.write(path, "1\n")
        place.run("git-auto-stage", place.changed(path, "create"), skip=["secret/"])
    assert staged(place) == []


def test_what_may_hold_secrets_stays_out_and_is_told(place: Place) -> None:
    place.repository()
    for path, text in (("src/prod.env", "A=1\n"), ("src/notes.txt", PRIVATE_KEY)):
        place.write(path, text)
        said = place.run("git-auto-stage", place.changed(path, "create"))
        assert said is not None
        assert f"{path} was not staged" in (said.system_message or "")
    place.run("git-auto-stage", place.changed("src", "modify"))
    assert staged(place) == []


def test_a_project_that_lies_in_a_folder_called_build(tmp_path_factory: pytest.TempPathFactory) -> None:
    inner = tmp_path_factory.mktemp("machine") / "build"
    inner.mkdir()
    place = Place(inner)
    place.repository()
    place.write("src/a.py", "1\n")
    place.run("git-auto-stage", place.changed("src/a.py", "create"))
    assert staged(place) == ["A src/a.py"]


def test_nothing_happens_outside_a_repository(place: Place) -> None:
    place.write("src/a.py", "1\n")
    assert place.run("git-auto-stage", place.changed("src/a.py", "create")) is None
    place.repository()
    outside = place.root / "elsewhere.py"
    outside.write_text("1\n")
    assert place.run("git-auto-stage", place.changed(str(outside), "create")) is None
    assert place.run("git-auto-stage", place.changed("src/never-was.py", "modify")) is None
    assert staged(place) == []


def test_a_locked_index_is_waited_for(place: Place) -> None:
    place.repository()
    place.write("src/a.py", "1\n")
    lock = place.project / ".git" / "index.lock"
    lock.touch()

    def unlock() -> None:
        time.sleep(0.4)
        lock.unlink()

    other = threading.Thread(target=unlock)
    other.start()
    place.run("git-auto-stage", place.changed("src/a.py", "create"))
    other.join()
    assert staged(place) == ["A src/a.py"]


def test_a_failure_says_what_git_said(place: Place) -> None:
    place.repository()
    place.write("src/a.py", "1\n")
    index = place.project / ".git" / "index"
    index.unlink()
    index.mkdir()
    with pytest.raises(Trouble, match=r"git ls-files: fatal: .*index"):
        place.run("git-auto-stage", place.changed("src/a.py", "create"))


def test_another_repositorys_variables_do_not_lead_it_astray(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place.repository()
    other = Place(tmp_path_factory.mktemp("other"))
    other.repository()
    place.write("src/a.py", "1\n")
    place.more |= {"GIT_DIR": str(other.project / ".git"), "GIT_INDEX_FILE": str(other.project / ".git/index")}
    place.run("git-auto-stage", place.changed("src/a.py", "create"))
    place.more.clear()
    assert (staged(place), staged(other)) == (["A src/a.py"], [])


def test_a_native_hook_stages_what_a_write_tool_wrote(place: Place) -> None:
    place.repository()
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "git-auto-stage"\n')
    for path in ("src/a.py", "docs/b.md"):
        place.write(path, "1\n")
        place.fire("PostToolUse", {"tool_name": "Write", "tool_input": {"file_path": path, "content": "1\n"}})
    assert staged(place) == ["A src/a.py"]


def test_a_file_in_a_submodule_or_an_inner_work_tree_is_staged_there(place: Place) -> None:
    place.repository(**{"lib/a.py": "1\n"})
    place.git("clone", "-q", ".", "../other")
    place.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "../other", "sub")
    place.git("worktree", "add", "-q", "trees/one")
    place.git("commit", "-q", "-m", "Add sub")
    for inner in ("sub", "trees/one"):
        place.write(f"{inner}/lib/a.py", "2\n")
        assert place.run("git-auto-stage", place.changed(f"{inner}/lib/a.py")) is None
        assert place.git("-C", inner, "status", "--porcelain") == "M  lib/a.py\n"
    assert staged(place) == []


def test_a_repository_inside_that_nobody_chose_is_left_alone(place: Place) -> None:
    place.repository()
    place.git("init", "-q", "found")
    place.write("found/src/a.py", "1\n")
    assert place.run("git-auto-stage", place.changed("found/src/a.py")) is None
    assert place.git("-C", "found", "status", "--porcelain") == "?? src/\n"


def test_a_file_in_conflict_stays_in_conflict(place: Place) -> None:
    conflict(place, "src/a.py")
    said = place.run("git-auto-stage", place.changed("src/a.py"))
    assert said is not None
    assert "in conflict" in (said.system_message or "")
    assert place.git("status", "--porcelain") == "UU src/a.py\n"


def test_a_repository_whose_folder_has_no_name_in_utf8(place: Place) -> None:
    folder = os.fsdecode(os.fsencode(place.project) + b"/\xff\n")
    place.git("init", "-q", folder)
    os.mkdir(f"{folder}/src")
    with open(f"{folder}/src/a.py", "w", encoding="utf-8") as file:
        file.write("1\n")
    event = FileModified(cwd=folder, file_path="src/a.py", change_type="create")
    assert place.run("git-auto-stage", event) is None
    assert place.git("-C", folder, "status", "--porcelain") == "A  src/a.py\n"
    said = place.run("context-inject", SessionStart(cwd=folder))
    assert said is not None
    assert "A  src/a.py" in (said.additional_context or "")


def test_the_reason_is_gits_and_not_its_advice(place: Place) -> None:
    place.repository(**{"src/a.py": "1\n", "lib/b.py": "1\n"})
    place.git("sparse-checkout", "set", "--cone", "src")
    place.write("lib/c.py", "1\n")
    with pytest.raises(Trouble, match="outside of your sparse-checkout") as told:
        place.run("git-auto-stage", place.changed("lib/c.py", "create"))
    assert "hint:" not in str(told.value)


def test_a_file_that_a_patch_moves_leaves_its_old_place(place: Place) -> None:
    place.repository(**{"src/a.py": "1\n"})
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "git-auto-stage"\n')
    (place.project / "src/a.py").rename(place.project / "src/c.py")
    patch = "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: src/c.py\n@@\n-1\n+1\n*** End Patch"
    place.fire("PostToolUse", {"tool_name": "apply_patch", "tool_input": {"input": patch}})
    assert place.git("diff", "--cached", "--name-status") == "R100\tsrc/a.py\tsrc/c.py\n"


def test_a_repository_that_git_does_not_trust_is_told(place: Place) -> None:
    why = distrusted(place)
    place.write("src/a.py", "1\n")
    said = place.run("git-auto-stage", place.changed("src/a.py", "create"))
    assert said == Verdict(system_message=f"git-auto-stage: src/a.py was not staged: {why}")
