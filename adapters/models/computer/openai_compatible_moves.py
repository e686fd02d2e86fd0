"""Finds the call in a model's text, in its JSON or XML dialect, and reads it as a move in pixels of the desktop."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from adapters.models.computer.call_arguments import Arguments, HeldKeys
from adapters.models.computer.function_tools import read_reload
from core.actions import (
    MAX_SECONDS,
    MAX_TEXT,
    PIXELS_A_NOTCH,
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Extract,
    Key,
    Look,
    Move,
    OpenApp,
    OpenUrl,
    ReplayEntry,
    Scroll,
    Type,
    Wait,
)
from core.errors import InvalidCall
from core.screens import THOUSANDTHS, Point

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
            raise InvalidCall(f"The tool call is no valid JSON: {_describe_fault(fault)}.") from None


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
            fault = fault or _describe_fault(wrong)
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
            raise InvalidCall(f"{name}: the arguments are no valid JSON object: {_describe_fault(fault)}.") from None
    if not isinstance(arguments, dict):
        raise InvalidCall(f"{name}: the arguments are no JSON object.")
    return Call(name, cast("dict[str, Any]", arguments))


def _describe_fault(fault: Exception) -> str:
    if isinstance(fault, json.JSONDecodeError):
        return f"{fault.msg} at character {fault.pos}"
    return "it is nested too deeply" if isinstance(fault, RecursionError) else str(fault)[:80]


MAX_PIXELS: Final = 2000
MAX_ADDRESS: Final = 8000
MAX_NAME: Final = 500
_CLICKS: Final = ("left_click", "right_click", "middle_click", "double_click", "triple_click")


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A call, understood. ``value_is_missing``: the extract named no value; it has to be read off the screen first."""

    move: Action | Done | Ask | Extract | ReplayEntry
    observation: str
    task_memory: str | None
    value_is_missing: bool = False


@dataclass(frozen=True)
class Moves:
    """Understands calls on a desktop of this size.

    Args:
        desktop: its width and height in pixels.
        pointer: where the pointer is known to be, for a drag that names only its end.
        held: the modifiers that the model holds down.

    """

    desktop: tuple[int, int]
    pointer: Callable[[], Point | None]
    held: HeldKeys

    def understand(self, call: Call) -> ParsedCall:
        """What the call means. Raises ``InvalidCall``, which quotes what is wrong."""
        given = Arguments(call.name, call.arguments)
        if call.name == "reload_cached":
            noted = given.text("task_memory") if given.has("task_memory") else None
            return ParsedCall(read_reload(call.arguments), "", noted)
        memory = given.text("task_memory")
        if call.name == "done":
            succeeded = given.flag("succeeded", otherwise=True)
            observation = given.text("observation").strip() if given.has("observation") else ""
            return ParsedCall(Done(result=given.words("result"), succeeded=succeeded), observation, memory)
        observation = given.words("observation")
        if call.name == "ask":
            return ParsedCall(Ask(question=given.words("question")), observation, memory)
        if call.name == "extract":
            value = given.words("value") if given.has("value") else ""
            move = Extract(variable_name=given.words("variable_name"), query=given.words("query"), value=value)
            return ParsedCall(move, observation, memory, value_is_missing=not value)
        return ParsedCall(self._computer_use(given, observation), observation, memory)

    def _computer_use(self, given: Arguments, observation: str) -> Action | Done | Ask:
        readers: dict[str, Callable[[Arguments, str], Action]] = {
            **dict.fromkeys(_CLICKS, self._click),
            **dict.fromkeys(("scroll", "hscroll"), self._scroll),
            "key": self._key,
            "key_down": self._key_down,
            "key_up": self._key_up,
            "type": self._type,
            "mouse_move": self._move,
            "left_click_drag": self._drag,
            "wait": self._wait,
            "open_app": self._open_app,
            "open_url": self._open_url,
        }
        action = given.one_of("action", (*readers, "terminate", "answer", "interact"))
        if action == "terminate":
            succeeded = given.one_of("status", ("success", "failure")) == "success"
            return Done(result=given.words("text") if given.has("text") else observation, succeeded=succeeded)
        if action == "answer":
            return Done(result=given.words("text"))
        if action == "interact":
            return Ask(question=given.words("text"))
        return readers[action](given, action)

    def _click(self, given: Arguments, action: str) -> Action:
        keys = given.keys("keys") if given.has("keys") else ()
        at = self._point(given, "coordinate") if given.has("coordinate") else None
        return Click.model_validate({"action": action, "at": at, "modifiers": self.held.join(keys)})

    def _move(self, given: Arguments, _: str) -> Action:
        return Move(at=self._point(given, "coordinate"), modifiers=self.held.join(()))

    def _drag(self, given: Arguments, _: str) -> Action:
        """``coordinate`` is the end; with ``coordinate2`` it is the start, as with ``start_coordinate`` it is not."""
        if given.has("coordinate2"):
            start, end = self._point(given, "coordinate"), self._point(given, "coordinate2")
        elif given.has("end_coordinate"):
            name = "start_coordinate" if given.has("start_coordinate") else "coordinate"
            start, end = self._point(given, name), self._point(given, "end_coordinate")
        else:
            end = self._point(given, "coordinate")
            known = self._point(given, "start_coordinate") if given.has("start_coordinate") else self.pointer()
            if known is None:
                raise InvalidCall("left_click_drag: 'start_coordinate' is missing; it must be [x, y], where to press.")
            start = known
        keys = given.keys("keys") if given.has("keys") else ()
        return Drag(path=(start, end), modifiers=self.held.join(keys))

    def _scroll(self, given: Arguments, action: str) -> Action:
        pixels = given.number("pixels")
        at = self._point(given, "coordinate") if given.has("coordinate") else None
        keys = given.keys("keys") if given.has("keys") else ()
        return Scroll.model_validate(
            {"action": action, "notches": notches(pixels), "at": at, "modifiers": self.held.join(keys)}
        )

    def _type(self, given: Arguments, action: str) -> Action:
        text = given.text("text")
        if len(text) > MAX_TEXT:
            raise InvalidCall(f"type: 'text' is longer than {MAX_TEXT} characters: type it in parts.")
        self.held.forbid(action)
        return Type(text=text)

    def _key(self, given: Arguments, _: str) -> Action:
        return Key(keys=self.held.join(given.keys("keys"), most=8))

    def _key_down(self, given: Arguments, _: str) -> Action:
        self.held.press(given.keys("keys"))
        return Look()

    def _key_up(self, given: Arguments, _: str) -> Action:
        self.held.release(given.keys("keys"))
        return Look()

    def _wait(self, given: Arguments, _: str) -> Action:
        return Wait(seconds=seconds(given.number("time")))

    def _open_app(self, given: Arguments, _: str) -> Action:
        return OpenApp(name=short(given.words("text"), MAX_NAME, "open_app"))

    def _open_url(self, given: Arguments, _: str) -> Action:
        return OpenUrl(url=short(given.words("text"), MAX_ADDRESS, "open_url"))

    def _point(self, given: Arguments, name: str) -> Point:
        return THOUSANDTHS.point(given.pair(name), self.desktop)


def notches(pixels: float) -> int:
    """Of the wheel, at least one; positive goes down or right. Raises ``InvalidCall`` for nothing at all."""
    if not pixels:
        raise InvalidCall("scroll: 'pixels' is 0; positive pixels scroll down or right, negative ones up or left.")
    within = min(max(pixels, -MAX_PIXELS), MAX_PIXELS)
    return round(within / PIXELS_A_NOTCH) or (1 if pixels > 0 else -1)


def seconds(time: float) -> float:
    """How long to wait. Raises ``InvalidCall`` for what is no such time."""
    if not 0 <= time <= MAX_SECONDS:
        raise InvalidCall(f"wait: the time must be from 0 to {MAX_SECONDS:g} seconds, not {time:g}.")
    return time


def short(text: str, most: int, call: str) -> str:
    """The text, when it is no longer. Raises ``InvalidCall``."""
    if len(text) > most:
        raise InvalidCall(f"{call}: that is longer than {most} characters.")
    return text
