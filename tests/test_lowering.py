import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook.dialect import EVERY_EFFECT, Dialect, Effects
from omnihook.lowering import lower
from omnihook.verdicts import NO_OPINION, Decision, Verdict
from strategies import effects, every_dialect, verdicts

PRE_TOOL = Effects(refuse=True, context=True, message=True)


@given(verdicts(), effects, st.booleans())
def test_lowering_never_weakens_what_can_be_refused(verdict: Verdict, possible: Effects, can_ask: bool) -> None:
    made = lower(verdict, possible, "here", can_ask=can_ask).verdict
    if not possible.refuse:
        return
    ordinary = verdict.decision is Decision.ASK and verdict.ordinary
    if verdict.decision >= Decision.ASK and not ordinary:
        assert made.decision >= verdict.decision
    if verdict.updated_input is not None and made.updated_input is None:
        assert made.refused
    if not verdict.continue_:
        assert not made.continue_ or made.refused
    if made.decision is Decision.APPROVE:
        assert verdict.decision is Decision.APPROVE


@given(verdicts(), effects, st.booleans())
def test_what_is_left_can_be_done(verdict: Verdict, possible: Effects, can_ask: bool) -> None:
    made = lower(verdict, possible, "here", can_ask=can_ask).verdict
    assert possible.refuse or not made.refused
    assert possible.approve or made.decision is not Decision.APPROVE
    assert (possible.ask and can_ask) or made.decision is not Decision.ASK
    assert possible.defer or made.decision is not Decision.DEFER
    assert possible.rewrite or made.updated_input is None
    assert possible.output or made.updated_output is None
    assert possible.context or made.additional_context is None
    assert possible.stop or made.continue_
    assert possible.message or made.system_message is None


@given(verdicts(), effects)
def test_lowering_twice_changes_nothing_more(verdict: Verdict, possible: Effects) -> None:
    once = lower(verdict, possible, "here").verdict
    assert lower(once, possible, "here").verdict == once


@given(verdicts(), effects)
def test_every_change_of_a_decision_is_recorded(verdict: Verdict, possible: Effects) -> None:
    made = lower(verdict, possible, "here")
    if made.verdict.decision is not verdict.decision and not verdict.ordinary:
        assert made.notes


@pytest.mark.parametrize("dialect", every_dialect, ids=lambda d: d.name)
@given(verdict=verdicts())
def test_no_agent_gets_a_weaker_verdict_than_was_given(dialect: Dialect, verdict: Verdict) -> None:
    for event, possible in dialect.effects.items():
        made = lower(verdict, possible, f"{event} in {dialect.name}").verdict
        if possible.refuse and verdict.refused:
            assert made.refused


@pytest.mark.parametrize(
    ("verdict", "decision", "note"),
    [
        (Verdict.ask("sure?"), Decision.DENY, "ask -> deny"),
        (Verdict(decision=Decision.DEFER), Decision.DENY, "defer -> deny"),
        (Verdict.rewrite(command="ls"), Decision.DENY, "rewrite -> deny"),
        (Verdict(continue_=False, stop_reason="enough"), Decision.DENY, "stop -> deny"),
        (Verdict.approve(), Decision.ALLOW, "approve -> allow"),
    ],
)
def test_what_cannot_be_said_becomes_stricter(verdict: Verdict, decision: Decision, note: str) -> None:
    made = lower(verdict, PRE_TOOL, "PreToolUse in x")
    assert made.verdict.decision is decision
    assert made.notes[0].startswith(note)


def test_an_ordinary_ask_is_left_to_the_host() -> None:
    ask = Verdict(decision=Decision.ASK, ordinary=True)
    assert lower(ask, PRE_TOOL, "x").verdict.decision is Decision.NONE


def test_a_block_that_comes_too_late_is_still_heard() -> None:
    made = lower(Verdict.block("the build broke"), Effects(context=True), "SessionEnd in x")
    assert made.verdict == Verdict(additional_context="the build broke")


def test_context_without_a_place_is_kept() -> None:
    made = lower(Verdict.context("branch main"), Effects(), "x")
    assert made.context == "branch main"
    assert made.verdict == NO_OPINION


def test_everything_possible_changes_nothing() -> None:
    verdict = Verdict.block("no")
    assert lower(verdict, EVERY_EFFECT, "x").verdict is verdict
