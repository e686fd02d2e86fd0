"""What a chat completion holds that a decision is read from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from core.errors import InvalidCall, InvalidReply

if TYPE_CHECKING:
    from adapters.models.failures import Provider

MAX_ECHO = 4000
"""Characters of a wrong answer that are shown to the model again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A completion's text, its native calls as names and arguments, why it ended, and the tokens it cost."""

    content: str
    native: tuple[tuple[str, str], ...]
    finish: str
    usage: dict[str, int]
    was_refused: bool

    @property
    def echo(self) -> str:
        """What the model said, as text that it can be shown again."""
        if self.content.strip() or not self.native:
            return self.content[:MAX_ECHO] or "(nothing)"
        name, arguments = self.native[0]
        return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})[:MAX_ECHO]}\n</tool_call>"

    def check(self, provider: Provider) -> None:
        """Raise ``InvalidReply`` when the provider withheld it, ``InvalidCall`` when it is not whole or empty."""
        if self.was_refused:
            raise InvalidReply(
                f"{provider.model!r} withheld its answer: set {provider.model_setting} to another model, "
                "or use provider 'local'.",
                finish_reason=self.finish,
            )
        if self.finish == "length":
            raise InvalidCall("The answer became too long and was cut off: answer in a few words, with one tool call.")
        if not self.content.strip() and not self.native:
            raise InvalidCall("The answer is empty: answer with one <tool_call>…</tool_call>.")


def read_answer(reply: dict[str, Any], provider: Provider) -> Answer:
    """Read a completion. Raises ``InvalidReply`` for what is none."""
    choice = _object(_first(reply.get("choices")))
    message = choice.get("message")
    if not isinstance(message, dict):
        raise InvalidReply(
            f"{provider.shown_address} does not answer like an OpenAI-compatible server: check {provider.url_setting}."
        )
    told = _object(cast("object", message))
    finish = str(choice.get("finish_reason") or "")
    spent = _object(reply.get("usage"))
    return Answer(
        content=_text(told.get("content")),
        native=tuple(_native(told.get("tool_calls"))),
        finish=finish,
        usage={
            ours: count
            for ours, theirs in (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"))
            if isinstance(count := spent.get(theirs), int) and count > 0
        },
        was_refused=finish == "content_filter" or bool(told.get("refusal")),
    )


def _native(calls: object) -> list[tuple[str, str]]:
    listed = cast("list[object]", calls) if isinstance(calls, list) else []
    found: list[tuple[str, str]] = []
    for each in listed:
        function = _object(_object(each).get("function"))
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        found.append((str(function.get("name") or ""), text))
    return found


def _text(content: object) -> str:
    """Some servers answer in parts, as requests are made of."""
    if isinstance(content, list):
        return "".join(_text(_object(part).get("text")) for part in cast("list[object]", content))
    return content if isinstance(content, str) else ""


def _first(value: object) -> object:
    return cast("list[object]", value)[0] if isinstance(value, list) and value else None


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
