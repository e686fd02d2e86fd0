"""An OpenAI-compatible chat server on loopback, that refuses what servers of its kind refuse."""

import base64
import binascii
import io
import json
from typing import Any, cast

from PIL import Image

from tests.fakes.web.servers import FakeServer, Request, Response

KEY = "sk-test-0123456789abcdef"
MODEL = "some-vision-model"
EMPTY_REPLY: dict[str, object] = {"descriptions": [], "verdicts": []}


def error(status: int, message: str, *, kind: str = "invalid_request_error", code: str | None = None) -> Response:
    """OpenAI's error body."""
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return Response(status, body, {"x-request-id": "req_1"})


def says(reply: object, *, finish: str = "stop", refusal: str | None = None) -> Response:
    """A chat completion with one choice."""
    text = reply if isinstance(reply, str) else json.dumps(reply)
    message = {"role": "assistant", "content": text, "refusal": refusal}
    choice = {"index": 0, "finish_reason": finish, "logprobs": None, "message": message}
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


class FakeOpenAI(FakeServer):
    """The server. ``key=None`` takes anybody; ``takes_schemas=False`` refuses ``response_format`` as older ones do.

    ``script`` holds answers to be given instead of the own ones; ``reply`` is what the model says otherwise.
    """

    def __init__(self, *, key: str | None = KEY, takes_schemas: bool = True) -> None:
        super().__init__()
        self.reply: object = EMPTY_REPLY
        self.script: list[Response] = []
        self.pictures: list[Image.Image] = []
        self._key = key
        self._takes_schemas = takes_schemas

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def answer(self, request: Request) -> Response:
        if self.script:
            return self.script.pop(0)
        if (request.method, request.path) != ("POST", "/v1/chat/completions"):
            return error(404, f"Unknown request URL: {request.method} {request.path}.", code="unknown_url")
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            shown = f"Incorrect API key provided: {given[:7]}***{given[-4:]}. You can find your API key at …"
            return error(401, shown, code="invalid_api_key")
        body = cast("dict[str, Any]", request.json)
        if body.get("model") != MODEL:
            shown = f"The model `{body.get('model')}` does not exist or you do not have access to it."
            return error(404, shown, code="model_not_found")
        fault = self._fault(body)
        return error(400, fault) if fault else says(self.reply)

    def _fault(self, body: dict[str, Any]) -> str | None:
        unknown = set(body) - {"model", "messages", "response_format", "max_tokens", "temperature", "stream"}
        if unknown:
            return f"Unrecognized request argument supplied: {min(unknown)}"
        form = body.get("response_format")
        if form is not None:
            if not self._takes_schemas:
                return "This response_format type is unavailable now"
            fault = _schema_fault(form["json_schema"]["schema"])
            if fault:
                return f"Invalid schema for response_format '{form['json_schema']['name']}': {fault}"
        if not body.get("messages"):
            return "[] is too short - 'messages'"
        return next((fault for message in body["messages"] if (fault := self._message_fault(message))), None)

    def _message_fault(self, message: dict[str, Any]) -> str | None:
        if message.get("role") not in {"system", "user", "assistant"}:
            return f"Invalid value: '{message.get('role')}'."
        content = message.get("content")
        if isinstance(content, str):
            return None
        for part in cast("list[dict[str, Any]]", content):
            if part["type"] == "text":
                continue
            if part["type"] != "image_url" or message["role"] != "user":
                return f"Invalid content type: {part['type']}."
            fault = self._picture_fault(part["image_url"]["url"])
            if fault:
                return fault
        return None

    def _picture_fault(self, url: str) -> str | None:
        head, _, data = url.partition(";base64,")
        try:
            picture = Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
            picture.load()
        except (binascii.Error, OSError):
            return "You uploaded an unsupported image."
        if head != f"data:image/{str(picture.format).lower()}":
            return "The image is not of the type that its URL says."
        self.pictures.append(picture)
        return None


def _schema_fault(schema: dict[str, Any]) -> str | None:
    """Strict mode: every object is closed, and each of its properties is required."""
    for each in (schema, *schema.get("$defs", {}).values()):
        if each.get("type") == "object":
            if each.get("additionalProperties") is not False:
                return "'additionalProperties' is required to be supplied and to be false."
            if set(each.get("required", [])) != set(each["properties"]):
                return "'required' is required to be supplied and to be an array including every key in properties."
    return None
