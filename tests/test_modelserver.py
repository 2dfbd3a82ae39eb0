"""The scripted model is understood by the official clients, streamed tool calls included."""

import json
import time
from collections.abc import Iterator

import anthropic
import openai
import pytest

import modelserver
from modelserver import Call, Model, Reply, calls, fails, garbage, late, says

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
ARGUMENTS = {"city": "Łódź, and a longer text so that it comes in pieces", "days": 3}


@pytest.fixture
def model() -> Iterator[Model]:
    with modelserver.serve() as served:
        yield served


@pytest.fixture
def chat(model: Model) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=model.openai_url, api_key="k1", max_retries=0) as client:
        yield client


@pytest.fixture
def claude(model: Model) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=model.anthropic_url, api_key="k2", max_retries=0) as client:
        yield client


def test_chat_completions_say_text_and_record_the_request(model: Model, chat: openai.OpenAI) -> None:
    model.script(says("hello there"))
    made = chat.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
    assert made.choices[0].message.content == "hello there"
    assert made.usage is not None and made.usage.total_tokens == 12
    (asked,) = model.asked
    assert (asked.api, asked.body["messages"][0]["content"]) == ("chat", "hi")
    assert asked.headers["authorization"] == "Bearer k1"


def test_chat_completions_call_tools(model: Model, chat: openai.OpenAI) -> None:
    model.script(calls("weather", **ARGUMENTS))
    made = chat.chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "hi"}],
        tools=[{"type": "function", "function": {"name": "weather", "parameters": WEATHER}}],
    )
    assert made.choices[0].finish_reason == "tool_calls"
    (call,) = made.choices[0].message.tool_calls or []
    assert call.type == "function"
    assert (call.function.name, json.loads(call.function.arguments)) == ("weather", ARGUMENTS)
    assert model.asked[0].tools == ["weather"]


def test_chat_completions_stream_text_and_tool_calls_in_pieces(model: Model, chat: openai.OpenAI) -> None:
    second = Call(name="other", arguments="{}")
    first = Call(name="weather", arguments=json.dumps(ARGUMENTS))
    model.script(Reply(text="let me look that up", calls=(first, second)))
    text, names, arguments, pieces = "", {}, {0: "", 1: ""}, 0
    stream = chat.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}], stream=True)
    finish = None
    for chunk in stream:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or []:
                assert call.function is not None
                names.setdefault(call.index, call.function.name)
                arguments[call.index] += call.function.arguments or ""
                pieces += 1
    assert (text, finish, names) == ("let me look that up", "tool_calls", {0: "weather", 1: "other"})
    assert (json.loads(arguments[0]), arguments[1]) == (ARGUMENTS, "{}")
    assert pieces > 4


def test_responses_say_text_and_call_tools(model: Model, chat: openai.OpenAI) -> None:
    model.script(says("hello"), calls("weather", **ARGUMENTS))
    assert chat.responses.create(model="m", input="hi").output_text == "hello"
    (item,) = chat.responses.create(model="m", input="hi").output
    assert item.type == "function_call"
    assert (item.name, json.loads(item.arguments)) == ("weather", ARGUMENTS)
    assert [asked.api for asked in model.asked] == ["responses", "responses"]


def test_responses_stream_text_and_tool_calls(model: Model, chat: openai.OpenAI) -> None:
    model.script(Reply(text="one moment", calls=calls("weather", **ARGUMENTS).calls))
    with chat.responses.stream(model="m", input="hi") as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert final.output_text == "one moment"
    item = final.output[1]
    assert item.type == "function_call" and json.loads(item.arguments) == ARGUMENTS
    assert kinds.count("response.function_call_arguments.delta") > 2


def test_messages_say_text_and_use_tools(model: Model, claude: anthropic.Anthropic) -> None:
    model.script(says("hello"), calls("weather", **ARGUMENTS))
    said = claude.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    assert said.content[0].type == "text" and said.content[0].text == "hello"
    used = claude.messages.create(
        model="m",
        max_tokens=9,
        messages=[{"role": "user", "content": "hi"}],
        tools=[{"name": "weather", "input_schema": WEATHER}],
    )
    assert used.stop_reason == "tool_use"
    assert used.content[0].type == "tool_use" and used.content[0].input == ARGUMENTS
    assert model.asked[1].tools == ["weather"]
    assert model.asked[0].headers["authorization"] == "Bearer k2"


def test_messages_stream_text_and_tool_use_in_pieces(model: Model, claude: anthropic.Anthropic) -> None:
    model.script(Reply(text="let me look", calls=calls("weather", **ARGUMENTS).calls))
    with claude.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}]) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_message()
    assert final.content[0].type == "text" and final.content[0].text == "let me look"
    assert final.content[1].type == "tool_use" and final.content[1].input == ARGUMENTS
    assert kinds.count("input_json") > 2


def test_errors_are_the_clients_own_and_an_empty_script_is_one(
    model: Model, chat: openai.OpenAI, claude: anthropic.Anthropic
) -> None:
    model.script(fails(429, "slow down"), fails(529, "overloaded"))
    with pytest.raises(openai.RateLimitError, match="slow down"):
        chat.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
    with pytest.raises(anthropic.InternalServerError, match="overloaded"):
        claude.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    with pytest.raises(openai.BadRequestError, match="the script is over"):
        chat.responses.create(model="m", input="hi")


def test_garbage_and_delays_are_played_as_scripted(model: Model, chat: openai.OpenAI) -> None:
    model.script(garbage(b"<html>"), late(0.2, says("at last")))
    with pytest.raises(ValueError):
        chat.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
    began = time.monotonic()
    made = chat.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
    assert made.choices[0].message.content == "at last"
    assert time.monotonic() - began >= 0.2


def test_a_delay_ends_when_the_client_goes_away(model: Model) -> None:
    model.script(late(60, says("never heard")), says("next"))
    with openai.OpenAI(base_url=model.openai_url, api_key="k", max_retries=0, timeout=0.2) as client:
        with pytest.raises(openai.APITimeoutError):
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
        made = client.with_options(timeout=5).responses.create(model="m", input="again")
    assert made.output_text == "next"
