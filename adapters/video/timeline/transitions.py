"""A transition is one change, from what stood before to what stands when it has come to rest.

A panel that slides in, a page that is filled part by part and a text that fades are read on their way, too. What was
read there stood only for a moment and gave way to something else: it is left out, and the changes between are one.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, overlap
from adapters.video.text.lines import alike, digits, strip_spaces, without_numbers
from adapters.video.text.matching import Match
from adapters.video.timeline.addresses import turns_page
from adapters.video.timeline.chains import line_of
from adapters.video.timeline.kinds import scroll_shift

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from adapters.video.frame import Box
    from adapters.video.motion.settled import ContinuousMotion
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_PASSING_MS: Final = 450
"""What gives way after less stood on the way: somewhat longer than a restless place waits to be read."""
_GLANCE_MS: Final = 150
"""A number that stood for less is a step of a counter, or of a slider that is drawn."""
_EDGE_MS: Final = 200
_UNFOLDS_MS: Final = 1600
"""What moves for longer is no transition: a log that runs, a film."""
_SURE: Final = 0.97
_WORD: Final = 3


def at_rest(drafts: Sequence[Draft], motions: Sequence[ContinuousMotion], bars: Sequence[Box]) -> list[Draft]:
    """The drafts, in order of time, each transition as one; what moved meanwhile says how long it took.

    With the address in a bar another page begins, and what gave way to it is none of its parts.

    Args:
        drafts: the changes, in order of time.
        motions: what never came to rest.
        bars: where addresses stand.

    """
    brought: dict[int, int] = {}
    group = list(range(len(drafts)))
    scrolls = [scroll_shift(draft) is not None for draft in drafts]
    turned_ms = [draft.t_ms for draft in drafts if turns_page(draft, bars)]
    pages = [bisect_right(turned_ms, draft.rest_ms) for draft in drafts]

    def root(index: int) -> int:
        while group[index] != index:
            index = group[index]
        return index

    for index, draft in enumerate(drafts):
        for line in _given_way(draft):
            before = brought.get(id(line), index)
            one, other = root(index), root(before)
            # Content that is scrolled on passes by, and gives way to nothing.
            if one != other and pages[index] == pages[before] and not (scrolls[one] and scrolls[other]):
                group[one] = other
                scrolls[other] |= scrolls[one]
        brought |= {id(line): index for line in draft.match.coming}
    for motion in motions:
        parts = [at for at, draft in enumerate(drafts) if not scrolls[at] and _is_within(draft, motion)]
        for one, other in itertools.pairwise(parts):
            if pages[one] == pages[other]:
                group[root(other)] = root(one)
    together: dict[int, list[Draft]] = {}
    for index, draft in enumerate(drafts):
        together.setdefault(root(index), []).append(draft)
    spans = [(parts[0].t_ms, parts[-1].t_ms) for parts in together.values() if len(parts) > 1]
    whole = [parts for parts in together.values() if len(parts) > 1 or not _is_mute_within(parts[0], spans)]
    return sorted(map(_joined, whole), key=lambda draft: draft.t_ms)


def _is_within(draft: Draft, motion: ContinuousMotion) -> bool:
    """Whether a change is a step of what moved: rows that unfold, a panel that slides."""
    during = motion.t_ms - _EDGE_MS <= draft.t_ms <= motion.until_ms + _EDGE_MS
    brief = motion.until_ms - motion.t_ms <= _UNFOLDS_MS
    return brief and during and 2 * overlap(draft.box, motion.box) >= draft.box[2] * draft.box[3]


def _is_mute_within(draft: Draft, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether nothing was read of a change that came about in the middle of a transition."""
    says = draft.match.says_anything or draft.scroll is not None
    return not says and any(first < draft.t_ms <= last for first, last in spans)


def _given_way(draft: Draft) -> Iterable[Line]:
    """The lines that had only just come when this change took them away or put others in their place."""
    found = draft.match
    if not found.coming and draft.scroll is None:
        return ()
    passing = [line for line in found.leaving if draft.t_ms - line.t_ms < _PASSING_MS]
    line = line_of(draft)
    if line is None:
        return passing
    # Two texts one after the other in one place are two, however short the first one stood; a piece of it is none.
    return [
        old
        for old in passing
        if old.score < _SURE
        or strip_spaces(old.text) in strip_spaces(line.text)
        or (
            draft.t_ms - old.t_ms < _GLANCE_MS
            and digits(old.text)
            and without_numbers(old.text) == without_numbers(line.text)
        )
    ]


def _joined(drafts: Sequence[Draft]) -> Draft:
    if len(drafts) == 1:
        return drafts[0]
    match = reduce(_then, (draft.match for draft in drafts))
    match.settle()
    _keep_moved(match)
    lines = [*(line.came_at for line in match.coming), *(line.box for line in match.leaving)]
    first, last = _first_seen(drafts, lines), max(drafts, key=lambda draft: draft.seen_ms)
    if not match.says_anything and drafts[0].scroll is None:
        return replace(drafts[0], match=match, solid=None, fill=0.0)
    return replace(
        drafts[0],
        t_ms=first.t_ms,
        seen_ms=last.seen_ms,
        rest_ms=max(draft.rest_ms for draft in drafts),
        box=around(lines or [draft.box for draft in drafts]),
        match=match,
        frame=last.frame or drafts[0].frame,
    )


def _first_seen(drafts: Sequence[Draft], lines: Sequence[Box]) -> Draft:
    """The change with which it began: not one that brought only signs in doubt where nothing came in the end."""
    return next((each for each in drafts if not _is_passing_noise(each, lines)), drafts[0])


def _is_passing_noise(draft: Draft, lines: Sequence[Box]) -> bool:
    brought, left = draft.match.coming, draft.match.leaving
    doubtful = brought and not left and draft.scroll is None and all(line.score < _SURE for line in brought)
    return bool(doubtful) and not any(overlap(line.came_at, box) for line in brought for box in lines)


def _then(first: Match, second: Match) -> Match:
    """What both did, one after the other; what the first brought and the second took away never was."""
    origin: dict[int, Line | None] = {id(new): old for old, new in first.changed}
    origin |= {id(line): None for line in first.added}
    result = first.plus(Match(kept=second.kept, moved=second.moved))
    for old, new in [*second.changed, *((line, None) for line in second.removed)]:
        before: Line | None = old
        if id(old) in origin:
            before = origin[id(old)]
            result.changed = [pair for pair in result.changed if pair[1] is not old]
            result.added = [line for line in result.added if line is not old]
        if before is not None and new is not None:
            result.changed.append((before, new))
        elif new is not None:
            result.added.append(new)
        elif before is not None:
            result.removed.append(before)
    result.added += second.added
    result.changed = [pair for pair in result.changed if not alike(pair[0].text, pair[1].text)]
    return result


def _keep_moved(match: Match) -> None:
    """Count what stood elsewhere before as moved: only once is each text looked for."""
    left, came = match.leaving, match.coming
    for old in left:
        same = [new for new in came if alike(old.text, new.text)]
        if len(same) != 1 or sum(alike(one.text, old.text) for one in left) != 1 or len(old.text) < _WORD:
            continue
        new = same[0]
        match.without(old, new)
        match.kept.append((old, new))
        match.moved.append((new.came_at[0] - old.box[0], new.came_at[1] - old.box[1]))
