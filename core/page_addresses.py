"""What the address of a page that came says of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from core.analysis import Event

_PAGE: Final = re.compile(r'The page "([^"\s]+)" came\b')
_ICON: Final = re.compile(r"^\d(?=\d{3}(?:\.\d{1,3}){3}(?!\d))")


def shown_address(event: Event) -> str:
    """The address that the browser showed with a page; empty if none was read."""
    found = _PAGE.search(event.description)
    return found[1] if found is not None else ""


def last_part(event: Event) -> str:
    """The last part of that address, as words."""
    address = shown_address(event)
    parts = [part for part in urlsplit(f"//{address.partition('://')[2] or address}").path.split("/") if part]
    words = unquote(parts[-1]).replace("-", " ").replace("_", " ") if parts else ""
    return " ".join(words.casefold().split())


def without_icon(address: str) -> str:
    """The address without the digit that the icon before it was read as: no part of a machine's number has four."""
    return _ICON.sub("", address)
