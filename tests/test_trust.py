"""Approving, changing and verifying hooks of real projects."""

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omnihook.errors import TrustError
from omnihook.hooks import Action, Argv, BlockOn, Call, Cause, Command, Hook, Http, Matcher, McpTool, OnError, Prompt
from omnihook.trust import definition, identity, project_key
from omnihook.trust.prints import take_print
from trust_kit import Place, place, store

CHECK = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh'


@pytest.fixture
def here(tmp_path: Path) -> Place:
    made = place(tmp_path / "project")
    made.write(".claude/hooks/check.sh", "#!/bin/sh\nexit 0\n")
    return made


def test_a_hook_is_untrusted_until_it_is_approved(tmp_path: Path, here: Place) -> None:
    hook, trust = here.hook(CHECK), store(tmp_path)
    standing = trust.standing(hook, here.path)
    assert (standing.state, standing.detail) == ("untrusted", "it was never approved")
    assert trust.verify(hook, here.path) == "it is not approved"
    trust.approve([hook], here.path, when=1.0)
    assert trust.standing(hook, here.path).state == "trusted"
    assert trust.verify(hook, here.path) is None


def test_another_process_believes_what_was_approved(tmp_path: Path, here: Place) -> None:
    trust, other = store(tmp_path), store(tmp_path)
    assert other.standing(here.hook(CHECK), here.path).state == "untrusted"
    trust.approve([here.hook(CHECK)], here.path, when=1.0)
    assert other.standing(here.hook(CHECK), here.path).state == "trusted"
    trust.withdraw(here.path, [here.hook(CHECK)])
    assert other.standing(here.hook(CHECK), here.path).state == "untrusted"
    assert other.verify(here.hook(CHECK), here.path) == "it is not approved"


def test_withdrawing_takes_one_hook_or_all(tmp_path: Path, here: Place) -> None:
    trust = store(tmp_path)
    hooks = [here.hook("true", name="a"), here.hook("false", name="b"), here.hook(CHECK, name="c")]
    trust.approve(hooks, here.path, when=1.0)
    trust.withdraw(here.path, hooks[:1])
    assert [trust.standing(hook, here.path).state for hook in hooks] == ["untrusted", "trusted", "trusted"]
    assert [approval.entry.name for approval in trust.approved(here.path)] == ["b", "c"]
    trust.withdraw(here.path)
    assert trust.approved(here.path) == ()
    assert os.listdir(tmp_path / "state" / "texts") == []


# Every field with another value than it has by default; a new field of Hook without a row here fails the test.
OTHER: dict[str, object] = {
    "events": ("Stop", "PreToolUse"),
    "action": Command(command=f"{CHECK} "),
    "native_events": ("Stopp",),
    "matcher": Matcher(text="Bash", names=frozenset({"Bash"})),
    "tools": ("Bash",),
    "paths": ("*.py",),
    "rule": "Bash(ls)",
    "timeout": 5.0,
    "background": True,
    "rewake": True,
    "priority": 1,
    "once": True,
    "env": {"A": "1"},
    "clean_env": True,
    "cwd": "sub",
    "on_error": {Cause.TIMEOUT: OnError.DENY},
    "block_on": BlockOn.NONZERO,
    "guard": True,
    "observe": True,
    "pure": True,
    "shadow": True,
    "may_allow": True,
    "detach": True,
    "pins": ("lib/*",),
    "slot": "Stop/x",
}
SAME: dict[str, object] = {
    "name": "another",
    "enabled": False,
    "description": "what it is for",
    "status_message": "working",
    "entry": {"type": "command"},
}


@pytest.mark.parametrize("name", [field.name for field in fields(Hook) if field.name not in (*SAME, "source")])
def test_every_part_of_the_definition_counts(tmp_path: Path, here: Place, name: str) -> None:
    hook, trust = here.hook(CHECK), store(tmp_path)
    trust.approve([hook], here.path, when=1.0)
    changed = replace(hook, **{name: OTHER[name]})
    standing = trust.standing(changed, here.path)
    assert (standing.state, standing.detail) == ("modified", f"its definition changed ({name})")
    assert trust.verify(changed, here.path) == "it is not approved"
    assert trust.standing(hook, here.path).state == "trusted"


@pytest.mark.parametrize("name", SAME)
def test_what_does_nothing_does_not_count(tmp_path: Path, here: Place, name: str) -> None:
    hook, trust = here.hook(CHECK), store(tmp_path)
    trust.approve([hook], here.path, when=1.0)
    assert trust.verify(replace(hook, **{name: SAME[name]}), here.path) is None


ACTIONS: list[Action] = [
    Command(command="a"),
    Command(command="b"),
    Command(command="a", interpreter="bash"),
    Argv(argv=("a",)),
    Argv(argv=("a", "")),
    Argv(argv=("a ",)),
    Call(target="a"),
    Http(url="a"),
    Http(url="a", headers={"x": "y"}),
    Http(url="a", allowed_env=("x",)),
    Prompt(prompt="a"),
    Prompt(prompt="a", model="m"),
    Prompt(prompt="a", tools=True),
    Prompt(prompt="a", base_url="u"),
    McpTool(server="a", tool="b"),
    McpTool(server="a", tool="b", input={"x": None}),
]


def test_no_two_actions_are_the_same(here: Place) -> None:
    assert len({identity(here.hook(action), here.path) for action in ACTIONS}) == len(ACTIONS)


def test_the_place_in_the_file_does_not_count(here: Place) -> None:
    hook = here.hook(CHECK, native_events=("Stop", "SubagentStop"), env={"A": "1", "B": "2"})
    moved = replace(
        hook,
        name="Stop:7",
        native_events=("SubagentStop", "Stop"),
        env={"B": "2", "A": "1"},
        source=replace(hook.source, pointer=("Stop", 6), line=90, path=f"{here.path}/.claude/settings.local.json"),
    )
    assert identity(moved, here.path) == identity(hook, here.path)


PATHS = st.text("ab/.- \0", max_size=12)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(PATHS, st.just("/p/a"), st.just("/p/ab"), st.just("\0here\0")), max_size=6), st.data())
def test_equal_identities_mean_equal_texts(words: list[str], data: st.DataObject) -> None:
    """Paths are stored relative to the project, and still no two commands of a project become one."""
    other = data.draw(st.permutations(words))
    first, second = Place(Path("/p/a")).hook("".join(words)), Place(Path("/p/a")).hook("".join(other))
    same = identity(first, "/p/a") == identity(second, "/p/a")
    assert same == ("".join(words) == "".join(other))


@pytest.mark.parametrize(
    ("command", "portable"),
    [
        ("{here}/x.sh", True),
        ("sh '{here}/x.sh' --log={here}/log", True),
        ("cd {here}; ./x.sh", True),
        ("{here}-other/x.sh", False),
        ("/mnt{here}/x.sh", False),
        ("{here}.bak/x.sh", False),
    ],
)
def test_only_whole_paths_below_the_project_become_relative(tmp_path: Path, command: str, portable: bool) -> None:
    one, two = place(tmp_path / "one"), place(tmp_path / "two")
    same = identity(one.hook(command.format(here=one.path)), one.path) == identity(
        two.hook(command.format(here=two.path)), two.path
    )
    assert same is portable


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(min_size=1, max_size=300), st.data())
def test_one_changed_byte_of_a_pinned_file_is_a_change(
    tmp_path: Path, here: Place, body: bytes, data: st.DataObject
) -> None:
    script = here.root / ".claude/hooks/check.sh"
    script.write_bytes(body)
    hook, trust = here.hook(CHECK), store(tmp_path)
    trust.approve([hook], here.path, when=1.0)
    assert trust.verify(hook, here.path) is None
    place_ = data.draw(st.integers(0, len(body) - 1))
    flipped = bytes([body[place_] ^ data.draw(st.integers(1, 255))])
    times = script.stat()
    with script.open("r+b") as file:
        file.seek(place_)
        file.write(flipped)
    os.utime(script, ns=(times.st_atime_ns, times.st_mtime_ns))  # as an attacker would
    assert trust.verify(hook, here.path) == ".claude/hooks/check.sh changed since it was approved"
    standing = trust.standing(hook, here.path)
    assert (standing.state, standing.detail) == ("modified", ".claude/hooks/check.sh changed")
    script.write_bytes(body)
    assert trust.verify(hook, here.path) is None


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40), st.data())
def test_one_changed_character_of_a_command_is_a_change(text: str, data: st.DataObject) -> None:
    here = Place(Path("/project"))
    index = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(exclude_categories=["Cs"]).filter(lambda char: char != text[index]))
    changed = text[:index] + other + text[index + 1 :]
    assert identity(here.hook(text), here.path) != identity(here.hook(changed), here.path)
    assert identity(here.hook(text), here.path) == identity(here.hook(text), here.path)


def swap_in_place(script: Path) -> None:
    script.write_text("#!/bin/sh\nexit 1\n")


def swap_by_rename(script: Path) -> None:
    other = script.with_name("other")
    other.write_text("#!/bin/sh\nexit 1\n")
    other.rename(script)


def swap_for_a_link(script: Path) -> None:
    copy = script.with_name("copy")
    script.rename(copy)
    script.symlink_to("copy")  # the same bytes, for now


def swap_the_folder(script: Path) -> None:
    script.parent.rename(script.parent.with_name("elsewhere"))
    script.parent.symlink_to("elsewhere")


def swap_for_a_pipe(script: Path) -> None:
    script.unlink()
    os.mkfifo(script)


SWAPS: list[tuple[Callable[[Path], None], str]] = [
    (swap_in_place, "changed"),
    (swap_by_rename, "changed"),
    (swap_for_a_link, "changed"),
    (swap_the_folder, "changed"),
    (swap_for_a_pipe, "changed"),
    (Path.unlink, "is gone"),
]


@pytest.mark.parametrize(("swap", "word"), SWAPS, ids=lambda item: getattr(item, "__name__", None))
@pytest.mark.parametrize("lines", [1, 5000], ids=["small", "large"])
def test_a_swap_after_the_approval_is_seen(
    tmp_path: Path, here: Place, swap: Callable[[Path], None], word: str, lines: int
) -> None:
    script = here.write(".claude/hooks/check.sh", "#!/bin/sh\nexit 0\n" * lines)
    past = time.time_ns() - 3_600_000_000_000
    os.utime(script, ns=(past, past))
    hook, trust = here.hook(CHECK), store(tmp_path)
    trust.approve([hook], here.path, when=1.0)
    assert trust.standing(hook, here.path).state == "trusted"
    swap(script)
    assert trust.verify(hook, here.path) == f".claude/hooks/check.sh {word} since it was approved"


def seconds_to_print(here: Place, name: str) -> float:
    started = time.perf_counter()
    take_print(here.path, name)
    return time.perf_counter() - started


def test_a_large_file_that_did_not_change_is_read_once(here: Place) -> None:
    big = here.write("big.sh", "x" * (40 << 20))
    first = take_print(here.path, "big.sh")
    # It may change again before its times do, so for now it is read each time.
    assert seconds_to_print(here, "big.sh") > 0.005
    time.sleep(2.1)
    assert take_print(here.path, "big.sh").mark == first.mark
    assert min(seconds_to_print(here, "big.sh") for _ in range(3)) < 0.005
    times = big.stat()
    with big.open("r+b") as file:
        file.write(b"y")
    os.utime(big, ns=(times.st_atime_ns, times.st_mtime_ns))  # as an attacker would
    assert take_print(here.path, "big.sh").mark != first.mark


def test_a_file_that_appears_where_none_was_is_seen(tmp_path: Path, here: Place) -> None:
    hook, trust = here.hook("./later.sh"), store(tmp_path)
    trust.approve([hook], here.path, when=1.0)
    assert trust.verify(hook, here.path) is None
    here.write("later.sh")
    assert trust.verify(hook, here.path) == "later.sh is new since it was approved"


def test_pins_add_files_and_notice_new_ones(tmp_path: Path, here: Place) -> None:
    here.write("lib/a.sh")
    here.write("lib/deep/b.sh")
    hook, trust = here.hook("true", pins=("lib/**/*.{sh,py}",)), store(tmp_path)
    trust.approve([hook], here.path, when=1.0)
    assert trust.standing(hook, here.path).pinning.files == ("lib/a.sh", "lib/deep/b.sh")
    here.write("lib/deep/c.txt")
    assert trust.verify(hook, here.path) is None
    here.write("lib/deep/c.py")
    assert trust.verify(hook, here.path) == "lib/deep/c.py is new since it was approved"


def test_a_linked_script_is_pinned_by_link_and_content(tmp_path: Path, here: Place) -> None:
    real = here.write("tools/real.sh")
    here.write("tools/twin.sh")
    (here.root / "link.sh").symlink_to("tools/real.sh")
    hook, trust = here.hook("./link.sh"), store(tmp_path)
    trust.approve([hook], here.path, when=1.0)
    assert trust.verify(hook, here.path) is None
    assert not trust.standing(hook, here.path).pinning.open
    (here.root / "link.sh").unlink()
    (here.root / "link.sh").symlink_to("tools/twin.sh")
    assert trust.verify(hook, here.path) == "link.sh changed since it was approved"
    (here.root / "link.sh").unlink()
    (here.root / "link.sh").symlink_to("tools/real.sh")
    assert trust.verify(hook, here.path) is None
    real.write_text("exit 1\n")
    assert trust.verify(hook, here.path) == "link.sh changed since it was approved"


def test_a_link_out_of_the_project_is_open(tmp_path: Path, here: Place) -> None:
    (tmp_path / "outside.sh").write_text("exit 0\n")
    (here.root / "link.sh").symlink_to(tmp_path / "outside.sh")
    (here.root / "up").symlink_to("..")
    for command, why in (("./link.sh", "link.sh leads"), ("up/outside.sh", "up/outside.sh leads")):
        pinning = store(tmp_path).standing(here.hook(command), here.path).pinning
        assert (pinning.open, pinning.why) == (True, f"{why} out of the project")


def test_only_what_was_shown_is_approved(tmp_path: Path, here: Place) -> None:
    hook, trust = here.hook(CHECK), store(tmp_path)
    seal = trust.standing(hook, here.path).seal
    here.write(".claude/hooks/check.sh", "exit 1\n")
    with pytest.raises(TrustError, match="changed while it was shown"):
        trust.approve([hook], here.path, when=1.0, seals=[seal])
    assert trust.approved(here.path) == ()
    trust.approve([hook], here.path, when=1.0, seals=[trust.standing(hook, here.path).seal])
    assert trust.verify(hook, here.path) is None


def test_relative_names_hold_in_one_folder_only(tmp_path: Path, here: Place) -> None:
    here.write("check.sh")
    here.write("sub/check.sh", "planted\n")
    trust = store(tmp_path)
    fixed, loose = here.hook(CHECK, name="a"), here.hook("./check.sh", name="b")
    trust.approve([fixed, loose], here.path, when=1.0)
    assert trust.verify(loose, here.path, cwd=here.path) is None
    assert trust.verify(loose, here.path, cwd=f"{here.path}/sub") == (
        f"it names files relative to {here.path} and would run in {here.path}/sub"
    )
    assert trust.verify(fixed, here.path, cwd=f"{here.path}/sub") is None


def test_the_difference_shows_definition_and_file(tmp_path: Path, here: Place) -> None:
    trust = store(tmp_path)
    trust.approve([here.hook(CHECK)], here.path, when=1.0)
    here.write(".claude/hooks/check.sh", "#!/bin/sh\nexit 2\n")
    shown = trust.difference(here.hook(CHECK, timeout=9.0), here.path).splitlines()
    assert [line for line in shown if line[:1] in "+-" and line[:3] not in ("+++", "---")] == [
        '-  "timeout": null,',
        '+  "timeout": 9.0,',
        "-exit 0",
        "+exit 2",
    ]
    assert trust.difference(here.hook(CHECK), here.path).startswith("--- approved: .claude/hooks/check.sh\n")


def test_the_difference_of_a_new_hook_is_all_of_it(tmp_path: Path, here: Place) -> None:
    shown = store(tmp_path).difference(here.hook(CHECK), here.path)
    assert "+#!/bin/sh\n+exit 0\n" in shown
    assert '+  "dialect": "claude-code",\n' in shown
    assert "\n-" not in shown.replace("\n---", "")


def test_looking_at_hooks_starts_imports_and_connects_to_nothing(tmp_path: Path, here: Place) -> None:
    here.write("evil/__init__.py", "raise SystemExit(9)\n")
    script = """
        import sys
        sys.path.insert(0, sys.argv[3])
        from pathlib import Path
        from trust_kit import Place, store
        from omnihook.hooks import Call
        here, trust = Place(Path(sys.argv[2])), store(Path(sys.argv[1]))
        heard = []
        sys.addaudithook(lambda name, args: heard.append(name))
        hook = here.hook(sys.argv[4])
        assert trust.standing(hook, here.path).state == "untrusted"
        assert "tree_sitter" not in sys.modules
        call = here.hook(Call(target="evil:f"), name="call")
        trust.approve([hook, call], here.path, when=1.0)
        trust = store(Path(sys.argv[1]))
        assert trust.verify(hook, here.path) is None and trust.verify(call, here.path) is None
        trust.difference(hook, here.path)
        started = ("subprocess.", "os.exec", "os.posix_spawn", "os.fork", "os.system", "socket.")
        print([name for name in heard if name.startswith(started)], "evil" in sys.modules)
    """
    words = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path), here.path, str(Path(__file__).parent), CHECK]
    assert subprocess.run(words, check=True, capture_output=True, text=True).stdout == "[] False\n"


def test_an_approved_hook_is_not_parsed_again(tmp_path: Path, here: Place) -> None:
    store(tmp_path).approve([here.hook(CHECK)], here.path, when=1.0)
    script = """
        import sys
        sys.path.insert(0, sys.argv[3])
        from pathlib import Path
        from trust_kit import Place, store
        here, trust = Place(Path(sys.argv[2])), store(Path(sys.argv[1]))
        print(trust.standing(here.hook(sys.argv[4]), here.path).state, "tree_sitter" in sys.modules)
    """
    words = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path), here.path, str(Path(__file__).parent), CHECK]
    assert subprocess.run(words, check=True, capture_output=True, text=True).stdout == "trusted False\n"


def git(folder: Path, *words: str) -> None:
    identity_ = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity_, *words], cwd=folder, check=True, capture_output=True)


def test_work_trees_of_one_repository_share_approvals(tmp_path: Path, here: Place) -> None:
    git(here.root, "init")
    git(here.root, "add", ".")
    git(here.root, "commit", "-m", "x")
    git(here.root, "worktree", "add", str(tmp_path / "tree"))
    tree, trust = place(tmp_path / "tree"), store(tmp_path)
    assert project_key(tree.path) == project_key(here.path) == f"{here.path}/.git"
    absolute = f"sh {here.path}/.claude/hooks/check.sh"
    hooks = [here.hook(CHECK, name="a"), here.hook(absolute, name="b")]
    theirs = [tree.hook(CHECK, name="a"), tree.hook(absolute.replace(here.path, tree.path), name="b")]
    trust.approve(hooks, here.path, when=1.0)
    assert [definition(hook, here.path) for hook in hooks] == [definition(hook, tree.path) for hook in theirs]
    assert [trust.verify(hook, tree.path) for hook in theirs] == [None, None]
    tree.write(".claude/hooks/check.sh", "exit 3\n")
    assert trust.standing(theirs[0], tree.path).state == "modified"
    trust.approve(theirs, tree.path, when=2.0)
    assert [trust.verify(hook, tree.path) for hook in theirs] == [None, None]
    assert [trust.verify(hook, here.path) for hook in hooks] == [None, None]


def test_a_folder_cannot_claim_to_be_a_work_tree(tmp_path: Path, here: Place) -> None:
    git(here.root, "init")
    git(here.root, "add", ".")
    git(here.root, "commit", "-m", "x")
    git(here.root, "worktree", "add", str(tmp_path / "tree"))
    trust = store(tmp_path)
    trust.approve([here.hook("pytest")], here.path, when=1.0)
    pointer = (tmp_path / "tree" / ".git").read_text()
    thief = place(tmp_path / "thief")
    own = thief.root / "fake"
    own.mkdir()
    (own / "commondir").write_text(f"{here.path}/.git\n")
    (own / "gitdir").write_text(f"{thief.path}/.git\n")
    for text in (pointer, f"gitdir: {here.path}/.git\n", f"gitdir: {own}\n", "gitdir: \0", "", "gitdir:" + "x" * 9999):
        (thief.root / ".git").write_text(text)
        assert project_key(thief.path) == thief.path
        assert trust.standing(thief.hook("pytest"), thief.path).state == "untrusted"
    (thief.root / ".git").unlink()
    (thief.root / ".git").symlink_to(here.root / ".git")
    assert project_key(thief.path) == thief.path


def test_folders_of_one_repository_are_projects_of_their_own(tmp_path: Path, here: Place) -> None:
    git(here.root, "init")
    (here.root / "sub").mkdir()
    assert project_key(f"{here.path}/sub") == f"{here.path}/.git//sub"
    assert project_key(str(tmp_path)) == str(tmp_path.resolve())
    (tmp_path / "way").symlink_to(here.root)
    assert project_key(str(tmp_path / "way")) == project_key(here.path)


def test_verifying_costs_little(tmp_path: Path, here: Place) -> None:
    for number in range(20):
        here.write(f".claude/hooks/{number}.sh", "echo a line of a script\n" * 60)
    hook = here.hook("; ".join(f"$CLAUDE_PROJECT_DIR/.claude/hooks/{number}.sh" for number in range(20)))
    trust = store(tmp_path)
    trust.approve([hook], here.path, when=1.0)
    best = 1.0
    for _ in range(50):
        started = time.perf_counter()
        assert trust.verify(hook, here.path) is None
        best = min(best, time.perf_counter() - started)
    assert best / 20 < 50e-6 * 4  # the aim is 50 us a file; a busy machine gets some room
