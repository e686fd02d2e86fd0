"""What OpenAI's models answer: the calls of one response, and the proposals in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.computer.briefings import bounded, quoted
from adapters.models.computer.function_tools import NO_TOOL, read_function, shown
from adapters.models.computer.openai_actions import read_actions
from core.actions import Look
from core.errors import InvalidCall, InvalidReply, ProviderError
from core.runs.deciding import Proposal, SafetyCheck

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.models.computer.pixel_arguments import Sight
    from adapters.models.failures import Provider

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
        raise InvalidCall(NO_TOOL + (f" You said: {quoted(observation)}" if observation else ""))
    if len(proposals) > MAX_ACTIONS:
        raise InvalidCall(f"No more than {MAX_ACTIONS} actions at once: {len(proposals)} came.")
    return Turn(items, tuple(calls), tuple(proposals), bounded(observation, _MAX_OBSERVATION), memory)


def spent(reply: Mapping[str, Any]) -> dict[str, int]:
    """The tokens of one answer; what was read from the cache counts as input, and thinking as output."""
    told = reply.get("usage")
    usage = cast("dict[str, object]", told) if isinstance(told, dict) else {}
    counts = {name: usage.get(name) for name in ("input_tokens", "output_tokens")}
    return {name: count if isinstance(count, int) and count > 0 else 0 for name, count in counts.items()}


def _items(reply: Mapping[str, Any], provider: Provider) -> list[dict[str, Any]]:
    output = reply.get("output")
    items = cast("list[object]", output) if isinstance(output, list) else [None]
    if reply.get("object") != "response" or not all(isinstance(item, dict) for item in items):
        raise _unlike(provider)
    return cast("list[dict[str, Any]]", items)


def _check_status(reply: Mapping[str, Any], provider: Provider) -> None:
    status = reply.get("status")
    if status == "incomplete":
        details = reply.get("incomplete_details")
        reason = cast("dict[str, object]", details).get("reason") if isinstance(details, dict) else ""
        if reason == "content_filter":
            raise _refusal("its filter stopped the answer", provider)
        raise InvalidCall("The answer was cut off at its greatest length: think less, and call one tool.")
    if status == "failed":
        error = reply.get("error")
        told = cast("dict[str, object]", error) if isinstance(error, dict) else {}
        raise ProviderError(
            f"{provider.title} failed to answer ({bounded(str(told.get('code') or 'no reason given'), 100)}): "
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
    given = item.get("pending_safety_checks")
    checks = cast("list[object]", given) if isinstance(given, list) else []
    return tuple(cast("dict[str, Any]", check) for check in checks if isinstance(check, dict))


def _words(item: Mapping[str, Any], provider: Provider) -> str:
    """What it says in a message or in the summary of its reasoning."""
    parts = item.get({"message": "content", "reasoning": "summary"}.get(str(item.get("type")), ""))
    said: list[str] = []
    for part in cast("list[object]", parts) if isinstance(parts, list) else []:
        told = cast("dict[str, object]", part) if isinstance(part, dict) else {}
        if told.get("type") == "refusal":
            raise _refusal(str(told.get("refusal") or "it does not say why"), provider)
        said.append(str(told.get("text") or ""))
    return " ".join(filter(None, said)).strip()


def _id(item: Mapping[str, Any], provider: Provider) -> str:
    name = item.get("call_id")
    if not isinstance(name, str) or not name:
        raise _unlike(provider)
    return name


def _refusal(why: str, provider: Provider) -> ProviderError:
    return ProviderError(
        f"{provider.model!r} refuses to go on ({bounded(why, 300)}): word the task otherwise, or use another provider."
    )


def _unlike(provider: Provider) -> InvalidReply:
    return InvalidReply(f"{provider.shown_address} does not answer like OpenAI: check {provider.url_setting}.")
