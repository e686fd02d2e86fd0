"""What makes Anthropic's API answer 400: each request of the fake is held against it."""

import base64
import binascii
import hashlib
import io
import json
import math
from collections.abc import Iterator
from typing import Any, cast

from PIL import Image

from tests.fakes.web.servers import Response

HAIKU_45 = "claude-haiku-4-5"
OPUS_46 = "claude-opus-4-6"
OPUS_47 = "claude-opus-4-7"
SONNET_5 = "claude-sonnet-5"
SONNET_55 = "claude-sonnet-5-5"
_BETAS = {"computer_20250124": "computer-use-2025-01-24", "computer_20251124": "computer-use-2025-11-24"}
TOOLSET = "computer_toolset_20260801"
_TOOLS = {
    HAIKU_45: {"computer_20250124"},
    OPUS_46: {"computer_20251124"},
    OPUS_47: {"computer_20251124"},
    SONNET_5: {"computer_20251124", TOOLSET},
    SONNET_55: {TOOLSET},
}
_SMALL = (1568, 1568)
_LARGE = (2576, 4784)
_KNOWN = {"model", "max_tokens", "system", "messages", "tools", "tool_choice", "thinking", "output_config", "stream"}
Part = dict[str, Any]


class Refused(Exception):
    """Thrown while a request is checked; carries the answer."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


def error(status: int, kind: str, message: str, **headers: str) -> Response:
    """Anthropic's error body; header names with ``_`` for ``-``."""
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011"}
    return Response(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def parts_of(body: Part) -> Iterator[Part]:
    for message in body["messages"]:
        if isinstance(message["content"], list):
            yield from message["content"]


def nested(body: Part) -> Iterator[Part]:
    for part in parts_of(body):
        yield part
        if part["type"] == "tool_result" and isinstance(part.get("content"), list):
            yield from part["content"]


def limits_of(body: Part) -> tuple[int, int]:
    return _SMALL if body["model"] in {HAIKU_45, OPUS_46} else _LARGE


def within(size: tuple[int, int], limits: tuple[int, int]) -> bool:
    return max(size) <= limits[0] and math.ceil(size[0] / 28) * math.ceil(size[1] / 28) <= limits[1]


def prefix_of(body: Part, count: int) -> str:
    """A digest of all that stands before a message; marks for the cache are no part of it."""

    def bare(value: object) -> object:
        if isinstance(value, dict):
            items = cast("Part", value).items()
            return {key: bare(inner) for key, inner in items if key != "cache_control"}
        return [bare(inner) for inner in cast("list[object]", value)] if isinstance(value, list) else value

    parts = [body.get("system"), body.get("tools"), body["messages"][:count]]
    return hashlib.sha256(json.dumps(bare(parts), sort_keys=True).encode()).hexdigest()


def _invalid(message: str) -> None:
    raise Refused(error(400, "invalid_request_error", message))


class Checks:
    """Everything that makes the real one answer 400."""

    def __init__(self, body: Part, betas: str, thoughts: dict[str, tuple[Part, str]]) -> None:
        self._body = body
        self._betas = {beta.strip() for beta in betas.split(",")}
        self._thoughts = thoughts

    def run(self) -> None:
        body = self._body
        if body.get("model") not in _TOOLS:
            raise Refused(error(404, "not_found_error", f"model: {body.get('model')}"))
        unknown = set(body) - _KNOWN
        if unknown:
            _invalid(f"{min(unknown)}: Extra inputs are not permitted")
        if not isinstance(body.get("max_tokens"), int):
            _invalid("max_tokens: Field required")
        self._check_tools()
        self._check_modes()
        marks = sum("cache_control" in part for part in [*nested(body), *body.get("system", []), *body["tools"]])
        if marks > 4:
            _invalid(f"A maximum of 4 blocks with cache_control may be provided. Found {marks}.")
        for number, message in enumerate(body["messages"]):
            self._check_message(number, message)
        self._check_pictures()

    def _check_tools(self) -> None:
        model, taken = self._body["model"], _TOOLS[self._body["model"]]
        for tool in self._body["tools"]:
            kind = tool.get("type", "custom")
            if kind == "custom":
                if not {"name", "description", "input_schema"} <= set(tool):
                    _invalid("tools.0.custom: Field required")
                continue
            if kind not in taken:
                _invalid(f"'{model}' does not support tool types: {kind}. Did you mean one of {', '.join(taken)}?")
            if kind in _BETAS and _BETAS[kind] not in self._betas:
                _invalid(f"tools.0: Input tag '{kind}' found using 'type' does not match any of the expected tags")
            allowed = {"type", "configs", "cache_control"} if kind == TOOLSET else _OLD_FIELDS[kind]
            if set(tool) - allowed:
                _invalid(f"tools.0.{kind}.{min(set(tool) - allowed)}: Extra inputs are not permitted")
            if kind in _BETAS and not {"name", "display_width_px", "display_height_px"} <= set(tool):
                _invalid(f"tools.0.{kind}.display_width_px: Field required")

    def _check_modes(self) -> None:
        body = self._body
        if body["model"] != SONNET_55:
            return
        if body.get("tool_choice", {}).get("type") in {"any", "tool"}:
            _invalid('tool_choice: type "tool" and "any" are not supported for this model.')
        if body.get("thinking", {}).get("type") in {"disabled", "enabled"}:
            _invalid("thinking.type: only adaptive and between_tools are supported for this model.")

    def _check_message(self, number: int, message: Part) -> None:
        content = message["content"]
        if message["role"] not in {"user", "assistant"} or not content:
            _invalid(f"messages.{number}: all messages must have a role and non-empty content")
        for part in content:
            if part["type"] == "text" and not part["text"].strip():
                _invalid("messages: text content blocks must contain non-whitespace text")
            if part["type"] == "thinking":
                self._check_thought(number, part)
        if message["role"] == "assistant":
            self._check_answered(number, content)
        elif any(part["type"] == "tool_result" for part in content):
            self._check_results(number, content)

    def _check_thought(self, number: int, part: Part) -> None:
        known = self._thoughts.get(part.get("signature", ""))
        if known is None or known[0] != {key: value for key, value in part.items() if key != "cache_control"}:
            _invalid(f"messages.{number}: `thinking` blocks in the latest assistant message cannot be modified")
        elif known[1] != prefix_of(self._body, number):
            _invalid(f"messages.{number}: the content before this `thinking` block was changed")

    def _check_answered(self, number: int, content: list[Part]) -> None:
        ids = [part["id"] for part in content if part["type"] == "tool_use"]
        after = self._body["messages"][number + 1 : number + 2]
        answered = {part.get("tool_use_id") for message in after for part in message["content"]}
        missing = [name for name in ids if name not in answered]
        if missing:
            _invalid(
                f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}"
            )

    def _check_results(self, number: int, content: list[Part]) -> None:
        before = cast("list[Part]", self._body["messages"][number - 1]["content"] if number else [])
        asked = {part["id"]: part for part in before if part["type"] == "tool_use"}
        seen_other = False
        for part in content:
            seen_other = seen_other or part["type"] != "tool_result"
            if part["type"] != "tool_result":
                continue
            block = asked.pop(part["tool_use_id"], None)
            if block is None:
                _invalid(f"messages.{number}: unexpected `tool_use_id` found in `tool_result` blocks")
            elif block.get("toolset_name") != part.get("toolset_name"):
                _invalid(f"messages.{number}: `toolset_name` of a tool_result must match its tool_use")
            if seen_other:
                _invalid(f"messages.{number}: `tool_result` blocks must come first")

    def _check_pictures(self) -> None:
        pictures = [part for part in nested(self._body) if part["type"] == "image"]
        for part in pictures:
            source = part["source"]
            if len(source["data"]) > 5 * 2**20:
                _invalid("image exceeds 5 MB maximum")
            try:
                picture = Image.open(io.BytesIO(base64.b64decode(source["data"], validate=True)))
            except (binascii.Error, OSError):
                raise Refused(error(400, "invalid_request_error", "Could not process image")) from None
            if source["media_type"] != f"image/{str(picture.format).lower()}":
                _invalid("The image's media type is not the one that was said")
            is_set = any(tool.get("type") == TOOLSET for tool in self._body["tools"])
            if is_set and not within(picture.size, limits_of(self._body)):
                _invalid("image dimensions exceed the maximum of this model")
            if len(pictures) > 20 and max(picture.size) > 2000:
                _invalid("image dimensions exceed max allowed size for many-image requests: 2000 pixels")


_OLD_FIELDS = {
    "computer_20250124": {"type", "name", "display_width_px", "display_height_px", "display_number", "cache_control"},
    "computer_20251124": {
        "type",
        "name",
        "display_width_px",
        "display_height_px",
        "display_number",
        "enable_zoom",
        "cache_control",
        "strict",
    },
}
