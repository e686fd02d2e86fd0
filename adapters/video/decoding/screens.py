"""The settled screens of two videos of one size, held side by side by their pixels."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import cv2
import numpy as np

from adapters.video.decoding.decode import decode
from adapters.video.decoding.standing import CELL, CHANGES, standing
from core.comparison.values import LASTS_MS
from core.errors import TooLarge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.decoding.files import Limits
    from core.analysis import Video
    from core.comparison.values import ReadPlace

_COARSE: Final = 4
_DIFFERS: Final = 20
"""Of 255, in one colour: of two settled screens, whose noise is less. Pale letters differ by no more."""
_FEW: Final = 6
"""Cells: as many as a caret has."""
_LETTER: Final = 2
"""Cells of a letter that is another one."""
_SETTLED_MS: Final = 80
_STANDS_MS: Final = 300
_BLINK_MS: Final = 600
"""Half the period of a caret, and some frames."""
_BEGINNING_MS: Final = 500
"""A recording may begin before its page is drawn."""
_GAP: Final = 0.2
_LEAST_GAP: Final = 0.01
_SAME_STROKES: Final = 0.88
"""Of 1: what correlates so much is the same page, whatever its colours; two short pages of one site reach 0.8."""
_MOST_CONTRAST: Final = 40
"""Of 255: stronger edges count as much, so that the same letters on another ground are as strong."""
_SAME: Final = 0.01
_OTHER: Final = 0.02
"""The share of a screen's cells that differ at most, or at least."""
_SAME_PAGE: Final = 0.05
MOST_SCREENS: Final = 400


class Screen(NamedTuple):
    """One that stood."""

    t_ms: int
    until_ms: int
    cells: NDArray[np.uint8]

    @property
    def middle(self) -> int:
        """A moment when it stood for sure."""
        return (self.t_ms + self.until_ms) // 2


def side_by_side(
    good: Video, bad: Video, places: tuple[Sequence[ReadPlace], Sequence[ReadPlace]], *, limits: Limits
) -> dict[str, Any]:
    """``core.comparison.values.Pictures`` as JSON. Raises as ``decode``, and ``TooLarge``."""
    return held(settled_screens(good, limits), settled_screens(bad, limits), (good.width, good.height), places)


def held(
    before: Sequence[Screen],
    after: Sequence[Screen],
    size: tuple[int, int],
    places: tuple[Sequence[ReadPlace], Sequence[ReadPlace]] = ((), ()),
) -> dict[str, Any]:
    """The screens of two runs side by side; ``places`` are those of the texts that were read in each."""
    pairs = _aligned(before, after)
    patches = [patch for place in range(len(pairs)) for patch in _of_pair(before, after, pairs, place)]
    patches += _of_gaps(before, after, pairs, "good")
    patches += _of_gaps(after, before, [(j, i) for i, j in pairs], "bad")
    moved = _moved(before, after, pairs)
    return {
        "pairs": [
            {"good": good, "bad": bad}
            for good, bad in zip(
                _stays(before, [i for i, _ in pairs]), _stays(after, [j for _, j in pairs]), strict=True
            )
        ],
        "patches": sorted((_sized(patch, size) for patch in patches), key=lambda patch: patch["bad_ms"]),
        "moved": [_sized(patch, size) for patch in moved],
        "standing": [standing(screens, own) for screens, own in zip((before, after), places, strict=True)],
    }


def settled_screens(video: Video, limits: Limits) -> list[Screen]:
    """The screens that stood for a moment, each as it looked at its end."""
    found: list[Screen] = []
    began: NDArray[np.uint8] | None = None
    last: NDArray[np.uint8] | None = None
    since = t_ms = 0
    size = (max(video.width // CELL, 1), max(video.height // CELL, 1))
    for frame in decode(Path(video.path), video, limits=limits, warn=lambda _: None):
        cells: NDArray[np.uint8] = np.asarray(
            cv2.resize(frame.bgr(), size, interpolation=cv2.INTER_AREA), dtype=np.uint8
        )
        t_ms = frame.t_ms
        if began is None or int(_differing(cells, began, CHANGES).sum()) > _FEW:
            if last is not None and t_ms - since >= _SETTLED_MS:
                found.append(Screen(since, t_ms, last))
                if len(found) > MOST_SCREENS:
                    raise TooLarge(f"More than {MOST_SCREENS} screens stood in {video.path!r}; cut the video first.")
            began, since = cells, t_ms
        last = cells
    if last is not None:
        found.append(Screen(since, max(video.duration_ms, t_ms), last))
    return found


def _differing(one: NDArray[np.uint8], other: NDArray[np.uint8], least: int = _DIFFERS) -> NDArray[np.bool_]:
    return np.asarray(cv2.absdiff(one, other).max(axis=2) > least)


def _aligned(before: Sequence[Screen], after: Sequence[Screen]) -> list[tuple[int, int]]:
    """The pairs of screens that are the same or nearly so, in the order of both."""
    there, here = _coarse(before), _coarse(after)
    costs = np.array([_costs(each, here) for each in there])
    costs = np.where(_likeness(before, after) >= _SAME_STROKES, np.minimum(costs, _GAP), costs)
    if not _has_settled(before[-1]):
        costs[-1] = np.inf
    if not _has_settled(after[-1]):
        costs[:, -1] = np.inf
    gaps = _gaps(before, there), _gaps(after, here)
    rows, columns = costs.shape
    best = np.zeros((rows + 1, columns + 1))
    best[1:, 0], best[0, 1:] = np.cumsum(gaps[0]), np.cumsum(gaps[1])
    for i in range(rows):
        for j in range(columns):
            left_out = min(best[i, j + 1] + gaps[0][i], best[i + 1, j] + gaps[1][j])
            best[i + 1, j + 1] = min(best[i, j] + costs[i, j], left_out)
    pairs: list[tuple[int, int]] = []
    i, j = rows, columns
    while i and j:
        if best[i, j] == best[i - 1, j - 1] + costs[i - 1, j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif best[i, j] == best[i - 1, j] + gaps[0][i - 1]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _likeness(before: Sequence[Screen], after: Sequence[Screen]) -> NDArray[np.float32]:
    """How much the strokes of each screen correlate with those of each other one: colours do not count."""
    strokes, others = ([_strokes(each.cells) for each in screens] for screens in (before, after))
    return np.stack(strokes) @ np.stack(others).T


def _strokes(cells: NDArray[np.uint8]) -> NDArray[np.float32]:
    """How far each cell differs from its neighbours, as a vector of length one; of a blank screen as zeros."""
    pixels = cells.astype(np.float32)
    across = np.abs(np.diff(pixels, axis=1)).max(axis=2)[:-1]
    down = np.abs(np.diff(pixels, axis=0)).max(axis=2)[:, :-1]
    found = np.minimum(np.maximum(across, down), _MOST_CONTRAST).ravel()
    found -= found.mean()
    return found / max(float(np.linalg.norm(found)), 1.0)


def _costs(one: NDArray[np.int16], others: NDArray[np.int16]) -> NDArray[np.float64]:
    """How far a coarse screen is from each of the others."""
    away = np.abs(others - one)
    return (away.max(axis=3) > _DIFFERS / 2).mean(axis=(1, 2)) * 5 + away.mean(axis=(1, 2, 3)) / 50


def _gaps(screens: Sequence[Screen], coarse: NDArray[np.int16]) -> NDArray[np.float64]:
    """What it costs to leave each screen out: little where it is a step on the way to the next, and short.

    A field that is drawn in two frames, one of which a recording may lack, must not shift the pairs.
    """
    found = np.full(len(coarse), _GAP)
    for place in range(len(coarse) - 1):
        if screens[place].until_ms - screens[place].t_ms > _BLINK_MS:
            continue
        found[place] = min(_GAP, float(_costs(coarse[place], coarse[place + 1 : place + 2])[0]) + _LEAST_GAP)
    if not _has_settled(screens[-1]):
        found[-1] = _LEAST_GAP
    return found


def _has_settled(screen: Screen) -> bool:
    """Whether it stood: a recorder may write what was drawn last with the last frame alone."""
    return screen.until_ms - screen.t_ms >= _SETTLED_MS


def _coarse(screens: Sequence[Screen]) -> NDArray[np.int16]:
    height, width = screens[0].cells.shape[:2]
    size = (max(width // _COARSE, 1), max(height // _COARSE, 1))
    return np.stack([cv2.resize(each.cells, size, interpolation=cv2.INTER_AREA) for each in screens]).astype(np.int16)


def _stays(screens: Sequence[Screen], paired: Sequence[int]) -> list[dict[str, int]]:
    """How long each screen of a pair stood, and when the change to it began.

    A recording of a browser may show what was drawn last with the next blink of a caret alone, so the screen before it
    is the beginning of it where it stood no longer, and the other run has none such.
    """
    found: list[dict[str, int]] = []
    for place in paired:
        began = screens[place].t_ms
        earlier = place - 1
        while earlier >= 0 and earlier not in paired and screens[place].t_ms - screens[earlier].t_ms <= _BLINK_MS:
            began = screens[earlier].t_ms
            earlier -= 1
        found.append({"t_ms": screens[place].t_ms, "until_ms": screens[place].until_ms, "began_ms": began})
    return found


def _of_pair(
    before: Sequence[Screen], after: Sequence[Screen], pairs: Sequence[tuple[int, int]], place: int
) -> list[dict[str, Any]]:
    """Where a pair differs, as no screen of the other run does from the pair before to the pair after.

    A screen that settled in one run alone shifts the pairs by one, and then both looks of a place are in the other run,
    a screen later or sooner.
    """
    good, bad = before[pairs[place][0]], after[pairs[place][1]]
    lasted = min(good.until_ms - good.t_ms, bad.until_ms - bad.t_ms)
    if lasted < LASTS_MS:
        return []
    first, last = pairs[max(place - 1, 0)], pairs[min(place + 1, len(pairs) - 1)]
    own = _nowhere(good, after[first[1] : last[1] + 1]) | _nowhere(bad, before[first[0] : last[0] + 1])
    then = pairs[place + 1] if place + 1 < len(pairs) else (len(before), len(after))
    completed = _completed(before, pairs[place][0], then[0]), _completed(after, pairs[place][1], then[1])
    mutual = _nowhere(good, completed[1]) & _nowhere(bad, completed[0])
    looks = (good, bad), *((good, each) for each in completed[1]), *((each, bad) for each in completed[0])
    common = {"side": "both", "good_ms": good.middle, "bad_ms": bad.middle, "lasted_ms": lasted}
    found: list[dict[str, Any]] = []
    for x, y, width, height in _boxes(_differing(good.cells, bad.cells), _LETTER):
        area = np.s_[y : y + height, x : x + width]
        count = int(own[area].sum())
        if count < _LETTER:
            continue
        found.append(
            {
                **common,
                "cells": (x, y, width, height),
                "few": count <= _FEW,
                "mutual": int((own & mutual)[area].sum()) > min(_FEW, count - 1),
                "recoloured": min(_recoloured(one.cells[area], other.cells[area]) for one, other in looks),
            }
        )
    return found


def _completed(screens: Sequence[Screen], place: int, then: int) -> Sequence[Screen]:
    """What a screen goes on to be: those up to the next pair, and that one's where it is still the same page."""
    if then < len(screens) and _differing(screens[place].cells, screens[then].cells).mean() <= _SAME_PAGE:
        then += 1
    return screens[place + 1 : then]


def _recoloured(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> int:
    """How far the colours of two looks of a place are from each other, wherever in it they stand."""
    ranked = [np.sort(each.reshape(-1, 3), axis=0).astype(np.int16) for each in (one, other)]
    return int(np.abs(ranked[0] - ranked[1]).mean(axis=0).max())


def _nowhere(screen: Screen, others: Sequence[Screen]) -> NDArray[np.bool_]:
    """The cells that look so in none of the others."""
    found = np.ones(screen.cells.shape[:2], bool)
    for each in others:
        found &= _differing(screen.cells, each.cells)
    return found


def _of_gaps(
    own: Sequence[Screen], others: Sequence[Screen], pairs: Sequence[tuple[int, int]], side: str
) -> list[dict[str, Any]]:
    """What only this run's unpaired screens have: no screen of the other run around looks so at that place."""
    partners = dict(pairs)
    found: list[dict[str, Any]] = []
    for place, screen in enumerate(own):
        lasted = screen.until_ms - screen.t_ms
        if place in partners or lasted < LASTS_MS or screen.t_ms < _BEGINNING_MS:
            continue
        first = max((partners[each] for each in partners if each < place), default=0)
        last = min((partners[each] for each in partners if each > place), default=len(others) - 1)
        away = _nowhere(screen, others[first : last + 1])
        other = others[first].middle
        moments = (screen.middle, other) if side == "good" else (other, screen.middle)
        common = {"side": side, "good_ms": moments[0], "bad_ms": moments[1], "lasted_ms": lasted}
        found += [{**common, "cells": box} for box in _boxes(away)]
    return found


def _moved(before: Sequence[Screen], after: Sequence[Screen], pairs: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Where the first screen that came on another side of a pair of screens than in the good run differs from that."""
    lone = [
        [place for place, each in enumerate(screens) if place not in paired and each.until_ms - each.t_ms >= _STANDS_MS]
        for screens, paired in ((before, {i for i, _ in pairs}), (after, {j for _, j in pairs}))
    ]
    same = [(i, j) for i, j in itertools.product(*lone) if _differing(before[i].cells, after[j].cells).mean() <= _SAME]
    for (i, j), (k, m) in itertools.product(same, [*pairs, *same]):
        away = _differing(before[i].cells, before[k].cells)
        stood = min(before[k].until_ms - before[k].t_ms, after[m].until_ms - after[m].t_ms)
        if (k - i) * (m - j) < 0 and stood >= _STANDS_MS and away.mean() > _OTHER:
            common = {"side": "both", "good_ms": before[i].middle, "bad_ms": after[j].middle, "lasted_ms": stood}
            return [{**common, "cells": box} for box in _boxes(away)]
    return []


def _boxes(differing: NDArray[np.bool_], least: int = _FEW + 1) -> list[tuple[int, int, int, int]]:
    """Rectangles around what differs, in cells; words of a line are one."""
    joined = cv2.dilate(differing.astype(np.uint8), np.ones((3, 9), np.uint8))
    count, labels = cv2.connectedComponents(joined)
    found: list[tuple[int, int, int, int]] = []
    for label in range(1, count):
        rows, columns = np.nonzero((labels == label) & differing)
        if len(rows) >= least:
            left, top = int(columns.min()), int(rows.min())
            found.append((left, top, int(columns.max()) + 1 - left, int(rows.max()) + 1 - top))
    return found


def _sized(patch: dict[str, Any], size: tuple[int, int]) -> dict[str, Any]:
    x, y, width, height = (side * CELL for side in patch.pop("cells"))
    return {**patch, "region": (x, y, width, height), "share": width * height / (size[0] * size[1])}
