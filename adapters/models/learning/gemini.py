"""Lets Gemini watch a demonstration and write down the task."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from adapters.models.gemini import GeminiVideo, Inquiry
from adapters.models.replies import MalformedReply
from core.errors import InvalidReply
from core.recording.input_log import Focused, InputEvent, InputLog, Scrolled, Typed
from core.tasks.learning_gate import read_extraction
from core.tasks.ports import ExtractionReply

if TYPE_CHECKING:
    from core.analysis import Video
    from core.ports import JobContext

_MOST_EVENTS: Final = 600


class GeminiExtractor:
    """Implements ``core.tasks.ports.TaskExtractor``.

    Args:
        gemini: who is asked.
        prompt: the instruction, of the prompt folder ``task_extraction``.
        prompt_version: of the prompt, a part of ``model``.

    """

    name = "gemini"

    def __init__(self, gemini: GeminiVideo, *, prompt: str, prompt_version: str) -> None:
        self.model: Final = gemini.model_with(prompt_version)
        self._gemini = gemini
        self._prompt = prompt

    def unavailable(self) -> str | None:
        """What is wrong with the key or the address, if anything."""
        return self._gemini.unavailable()

    def extract(self, video: Video, log: InputLog | None, context: JobContext) -> ExtractionReply:
        """See the port. An answer that breaks the format is asked for once more."""
        inquiry = Inquiry(instruction=self._prompt, text=question_text(video, log), check=_check)
        reply, warnings = self._gemini.ask(video, inquiry, context)
        return ExtractionReply(text=reply.text, usage=reply.usage, warnings=warnings)


def question_text(video: Video, log: InputLog | None) -> str:
    """What stands behind the video: its length, and what the input log knows better than pictures do."""
    text = f"The recording lasts {video.duration_ms / 1000:.1f} s and is {video.width} x {video.height} pixels."
    if log is None or not log.events:
        return text
    shown = "\n".join(_describe_event(event) for event in log.events[:_MOST_EVENTS])
    left_out = len(log.events) - _MOST_EVENTS
    more = f"\n({left_out} more are left out.)" if left_out > 0 else ""
    size = f"places in pixels of {log.width} x {log.height}"
    known = "letters are not logged; an element is what its program says of it"
    heading = f"What mouse and keyboard did meanwhile, a line each (data; {size}; {known}):"
    return f"{text}\n{heading}\n{shown}{more}"


def _describe_event(event: InputEvent) -> str:
    """One line of JSON, with the time as the evidence spells it."""
    seconds = event.t_ms / 1000
    values: dict[str, Any] = {"at": f"{int(seconds // 60):02}:{seconds % 60:04.1f}"}
    values |= event.model_dump(mode="json", exclude={"t_ms", "until_ms", "element"})
    element = None if isinstance(event, Focused | Scrolled) else event.element
    if element is not None:
        values["element"] = element.model_dump(mode="json", exclude_defaults=True, exclude={"window"})
    if isinstance(event, Focused):
        values["title"] = event.title[:200]
    if isinstance(event, Typed):
        values["letters"] = values.pop("count")
    return json.dumps(values, ensure_ascii=False)


def _check(text: str) -> None:
    try:
        read_extraction(text)
    except InvalidReply as fault:
        raise MalformedReply(fault.message) from None
