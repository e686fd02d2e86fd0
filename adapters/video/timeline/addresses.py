"""The address that stands above a page: when it changes, another page came, and that is said once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.video.timeline.sentences import navigated, navigated_to
from core.analysis import EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event

_ADDRESS: Final = re.compile(
    r"(?:\S{1,2} )?((?:https?://)\S+|localhost(?::\d+)?(?:/\S*)?|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?/\S*)", re.IGNORECASE
)
"""One word, with the sign before it that a browser draws there."""
_TOP: Final = 0.2
"""Of the height; bars stand above the page."""
_BEFORE_MS: Final = 500
_AFTER_MS: Final = 1500
"""So much sooner or later than its address a page is drawn."""
_PAGE: Final = 0.08
"""Of the picture's area changes at least with a page."""
_BAR_LINES: Final = 3
"""A window's bar has little more than its title and the address."""
_PAGES: Final = {EventKind.NAVIGATED, EventKind.CHANGED, EventKind.APPEARED, EventKind.SCROLLED}


def with_pages(events: Sequence[Event], size: tuple[int, int]) -> list[Event]:
    """The events in order of time, with each change of an address made a part of the page that came with it."""
    found = list(events)
    for event in events:
        address = _address(event, size[1])
        if address is None:
            continue
        pages = [page for page in found if page is not event and _is_page(page, event, size)]
        page = min(pages, key=lambda one: abs(one.t_ms - event.t_ms), default=None)
        if page is None and event.kind is EventKind.VANISHED:
            continue
        found.remove(event)
        if page is None:
            found.append(_navigated(event, address))
        elif event.kind is not EventKind.VANISHED:
            found[found.index(page)] = _navigated(page, address)
    return sorted((_with_own_address(event) for event in found), key=lambda event: event.t_ms)


def _with_own_address(event: Event) -> Event:
    """A page that was read with its bar, by its address."""
    lines = (event.text or "").split(" · ")
    address = next((whole[1] for line in lines[:_BAR_LINES] if (whole := _ADDRESS.fullmatch(line))), None)
    if event.kind is not EventKind.NAVIGATED or address is None or len(lines) == 1:
        return event
    shown = " · ".join(line for line in lines if _ADDRESS.fullmatch(line) is None)
    return event.model_copy(update={"description": navigated_to(address, shown)})


def _address(event: Event, height: int) -> str | None:
    """The address that an event is about, if it is about nothing else; a typed one stays typing."""
    if event.kind is EventKind.TYPED or not event.text or event.region is None:
        return None
    if event.region[1] > _TOP * height:
        return None
    whole = _ADDRESS.fullmatch(event.text)
    return whole[1] if whole else None


def _is_page(page: Event, event: Event, size: tuple[int, int]) -> bool:
    if page.kind not in _PAGES or page.region is None or not page.text:
        return False
    near = -_BEFORE_MS <= page.t_ms - event.t_ms <= _AFTER_MS
    return near and page.region[2] * page.region[3] >= _PAGE * size[0] * size[1]


def _navigated(page: Event, address: str) -> Event:
    said = (
        navigated(f'"{address}"') if page.text and _ADDRESS.fullmatch(page.text) else navigated_to(address, page.text)
    )
    return page.model_copy(update={"kind": EventKind.NAVIGATED, "until_ms": None, "field": None, "description": said})
