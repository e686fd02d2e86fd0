"""What the providers' APIs have in common: addresses, keys in headers, untrusted JSON, chat completions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

from core.errors import InvalidReply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.models.failures import Provider


GOOGLE: Final = "https://generativelanguage.googleapis.com"
CHAT_PATH: Final = "/chat/completions"
"""Of OpenAI-compatible servers, below their address."""


def bearer(key: str | None) -> dict[str, str]:
    """The header of a key as most providers take it; none without a key."""
    return {"authorization": f"Bearer {key}"} if key else {}


def google_key(key: str | None) -> dict[str, str]:
    """The header that Google takes a key in."""
    return {"x-goog-api-key": key} if key else {}


def generate_path(model: str, api_version: str) -> str:
    """Where one of Google's models answers, below the address."""
    name = model if model.startswith(("models/", "tunedModels/")) else f"models/{model}"
    return f"/{api_version}/{quote(name)}:generateContent"


def as_object(value: object) -> dict[str, Any]:
    """The value when it is a JSON object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """The value when it is a JSON array, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_objects(value: object) -> list[dict[str, Any]]:
    """The objects of a JSON array."""
    return [cast("dict[str, Any]", each) for each in as_list(value) if isinstance(each, dict)]


def counts_of(value: object) -> dict[str, int]:
    """The whole numbers of a JSON object by their names, such as the tokens that a request has cost."""
    return {name: count for name, count in as_object(value).items() if isinstance(count, int)}


def sum_of(counts: Mapping[str, int], *names: str) -> int:
    """The sum of the named counts; what is missing or negative counts as 0."""
    return sum(max(0, counts.get(name, 0)) for name in names)


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion's text, its native calls as names and arguments, why it ended, and what it cost."""

    content: str
    native: tuple[tuple[str, str], ...]
    finish: str
    usage: dict[str, int]
    """By the server's own names."""
    was_refused: bool

    def check_refusal(self, provider: Provider) -> None:
        """Raise ``InvalidReply`` when the provider withheld it."""
        if self.was_refused:
            raise InvalidReply(
                f"{provider.model!r} withheld its answer: set {provider.model_setting} to another model, "
                "or use provider 'local'.",
                finish_reason=self.finish,
            )


def read_completion(reply: dict[str, Any], provider: Provider) -> Completion:
    """Read the first choice. Raises ``InvalidReply`` when there is none."""
    choice = next(iter(as_objects(reply.get("choices"))), dict[str, Any]())
    if not isinstance(choice.get("message"), dict):
        raise provider.unlike()
    message = as_object(choice["message"])
    finish = str(choice.get("finish_reason") or "")
    return Completion(
        content=_text(message.get("content")),
        native=tuple(_native(call) for call in as_list(message.get("tool_calls"))),
        finish=finish,
        usage=counts_of(reply.get("usage")),
        was_refused=finish == "content_filter" or bool(message.get("refusal")),
    )


def _native(call: object) -> tuple[str, str]:
    function = as_object(as_object(call).get("function"))
    arguments = function.get("arguments")
    return str(function.get("name") or ""), arguments if isinstance(arguments, str) else json.dumps(arguments)


def _text(content: object) -> str:
    """Some servers answer in parts, as requests are made of."""
    return content if isinstance(content, str) else "".join(_text(part.get("text")) for part in as_objects(content))
