"""What OpenAI's models are sent within one subtask: all of it each time, so that nothing need be stored with OpenAI."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from adapters.models.computer.briefings import (
    history_lines,
    history_text,
    result_text,
    run_text,
    state_text,
    subtask_text,
)

if TYPE_CHECKING:
    from adapters.models.computer.openai_replies import Call, Turn
    from adapters.models.computer.screenshots import Shown
    from core.runs.deciding import Briefing, Observation, Result, Subtask
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
            told = [run_text(self._briefing), subtask_text(self._subtask), state_text(observation)]
            opening = "\n\n".join(filter(None, told))
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
        windows = () if observation.windows == self._windows else observation.windows
        news = state_text(replace(observation, windows=windows, task_memory="", extracts={}))
        told = [_text("\n\n".join(filter(None, ("\n".join(lines) or _INTERRUPTED, news))))]
        if not any(call.is_computer for call in turn.calls):
            told.append(_image(shown))
        return _Group([*items, _user(*told)], lines)


def _screen(call: Call, results: tuple[Result, ...], shown: Shown) -> Item:
    """Only what a person has confirmed is acknowledged."""
    item: Item = {
        "type": "computer_call_output",
        "call_id": call.id,
        "output": {"type": "computer_screenshot", "image_url": _url(shown)},
    }
    if call.checks and any(result.acknowledged for result in results):
        item["acknowledged_safety_checks"] = list(call.checks)
    return item


def _output(call: Call, results: tuple[Result, ...]) -> Item:
    told = result_text(results[0]) if results else _INTERRUPTED
    return {"type": "function_call_output", "call_id": call.id, "output": told}


def _user(*parts: Item) -> Item:
    return {"role": "user", "content": list(parts)}


def _text(text: str) -> Item:
    return {"type": "input_text", "text": text}


def _image(shown: Shown) -> Item:
    # Any other detail is scaled by the provider, and clicks then drift.
    return {"type": "input_image", "image_url": _url(shown), "detail": "original"}


def _url(shown: Shown) -> str:
    return f"data:image/png;base64,{base64.b64encode(shown.png).decode()}"
