"""Watches every block of the screen come to rest, each place for itself.

A change begins when blocks that were quiet move, and is over when they have stood still together: then the last good
picture of that state is handed on, together with the moment the change began. A state is handed on at the latest just
before its place changes again, so that of two things 100 ms apart none is lost; else a little later, because a codec
sharpens a fresh picture over several frames. Blocks that never come to rest (a spinner, a film) are one
``ContinuousMotion``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import around, grown, overlap, window
from adapters.video.motion.changes import (
    BLOCK,
    LEVEL,
    Scroll,
    block_means,
    block_window,
    changed_blocks,
    difference,
    grid_shape,
    is_same,
    islands,
    pixel_box,
    shift_of,
    spread,
)
from adapters.video.motion.faint import FaintChanges
from adapters.video.motion.left_places import LeftPlaces
from adapters.video.motion.pointer import Pointer
from adapters.video.motion.settled import ContinuousMotion, Look, Settled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adapters.video.frame import Frame, Luma
    from adapters.video.motion.changes import Blocks

HOLD_MS: Final = 60
"""A state that stood this long was a state; shorter ones are steps of an animation. Two frames at 25 and 30 fps."""
_READ_MS: Final = 320
_PATIENCE_MS: Final = 700
"""What stands still is handed on after this, even when something beside it still moves."""
_WORDS_BLOCKS: Final = 12
"""A few words are no smaller."""
_SWEPT: Final = 8
"""So many times what came last is what changes with it, when a page goes."""
_GONE: Final = 0.4
_CHAIN_MS: Final = 420
_RESTLESS_MS: Final = 900
_RESTLESS_HZ: Final = 9.0
"""Faster than people type into one place, slower than any spinner steps."""
_RESTLESS_MOVES: Final = 4
_CALM_MS: Final = 1000
_SLOW_MS: Final = 200
_SMALL_ROWS: Final = 75
"""Letters are small in a picture below 600 pixels."""
_LOOK_BACK_MS: Final = 240
_FADE: Final = 4
"""Levels by which what fades slowly becomes brighter or darker from one look back to the next."""
_DUE_MS: Final = 400
"""What does not come to rest is looked at this often."""
_SCROLLED: Final = 0.08
_SCROLL_PAUSE_MS: Final = 260
_BLINK_MS: Final = 1300
"""A caret that blinks is not seen for longer; desktops let it stand for 0.5 to 1.2 s."""
_CARET_WIDTH: Final = 3
_CARET_LEVEL: Final = 12
_CARET_HEIGHT: Final = 3


class Activity:
    """Feed it every frame in order; it yields what has come to rest, oldest first."""

    def __init__(self, first: Frame) -> None:
        shape = grid_shape(first.luma)
        self._pointer = Pointer()
        self.faint = FaintChanges()
        self.faint.feed(first.t_ms, first.luma)
        self._raw = first.luma
        self._previous = Look(first, first.luma, None, None)
        self._scroll: Scroll | None = None
        self._scroll_reported = False
        self._left = LeftPlaces()
        self._known = first.luma.copy()
        self._rested: list[tuple[Blocks, Luma]] = []
        self._read: Blocks = np.zeros(shape, np.bool_)
        self._active: Blocks = np.ones(shape, np.bool_)
        self._since = np.full(shape, first.t_ms, np.int64)
        self._moved = np.full(shape, first.t_ms, np.int64)
        self._stirred = np.full(shape, first.t_ms, np.int64)
        self._chain = np.full(shape, first.t_ms, np.int64)
        self._stood = np.full(shape, first.t_ms, np.int64)
        self._moves = np.zeros(shape, np.int64)
        self._restless: Blocks = np.zeros(shape, np.bool_)
        self._motions: list[ContinuousMotion] = []
        self._thin_since = np.zeros(shape, np.int64)
        self._looked_ms, self._looked = first.t_ms, first.luma
        self.finished_motions: list[ContinuousMotion] = []
        self.path: list[tuple[int, tuple[int, int] | None]] = []

    def feed(self, frame: Frame) -> Iterator[Settled]:
        """Take the next frame."""
        now = frame.t_ms
        look, motion = self._look(frame)
        if motion is not None:
            motion = self._without_carets(motion, look)
        if self._active.any():
            yield from self._due(now, motion)
        if self._scroll_reported:
            self._scroll, self._scroll_reported = None, False
        if motion is not None:
            yield from self._glimpsed(motion, now)
            self._follow_scroll(motion, look)
            self._move(motion, look)
        yield from self._end_motions(look)
        yield from self._look_into_motions(look)
        self._previous = look
        # Of what comes to rest together, each place is handed on with the picture before all of it.
        for blocks, luma in self._rested:
            self._adopt(blocks, luma)
        self._rested.clear()
        if now - self._looked_ms >= _LOOK_BACK_MS:
            self._look_back(look)

    @property
    def all_motions(self) -> list[ContinuousMotion]:
        """Those that are over, and those that go on."""
        return [*self.finished_motions, *self._motions]

    def finish(self) -> Iterator[Settled]:
        """Hand on what is still open when the clip ends."""
        self.finished_motions += self._motions
        for motion in self._motions:
            yield from self._settle(motion.blocks, self._previous, moving=True)
        self._motions = []
        for island in islands(self._active):
            yield from self._settle(island, self._previous)

    def _look(self, frame: Frame) -> tuple[Look, Blocks | None]:
        """The frame without the mouse pointer, and where it differs from the one before."""
        raw, self._raw = self._raw, frame.luma
        if is_same(raw, frame.luma):
            old = self._previous
            # Where nothing is painted out, its own: an earlier picture is then not held beside it.
            return Look(frame, frame.luma if old.luma is raw else old.luma, old.hole, old.covered_box), None
        before = self._previous.luma
        motion = changed_blocks(raw, frame.luma)
        if motion is None:
            clear = self._pointer.painted_out(frame.luma)
        else:
            clear = self._pointer.clear(raw, before, frame.luma, motion)
            self._left.add(frame.t_ms, self._pointer.uncovered, self.path)
            self._pointer.uncovered = []
            if clear is not frame.luma or before is not raw:
                motion = changed_blocks(before, clear)
            if not self.path or self.path[-1][1] != self._pointer.tip:
                self.path.append((frame.t_ms, self._pointer.tip))
        self.faint.feed(frame.t_ms, clear)
        return Look(frame, clear, self._pointer.hole, self._pointer.covered_box), motion

    def _due(self, now: int, motion: Blocks | None) -> Iterator[Settled]:
        rested = now - self._moved
        reach = None if motion is None else spread(motion)
        if reach is None and not (rested[self._active] >= _READ_MS).any():
            return
        for island in islands(self._active):
            quiet = rested[island]
            touched = reach is not None and bool((reach & island).any())
            if quiet.min() >= _READ_MS:
                yield from self._settle(island, self._previous)
            elif quiet.min() >= HOLD_MS:
                if touched:
                    yield from self._settle(island, self._previous)
            elif now - self._since[island].min() >= _PATIENCE_MS and not self._is_scrolling(now):
                # Not what moves around either: each block of a spinner rests for a while at every turn.
                still = (rested >= _READ_MS) & (now - self._stirred >= _READ_MS)
                yield from self._settle(island & still, self._previous, moving=True)

    def _glimpsed(self, motion: Blocks, now: int) -> Iterator[Settled]:
        """The last thing that came, too briefly to settle, and goes with most of the page: a message of one frame."""
        if 4 * motion.sum() < motion.size:
            return
        for island in islands(self._active & (now - self._moved < HOLD_MS)):
            count = int(island.sum())
            if _WORDS_BLOCKS <= count <= motion.sum() // _SWEPT and (island & motion).sum() >= _GONE * count:
                look, t_ms = self._previous, int(self._moved[island].min())
                box = pixel_box(island, look.luma)
                solid = np.zeros(island.shape, np.float32)
                was = self._known[window(box)].copy()
                since = self._moved.copy()
                yield Settled(
                    t_ms, look.t_ms, t_ms, look, island, was, box, t_ms, (), solid, since, first=False, gone_ms=now
                )

    def _settle(self, island: Blocks, frame: Look, *, moving: bool = False) -> Iterator[Settled]:
        if not island.any():
            return
        self._active &= ~island
        fresh = island & ~self._read
        place = pixel_box(island, frame.luma)
        known, luma = self._known[window(place)], frame.luma[window(place)]
        changed, there = fresh.copy(), changed_blocks(known, luma)
        if there is not None:
            changed[block_window(place)] |= there & island[block_window(place)]
        if not changed.any():
            return
        solid = np.zeros(island.shape, np.float32)
        solid[block_window(place)] = np.abs(block_means(known) - block_means(luma))
        first = bool(fresh.any())
        t_ms = int(self._since[changed].min())
        box = pixel_box(changed, frame.luma)
        wide = grown(box, 4 * BLOCK, 2 * BLOCK, frame.luma)
        before, stood_ms = self._known[window(wide)].copy(), int(self._stood[changed].max())
        self._rested.append((island, frame.luma))
        self._stood[changed] = t_ms
        self._read |= island
        scroll = self._scroll
        if scroll is not None:
            if 2 * overlap(scroll.box, box) < box[2] * box[3] or frame.t_ms < scroll.until_ms:
                scroll = None
            else:
                t_ms, self._scroll_reported = scroll.t_ms, True
        yield Settled(
            t_ms,
            frame.t_ms,
            int(self._moved[changed].max()),
            frame,
            changed,
            before,
            wide,
            stood_ms,
            self._left.beside(box),
            solid,
            self._since.copy(),
            first,
            scroll,
            moving,
        )

    def _adopt(self, blocks: Blocks, luma: Luma) -> None:
        pixels = np.repeat(np.repeat(blocks, BLOCK, axis=0), BLOCK, axis=1)[: luma.shape[0], : luma.shape[1]]
        np.copyto(self._known, luma, where=pixels)

    def _move(self, motion: Blocks, look: Look) -> None:
        now = look.t_ms
        fresh = motion & ~self._active & ~self._restless
        self._since[fresh] = now
        self._moved[motion] = now
        self._active |= fresh
        reach = 2 if motion.shape[0] > _SMALL_ROWS else 1
        if self._is_scrolling(now):
            return
        if now - self._previous.t_ms > _SLOW_MS:
            # Between frames far apart a codec's refinement would look like something that never rests.
            strong = changed_blocks(self._previous.luma, look.luma, level=2 * LEVEL)
            if strong is None:
                return
            motion = motion & strong
        tired = motion & self._tired(spread(motion, reach), now)
        fresh_motion = tired & ~self._restless
        if fresh_motion.any():
            self._restless |= fresh_motion
            self._active &= ~fresh_motion
            self._begin_motion(fresh_motion, now)
        moving = motion & self._restless
        if moving.any():
            for restless in self._motions:
                if (restless.blocks & moving).any():
                    restless.until_ms = now

    def _follow_scroll(self, motion: Blocks, look: Look) -> None:
        box = pixel_box(motion, look.luma)
        if box[2] * box[3] < _SCROLLED * look.luma.size:
            return
        dx, dy = shift_of(self._previous.luma, look.luma, box)
        if dx == dy == 0:
            return
        now, scroll = look.t_ms, self._scroll
        if scroll is None or not self._is_scrolling(now):
            self._scroll = Scroll(now, now, box, dx, dy)
        else:
            scroll.until_ms, scroll.box = now, around((scroll.box, box))
            scroll.dx, scroll.dy = scroll.dx + dx, scroll.dy + dy

    def _is_scrolling(self, now: int) -> bool:
        step = now - self._previous.t_ms
        return self._scroll is not None and now - self._scroll.until_ms <= max(_SCROLL_PAUSE_MS, 2 * step)

    def _tired(self, stirred: Blocks, now: int) -> Blocks:
        """Which places have been stirred for long and often; a place reaches two blocks around each."""
        step = max(now - self._previous.t_ms, 1)
        broken = stirred & (now - self._stirred > max(_CHAIN_MS, 1.6 * step))
        self._chain[broken] = now
        self._moves[broken] = 0
        self._moves[stirred] += 1
        self._stirred[stirred] = now
        lasted = now - self._chain
        often = (self._moves - 1) * 1000 >= min(_RESTLESS_HZ, 900 / step) * lasted
        return (lasted >= _RESTLESS_MS) & (self._moves >= _RESTLESS_MOVES) & often

    def _begin_motion(self, blocks: Blocks, now: int) -> None:
        for island in islands(blocks, 2):
            near = spread(island, 3)
            joined = [motion for motion in self._motions if (motion.blocks & near).any()]
            start = int(self._chain[island].min())
            whole = island
            for motion in joined:
                start, whole = min(start, motion.t_ms), whole | motion.blocks
                self._motions.remove(motion)
            read_ms = max((motion.read_ms for motion in joined), default=0)
            self._motions.append(ContinuousMotion(start, now, pixel_box(whole, self._known), whole, read_ms))

    def _end_motions(self, look: Look) -> Iterator[Settled]:
        """Hand on what stands where nothing moves any more; what changed beside it since then has its own time."""
        for motion in [one for one in self._motions if look.t_ms - one.until_ms >= _CALM_MS]:
            self._motions.remove(motion)
            self.finished_motions.append(motion)
            self._restless &= ~motion.blocks
            self._since[motion.blocks] = motion.until_ms
            self._moves[motion.blocks] = 0
            yield from self._settle(motion.blocks, look)

    def _look_into_motions(self, look: Look) -> Iterator[Settled]:
        """Hand on what stands now where it keeps moving, every now and then."""
        for motion in self._motions:
            if look.t_ms - motion.read_ms >= _DUE_MS:
                motion.read_ms = look.t_ms
                yield from self._settle(motion.blocks, look, moving=True)
                self._since[motion.blocks] = look.t_ms

    def _look_back(self, frame: Look) -> None:
        """Find what changed too slowly for two neighbouring frames to differ."""
        before, self._looked, self._looked_ms = self._looked, frame.luma, frame.t_ms
        changed = changed_blocks(self._known, frame.luma)
        self._adopt_faint(before, frame.luma)
        if changed is None:
            self._thin_since.fill(0)
            return
        changed = self._letters_and_more(changed & ~self._active & ~self._restless & self._read, frame)
        if changed.any():
            self._active |= changed
            self._since[changed] = frame.t_ms
            self._moved[changed] = frame.t_ms
            self._thin_since[changed] = 0

    def _adopt_faint(self, before: Luma, luma: Luma) -> None:
        """Know what came too faintly to be a change, as a pale border does, once it stands still and fades no more."""
        if is_same(self._known, luma):
            return
        still = self._read & ~self._active & ~self._restless
        for other in (changed_blocks(self._known, luma, pixels=1), changed_blocks(before, luma, level=_FADE)):
            if other is not None:
                still &= ~other
        self._adopt(still, luma)

    def _letters_and_more(self, changed: Blocks, frame: Look) -> Blocks:
        """Leave out what is as thin as a caret, until it has stood longer than one that blinks: an l, an i, a 1."""
        wide = self._without_carets(changed, frame, self._known)
        thin = changed if wide is None else changed & ~wide
        self._thin_since[~thin] = 0
        self._thin_since[thin & (self._thin_since == 0)] = frame.t_ms
        stood = thin & (frame.t_ms - self._thin_since >= _BLINK_MS)
        for island in islands(stood):
            place = window(pixel_box(island, frame.luma))
            if frame.luma[place].std() <= self._known[place].std():  # A caret that stood there has moved on.
                self._adopt(island, frame.luma)
                stood = stood & ~island
        return (changed & ~thin) | stood

    def _without_carets(self, motion: Blocks, frame: Look, before: Luma | None = None) -> Blocks | None:
        """Leave out what is as thin as a blinking caret."""
        if motion.sum() > BLOCK * BLOCK:
            return motion
        old = self._previous.luma if before is None else before
        for island in islands(motion):
            x, y, width, height = pixel_box(island, frame.luma)
            if width > 2 * BLOCK or height > BLOCK * BLOCK:
                continue
            part = np.s_[y : y + height, x : x + width]
            columns = np.flatnonzero(
                (difference(old[part], frame.luma[part]) > _CARET_LEVEL).sum(axis=0) >= _CARET_HEIGHT
            )
            if columns.size and columns[-1] - columns[0] < _CARET_WIDTH:
                motion = motion & ~island
        return motion if motion.any() else None
