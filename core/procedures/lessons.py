"""A stretch of a recording as a demonstration of its own: its part of the input log, on the clip's own clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.recording.input_log import Dragged, Focused, InputLog, Scrolled, Typed

if TYPE_CHECKING:
    from core.recording.input_log import InputEvent


def cut_log(log: InputLog, start_ms: int, end_ms: int) -> InputLog:
    """What was done from ``start_ms`` up to ``end_ms``, with times from ``start_ms``.

    The window that had the focus when the stretch began stands at its begin. What went on across an end is cut there.
    """
    start, end = max(start_ms, 0), max(end_ms, start_ms, 0)
    events = sorted(log.events, key=lambda event: event.t_ms)
    focused = [event for event in events if isinstance(event, Focused) and event.t_ms <= start]
    kept = [event for event in events if start <= event.t_ms < end and event is not (focused[-1] if focused else None)]
    first = [focused[-1].model_copy(update={"t_ms": 0})] if focused else []
    return InputLog(
        width=log.width, height=log.height, events=(*first, *(_shifted(event, start, end - start) for event in kept))
    )


def _shifted(event: InputEvent, start_ms: int, length_ms: int) -> InputEvent:
    t_ms = event.t_ms - start_ms
    if isinstance(event, Dragged | Scrolled | Typed):
        until = min(max(event.until_ms - start_ms, t_ms), length_ms)
        return event.model_copy(update={"t_ms": t_ms, "until_ms": until})
    return event.model_copy(update={"t_ms": t_ms})
