"""The data of a recording from which procedures are derived: texts, changes, windows, and what is concealed."""

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from core.analysis import Event, Findings
from core.demonstration.entries import EntryFinder
from core.demonstration.looks import LooksByTime
from core.demonstration.opening import plain_title
from core.demonstration.screen_texts import ScreenTexts, Span, hidden_spans, is_masked
from core.recording.input_log import Clicked, Dragged, Focused, InputEvent, InputLog, Scrolled, Typed
from core.text import one_line
from core.window_kinds import is_browser, is_manager, is_our_page, is_private_title

_SHORTEST: Final = 3
_KEY: Final = re.compile(r"(?=[^\s/.]*\d)(?=[^\s/.]*[A-Za-z])[A-Za-z0-9+/=_~-]{20,}|-----BEGIN|\bssh-(?:rsa|ed25519)\b")
"""Letters and digits without end, as in keys and tokens; an address has dots or slashes between them."""
_SEPARATED: Final = re.compile(r"[A-Za-z]{3,}[-_/][A-Za-z]{2,}")


@lru_cache(maxsize=4096)
def looks_secret(text: str) -> bool:
    """Whether a text has in it what looks like a key or a token."""
    return any(not _SEPARATED.search(found.group()) for found in _KEY.finditer(text))


class Concealed:
    """Decides whether a text must be concealed.

    Args:
        values: the values typed into secret fields.

    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = {value.casefold() for value in values if len(value) >= _SHORTEST}

    def hides(self, text: str) -> bool:
        """Whether it holds such a value, is one that dots hide, or names a password manager."""
        if is_masked(text) or is_manager(text) or looks_secret(text):
            return True
        folded = text.casefold()
        # A part of it as well: it stood there while it was typed.
        return any(value in folded or (len(folded) >= _SHORTEST and folded in value) for value in self._values)


_MOST_NAME: Final = 60
_MOST_TITLE: Final = 120
_MARKS: Final = re.compile(r"\A(?:\(\d+\+?\)|[*\u2022\u25cf\u25cb]|\[\+\])\s*|\s*(?:\[\+\]|[*\u2022\u25cf])\Z")
"""How many letters are unread, or that something is not saved."""
_RAISED_MS: Final = 300
"""A window that comes to the front so soon after a click in it was clicked."""


class Window(NamedTuple):
    """The window in front; without names when there was none, or it is private."""

    t_ms: int
    application: str = ""
    title: str = ""

    @property
    def place(self) -> str:
        """As sentences name it."""
        if not self.title or self.title.casefold() == self.application.casefold():
            return self.application
        return f"{self.application} \u2013 {self.title}" if self.application else self.title


NOWHERE: Final = Window(0)


class Windows:
    """Looks up which one it was.

    Args:
        events: of a log, by time; none where there is no log.

    """

    def __init__(self, events: Sequence[InputEvent]) -> None:
        self.all: list[Window] = []
        for event in events:
            if not isinstance(event, Focused):
                continue
            window = _window(event)
            if not self.all or self.all[-1][1:] != window[1:]:
                self.all.append(window)
        self._times = [window.t_ms for window in self.all]

    def at(self, t_ms: int) -> Window:
        """The one in which something was done at a moment: the first one as well before it is known to be there."""
        if not self.all:
            return NOWHERE
        return self.all[max(0, bisect.bisect_right(self._times, t_ms) - 1)]

    def clicked(self, t_ms: int, until_ms: int) -> Window:
        """The one that was clicked: a click that brings a window to the front is one in it.

        Args:
            t_ms: when it was clicked.
            until_ms: when the next thing was done, which may bring windows to the front as well.

        """
        now, then = self.at(t_ms), self.at(max(t_ms, min(t_ms + _RAISED_MS, until_ms - 1)))
        return then if then.application != now.application and then.application else now


def private_spans(events: Sequence[InputEvent], duration_ms: int) -> list[Span]:
    """The stretches with a private window in front: private browsing, a page of the daemon's own."""
    focused = [event for event in events if isinstance(event, Focused)]
    ends = [*(event.t_ms for event in focused[1:]), duration_ms]
    return [Span(event.t_ms, end) for event, end in zip(focused, ends, strict=False) if _is_private(event)]


def _is_private(event: Focused) -> bool:
    if is_manager(f"{event.application} {event.title}"):
        return True
    return is_browser(event.application) and (is_private_title(event.title) or is_our_page(plain_title(event.title)))


def _window(event: Focused) -> Window:
    application, title = one_line(event.application)[:_MOST_NAME], one_line(event.title)
    if _is_private(event):
        return Window(event.t_ms)
    return Window(event.t_ms, application, "" if looks_secret(title) else title_words(title))


def title_words(title: str) -> str:
    """A title without the browser's name and without signs that come and go."""
    plain = plain_title(title)
    previous = None
    while previous != plain:
        previous, plain = plain, _MARKS.sub("", plain)
    return plain[:_MOST_TITLE].strip()


@dataclass(frozen=True)
class Scene:
    """The parts; ``log`` is in order and within the recording."""

    texts: ScreenTexts
    timeline: Sequence[Event]
    """The events outside private stretches."""
    entries: EntryFinder
    windows: Windows
    looks: LooksByTime
    log: InputLog | None
    duration_ms: int
    has_texts: bool = True
    """Whether every sighting of text is known; else there is only the timeline."""
    first_screen: Sequence[str] = ()


def scene_of(findings: Findings, log: InputLog | None, duration_ms: int, looks: LooksByTime | None) -> Scene:
    """Make it of what was found and logged."""
    log = in_order(log, duration_ms) if log is not None else None
    sightings = findings.sightings or ()
    hidden = (
        *hidden_spans(sightings, log, duration_ms),
        *private_spans(log.events if log is not None else (), duration_ms),
    )
    texts = ScreenTexts(sightings, hidden)
    timeline = sorted(
        (
            event
            for event in findings.timeline
            if 0 <= event.t_ms <= duration_ms and not any(span.holds(event.t_ms) for span in hidden)
        ),
        key=lambda event: event.t_ms,
    )
    looks = looks or {}
    windows = Windows(log.events if log is not None else ())
    entries = EntryFinder(timeline, texts, looks, log)
    return Scene(
        texts,
        entries.timeline,
        entries,
        windows,
        looks,
        log,
        duration_ms,
        has_texts=findings.sightings is not None,
        first_screen=findings.first_screen,
    )


def in_order(log: InputLog, duration_ms: int) -> InputLog:
    """A log by time, without what came after the recording's end, and with no end before its begin."""
    kept = sorted((event for event in log.events if event.t_ms <= duration_ms), key=lambda event: event.t_ms)
    return log.model_copy(update={"events": tuple(_bounded(event, duration_ms) for event in kept)})


def _bounded(event: InputEvent, duration_ms: int) -> InputEvent:
    if not isinstance(event, Dragged | Scrolled | Typed):
        return event
    until = min(max(event.until_ms, event.t_ms), duration_ms)
    return event if until == event.until_ms else event.model_copy(update={"until_ms": until})


def scaled(log: InputLog, width: int, height: int) -> InputLog:
    """A log whose places are pixels of a picture of that size."""
    across, down = width / log.width, height / log.height
    if across == down == 1:
        return log

    def moved(event: InputEvent) -> InputEvent:
        match event:
            case Clicked() | Scrolled():
                return event.model_copy(update={"x": round(event.x * across), "y": round(event.y * down)})
            case Dragged():
                places = {"x": event.x * across, "y": event.y * down}
                places |= {"to_x": event.to_x * across, "to_y": event.to_y * down}
                return event.model_copy(update={name: round(place) for name, place in places.items()})
            case _:
                return event

    return InputLog(width=width, height=height, events=tuple(map(moved, log.events)))
