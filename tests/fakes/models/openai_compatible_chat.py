"""A chat server whose model calls tools in tagged text: it checks what such servers check, and looks at pictures."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from tests.fakes.models.openai_chat import FakeOpenAI, error
from tests.fakes.models.seeing_model import Call, next_call, read_question
from tests.fakes.web.servers import Request, Response

KEY = "sk-test-0123456789abcdef"
MODEL = "qwen3-vl-plus"
Dialect = Literal["json", "xml", "native", "bare", "thinking", "unclosed", "texts"]
DIALECTS: tuple[Dialect, ...] = ("json", "xml", "native", "bare", "thinking", "unclosed", "texts")
_MOUSE = {"click": "left_click", "double_click": "double_click", "right_click": "right_click"} | {
    "middle_click": "middle_click"
}


def says(content: str | None, *, finish: str = "stop", **message: object) -> Response:
    """A completion with one choice."""
    choice = {
        "index": 0,
        "finish_reason": finish,
        "logprobs": None,
        "message": {"role": "assistant", "content": content, **message},
    }
    return Response(
        200,
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1700000000,
            "model": MODEL,
            "choices": [choice],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        },
    )


def says_call(name: str, dialect: Dialect = "json", **arguments: Any) -> Response:
    """A call in one of the dialects that models speak."""
    body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    if dialect == "native":
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": "call_1", "type": "function", "function": function}
        return says(None, finish="tool_calls", tool_calls=[call])
    if dialect == "xml":
        lines = [
            f"<parameter={key}>\n{value if isinstance(value, str) else json.dumps(value)}\n</parameter>"
            for key, value in arguments.items()
        ]
        inner = "\n".join(lines)
        return says(f"<tool_call>\n<function={name}>\n{inner}\n</function>\n</tool_call>")
    if dialect == "texts":
        spelt: dict[str, object] = {key: value for key, value in arguments.items() if not isinstance(value, list)}
        spelt |= {key: json.dumps(value) for key, value in arguments.items() if key not in spelt}
        return says(f"<tool_call>\n{json.dumps({'name': name, 'arguments': json.dumps(spelt)})}\n</tool_call>")
    draft = (
        '<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [1, 1]}}</tool_call>'
    )
    texts = {
        "bare": f"Action: go on.\n{body}",
        "thinking": f"<think>Perhaps {draft}? No.</think>\nAction: go on.\n<tool_call>\n{body}\n</tool_call>",
        "unclosed": f"Action: go on.\n<tool_call>\n{body}",
    }
    return says(texts.get(dialect, f"Action: go on.\n<tool_call>\n{body}\n</tool_call>"))


def usual(**changes: Any) -> dict[str, Any]:
    """What each call of ``computer_use`` has to say."""
    return {"observation": "A form is open.", "task_memory": "", **changes}


@dataclass
class _Progress:
    done: int = 0
    tries: int = 0


class FakeOpenAiCompatible(FakeOpenAI):
    """The server and its model.

    Args:
        key: that it takes; ``None`` takes anybody.
        dialect: how the model speaks.
        whole: whether its coordinates are whole numbers, as those of real models are.
        names_values: whether an extract holds its value; else it is asked for it.

    """

    def __init__(
        self, *, key: str | None = KEY, dialect: Dialect = "json", whole: bool = True, names_values: bool = True
    ) -> None:
        super().__init__(key=key)
        self.asked: list[dict[str, Any]] = []
        self.said: list[dict[str, Any]] = []
        """The arguments of each call that the model made by sight."""
        self.extra: set[str] = set()
        """Further fields that this server takes."""
        self._required_key = key
        self._dialect: Dialect = dialect
        self._whole = whole
        self._names_values = names_values
        self._progress: dict[str, _Progress] = {}
        self._last_value = ""

    def answer(self, request: Request) -> Response:
        refusal = self._refusal(request)
        if refusal:
            return refusal
        body = cast("dict[str, Any]", request.json)
        self.asked.append(body)
        return self.script.pop(0) if self.script else self._decide(body["messages"])

    def _refusal(self, request: Request) -> Response | None:
        if (request.method, request.path) != ("POST", "/v1/chat/completions"):
            return error(404, f"Unknown request URL: {request.method} {request.path}.", code="unknown_url")
        given = request.headers.get("authorization")
        if self._required_key and given != f"Bearer {self._required_key}":
            return error(401, f"Incorrect API key provided: {given}.", code="invalid_api_key")
        if not self._required_key and given:
            return error(400, "This server takes no key.")
        body = cast("dict[str, Any]", request.json)
        if body.get("model") != MODEL:
            return error(404, f"The model `{body.get('model')}` does not exist.", code="model_not_found")
        unknown = set(body) - {"model", "messages"} - self.extra
        if unknown:
            return error(400, f"Unrecognized request argument supplied: {min(unknown)}")
        fault = self._messages_fault(cast("list[dict[str, Any]]", body["messages"]))
        return error(400, fault) if fault else None

    def _messages_fault(self, messages: list[dict[str, Any]]) -> str | None:
        if not messages or messages[0]["role"] != "system" or not str(messages[0]["content"]).strip():
            return "The system prompt is missing."
        if messages[-1]["role"] != "user":
            return "The last message must be the user's."
        before = len(self.pictures)
        fault = next((fault for message in messages if (fault := self._message_fault(message))), None)
        if fault:
            return fault
        return None if len(self.pictures) == before + 1 else "One picture a request, please."

    def _decide(self, messages: list[dict[str, Any]]) -> Response:
        content = cast("list[dict[str, Any]]", messages[1]["content"])
        text = "\n".join(part["text"] for part in content if part["type"] == "text")
        url = next(part["image_url"]["url"] for part in content if part["type"] == "image_url")
        question = read_question(text, str(messages[0]["content"]))
        if question is None:
            return says(f"<think>{text}</think>{self._last_value}")
        subtask, steps = question
        progress = self._progress.setdefault(subtask, _Progress())
        if "Nothing was done yet." in text:
            progress.done = progress.tries = 0
        call = next_call(_png(url), subtask, steps, progress.done, tries=progress.tries)
        progress.done += call.is_progress
        progress.tries = 0 if call.is_progress else progress.tries + 1
        name, arguments = self._spoken(call, self.pictures[-1].size)
        self.said.append(arguments)
        return says_call(name, self._dialect, **arguments)

    def _spoken(self, call: Call, size: tuple[int, int]) -> tuple[str, dict[str, Any]]:
        def place(at: tuple[int, int] | None) -> list[float]:
            assert at is not None
            share = (at[0] / size[0] * 1000, at[1] / size[1] * 1000)
            return [round(value) if self._whole else round(value, 3) for value in share]

        self._last_value = call.text
        if call.kind == "done":
            return "done", {"result": call.text, "succeeded": call.succeeded, "task_memory": ""}
        if call.kind == "extract":
            value = {"value": call.text} if self._names_values else {}
            return "extract", usual(variable_name=call.name, query=call.query or call.name, **value)
        spoken: dict[str, Callable[[], dict[str, Any]]] = {
            "type": lambda: {"action": "type", "text": call.text},
            "key": lambda: {"action": "key", "keys": call.text.split("+")},
            "scroll": lambda: {"action": "scroll", "pixels": 100 * call.notches, "coordinate": place(call.at)},
            "drag": lambda: {
                "action": "left_click_drag",
                "start_coordinate": place(call.at),
                "coordinate": place(call.to),
            },
            "wait": lambda: {"action": "wait", "time": 0.2},
            "open_app": lambda: {"action": "open_app", "text": call.text},
            "open_url": lambda: {"action": "open_url", "text": call.text},
        }
        if call.kind in spoken:
            return "computer_use", usual(**spoken[call.kind]())
        return "computer_use", usual(action=_MOUSE[call.kind], coordinate=place(call.at))


def _png(url: str) -> bytes:
    return base64.b64decode(url.partition(",")[2])
