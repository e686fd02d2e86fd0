"""What Anthropic's models answer: the blocks of one turn, and the proposals in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.computer.anthropic_actions import POINTER, read_action
from adapters.models.computer.briefings import bounded, quoted
from adapters.models.computer.function_tools import NO_TOOL, is_function, read_function
from core.errors import InvalidCall, InvalidReply, ProviderError
from core.runs.deciding import Proposal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.models.computer.pixel_arguments import Sight
    from adapters.models.failures import Provider

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
        said = f" You said: {quoted(observation)}" if observation else ""
        raise InvalidCall(NO_TOOL + said)
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


def spent(reply: Mapping[str, Any]) -> dict[str, int]:
    """The tokens of one answer; what was read from the cache or written to it counts as input."""
    told = reply.get("usage")
    usage = cast("dict[str, object]", told) if isinstance(told, dict) else {}

    def count(name: str) -> int:
        value = usage.get(name)
        return value if isinstance(value, int) and value > 0 else 0

    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return {"input_tokens": sum(count(name) for name in names), "output_tokens": count("output_tokens")}


def _content(reply: Mapping[str, Any], provider: Provider) -> list[dict[str, Any]]:
    content = reply.get("content")
    if reply.get("type") != "message" or not isinstance(content, list):
        raise _unlike(provider)
    parts = cast("list[object]", content)
    if not all(isinstance(part, dict) for part in parts):
        raise _unlike(provider)
    return cast("list[dict[str, Any]]", parts)


def _check_stop(reply: Mapping[str, Any], provider: Provider) -> None:
    reason = reply.get("stop_reason")
    if reason == "refusal":
        details = reply.get("stop_details")
        told = cast("dict[str, object]", details) if isinstance(details, dict) else {}
        why = bounded(str(told.get("explanation") or told.get("category") or "it does not say why"), 300)
        raise ProviderError(
            f"{provider.model!r} refuses to go on ({why}): word the task otherwise, or use another provider.",
            stop_reason="refusal",
        )
    if reason == "model_context_window_exceeded":
        raise ProviderError(f"The subtask is longer than {provider.model!r} can follow: split it.")
    if reason == "max_tokens":
        raise InvalidCall("The answer was cut off at its greatest length: think less, and call one tool.")


def _block(part: Mapping[str, Any], provider: Provider) -> Block:
    values, toolset = part.get("input"), part.get("toolset_name")
    if not (isinstance(part.get("id"), str) and isinstance(part.get("name"), str)):
        raise _unlike(provider)
    return Block(
        id=part["id"],
        name=part["name"],
        values=cast("dict[str, Any]", values) if isinstance(values, dict) else {},
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


def _unlike(provider: Provider) -> InvalidReply:
    return InvalidReply(f"{provider.shown_address} does not answer like Anthropic: check {provider.url_setting}.")
