"""The address that stands above a page: when it changes, another page came, and that is said once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, overlap, same_row
from adapters.video.text.lines import address_of
from adapters.video.timeline.sentences import navigated_to
from core.analysis import BETWEEN_LINES, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft
    from core.analysis import Event

_TOP: Final = 0.2
"""Of the height; bars stand above the page."""
LEFT: Final = 0.25
"""Of the width: the page of an address that stands farther right begins there."""
_MOSTLY: Final = 0.5
"""Of the time in which the place with the longest shows addresses."""
_LONG: Final = 0.3
"""Of the film: an address that stands for less is text of a page."""
_STATUS: Final = 0.06
"""Of the height and the width: in the lowest corner a browser says where the link under the pointer leads."""
_BEFORE_MS: Final = 500
_AFTER_MS: Final = 1500
"""So much sooner or later than its address a page is drawn."""
_PAGE: Final = 0.08
"""Of the picture's area changes at least with a page."""
_WRITTEN_MS: Final = 5000
_BAR_LINES: Final = 3
"""A window's bar has little more than its title and the address."""
_PAGES: Final = {EventKind.NAVIGATED, EventKind.CHANGED, EventKind.APPEARED, EventKind.SCROLLED}


def bars_of(drafts: Sequence[Draft], high: int) -> list[Box]:
    """The highest places in which addresses stand for long; below they are text, as in a test runner's log.

    Args:
        drafts: the changes, in order of time.
        high: the picture's height, in pixels.

    """
    lines = {id(line): line for draft in drafts for line in (*draft.match.coming, *(old for old, _ in draft.stood))}
    places: list[tuple[Box, int]] = []
    end_ms = max((draft.rest_ms for draft in drafts), default=0)
    for line in lines.values():
        if line.came_at[1] > _TOP * high or not address_of(line.text):
            continue
        at = next((at for at, (box, _) in enumerate(places) if _begins_at(line.came_at, box)), len(places))
        box, stood_ms = places[at] if at < len(places) else (line.came_at, 0)
        until_ms = end_ms if line.until_ms is None else line.until_ms
        places[at : at + 1] = [(around((box, line.came_at)), stood_ms + max(until_ms - line.t_ms, 1))]
    longest_ms = max((stood_ms for _, stood_ms in places), default=0)
    if longest_ms < _LONG * end_ms:
        return []
    long = [box for box, stood_ms in places if stood_ms >= _MOSTLY * longest_ms]
    return [box for box in long if all(box[1] < other[1] + other[3] for other in long)]


def _begins_at(box: Box, place: Box) -> bool:
    return same_row(box, place) and abs(box[0] - place[0]) <= place[3]


def without_bars(drafts: Iterable[Draft], bars: Sequence[Box], size: tuple[int, int]) -> None:
    """Take out of the drafts what a browser says in its bars, but for the address: its tabs, where a link leads."""
    top = max((y + high for x, y, _, high in bars if x <= LEFT * size[0]), default=0)

    def is_of_bars(line: Line) -> bool:
        x, y, _, high = line.came_at
        if address_of(line.text):
            return y > (1 - _STATUS) * size[1] and x < _STATUS * size[0]
        return y + high <= top

    for draft in drafts:
        found = draft.match
        found.added = [line for line in found.added if not is_of_bars(line)]
        found.removed = [line for line in found.removed if not is_of_bars(line)]
        found.changed = [pair for pair in found.changed if not any(map(is_of_bars, pair))]


def turns_page(draft: Draft, bars: Sequence[Box]) -> bool:
    """Whether an address came or went in a bar above the page."""
    lines = (*draft.match.leaving, *draft.match.coming)
    return any(address_of(line.text) and _is_in(line.came_at, bars) for line in lines)


def _is_in(box: Box | None, bars: Sequence[Box]) -> bool:
    return box is not None and any(overlap(box, bar) > 0 for bar in bars)


def with_pages(events: Sequence[Event], bars: Sequence[Box], size: tuple[int, int]) -> list[Event]:
    """The events in order of time, with each change of an address made a part of the page that came with it."""
    found = list(events)
    for event in events:
        address = _address(event, bars)
        if address is None:
            continue
        pages = [page for page in found if page is not event and _is_page(page, event, size)]
        page = min(pages, key=lambda one: abs(one.t_ms - event.t_ms), default=None)
        if page is None and (event.kind is EventKind.VANISHED or _is_written(event, address, events)):
            continue
        found.remove(event)
        if page is None:
            found.append(_navigated(event, address))
        elif event.kind is not EventKind.VANISHED:
            found[found.index(page)] = _navigated(page, address)
    return sorted((_with_own_address(event, bars, size) for event in found), key=lambda event: event.t_ms)


def _is_written(event: Event, address: str, events: Iterable[Event]) -> bool:
    """Whether the address is the beginning of a longer one that then stood there: somebody was writing it."""
    return not address_of(event.before or "") and any(
        0 < other.t_ms - event.t_ms <= _WRITTEN_MS
        and other.region is not None
        and event.region is not None
        and overlap(other.region, event.region) > 0
        and re.search(re.escape(address.rstrip("./")) + r"[\w./-]*\w", other.text or "") is not None
        and address not in (other.text or "").split()
        for other in events
    )


def _with_own_address(event: Event, bars: Sequence[Box], size: tuple[int, int]) -> Event:
    """A page that was read with its bar, by its address; a new address makes a page of what came below it."""
    lines = event.lines
    address = next((address for line in lines[:_BAR_LINES] if (address := address_of(line))), None)
    if event.kind not in _PAGES or address is None or len(lines) <= 1 or not _is_in(event.region, bars):
        return event
    if event.kind is not EventKind.NAVIGATED and not (address_of(lines[0]) and _reaches_down(event, size)):
        return event
    shown = BETWEEN_LINES.join(line for line in lines if address_of(line) is None)
    said = navigated_to(address, shown)
    return event.model_copy(update={"kind": EventKind.NAVIGATED, "until_ms": None, "before": None, "description": said})


def _reaches_down(event: Event, size: tuple[int, int]) -> bool:
    """Whether it begins in a bar and is as large as a page."""
    region = event.region
    return region is not None and region[1] <= _TOP * size[1] and region[2] * region[3] >= _PAGE * size[0] * size[1]


def _address(event: Event, bars: Sequence[Box]) -> str | None:
    """The address that an event is about, if it is about nothing else; a typed one stays typing."""
    if event.kind is EventKind.TYPED or not event.text or not _is_in(event.region, bars):
        return None
    return address_of(event.text)


def _is_page(page: Event, event: Event, size: tuple[int, int]) -> bool:
    if page.kind not in _PAGES or page.region is None or not page.text:
        return False
    near = -_BEFORE_MS <= page.t_ms - event.t_ms <= _AFTER_MS
    return near and page.region[2] * page.region[3] >= _PAGE * size[0] * size[1]


def _navigated(page: Event, address: str) -> Event:
    said = navigated_to(address, None if address_of(page.text or "") else page.text)
    return page.model_copy(update={"kind": EventKind.NAVIGATED, "until_ms": None, "field": None, "description": said})
