"""What is known of a recording while it is told: its texts, its changes, its windows, and what must not be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.demonstration.entries import Entries
from core.demonstration.screen_texts import ScreenTexts
from core.demonstration.secrecy import hidden_spans
from core.procedures.windows import Windows, private_spans
from core.recording.input_log import Clicked, Dragged, InputLog, Scrolled, Typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event, Findings
    from core.demonstration.looks import Looks
    from core.recording.input_log import InputEvent


@dataclass(frozen=True)
class Scene:
    """The parts; ``log`` is in order and within the recording."""

    texts: ScreenTexts
    timeline: Sequence[Event]
    """Without what came while nothing may be told."""
    entries: Entries
    windows: Windows
    looks: Looks
    log: InputLog | None
    duration_ms: int
    has_texts: bool = True
    """Whether the reader told every text; else there is only the timeline."""
    first_screen: Sequence[str] = ()


def scene_of(findings: Findings, log: InputLog | None, duration_ms: int, looks: Looks | None) -> Scene:
    """Make it of what was found and logged."""
    log = in_order(log, duration_ms) if log is not None else None
    sightings = findings.sightings or ()
    hidden = (
        *hidden_spans(sightings, log, duration_ms),
        *private_spans(log.events if log is not None else (), duration_ms),
    )
    texts = ScreenTexts(sightings, hidden)
    timeline = sorted(
        (
            event
            for event in findings.timeline
            if 0 <= event.t_ms <= duration_ms and not any(span.holds(event.t_ms) for span in hidden)
        ),
        key=lambda event: event.t_ms,
    )
    looks = looks or {}
    windows = Windows(log.events if log is not None else ())
    entries = Entries(timeline, texts, looks, log)
    return Scene(
        texts,
        entries.timeline,
        entries,
        windows,
        looks,
        log,
        duration_ms,
        has_texts=findings.sightings is not None,
        first_screen=findings.first_screen,
    )


def in_order(log: InputLog, duration_ms: int) -> InputLog:
    """A log by time, without what came after the recording's end, and with no end before its begin."""
    kept = sorted((event for event in log.events if event.t_ms <= duration_ms), key=lambda event: event.t_ms)
    return log.model_copy(update={"events": tuple(_bounded(event, duration_ms) for event in kept)})


def _bounded(event: InputEvent, duration_ms: int) -> InputEvent:
    if not isinstance(event, Dragged | Scrolled | Typed):
        return event
    until = min(max(event.until_ms, event.t_ms), duration_ms)
    return event if until == event.until_ms else event.model_copy(update={"until_ms": until})


def scaled(log: InputLog, width: int, height: int) -> InputLog:
    """A log whose places are pixels of a picture of that size."""
    across, down = width / log.width, height / log.height
    if across == down == 1:
        return log

    def moved(event: InputEvent) -> InputEvent:
        match event:
            case Clicked() | Scrolled():
                return event.model_copy(update={"x": round(event.x * across), "y": round(event.y * down)})
            case Dragged():
                places = {"x": event.x * across, "y": event.y * down}
                places |= {"to_x": event.to_x * across, "to_y": event.to_y * down}
                return event.model_copy(update={name: round(place) for name, place in places.items()})
            case _:
                return event

    return InputLog(width=width, height=height, events=tuple(map(moved, log.events)))
