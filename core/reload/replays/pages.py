"""Which page a browser shows, by what its address bar reads: two pages may look the same, and be of different hosts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

from core.browsers import is_browser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.screens import TextLine, Window

_BAR: Final = 140
"""Pixels: the address bar is not farther below a window's top, title bar and tabs included."""
_SURE: Final = 0.6
_CHIPS: Final = re.compile(
    r"^(?:not secure|not-secure|dangerous|secure|file|view-source|your connection is not secure|chromium|chrome|"
    r"nicht sicher|datei|non sécurisé|fichier|no seguro|archivo)[\s|·]+",
    re.IGNORECASE,
)
"""What browsers write before an address, or show as a chip there."""
_FILE: Final = re.compile(r"^(?:file|datei|fichier|archivo)[\s|·]+(/\S+)$", re.IGNORECASE)
_SIGNS: Final = re.compile(r"^[^\w/\[]+")
_ADDRESS: Final = re.compile(
    r"""
    (?:(?P<scheme>https?)://)?
    (?P<host>
        localhost | \d{1,3}(?:\.\d{1,3}){3} | \[[0-9a-f:.]{2,}\] |
        (?:[\w](?:[\w-]{0,61}\w)?\.)+[^\W\d_][\w-]{1,62} | [a-z0-9][a-z0-9-]{0,61}(?=:\d)
    )
    (?::(?P<port>\d{1,5}))?
    (?P<path>/[^\s?#…]*)?
    (?:\?(?P<query>[^\s#…]*))?
    (?:\#[^\s…]*)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_INNER: Final = re.compile(r"(?:chrome|about|edge|brave|vivaldi|moz-extension|chrome-extension):\S+", re.IGNORECASE)
_IMPLIED: Final = {"http": "80", "https": "443"}
_RECORD: Final = re.compile(
    r"(?:.*[_-])?(?:id|uid|uuid|nr|no|num|number|key|doc|item|order|invoice|account|user|customer|record|ticket|case)"
    r"|\w*(?:Id|ID|Nr|No|Number|Key)"
)
"""Names of parameters that say of which record a page is."""
_LONGEST_RECORD: Final = 40
_NARROW: Final = 2
"""Letters of what a reader makes of an icon."""


def address_in(lines: Sequence[TextLine], window: Window) -> str:
    """The address that a browser's window shows, without what comes and goes: ``127.0.0.1:8000/form.html``.

    Host in lower case without ``www.``, which some browsers hide; port unless it is the scheme's; path; of the query
    only what says of which record the page is; ``file:///…`` for files. Empty when the window is no browser's, when
    none can be read, or when several can: a page may write an address of its choice into its title or at its top.

    Args:
        lines: what was read on the screen.
        window: one of the screen's windows.

    """
    if not is_browser(window.application):
        return ""
    box = window.box
    found = {
        address
        for line in lines
        if line.score >= _SURE
        and box.contains(line.box.centre)
        and line.box.centre.y < box.y + _BAR
        and (address := _address(line.text))
    }
    return found.pop() if len(found) == 1 else ""


def same_address(one: str, other: str) -> bool:
    """Whether two addresses, as ``address_in`` has them, are of the same page.

    Host, port and path are equal; a slash at the end does not matter. Paths are not compared in part: ``/orders/7`` and
    ``/orders/8`` look the same, and so do ``/pay?id=7`` and ``/pay?id=8``, while what was searched for, and where a
    visitor came from, make no other page of it. Nothing is the same as an address that could not be read.
    """
    return bool(one) and one.rstrip("/") == other.rstrip("/")


def _address(text: str) -> str:
    """The address that a line consists of, but for chips and icons around it; empty for any other line."""
    rest = _SIGNS.sub("", text.strip())
    words = rest.split()
    while len(words) > 1 and len(words[-1]) <= _NARROW:
        words.pop()
    while len(words) > 1 and len(words[0]) <= _NARROW:
        words.pop(0)
    rest = _SIGNS.sub("", " ".join(words))
    if file := _FILE.fullmatch(rest) or re.fullmatch(r"file://(/\S+)", rest, re.IGNORECASE):
        return f"file://{_bare(file[1])}"
    rest = _SIGNS.sub("", _CHIPS.sub("", rest))
    if _INNER.fullmatch(rest):
        return _bare(rest)
    found = _ADDRESS.fullmatch(rest)
    return _normal(found) if found is not None else ""


def _normal(found: re.Match[str]) -> str:
    host = found["host"].lower().removeprefix("www.")
    is_bare = not (found["scheme"] or found["port"] or found["path"])
    if is_bare and host.rpartition(".")[2] in _SUFFIXES:
        return ""
    port = found["port"] or ""
    if port and (int(port) > 65535 or port == _IMPLIED.get((found["scheme"] or "").lower())):  # noqa: PLR2004 - the last
        port = ""
    path = (found["path"] or "").rstrip("/")
    query = parse_qsl(found["query"] or "")
    records = sorted((key, value) for key, value in query if _RECORD.fullmatch(key) and len(value) <= _LONGEST_RECORD)
    told = f"?{urlencode(records)}" if records else ""
    return f"{host}{f':{int(port)}' if port else ''}{path}{told}"


_SUFFIXES: Final = frozenset({"html", "htm", "pdf", "txt", "md", "py", "js", "png", "jpg", "docx", "xlsx", "zip"})
"""Of files: a tab's title may be a file's name, and is no host's."""


def _bare(address: str) -> str:
    return re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")
