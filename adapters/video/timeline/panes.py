"""Tells a column that stays while pages come and go beside it, as a test runner's log, from those pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around
from adapters.video.text.matching import Match
from adapters.video.timeline.addresses import LEFT, turns_page
from adapters.video.timeline.sentences import logged
from core.analysis import BETWEEN_LINES, EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft
    from core.analysis import Event

_TURNS: Final = 2
"""So many pages came at least beside a column that stayed; one may keep its own menu."""
_LINES: Final = 3
_STAYS: Final = 0.7
_GOES: Final = 0.6
_MOST: Final = 0.5
"""Of the pages: a log may begin anew with one of them."""
_BEFORE_MS: Final = 500
_AFTER_MS: Final = 1000
"""So much sooner or later than its address a page is drawn."""
_PAUSE_MS: Final = 2000
"""What comes after longer is another log."""


def column_beside(drafts: Sequence[Draft], bars: Sequence[Box], width: int) -> int | None:
    """Where a column at the left ends, in pixels: no line reaches over it, and its lines outlast each page.

    Where the address stands far from the left edge its page begins there, and what is left of it is a column.

    Args:
        drafts: the changes, in order of time.
        bars: where addresses stand.
        width: the picture's, in pixels.

    """
    starts = [x - high for x, _, _, high in bars]
    if starts and min(starts) >= LEFT * width:
        return min(starts)
    turned_ms = [draft.t_ms for draft in drafts if not draft.first and turns_page(draft, bars)]
    turns = [turn for t_ms in turned_ms if (turn := _turn(t_ms, drafts)) is not None]
    if len(turns) < _TURNS:
        return None
    ends = {box[0] + box[2] for _, stood in turns for _, box in stood}
    return next((end for end in sorted(ends, reverse=True) if _is_column(end, turns)), None)


_Turn = tuple[set[int], "list[tuple[Line, Box]]"]
"""Ids of the lines that went with a page, and the lines that had stood before, with their places."""


def _turn(t_ms: int, drafts: Sequence[Draft]) -> _Turn | None:
    parts = [draft for draft in drafts if not draft.first and -_BEFORE_MS <= draft.t_ms - t_ms <= _AFTER_MS]
    stood = [(line, box) for line, box in parts[0].stood if not line.false]
    return ({id(line) for draft in parts for line in draft.match.leaving}, stood) if len(stood) >= 2 * _LINES else None


def _is_column(end: int, turns: Sequence[_Turn]) -> bool:
    known = outlasted = 0
    for went, stood in turns:
        left = [line for line, box in stood if box[0] + box[2] <= end]
        right = [line for line, box in stood if box[0] >= end]
        if len(left) + len(right) < len(stood):
            return False
        if min(len(left), len(right)) < _LINES:
            continue
        known += 1
        stays = sum(id(line) not in went for line in left) >= _STAYS * len(left)
        outlasted += stays and sum(id(line) in went for line in right) >= _GOES * len(right)
    return outlasted >= max(_TURNS, _MOST * known)


def divided(drafts: Sequence[Draft], end: int) -> tuple[list[Draft], list[Draft]]:
    """What changed beside the column, and what changed in it."""
    beside = [part for draft in drafts if (part := _part(draft, end, within=False)) is not None]
    return beside, [part for draft in drafts if (part := _part(draft, end, within=True)) is not None]


def is_within(box: Box, end: int) -> bool:
    """Whether a place lies in the column."""
    return box[0] + box[2] // 2 < end


def as_logs(events: Sequence[Event]) -> list[Event]:
    """What came in the column, as one thing for as long as it goes on: its last lines, and how many others came."""
    runs: list[list[Event]] = []
    for event in events:
        if event.kind is EventKind.SCROLLED and not event.text:
            continue
        if runs and event.t_ms - runs[-1][-1].t_ms <= _PAUSE_MS:
            runs[-1].append(event)
        else:
            runs.append([event])
    return [_log(run) for run in runs]


def _log(run: Sequence[Event]) -> Event:
    last, lines = run[-1], [line for event in run for line in event.lines if line]
    if len(lines) <= 1:
        return last
    return last.model_copy(
        update={
            "t_ms": run[0].t_ms,
            "until_ms": None,
            "kind": EventKind.APPEARED,
            "text": BETWEEN_LINES.join(lines),
            "before": None,
            "region": around(event.region for event in run if event.region),
            "confidence": min(event.confidence for event in run),
            "description": logged(lines, last.t_ms - run[0].t_ms),
        }
    )


def _part(draft: Draft, end: int, *, within: bool) -> Draft | None:
    found = draft.match
    kept = [
        (pair, move)
        for pair, move in zip(found.kept, found.moved, strict=True)
        if is_within(pair[1].box, end) is within
    ]
    match = Match(
        kept=[pair for pair, _ in kept],
        moved=[move for _, move in kept],
        changed=[pair for pair in found.changed if is_within(pair[1].came_at, end) is within],
        added=[line for line in found.added if is_within(line.came_at, end) is within],
        removed=[line for line in found.removed if is_within(line.box, end) is within],
    )
    stood = tuple((line, box) for line, box in draft.stood if is_within(box, end) is within)
    lines = [*(line.came_at for line in match.coming), *(line.box for line in match.leaving)]
    if not lines:
        mute = not found.says_anything and is_within(draft.box, end) is within
        return replace(draft, match=match, stood=stood) if mute else None
    if len(lines) == len(found.coming) + len(found.leaving):
        return replace(draft, match=match, stood=stood)
    scroll = draft.scroll if draft.scroll is not None and is_within(draft.scroll.box, end) is within else None
    return replace(draft, match=match, stood=stood, box=around(lines), solid=None, fill=0.0, scroll=scroll)
