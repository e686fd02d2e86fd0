"""What shows that a task is done: what is new on the last screen, and stood still there."""

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
    texts: ScreenTexts,
    timeline: Sequence[Event],
    said: Sequence[str],
    since_ms: int,
    end_ms: int,
) -> tuple[str, ...]:
    """Sentences that quote what came at the end and stood still; else what went away then; none if nothing did.

    Args:
        texts: of the recording.
        timeline: what changed, without what may not be learned.
        said: what was typed, which shows nothing by standing in its field, and the titles of windows: a browser's tab
            says one, but not on every display.
        since_ms: when the last thing was done.
        end_ms: the recording's length.

    """
    last = texts.at(end_ms)
    new = [one for one in last if _is_telling(one, said) and not texts.said_before(one.text, since_ms)]
    new = [one for one in new if end_ms - one.t_ms >= _STANDS_MS]
    late = [one for one in new if one.t_ms >= since_ms]
    best, *others = [*sorted(late, key=lambda one: (-(one.box[3] // 4), one.box[1], one.box[0])), None]
    if best is not None:
        more = [one for one in others if one is not None and " " in one.text]
        return tuple(f"{marks(one.text)} is shown." for one in (best, *more)[:_MOST])
    return _gone(texts, timeline, since_ms, {one.text for one in last})


def _gone(texts: ScreenTexts, timeline: Sequence[Event], since_ms: int, shown: set[str]) -> tuple[str, ...]:
    after = [event.t_ms for event in timeline if event.t_ms >= since_ms]
    if not after:
        return ()
    gone = [
        one
        for one in texts.before_click(since_ms)
        if _is_telling(one, ()) and one.until_ms is not None and one.until_ms >= since_ms and one.text not in shown
    ]
    return tuple(f"{marks(one.text)} is no longer shown." for one in gone[:1])


def _is_telling(one: Seen, said: Sequence[str]) -> bool:
    if not one.is_quotable or is_volatile(one.text) or is_masked(one.text):
        return False
    if sum(sign.isalpha() for sign in one.text) < _LETTERS:
        return False
    return _words(one.text) not in {_words(each) for each in said}


def _words(text: str) -> str:
    """The words alone; a tab's title has the sign that closes it behind."""
    return " ".join(re.findall(r"\w+", text.casefold())).removesuffix(" x")
