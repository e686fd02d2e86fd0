"""The form that a film shows being filled in, and whether it was closed: what stood in it and is gone in the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.demonstration.distinctive import is_plainly_read, is_volatile
from core.steps import FOCUS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.demonstration.screen_texts import ScreenTexts, Seen
    from core.steps import Step

_TOGETHER_MS: Final = 200
_LEAST: Final = 2
"""So many lines of a form go at once when it closes; one alone gives way to what is typed."""
_SURE: Final = 0.95
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def closed_form(steps: Sequence[Step], texts: ScreenTexts, end_ms: int) -> str:
    """A text that stood there when the last field was filled, and went with others, for good; empty for none."""
    typed = [step for step in steps if step.action_type == "TYPE" and step.target.primary != FOCUS]
    if not typed:
        return ""
    last = typed[-1]
    said = " ".join((step.action_value or "").casefold() for step in typed)
    gone = [one for one in texts.at(last.until_ms) if one.until_ms is not None and one.t_ms < last.t_ms]
    names = [one for one in _together(gone) if _names(one) and not texts.shows(one.text, end_ms)]
    names = [one for one in names if one.text.casefold() not in said]
    return max(names, key=lambda one: (one.confidence, len(one.text))).text if names else ""


def _together(gone: Sequence[Seen]) -> Iterator[Seen]:
    for one in gone:
        others = [each for each in gone if abs((each.until_ms or 0) - (one.until_ms or 0)) <= _TOGETHER_MS]
        if len(others) >= _LEAST:
            yield one


def _names(one: Seen) -> bool:
    is_read = one.is_quotable and one.confidence >= _SURE and is_plainly_read(one.text)
    return is_read and _WORD.search(one.text) is not None and not is_volatile(one.text)
