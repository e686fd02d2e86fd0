"""The address that stands above a page: when it changes, another page came, and that is said once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.video.frame import overlap
from adapters.video.text.lines import address_of
from adapters.video.timeline.sentences import navigated_to
from core.analysis import EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft
    from core.analysis import Event

_TOP: Final = 0.2
"""Of the height; bars stand above the page."""
_LEFT: Final = 0.25
"""Of the width: an address farther right is one of the page."""
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


def without_bars(drafts: Iterable[Draft], lines: Iterable[Line], size: tuple[int, int]) -> None:
    """Take out of the drafts what a browser says in its bars, but for the address: its tabs, where a link leads."""
    bars = [line.came_at for line in lines if _stands_above(line.came_at, line.text, size)]
    top = max((y + high for _, y, _, high in bars), default=0)

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


def _stands_above(box: Box, text: str, size: tuple[int, int]) -> bool:
    return box[1] <= _TOP * size[1] and box[0] <= _LEFT * size[0] and address_of(text) is not None


def turns_page(draft: Draft, high: int) -> bool:
    """Whether an address came or went in a bar above the page; ``high`` is the picture's height."""
    lines = (*draft.match.leaving, *draft.match.coming)
    return any(line.came_at[1] <= _TOP * high and address_of(line.text) for line in lines)


def with_pages(events: Sequence[Event], size: tuple[int, int]) -> list[Event]:
    """The events in order of time, with each change of an address made a part of the page that came with it."""
    found = list(events)
    for event in events:
        address = _address(event, size[1])
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
    return sorted((_with_own_address(event, size) for event in found), key=lambda event: event.t_ms)


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


def _with_own_address(event: Event, size: tuple[int, int]) -> Event:
    """A page that was read with its bar, by its address; a new address makes a page of what came below it."""
    lines = (event.text or "").split(" · ")
    address = next((address for line in lines[:_BAR_LINES] if (address := address_of(line))), None)
    if event.kind not in _PAGES or address is None or len(lines) == 1:
        return event
    if event.kind is not EventKind.NAVIGATED and not (address_of(lines[0]) and _reaches_down(event, size)):
        return event
    shown = " · ".join(line for line in lines if address_of(line) is None)
    said = navigated_to(address, shown)
    return event.model_copy(update={"kind": EventKind.NAVIGATED, "until_ms": None, "before": None, "description": said})


def _reaches_down(event: Event, size: tuple[int, int]) -> bool:
    """Whether it begins in a bar and is as large as a page."""
    region = event.region
    return region is not None and region[1] <= _TOP * size[1] and region[2] * region[3] >= _PAGE * size[0] * size[1]


def _address(event: Event, height: int) -> str | None:
    """The address that an event is about, if it is about nothing else; a typed one stays typing."""
    if event.kind is EventKind.TYPED or not event.text or event.region is None:
        return None
    if event.region[1] > _TOP * height:
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
