"""A fake that takes anything proves nothing: each thing that the real ones refuse, refused by ours."""

import base64
import copy
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from adapters.models.computer.screenshots import Limits, show
from tests.adapters.models.computer.screens import draw_form
from tests.fakes.models import anthropic_messages as anthropic
from tests.fakes.models import openai_responses as openai
from tests.fakes.models.anthropic_checks import OPUS_46, OPUS_47, SONNET_55

Change = Callable[[dict[str, Any]], object]

BETA = "computer-use-2025-11-24"
OLD = {"type": "computer_20251124", "name": "computer", "display_width_px": 8, "display_height_px": 8}
NEW = {"type": "computer_toolset_20260801"}
MARK = {"cache_control": {"type": "ephemeral"}}


def png(width: int, height: int) -> str:
    return base64.b64encode(show(draw_form((width, height)), Limits()).png).decode()


def image(width: int, height: int) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png(width, height)}}


def result(name: str = "toolu_x") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": [{"type": "text", "text": "OK"}]}


def asked(model: str, tool: dict[str, Any], *messages: dict[str, Any]) -> dict[str, Any]:
    begin = {"role": "user", "content": [{"type": "text", "text": "Go."}]}
    return {"model": model, "max_tokens": 100, "tools": [tool], "messages": [begin, *messages]}


def turn(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(parts)}


def told(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(parts)}


CALL = anthropic.calls("computer", {"action": "screenshot"})
MEMBER = anthropic.member("screenshot", {})


@pytest.mark.parametrize(
    ("body", "beta", "said"),
    [
        (asked(OPUS_46, OLD), "", "does not match any of the expected tags"),
        (asked(SONNET_55, OLD), BETA, "'claude-sonnet-5-5' does not support tool types: computer_20251124."),
        (asked(OPUS_47, NEW), "", "does not support tool types"),
        (asked(SONNET_55, NEW | {"name": "computer"}), "", "name: Extra inputs"),
        (asked(OPUS_46, {"type": "computer_20251124", "name": "computer"}), BETA, "Field required"),
        (asked(OPUS_46, OLD) | {"temperature": 0}, BETA, "temperature: Extra inputs"),
        (asked(SONNET_55, NEW) | {"tool_choice": {"type": "any"}}, "", "not supported for this model"),
        (asked(SONNET_55, NEW) | {"thinking": {"type": "disabled"}}, "", "thinking.type"),
        (asked(OPUS_46, OLD, turn(CALL), told(anthropic.text("Well?"))), BETA, "without `tool_result`"),
        (asked(OPUS_46, OLD, turn(CALL)), BETA, "without `tool_result`"),
        (asked(OPUS_46, OLD, turn(CALL), told(result(), result("t9"))), BETA, "unexpected `tool_use_id`"),
        (asked(OPUS_46, OLD, turn(CALL), told(anthropic.text("a"), result())), BETA, "must come first"),
        (asked(SONNET_55, NEW, turn(MEMBER), told(result())), "", "`toolset_name`"),
        (asked(OPUS_46, OLD, *[told(anthropic.text("a") | MARK)] * 5), BETA, "A maximum of 4 blocks"),
        (asked(OPUS_46, OLD, told(anthropic.text(" "))), BETA, "non-whitespace"),
        (asked(SONNET_55, NEW, told(image(3000, 100))), "", "exceed the maximum"),
        (asked(OPUS_47, OLD, told(*[image(2100, 100)] * 21)), BETA, "many-image"),
        (asked("claude-9", OLD), BETA, "model: claude-9"),
    ],
)
def test_anthropics_fake_refuses_what_the_real_one_refuses(body: dict[str, Any], beta: str, said: str) -> None:
    headers = {"x-api-key": anthropic.KEY, "anthropic-version": "2026-10-21"} | (
        {"anthropic-beta": beta} if beta else {}
    )
    with anthropic.FakeAnthropic() as server:
        answer = httpx2.post(f"{server.url}/v1/messages", json=body, headers=headers)
        assert answer.status_code in {400, 404}
        assert said in answer.json()["error"]["message"]


def test_a_thought_is_taken_back_only_behind_the_very_same_words() -> None:
    headers = {"x-api-key": anthropic.KEY, "anthropic-version": "2026-10-21"}
    question = '# Current subtask (1 of 1)\nClick.\n\n# Reference steps:\n1. Go - CLICK - the "Save" button'
    body = asked(SONNET_55, NEW, told(anthropic.text(question), image(640, 360)))
    with anthropic.FakeAnthropic() as server:

        def post(changed: dict[str, Any]) -> int:
            return httpx2.post(f"{server.url}/v1/messages", json=changed, headers=headers).status_code

        content = httpx2.post(f"{server.url}/v1/messages", json=body, headers=headers).json()["content"]
        ids = [part["id"] for part in content if part["type"] == "tool_use"]
        assert content[0]["type"] == "thinking"
        answers = told(*(result(name) | {"toolset_name": "computer"} for name in ids))
        whole = {**body, "messages": [*body["messages"], turn(*content), answers]}
        assert post(whole) == 200
        marked = copy.deepcopy(whole)
        marked["messages"][1]["content"][-1] |= MARK
        assert post(marked) == 200
        trimmed = copy.deepcopy(whole)
        trimmed["messages"][1]["content"].pop()
        assert post(trimmed) == 400
        rewritten = copy.deepcopy(whole)
        rewritten["messages"][2]["content"][0]["thinking"] = "Something else."
        assert post(rewritten) == 400


def request(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": openai.MODEL, "tools": [{"type": "computer"}], "input": list(items), "store": False, **more}


WAIT = openai.computer({"type": "wait"}, name="c1")
SCREENSHOT = {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{png(64, 36)}"}
ANSWER = {"type": "computer_call_output", "call_id": "c1", "output": SCREENSHOT}
CHECKED = openai.computer({"type": "wait"}, name="c1", checks=({"id": "s1", "code": "x", "message": "y"},))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (request(WAIT), "No tool output found for computer call c1."),
        (request(ANSWER, WAIT), "No tool call found"),
        (request(WAIT, {"type": "function_call_output", "call_id": "c1", "output": ""}), "another type"),
        (request(CHECKED, ANSWER), "have not been acknowledged: s1"),
        (request(WAIT, ANSWER | {"acknowledged_safety_checks": [{"id": "s1"}]}), "Unknown safety checks"),
        (request(openai.reasoning("r1", encrypted=False), WAIT, ANSWER), "not persisted when `store` is set to false"),
        (request(openai.reasoning("r1")), "without its required following item"),
        (request(previous_response_id="resp_9"), "'resp_9' not found"),
        (request(temperature=0), "'temperature' is not supported"),
        (request(tools=[{"type": "computer", "display_width": 9}]), "display_width"),
        (
            request(WAIT, ANSWER | {"output": SCREENSHOT | {"image_url": "data:image/png;base64,xx"}}),
            "unsupported image",
        ),
    ],
)
def test_openais_fake_refuses_what_the_real_one_refuses(body: dict[str, Any], said: str) -> None:
    with openai.FakeResponses() as server:
        headers = {"authorization": f"Bearer {openai.KEY}"}
        answer = httpx2.post(f"{server.base_url}/responses", json=body, headers=headers)
        assert answer.status_code in {400, 404}
        assert said in answer.json()["error"]["message"]


def test_a_call_is_not_taken_back_without_the_reasoning_that_it_came_with() -> None:
    with openai.FakeResponses() as server:
        server.script = [openai.says(openai.reasoning("r1"), WAIT)]
        headers = {"authorization": f"Bearer {openai.KEY}"}
        first = httpx2.post(f"{server.base_url}/responses", json=request(), headers=headers).json()["output"]

        def post(*items: dict[str, Any]) -> int:
            return httpx2.post(f"{server.base_url}/responses", json=request(*items), headers=headers).status_code

        assert post(*first, ANSWER) == 200
        assert post(first[1], ANSWER) == 400
