"""Which window was in front, by the log; a title that only counts or marks what is unsaved is the same title."""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from core.browsers import is_browser
from core.demonstration.opening import plain_title
from core.demonstration.secrecy import Span
from core.procedures.concealment import looks_secret
from core.recording.input_log import Focused
from core.recording.private_windows import is_manager, is_our_page, is_private_title
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.recording.input_log import InputEvent

_MOST_NAME: Final = 60
_MOST_TITLE: Final = 120
_MARKS: Final = re.compile(r"\A(?:\(\d+\+?\)|[*\u2022\u25cf\u25cb]|\[\+\])\s*|\s*(?:\[\+\]|[*\u2022\u25cf])\Z")
"""How many letters are unread, or that something is not saved."""
_RAISED_MS: Final = 300
"""A window that comes to the front so soon after a click in it was clicked."""


class Window(NamedTuple):
    """One that was in front; without names where there was none, or one that is not to be told."""

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
    """When a window was in front of which nothing may be told: private browsing, a page of the daemon's own."""
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
