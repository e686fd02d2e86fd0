"""Letters that a program writes: those of a text that is typed elsewhere at the same time, as a list shows an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.analysis import Event, EventKind
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_AT_ONCE_MS: Final = 40
"""Two texts of which neither begins earlier by more."""
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


def repeated(events: Sequence[Event]) -> dict[int, int]:
    """The indices of the typing that repeats another, each with the index of that.

    A person types in one place. That is where the text began first, or else where something was typed before or a
    label stands.
    """
    typed = [at for at, event in enumerate(events) if event.kind is EventKind.TYPED and event.region and event.until_ms]
    found: dict[int, int] = {}
    for at in typed:
        for other in typed:
            if other not in found and at not in found and at != other and _repeats(events, at, other):
                found[at] = other
    return found


def _repeats(events: Sequence[Event], at: int, other: int) -> bool:
    """Whether the first says what the second does while that is typed."""
    one, typed = events[at], events[other]
    if _is_there(one, typed) or one.t_ms > (typed.until_ms or typed.t_ms):
        return False
    if not (_is_same(one, typed) or _is_begin(one, typed)):
        return False
    if abs(one.t_ms - typed.t_ms) > _AT_ONCE_MS:
        return typed.t_ms < one.t_ms
    own, others = (
        (_was_typed_at(events[:place], event), _is_labelled(event)) for place, event in ((at, one), (other, typed))
    )
    return others > own if own != others else other < at


def _is_same(one: Event, other: Event) -> bool:
    first, second = sorted((one_line(one.text or ""), one_line(other.text or "")), key=len)
    return len(first) >= _LETTERS and second.startswith(first) and len(second) - len(first) <= 1


def _is_begin(one: Event, typed: Event) -> bool:
    """Whether a text came while another was typed that begins with it, and ended before: as a preview shows it."""
    begin, whole = one_line(one.text or ""), one_line(typed.text or "")
    is_while = typed.t_ms < one.t_ms and (one.until_ms or one.t_ms) <= (typed.until_ms or typed.t_ms)
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
