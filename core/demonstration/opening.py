"""Where a demonstration begins: the application and the page that a run has to open first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.browsers import is_browser
from core.demonstration.screen_texts import is_quotable
from core.demonstration.secrecy import is_manager
from core.demonstration.shown import known, unknown
from core.plans.grammar import BROWSER, DESKTOP, Parts
from core.plans.quotes import marks, quoted
from core.recording.input_log import Focused
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.demonstration.screen_texts import ScreenTexts, Seen
    from core.demonstration.shown import ShownStep
    from core.recording.input_log import InputLog

_SUFFIX: Final = re.compile(
    r"\s[-\u2013\u2014]\s(?:Chromium|Google Chrome|Mozilla Firefox|Firefox|Microsoft.?Edge|Brave|Opera|Vivaldi)\s*$"
)
_EMPTY: Final = re.compile(r"untitled|new tab|new window|about:blank|blank page|start page", re.IGNORECASE)
"""Titles of pages that are not there yet."""
_ADDRESS: Final = re.compile(r"https?://[^\s\"'<>]{3,200}", re.IGNORECASE)
_HOST: Final = re.compile(
    r"(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost|\d+(?:\.\d+){3})(?::\d+)?(?:/[^\s\"'<>]*)?", re.IGNORECASE
)
_TOP: Final = 140
"""An address bar stands so high, in pixels."""
_MOST_WINDOWS: Final = 8
_MOST_TITLE: Final = 80
_LARGE: Final = 0.8


def opening_of(texts: ScreenTexts, log: InputLog | None) -> list[ShownStep]:
    """The first line of the plan: what was open already when the recording began."""
    window = next((each for each in _windows(log) if not is_manager(f"{each.application} {each.title}")), None)
    if window is not None and window.application.strip() and not is_browser(window.application):
        return [known(0, 0, Parts("OPEN_APP", DESKTOP, one_line(window.application)))]
    address = _address(texts, log)
    if address is not None and _ADDRESS.fullmatch(address.text):
        return [known(0, 0, Parts("OPEN_URL", BROWSER, address.text))]
    if address is not None:
        said = f"the address is shown as {marks(address.text)}, which may be only a part of it"
    else:
        shown = _heading(texts)
        said = f"its address cannot be seen; it shows {shown}" if shown else "its address cannot be seen"
    said = f"{said} (the answer may be an address, or an instruction)"
    return [unknown(0, 0, "Open what was open when the recording began (see the questions).", said)]


def applications_of(texts: ScreenTexts, log: InputLog | None) -> tuple[str, ...]:
    """The windows that had the focus, and the address if it was shown."""
    found: list[str] = []
    for window in _windows(log):
        title, name = one_line(window.title)[:_MOST_TITLE], one_line(window.application)
        if is_manager(f"{title} {name}"):
            continue
        found.append(f"{name}: {_quoted(title)}" if title and name else name or _quoted(title))
    address = _address(texts, log)
    if address is not None:
        found.append(f"The page {marks(address.text)}")
    return tuple(dict.fromkeys(each for each in found if each))[:_MOST_WINDOWS]


def titles_of(log: InputLog | None) -> list[str]:
    """The titles of the windows that had the focus, without the name of the browser behind them."""
    return [plain_title(each.title) for each in _windows(log) if each.title.strip()]


def plain_title(title: str) -> str:
    """A window's title as one line, without the name of the browser behind it."""
    return _SUFFIX.sub("", one_line(title))


def title_of(texts: ScreenTexts, log: InputLog | None, steps: Sequence[ShownStep]) -> str:
    """What the task may be called: the page or window, and what was done there last."""
    titles = [
        plain_title(each.title)
        for each in _windows(log)
        if each.title.strip() and not is_manager(f"{each.application} {each.title}")
    ]
    place = next((title for title in titles if title and not _EMPTY.fullmatch(title)), "") or (
        _heading(texts) or ""
    ).strip('"“”«»`')
    clicked = [each.step.target.primary for each in steps if each.step is not None and each.step.action_type == "CLICK"]
    said = quoted(clicked[-1]) if clicked else None
    last = said.texts[0] if said is not None and said.texts else ""
    words = ": ".join(part for part in (place[:_MOST_TITLE], last[:_MOST_TITLE]) if part)
    return words or "What was shown in the recording"


def _quoted(text: str) -> str:
    return marks(text) or ""


def _windows(log: InputLog | None) -> list[Focused]:
    return [event for event in log.events if isinstance(event, Focused)] if log is not None else []


def _heading(texts: ScreenTexts) -> str | None:
    """The largest text of the first screen, quoted."""
    first = [one for one in texts.at(0) if one.is_quotable and sum(sign.isalpha() for sign in one.text) > 2]  # noqa: PLR2004
    first = [one for one in first if any(sign.islower() for sign in one.text)]
    tallest = max((one.box[3] for one in first), default=0)
    found = next((one for one in first if one.box[3] >= _LARGE * tallest), None)
    return marks(found.text) if found is not None else None


def _address(texts: ScreenTexts, log: InputLog | None) -> Seen | None:
    """The address that a browser shows; one without a scheme only where a browser is known to be there."""
    top = [one for one in texts.at(0) if one.box[1] < _TOP and is_quotable(one.text)]
    has_browser = any(is_browser(window.application) for window in _windows(log))
    return next((one for one in top if _ADDRESS.fullmatch(one.text) or (has_browser and _is_host(one.text))), None)


def _is_host(text: str) -> bool:
    """Whether it is an address without its scheme, and no name of a file."""
    return _HOST.fullmatch(text) is not None and ("/" in text or ":" in text or text.lower().startswith("www."))
