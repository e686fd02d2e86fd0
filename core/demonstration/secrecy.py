"""Password managers: while one is in front, nothing that is on the screen may be learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from core.recording.input_log import Focused
from core.recording.private_windows import is_manager

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.analysis import Sighting
    from core.recording.input_log import InputLog

_MARGIN_MS: Final = 1500
"""A window is on the screen before it has the focus, and before its title is read."""


class Span(NamedTuple):
    """A part of the recording, in milliseconds."""

    start: int
    end: int

    def holds(self, t_ms: int) -> bool:
        """Whether a moment is in it."""
        return self.start <= t_ms <= self.end


def hidden_spans(sightings: Sequence[Sighting], log: InputLog | None, duration_ms: int) -> tuple[Span, ...]:
    """When a password manager was in front, by the windows' names in the log and by any such name on the screen."""
    found = [
        Span(max(0, one.t_ms - _MARGIN_MS), duration_ms if one.until_ms is None else one.until_ms)
        for one in sightings
        if is_manager(one.text)
    ]
    return (*found, *(_focused(log, duration_ms) if log is not None else ()))


def _focused(log: InputLog, duration_ms: int) -> Iterator[Span]:
    windows = [event for event in log.events if isinstance(event, Focused)]
    for at, window in enumerate(windows):
        if is_manager(window.title) or is_manager(window.application):
            end = windows[at + 1].t_ms if at + 1 < len(windows) else duration_ms
            yield Span(max(0, window.t_ms - _MARGIN_MS), end)
