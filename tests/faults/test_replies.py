"""F16, F18, R7: what hooks print, through the engine. Every output has one documented outcome, and none crashes.

`none` is no opinion from a hook that ran well; `broken` is a reply nobody can read: a plain hook lets the agent
go on with a notice, a guard refuses.
"""

import asyncio
import json
import string
import warnings

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from faults.kit import BASH, Machine, argv, fire, shell
from omnihook import Decision, dialects
from omnihook.dialect import Failure, Raw
from omnihook.events import SessionStart
from omnihook.hooks import Cause
from omnihook.outcomes import Outcome, Report, Status
from omnihook.running import consequence

DENY = '{"decision":"block","reason":"no"}'
NESTED = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'
BOM = "\ufeff"


def specific(**values: object) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **values}})


# id -> (what the hook prints, the outcome, and Claude Code's where it differs)
OUTPUTS: dict[str, tuple[bytes | str, str] | tuple[bytes | str, str, str]] = {
    "nothing": ("", "none"),
    "blanks": (" \r\n\t \n", "none"),
    "words": ("all fine\n", "none"),
    "the word deny": ("deny", "none"),
    "a quoted word": ('"deny"', "none"),
    "null": ("null", "none"),
    "true": ("true", "none"),
    "a number": ("2", "none"),
    "NaN": ("NaN", "none"),
    "an empty list": ("[]", "none"),
    "a list of replies": (f"[{DENY}]", "broken"),
    "an empty object": ("{}", "none"),
    "a reply": (DENY, "block"),
    "a reply and a line break": (DENY + "\r\n", "block"),
    "a reply with line breaks inside": (json.dumps(json.loads(DENY), indent=2).replace("\n", "\r\n"), "block"),
    "a reply after blanks": ("\n\n  " + DENY, "block"),
    "a reply after a mark": (BOM + DENY, "block"),
    "a reply after a mark and blanks": (BOM + " \n" + DENY, "block"),
    "a reply after blanks and a mark": (" " + BOM + DENY, "block"),
    "a nested reply": (NESTED, "deny"),
    "half a reply": (DENY[:14], "broken"),
    "a reply without its end": (DENY[:-1], "broken"),
    "an open brace": ("{", "broken"),
    "a closing brace": ("}", "none"),
    "two replies": (DENY + DENY, "broken"),
    "two replies on two lines": (DENY + "\n" + "{}\n", "broken"),
    "an approval, then a reply": ('{"decision":"approve"}\n' + DENY, "broken"),
    "words, then a reply": ("Checking the command\n" + DENY, "broken"),
    "a reply, then words": (DENY + "\nbye", "broken"),
    "a fenced reply": ("```json\n" + DENY + "\n```", "broken"),
    "a reply in words of one line": ("result: " + DENY, "broken"),
    "a reply after a warning": ("(node:1) Warning: x\n" + NESTED, "broken"),
    "a comment": ("{/* no */" + DENY[1:], "broken"),
    "a trailing comma": (DENY[:-1] + ",}", "broken"),
    "single quotes": (DENY.replace('"', "'"), "broken"),
    "a bare key": ("{decision:'block'}", "broken"),
    "a decision twice": ('{"decision":"block","decision":"approve"}', "broken"),
    "a nested key twice": (
        NESTED.replace('"permissionDecision"', '"permissionDecision":"allow","permissionDecision"'),
        "broken",
    ),
    "NaN inside": ('{"decision":"block","x":NaN}', "broken"),
    "infinity inside": ('{"decision":"block","x":-Infinity}', "broken"),
    "a number too large": ('{"decision":"block","x":1e999}', "broken"),
    "an int of 5000 digits": ('{"decision":"block","x":' + "9" * 5000 + "}", "broken"),
    "an int of 4000 digits": ('{"decision":"block","x":' + "9" * 4000 + "}", "block"),
    "100000 lists": ('{"decision":"block","x":' + "[" * 100_000 + "]" * 100_000 + "}", "broken"),
    "100000 objects": ('{"a":' * 100_000 + "1" + "}" * 100_000, "broken"),
    "lists that never close": ('{"decision":"block","x":' + "[" * 100_000, "broken"),
    "900 lists in an update": (specific(updatedInput={"a": 0}).replace(" 0", "[" * 900 + "]" * 900), "broken"),
    "150 lists in an update": (specific(updatedInput={"a": 0}).replace(" 0", "[" * 150 + "]" * 150), "rewrite"),
    "a reply in UTF-16": (DENY.encode("utf-16"), "broken"),
    "a reply in UTF-16 without a mark": (DENY.encode("utf-16-le"), "broken"),
    "a NUL before a reply": (b"\0" + DENY.encode(), "broken"),
    "a NUL after a reply": (DENY.encode() + b"\0", "broken"),
    "a NUL inside a string": (b'{"decision":"block","reason":"a\0b"}', "broken"),
    "an escaped NUL": ('{"decision":"block","reason":"a\\u0000b"}', "block"),
    "a raw line break in a string": ('{"decision":"block","reason":"a\nb"}', "broken"),
    "bytes that are not UTF-8": (b'{"decision":"block","reason":"\xff\xfe"}', "block"),
    "a lone surrogate": ('{"decision":"block","reason":"\\ud800"}', "block"),
    "an escape sequence": ('{"decision":"block","reason":"\\u001b]52;c;x\\u0007"}', "block"),
    "bytes that are no text": (bytes(range(256)), "broken"),
    "an unknown decision": ('{"decision":"permit"}', "broken"),
    "a decision in capitals": ('{"decision":"BLOCK"}', "broken"),
    "an empty decision": ('{"decision":""}', "broken"),
    "a null decision": ('{"decision":null}', "none"),
    "a decision that is true": ('{"decision":true}', "broken"),
    "a decision in a list": ('{"decision":["block"]}', "broken"),
    "a decision in an object": ('{"decision":{"behavior":"deny"}}', "broken"),
    "a reason that is a number": ('{"decision":"block","reason":5}', "broken"),
    "continue as a word": ('{"continue":"false"}', "broken"),
    "continue as a number": ('{"continue":0}', "broken"),
    "continue as null": ('{"continue":null}', "none"),
    "continue that is false": ('{"continue":false,"stopReason":"enough"}', "stop"),
    "a stop reason that is a list": ('{"continue":false,"stopReason":["x"]}', "broken"),
    "a message that is an object": ('{"systemMessage":{}}', "broken"),
    "suppress as a word": ('{"suppressOutput":"true"}', "broken"),
    "specifics that are a list": ('{"hookSpecificOutput":[]}', "broken"),
    "specifics that are a word": ('{"hookSpecificOutput":"deny"}', "broken"),
    "another event's specifics": (NESTED.replace("PreToolUse", "PostToolUse"), "broken"),
    "another event's approval": (NESTED.replace("PreToolUse", "Stop").replace("deny", "allow"), "broken"),
    "an event name that is a number": (NESTED.replace('"PreToolUse"', "7"), "broken"),
    "specifics without an event": ('{"hookSpecificOutput":{"permissionDecision":"deny"}}', "deny", "broken"),
    "an unknown permission": (specific(permissionDecision="permit"), "broken"),
    "a permission that is false": (specific(permissionDecision=False), "broken"),
    "a permission reason that is a number": (
        specific(permissionDecision="allow", permissionDecisionReason=1),
        "broken",
    ),
    "an approval": (specific(permissionDecision="allow"), "approve"),
    "an approval beside a block": (
        '{"decision":"block","reason":"no",' + specific(permissionDecision="allow")[1:],
        "block",
    ),
    "a question": (specific(permissionDecision="ask"), "ask"),
    "an update that is a list": (specific(permissionDecision="allow", updatedInput=["rm"]), "broken"),
    "an update that is a word": (specific(permissionDecision="allow", updatedInput="rm"), "broken"),
    "an update of another type": (specific(updatedInput={"command": 5}), "broken"),
    "context that is a number": (specific(additionalContext=5), "broken"),
    "a behaviour without a word": (specific(decision={"message": "x"}), "broken"),
    "another agent's word": ('{"permission":"deny"}', "broken"),
    "a permission outside its place": ('{"permissionDecision":"deny"}', "broken"),
    "keys nobody knows": ('{"verdict":"block","x":{"y":[1]}}', "none"),
}
CASES = [pytest.param(*row[:2], *(row[2:] or row[1:2]), id=name) for name, row in OUTPUTS.items()]
REFUSING = (Decision.DENY, Decision.BLOCK)


def outcome_word(outcome: Outcome) -> str:
    verdict = outcome.verdict
    if outcome.failure is not None:
        assert outcome.failure.cause is Cause.OUTPUT
        assert outcome.status is Status.BROKEN
        return "broken"
    if not verdict.continue_:
        return "stop"
    if verdict.updated_input is not None:
        return "rewrite"
    return verdict.decision.word or "none"


def test_the_table_is_long_enough() -> None:
    assert len(OUTPUTS) >= 60


@pytest.mark.parametrize(("printed", "native", "claude"), CASES)
def test_every_output_has_its_outcome(box: Machine, printed: bytes | str, native: str, claude: str) -> None:
    """F16, F18, R7: through real processes, in two dialects, as a plain hook and as a guard."""
    file = box.write("reply", printed if isinstance(printed, bytes) else printed.encode("utf-8", "surrogatepass"))
    for dialect, wanted in (("omnihook", native), ("claude-code", claude)):
        plain, guard = _both(box, str(file), dialect)
        assert outcome_word(plain.outcomes[0]) == wanted, dialect
        assert outcome_word(guard.outcomes[0]) == wanted, dialect
        if wanted == "broken":
            assert plain.verdict.decision is Decision.NONE
            assert any("broke" in notice for notice in plain.notices)
            assert guard.verdict.decision is Decision.DENY
            assert "broke" in (guard.verdict.reason or "")
        else:
            assert plain.verdict == guard.verdict
            assert plain.notices == guard.notices == ()


def _both(box: Machine, path: str, dialect: str) -> tuple[Report, Report]:
    async def run() -> tuple[Report, Report]:
        made = []
        for guard in (False, True):
            engine = box.engine(files=False)
            engine.register(argv("cat", path, dialect=dialect, guard=guard))
            made.append(await engine.fire(BASH))
        return made[0], made[1]

    return asyncio.run(run())


@pytest.mark.parametrize("dialect", ["omnihook", "claude-code"])
def test_plain_text_that_begins_like_json_is_still_context_where_words_are(box: Machine, dialect: str) -> None:
    """F16: the words are not lost to the agent, and the trouble is not lost to the user."""
    file = box.write("reply", "{not json at all")
    engine = box.engine(files=False)
    engine.register(shell(f"cat {file}", "SessionStart", dialect=dialect))
    report = fire(engine, SessionStart(session_id="s", source="startup"))
    heard = "{not json at all" if dialect == "claude-code" else None
    assert report.verdict.additional_context == heard
    assert any("broke" in notice for notice in report.notices)


@pytest.mark.parametrize("dialect", ["omnihook", "claude-code"])
@pytest.mark.parametrize("code", [1, 3, 7, 255])
def test_an_approval_beside_a_failing_exit_never_approves_for_a_guard(box: Machine, dialect: str, code: int) -> None:
    """R9: who broke has not approved."""
    engine = box.engine(files=False)
    approval = specific(permissionDecision="allow")
    engine.register(shell(f"printf '%s' '{approval}'; exit {code}", dialect=dialect, guard=True))
    report = fire(engine)
    assert report.verdict.decision is Decision.DENY
    assert "broke" in (report.verdict.reason or "")


def _decided(dialect: str, printed: bytes, code: int, *, guard: bool) -> Decision:
    """The decision after `on_error`, without the process around it."""
    made = dialects.get(dialect)
    hook = argv("x", dialect=dialect, guard=guard)
    raw = Raw(exit_code=code, stdout=printed.decode("utf-8", "surrogateescape"))
    answer = made.decode_reply(hook, BASH, raw)
    if isinstance(answer, Failure):
        answer = consequence(hook, BASH, answer, made)
    return answer.decision


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A refusing reply with some of its bytes changed, dropped, doubled or moved."""
    data = bytearray(draw(st.sampled_from([DENY, NESTED, json.dumps(json.loads(NESTED), indent=1)])).encode())
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 4)):
            case 0:
                data[place : place + 1] = bytes([draw(st.integers(0, 255))])
            case 1:
                del data[place : place + draw(st.integers(1, 12))]
            case 2:
                data[place:place] = draw(st.binary(min_size=1, max_size=4))
            case 3:
                data[place:place] = data[: draw(st.integers(0, len(data)))]
            case _:
                del data[place:]
    return bytes(data)


MISSPELT = (
    '{"decison": "deny"}',
    '{"Decision": "deny", "reason": "r"}',
    '{"continue": true, "desicion": "block"}',
    '{"contnue": false}',
    '{"hookspecificoutput": {"permissionDecision": "deny"}}',
    '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissonDecision": "deny"}}',
    '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatdInput": {"command": "ls"}}}',
    '"decision": "deny", "reason": "r"}',
    'cision":"deny","reason":"r"}',
    '["decision": "deny"}',
)


@pytest.mark.parametrize("dialect", ["omnihook", "claude-code"])
@pytest.mark.parametrize("text", MISSPELT)
def test_a_misspelt_or_torn_refusal_is_broken_and_not_silent(text: str, dialect: str) -> None:
    """F16, R7: who misspells a refusal, or loses its first letters, has not agreed."""
    assert _decided(dialect, text.encode(), 0, guard=True) in REFUSING
    assert _decided(dialect, text.encode(), 0, guard=False) is Decision.NONE


@pytest.mark.parametrize("dialect", ["autohand", "codemie", "code-agent"])
@pytest.mark.parametrize("text", [MISSPELT[0], MISSPELT[7]])
def test_no_dialect_takes_a_misspelt_or_torn_decision_for_silence(text: str, dialect: str) -> None:
    """F16, R7: the same wherever decisions are read."""
    assert _decided(dialect, text.encode(), 0, guard=True) in REFUSING


@pytest.mark.parametrize(
    "text",
    [
        '{"description": "x", "version": 2, "permissionDecisionReason": "r", "decisionReason": "r"}',
        '{"suppressOutput": true, "systemMessage": "hello", "data": {"decison": 1}}',
        'checked: a "quoted": word',
        "all is well {}",
        "function f() {\n  return 1\n}",
    ],
)
def test_other_keys_and_words_are_no_mistake(text: str) -> None:
    assert _decided("omnihook", text.encode(), 0, guard=True) is Decision.NONE


def _says_otherwise(data: bytes) -> bool:
    """Whether this is one JSON object, each key once, in which no refusal is left to be heard."""

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    try:
        value = json.loads(data.decode("utf-8", "surrogateescape").strip("\ufeff \t\r\n"), object_pairs_hook=once)
    except (ValueError, AssertionError, RecursionError):
        return False
    if not isinstance(value, dict):
        return True
    inner = value.get("hookSpecificOutput")
    refusing = {value.get("decision") if isinstance(value.get("decision"), str) else None}
    if isinstance(inner, dict) and isinstance(inner.get("permissionDecision"), str):
        refusing.add(inner["permissionDecision"])
    return not refusing & {"block", "deny"}


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=mutated(), dialect=st.sampled_from(["omnihook", "claude-code"]))
@example(data=b"", dialect="omnihook")
@example(data=DENY.encode()[:-1], dialect="claude-code")
@example(data=b"x" + DENY.encode(), dialect="claude-code")
@example(data=NESTED.replace('"perm', '"\tperm', 1).replace("{", "\x01", 1).encode(), dialect="omnihook")
def test_no_mutated_reply_of_a_guard_is_weaker_than_its_on_error(data: bytes, dialect: str) -> None:
    """F18, R7, R9: a damaged refusal refuses, unless what is left legitimately says something else."""
    decision = _decided(dialect, data, 0, guard=True)
    if decision in REFUSING:
        return
    assert decision is not Decision.APPROVE
    assert _says_otherwise(data) or not _looks_decisive(data), data


def _looks_decisive(data: bytes) -> bool:
    """Whether a key that decides survives anywhere; without one there is nothing left that was refused."""
    text = data.decode("utf-8", "surrogateescape")
    squeezed = "".join(char for char in text if char not in string.whitespace)
    starts = squeezed.startswith("{")
    return starts or any(
        f'{mark}"{key}":' in squeezed
        for mark in "{,"
        for key in ("decision", "hookSpecificOutput", "permissionDecision")
    )


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.binary(max_size=200), code=st.integers(0, 255), dialect=st.sampled_from(dialects.names()))
def test_no_bytes_make_any_dialect_raise(data: bytes, code: int, dialect: str) -> None:
    """F16: whatever is printed is an answer or a failure, a value in both cases."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(_decided(dialect, data, code, guard=True), Decision)
