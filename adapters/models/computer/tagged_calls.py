"""Finds the call in a model's text: ``<tool_call>`` in its JSON and its XML dialect, bare JSON, or a native call."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from core.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOLS: Final = ("computer_use", "extract", "done", "ask", "reload_cached")
MAX_ANSWER: Final = 200_000
"""Characters; a longer answer holds no call that anybody meant."""
_MAX_CANDIDATES: Final = 50
_OPEN: Final = "<tool_call>"
_CLOSE: Final = "</tool_call>"
_THOUGHT: Final = "</think>"
_FUNCTION: Final = re.compile(r"\s*<function=([\w.-]{1,80})>(.*)", re.DOTALL)
_PARAMETER: Final = re.compile(r"\s*<parameter=([\w.-]{1,80})>")
_PARAMETER_CLOSE: Final = "</parameter>"
_FENCE: Final = re.compile(r"\s*```(?:json)?", re.ASCII)


class Call(NamedTuple):
    """A call as the model put it."""

    name: str
    arguments: dict[str, Any]


def find_call(content: str, native: Sequence[tuple[str, str]] = ()) -> Call:
    """The first call of an answer; ``native`` are the names and arguments of its ``tool_calls``.

    What was thought before ``</think>`` is no answer. Raises ``InvalidCall``, which says what is wrong.
    """
    if len(content) > MAX_ANSWER or any(len(arguments) > MAX_ANSWER for _, arguments in native):
        raise InvalidCall(f"The answer is longer than {MAX_ANSWER} characters: answer with one short tool call.")
    said = without_thoughts(content)
    start = said.find(_OPEN)
    if start >= 0:
        payload = said[start + len(_OPEN) :]
        function = _FUNCTION.match(payload)
        return _from_xml(function) if function else _from_tag(payload)
    if native:
        name, arguments = native[0]
        return _checked({"name": name, "arguments": arguments})
    return _from_text(said)


def without_thoughts(content: str) -> str:
    """What was answered, without what was thought before it."""
    head, tag, rest = content.partition(_THOUGHT)
    if tag:
        return rest
    return "" if head.lstrip().startswith("<think>") else head


def _from_tag(payload: str) -> Call:
    fence = _FENCE.match(payload)
    text = payload[fence.end() :] if fence else payload
    text = text.lstrip()
    if not text.startswith("{"):
        raise InvalidCall('After <tool_call> there must be one JSON object: {"name": …, "arguments": {…}}.')
    try:
        return _checked(_decode(text))
    except ValueError as fault:
        # Small models lose the last brace, with or without the closing tag behind it.
        end = text.find(_CLOSE)
        body = (text if end < 0 else text[:end]).rstrip().removesuffix("```").rstrip()
        try:
            return _checked(_decode(body + "}"))
        except ValueError:
            raise InvalidCall(f"The tool call is no valid JSON: {_told(fault)}.") from None


def _from_xml(function: re.Match[str]) -> Call:
    arguments: dict[str, Any] = {}
    body, place = function[2], 0
    while found := _PARAMETER.match(body, place):
        end = body.find(_PARAMETER_CLOSE, found.end())
        if end < 0:
            raise InvalidCall(f"The tool call's <parameter={found[1]}> is not closed: end it with {_PARAMETER_CLOSE}.")
        arguments[found[1]] = body[found.end() : end].removeprefix("\n").removesuffix("\n")
        place = end + len(_PARAMETER_CLOSE)
    return _checked({"name": function[1], "arguments": arguments})


def _from_text(said: str) -> Call:
    """The first JSON object of the text that is a call."""
    start, fault = said.find("{"), ""
    for _ in range(_MAX_CANDIDATES):
        if start < 0:
            break
        end = start + 1
        try:
            value, end = json.JSONDecoder().raw_decode(said, start)
            if isinstance(value, dict) and {"name", "arguments"} <= cast("dict[str, object]", value).keys():
                return _checked(cast("dict[str, object]", value))
        except (ValueError, RecursionError) as wrong:
            fault = fault or _told(wrong)
        start = said.find("{", end)
    if fault:
        raise InvalidCall(f"There is no tool call in the answer, and its JSON is not valid: {fault}.")
    raise InvalidCall("There is no tool call in the answer: end it with one <tool_call>…</tool_call>.")


def _decode(text: str) -> dict[str, object]:
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - a fault of the text, as the decoder's own are
    return cast("dict[str, object]", value)


def _checked(value: dict[str, object]) -> Call:
    name, arguments = value.get("name"), value.get("arguments")
    if not isinstance(name, str) or name not in TOOLS:
        raise InvalidCall(f"There is no tool {str(name)[:80]!r}; there are: {', '.join(TOOLS)}.")
    if isinstance(arguments, str):
        try:
            arguments = _decode(arguments)
        except ValueError as fault:
            raise InvalidCall(f"{name}: the arguments are no valid JSON object: {_told(fault)}.") from None
    if not isinstance(arguments, dict):
        raise InvalidCall(f"{name}: the arguments are no JSON object.")
    return Call(name, cast("dict[str, Any]", arguments))


def _told(fault: Exception) -> str:
    if isinstance(fault, json.JSONDecodeError):
        return f"{fault.msg} at character {fault.pos}"
    return "it is nested too deeply" if isinstance(fault, RecursionError) else str(fault)[:80]
