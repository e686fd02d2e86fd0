"""What Anthropic's models answer: the blocks of one turn, their proposals, and the actions of its computer tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from adapters.models.api_formats import as_object, as_objects
from adapters.models.computer.briefings import bounded, quoted
from adapters.models.computer.call_arguments import PixelArguments, Sight
from adapters.models.computer.function_tools import is_function, no_tool, read_function
from core.actions import Action, Click, Drag, HoldKey, Key, Look, Move, Press, Scroll, Type, Wait, Zoom
from core.errors import InvalidCall, ProviderError
from core.runs.deciding import Proposal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.models.failures import Provider


_HELD: Final = ("text", "key")
"""Modifiers stand in ``text``; Anthropic's first examples had them in ``key``."""
_MAX_NOTCHES: Final = 100
_MAX_REPEAT: Final = 100
POINTER: Final = "cursor_position"
"""Asks where the pointer is; the answer is words."""


def read_action(name: str, values: Mapping[str, Any], sight: Sight) -> Action:
    """What the action of that name means. Raises ``InvalidCall`` that quotes what is wrong.

    Args:
        name: as the tool has it, e.g. ``left_click``.
        values: the arguments as they came, without ``action``.
        sight: of the screenshot that the model was sent.

    """
    read = _READERS.get(name)
    if read is None:
        raise InvalidCall(f"There is no action {quoted(name)}; there are: {', '.join(_READERS)}.")
    return read(PixelArguments(name, values, sight))


def _click(given: PixelArguments) -> Action:
    return Click.model_validate(
        {"action": given.call, "at": given.point_or_none("coordinate"), "modifiers": given.held(*_HELD)}
    )


def _press(given: PixelArguments) -> Action:
    return Press.model_validate({"action": given.call, "at": given.point_or_none("coordinate")})


def _drag(given: PixelArguments) -> Action:
    return Drag(path=(given.point("start_coordinate"), given.point("coordinate")), modifiers=given.held(*_HELD))


def _scroll(given: PixelArguments) -> Action:
    direction = given.one_of("scroll_direction", ("up", "down", "left", "right"))
    notches = given.whole("scroll_amount", 0, _MAX_NOTCHES)
    return Scroll(
        action="scroll" if direction in {"up", "down"} else "hscroll",
        notches=-notches if direction in {"up", "left"} else notches,
        at=given.point_or_none("coordinate"),
        modifiers=given.held("text"),
    )


def _key(given: PixelArguments) -> Action:
    repeat = given.whole("repeat", 1, _MAX_REPEAT) if given.has("repeat") else 1
    return Key(keys=given.chord("text"), repeat=repeat)


def _hold_key(given: PixelArguments) -> Action:
    return HoldKey(keys=given.chord("text"), seconds=given.seconds("duration"))


_READERS: Final[dict[str, Callable[[PixelArguments], Action]]] = {
    "screenshot": lambda _: Look(),
    POINTER: lambda _: Look(),
    "zoom": lambda given: Zoom(region=given.region("region")),
    "left_click": _click,
    "right_click": _click,
    "middle_click": _click,
    "double_click": _click,
    "triple_click": _click,
    "left_click_drag": _drag,
    "left_mouse_down": _press,
    "left_mouse_up": _press,
    "mouse_move": lambda given: Move(at=given.point("coordinate"), modifiers=given.held(*_HELD)),
    "scroll": _scroll,
    "key": _key,
    "hold_key": _hold_key,
    "type": lambda given: Type(text=given.typed("text")),
    "wait": lambda given: Wait(seconds=given.seconds("duration")),
}


COMPUTER: Final = "computer"
MAX_CALLS: Final = 30
"""A turn of more is nonsense."""
_MAX_OBSERVATION: Final = 2000


@dataclass(frozen=True, slots=True)
class Block:
    """One ``tool_use`` block."""

    id: str
    name: str
    values: Mapping[str, Any]
    toolset: str | None

    @property
    def asks_for_pointer(self) -> bool:
        """Whether it asks where the pointer is."""
        return self.name == POINTER or self.values.get("action") == POINTER


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer that calls tools.

    ``content`` is what it said, to be sent back unchanged. When a call is no move that can be made, ``fault`` says
    why and ``faulty`` which block it is; nothing of the turn is then done.
    """

    content: list[dict[str, Any]]
    blocks: tuple[Block, ...]
    proposals: tuple[Proposal, ...] = ()
    observation: str = ""
    task_memory: str | None = None
    fault: str = ""
    faulty: int = -1


def read_turn(reply: Mapping[str, Any], sight: Sight, provider: Provider) -> Turn:
    """Read a message.

    Raises:
        InvalidCall: it calls no tool, or was cut off.
        ProviderError: the model refuses, or this is no message.

    """
    content = _content(reply, provider)
    blocks = tuple(_block(part, provider) for part in content if part.get("type") == "tool_use")
    observation = "\n".join(filter(None, (_words(part) for part in content)))
    _check_stop(reply, provider)
    if not blocks:
        raise no_tool(observation)
    if len(blocks) > MAX_CALLS:
        fault = f"No more than {MAX_CALLS} calls a turn: {len(blocks)} came."
        return Turn(content, blocks, fault=fault, faulty=MAX_CALLS)
    proposals: list[Proposal] = []
    memory = None
    for number, block in enumerate(blocks):
        try:
            proposal, noted = _read(block, sight)
        except InvalidCall as fault:
            return Turn(content, blocks, fault=fault.message, faulty=number)
        proposals.append(proposal)
        memory = noted or memory
    return Turn(content, blocks, tuple(proposals), bounded(observation, _MAX_OBSERVATION), memory)


def _content(reply: Mapping[str, Any], provider: Provider) -> list[dict[str, Any]]:
    parts = as_objects(reply.get("content"))
    if reply.get("type") != "message" or parts != reply.get("content"):
        raise provider.unlike()
    return parts


def _check_stop(reply: Mapping[str, Any], provider: Provider) -> None:
    reason = reply.get("stop_reason")
    if reason == "refusal":
        details = as_object(reply.get("stop_details"))
        why = str(details.get("explanation") or details.get("category") or "it does not say why")
        raise provider.refusal(why, stop_reason="refusal")
    if reason == "model_context_window_exceeded":
        raise ProviderError(f"The subtask is longer than {provider.model!r} can follow: split it.")
    if reason == "max_tokens":
        raise InvalidCall("The answer was cut off at its greatest length: think less, and call one tool.")


def _block(part: Mapping[str, Any], provider: Provider) -> Block:
    toolset = part.get("toolset_name")
    if not (isinstance(part.get("id"), str) and isinstance(part.get("name"), str)):
        raise provider.unlike()
    return Block(
        id=part["id"],
        name=part["name"],
        values=as_object(part.get("input")),
        toolset=toolset if isinstance(toolset, str) else None,
    )


def _read(block: Block, sight: Sight) -> tuple[Proposal, str | None]:
    call = {"name": block.name, "arguments": dict(block.values)}
    if block.toolset is None and is_function(block.name):
        said = read_function(block.name, block.values)
        return Proposal(move=said.move, tool_call=call), said.task_memory
    name = block.values.get("action") if block.name == COMPUTER else block.name
    values = {key: value for key, value in block.values.items() if key != "action"}
    return Proposal(move=read_action(str(name), values, sight), tool_call=call), None


def _words(part: Mapping[str, Any]) -> str:
    value = part.get({"text": "text", "thinking": "thinking"}.get(str(part.get("type")), ""))
    return value.strip() if isinstance(value, str) else ""
