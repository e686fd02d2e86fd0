"""When each line of one change came: a place that is stirred anew before it rests shows several changes at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.motion.changes import block_window
from adapters.video.motion.settled import TOGETHER_MS
from adapters.video.text.matching import Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.motion.settled import Settled
    from adapters.video.text.screen import Draft

_LATER_MS: Final = 300
"""What begins sooner after the change belongs to it: pages are drawn in steps."""


def by_time(draft: Draft, group: Sequence[Settled]) -> list[Draft]:
    """The change, and apart from it what came or went later in its place; those lines get their own times.

    Where all of its lines came later, so did the change. What stayed is with the first, and what scrolled is one.
    """
    if draft.first or draft.scroll:
        return [draft]
    parts = _parts(draft.match, group, draft.t_ms)
    for began_ms, part in parts:
        for line in part.coming:
            line.t_ms = began_ms
        for line in part.leaving:
            line.until_ms = max(line.until_ms or began_ms, began_ms)
    (draft.t_ms, draft.match), *later = parts
    return [draft, *(_draft_of(part, began_ms, draft) for began_ms, part in later)]


def _parts(matched: Match, group: Sequence[Settled], t_ms: int) -> list[tuple[int, Match]]:
    begun = [
        *((_began_ms((old.box, new.box), group, t_ms), Match(changed=[(old, new)])) for old, new in matched.changed),
        *((_began_ms((line.box,), group, t_ms), Match(added=[line])) for line in matched.added),
        *((_began_ms((line.box,), group, t_ms), Match(removed=[line])) for line in matched.removed),
    ]
    parts = [(t_ms, Match(kept=matched.kept, moved=matched.moved))]
    last_ms = t_ms + _LATER_MS
    for began_ms, one in sorted(begun, key=lambda each: each[0]):
        first_ms, part = parts[-1]
        if began_ms <= last_ms:
            parts[-1] = first_ms, part.plus(one)
        elif part.says_anything or part.kept:
            parts.append((began_ms, one))
        else:
            parts[-1] = began_ms, part.plus(one)
        last_ms = max(last_ms, began_ms + TOGETHER_MS)
    return parts


def _began_ms(boxes: Sequence[Box], group: Sequence[Settled], t_ms: int) -> int:
    """When the first block below the boxes began to change; with the whole change where none of them did."""
    windows = [block_window(box) for box in boxes]
    times = [one.since[window][one.blocks[window]] for one in group for window in windows]
    return max(t_ms, min((int(each.min()) for each in times if each.size), default=t_ms))


def _draft_of(part: Match, began_ms: int, whole: Draft) -> Draft:
    return replace(
        whole, t_ms=began_ms, box=part.box, match=part, solid=None, fill=0.0, inverted=False, label=None, ticks=()
    )
