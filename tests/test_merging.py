import random

from hypothesis import given
from hypothesis import strategies as st

from omnihook.hooks import Command, Hook, Source
from omnihook.merging import join_verdicts, merge
from omnihook.outcomes import Outcome
from omnihook.rewrites import fold
from omnihook.verdicts import NO_OPINION, Decision, Verdict
from strategies import inputs, outcomes

SAW = {"command": "ls", "description": "list"}


def outcome(verdict: Verdict, name: str = "a", *, saw: dict[str, object] = SAW, joiner: str = "\n") -> Outcome:
    hook = Hook(name=name, events=("PreToolUse",), action=Command(command="true"))
    return Outcome(hook=hook, verdict=verdict, saw=saw, joiner=joiner)


@given(st.lists(outcomes(saw=SAW), max_size=6), st.randoms())
def test_the_decision_does_not_depend_on_order(found: list[Outcome], rng: random.Random) -> None:
    shuffled = list(found)
    rng.shuffle(shuffled)
    one, other = merge(found, SAW).verdict, merge(shuffled, SAW).verdict
    assert one.decision is other.decision
    assert one.continue_ is other.continue_
    assert one.suppress_output is other.suppress_output


@given(st.lists(outcomes(saw=SAW), max_size=6))
def test_the_strongest_decision_wins(found: list[Outcome]) -> None:
    strongest = max((o.verdict.decision for o in found), default=Decision.NONE)
    assert merge(found, SAW).verdict.decision is strongest


@given(st.lists(outcomes(saw=SAW), max_size=4))
def test_merging_a_merge_changes_nothing(found: list[Outcome]) -> None:
    merged = merge(found, SAW).verdict
    assert merge([outcome(merged)], SAW).verdict.decision is merged.decision
    again = merge([outcome(merged)], SAW).verdict
    assert (again.updated_input, again.additional_context) == (merged.updated_input, merged.additional_context)


@given(inputs, inputs)
def test_a_whole_replacement_is_what_comes_out(saw: dict[str, object], new: dict[str, object]) -> None:
    verdict = Verdict(updated_input=new, partial=False)
    made = fold([outcome(verdict, saw=saw)], saw)
    assert (saw if made is None else made) == new


def test_the_first_hook_in_plan_order_gives_the_reason() -> None:
    found = [outcome(Verdict.deny("one")), outcome(Verdict.block("two")), outcome(Verdict.block("three"))]
    assert merge(found, SAW).verdict == Verdict(decision=Decision.BLOCK, reason="two")


def test_a_refusal_without_words_borrows_those_of_other_refusals() -> None:
    found = [outcome(Verdict.block()), outcome(Verdict.deny("x")), outcome(Verdict.deny("y"))]
    assert merge(found, SAW).verdict.reason == "x; y"


def test_messages_are_the_last_and_contexts_are_joined() -> None:
    found = [
        outcome(Verdict(system_message="a", additional_context="one")),
        outcome(Verdict(system_message="b", additional_context="two")),
        outcome(Verdict(stop_reason=None, additional_context="three")),
    ]
    made = merge(found, SAW).verdict
    assert (made.system_message, made.additional_context) == ("b", "one\ntwo\nthree")


def test_contexts_of_different_dialects_are_apart_by_a_blank_line() -> None:
    one = outcome(Verdict.context("one"))
    hook = Hook(name="b", events=(), action=Command(command=""), source=Source(dialect="claude-code"))
    other = Outcome(hook=hook, verdict=Verdict.context("two"), saw=SAW)
    assert merge([one, other], SAW).verdict.additional_context == "one\n\ntwo"


def test_patches_of_different_keys_fold() -> None:
    found = [outcome(Verdict.rewrite(command="ls -l")), outcome(Verdict.rewrite(timeout=5))]
    made = merge(found, SAW)
    assert made.verdict.updated_input == {"command": "ls -l", "description": "list", "timeout": 5}
    assert made.conflicts == ()


def test_the_same_key_changed_twice_is_a_conflict_that_plan_order_decides() -> None:
    found = [outcome(Verdict.rewrite(command="a"), "first"), outcome(Verdict.rewrite(command="b"), "second")]
    made = merge(found, SAW)
    assert made.verdict.updated_input == {"command": "b", "description": "list"}
    assert made.conflicts == ("'command' changed by first and again by second: the later stands",)


def test_a_hook_that_saw_the_change_may_change_it_again() -> None:
    first = outcome(Verdict.rewrite(command="a"), "first")
    second = outcome(Verdict.rewrite(command="b"), "second", saw={"command": "a", "description": "list"})
    assert merge([first, second], SAW).conflicts == ()


def test_a_rewrite_that_changes_nothing_is_none() -> None:
    assert merge([outcome(Verdict.rewrite(command="ls"))], SAW).verdict.updated_input is None


def test_only_demanding_asks_demand_a_prompt() -> None:
    ordinary = Verdict(decision=Decision.ASK, ordinary=True)
    assert merge([outcome(ordinary), outcome(Verdict.approve())], SAW).verdict.ordinary
    assert not merge([outcome(ordinary), outcome(Verdict.ask())], SAW).verdict.ordinary


def test_nothing_said_is_no_opinion() -> None:
    assert merge([outcome(NO_OPINION)], SAW).verdict is NO_OPINION


def test_later_dispatches_add_words_but_no_decision() -> None:
    made = join_verdicts(Verdict.deny("no"), [Verdict.block("late"), Verdict.context("more")])
    assert (made.decision, made.additional_context) == (Decision.DENY, "late\nmore")
