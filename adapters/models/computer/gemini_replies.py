"""What Gemini answers: the calls of one turn, the proposals in them, and what its safety service says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.computer.briefings import bounded, quoted
from adapters.models.computer.function_tools import NO_TOOL, is_function, read_function
from core.actions import Done
from core.errors import InvalidCall, InvalidReply
from core.runs.deciding import Proposal, SafetyCheck

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.models.computer.gemini_actions import GeminiActions
    from adapters.models.failures import Provider

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
    parts = _objects(_object(content).get("parts"))
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
    spoken = [_object(part.get("functionCall")) for part in parts if isinstance(part.get("functionCall"), dict)]
    said = "\n".join(str(part["text"]).strip() for part in parts if part.get("text") and not part.get("thought"))
    intents = [str(_object(call.get("args")).get("intent") or "").strip() for call in spoken]
    observation = bounded("\n".join(filter(None, [said, *intents])), _MAX_OBSERVATION)
    return _read_calls(_object(content), spoken, observation, actions)


def _read_calls(
    content: dict[str, Any], spoken: list[dict[str, Any]], observation: str, actions: GeminiActions
) -> Turn:
    if not spoken:
        return Turn(content, observation=observation, fault=NO_TOOL)
    calls: list[Call] = []
    proposals: list[Proposal] = []
    memory, fault, faulty, stop = None, "", -1, None
    for number, call in enumerate(spoken):
        name, args = str(call.get("name") or ""), _object(call.get("args"))
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


def spent(reply: Mapping[str, Any]) -> dict[str, int]:
    """The tokens of one answer; what was thought counts as output."""
    usage = _object(reply.get("usageMetadata"))

    def count(name: str) -> int:
        value = usage.get(name)
        return value if isinstance(value, int) and value > 0 else 0

    return {
        "input_tokens": count("promptTokenCount") + count("toolUsePromptTokenCount"),
        "output_tokens": count("candidatesTokenCount") + count("thoughtsTokenCount"),
    }


def _read(name: str, args: dict[str, Any], actions: GeminiActions) -> tuple[tuple[Any, ...], str | None]:
    if is_function(name):
        told = {key: value for key, value in args.items() if key not in {"intent", "safety_decision"}}
        said = read_function(name, told)
        return (said.move,), said.task_memory
    return actions.read(name, args), None


def _safety(args: Mapping[str, Any]) -> tuple[str, str]:
    """What the safety service decides, and why; what is spelt in no known way is not taken for harmless."""
    given = args.get("safety_decision")
    if given is None:
        return "", ""
    decision = _object(given).get("decision")
    said = str(_object(given).get("explanation") or "Gemini asks for a confirmation of this action.")
    return (decision.strip().lower() if isinstance(decision, str) else "unknown"), bounded(said, 1000)


def _stopped(name: str, args: dict[str, Any], decision: str, explanation: str) -> Proposal:
    """Nothing of the turn is done: neither a person nor the model can overrule this."""
    result = f"Gemini's safety service stops this action ({decision[:40]}): {explanation}"
    return Proposal(move=Done(result=result, succeeded=False), tool_call={"name": name, "arguments": args})


def _refuse_more(count: int) -> None:
    raise InvalidCall(f"No more than {MAX_CALLS} calls a turn: {count} came.")


def _candidate(reply: Mapping[str, Any], provider: Provider) -> dict[str, Any]:
    candidates = _objects(reply.get("candidates"))
    if candidates:
        return candidates[0]
    reason = _object(reply.get("promptFeedback")).get("blockReason")
    if reason:
        raise InvalidReply(
            f"Gemini refused to look at this screen ({str(reason)[:60]}): use another provider, or 'local'.",
            finish_reason=str(reason)[:60],
        )
    if "usageMetadata" in reply or "candidates" in reply:
        return {}
    raise InvalidReply(
        f"{provider.shown_address} does not answer like Gemini: check {provider.url_setting}, and any proxy."
    )


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
