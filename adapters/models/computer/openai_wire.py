"""What an OpenAI model is sent through the Responses API: everything each time, so that OpenAI need store nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from adapters.models.computer.briefings import (
    history_lines,
    history_text,
    news_text,
    opening_text,
    result_text,
)
from adapters.models.computer.call_arguments import Sight
from adapters.models.computer.function_tools import Function, functions_for
from adapters.models.computer.model_decider import Tokens
from adapters.models.computer.openai_replies import Call, Turn, read_turn
from adapters.models.computer.screenshots import Frame, Limits, Shown
from core.runs.deciding import Briefing, Decision, Observation, Result, Subtask

if TYPE_CHECKING:
    from adapters.models.computer.model_decider import Ask
    from adapters.models.failures import Provider
    from core.screens import Point, Window


Item = dict[str, Any]

KEPT_TURNS: Final = 4
MAX_TURNS: Final = 12
"""Above, all but ``KEPT_TURNS`` at once become lines of text: their pictures are what a request is made of."""
_INTERRUPTED: Final = "Not done: the run was interrupted."


@dataclass(frozen=True, slots=True)
class _Group:
    """A turn and its answers, and the same as lines of the history."""

    items: list[Item]
    lines: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent, and what becomes of it when it is answered."""

    items: list[Item]
    opening: str
    groups: tuple[_Group, ...]
    lines: tuple[str, ...]


class Items:
    """One subtask's items; nothing is kept of a request that was not answered, or not by a usable call.

    Args:
        briefing: what holds for the run.
        subtask: what is to be done.

    """

    def __init__(self, briefing: Briefing, subtask: Subtask) -> None:
        self._briefing = briefing
        self._subtask = subtask
        self._opening = ""
        self._groups: tuple[_Group, ...] = ()
        self._lines: tuple[str, ...] = ()
        self._turn: Turn | None = None
        self._windows: tuple[Window, ...] = ()

    def next(self, observation: Observation, shown: Shown) -> Request:
        """The input of the next request."""
        opening = self._opening
        if self._turn is None:
            opening = opening_text(self._briefing, self._subtask, observation)
            groups: tuple[_Group, ...] = (_Group([_user(_text("The screen now:"), _image(shown))]),)
        else:
            groups = (*self._groups, self._answered(self._turn, observation, shown))
        lines = self._lines
        if len(groups) > MAX_TURNS:
            lines += tuple(line for group in groups[:-KEPT_TURNS] for line in group.lines)
            groups = groups[-KEPT_TURNS:]
        begin = opening + (f"\n\n{history_text(lines)}" if lines else "")
        items = [_user(_text(begin)), *(item for group in groups for item in group.items)]
        if observation.repair:
            items.append(_user(_text(f"Your last answer was not carried out. {observation.repair}")))
        return Request(items, opening, groups, lines)

    def commit(self, request: Request, observation: Observation, turn: Turn) -> None:
        """Keep what was sent, and what was answered."""
        self._opening, self._groups, self._lines = request.opening, request.groups, request.lines
        self._windows = observation.windows
        self._turn = turn

    def _answered(self, turn: Turn, observation: Observation, shown: Shown) -> _Group:
        """Every call with its output; a computer call's is the screen as it is now, so words come beside it."""
        desktop = (observation.picture.width, observation.picture.height)

        def back(point: Point) -> tuple[int, int]:
            return shown.space.back(point, desktop)

        items = list(turn.items)
        place = 0
        for call in turn.calls:
            results = observation.results[place : place + call.proposals]
            place += call.proposals
            items.append(_screen(call, results, shown) if call.is_computer else _output(call, results))
        first = 1 + len(self._lines) + sum(len(group.lines) for group in self._groups)
        lines = history_lines(first, observation.results, back)
        news = news_text(observation, self._windows)
        reported = [_text("\n\n".join(filter(None, ("\n".join(lines) or _INTERRUPTED, news))))]
        if not any(call.is_computer for call in turn.calls):
            reported.append(_image(shown))
        return _Group([*items, _user(*reported)], lines)


def _screen(call: Call, results: tuple[Result, ...], shown: Shown) -> Item:
    """Only what a person has confirmed is acknowledged."""
    item: Item = {
        "type": "computer_call_output",
        "call_id": call.id,
        "output": {"type": "computer_screenshot", "image_url": shown.data_url},
    }
    if call.checks and any(result.acknowledged for result in results):
        item["acknowledged_safety_checks"] = list(call.checks)
    return item


def _output(call: Call, results: tuple[Result, ...]) -> Item:
    text = result_text(results[0]) if results else _INTERRUPTED
    return {"type": "function_call_output", "call_id": call.id, "output": text}


def _user(*parts: Item) -> Item:
    return {"role": "user", "content": list(parts)}


def _text(text: str) -> Item:
    return {"type": "input_text", "text": text}


def _image(shown: Shown) -> Item:
    # Any other detail is scaled by the provider, and clicks then drift.
    return {"type": "input_image", "image_url": shown.data_url, "detail": "original"}


LIMITS: Final = Limits(pixels=10_240_000)
"""Of a picture that is sent with ``detail: original``."""
_MAX_TOKENS: Final = 16_000


class OpenAiWire:
    """Implements ``Wire``."""

    limits = LIMITS
    space = None
    tokens = Tokens("usage", input=("input_tokens",), output=("output_tokens",))

    def __init__(self, briefing: Briefing, provider: Provider, prompt: str) -> None:
        self._briefing = briefing
        self._provider = provider
        self._prompt = prompt
        self._items: Items

    def begin(self, subtask: Subtask, frame: Frame) -> None:  # noqa: ARG002 - each picture is shown whole
        """See ``Wire``."""
        self._items = Items(self._briefing, subtask)

    def decide(self, observation: Observation, shown: Shown, ask: Ask) -> Decision:
        """See ``Wire``. A refusal of the model raises ``ProviderError``: it is no answer to the subtask."""
        request = self._items.next(observation, shown)
        reply = ask(self._body(request.items))
        turn = read_turn(reply, Sight.of(observation.picture, shown), self._provider)
        self._items.commit(request, observation, turn)
        return Decision(proposals=turn.proposals, observation=turn.observation, task_memory=turn.task_memory)

    def _body(self, items: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "model": self._provider.model,
            "instructions": self._prompt,
            "input": items,
            "tools": [{"type": "computer"}, *map(_tool, functions_for(self._briefing))],
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "truncation": "auto",
            "max_output_tokens": _MAX_TOKENS,
        }


def _tool(function: Function) -> dict[str, Any]:
    return {
        "type": "function",
        "name": function.name,
        "description": function.description,
        "parameters": function.parameters,
        "strict": False,
    }
