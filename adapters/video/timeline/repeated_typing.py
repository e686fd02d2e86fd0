"""Letters that a program writes: those of a text that is typed elsewhere at the same time, as a list shows an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.text.lines import strip_spaces
from core.analysis import Event, EventKind
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.timeline.resting import Path

_AT_ONCE_MS: Final = 200
"""Two texts begin at once if neither is seen earlier by more: a first letter may be read some frames later."""
_LETTERS: Final = 2
"""Fewer that are alike say nothing."""
_NEAR: Final = 2
"""Heights of a text within which two begin in one place."""


def written(event: Event) -> Event:
    """The same, done by a program: it stands there when the last letter does."""
    kind, said = EventKind.APPEARED, f'"{event.text}" came.'
    if event.before:
        kind, said = EventKind.CHANGED, f'The text "{event.before}" changed to "{event.text}".'
    update = {"kind": kind, "t_ms": event.until_ms, "until_ms": None, "field": None, "description": said}
    return event.model_copy(update=update)


def repeated(events: Sequence[Event], path: Path) -> dict[int, int]:
    """The indices of the typing that repeats another, each with the index of that.

    A person types in one place. That is where the pointer stands, or else where the text began first, or else where
    something was typed before or a label stands. A text with more before it, and one that is made of what is typed in
    several places, is written by the program.
    """
    typed = [at for at, event in enumerate(events) if event.kind is EventKind.TYPED and event.region and event.until_ms]
    found: dict[int, int] = {}
    for at in typed:
        others = [other for other in typed if other != at and found.get(other) != at]
        parts = _parts(events[at], [events[other] for other in others])
        place = next((other for other in others if events[other] in parts or _repeats(events, at, other, path)), None)
        if place is not None:
            found = {one: found.get(place, place) if kept == at else kept for one, kept in found.items()}
            found[at] = found.get(place, place)
    return found


def _parts(one: Event, others: Sequence[Event]) -> list[Event]:
    """The typing of which a text is made, in its order; none where there is less than two."""
    left, parts = _letters(one), list[Event]()
    during = [other for other in others if one.t_ms - _AT_ONCE_MS <= other.t_ms <= _until(one)]
    while left:
        begins = (other for other in during if len(_letters(other)) >= _LETTERS and left.startswith(_letters(other)))
        last = (other for other in during if parts and len(left) >= _LETTERS and _letters(other).startswith(left))
        part = max([*begins, *last], key=lambda other: len(_letters(other)), default=None)
        if part is None:
            return []
        parts.append(part)
        left = left[len(_letters(part)) :]
    return parts if len(parts) > 1 else []


def _repeats(events: Sequence[Event], at: int, other: int, path: Path) -> bool:
    """Whether the first says what the second does while that is typed."""
    one, typed = events[at], events[other]
    if _is_there(one, typed) or one.t_ms > _until(typed):
        return False
    if _holds(one, typed):
        return typed.t_ms - one.t_ms <= _AT_ONCE_MS
    if not (_is_same(one, typed) or _is_begin(one, typed)):
        return False
    own, others = _is_pointed_at(one, path), _is_pointed_at(typed, path)
    if own != others:
        return others
    if abs(one.t_ms - typed.t_ms) > _AT_ONCE_MS:
        return typed.t_ms < one.t_ms
    own, others = (
        (_was_typed_at(events[:place], event), _is_labelled(event)) for place, event in ((at, one), (other, typed))
    )
    return others > own if own != others else (typed.t_ms, other) < (one.t_ms, at)


def _holds(one: Event, typed: Event) -> bool:
    """Whether a text ends in what is typed elsewhere, with a name before it."""
    whole, part = one_line(one.text or ""), one_line(typed.text or "")
    ends = (whole.endswith(f" {end}") for end in (part, part[:-1]))
    return len(part) > _LETTERS and any(ends)


def _is_pointed_at(event: Event, path: Path) -> bool:
    """Whether the pointer stands in its row while it is typed, beside or over its letters."""
    if event.region is None:
        return False
    tip = next((tip for t_ms, tip in reversed(path) if t_ms <= _until(event) and tip is not None), None)
    x, y, _, height = event.region
    return tip is not None and y - height <= tip[1] <= y + 2 * height and x - _NEAR * height <= tip[0]


def _until(event: Event) -> int:
    return event.until_ms or event.t_ms


def _letters(event: Event) -> str:
    return strip_spaces(event.text or "").casefold()


def _is_same(one: Event, other: Event) -> bool:
    first, second = sorted((one_line(one.text or ""), one_line(other.text or "")), key=len)
    return len(first) >= _LETTERS and second.startswith(first) and len(second) - len(first) <= 1


def _is_begin(one: Event, typed: Event) -> bool:
    """Whether a text came while another was typed that begins with it, and ended before: as a preview shows it."""
    begin, whole = one_line(one.text or ""), one_line(typed.text or "")
    is_while = typed.t_ms < one.t_ms and _until(one) <= _until(typed)
    return is_while and len(begin) >= _LETTERS and whole.startswith(begin)


def _was_typed_at(before: Sequence[Event], event: Event) -> bool:
    return any(other.kind is EventKind.TYPED and _is_there(other, event) for other in before)


def _is_labelled(event: Event) -> bool:
    return (event.field or "").rstrip(" *").endswith(":")


def _is_there(one: Event, other: Event) -> bool:
    if one.region is None or other.region is None:
        return False
    off = max(abs(one.region[0] - other.region[0]), abs(one.region[1] - other.region[1]))
    return off <= _NEAR * min(one.region[3], other.region[3])
