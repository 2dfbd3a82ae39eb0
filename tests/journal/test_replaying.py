"""Replaying: today's configuration on recorded events; effects are not repeated, pure hooks and guards run."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from omnihook import Engine
from omnihook.events import PreToolUse
from omnihook.folders import Folders
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Wanted
from omnihook.recording import recorder
from omnihook.replaying import Replay, Replayed
from omnihook.verdicts import Verdict

HOOK = """
[[hook]]
name = "{name}"
on = "PreToolUse"
run = '''echo ran >> {trace}; {run} '''
{more}
"""
DENY, SAY_NOTHING = "echo no >&2; exit 2", "exit 0"


class World:
    """A home with hooks, fired once and replayed later."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.trace = folder, folder / "trace"
        self.folders = Folders(
            home=str(folder / "home"),
            config=str(folder / "home/.config"),
            state=str(folder / "state"),
            project=str(folder / "project"),
            managed=str(folder / "managed"),
        )
        (folder / "project").mkdir()

    def hooks(self, *entries: tuple[str, str, str]) -> None:
        path = self.folder / "home/.config/omnihook/hooks.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(HOOK.format(name=name, run=run, more=more, trace=self.trace) for name, run, more in entries)
        path.write_text(text)

    def fire(self, prepare: Callable[[Engine], object] = lambda engine: None, **options: bool) -> None:
        engine = Engine(folders=self.folders, **options)  # type: ignore[arg-type]
        prepare(engine)
        journal = recorder(self.folders).attach(engine)
        event = PreToolUse(session_id="s", cwd=self.folders.project, tool_name="Bash", tool_input={"command": "ls"})
        asyncio.run(engine.fire(event))
        journal.close()
        self.trace.unlink(missing_ok=True)

    def replay(self, *, run_all: bool = False) -> Replayed:
        with Reader(self.folders.state) as reader:
            (record,) = reader.records(Wanted(limit=1))
            config = reader.config(str(record["config"]))
        play = Replay(Engine(folders=self.folders), run_all=run_all)
        return asyncio.run(play.play(record, config))

    @property
    def ran(self) -> int:
        return len(self.trace.read_text().splitlines()) if self.trace.exists() else 0


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def words(played: Replayed) -> tuple[str | None, str | None, bool]:
    return played.before.decision.word, played.after.decision.word, played.changed


def test_a_hook_with_effects_keeps_its_recorded_outcome(world: World) -> None:
    world.hooks(("poster", DENY, ""))
    world.fire()
    world.hooks(("poster", SAY_NOTHING, ""))
    played = world.replay()
    assert words(played) == ("block", "block", False)
    assert (world.ran, played.ran, played.kept) == (0, (), ("poster",))


@pytest.mark.parametrize("more", ["pure = true", "guard = true"])
def test_pure_hooks_and_guards_run_again(world: World, more: str) -> None:
    world.hooks(("judge", DENY, more))
    world.fire()
    assert words(world.replay()) == ("block", "block", False)
    world.hooks(("judge", SAY_NOTHING, more))
    played = world.replay()
    assert words(played) == ("block", None, True)
    assert (world.ran, played.ran, played.kept) == (2, ("judge",), ())


def test_everything_runs_when_asked_for(world: World) -> None:
    world.hooks(("poster", DENY, ""))
    world.fire()
    world.hooks(("poster", SAY_NOTHING, ""))
    assert words(world.replay(run_all=True)) == ("block", None, True)
    assert world.ran == 1


def test_a_new_hook_is_unknown_unless_it_is_pure(world: World) -> None:
    world.hooks(("first", SAY_NOTHING, ""))
    world.fire()
    world.hooks(("first", SAY_NOTHING, ""), ("second", DENY, ""))
    played = world.replay()
    assert (words(played), played.unknown, world.ran) == ((None, None, False), ("second",), 0)
    world.hooks(("first", SAY_NOTHING, ""), ("second", DENY, "pure = true"))
    assert words(world.replay()) == (None, "block", True)


def test_a_hook_that_is_gone_no_longer_decides(world: World) -> None:
    world.hooks(("gone", DENY, ""))
    world.fire()
    world.hooks()
    assert words(world.replay()) == ("block", None, True)


def test_a_hook_that_was_switched_off_no_longer_decides(world: World) -> None:
    world.hooks(("switched", DENY, ""))
    world.fire()
    world.hooks(("switched", DENY, "enabled = false"))
    assert words(world.replay()) == ("block", None, True)


def test_what_broke_then_means_what_it_means_today(world: World) -> None:
    world.hooks(("broken", "exit 9", ""))
    world.fire()
    assert words(world.replay()) == (None, None, False)
    world.hooks(("broken", "exit 9", 'on_error = "deny"'))
    assert words(world.replay()) == (None, "deny", True)


def test_functions_of_the_program_keep_their_outcome(world: World) -> None:
    world.fire(lambda engine: engine.on("PreToolUse", name="mine")(lambda event: Verdict.deny("mine")))
    played = world.replay()
    assert (words(played), played.kept) == (("deny", "deny", False), ("mine",))


def test_a_shadow_that_became_real_decides(world: World) -> None:
    world.hooks(("shadow", DENY, 'mode = "shadow"'))
    world.fire()
    assert words(world.replay()) == (None, None, False)
    world.hooks(("shadow", DENY, ""))
    assert words(world.replay()) == (None, "block", True)


def test_a_rewrite_and_its_second_pass_come_out_the_same(world: World) -> None:
    rewrite = """echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "ls -l"}}}'"""
    world.hooks(("rewriter", rewrite, ""), ("looker", SAY_NOTHING, ""))
    world.fire()
    played = world.replay()
    assert played.before.updated_input == played.after.updated_input == {"command": "ls -l"}
    assert (played.changed, world.ran) == (False, 0)


def test_an_untrusted_pure_hook_of_the_project_is_not_run(world: World) -> None:
    (world.folder / "project/.omnihook").mkdir()
    entry = HOOK.format(name="theirs", run=DENY, more="pure = true", trace=world.trace)
    (world.folder / "project/.omnihook/hooks.toml").write_text(entry)
    world.fire(trust_project=True)
    played = world.replay()
    assert (world.ran, played.ran, words(played)) == (0, (), ("block", None, True))


def test_a_record_whose_configuration_is_gone_can_be_replayed(world: World) -> None:
    world.hooks(("judge", DENY, "pure = true"))
    world.fire()
    shutil.rmtree(world.folder / "home")
    with Reader(world.folders.state) as reader:
        (record,) = reader.records(Wanted())
    played = asyncio.run(Replay(Engine(folders=world.folders)).play(record, None))
    assert words(played) == ("block", None, True)
