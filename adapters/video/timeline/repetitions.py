"""Parts of a page that come again for a moment: a test loads it, scrolls it and lets it fade in, again and again.

Each is reported when it comes first, and what is new among them still is. What comes again in one place alone, as a
message or a menu does, is reported each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.text.lines import strip_spaces
from core.analysis import EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.screen import Draft
    from core.analysis import Event

_MOMENT_MS: Final = 1500
"""What stands for longer can be read, and is reported again."""
_AGO_MS: Final = 500
"""A text that came less long ago is of the same coming."""
_AT_ONCE_MS: Final = 200
_SEVERAL: Final = 3
"""So many lines that come again at one moment are parts of a page."""


def without_repetitions(events: Sequence[Event], drafts: Sequence[Draft]) -> list[Event]:
    """The events without parts of a page that had come before, and come again for a moment.

    Args:
        events: the timeline.
        drafts: all changes of the clip, its first screen too.

    """
    first_ms: dict[str, int] = {}
    for draft in drafts:
        for line in draft.match.coming:
            text = strip_spaces(line.text)
            first_ms[text] = min(line.t_ms, first_ms.get(text, line.t_ms))
    again = [event for event in events if _is_momentary(event) and _is_known(event, first_ms)]
    return [event for event in events if event not in again or not _has_company(event, again)]


def _has_company(event: Event, again: Sequence[Event]) -> bool:
    """Whether others came with it elsewhere: a menu or a dialog that opens again is one place."""
    at_once = [other for other in again if abs(other.t_ms - event.t_ms) <= _AT_ONCE_MS]
    return len(at_once) > 1 and sum(len(_lines(other)) for other in at_once) >= _SEVERAL


def _is_momentary(event: Event) -> bool:
    return event.kind is EventKind.APPEARED and event.until_ms is not None and event.until_ms - event.t_ms <= _MOMENT_MS


def _is_known(event: Event, first_ms: dict[str, int]) -> bool:
    lines = _lines(event)
    return bool(lines) and all(first_ms.get(text, event.t_ms) <= event.t_ms - _AGO_MS for text in lines)


def _lines(event: Event) -> list[str]:
    return [strip_spaces(line) for line in event.lines]
