"""Joins the clocks of a trace and of a video: where the same changes of the same pictures follow each other in both.

A video may begin before or after the trace, be cut, show one of several pages, or be scaled: so the moments are
not taken from what the recorder meant to do, but from what both show.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import cv2
import numpy as np

from adapters.video.traces.film import size_of
from adapters.video.traces.playwright import film

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from adapters.video.frame import Frame
    from adapters.video.traces.archive import Archive
    from adapters.video.traces.playwright import Records

_SIZE: Final = (48, 36)
_CHANGED: Final = 0.35
"""Mean difference of brightness from which a small picture is another one."""
_ALIKE: Final = 9.0
"""Up to which two small pictures, one coded by each recorder, are the same."""
_BIN_MS: Final = 60
_MOST_CHANGES: Final = 400
_MOST_PICTURE_BYTES: Final = 16 << 20


class _Change(NamedTuple):
    at: float
    before: NDArray[np.float32]
    after: NDArray[np.float32]


def begin_of(archive: Archive, records: Records, frames: Iterable[Frame], max_pixels: int) -> tuple[float, str] | None:
    """The moment of the wall clock at which the video begins, and how that is known; ``None`` when it is not."""
    last: tuple[float, NDArray[np.float32]] | None = None

    def smalls() -> Iterator[tuple[float, NDArray[np.float32]]]:
        nonlocal last
        for frame in frames:
            last = _small(frame.luma, frame.t_ms, is_limited=True)
            yield last

    visible = _changes(smalls())
    pages = sorted({picture.page for picture in records.pictures})
    votes: dict[str, list[tuple[float, float]]] = {}
    recorded_changes: dict[str, list[_Change]] = {}
    for page in pages:
        recorded = recorded_changes[page] = _changes(_pictures(archive, records, page, max_pixels))
        votes[page] = [
            (one.at - other.at, _strength(one)) for one in recorded for other in visible if _is_same(one, other)
        ]
    best = max((_peak(found) for found in votes.values() if found), default=None)
    if best is not None:
        return best[1], "same pictures"
    if len(pages) != 1 or last is None:
        return None
    first = next(_pictures(archive, records, pages[0], max_pixels), None)
    if first is None or recorded_changes[pages[0]] or _distance(first[1], last[1]) > _ALIKE:
        return None
    # Nothing moved in the trace's pictures: they are what the video shows from its last change on.
    return first[0] - max((change.at for change in visible), default=0), "first picture"


def _peak(votes: list[tuple[float, float]]) -> tuple[float, float]:
    """The weight of the fullest bin with its neighbour, and the middle of its offsets."""
    bins: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for offset, weight in votes:
        place = int(offset // _BIN_MS)
        bins[place].append((offset, weight))
        bins[place - 1].append((offset, weight))
    fullest = max(bins.values(), key=lambda each: sum(weight for _, weight in each))
    return sum(weight for _, weight in fullest), median(offset for offset, _ in fullest)


def _strength(change: _Change) -> float:
    return min(float(np.abs(change.after - change.before).mean()), 20.0)


def _is_same(one: _Change, other: _Change) -> bool:
    """Whether both turn the same picture into the same: what changed is alike, and so is the rest."""
    if _distance(one.after, other.after) > _ALIKE or _distance(one.before, other.before) > _ALIKE:
        return False
    mine, theirs = one.after - one.before, other.after - other.before
    weight = float(np.abs(mine).sum() + np.abs(theirs).sum())
    return weight > 0 and float(np.abs(mine - theirs).sum()) < weight / 2


def _distance(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.abs(one - other).mean())


def _changes(pictures: Iterator[tuple[float, NDArray[np.float32]]]) -> list[_Change]:
    found: list[_Change] = []
    before: NDArray[np.float32] | None = None
    for at, small in pictures:
        if before is not None and _distance(before, small) < _CHANGED:
            continue
        if before is not None:
            found.append(_Change(at, before, small))
        before = small
    return sorted(found, key=_strength, reverse=True)[:_MOST_CHANGES]


def _pictures(
    archive: Archive, records: Records, page: str, max_pixels: int
) -> Iterator[tuple[float, NDArray[np.float32]]]:
    for picture in film(records, page):
        data = archive.read(picture.name, _MOST_PICTURE_BYTES)
        size = size_of(data) if data else None
        if data is None or size is None or size[0] * size[1] > max_pixels:
            continue
        decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
        if decoded is not None:
            yield _small(cast("NDArray[np.uint8]", decoded), picture.at, is_limited=False)


def _small(luma: NDArray[np.uint8], at: float, *, is_limited: bool) -> tuple[float, NDArray[np.float32]]:
    small = cv2.resize(luma, _SIZE, interpolation=cv2.INTER_AREA).astype(np.float32)
    return at, (small - 16) * (255 / 219) if is_limited else small
