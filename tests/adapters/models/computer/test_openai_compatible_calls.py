"""Every way in which a model is known to write a call, and that nothing else is taken for one."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.models.computer.call_arguments import HeldKeys
from adapters.models.computer.openai_compatible_moves import MAX_ANSWER, TOOLS, Call, Moves, find_call
from config.prompts import load_prompt
from core.errors import InvalidCall

BODY = '{"name": "done", "arguments": {"result": "it {is} <b>saved</b>", "task_memory": ""}}'
DONE = Call("done", {"result": "it {is} <b>saved</b>", "task_memory": ""})
XML = (
    "<tool_call>\n<function=done>\n<parameter=result>\nit {is} <b>saved</b>\n</parameter>\n"
    "<parameter=task_memory>\n\n</parameter>\n</function>\n</tool_call>"
)


@pytest.mark.parametrize(
    "content",
    [
        f"<tool_call>\n{BODY}\n</tool_call>",
        f"Action: End it.\n<tool_call>{BODY}</tool_call>\nThat was it.",
        f"<tool_call>\n{BODY}",
        f"<tool_call>\n{BODY[:-1]}\n</tool_call>",
        f"<tool_call>\n{BODY[:-1]}",
        f"<tool_call>\n{BODY}}}\n</tool_call>",
        f"<tool_call>```json\n{BODY}\n```</tool_call>",
        f"<tool_call>```json\n{BODY[:-1]}\n```</tool_call>",
        f'<think>Or <tool_call>{{"name": "ask"}}</tool_call>?</think>\n<tool_call>\n{BODY}\n</tool_call>',
        f"The screen shows it.</think><tool_call>{BODY}</tool_call>",
        XML,
        XML.replace("</function>\n</tool_call>", ""),
        XML.replace(">\n", ">").replace("\n<", "<"),
        BODY,
        f"```json\n{BODY}\n```",
        f'I see {{a form}} and {{}} with {{"x": 1}}. {BODY}',
        f"<tool_call>{BODY}</tool_call><tool_call>{BODY.replace('done', 'ask')}</tool_call>",
        "<tool_call>" + json.dumps({"name": "done", "arguments": json.dumps(DONE.arguments)}) + "</tool_call>",
    ],
)
def test_a_call_is_found_in_every_dialect(content: str) -> None:
    assert find_call(content) == DONE


def test_a_native_call_is_taken_where_the_text_holds_none() -> None:
    native = [("done", json.dumps(DONE.arguments))]
    assert find_call("", native) == DONE
    assert find_call("I am done.", native) == DONE
    assert find_call(XML, [("ask", "{}")]) == DONE


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no tool call"),
        ("I would click Save.", "no tool call"),
        (f"<think>{BODY}", "no tool call"),
        (f"<think><tool_call>{BODY}</tool_call></think> Hm.", "no tool call"),
        ("<tool_call>left_click at 500, 300</tool_call>", "must be one JSON object"),
        ('<tool_call>{"name": "done", "arguments": {"result": "cut', "no valid JSON"),
        (BODY[: len(BODY) // 2], "not valid"),
        ('<tool_call>{"name": "rm", "arguments": {}}</tool_call>', "no tool 'rm'"),
        ('<tool_call>{"name": "done"}</tool_call>', "no JSON object"),
        ('<tool_call>{"name": "done", "arguments": [1]}</tool_call>', "no JSON object"),
        ('<tool_call>{"name": "done", "arguments": "{"}</tool_call>', "no valid JSON"),
        ('{"action": "left_click", "coordinate": [1, 2]}', "no tool call"),
        ("<tool_call><function=done><parameter=result>saved</function></tool_call>", "is not closed"),
        ("<tool_call>" + '{"a":' * 100_000 + "</tool_call>", "longer than"),
        ("<tool_call>" + '{"a":' * 30_000, "nested"),
        ("<tool_call>[" + "1" * 5000 + "]", "must be one JSON object"),
        ('{"name": "done", "arguments": {"n": ' + "1" * 5000 + "}}", "not valid"),
        ("{" * 50_000, "not valid"),
        ("<tool_call><function=done>" + "<parameter=a>" * 10_000, "not closed"),
        ("x" * (MAX_ANSWER + 1), "longer than"),
    ],
)
def test_what_is_no_call_is_refused_with_words_that_say_why(content: str, words: str) -> None:
    with pytest.raises(InvalidCall, match=words) as caught:
        find_call(content)
    assert len(caught.value.message) < 400


PIECES = st.lists(
    st.sampled_from(
        [
            "<tool_call>", "</tool_call>", "<think>", "</think>", "{", "}", '"', "[", "]", ":", ",", "\n", "```json",
            '"name"', '"arguments"', '"done"', '"computer_use"', "<function=done>", "</function>", "<parameter=result>",
            "</parameter>", "NaN", "1e999", "\\u0000", BODY, "x",
        ]
    )
    | st.text(max_size=8)
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(PIECES)
def test_no_answer_crashes_the_parser_or_makes_it_invent_a_call(pieces: list[str]) -> None:
    content = "".join(pieces)
    with contextlib.suppress(InvalidCall):
        call = find_call(content)
        assert call.name in TOOLS
        assert call.name in content
        for name, value in call.arguments.items():
            if isinstance(value, str) and value.isalnum():
                assert value in content
            assert not name.isalnum() or name in content


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = (
    *("action", "coordinate", "start_coordinate", "coordinate2", "keys", "text", "pixels", "time", "status"),
    *("observation", "task_memory", "result", "value", "variable_name", "query", "question", "succeeded"),
)
ACTIONS = ("key", "key_down", "type", "left_click", "left_click_drag", "scroll", "hscroll", "wait", "terminate")


@pytest.mark.nightly
@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(TOOLS),
    st.dictionaries(st.sampled_from(NAMES), JSON),
    st.sampled_from(ACTIONS) | JSON,
    st.lists(st.integers(-10, 1010) | st.floats(), min_size=2, max_size=2) | JSON,
)
def test_no_arguments_crash_the_reader_or_leave_the_screen(
    name: str, arguments: dict[str, Any], action: Any, coordinate: Any
) -> None:
    reported = {"observation": "x", "task_memory": "", "action": action, "coordinate": coordinate, **arguments}
    with contextlib.suppress(InvalidCall):
        move = Moves((800, 600), lambda: None, HeldKeys()).understand(Call(name, reported)).move
        at = getattr(move, "at", None)
        assert at is None or (0 <= at.x < 800 and 0 <= at.y < 600)


def test_the_prompt_offers_what_is_understood_and_nothing_else() -> None:
    prompt = load_prompt("computer_use_tagged").text
    lines = prompt.partition("<tools>\n")[2].partition("\n</tools>")[0].splitlines()
    tools = {tool["name"]: tool["parameters"] for tool in (json.loads(line)["function"] for line in lines)}
    # What is cached is offered with the options themselves, when there are any.
    assert set(tools) | {"reload_cached"} == set(TOOLS)
    values: dict[str, Any] = {
        "keys": ["ctrl"], "text": "x", "coordinate": [1, 2], "start_coordinate": [3, 4], "pixels": 100, "time": 1,
        "observation": "x", "task_memory": "", "variable_name": "extract_0", "query": "q", "result": "r",
        "question": "q",
    }  # fmt: skip
    for name, parameters in tools.items():
        actions = parameters["properties"].get("action", {"enum": [None]})["enum"]
        for action in actions:
            required = {key: values[key] for key in parameters["required"] if key != "action"}
            given_all = {**values, **required, "action": action} if name == "computer_use" else required
            Moves((800, 600), lambda: None, HeldKeys()).understand(Call(name, given_all))
        for key in parameters["required"]:
            left = {other: values.get(other, "wait") for other in parameters["required"] if other != key}
            with pytest.raises(InvalidCall, match=key):
                Moves((800, 600), lambda: None, HeldKeys()).understand(Call(name, left))
    [example] = [find_call(prompt.rpartition("\n\nAction:")[2])]
    assert example.name == "computer_use"
