"""Where a demonstration begins: its application and page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.demonstration.distinctive import is_volatile
from core.demonstration.screen_texts import ScreenTexts, Seen, is_quotable
from core.demonstration.shown import known, unknown
from core.page_addresses import without_icon
from core.plans.phrasing import marks
from core.plans.step_sentences import sentence
from core.recording.input_log import Focused, InputLog
from core.steps import BROWSER, DESKTOP, Step
from core.tasks.plan import looks_like
from core.text import one_line
from core.window_kinds import is_browser, is_manager, is_terminal

if TYPE_CHECKING:
    from collections.abc import Sequence


_SUFFIX: Final = re.compile(
    r"\s[-\u2013\u2014]\s(?:Chromium|Google Chrome|Mozilla Firefox|Firefox|Microsoft.?Edge|Brave|Opera|Vivaldi)\s*$"
)
_ADDRESS: Final = re.compile(r"https?://[^\s\"'<>]{3,200}", re.IGNORECASE)
_HOST: Final = re.compile(
    r"(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost|\d+(?:\.\d+){3})(?::\d+)?(?:/[^\s\"'<>]*)?", re.IGNORECASE
)
_LOCAL: Final = re.compile(r"(?:localhost|\d+(?:\.\d+){3})(?::\d+)?(?:/|$)", re.IGNORECASE)
_OPENING: Final = "Open what was open when the recording began (see the questions)."
_LEFT: Final = 400
_TOP: Final = 140
"""An address bar stands so high, in pixels."""
_MOST_WINDOWS: Final = 8
_MOST_TITLE: Final = 80
_LARGE: Final = 0.8


def opening_of(texts: ScreenTexts, log: InputLog | None, visited: str = "") -> list[Step]:
    """The first line of the plan: what was open already when the recording began, or what a test ``visited`` first."""
    window = next((each for each in windows_of(log) if not is_manager(f"{each.application} {each.title}")), None)
    if window is not None and window.application.strip() and not is_browser(window.application):
        return [_program_opening(window)]
    if visited:
        return [known(0, 0, Step.of("OPEN_URL", BROWSER, visited))]
    address = _address(texts, log)
    if address is not None and _ADDRESS.fullmatch(address.text):
        return [known(0, 0, Step.of("OPEN_URL", BROWSER, address.text))]
    if address is not None and log is None and _LOCAL.match(address.text):
        # A browser leaves out just this scheme.
        return [known(0, 0, Step.of("OPEN_URL", BROWSER, f"http://{without_icon(address.text)}"))]
    if address is not None and log is None:
        guess = Step.of("OPEN_URL", BROWSER, f"https://{address.text}")
        said = looks_like("a browser shows only a part of an address", [sentence(guess)])
        return [unknown(0, 0, _OPENING, said)]
    if address is not None:
        said = f"the address is shown as {marks(address.text)}, which may be only a part of it"
    else:
        shown = _heading(texts)
        said = f"its address cannot be seen; it shows {shown}" if shown else "its address cannot be seen"
    said = f"{said} (the answer may be an address, or an instruction). Which address is to be opened?"
    return [unknown(0, 0, _OPENING, said)]


def _program_opening(window: Focused) -> Step:
    name, command = one_line(window.application), window.command
    if command is None:
        return known(0, 0, Step.of("OPEN_APP", DESKTOP, name))
    if not command:
        said = f"{_quoted(name)} was open, started with options that the recording does not keep"
        hint = 'the answer may be an instruction, such as: Open the application "mousepad" with "/home/ada/notes.txt".'
        return unknown(0, 0, _OPENING, f"{said} ({hint})")
    program, *files = command
    title = one_line(window.title)
    is_same = title and not is_terminal(name) and not title.startswith("*") and not is_volatile(title)
    # A program may show a picture first, and what is typed then goes nowhere.
    posts = (f"{marks(title)} is shown.",) if is_same and marks(title) is not None else ()
    return known(0, 0, Step.of("OPEN_APP", DESKTOP, program, post=posts, args={"arguments": files} if files else {}))


def applications_of(texts: ScreenTexts, log: InputLog | None) -> tuple[str, ...]:
    """The windows that had the focus, and the address if it was shown."""
    found: list[str] = []
    for window in windows_of(log):
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
    return [plain_title(each.title) for each in windows_of(log) if each.title.strip()]


def plain_title(title: str) -> str:
    """A window's title as one line, without the name of the browser behind it."""
    return _SUFFIX.sub("", one_line(title))


def _quoted(text: str) -> str:
    return marks(text) or ""


def windows_of(log: InputLog | None) -> list[Focused]:
    """The windows that had the focus, in order."""
    return [event for event in log.events if isinstance(event, Focused)] if log is not None else []


def _heading(texts: ScreenTexts) -> str | None:
    """The largest text of the first screen, quoted."""
    first = [one for one in texts.at(0) if one.is_quotable and sum(sign.isalpha() for sign in one.text) > 2]  # noqa: PLR2004
    first = [one for one in first if any(sign.islower() for sign in one.text)]
    tallest = max((one.box[3] for one in first), default=0)
    found = next((one for one in first if one.box[3] >= _LARGE * tallest), None)
    return marks(found.text) if found is not None else None


def addresses_at(texts: ScreenTexts, log: InputLog | None, t_ms: int) -> Sequence[Seen]:
    """The addresses that a browser shows, top to bottom: its tabs may show one, and below them its address bar."""
    # Without a scheme it is one only where a browser is known to be there.
    top = [one for one in texts.at(t_ms) if one.box[1] < _TOP and is_quotable(one.text)]
    has_browser = any(is_browser(window.application) for window in windows_of(log))
    if log is None:
        has_browser = any(_LOCAL.match(one.text) or one.text.lower().startswith("www.") for one in top)
        top = [one for one in top if one.box[0] < _LEFT]
    return [one for one in top if _ADDRESS.fullmatch(one.text) or (has_browser and _is_host(one.text))]


def _address(texts: ScreenTexts, log: InputLog | None) -> Seen | None:
    """The address that was shown in the beginning."""
    return next(iter(addresses_at(texts, log, 0)), None)


def _is_host(text: str) -> bool:
    """Whether it is an address without its scheme, and no name of a file."""
    return _HOST.fullmatch(text) is not None and ("/" in text or ":" in text or text.lower().startswith("www."))
