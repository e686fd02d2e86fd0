"""A timeline told in words: for the answer, for ``timeline.md``, and for readers with little room."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from core.analysis import EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event, Findings, Video

FIRST_LINES = 8
"""So many lines of the first screen are told; the rest are counted."""


def clock(t_ms: int) -> str:
    """``mm:ss.s``, cut off, never rounded up to a moment that is yet to come."""
    sign = "-" if t_ms < 0 else ""
    tenths = abs(t_ms) // 100
    return f"{sign}{tenths // 600:02d}:{tenths % 600 // 10:02d}.{tenths % 10}"


def narrate(findings: Findings, video: Video) -> str:
    """The timeline as text: the first screen, then ``[mm:ss.s] sentence`` a line.

    A clip in which nothing happened says so plainly.
    """
    lines = [_first_line(findings.first_screen)]
    lines += [_told(event) for event in findings.timeline]
    if not findings.timeline:
        seconds = f"{video.duration_ms / 1000:g}"
        lines.append(f"[{clock(0)}] Nothing changed on the screen in the {seconds} s of this clip.")
    return "\n".join(lines)


def _first_line(first_screen: Sequence[str]) -> str:
    if not first_screen:
        return f"[{clock(0)}] The screen showed no text that could be read."
    quoted = ", ".join(f'"{one_line(line)}"' for line in first_screen[:FIRST_LINES])
    left = len(first_screen) - FIRST_LINES
    more = "" if left <= 0 else f" and {left} more line{'s' if left > 1 else ''}"
    return f"[{clock(0)}] The screen showed {quoted}{more}."


def _told(event: Event) -> str:
    return f"[{clock(event.t_ms)}] {_sentence(event)}"


def _sentence(event: Event) -> str:
    sentence = one_line(event.description)
    if event.until_ms is None or _TELLS_ITS_END.search(sentence):
        return sentence
    lasted = f"{(event.until_ms - event.t_ms) / 1000:.1f} s"
    end = _ENDS.get(event.kind, "{} in all").format(lasted)
    return f"{sentence.rstrip('.')}, {end}."


_TELLS_ITS_END = re.compile(r"\b(vanished|disappeared|gone|later|until|lasted|for \d[\d.]* s)\b")
_ENDS = {
    EventKind.APPEARED: "and vanished {} later",
    EventKind.CHANGED: "and vanished {} later",
    EventKind.NAVIGATED: "which took {}",
    EventKind.SCROLLED: "for {}",
    EventKind.BUSY: "for {}",
    EventKind.TYPED: "which took {}",
    EventKind.VANISHED: "for {}",
}


def one_line(text: str) -> str:
    """The text without line breaks, control characters and signs that turn the reading direction."""
    return " ".join("".join(sign if unicodedata.category(sign)[0] != "C" else " " for sign in text).split())
