"""A screen in other colours, as a switch between light and dark gives it: nearly all of its text stays where it was.

Each line is read anew then, in colours that suit the reader less or more, and a menu may close at the same moment. So
of what differs only another text in the place of one is taken: the label of the switch itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.text.matching import Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_SCREEN: Final = 0.5
"""Of the picture: so much of it changed its colours at least."""
_FILLED: Final = 0.8
"""Of that, so much became brighter or darker. In 25 recordings two changes of a theme did by 0.94, new pages of sites
without much text by 0.7, and all else by 0.5 at most."""
_STAYED: Final = 0.75
"""Of the lines that stood, so many are still there; of a page that was replaced less than half are."""


def recolourings(drafts: Sequence[Draft], size: tuple[int, int]) -> tuple[list[Draft], list[Draft]]:
    """The drafts that gave the screen other colours, and all others.

    Of the first, the label that changed by itself is among the others.
    """
    found: list[Draft] = []
    others: list[Draft] = []
    for draft in drafts:
        if not _is_recolouring(draft, size):
            others.append(draft)
            continue
        found.append(draft)
        labels = [(old, new) for old, new in draft.match.changed if _is_another(old, new)]
        if labels:
            others.append(replace(draft, match=Match(changed=labels), solid=None, fill=0.0))
    return found, others


def _is_recolouring(draft: Draft, size: tuple[int, int]) -> bool:
    # What lies behind a dialog is dimmed: its letters stay darker than their ground, or lighter.
    if draft.solid is None or draft.scroll is not None or not draft.inverted or draft.fill < _FILLED:
        return False
    if draft.solid[2] * draft.solid[3] < _SCREEN * size[0] * size[1]:
        return False
    return len(draft.match.leaving) <= (1 - _STAYED) * len(draft.stood)


def _is_another(old: Line, new: Line) -> bool:
    """Whether neither text is a part of the other: two lines may be read as one in other colours."""
    return old.text not in new.text and new.text not in old.text
