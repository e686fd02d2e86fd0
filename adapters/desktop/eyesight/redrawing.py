"""A recorded target drawn otherwise: at another scale or in other colours, where the same words can be read."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

from adapters.desktop.eyesight.comparing import Recorded, clipped, part
from adapters.desktop.eyesight.outlines import outline
from adapters.desktop.eyesight.segments import Segment, segments_of
from adapters.desktop.eyesight.shapes import marks_in_row
from core.reload.ports import Found, Missing, Reader
from core.screens import Box, Picture, Point, TextLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.reload.entry import Anchor

    Pixels = NDArray[np.uint8]

_LEAST_LETTERS: Final = 2
_SURE: Final = 0.8
"""Of the reader, about each text that decides."""
_SCALES: Final = (0.5, 2.0)
_ASPECT_TOLERANCE: Final = 1.2
"""By how much the scales of width and height may differ: more is another typeface."""
_SAME_SCALE: Final = 0.04
_PALE: Final = (0.75, 0.9)
"""Of the recorded contrast: paler letters are those of something disabled; on another ground, and on the same."""
_SAME_GROUND: Final = 24
_EDGES: Final = 0.5
_EDGES_AROUND: Final = 0.3
_AROUND: Final = (24, 12)
_ROW: Final = 0.6
_FAR: Final = 1.6
_SHOWN: Final = 60
_NOTHING: Final = Missing("nothing there looks like it")


class _Known(NamedTuple):
    """A recorded picture that was read: the target's text, and those that tell it from its like."""

    anchor: Anchor
    recorded: Recorded
    text: Segment
    others: tuple[Segment, ...]


@dataclass(frozen=True)
class Screen:
    """The screen as it is now: its pixels (height, width, 4), the window's part of it, and who reads it."""

    picture: Picture
    pixels: Pixels
    area: Box
    reader: Reader

    @cached_property
    def lines(self) -> Sequence[TextLine]:
        """What is read on it."""
        return self.reader.read(self.picture)

    @cached_property
    def segments(self) -> Sequence[Segment]:
        """The window's texts."""
        return _segments(self.lines, self.pixels, self.area)


def redrawn(anchor: Anchor, recorded: Recorded, screen: Screen) -> Found | Missing:
    """Where it is, if that is certain."""
    if sum(sign.isalnum() for sign in anchor.words) < _LEAST_LETTERS:
        return _NOTHING
    named = [each for each in screen.segments if each.text == anchor.words and each.score >= _SURE]
    if not named:
        return Missing(f'nothing there reads "{anchor.words[:_SHOWN]}"')
    known = _read(anchor, recorded, screen.reader)
    if known is None:
        return _NOTHING
    judged = [_judged(known, each, screen) for each in named]
    certain = [each for each in judged if isinstance(each, Found)]
    if len(certain) > 1 or (certain and len(named) > 1 and not known.others):
        return Missing("it is there more than once")
    return certain[0] if certain else judged[0]


def reads_now(anchor: Anchor, origin: Point, screen: Screen) -> str:
    """What is read where it was, if that is something else; empty when it is not."""
    point = Point(x=origin.x + anchor.point.x, y=origin.y + anchor.point.y)
    if not screen.area.contains(point):
        return ""
    words = outline(screen.pixels, point, screen.area, screen.lines).words
    return words if words != anchor.words else ""


def _judged(known: _Known, now: Segment, screen: Screen) -> Found | Missing:
    anchor, recorded = known.anchor, known.recorded
    tall, scale = now.box.height / max(known.text.box.height, 1), now.box.width / max(known.text.box.width, 1)
    if not _SCALES[0] <= scale <= _SCALES[1] or not 1 / _ASPECT_TOLERANCE <= tall / scale <= _ASPECT_TOLERANCE:
        return Missing("what reads the same is of another size")
    if _marks(recorded.bgra, recorded.core):
        return Missing("whether it is ticked cannot be told")
    if _is_paler(_shown(screen.pixels, now.box, screen.area), part(recorded.bgra, known.text.box)):
        return Missing("it looks disabled")
    if not all(_is_there(each, known.text, now, scale, screen.segments) for each in known.others):
        return Missing("what stands beside it is different now")
    origin = _aligned(recorded, known.text.box, now.box, scale, screen)
    control = outline(screen.pixels, now.box.centre, screen.area, screen.lines)
    if origin is None or control.words != anchor.words:
        return _NOTHING
    point = Point(x=round(origin[0] + anchor.point.x * scale), y=round(origin[1] + anchor.point.y * scale))
    if not control.core.contains(point):
        point = now.box.centre
    return Found(point, "restyled" if abs(scale - 1) <= _SAME_SCALE else "resized", control.core)


def _read(anchor: Anchor, recorded: Recorded, reader: Reader) -> _Known | None:
    """``None`` when the recorded picture does not read as it did."""
    bgra = recorded.bgra.copy()
    height, width = bgra.shape[:2]
    opaque = bgra[..., 3] > 0
    bgra[~opaque] = np.median(bgra[opaque][:, :4], axis=0).astype(np.uint8)
    bgra[..., 3] = 255
    whole = Box(x=0, y=0, width=width, height=height)
    read = reader.read(Picture(width, height, bgra.tobytes(), time.monotonic()))
    texts = _segments(read, bgra, whole)
    core = recorded.core
    own = [each for each in texts if each.text == anchor.words and core.contains(each.box.centre)]
    others = [
        each
        for each in texts
        if each not in own
        and recorded.strict[each.box.centre.y, each.box.centre.x]
        and any(sign.isalnum() for sign in each.text)
    ]
    if len(own) != 1 or any(each.score < _SURE for each in (*own, *others)):
        return None
    return _Known(anchor, recorded, own[0], tuple(others))


def _segments(lines: Sequence[TextLine], pixels: Pixels, area: Box) -> list[Segment]:
    near = [line for line in lines if area.contains(line.box.centre)]
    return segments_of(near, np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2GRAY), np.uint8))


def _is_there(other: Segment, text: Segment, now: Segment, scale: float, seen: Sequence[Segment]) -> bool:
    """Whether a text stands where it stood from the target: in its row, at the same side, or as far above or below."""
    across, down = other.box.centre.x - text.box.centre.x, other.box.centre.y - text.box.centre.y
    in_row = abs(down) <= _ROW * text.box.height
    for each in seen:
        if each.text != other.text or each.score < _SURE:
            continue
        right, below = each.box.centre.x - now.box.centre.x, each.box.centre.y - now.box.centre.y
        if in_row and abs(below - scale * down) <= _ROW * now.box.height and right * across > 0:
            return True
        if not in_row and below * down > 0 and abs(below) <= _FAR * scale * abs(down) + 4:
            return True
    return False


def _aligned(recorded: Recorded, text: Box, now: Box, scale: float, screen: Screen) -> tuple[float, float] | None:
    """Where the recorded picture's corner is now, if edges agree there; they do not tell which side is lighter."""
    picture = Box(x=0, y=0, width=recorded.size[0], height=recorded.size[1])
    found: tuple[float, float] | None = None
    for reach, sure in (((3, 3), _EDGES), (_AROUND, _EDGES_AROUND)):
        own = clipped(text.grown(*reach), picture)
        if own is None:
            return None
        opaque = part(recorded.bgra, own)[..., 3] > 0
        wanted = part(recorded.bgra, own).copy()
        wanted[~opaque] = 0
        size = (max(round(own.width * scale), 4), max(round(own.height * scale), 4))
        sized = np.asarray(cv2.resize(wanted, size, interpolation=cv2.INTER_AREA), np.uint8)
        x, y = round(now.x - (text.x - own.x) * scale), round(now.y - (text.y - own.y) * scale)
        near = clipped(Box(x=x, y=y, width=size[0], height=size[1]).grown(6, 6), screen.area)
        if near is None or near.width < size[0] or near.height < size[1]:
            return None
        scores = np.nan_to_num(
            cv2.matchTemplate(_edges(part(screen.pixels, near)), _edges(sized), cv2.TM_CCOEFF_NORMED)
        )
        best = float(scores.max())
        if best < sure:
            return None
        if found is None:
            row, column = divmod(int(scores.argmax()), scores.shape[1])
            found = near.x + column - own.x * scale, near.y + row - own.y * scale
    return found


def _edges(bgra: Pixels) -> NDArray[np.float32]:
    grey = np.asarray(cv2.cvtColor(bgra, cv2.COLOR_BGRA2GRAY), np.float32)
    steps = cv2.magnitude(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1))
    return np.asarray(cv2.GaussianBlur(steps, (0, 0), 1.0), np.float32)


def _is_paler(now: Pixels, before: Pixels) -> bool:
    """Whether letters stand out less from their ground than they did."""
    (ground, contrast), (ground_before, contrast_before) = _contrast(now), _contrast(before)
    return contrast < _PALE[abs(ground - ground_before) <= _SAME_GROUND] * contrast_before


def _contrast(bgra: Pixels) -> tuple[float, float]:
    """How bright the ground is, and how far what stands on it is from that."""
    grey = np.asarray(cv2.cvtColor(bgra, cv2.COLOR_BGRA2GRAY), np.float32)
    ground = float(np.median(grey))
    return ground, float(np.percentile(np.abs(grey - ground), 98))


def _marks(bgra: Pixels, core: Box) -> bool:
    grey = np.asarray(cv2.cvtColor(part(bgra, core), cv2.COLOR_BGRA2GRAY), np.uint8)
    return bool(marks_in_row(grey, 0, core.width, 0, core.height))


def _shown(pixels: Pixels, box: Box, area: Box) -> Pixels:
    return part(pixels, clipped(box, area) or area)
