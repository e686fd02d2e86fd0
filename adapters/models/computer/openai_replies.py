"""What OpenAI's models answer: the calls of one response, their proposals, and the actions of its computer tool."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.api_formats import as_object, as_objects
from adapters.models.computer.briefings import bounded, quoted
from adapters.models.computer.call_arguments import PixelArguments, Sight
from adapters.models.computer.function_tools import no_tool, read_function, shown
from core.actions import Action, Click, Drag, Key, Look, Move, Scroll, Type, Wait
from core.errors import InvalidCall, ProviderError
from core.runs.deciding import Proposal, SafetyCheck

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.models.failures import Provider
    from core.screens import Point


PIXELS_A_NOTCH: Final = 100
"""``scroll_x`` and ``scroll_y`` are pixels of a page; a notch of a wheel moves a page by about so many."""
WAIT_SECONDS: Final = 2.0
"""``wait`` says no duration."""
_MAX_NOTCHES: Final = 100
_MAX_PATH: Final = 1000
_BUTTONS: Final = {"left": "left_click", "right": "right_click", "wheel": "middle_click"}
_PAGES: Final = {"back": ("alt", "left"), "forward": ("alt", "right")}
"""The mouse's side buttons have no action here; every browser takes these keys for them."""


def read_actions(action: Mapping[str, Any], sight: Sight) -> tuple[Action, ...]:
    """What one action means: mostly one of ours, two where it scrolls both ways. Raises ``InvalidCall``."""
    kind = action.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise InvalidCall(f"There is no action {quoted(str(kind))}; there are: {', '.join(_READERS)}.")
    return read(PixelArguments(str(kind), action, sight))


def _at(given: PixelArguments) -> Point:
    return given.point_at((given.number("x"), given.number("y")))


def _click(given: PixelArguments) -> tuple[Action, ...]:
    button = given.one_of("button", (*_BUTTONS, *_PAGES)) if given.has("button") else "left"
    if button in _PAGES:
        return (Key(keys=_PAGES[button]),)
    fields = {"action": _BUTTONS[button], "at": _at(given), "modifiers": given.held("keys")}
    return (Click.model_validate(fields),)


def _double_click(given: PixelArguments) -> tuple[Action, ...]:
    return (Click(action="double_click", at=_at(given), modifiers=given.held("keys")),)


def _drag(given: PixelArguments) -> tuple[Action, ...]:
    path = given.listed("path")
    if not 2 <= len(path) <= _MAX_PATH:  # noqa: PLR2004 - from one place to another
        raise InvalidCall(f"drag: 'path' has 2 to {_MAX_PATH} places, not {len(path)}.")
    return (Drag(path=tuple(_place(given, place) for place in path), modifiers=given.held("keys")),)


def _place(given: PixelArguments, place: object) -> Point:
    if isinstance(place, dict):
        named = cast("dict[str, object]", place)
        return given.point_at((named.get("x"), named.get("y")))
    if isinstance(place, list):
        return given.point_at(cast("list[object]", place))
    raise InvalidCall(f"drag: a place is an x and a y, not {shown(place)}.")


def _scroll(given: PixelArguments) -> tuple[Action, ...]:
    at, modifiers = _at(given), given.held("keys")
    across = _notches(given, "scroll_x")
    down = _notches(given, "scroll_y")
    actions: list[Action] = []
    if down or not across:
        actions.append(Scroll(action="scroll", notches=down, at=at, modifiers=modifiers))
    if across:
        actions.append(Scroll(action="hscroll", notches=across, at=at, modifiers=modifiers))
    return tuple(actions)


def _notches(given: PixelArguments, name: str) -> int:
    """Whole notches, at least one for any distance at all."""
    pixels = given.number(name) if given.has(name) else 0.0
    notches = math.floor(abs(pixels) / PIXELS_A_NOTCH + 0.5) or int(pixels != 0)
    if notches > _MAX_NOTCHES:
        most = _MAX_NOTCHES * PIXELS_A_NOTCH
        raise InvalidCall(f"scroll: {name!r} is at most {most} pixels either way, not {pixels:g}.")
    return notches if pixels > 0 else -notches


_READERS: Final[dict[str, Callable[[PixelArguments], tuple[Action, ...]]]] = {
    "click": _click,
    "double_click": _double_click,
    "drag": _drag,
    "keypress": lambda given: (Key(keys=given.chord("keys")),),
    "move": lambda given: (Move(at=_at(given), modifiers=given.held("keys")),),
    "screenshot": lambda _: (Look(),),
    "scroll": _scroll,
    "type": lambda given: (Type(text=given.typed("text")),),
    "wait": lambda _: (Wait(seconds=WAIT_SECONDS),),
}


MAX_ACTIONS: Final = 50
"""A response of more is nonsense."""
_MAX_OBSERVATION: Final = 2000


@dataclass(frozen=True, slots=True)
class Call:
    """One ``computer_call`` or ``function_call``, and how many of the proposals are its."""

    id: str
    is_computer: bool
    proposals: int
    checks: tuple[dict[str, Any], ...] = ()
    """Its ``pending_safety_checks`` as they came, to be acknowledged as they came."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer; ``items`` is what it said, to be sent back unchanged."""

    items: list[dict[str, Any]]
    calls: tuple[Call, ...]
    proposals: tuple[Proposal, ...]
    observation: str
    task_memory: str | None


def read_turn(reply: Mapping[str, Any], sight: Sight, provider: Provider) -> Turn:
    """Read a response.

    Raises:
        InvalidCall: it calls no tool, was cut off, or a call is no move that can be made.
        ProviderError: the model refuses, the provider failed, or this is no response.

    """
    items = _items(reply, provider)
    _check_status(reply, provider)
    observation = "\n".join(filter(None, (_words(item, provider) for item in items)))
    proposals: list[Proposal] = []
    calls: list[Call] = []
    memory = None
    for item in items:
        kind = item.get("type")
        if kind == "computer_call":
            checks = _checks(item)
            found = _computer_proposals(item, checks, sight)
            calls.append(Call(_id(item, provider), is_computer=True, proposals=len(found), checks=checks))
            proposals += found
        elif kind == "function_call":
            proposal, noted = _function_proposal(item)
            calls.append(Call(_id(item, provider), is_computer=False, proposals=1))
            proposals.append(proposal)
            memory = noted or memory
    if not calls:
        raise no_tool(observation)
    if len(proposals) > MAX_ACTIONS:
        raise InvalidCall(f"No more than {MAX_ACTIONS} actions at once: {len(proposals)} came.")
    return Turn(items, tuple(calls), tuple(proposals), bounded(observation, _MAX_OBSERVATION), memory)


def _items(reply: Mapping[str, Any], provider: Provider) -> list[dict[str, Any]]:
    items = as_objects(reply.get("output"))
    if reply.get("object") != "response" or items != reply.get("output"):
        raise provider.unlike()
    return items


def _check_status(reply: Mapping[str, Any], provider: Provider) -> None:
    status = reply.get("status")
    if status == "incomplete":
        if as_object(reply.get("incomplete_details")).get("reason") == "content_filter":
            raise provider.refusal("its filter stopped the answer")
        raise InvalidCall("The answer was cut off at its greatest length: think less, and call one tool.")
    if status == "failed":
        error = as_object(reply.get("error"))
        raise ProviderError(
            f"{provider.title} failed to answer ({bounded(str(error.get('code') or 'no reason given'), 100)}): "
            "try again, or use another provider."
        )


def _computer_proposals(item: Mapping[str, Any], checks: tuple[dict[str, Any], ...], sight: Sight) -> list[Proposal]:
    """The call's actions in order. What its provider wants confirmed stands at the first: it stops all the others."""
    given = item.get("actions")
    actions = cast("list[object]", given) if isinstance(given, list) else [item.get("action")]
    safety = tuple(
        SafetyCheck(id=str(check.get("id")), code=str(check.get("code") or ""), message=str(check.get("message") or ""))
        for check in checks
    )
    proposals: list[Proposal] = []
    for action in actions:
        if not isinstance(action, dict):
            raise InvalidCall(f"An action is a JSON object, not {shown(action)}.")
        put = cast("dict[str, Any]", action)
        call = {"name": "computer", "arguments": put}
        for move in read_actions(put, sight):
            proposals.append(Proposal(move=move, tool_call=call, safety=() if proposals else safety))
    return proposals or [Proposal(move=Look(), tool_call={"name": "computer", "arguments": {}}, safety=safety)]


def _function_proposal(item: Mapping[str, Any]) -> tuple[Proposal, str | None]:
    name, text = str(item.get("name")), item.get("arguments")
    try:
        arguments = cast("object", json.loads(text)) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        raise InvalidCall(f"The arguments of {quoted(name)} are no valid JSON: {shown(text)}.") from None
    said = read_function(name, arguments)
    call = {"name": name, "arguments": cast("dict[str, Any]", arguments)}
    return Proposal(move=said.move, tool_call=call), said.task_memory


def _checks(item: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    return tuple(as_objects(item.get("pending_safety_checks")))


def _words(item: Mapping[str, Any], provider: Provider) -> str:
    """What it says in a message or in the summary of its reasoning."""
    parts = item.get({"message": "content", "reasoning": "summary"}.get(str(item.get("type")), ""))
    said: list[str] = []
    for part in as_objects(parts):
        if part.get("type") == "refusal":
            raise provider.refusal(str(part.get("refusal") or "it does not say why"))
        said.append(str(part.get("text") or ""))
    return " ".join(filter(None, said)).strip()


def _id(item: Mapping[str, Any], provider: Provider) -> str:
    name = item.get("call_id")
    if not isinstance(name, str) or not name:
        raise provider.unlike()
    return name
