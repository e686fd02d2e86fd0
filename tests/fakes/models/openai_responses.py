"""OpenAI's Responses API with its computer tool: refuses what the real one refuses, and looks at screenshots."""

import base64
import binascii
import io
import json
from collections.abc import Callable, Iterator
from typing import Any, cast

from PIL import Image

from tests.fakes.models.openai_chat import error
from tests.fakes.models.seeing_model import Call, next_call, read_question
from tests.fakes.web.servers import FakeServer, Request, Response

KEY = "sk-test-0123456789abcdef"
MODEL = "gpt-6-sol"
_FUNCTIONS = {"done", "extract", "open_app", "open_url"}
_KNOWN = {
    "model",
    "instructions",
    "input",
    "tools",
    "store",
    "include",
    "truncation",
    "max_output_tokens",
    "previous_response_id",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning",
    "metadata",
}
Item = dict[str, Any]


class Refused(Exception):
    """Thrown while a request is checked; carries the answer."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


def says(*items: Item, status: str = "completed", **more: object) -> Response:
    """A response of these items."""
    body: Item = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": MODEL,
        "output": list(items),
        "usage": {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 20},
            "output_tokens": 40,
            "output_tokens_details": {"reasoning_tokens": 30},
            "total_tokens": 140,
        },
    }
    return Response(200, body | more)


def reasoning(name: str, *, encrypted: bool = True, summary: str = "") -> Item:
    item: Item = {"type": "reasoning", "id": name, "summary": []}
    if summary:
        item["summary"] = [{"type": "summary_text", "text": summary}]
    return item | ({"encrypted_content": f"gAAAA-{name}"} if encrypted else {})


def computer(*actions: object, name: str = "call_x", checks: tuple[Item, ...] = ()) -> Item:
    return {
        "type": "computer_call",
        "id": f"cu_{name}",
        "call_id": name,
        "status": "completed",
        "actions": list(actions),
        "pending_safety_checks": list(checks),
    }


def function(name: str, arguments: str, *, call: str = "call_x") -> Item:
    kept = {"type": "function_call", "id": f"fc_{call}", "call_id": call, "status": "completed"}
    return {**kept, "name": name, "arguments": arguments}


def message(text: str, *, kind: str = "output_text") -> Item:
    part: Item = {"type": kind, {"output_text": "text"}.get(kind, kind): text, "annotations": []}
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}


class FakeResponses(FakeServer):
    """The server. ``script`` holds answers that are given instead of the own ones, after the request was checked.

    ``batches`` lets it put the typing after a click into the same call; ``checks`` are the safety checks of the first
    call that it makes.
    """

    def __init__(self, *, batches: bool = False, checks: tuple[Item, ...] = ()) -> None:
        super().__init__()
        self.script: list[Response | Callable[[], Response]] = []
        self.refusals: list[str] = []
        self.calls: list[Call] = []
        self._batches = batches
        self._pending = checks
        self._progress: dict[str, tuple[int, int]] = {}
        self._reasons: dict[str, str] = {}
        self._stored: set[str] = set()

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def bodies(self) -> list[Item]:
        """The requests so far, as JSON."""
        return [cast("Item", request.json) for request in self.requests]

    def answer(self, request: Request) -> Response:
        if (request.method, request.path) != ("POST", "/v1/responses"):
            return error(404, f"Unknown request URL: {request.method} {request.path}.", code="unknown_url")
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return error(401, "Incorrect API key provided: sk-t***.", code="invalid_api_key")
        body = cast("Item", request.json)
        try:
            self._check(body)
        except Refused as refused:
            self.refusals.append(str(cast("Item", refused.response.body)["error"]["message"]))
            return refused.response
        if self.script:
            scripted = self.script.pop(0)
            return self._remembered(scripted if isinstance(scripted, Response) else scripted())
        return self._remembered(self._decide(body))

    def _remembered(self, response: Response) -> Response:
        """Keep which reasoning each item was given with: neither may come back without the other."""
        body = cast("Item", response.body) if isinstance(response.body, dict) else {}
        reason = ""
        for item in cast("list[Item]", body.get("output", [])):
            if not hasattr(item, "get"):
                continue
            if item["type"] == "reasoning":
                reason = item["id"]
            elif reason:
                self._reasons[item["id"]] = reason
                reason = ""
        return response

    def _decide(self, body: Item) -> Response:
        question, png = read_question(_words(body), str(body.get("instructions", ""))), _newest_picture(body)
        if question is None or png is None:
            return says(message("I was asked nothing."))
        answered = [item["call_id"] for item in body["input"] if str(item.get("type")).endswith("_call")]
        done, tries = self._progress[answered[-1]] if answered else (0, 0)
        wanted = [next_call(png, *question, done, tries=tries)]
        while self._batches and wanted[-1].kind == "click":
            after = next_call(png, *question, done + len(wanted))
            if after.kind not in {"type", "key"}:
                break
            wanted.append(after)
        self.calls += wanted
        number = len(self._progress)
        name = f"call_{number:04d}"
        steps = sum(call.is_progress and call.kind != "done" for call in wanted)
        self._progress[name] = (done + steps, 0 if wanted[0].is_progress else tries + 1)
        thought = reasoning(f"rs_{number}", summary="I see the screen.")
        if wanted[0].kind in _FUNCTIONS:
            return says(thought, _function(wanted[0], name))
        checks, self._pending = self._pending, ()
        return says(thought, computer(*(_action(call) for call in wanted), name=name, checks=checks))

    def _check(self, body: Item) -> None:
        unknown = set(body) - _KNOWN
        if unknown:
            _invalid(f"Unsupported parameter: '{min(unknown)}' is not supported with this model.")
        if body.get("model") != MODEL:
            shown = f"The model `{body.get('model')}` does not exist or you do not have access to it."
            raise Refused(error(404, shown, code="model_not_found"))
        for tool in body["tools"]:
            allowed = {
                "computer": {"type"},
                "function": {"type", "name", "description", "parameters", "strict"},
            }.get(tool["type"], set[str]())
            if set(tool) - allowed:
                _invalid(f"Unknown parameter: 'tools[0].{min(set(tool) - allowed)}'.")
        previous = body.get("previous_response_id")
        if previous is not None and previous not in self._stored:
            _invalid(f"Previous response with id '{previous}' not found.")
        self._check_items(body["input"])
        for url in _pictures(body):
            _check_picture(url)

    def _check_items(self, items: list[Item]) -> None:
        outputs = {item["call_id"]: item for item in items if str(item.get("type")).endswith("_call_output")}
        known: set[str] = set()
        for number, item in enumerate(items):
            kind = str(item.get("type", "message"))
            if kind == "reasoning":
                self._check_reasoning(item, items[number + 1 : number + 2])
            elif kind in {"computer_call", "function_call"}:
                self._check_call(item, items[:number], outputs)
                known.add(item["call_id"])
            elif kind in {"computer_call_output", "function_call_output"}:
                if item["call_id"] not in known:
                    _invalid(f"No tool call found for {kind.replace('_', ' ')} with call_id {item['call_id']}.")
            elif kind == "message":
                if item["role"] not in {"user", "assistant", "system", "developer"} or not item["content"]:
                    _invalid(f"Invalid value: 'input[{number}]'.")
            else:
                _invalid(f"Invalid value: '{kind}'.")

    def _check_reasoning(self, item: Item, after: list[Item]) -> None:
        if not item.get("encrypted_content"):
            shown = f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false."
            raise Refused(error(404, shown))
        if not after or self._reasons.get(after[0].get("id", "")) != item["id"]:
            _invalid(f"Item '{item['id']}' of type 'reasoning' was provided without its required following item.")

    def _check_call(self, item: Item, before: list[Item], outputs: dict[str, Item]) -> None:
        kind = item["type"]
        reason = self._reasons.get(item["id"])
        if reason and reason not in {earlier.get("id") for earlier in before}:
            _invalid(f"Item '{item['id']}' of type '{kind}' was provided without its required 'reasoning' item.")
        output = outputs.get(item["call_id"])
        if output is None:
            _invalid(f"No tool output found for {kind.replace('_', ' ')} {item['call_id']}.")
            return
        if output["type"] != f"{kind}_output":
            _invalid(f"The output of {item['call_id']} is of another type.")
        asked = {check["id"] for check in item.get("pending_safety_checks") or ()}
        given = {check["id"] for check in output.get("acknowledged_safety_checks") or ()}
        if asked - given:
            _invalid(f"The following safety checks have not been acknowledged: {', '.join(sorted(asked - given))}")
        if given - asked:
            _invalid(f"Unknown safety checks were acknowledged: {', '.join(sorted(given - asked))}")


def _invalid(text: str) -> None:
    raise Refused(error(400, text))


def _action(call: Call) -> Item:
    x, y = call.at or (0, 0)
    buttons = {"click": "left", "right_click": "right", "middle_click": "wheel"}
    if call.kind in buttons:
        return {"type": "click", "button": buttons[call.kind], "x": x, "y": y}
    to = call.to or (0, 0)
    spelt: dict[str, Item] = {
        "double_click": {"x": x, "y": y},
        "type": {"text": call.text},
        "scroll": {"x": x, "y": y, "scroll_x": 0, "scroll_y": call.notches * 100},
        "drag": {"path": [{"x": x, "y": y}, {"x": to[0], "y": to[1]}]},
        "wait": {},
    }
    if call.kind == "key":
        return {"type": "keypress", "keys": call.text.upper().split("+")}
    return {"type": call.kind, **spelt[call.kind]}


def _function(call: Call, name: str) -> Item:

    arguments: dict[str, Item] = {
        "done": {"result": call.text, "succeeded": call.succeeded, "task_memory": "Seen by a fake."},
        "extract": {"variable_name": call.name, "query": call.query, "value": call.text},
        "open_app": {"name": call.text},
        "open_url": {"url": call.text},
    }
    return function(call.kind, json.dumps(arguments[call.kind]), call=name)


def _contents(body: Item) -> Iterator[Item]:
    for item in body["input"]:
        if isinstance(item.get("content"), list):
            yield from item["content"]


def _words(body: Item) -> str:
    return "\n\n".join(str(part["text"]) for part in _contents(body) if part["type"] == "input_text")


def _pictures(body: Item) -> Iterator[str]:
    for item in body["input"]:
        if item.get("type") == "computer_call_output":
            if item["output"]["type"] != "computer_screenshot":
                _invalid(f"Invalid value: '{item['output']['type']}'.")
            yield item["output"]["image_url"]
        for part in item.get("content") or ():
            if part["type"] == "input_image":
                if part.get("detail") not in {"original", "high", "low", "auto"}:
                    _invalid("Invalid value for 'detail'.")
                yield part["image_url"]


def _newest_picture(body: Item) -> bytes | None:
    urls = list(_pictures(body))
    return base64.b64decode(urls[-1].partition(",")[2]) if urls else None


def _check_picture(url: str) -> None:
    head, _, data = url.partition(";base64,")
    try:
        picture = Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
    except (binascii.Error, OSError):
        raise Refused(error(400, "You uploaded an unsupported image.")) from None
    if head != f"data:image/{str(picture.format).lower()}":
        _invalid("The image is not of the type that its URL says.")
    if picture.width * picture.height > 10_240_000:
        _invalid("The image is larger than what `detail: original` takes.")
