"""What Gemini answers: the calls of one turn, the proposals in them, and both generations of its computer actions."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from adapters.models.api_formats import as_object, as_objects
from adapters.models.computer.briefings import bounded, quoted
from adapters.models.computer.call_arguments import Arguments, HeldKeys
from adapters.models.computer.function_tools import NO_TOOL, is_function, read_function
from core.actions import (
    MAX_SECONDS,
    MAX_TEXT,
    PIXELS_A_NOTCH,
    Action,
    Click,
    Done,
    Drag,
    Key,
    Look,
    Move,
    OpenUrl,
    Press,
    Scroll,
    Type,
    Wait,
)
from core.errors import InvalidCall, InvalidReply
from core.key_names import parse_keys
from core.runs.deciding import Proposal, SafetyCheck
from core.screens import THOUSANDTHS, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.models.failures import Provider


MAX_NOTCHES: Final = 100
MAX_ADDRESS: Final = 8000
_THOUSAND: Final = 1000
_SELECT_ALL: Final = parse_keys("cmd+a" if sys.platform == "darwin" else "ctrl+a")
_BLANK: Final = "about:blank"
_CLICKS: Final = {
    "click": "left_click",
    "click_at": "left_click",
    "double_click": "double_click",
    "triple_click": "triple_click",
    "middle_click": "middle_click",
    "right_click": "right_click",
}
_MAGNITUDES: Final = {"scroll": 300.0, "scroll_at": 800.0, "scroll_document": 800.0}
"""In thousandths of the screen, where the call says nothing."""


class GeminiActions:
    """Reads calls on a desktop of this size; an answer is one action, or several in order.

    Args:
        desktop: its width and height in pixels.
        held: the keys that the model holds down.

    """

    def __init__(self, desktop: tuple[int, int], held: HeldKeys) -> None:
        self._desktop = desktop
        self._held = held
        self._readers: dict[str, Callable[[Arguments], tuple[Action, ...]]] = {
            **dict.fromkeys(_CLICKS, self._click),
            **dict.fromkeys(_MAGNITUDES, self._scroll),
            **dict.fromkeys(("move", "hover_at"), self._move),
            **dict.fromkeys(("press_key", "hotkey", "key_combination"), self._keys),
            "mouse_down": self._press,
            "mouse_up": self._press,
            "type": self._type,
            "type_text_at": self._type_at,
            "drag_and_drop": self._drag,
            "key_down": self._key_down,
            "key_up": self._key_up,
            "wait": self._wait,
            "wait_5_seconds": lambda _: (Wait(seconds=5),),
            "take_screenshot": lambda _: (Look(),),
            "go_back": lambda _: (Key(keys=parse_keys("alt+left")),),
            "go_forward": lambda _: (Key(keys=parse_keys("alt+right")),),
            "navigate": self._navigate,
            "open_web_browser": lambda _: (OpenUrl(url=_BLANK),),
        }

    def read(self, name: str, values: Mapping[str, object]) -> tuple[Action, ...]:
        """What the call means. Raises ``InvalidCall``, which quotes what is wrong."""
        reader = self._readers.get(name)
        if reader is None:
            raise InvalidCall(f"There is no action {name[:80]!r} here; use click, type, scroll, press_key or another.")
        return reader(Arguments(name, values))

    def _click(self, given: Arguments) -> tuple[Action, ...]:
        action = {"action": _CLICKS[given.call], "at": self._point(given), "modifiers": self._held.join(())}
        return (Click.model_validate(action),)

    def _press(self, given: Arguments) -> tuple[Action, ...]:
        at = self._point(given) if given.has("x", "y") else None
        return (Press.model_validate({"action": f"left_{given.call}", "at": at}),)

    def _move(self, given: Arguments) -> tuple[Action, ...]:
        return (Move(at=self._point(given), modifiers=self._held.join(())),)

    def _drag(self, given: Arguments) -> tuple[Action, ...]:
        starts = ("start_x", "start_y") if given.has("start_x", "start_y") else ("x", "y")
        ends = ("end_x", "end_y") if given.has("end_x", "end_y") else ("destination_x", "destination_y")
        return (Drag(path=(self._point(given, *starts), self._point(given, *ends)), modifiers=self._held.join(())),)

    def _scroll(self, given: Arguments) -> tuple[Action, ...]:
        direction = given.one_of("direction", ("up", "down", "left", "right"))
        is_sideways = direction in {"left", "right"}
        if given.has("magnitude_in_wheel_clicks"):
            turns = given.number("magnitude_in_wheel_clicks")
        else:
            names = ("magnitude_in_pixels", "magnitude")
            share = given.number(*names) if given.has(*names) else _MAGNITUDES[given.call]
            turns = share / _THOUSAND * self._desktop[0 if is_sideways else 1] / PIXELS_A_NOTCH
        if turns <= 0:
            raise InvalidCall(f"{given.call}: the magnitude must be positive; 'direction' says where to.")
        notches = min(max(1, round(turns)), MAX_NOTCHES) * (-1 if direction in {"up", "left"} else 1)
        at = self._point(given) if given.has("x", "y") else None
        action = "hscroll" if is_sideways else "scroll"
        return (
            Scroll.model_validate({"action": action, "notches": notches, "at": at, "modifiers": self._held.join(())}),
        )

    def _type(self, given: Arguments) -> tuple[Action, ...]:
        return self._typing(given, enter=False)

    def _type_at(self, given: Arguments) -> tuple[Action, ...]:
        clear: tuple[Action, ...] = ()
        if given.flag("clear_before_typing", otherwise=True):
            clear = (Key(keys=_SELECT_ALL), Key(keys=("backspace",)))
        return (Click(action="left_click", at=self._point(given)), *clear, *self._typing(given, enter=True))

    def _typing(self, given: Arguments, *, enter: bool) -> tuple[Action, ...]:
        text = given.text("text")
        if len(text) > MAX_TEXT:
            raise InvalidCall(f"{given.call}: 'text' is longer than {MAX_TEXT} characters: type it in parts.")
        self._held.forbid(given.call)
        enters = given.flag("press_enter", otherwise=enter)
        return (Type(text=text), *([Key(keys=("enter",))] if enters else []))

    def _keys(self, given: Arguments) -> tuple[Action, ...]:
        return (Key(keys=self._held.join(given.keys("keys" if given.has("keys") else "key"), most=8)),)

    def _key_down(self, given: Arguments) -> tuple[Action, ...]:
        self._held.press(given.keys("key"))
        return (Look(),)

    def _key_up(self, given: Arguments) -> tuple[Action, ...]:
        self._held.release(given.keys("key"))
        return (Look(),)

    def _wait(self, given: Arguments) -> tuple[Action, ...]:
        seconds = given.number("seconds") if given.has("seconds") else 1.0
        if not 0 <= seconds <= MAX_SECONDS:
            raise InvalidCall(f"wait: 'seconds' must be from 0 to {MAX_SECONDS:g}, not {seconds:g}.")
        return (Wait(seconds=seconds),)

    def _navigate(self, given: Arguments) -> tuple[Action, ...]:
        url = given.words("url")
        if len(url) > MAX_ADDRESS:
            raise InvalidCall(f"navigate: 'url' is longer than {MAX_ADDRESS} characters.")
        return (OpenUrl(url=url),)

    def _point(self, given: Arguments, x: str = "x", y: str = "y") -> Point:
        return THOUSANDTHS.point((given.number(x), given.number(y)), self._desktop)


MAX_CALLS: Final = 30
"""A turn of more is nonsense."""
CONFIRM: Final = "require_confirmation"
_MAX_OBSERVATION: Final = 2000
_FINE: Final = frozenset(("", "STOP", "FINISH_REASON_UNSPECIFIED"))
_MENDABLE: Final = {
    "MAX_TOKENS": "The answer became too long and was cut off",
    "MALFORMED_FUNCTION_CALL": "The function call cannot be parsed",
    "UNEXPECTED_TOOL_CALL": "That function is not offered",
    "TOO_MANY_TOOL_CALLS": "These were too many function calls",
    "MALFORMED_RESPONSE": "The answer cannot be parsed",
}
_HARMLESS: Final = frozenset(("", "regular", "allow", "allowed"))


@dataclass(frozen=True, slots=True)
class Call:
    """One ``functionCall``: which of the turn's proposals are its own, and whether a person has to confirm it."""

    id: str | None
    name: str
    first: int
    end: int
    needs_confirmation: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer; ``content`` is to be sent back unchanged, ``None`` when there was nothing in it.

    When it is no move that can be made, ``fault`` says why, and ``faulty`` which call it is; nothing of it is done.
    """

    content: dict[str, Any] | None
    calls: tuple[Call, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    observation: str = ""
    task_memory: str | None = None
    fault: str = ""
    faulty: int = -1


def read_turn(reply: Mapping[str, Any], actions: GeminiActions, provider: Provider) -> Turn:
    """Read an answer. Raises ``InvalidReply`` when it is withheld, or none of Gemini's."""
    candidate = _candidate(reply, provider)
    content = candidate.get("content")
    parts = as_objects(as_object(content).get("parts"))
    finish = str(candidate.get("finishReason") or "")
    if finish in _MENDABLE:
        more = f": {quoted(str(candidate['finishMessage']))}" if candidate.get("finishMessage") else ""
        return Turn(None, fault=f"{_MENDABLE[finish]}{more}. Call one function, with short arguments.")
    if finish not in _FINE:
        raise InvalidReply(
            f"Gemini withheld its answer ({finish[:60]}): word the task otherwise, or use provider 'local'.",
            finish_reason=finish[:60],
        )
    if not parts:
        return Turn(None, fault=f"The answer is empty. {NO_TOOL}")
    spoken = [as_object(part.get("functionCall")) for part in parts if isinstance(part.get("functionCall"), dict)]
    said = "\n".join(str(part["text"]).strip() for part in parts if part.get("text") and not part.get("thought"))
    intents = [str(as_object(call.get("args")).get("intent") or "").strip() for call in spoken]
    observation = bounded("\n".join(filter(None, [said, *intents])), _MAX_OBSERVATION)
    return _read_calls(as_object(content), spoken, observation, actions)


def _read_calls(
    content: dict[str, Any], spoken: list[dict[str, Any]], observation: str, actions: GeminiActions
) -> Turn:
    if not spoken:
        return Turn(content, observation=observation, fault=NO_TOOL)
    calls: list[Call] = []
    proposals: list[Proposal] = []
    memory, fault, faulty, stop = None, "", -1, None
    for number, call in enumerate(spoken):
        name, args = str(call.get("name") or ""), as_object(call.get("args"))
        first = len(proposals)
        decision, explanation = _safety(args)
        if decision not in _HARMLESS | {CONFIRM}:
            stop = stop or _stopped(name, args, decision, explanation)
        try:
            if number >= MAX_CALLS:
                _refuse_more(len(spoken))
            moves, noted = _read(name, args, actions)
            memory = noted or memory
            checks = (SafetyCheck(id=str(call.get("id") or name), code=CONFIRM, message=explanation),)
            proposals += [
                Proposal(
                    move=move,
                    tool_call={"name": name, "arguments": args},
                    safety=checks if decision == CONFIRM and at == 0 else (),
                )
                for at, move in enumerate(moves)
            ]
        except InvalidCall as wrong:
            if not fault:
                fault, faulty = wrong.message, number
        id_ = call.get("id")
        calls.append(Call(id_ if isinstance(id_, str) else None, name, first, len(proposals), decision == CONFIRM))
    if stop is not None:
        return Turn(content, tuple(calls), (stop,), observation)
    return Turn(content, tuple(calls), tuple(proposals), observation, memory, fault, faulty)


def _read(name: str, args: dict[str, Any], actions: GeminiActions) -> tuple[tuple[Any, ...], str | None]:
    if is_function(name):
        reported = {key: value for key, value in args.items() if key not in {"intent", "safety_decision"}}
        said = read_function(name, reported)
        return (said.move,), said.task_memory
    return actions.read(name, args), None


def _safety(args: Mapping[str, Any]) -> tuple[str, str]:
    """What the safety service decides, and why; what is spelt in no known way is not taken for harmless."""
    given = args.get("safety_decision")
    if given is None:
        return "", ""
    decision = as_object(given).get("decision")
    said = str(as_object(given).get("explanation") or "Gemini asks for a confirmation of this action.")
    return (decision.strip().lower() if isinstance(decision, str) else "unknown"), bounded(said, 1000)


def _stopped(name: str, args: dict[str, Any], decision: str, explanation: str) -> Proposal:
    """Nothing of the turn is done: neither a person nor the model can overrule this."""
    result = f"Gemini's safety service stops this action ({decision[:40]}): {explanation}"
    return Proposal(move=Done(result=result, succeeded=False), tool_call={"name": name, "arguments": args})


def _refuse_more(count: int) -> None:
    raise InvalidCall(f"No more than {MAX_CALLS} calls a turn: {count} came.")


def _candidate(reply: Mapping[str, Any], provider: Provider) -> dict[str, Any]:
    candidates = as_objects(reply.get("candidates"))
    if candidates:
        return candidates[0]
    reason = as_object(reply.get("promptFeedback")).get("blockReason")
    if reason:
        raise InvalidReply(
            f"Gemini refused to look at this screen ({str(reason)[:60]}): use another provider, or 'local'.",
            finish_reason=str(reason)[:60],
        )
    if "usageMetadata" in reply or "candidates" in reply:
        return {}
    raise provider.unlike()
