"""What Gemini is sent for a decision through ``generateContent``: its own turns, results of its calls, the screen.

Everything is JSON as it came: the model's turn has to go back unchanged, with its signatures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.computer.briefings import (
    history_lines,
    history_text,
    opening_text,
    result_text,
    state_text,
    windows_text,
)
from adapters.models.computer.call_arguments import HeldKeys
from adapters.models.computer.function_tools import functions_for
from adapters.models.computer.gemini_replies import Call, GeminiActions, Turn, read_turn
from adapters.models.computer.model_decider import Tokens
from adapters.models.computer.screenshots import Frame, Limits, Shown
from core.errors import InvalidCall
from core.runs.deciding import Briefing, Decision, Observation, Outcome, Result, Subtask
from core.screens import THOUSANDTHS, Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.models.computer.model_decider import Ask
    from adapters.models.failures import Provider


KEPT_PICTURES: Final = 3
"""Turns whose screenshot is kept, as Google's own agent does."""
_OMITTED: Final = "(An older screenshot was here.)"
_INVALID: Final = "Not executed: another call of this turn is not valid."
_INTERRUPTED: Final = "Not executed: the run was interrupted."


class GeminiMessages:
    """One subtask's contents; nothing is kept of a request that was not answered.

    Args:
        briefing: what holds for the run.
        subtask: what is to be done.

    """

    def __init__(self, briefing: Briefing, subtask: Subtask) -> None:
        self._briefing = briefing
        self._subtask = subtask
        self._said: list[dict[str, Any]] = []
        self._turn: Turn | None = None
        self._windows: tuple[Window, ...] = ()
        self._lines: list[str] = []
        self._reported: Result | None = None

    def next(self, observation: Observation, shown: Shown) -> list[dict[str, Any]]:
        """The contents of the next request; the last one is the user's."""
        turn = self._turn
        self._note(observation.results)
        if turn is not None and _must_restart(turn, observation.results):
            # A call that has to be confirmed and was not can be answered in no way that Gemini takes.
            self._said, self._turn, turn = [], None, None
        if turn is None:
            parts = self._opening(observation, shown)
        elif not turn.calls:
            parts = [_text(observation.repair or turn.fault), *_texts(state_text(observation)), _image(shown)]
        else:
            parts = self._answers(turn, observation, shown)
        return _trimmed([*self._said, {"role": "user", "parts": parts}])

    def commit(self, contents: list[dict[str, Any]], observation: Observation, turn: Turn) -> None:
        """Keep what was sent, and what was answered, unless that was nothing."""
        if turn.content is None:
            return
        self._said = [*contents, turn.content]
        self._turn = turn
        self._windows = observation.windows

    def _opening(self, observation: Observation, shown: Shown) -> list[dict[str, Any]]:
        text = opening_text(self._briefing, self._subtask, observation)
        if self._lines:
            text += f"\n\n{history_text(self._lines)}"
        return [_text(text), _image(shown), *_texts(observation.repair)]

    def _answers(self, turn: Turn, observation: Observation, shown: Shown) -> list[dict[str, Any]]:
        """One response for each call, in order; the last one shows the screen as it is now."""
        parts: list[dict[str, Any]] = []
        for number, call in enumerate(turn.calls):
            if turn.fault:
                fault = (observation.repair or turn.fault) if number == turn.faulty else _INVALID
                response: dict[str, Any] = {"error": fault}
            else:
                response = _format_results(call, observation.results[call.first : call.end])
            parts.append({"functionResponse": {**_named(call), "response": response}})
        last = parts[-1]["functionResponse"]
        # In the response and not beside it: a turn that answers calls holds nothing but answers.
        last["response"] |= self._news(observation, is_repaired=bool(turn.fault))
        last["parts"] = [_image(shown)]
        return parts

    def _news(self, observation: Observation, *, is_repaired: bool) -> dict[str, Any]:
        news: dict[str, Any] = {}
        if observation.notice:
            news["notice"] = observation.notice
        if observation.repair and not is_repaired:
            news["error"] = observation.repair
        if observation.windows and observation.windows != self._windows:
            news["windows"] = windows_text(observation.windows)
        if observation.elements:
            news["elements"] = list(observation.elements)
        return news

    def _note(self, results: Sequence[Result]) -> None:
        """Keep in words what was done, once: a conversation that begins anew is text it."""
        if not results or results[0] is self._reported:
            return
        self._reported = results[0]
        size = (self._briefing.width, self._briefing.height)
        self._lines += history_lines(len(self._lines) + 1, results, lambda point: THOUSANDTHS.back(point, size))


def _must_restart(turn: Turn, results: Sequence[Result]) -> bool:
    return any(
        call.needs_confirmation and not any(result.acknowledged for result in results[call.first : call.end])
        for call in turn.calls
    ) or any(call.needs_confirmation for call in turn.calls if turn.fault)


def _format_results(call: Call, results: Sequence[Result]) -> dict[str, Any]:
    if not results:
        return {"error": _INTERRUPTED}
    # The worst of what one call came to is what the model has to know.
    failed = next((each for each in results if each.outcome in {Outcome.FAILED, Outcome.REFUSED}), None)
    response: dict[str, Any] = {"error": result_text(failed)} if failed else {"output": result_text(results[-1])}
    if call.needs_confirmation and any(result.acknowledged for result in results):
        response["safety_acknowledgement"] = True
    return response


def _named(call: Call) -> dict[str, Any]:
    return {"name": call.name} | ({"id": call.id} if call.id is not None else {})


def _trimmed(contents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The contents without all but the newest screenshots; the texts stay."""
    users = [number for number, content in enumerate(contents) if content["role"] == "user"]
    older = set(users[:-KEPT_PICTURES])
    return [_without_pictures(content) if number in older else content for number, content in enumerate(contents)]


def _without_pictures(content: dict[str, Any]) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    for part in cast("list[dict[str, Any]]", content["parts"]):
        if "inlineData" in part:
            parts.append(_text(_OMITTED))
        elif "functionResponse" in part:
            response = {key: value for key, value in part["functionResponse"].items() if key != "parts"}
            parts.append({"functionResponse": response})
        else:
            parts.append(part)
    return {**content, "parts": parts}


def _text(text: str) -> dict[str, Any]:
    return {"text": text}


def _texts(text: str) -> list[dict[str, Any]]:
    return [_text(text)] if text else []


def _image(shown: Shown) -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/png", "data": shown.base64}}


LIMITS: Final = Limits(edge=3840)
"""Gemini scales as it needs; its coordinates are shares of the picture, so nothing is lost by that."""
_LEGACY: Final = ("gemini-2.5-", "gemini-3-flash-preview")
"""Models of the first generation of actions: they know no detection of injected prompts."""


class GeminiWire:
    """Implements ``Wire``."""

    limits = LIMITS
    space = THOUSANDTHS
    tokens = Tokens(
        "usageMetadata",
        input=("promptTokenCount", "toolUsePromptTokenCount"),
        output=("candidatesTokenCount", "thoughtsTokenCount"),
    )

    def __init__(self, briefing: Briefing, provider: Provider, prompt: str) -> None:
        self._briefing = briefing
        self._provider = provider
        self._prompt = prompt
        self._held = HeldKeys()
        self._actions = GeminiActions((briefing.width, briefing.height), self._held)
        self._messages: GeminiMessages

    def begin(self, subtask: Subtask, frame: Frame) -> None:  # noqa: ARG002 - each picture is shown whole
        """See ``Wire``."""
        self._messages = GeminiMessages(self._briefing, subtask)
        self._held.forget()

    def decide(self, observation: Observation, shown: Shown, ask: Ask) -> Decision:
        """See ``Wire``."""
        contents = self._messages.next(observation, shown)
        reply = ask(self._body(contents))
        held = list(self._held.keys)
        turn = read_turn(reply, self._actions, self._provider)
        self._messages.commit(contents, observation, turn)
        if turn.fault:
            self._held.keys = held
            raise InvalidCall(turn.fault)
        return Decision(proposals=turn.proposals, observation=turn.observation, task_memory=turn.task_memory)

    def _body(self, contents: list[dict[str, Any]]) -> dict[str, Any]:
        computer: dict[str, Any] = {"environment": "ENVIRONMENT_DESKTOP"}
        if not self._provider.model.removeprefix("models/").startswith(_LEGACY):
            computer["enablePromptInjectionDetection"] = True
        declared = [
            {"name": each.name, "description": each.description, "parametersJsonSchema": each.parameters}
            for each in functions_for(self._briefing)
        ]
        return {
            "systemInstruction": {"parts": [{"text": self._prompt}]},
            "contents": contents,
            "tools": [{"computerUse": computer}, {"functionDeclarations": declared}],
        }
