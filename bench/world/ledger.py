"""Makes the truth of a session from samples: each sample says which texts stood on the screen at one moment."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from bench.world.truth import Action, Shift, Stay
from core.analysis import Region

BLINK_MS: Final = 600
"""What is gone for less than this was drawn anew: a browser shows the old page until the next has something to show."""
STEADY_PX: Final = 3
NEAR_PX: Final = 40
"""A line that moves farther than this moves alone only if the others move as far."""
PAUSE_MS: Final = 300
"""Shifts with less than this between them are one."""
TOGETHER: Final = 3
_BAND_PX: Final = 12
Piece = tuple[str, "Region", bool]


@dataclass
class Track:
    """A line while it is followed."""

    text: str
    since: float
    places: list[tuple[float, Region]]
    cut: bool
    until: float | None = None

    @property
    def box(self) -> Region:
        """Where it stands now."""
        return self.places[-1][1]


@dataclass
class Ledger:
    """Samples and actions, as they come; times in wall clock milliseconds."""

    samples: list[tuple[float, dict[str, Any]]] = field(default_factory=list[tuple[float, dict[str, Any]]])
    actions: list[Action] = field(default_factory=list[Action])

    def take(self, t: float, sample: str) -> None:
        """Take one sample as its program wrote it."""
        self.samples.append((t, json.loads(sample)))

    def act(self, action: Action) -> None:
        """Note what is done."""
        self.actions.append(action)

    def stays(self, kind: str, start: float, end: float, scale: float) -> tuple[list[Stay], list[Shift]]:
        """The tracks of one kind of thing, on the clip's own clock and in its own pixels."""
        follower = Follower()
        for t, sample in sorted(self.samples, key=lambda each: each[0]):
            if kind in sample:
                follower.step(max(t, start), list(_pieces(kind, sample)))
        tracks = [track for track in follower.tracks() if track.since <= end and (track.until or end) > start]
        found = [_stay(track, start, end, scale) for track in tracks]
        found.sort(key=lambda stay: (stay.t_ms, stay.box[1], stay.box[0]))
        return found, list(_joined(follower.shifts, start, end, scale))


class Follower:
    """Follows lines from sample to sample."""

    def __init__(self) -> None:
        self._standing: list[Track] = []
        self._ended: list[Track] = []
        self.shifts: list[tuple[float, tuple[int, int], Region]] = []

    def step(self, t: float, pieces: list[Piece]) -> None:
        """Take the next screen."""
        left = {id(track): track for track in self._standing}
        new = list[Piece]()
        by_text: dict[str, list[Track]] = {}
        for track in self._standing:
            by_text.setdefault(track.text, []).append(track)
        for piece in pieces:
            same = next(
                (
                    each
                    for each in by_text.get(piece[0], ())
                    if id(each) in left and _far(each.box, piece[1]) <= STEADY_PX
                ),
                None,
            )
            if same is None:
                new.append(piece)
            else:
                del left[id(same)]
        self._move(t, new, left)
        self._return(t, new)
        for track in left.values():
            track.until = t
            self._ended.append(track)
        self._standing = [track for track in self._standing if id(track) not in left]
        self._standing += [Track(text, t, [(t, box)], cut) for text, box, cut in new]

    def _move(self, t: float, new: list[Piece], left: dict[int, Track]) -> None:
        """Continue those that stand elsewhere now, and note what moved together."""
        ways = Counter[tuple[int, int]]()
        unique = Counter(track.text for track in left.values())
        for text, box, _ in new:
            ways.update(_way(track.box, box) for track in left.values() if track.text == text and unique[text] == 1)
        common = {way for way, count in ways.items() if count >= TOGETHER}
        moved: dict[tuple[int, int], list[Region]] = {}
        for piece in list(new):
            text, box, _ = piece
            options = sorted(
                (track for track in left.values() if track.text == text), key=lambda each: _far(each.box, box)
            )
            same = next((each for each in options if _way(each.box, box) in common), None)
            if same is None and options and _far(options[0].box, box) <= NEAR_PX:
                same = options[0]
            if same is not None:
                moved.setdefault(_way(same.box, box), []).append(box)
                same.places.append((t, box))
                del left[id(same)]
                new.remove(piece)
        for way, boxes in moved.items():
            if len(boxes) >= TOGETHER:
                self.shifts.append((t, way, around(boxes)))

    def _return(self, t: float, new: list[Piece]) -> None:
        """Continue those that were gone for a blink."""
        recent = [track for track in self._ended if track.until is not None and t - track.until < BLINK_MS]
        for piece in list(new):
            same = next(
                (each for each in recent if each.text == piece[0] and _far(each.box, piece[1]) <= STEADY_PX), None
            )
            if same is not None:
                recent.remove(same)
                self._ended.remove(same)
                same.until = None
                self._standing.append(same)
                new.remove(piece)

    def tracks(self) -> list[Track]:
        """All that stood at any time."""
        return self._ended + self._standing


def lines(texts: Iterable[Piece]) -> list[Piece]:
    """The pieces of one row that stand as near as words do, as one."""
    joined: dict[int, Piece] = {}
    heights: dict[int, list[int]] = {}
    for number, piece in enumerate(sorted(texts, key=lambda piece: piece[1][0])):
        text, box, cut = piece
        height = (box[1] + box[3] // 2) // _BAND_PX
        near = (at for band in (height, height - 1, height + 1) for at in reversed(heights.get(band, ())))
        for at in near:
            before, other, was_cut = joined[at]
            gap = box[0] - other[0] - other[2]
            if same_row(other, box) and -2 <= gap <= 0.6 * min(other[3], box[3]):
                space = " " if gap > 0.12 * box[3] else ""
                joined[at] = (before + space + text, around([other, box]), cut or was_cut)
                break
        else:
            joined[number] = piece
            heights.setdefault(height, []).append(number)
    return list(joined.values())


def same_row(first: Region, second: Region) -> bool:
    """Whether two boxes stand beside each other."""
    shared = min(first[1] + first[3], second[1] + second[3]) - max(first[1], second[1])
    return shared >= 0.6 * min(first[3], second[3])


def around(boxes: Iterable[Region]) -> Region:
    """The box around some boxes."""
    boxes = list(boxes)
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    return left, top, max(box[0] + box[2] for box in boxes) - left, max(box[1] + box[3] for box in boxes) - top


def _pieces(kind: str, sample: dict[str, Any]) -> Iterator[Piece]:
    found: list[Any] = sample[kind]
    if kind == "texts":
        pieces = ((each[0], (each[1], each[2], each[3], each[4]), bool(each[5])) for each in found)
        yield from pieces if sample.get("apart") else lines(pieces)
    elif kind == "bars":
        yield from ((text, (0, 0, 0, 0), False) for text in dict.fromkeys(found) if text)
    else:
        yield from (("", (box[0], box[1], box[2], box[3]), False) for box in found)


def _far(first: Region, second: Region) -> int:
    return max(abs(first[0] - second[0]), abs(first[1] - second[1]))


def _way(first: Region, second: Region) -> tuple[int, int]:
    return second[0] - first[0], second[1] - first[1]


def _scaled(box: Region, scale: float) -> Region:
    return round(box[0] * scale), round(box[1] * scale), round(box[2] * scale), round(box[3] * scale)


def _stay(track: Track, start: float, end: float, scale: float) -> Stay:
    settled = [place for place, after in zip(track.places, [*track.places[1:], (float("inf"), None)], strict=True)
               if after[0] - place[0] >= PAUSE_MS and place[0] > track.since]  # fmt: skip
    # Before the first frame it may have moved more than once.
    first = next(box for t, box in reversed(track.places) if t <= max(track.since, start))
    return Stay(
        text=track.text,
        t_ms=round(track.since - start),
        until_ms=None if track.until is None or track.until > end else round(track.until - start),
        box=_scaled(first, scale),
        moves=tuple((round(t - start), _scaled(box, scale)) for t, box in settled if t <= end),
        cut=track.cut,
    )


def _joined(
    shifts: Iterable[tuple[float, tuple[int, int], Region]], start: float, end: float, scale: float
) -> Iterator[Shift]:
    """Shifts that follow each other as one."""
    open_: Shift | None = None
    for t, (dx, dy), box in shifts:
        if not start < t <= end:
            continue
        now, by = round(t - start), (round(dx * scale), round(dy * scale))
        if open_ is not None and now - open_.until_ms <= PAUSE_MS:
            both = (open_.by[0] + by[0], open_.by[1] + by[1])
            open_ = Shift(t_ms=open_.t_ms, until_ms=now, by=both, box=around([open_.box, _scaled(box, scale)]))
        else:
            if open_ is not None:
                yield open_
            open_ = Shift(t_ms=now, until_ms=now, by=by, box=_scaled(box, scale))
    if open_ is not None:
        yield open_
