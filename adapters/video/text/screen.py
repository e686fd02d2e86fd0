"""The screen as lines of text: what stands there now, what each change did to it, what stood there once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import around, grown, overlap, window
from adapters.video.motion.changes import BLOCK, block_window, filled_part, pixel_box
from adapters.video.motion.settled import grouped
from adapters.video.text.doubts import distrust, keep_retinted, without_cut
from adapters.video.text.field_borders import split_at_fields
from adapters.video.text.fields import find_fields
from adapters.video.text.labels import label_of, name_of
from adapters.video.text.letters import LetterTracker
from adapters.video.text.line_times import by_time
from adapters.video.text.lines import Line, alike, is_one_line, is_read_again
from adapters.video.text.masked import MaskedTyping, is_letter
from adapters.video.text.matching import match
from adapters.video.text.overlooked import find_overlooked, find_unnoticed, line_in
from adapters.video.text.pieces import (
    is_beside,
    is_cut,
    is_half_covered,
    is_intact,
    is_known,
    is_looser,
    is_piece,
    is_under_pointer,
    reaches_out,
    shifted,
    uncovered,
    went_along,
    within_cover,
)
from adapters.video.text.same_ink import are_inverted, same_ink
from adapters.video.text.segmentation import divided
from adapters.video.text.ticked_boxes import TickedBoxes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box, Frame, Luma
    from adapters.video.motion.changes import Blocks, Scroll
    from adapters.video.motion.left_places import LeftPlace
    from adapters.video.motion.settled import Look, Settled
    from adapters.video.text.areas import AreaReader
    from adapters.video.text.masked import Masked
    from adapters.video.text.matching import Match
    from adapters.video.text.ticked_boxes import Tick

_REACH: Final = 6
_READ_BY_MS: Final = 700
"""By then what came has been read."""
_POOR: Final = 0.3
"""So sure a reading is that may be of letters, though of which it cannot be made out; of a picture it is less."""
_WIDE: Final = 4
"""Heights: what is wide enough to hide words."""
_IN_VIEW: Final = 0.9
"""Of a line that moved along: what is seen to move begins at its letters, not at its box."""


@dataclass(slots=True, eq=False)
class Draft:
    """What one change did; events are made of these when the whole clip is known.

    Args:
        t_ms: when it began.
        seen_ms: when it had settled.
        rest_ms: when it last moved.
        box: around everything that changed.
        first: whether it is the clip's first screen.
        stood: the lines that stood on the whole screen before, and where.
        scroll: how the content moved, if it moved as a whole.
        masked: the row of hidden characters that it may be a part of.
        cover: whether it is nothing but the going of what lay over the page.
        fill: how much of the box became clearly brighter or darker as a whole, 0..1.
        solid: the box around what did, if any.
        inverted: whether most lines that stayed turned from dark on light to light on dark, or back.
        ticks: the boxes beside words that were ticked or cleared.
        unread: where a line was found of which no words could be made out.

    """

    t_ms: int
    seen_ms: int
    rest_ms: int
    box: Box
    first: bool
    stood: tuple[tuple[Line, Box], ...]
    match: Match
    solid: Box | None = None
    fill: float = 0.0
    inverted: bool = False
    label: str | None = None
    scroll: Scroll | None = None
    masked: Masked | None = None
    cover: bool = False
    ticks: tuple[Tick, ...] = ()
    unread: tuple[Box, ...] = ()
    frame: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    frame: Frame
    bgr: NDArray[np.uint8]


class Screen:
    """Keeps the lines that stand on the screen, and those that stood there.

    Args:
        reader: reads areas of pictures.
        keep: stores a picture and returns its name, if it does store it.

    """

    def __init__(self, reader: AreaReader, keep: Callable[[Frame, NDArray[np.uint8]], str | None]) -> None:
        self._reader = reader
        self._keep = keep
        self._masked = MaskedTyping()
        self._letters = LetterTracker()
        self._boxes_beside = TickedBoxes()
        self._unread: list[Box] = []
        self._half: list[tuple[Line, Box]] = []
        self._was_half: list[Line] = []
        self.lines: list[Line] = []
        self.gone: list[Line] = []

    def take(self, settled: Sequence[Settled]) -> list[Draft]:
        """Work in what came to rest at one moment; one draft for each place, none for letters that can wait."""
        self._glimpse([one for one in settled if one.gone_ms is not None])
        settled = [one for one in settled if one.gone_ms is None]
        if not settled or self._letters.hold(settled):
            return []
        return [*self.catch_up(), *self._look(grouped(settled))]

    def _glimpse(self, settled: Sequence[Settled]) -> None:
        """Read what stood for a frame: it was there, though no change is made of it."""
        pictures = {key: _rendered(look)[0] for key, look in {id(one.frame): one.frame for one in settled}.items()}
        for one in settled:
            look, bgr = one.frame, pictures[id(one.frame)]
            boxes = self._boxes(bgr, look.luma, self._area(one.blocks, (), look.luma), ())
            for line in self._read(bgr, look, boxes, one.t_ms):
                if not any(overlap(line.box, known.box) and alike(line.text, known.text) for known in self.lines):
                    line.until_ms = one.gone_ms
                    self.gone.append(line)

    def catch_up(self, *, until_ms: int | None = None) -> list[Draft]:
        """Work in what was left for later: one draft for several letters, of the time of the last.

        With ``until_ms`` only if all of it came before.
        """
        newest_ms = self._letters.newest_ms
        if newest_ms is None or (until_ms is not None and newest_ms > until_ms):
            return []
        waiting = self._letters.release()
        return self._look([waiting], t_ms=waiting[0].t_ms)

    def _look(self, groups: Sequence[Sequence[Settled]], t_ms: int | None = None) -> list[Draft]:
        """Read each group in its own frame: what keeps moving is handed on with a later one than what came to rest."""
        drafts: list[Draft] = []
        looks: dict[int, tuple[NDArray[np.uint8], _Shown]] = {}
        for group in groups:
            look = group[0].frame
            if id(look) not in looks:
                looks = {id(look): _rendered(look)}
            bgr, shown = looks[id(look)]
            began = min(one.t_ms for one in group) if t_ms is None else t_ms
            together = [one for other in groups for one in other if one.frame is look]
            draft = self._take(group, together, began, bgr, shown)
            drafts += by_time(draft, group) if t_ms is None else [draft]
        return drafts

    def _take(
        self, group: Sequence[Settled], together: Sequence[Settled], t_ms: int, bgr: NDArray[np.uint8], shown: _Shown
    ) -> Draft:
        """Work in one thing; a line of it may reach into another that came to rest ``together`` with it."""
        frame = group[0].frame
        blocks: Blocks = np.logical_or.reduce([one.blocks for one in group])
        uncovered = [place for one in group for place in one.uncovered]
        self._mark_uncovered(uncovered)
        scroll = next((one.scroll for one in group if one.scroll), None)
        stood = tuple(self._standing)
        left = self._shift(scroll, frame, t_ms) if scroll else []
        if scroll and not went_along(stood, scroll, frame.luma):
            # Another page that looks alike, or something slid over what stands there, as a panel does.
            for line, box in stood:
                line.move_back(box)
            scroll, left = None, []
        stale = [line for line in self.lines if line not in left and self._is_touched(line, blocks, frame)]
        area = self._area(blocks, stale, frame.luma)
        staying = [line for line in self.lines if line not in left]
        stale = [line for line in staying if line in stale or (overlap(line.box, area) and not is_intact(line, frame))]
        solid, fill = filled_part(blocks, group[0].solid, frame.luma)
        self._find_half_covered(stale, solid, frame.luma)
        found = self._boxes(bgr, frame.luma, area, [line.box for line in staying if line not in stale])
        read = self._read(bgr, frame, found, t_ms)
        fresh = _whole(_in_view(read, stale, scroll, stood), stale, group, together)
        fresh, standing = divided(fresh, staying, together)
        stale = [line for line in stale if line not in standing]
        matched = match(stale, fresh)
        inverted = are_inverted([(old.patch, new.patch) for old, new in matched.kept])
        without_cut(matched, frame.luma)
        taken = [line.box for line in (*fresh, *(line for line in staying if line not in stale))]
        keep_retinted(matched, taken, frame)
        matched.removed += left
        gone = [line for line in matched.removed if line not in left]
        find_overlooked(self._reader, matched, gone, taken, bgr, frame, t_ms)
        self.lines += find_unnoticed(self._reader, matched, together, [*self.lines, *self._was_half])
        if scroll is None:
            find_fields(matched, together, frame.luma)
        rest_ms = max(one.rest_ms for one in group)
        self._apply(matched, frame, t_ms, rest_ms)
        self._letters.learn(matched)
        if solid is not None and any(overlap(solid, box) * 2 > solid[2] * solid[3] for box, _ in uncovered):
            solid = None
        first = all(one.first for one in group)
        box, label = pixel_box(blocks, frame.luma), self._label(matched)
        draft = Draft(
            t_ms,
            frame.t_ms,
            rest_ms,
            box,
            first,
            stood,
            matched,
            solid,
            fill,
            inverted,
            label,
            scroll,
            unread=tuple(self._unread),
        )
        if not (draft.first or draft.scroll or matched.says_anything):
            draft.ticks = self._boxes_beside.changed(stood, group, t_ms)
        hint = matched.removed[0] if len(matched.removed) == 1 and not matched.coming else None
        says_more = matched.says_anything and hint is None
        if not (draft.first or says_more or matched.kept or (uncovered and is_letter(box))):
            self._follow_masked(draft, hint, bgr, frame.luma)
        if draft.first or matched.says_anything or solid is not None:
            draft.frame = self._keep(shown.frame, shown.bgr)
            for line in fresh:
                line.frame = line.frame or draft.frame
        return draft

    def _follow_masked(self, draft: Draft, hint: Line | None, bgr: NDArray[np.uint8], luma: Luma) -> None:
        is_row = partial(self._reader.is_masked, bgr, luma)
        if hint is None:
            draft.masked = self._masked.follow(draft.t_ms, draft.box, draft.solid, luma, is_row)
        else:
            draft.masked = self._masked.replace(draft.t_ms, hint.box, draft.box, luma, is_row)
        if draft.masked is not None:
            label = label_of(draft.masked.box, self._standing)
            draft.label = label[0].text if label else hint and hint.text

    def _shift(self, scroll: Scroll, look: Look, t_ms: int) -> list[Line]:
        """Move the lines with the content; returns those that left the view."""
        left: list[Line] = []
        for line in self.lines:
            inside = overlap(line.box, scroll.box) * 2 >= line.box[2] * line.box[3]
            if not inside or is_intact(line, look):
                continue
            x, y, wide, high = line.box
            moved = (x + scroll.dx, y + scroll.dy, wide, high)
            if overlap(moved, scroll.box) < _IN_VIEW * wide * high:
                left.append(line)
                continue
            # A step or two of the measure may be off by a pixel.
            places = [shifted(moved, off, sideways=scroll.dx != 0) for off in (0, -1, 1, -2, 2)]
            found = (place for place in places if same_ink(line.patch, look.luma[window(place)]))
            line.move(next(found, line.box), t_ms)
        return left

    def _mark_uncovered(self, places: Sequence[LeftPlace]) -> None:
        """What was read where the pointer stood is in doubt; what was nothing but the pointer is taken back."""
        for line in list(self.lines):
            boxes = [box for box, since_ms in places if overlap(line.box, box) and line.t_ms + _READ_BY_MS > since_ms]
            if not boxes:
                continue
            if any(overlap(line.box, box) * 5 > line.box[2] * line.box[3] * 3 for box in boxes):
                line.false = True
                self.lines.remove(line)
            else:
                line.is_covered = True

    def _is_touched(self, line: Line, blocks: Blocks, look: Look) -> bool:
        """Whether the change reached the line itself, or stands right beside it on its row."""
        x, y, width, height = line.box
        beside = grown(line.box, height * 4 // 5, 0, look.luma)
        if not blocks[block_window(beside)].any():
            return False
        if not is_intact(line, look):
            return True
        left, right = (beside[0], y, x - beside[0], height), (x + width, y, beside[0] + beside[2] - x - width, height)
        return any(side[2] > 0 and blocks[block_window(side)].any() for side in (left, right))

    def _find_half_covered(self, stale: Sequence[Line], solid: Box | None, luma: Luma) -> None:
        """Remember the lines of which a part is left beside what covers them: it is no text."""
        half = [*self._half, *((line, solid) for line in stale if solid is not None)]
        self._was_half = [line for line, _ in self._half]
        self._half = [(line, cover) for line, cover in half if is_half_covered(line, cover, luma)]

    def _area(self, blocks: Blocks, stale: Sequence[Line], luma: Luma) -> Box:
        parts = [pixel_box(blocks, luma)]
        parts += [grown(line.box, line.box[3], line.box[3] // 3, luma) for line in stale]
        return grown(around(parts), BLOCK, BLOCK // 2, luma)

    def _boxes(self, bgr: NDArray[np.uint8], luma: Luma, area: Box, known: Sequence[Box]) -> list[Box]:
        found = self._reader.boxes(bgr, area)
        cut = [box for box in found if reaches_out(box, area, luma) and not any(overlap(box, one) for one in known)]
        if cut:
            found = self._reader.boxes(bgr, grown(area, _REACH * max(box[3] for box in cut), 0, luma))
        pieces = [piece for box in found for part in split_at_fields(luma, box) for piece in uncovered(part, known)]
        return [part for piece in pieces for part in within_cover(piece, self._half)]

    def _read(self, bgr: NDArray[np.uint8], look: Look, boxes: Sequence[Box], t_ms: int) -> list[Line]:
        readings = list(zip(boxes, self._reader.texts(bgr, look.luma, boxes), strict=True))
        within = [one for box, (text, _) in readings if not text for one in self._reader.boxes_within(bgr, box)]
        readings += zip(within, self._reader.texts(bgr, look.luma, within), strict=True)
        self._unread = [
            box for box, (text, score) in readings if not text and score >= _POOR and box[2] >= _WIDE * box[3]
        ]
        return [line_in(look, box, text, score, t_ms) for box, (text, score) in readings if text]

    def _apply(self, matched: Match, look: Look, t_ms: int, rest_ms: int) -> None:
        """Keep what stands now. A place may have moved on and on since before the line came that went from it."""
        for line, again in matched.kept:
            if (
                is_under_pointer(again.box, look)
                and len(again.text) <= len(line.text)
                and is_one_line(line.box, again.box)
            ):
                # What it looks like is known better from before the pointer came.
                continue
            if is_looser(line, again):
                again.box, again.patch = line.box, look.luma[window(line.box)].copy()
            has_grown = again.text[:-1] == line.text and again.box[2] > line.box[2]
            line.move(again.box, t_ms)
            is_better = (has_grown or again.score > line.score) and is_read_again(line, again)
            line.patch = again.patch
            if line.is_covered or is_better:
                line.text, line.score, line.is_covered = again.text, again.score, again.is_covered
        leaving = [*matched.removed, *(old for old, _ in matched.changed)]
        for line in leaving:
            line.until_ms = t_ms if t_ms > line.t_ms else rest_ms
        self.gone += [line for line in leaving if line.until_ms is not None and line.until_ms > line.t_ms]
        coming = [*matched.added, *(new for _, new in matched.changed)]
        self.lines = [line for line in self.lines if line not in leaving] + coming

    def _label(self, matched: Match) -> str | None:
        """The text right above or left of the one line that changed: a field's name, if it has one."""
        if len(matched.coming) != 1:
            return None
        return name_of(matched.coming[0], matched.changed[0][0] if matched.changed else None, self._standing)

    @property
    def _standing(self) -> list[tuple[Line, Box]]:
        return [(line, line.box) for line in self.lines]


def _rendered(look: Look) -> tuple[NDArray[np.uint8], _Shown]:
    """The picture without the pointer, which is read, and the one that is shown."""
    bgr = look.frame.bgr()
    shown = _Shown(look.frame, bgr.copy() if look.hole else bgr)
    look.paint_out(bgr)
    return bgr, shown


def _in_view(
    read: list[Line], stale: Sequence[Line], scroll: Scroll | None, stood: Sequence[tuple[Line, Box]]
) -> list[Line]:
    """What was read, without lines through which the edge of what scrolls runs."""
    if scroll is None or not read:
        return read
    usual = float(np.median([line.box[3] for line in read]))
    return [line for line in read if is_known(line, stale) or not is_cut(line, scroll, usual, stood)]


def _whole(
    fresh: list[Line], stale: Sequence[Line], group: Sequence[Settled], together: Sequence[Settled]
) -> list[Line]:
    """What was read, without pieces, and with doubtful readings settled."""
    blocks: Blocks = np.logical_or.reduce([one.blocks for one in group])
    fresh = [line for line in fresh if blocks[block_window(line.box)].any() or is_beside(line, stale)]
    for line in fresh:
        line.moving = any(one.moving for one in group)
    distrust(stale, fresh, together)
    # Two boxes may have been found around the same strokes.
    once = {line.box: line for line in reversed(fresh)}.values()
    fresh = [line for line in fresh if line in once and not any(is_looser(other, line) for other in fresh)]
    return [line for line in fresh if not any(is_piece(line, other) for other in fresh)]
