"""Dates that are typed part by part into a field for dates, where letters stand for what is not typed yet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.video.frame import lies_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.screen import Draft

_PART: Final = r"[\dA-Za-z-]{1,4}"
_DATE: Final = re.compile(rf"({_PART})([./-])({_PART})\2({_PART})\.?")
_BEGUN: Final = re.compile(r"0{2,3}\d{1,2}|[^\d]+")
"""A year of which not all digits were typed, or the letters of a part."""
_NEXT_MS: Final = 6000
"""A hand takes no longer for the next part."""
_FEWEST: Final = 2


def typed_dates(drafts: Sequence[Draft]) -> list[list[Draft]]:
    """The changes that typed one date each, in order of time: one part of it after the other."""
    found: list[list[Draft]] = []
    for draft in drafts:
        if not _is_step(draft):
            continue
        goes_on = next((chain for chain in found if _goes_on(chain[-1], draft)), None)
        if goes_on is None:
            found.append([draft])
        else:
            goes_on.append(draft)
    return [chain for chain in found if _is_typed(chain)]


def _is_step(draft: Draft) -> bool:
    """Whether nothing but a date, or what stands for its parts, became another."""
    found = draft.match
    is_alone = len(found.changed) == 1 and not (found.added or found.removed)
    return is_alone and all(_DATE.fullmatch(line.text) for line in found.changed[0])


def _goes_on(last: Draft, draft: Draft) -> bool:
    line, old = last.match.changed[0][1], draft.match.changed[0][0]
    return old.text == line.text and lies_in(old.box, line.box) and draft.t_ms - last.t_ms <= _NEXT_MS


def _is_typed(chain: Sequence[Draft]) -> bool:
    """Whether parts of it were missing on the way, and none is in the end."""
    shown = [chain[0].match.changed[0][0].text, *(draft.match.changed[0][1].text for draft in chain)]
    begun = [_is_begun(text) for text in shown]
    return len(chain) >= _FEWEST and any(begun[:-1]) and not begun[-1]


def _is_begun(text: str) -> bool:
    parts = _DATE.fullmatch(text)
    return parts is not None and any(_BEGUN.fullmatch(part) for part in (parts[1], parts[3], parts[4]))
