"""Anthropic's Messages API on loopback: it refuses what the real one refuses, and looks at the screenshots.

Its refusals follow ``api.anthropic.com`` as its documentation told them in autumn 2026.
"""

import base64
import io
from collections.abc import Callable
from typing import Any, cast

from PIL import Image

from tests.fakes.models.anthropic_checks import (
    SONNET_55,
    TOOLSET,
    Checks,
    Refused,
    error,
    limits_of,
    nested,
    parts_of,
    prefix_of,
    within,
)
from tests.fakes.models.seeing_model import Call, next_call, read_question
from tests.fakes.web.servers import FakeServer, Request, Response

KEY = "sk-ant-test-0123456789abcdef"
_CLICKS = {"click": "left_click", "double_click": "double_click", "right_click": "right_click"}
Part = dict[str, Any]


def overloaded() -> Response:
    return error(529, "overloaded_error", "Overloaded")


def limited(seconds: str | None = "1") -> Response:
    headers = {"retry_after": seconds} if seconds else {}
    return error(429, "rate_limit_error", "This request would exceed the rate limit for your organization.", **headers)


def says(*content: Part, stop: str = "", **more: object) -> Response:
    """A message; ``stop`` is its ``stop_reason``."""
    calls = any(part["type"] == "tool_use" for part in content)
    message: Part = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "the model",
        "content": list(content),
        "stop_reason": stop or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": 100,
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 3,
            "output_tokens": 40,
        },
    }
    return Response(200, message | more)


def text(words: str) -> Part:
    return {"type": "text", "text": words}


def calls(name: str, arguments: object, *, id: str = "toolu_x") -> Part:  # noqa: A002 - the wire's name
    """A function, or with the old tool ``computer``."""
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def member(name: str, arguments: object, *, id: str = "toolu_x") -> Part:  # noqa: A002 - the wire's name
    """A member of the toolset."""
    return calls(name, arguments, id=id) | {"toolset_name": "computer"}


class FakeAnthropic(FakeServer):
    """The server. ``script`` holds answers that are given instead of the own ones, after the request was checked.

    ``batches`` lets it ask for a click and the typing after it in one turn.
    """

    def __init__(self, *, batches: bool = False) -> None:
        super().__init__()
        self.script: list[Response | Callable[[], Response]] = []
        self.refusals: list[str] = []
        self.calls: list[Call] = []
        self._batches = batches
        self._asked: dict[str, Call] = {}
        self._thoughts: dict[str, tuple[Part, str]] = {}

    def answer(self, request: Request) -> Response:
        try:
            self._check_headers(request)
            body = cast("Part", request.json)
            Checks(body, request.headers.get("anthropic-beta", ""), self._thoughts).run()
        except Refused as refused:
            self.refusals.append(str(cast("Part", refused.response.body)["error"]["message"]))
            return refused.response
        if self.script:
            scripted = self.script.pop(0)
            return scripted if isinstance(scripted, Response) else scripted()
        return self._decide(body)

    @property
    def bodies(self) -> list[Part]:
        """The requests so far, as JSON."""
        return [cast("Part", request.json) for request in self.requests]

    def _check_headers(self, request: Request) -> None:
        if (request.method, request.path) != ("POST", "/v1/messages"):
            raise Refused(error(404, "not_found_error", f"Not found: {request.path}"))
        given = request.headers.get("authorization", "").removeprefix("Bearer ") or request.headers.get("x-api-key")
        if given != KEY:
            raise Refused(error(401, "authentication_error", "invalid x-api-key"))
        if "anthropic-version" not in request.headers:
            raise Refused(error(400, "invalid_request_error", "anthropic-version: header is required"))
        if len(request.body) > 32 * 2**20:
            raise Refused(error(413, "request_too_large", "Request exceeds the maximum size"))

    def _decide(self, body: Part) -> Response:
        """Read the question and the newest screenshot, and answer in that picture's pixels."""
        png, question = _newest_picture(body), read_question(_words(body), _instruction(body))
        if png is None or question is None:
            return says(text("I was asked nothing."))
        done, tries = self._progress(body)
        wanted = [next_call(png, *question, done, tries=tries)]
        while self._batches and wanted[-1].kind == "click":
            after = next_call(png, *question, done + len(wanted))
            if after.kind not in {"type", "key"}:
                break
            wanted.append(after)
        self.calls += wanted
        is_set = any(tool.get("type") == TOOLSET for tool in body["tools"])
        return says(*self._thought(body), *(self._block(call, is_set=is_set) for call in wanted))

    def _progress(self, body: Part) -> tuple[int, int]:
        """How many calls were done, and how often in a row it has waited or searched since."""
        done = tries = 0
        for part in parts_of(body):
            call = self._asked.get(part.get("tool_use_id", ""))
            if part["type"] != "tool_result" or call is None or part.get("is_error"):
                continue
            done, tries = (done + 1, 0) if call.is_progress else (done, tries + 1)
        return done, tries

    def _block(self, call: Call, *, is_set: bool) -> Part:
        name = f"toolu_{len(self._asked):04d}"
        self._asked[name] = call
        action, arguments = _spell(call)
        if action in {"done", "extract", "open_app", "open_url"}:
            return calls(action, arguments, id=name)
        if is_set:
            return member(action, arguments, id=name)
        return calls("computer", {"action": action, **arguments}, id=name)

    def _thought(self, body: Part) -> list[Part]:
        if body["model"] != SONNET_55:
            return [text("I see the screen.")]
        signature = f"sig-{len(self._thoughts)}"
        thought = {"type": "thinking", "thinking": "I see the screen.", "signature": signature}
        self._thoughts[signature] = (thought, prefix_of(body, len(body["messages"])))
        return [thought]


def _spell(call: Call) -> tuple[str, Part]:
    at: Part = {"coordinate": list(call.at)} if call.at else {}
    if call.kind in {"click", "double_click", "right_click", "middle_click"}:
        return _CLICKS.get(call.kind, "middle_click"), at
    if call.kind == "scroll":
        direction = "down" if call.notches > 0 else "up"
        return "scroll", {"scroll_direction": direction, "scroll_amount": abs(call.notches), **at}
    if call.kind == "drag":
        return "left_click_drag", {"start_coordinate": list(call.at or ()), "coordinate": list(call.to or ())}
    spelt: dict[str, Part] = {
        "type": {"text": call.text},
        "key": {"text": call.text},
        "wait": {"duration": 1},
        "extract": {"variable_name": call.name, "query": call.query, "value": call.text},
        "open_app": {"name": call.text},
        "open_url": {"url": call.text},
        "done": {"result": call.text, "succeeded": call.succeeded, "task_memory": "Seen by a fake."},
    }
    return call.kind, spelt[call.kind]


def _words(body: Part) -> str:
    return "\n\n".join(str(part["text"]) for part in nested(body) if part["type"] == "text")


def _newest_picture(body: Part) -> bytes | None:
    """The newest picture as the model gets it: the old tool's models see a smaller one, when it was too large."""
    pictures = [part for part in nested(body) if part["type"] == "image"]
    if not pictures:
        return None
    data = base64.b64decode(pictures[-1]["source"]["data"])
    picture = Image.open(io.BytesIO(data))
    size = picture.size
    while not within(picture.size, limits_of(body)):
        picture = picture.resize((round(picture.width * 0.99), round(picture.height * 0.99)))
    if picture.size == size:
        return data
    kept = io.BytesIO()
    picture.save(kept, "PNG")
    return kept.getvalue()


def _instruction(body: Part) -> str:
    return "\n".join(part["text"] for part in body.get("system", []))
