import asyncio
from pathlib import Path

import pytest

from omnihook import Engine, Passage, UsageError, Verdict, gate
from omnihook.events import Event, PreToolUse, SessionStart, Stop, UserPromptSubmit


@pytest.fixture
def engine() -> Engine:
    return Engine(files=False)


def blocking(engine: Engine, event: str, texts: list[str | None]) -> None:
    """A hook that says these things one after the other, then nothing."""
    queue = iter(texts)

    @engine.on(event)
    def speak(event: Event) -> Verdict | None:
        text = next(queue, None)
        return None if text is None else Verdict.block(text)


def run(engine: Engine, event: Event, **options: int) -> tuple[Passage, list[str]]:
    fed: list[str] = []

    async def feed(text: str) -> None:
        fed.append(text)
        await engine.fire(PreToolUse(session_id="s", tool_name="Bash"))

    return asyncio.run(gate(engine, event, feed, **options)), fed


def test_a_block_is_fed_back_until_it_passes(engine: Engine) -> None:
    blocking(engine, "Stop", ["tests fail", "lint fails"])
    passage, fed = run(engine, Stop(session_id="s"))
    assert fed == ["tests fail", "lint fails"]
    assert (passage.blocks, passage.gave_up, passage.refused) == (2, False, False)


def test_a_stop_that_is_always_blocked_ends_at_the_limit(engine: Engine) -> None:
    blocking(engine, "Stop", [f"reason {n}" for n in range(20)])
    passage, fed = run(engine, Stop(session_id="s"))
    assert len(fed) == 5
    assert (passage.gave_up, passage.refused) == (True, False)
    assert "the agent may stop" in passage.report.notices[-1]


def test_the_same_text_twice_with_nothing_done_ends_at_once(engine: Engine) -> None:
    blocking(engine, "Stop", ["same"] * 9)
    fed: list[str] = []
    passage = asyncio.run(gate(engine, Stop(session_id="s"), fed.append))
    assert (fed, passage.gave_up) == (["same"], True)


def test_the_same_text_is_fine_while_the_agent_works(engine: Engine) -> None:
    blocking(engine, "Stop", ["same"] * 3)
    passage, fed = run(engine, Stop(session_id="s"))
    assert (len(fed), passage.gave_up) == (3, False)


def test_hooks_are_told_whether_a_stop_hook_is_active(engine: Engine) -> None:
    flags: list[bool | None] = []

    @engine.on("Stop")
    def look(event: Stop) -> Verdict | None:
        flags.append(event.stop_hook_active)
        return Verdict.block(f"n{len(flags)}") if len(flags) < 3 else None

    run(engine, Stop(session_id="s", stop_hook_active=True))
    run(engine, Stop(session_id="s"))
    assert flags == [False, True, True, False]


def test_a_prompt_resets_the_count(engine: Engine) -> None:
    blocking(engine, "Stop", [f"r{n}" for n in range(20)])
    run(engine, Stop(session_id="s"))
    asyncio.run(engine.fire(UserPromptSubmit(session_id="s", prompt="again")))
    _, fed = run(engine, Stop(session_id="s"))
    assert len(fed) == 5


def test_a_session_that_may_not_start_is_refused_at_the_limit(engine: Engine) -> None:
    blocking(engine, "SessionStart", ["no node"] * 20)
    passage, fed = run(engine, SessionStart(session_id="s"))
    assert fed == ["no node"] * 5
    assert (passage.gave_up, passage.refused) == (True, True)
    assert run(Engine(files=False), SessionStart())[0].refused is False


def test_the_limit_can_be_given(engine: Engine) -> None:
    blocking(engine, "SessionStart", ["x"] * 20)
    assert run(engine, SessionStart(session_id="s"), limit=2)[1] == ["x", "x"]


def test_a_block_without_words_ends_at_once(engine: Engine) -> None:
    blocking(engine, "SessionStart", [""])
    passage, fed = run(engine, SessionStart(session_id="s"))
    assert (fed, passage.gave_up) == ([], True)


def test_context_of_a_gate(engine: Engine, tmp_path: Path) -> None:
    @engine.on("SessionStart")
    def tell(event: Event) -> Verdict:
        return Verdict.context("OS: Linux")

    assert run(engine, SessionStart())[0].context == "OS: Linux"


@pytest.mark.parametrize("text", ["", "  \n", "tests fail"])
@pytest.mark.parametrize("limit", [None, 0, 1])
def test_a_turn_may_always_end(engine: Engine, text: str, limit: int | None) -> None:
    blocking(engine, "Stop", [text] * 20)
    passage, fed = run(engine, Stop(session_id="s"), **({} if limit is None else {"limit": limit}))
    assert (passage.gave_up, passage.refused) == (True, False)
    assert all(fed)
    assert text.strip() or not fed


@pytest.mark.parametrize("limit", [-1, "5", True])
def test_a_limit_that_is_no_count_is_refused(engine: Engine, limit: int) -> None:
    with pytest.raises(UsageError, match="limit must be"):
        run(engine, Stop(session_id="s"), limit=limit)
