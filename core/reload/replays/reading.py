"""What is read off the screen for the checks: windows, a browser's page, a value where it was typed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

from core.expectations.matching import FORGIVING_LENGTH, SOFT, blurred, canonical
from core.reload.entry import WindowIdentity
from core.reload.templates import Template
from core.screens import Box, Picture, Point, TextLine, Window
from core.window_kinds import is_browser

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from core.reload.ports import Programs, Reader


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
    text = f"?{urlencode(records)}" if records else ""
    return f"{host}{f':{int(port)}' if port else ''}{path}{text}"


_SUFFIXES: Final = frozenset({"html", "htm", "pdf", "txt", "md", "py", "js", "png", "jpg", "docx", "xlsx", "zip"})
"""Of files: a tab's title may be a file's name, and is no host's."""


def _bare(address: str) -> str:
    return re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")


_PIXEL: Final = 4
_BAND: Final = 160
"""Pixels of a browser's window, from its top, among which its address stands."""


@dataclass
class Pages:
    """Reads the addresses that browsers show; only anew where the top of the window has changed.

    Args:
        reader: reads the lines.

    """

    reader: Reader
    _last: dict[int, tuple[Picture, str]] = field(default_factory=dict[int, "tuple[Picture, str]"])

    def address(self, window: Window, picture: Picture) -> str:
        """The address of the page in a window, empty for none and for no browser."""
        if not is_browser(window.application):
            return ""
        band = window.box.model_copy(update={"height": min(window.box.height, _BAND)})
        top = part_of(picture, band)
        last = self._last.get(window.id)
        if last is not None and last[0].bgra == top.bgra:
            return last[1]
        dx, dy = max(band.x, 0), max(band.y, 0)
        lines = [each.model_copy(update={"box": each.box.moved(dx, dy)}) for each in self.reader.read(top)]
        address = address_in(lines, window)
        self._last[window.id] = (top, address)
        return address


def reads(text: str, lines: Iterable[TextLine]) -> bool:
    """Whether the lines together hold the text: digits exactly, other letters as short-sighted readers see them.

    A text that is as short as a part of any word has to be words of its own: a field's label is no value.
    """
    seen = _normalise if any(letter.isdigit() for letter in text) else _blurred
    said, wanted = " ".join(line.text for line in lines), seen(text)
    if len(wanted) >= FORGIVING_LENGTH:
        return wanted in seen(said)
    words = [word for each in said.split() if (word := seen(each))]
    return any(
        "".join(words[first:end]) == wanted
        for first in range(len(words))
        for end in range(first + 1, first + 1 + len(wanted))
    )


def lines_in(lines: Iterable[TextLine], box: Box) -> Sequence[TextLine]:
    """Those that begin in the box, or before it, and stand at its height; they may run on beyond it."""
    return [line for line in lines if line.box.overlap(box) and 2 * _common_height(line.box, box) >= line.box.height]


def part_of(picture: Picture, box: Box) -> Picture:
    """A part of a picture as a picture of its own; what reaches out of it is left out."""
    left, top = max(box.x, 0), max(box.y, 0)
    right, bottom = min(box.x + box.width, picture.width), min(box.y + box.height, picture.height)
    width, height = max(right - left, 0), max(bottom - top, 0)
    stride = picture.width * _PIXEL
    rows = (picture.bgra[y * stride + left * _PIXEL : y * stride + right * _PIXEL] for y in range(top, top + height))
    return Picture(width, height, b"".join(rows), picture.taken)


def _common_height(one: Box, other: Box) -> int:
    return min(one.y + one.height, other.y + other.height) - max(one.y, other.y)


def _blurred(text: str) -> str:
    return blurred(canonical(text))


def _normalise(text: str) -> str:
    return "".join(sign for sign in canonical(text).casefold() if sign not in SOFT)


_MARKS: Final = re.compile(r"^(?:\(\d{1,4}\+?\)\s*|[*●•]\s*)+|\s*[*●•]$")
"""What programs put before or behind a title to say how much is new, or that something is not saved."""


def window_at(windows: Sequence[Window], point: Point) -> Window | None:
    """The topmost window at a point; ``windows`` has the topmost first."""
    return next((window for window in windows if window.box.contains(point)), None)


def focused_window(windows: Sequence[Window]) -> Window | None:
    """The one that the keyboard writes to."""
    return next((window for window in windows if window.focused), None)


def identity_of(window: Window, values: Mapping[str, str], programs: Programs, address: str = "") -> WindowIdentity:
    """What tells it from others; values in its title become places."""
    return WindowIdentity(
        application=window.application,
        program=programs.program(window),
        title=Template.of(_plain(window.title), values),
        address=address,
    )


def is_window(identity: WindowIdentity, window: Window, values: Mapping[str, str], programs: Programs) -> bool:
    """Whether it is the recorded one: the same application, title and, never mind what it claims, the same program."""
    if window.application != identity.application or _plain(window.title) != identity.title.filled(values):
        return False
    return not identity.program or programs.program(window) == identity.program


def find_window(
    identity: WindowIdentity, windows: Sequence[Window], values: Mapping[str, str], programs: Programs
) -> Window | None:
    """The topmost one that it is."""
    return next((each for each in windows if is_window(identity, each, values, programs)), None)


def named(identity: WindowIdentity, values: Mapping[str, str]) -> str:
    """The window in words."""
    title = identity.title.filled(values)
    return f'the window "{title}" of {identity.application}' if title else f"the window of {identity.application}"


def _plain(title: str) -> str:
    return " ".join(_MARKS.sub("", title).split())
