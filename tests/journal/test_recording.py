"""Recording: every fired event is a record, derived ones with their parent, late answers with theirs."""

import asyncio
from pathlib import Path

import pytest

from omnihook import Engine
from omnihook.dialect import lookup
from omnihook.events import Event, PostToolUse, PreToolUse, Stop, UserPromptSubmit
from omnihook.folders import Folders
from omnihook.hooks import Argv, Command, Hook, Http, Layer, Source
from omnihook.journal.describing import hook_from, hook_json
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Record, Wanted
from omnihook.recalling import event_of, merge_steps, planner_of
from omnihook.recording import Recorder, recorder
from omnihook.verdicts import Decision, Verdict


class Place:
    """An engine without files, its recorder, and what was recorded."""

    def __init__(self, folder: Path, *, resident: bool = True) -> None:
        self.folders = Folders(
            home=str(folder), config=str(folder / "config"), state=str(folder / "state"), project=str(folder)
        )
        self.engine = Engine(folders=self.folders, files=False)
        self.recorder: Recorder = recorder(self.folders, resident=resident).attach(self.engine)

    def fire(self, event: Event) -> None:
        self.engine.fire_sync(event)

    def records(self) -> list[Record]:
        assert self.recorder.flush()
        return self.seen()

    def seen(self) -> list[Record]:
        with Reader(self.folders.state) as reader:
            return reader.records(Wanted())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def bash(command: str, **more: object) -> PreToolUse:
    return PreToolUse(session_id="s1", cwd="/w", tool_name="Bash", tool_input={"command": command, **more})  # type: ignore[arg-type]


def test_every_event_is_one_record(place: Place) -> None:
    place.engine.on("PreToolUse", match="Bash")(lambda event: Verdict.allow("fine"))
    for number in range(100):
        place.fire(bash(f"ls {number}"))
    found = place.records()
    assert [item["payload"]["fields"]["tool_input"]["command"] for item in found] == [f"ls {n}" for n in range(100)]
    one = found[0]
    assert (one["event"], one["decision"], one["agent"], one["session"], one["tool"]) == (
        "PreToolUse",
        "allow",
        "omnihook",
        "s1",
        "Bash",
    )
    assert one["verdict"] == {"decision": "allow", "reason": "fine"}
    assert [(run["status"], run["verdict"]) for run in one["runs"]] == [("ok", one["verdict"])]
    assert one["plan"] == [[[one["runs"][0]["hook"]]]]


@pytest.mark.parametrize("verdict", [Verdict.deny("no"), Verdict.block("no"), Verdict.ask("sure?")])
def test_refusals_and_questions_are_committed_before_the_reply(place: Place, verdict: Verdict) -> None:
    place.engine.on("PreToolUse")(lambda event: verdict)
    place.fire(bash("rm x"))
    assert [item["decision"] for item in place.seen()] == [verdict.decision.word]


def test_a_stop_of_the_agent_is_committed_before_the_reply(place: Place) -> None:
    place.engine.on("PreToolUse")(lambda event: Verdict(continue_=False, stop_reason="enough"))
    place.fire(bash("ls"))
    assert [item["verdict"]["stop_reason"] for item in place.seen()] == ["enough"]


def test_what_followed_from_an_event_is_a_record_of_its_own(place: Place) -> None:
    place.fire(
        PostToolUse(session_id="s", cwd="/w", tool_name="Write", tool_input={"file_path": "/w/a.py", "content": "x"})
    )
    parent, child = place.records()
    assert (parent["event"], child["event"], child["parent"]) == ("PostToolUse", "FileModified", parent["id"])
    with Reader(place.folders.state) as reader:
        assert reader.children(str(parent["id"])) == [child]


def test_the_input_is_recorded_as_it_was_when_fired(place: Place) -> None:
    given = {"command": "ls", "timeout": 5}
    place.fire(PreToolUse(tool_name="Bash", tool_input=given))
    del given["command"]
    given["more"] = 1
    (found,) = place.records()
    assert found["payload"]["fields"]["tool_input"] == {"command": "ls", "timeout": 5}


def test_what_hooks_did_is_all_there(place: Place) -> None:
    def broken(event: Event) -> Verdict:
        raise RuntimeError("oops")

    place.engine.on("PreToolUse", name="rewriter", priority=5)(lambda event: Verdict.rewrite(command="ls -l"))
    place.engine.on("PreToolUse", name="broken", observe=True)(broken)
    place.fire(bash("ls"))
    (found,) = place.records()
    runs = {run["hook"]: run for run in found["runs"]}
    assert runs["rewriter"]["saw"] == {"command": "ls"}
    assert runs["rewriter"]["verdict"]["updated_input"] == {"command": "ls -l"}
    assert (runs["broken"]["status"], runs["broken"]["cause"]) == ("broken", "exit")
    assert "oops" in runs["broken"]["error"]
    assert found["verdict"]["updated_input"] == {"command": "ls -l"}
    assert any("broken" in notice for notice in found["notices"])


def test_events_that_are_not_quite_json_are_recorded(place: Place) -> None:
    for value in ({1, 2}, b"bytes", float("nan"), "\ud800", object()):
        place.fire(bash("ls", odd=value))
    place.fire(UserPromptSubmit(session_id="\ud800\0", prompt="\ud800 é"))
    assert len(place.records()) == 6
    assert place.recorder.journal.lost == 0


def test_secrets_are_not_recorded(place: Place) -> None:
    place.engine.on("PreToolUse")(lambda event: Verdict.deny("the token ghp_" + "a1" * 18 + " is in it"))
    place.fire(bash("export API_KEY=abcdefgh12345678"))
    written = b"".join(path.read_bytes() for path in Path(place.folders.state).glob("journal.db*"))
    assert b"abcdefgh12345678" not in written
    assert b"a1a1a1a1" not in written
    assert b"[redacted:github:40:" in written


def test_late_answers_belong_to_their_record(tmp_path: Path) -> None:
    place = Place(tmp_path)
    hook = Hook(name="late", events=("Stop",), action=Command(command="echo password=late-secret-1"), background=True)
    place.engine.register(hook)

    async def fired() -> None:
        await place.engine.fire(Stop(session_id="s", cwd=str(tmp_path)))
        await place.engine.drain(10)

    asyncio.run(fired())
    (found,) = place.records()
    with Reader(place.folders.state) as reader:
        (late,) = reader.late(str(found["id"]))
    assert (late["hook"], late["status"]) == ("late", "ok")
    assert str(late["stdout"]).startswith("password=[redacted:")
    assert [run["status"] for run in found["runs"]] == ["late"]


def test_the_configuration_is_kept_once_and_tells_why_not(place: Place) -> None:
    place.engine.on("PreToolUse", name="for-write", match="Write")(lambda event: None)
    place.engine.on("Stop", name="for-stop")(lambda event: None)
    place.fire(bash("ls"))
    place.fire(bash("ls -l"))
    first, second = place.records()
    assert first["config"] == second["config"]
    place.engine.on("PreToolUse", name="another")(lambda event: None)
    place.fire(bash("ls"))
    assert place.records()[-1]["config"] != first["config"]
    with Reader(place.folders.state) as reader:
        config = reader.config(str(first["config"]))
    assert config is not None
    why = {item.hook.name: item.detail for item in planner_of(config, lookup).explain(event_of(first, lookup))}
    assert why == {"for-write": "its matcher 'Write' does not match 'Bash'", "for-stop": "it is for Stop"}


def test_an_event_is_made_again_from_its_record(place: Place) -> None:
    made = [
        bash("ls"),
        UserPromptSubmit(session_id="s", prompt="hi", mentioned_files=("a", "b")),
        lookup("claude-code").decode_event(
            {
                "hook_event_name": "PreToolUse",
                "session_id": "c",
                "tool_name": "Edit",
                "tool_input": {"file_path": "/a"},
            },
            None,
        ),
        lookup("claude-code").decode_event({"hook_event_name": "BrandNew", "session_id": "c", "x": [1]}, None),
    ]
    for event in made:
        place.fire(event)
    for before, item in zip(made, place.records(), strict=True):
        after = event_of(item, lookup)
        assert type(after) is type(before)
        for name in ("name", "session_id", "agent", "cwd", "native", "tool_input", "prompt", "mentioned_files"):
            assert getattr(after, name, None) == getattr(before, name, None), name


def test_the_merge_can_be_told_step_by_step(place: Place) -> None:
    place.engine.on("PreToolUse", name="a")(lambda event: Verdict.allow())
    place.engine.on("PreToolUse", name="b")(lambda event: Verdict.ask("hm"))
    place.engine.on("PreToolUse", name="c")(lambda event: Verdict.approve())
    place.fire(bash("ls"))
    (found,) = place.records()
    steps = merge_steps(found, event_of(found, lookup))
    assert [(step.hook, step.said.decision, step.sofar.decision) for step in steps] == [
        ("a", Decision.ALLOW, Decision.ALLOW),
        ("b", Decision.ASK, Decision.ASK),
        ("c", Decision.APPROVE, Decision.ASK),
    ]


def test_hooks_are_described_without_their_secrets_and_back() -> None:
    source = Source(dialect="claude-code", layer=Layer.USER, path="/h/settings.json", pointer=("hooks", 0))
    plain = [
        Hook(name="a", events=("Stop",), action=Command(command="make test"), timeout=3.0, source=source, pure=True),
        Hook(name="b", events=("PreToolUse",), action=Argv(argv=("a", "b")), paths=("*.py",), priority=3),
    ]
    assert [hook_from(hook_json(hook)) for hook in plain] == plain
    action = Http(url="https://x", headers={"X-Auth": "hunter2"})
    assert "hunter2" not in str(hook_json(Hook(name="h", events=("Stop",), action=action, env={"A": "hunter2"})))


def test_a_short_lived_process_records_at_its_close(tmp_path: Path) -> None:
    place = Place(tmp_path, resident=False)
    place.fire(bash("ls"))
    assert place.seen() == []
    place.recorder.close()
    assert len(place.seen()) == 1
