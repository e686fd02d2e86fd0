"""What shows that a task is done: what is new on the last screen, and stood still there.

That something went away shows nothing by itself: a window that closes takes it away, whatever was in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.demonstration.screen_texts import is_masked, is_shape
from core.plans.quotes import marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event
    from core.demonstration.screen_texts import ScreenTexts, Seen

_STANDS_MS: Final = 700
_MOST: Final = 2
_LETTERS: Final = 3
_VOLATILE: Final = re.compile(
    r"\d{1,2}\s*:\s*\d{2}|\d+\s*%|\b\d+\s*(?:s|sec|seconds?|min|minutes?|h|hours?|days?)\b"
    r"|\b(?:ago|just now|today|loading|please wait|remaining|left|elapsed)\b"
    r"|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|…$|\.\.\.$",
    re.IGNORECASE,
)


def is_volatile(text: str) -> bool:
    """Whether a text is another one in a moment or tomorrow, or tells nothing: a time, a date or its shape, a share."""
    return _VOLATILE.search(text) is not None or is_shape(text)


def criteria(
    texts: ScreenTexts, timeline: Sequence[Event], typed: Sequence[str], titles: Sequence[str], span: tuple[int, int]
) -> tuple[str, ...]:
    """Sentences that quote what came at the end and stood still; none if nothing did.

    Where nothing else came, a typed value that stands in the end where it was not typed, with what went away then: its
    field alone may show it as well.

    Args:
        texts: of the recording.
        timeline: what changed, without what may not be learned.
        typed: what was typed, which shows nothing by standing in its field.
        titles: of windows: a browser's tab says one, but not on every display.
        span: when the last thing was done, and the recording's length.

    """
    since_ms, end_ms = span
    late = [one for one in texts.at(end_ms) if one.t_ms >= since_ms and end_ms - one.t_ms >= _STANDS_MS]
    new = [one for one in late if _is_telling(one, (*typed, *titles)) and not texts.said_before(one.text, since_ms)]
    best, *others = [*sorted(new, key=lambda one: (-(one.box[3] // 4), one.box[1], one.box[0])), None]
    if best is not None:
        more = [one for one in others if one is not None and " " in one.text]
        return tuple(f"{marks(one.text)} is shown." for one in (best, *more)[:_MOST])
    value = next((one for one in late if _is_telling(one, titles) and not _is_telling(one, typed)), None)
    gone = gone_text(texts, timeline, since_ms, end_ms)
    if value is None or not gone:
        return ()
    return f"{marks(value.text)} is shown.", f"{marks(gone)} is no longer shown."


def gone_text(texts: ScreenTexts, timeline: Sequence[Event], since_ms: int, end_ms: int) -> str:
    """A text that went away after the last thing was done, empty for none."""
    if not any(event.t_ms >= since_ms for event in timeline):
        return ""
    shown = {one.text for one in texts.at(end_ms)}
    gone = (
        one.text
        for one in texts.before_click(since_ms)
        if _is_telling(one, ()) and one.until_ms is not None and one.until_ms >= since_ms and one.text not in shown
    )
    return next(gone, "")


def _is_telling(one: Seen, said: Sequence[str]) -> bool:
    if not one.is_quotable or is_volatile(one.text) or is_masked(one.text):
        return False
    if sum(sign.isalpha() for sign in one.text) < _LETTERS:
        return False
    return _words(one.text) not in {_words(each) for each in said}


def _words(text: str) -> str:
    """The words alone; a tab's title has the sign that closes it behind."""
    return " ".join(re.findall(r"\w+", text.casefold())).removesuffix(" x")
