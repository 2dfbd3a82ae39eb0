"""Hypothesis strategies for the values of the engine."""

from hypothesis import strategies as st

from omnihook import dialects
from omnihook.dialect import EFFECT_NAMES, Effects
from omnihook.hooks import Command, Hook
from omnihook.outcomes import Outcome
from omnihook.verdicts import Decision, Verdict

words = st.text("abcdef", min_size=1, max_size=4)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
inputs = st.dictionaries(words, json_values, max_size=4)
effects = st.builds(Effects, **dict.fromkeys(EFFECT_NAMES, st.booleans()))


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    return Verdict(
        decision=draw(st.sampled_from(Decision)),
        reason=draw(st.none() | words),
        continue_=draw(st.booleans()),
        stop_reason=draw(st.none() | words),
        updated_input=draw(st.none() | inputs),
        partial=draw(st.booleans()),
        updated_output=draw(st.none() | json_values),
        additional_context=draw(st.none() | words),
        system_message=draw(st.none() | words),
        suppress_output=draw(st.booleans()),
        ordinary=draw(st.booleans()),
    )


@st.composite
def outcomes(draw: st.DrawFn, *, saw: dict[str, object]) -> Outcome:
    name = draw(words)
    hook = Hook(name=name, events=("PreToolUse",), action=Command(command="true"))
    return Outcome(hook=hook, verdict=draw(verdicts()), saw=saw)


every_dialect = [dialects.get(name) for name in dialects.names()]
