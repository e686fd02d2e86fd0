"""Clicks that show without a pointer: a control is lit, and what it does comes right after.

A test's browser draws no pointer, but a link under it is underlined, a button darkens, a field is framed. One such
change says nothing by itself, nor among others; alone on a quiet screen, and with what follows elsewhere, it is a click
on the words inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap, lies_in, overlap
from core.analysis import Action, ActionKind, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft
    from core.analysis import Event

_LEAST_MS: Final = 40
_MOST_MS: Final = 1200
"""Between a control's being lit and what it does: a server may be asked first."""
_QUIET_MS: Final = 300
"""For so long nothing was read anew before, and no other control was lit before or after."""
_WIDE: Final = 0.4
"""Of the picture: a control is no wider."""
_HIGH: Final = 3.5
"""Heights of its text: a control is no higher."""
_LETTERS: Final = 3
_LEGIBLE: Final = 0.93
_EFFECTS: Final = {EventKind.NAVIGATED, EventKind.APPEARED, EventKind.CHANGED}


@dataclass(frozen=True, slots=True)
class Light:
    """A control whose look changed, and the line of text in it."""

    t_ms: int
    box: Box
    line: Line

    def is_beside(self, event: Event) -> bool:
        """Whether the event happened elsewhere, or all over the screen."""
        if event.kind is EventKind.NAVIGATED or event.region is None:
            return True
        return not overlap(self.box, event.region)


def lights_of(drafts: Sequence[Draft], width: int) -> list[Light]:
    """Each change of a control's look in which its words, and nothing but them, stayed as they were."""
    found: list[Light] = []
    stirred = [draft.t_ms for draft in drafts if draft.match.says_anything or draft.scroll is not None]
    for draft in drafts:
        if draft.first or draft.match.says_anything or draft.scroll is not None or draft.masked is not None:
            continue
        if any(0 <= draft.t_ms - t_ms <= _QUIET_MS for t_ms in stirred) or not (draft.match.kept or draft.solid):
            continue
        words = [line for line, box in draft.stood if lies_in(box, draft.box) and not line.false]
        if len(words) != 1 or len(words[0].text) < _LETTERS or words[0].score < _LEGIBLE:
            continue
        line = words[0]
        if draft.box[2] <= _WIDE * width and draft.box[3] <= _HIGH * line.box[3] and _stays(line, draft.t_ms):
            found.append(Light(draft.t_ms, draft.box, line))
    return [
        one for one in found if not any(one is not other and abs(one.t_ms - other.t_ms) <= _QUIET_MS for other in found)
    ]


def _stays(line: Line, t_ms: int) -> bool:
    """Whether it was no placeholder that gave way to what was typed."""
    return line.until_ms is None or line.until_ms - t_ms > _LEAST_MS


def clicks_of(lights: Sequence[Light], events: Sequence[Event]) -> Iterator[tuple[Action, tuple[int, ...]]]:
    """The clicks, each with the indices of the events that followed from it, until the next control was lit."""
    typed = [(event.t_ms, event.region) for event in events if event.kind is EventKind.TYPED and event.region]
    for light in lights:
        end_ms = min([light.t_ms + _MOST_MS, *(later.t_ms for later in lights if later.t_ms > light.t_ms)])
        follows = [
            index
            for index, event in enumerate(events)
            if light.t_ms + _LEAST_MS <= event.t_ms <= end_ms and event.kind in _EFFECTS and event.text
        ]
        is_field = any(
            0 <= t_ms - light.t_ms <= _MOST_MS and max(gap(light.box, region)) <= light.line.box[3]
            for t_ms, region in typed
        )
        if not follows or is_field or not all(light.is_beside(events[index]) for index in follows):
            continue
        yield (
            Action(
                t_ms=light.t_ms,
                kind=ActionKind.CLICK,
                target=light.line.text,
                region=light.line.box,
                confidence=round(0.7 * min(light.line.score, 1.0), 3),
                description=f'Clicked "{light.line.text}".',
            ),
            tuple(follows),
        )
