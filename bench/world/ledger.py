"""Makes the truth of a session from samples: each sample says which texts stood on the screen at one moment."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from bench.world.drawn import Drawn, Ends
from bench.world.truth import Action, Lasting, Shift, Stay
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
SUDDEN_MS: Final = 60
"""What is known to have happened within so short a time has one time."""


class Sample(NamedTuple):
    """What stood on the screen; what is new in it came between two times."""

    t: float
    since: float
    screen: dict[str, Any]


class Piece(NamedTuple):
    """A line on one sample."""

    text: str
    box: Region
    cut: bool = False
    things: tuple[str, ...] = ()
    """What of its program's tree it depends on."""


@dataclass
class Track:
    """A line while it is followed."""

    text: str
    came: Ends
    places: list[tuple[float, Region]]
    cut: bool
    things: tuple[str, ...] = ()
    gone: Ends | None = None
    covered: list[tuple[Ends, Ends | None]] = field(default_factory=list[tuple[Ends, Ends | None]])

    @property
    def box(self) -> Region:
        """Where it stands now."""
        return self.places[-1][1]

    @property
    def is_covered(self) -> bool:
        """Whether something stands over it now."""
        return bool(self.covered) and self.covered[-1][1] is None

    def see(self, moment: Moment, piece: Piece) -> None:
        """Note that it stands there with nothing over it."""
        if self.is_covered:
            self.covered[-1] = (self.covered[-1][0], moment.of(self.things))
        self.things = piece.things

    def cover(self, moment: Moment, piece: Piece) -> None:
        """Note that it stands there with something over it."""
        if not self.is_covered:
            self.covered.append((moment.of(piece.things), None))
        self.things = piece.things

    def end(self, moment: Moment) -> None:
        """Note that it is gone; what was covered went when it was."""
        self.gone = self.covered.pop()[0] if self.is_covered else moment.of(self.things)


@dataclass(frozen=True)
class Moment:
    """When a sample was taken, and what was heard since the one before."""

    t: float
    since: float
    heard: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])

    def of(self, things: Iterable[str]) -> Ends:
        """When what depends on these things changed: as their program told it, else between the two samples."""
        times = [t for thing in things for t in self.heard.get(thing, ()) if self.since <= t <= self.t]
        return (min(times), max(times)) if times else (self.since, self.t)


@dataclass
class Ledger:
    """Samples and actions, as they come; times in wall clock milliseconds."""

    samples: list[Sample] = field(default_factory=list[Sample])
    heard: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    actions: list[Action] = field(default_factory=list[Action])
    drawn: Drawn | None = None
    """The pictures, where programs tell of what they have not drawn yet."""

    def take(self, t: float, sample: str) -> None:
        """Take one sample as its program wrote it; what is new in it came just then."""
        self.look(t, t, json.loads(sample))

    def look(self, since: float, t: float, screen: dict[str, Any]) -> None:
        """Take one sample; what is new in it came between two times."""
        self.samples.append(Sample(t, since, screen))

    def hear(self, t: float, thing: str) -> None:
        """Take the time at which a program told that a thing came, went or changed."""
        self.heard.setdefault(thing, []).append(t)

    def act(self, action: Action) -> None:
        """Note what is done."""
        self.actions.append(action)

    def stays(self, kind: str, start: float, end: float, scale: float) -> tuple[list[Stay], list[Shift]]:
        """The tracks of one kind of thing, on the clip's own clock and in its own pixels."""
        follower = Follower()
        for t, since, screen in sorted(self.samples, key=lambda each: each.t):
            if kind in screen:
                covered = list(_pieces("covered", screen)) if kind == "texts" and "covered" in screen else []
                moment = Moment(max(t, start), max(since, start), self.heard)
                follower.step(moment, list(_pieces(kind, screen)), covered)
        tracks = [track for track in follower.tracks() if track.came[1] <= end and (track.gone or (0, end))[1] > start]
        if self.drawn is not None and kind == "texts":
            _see_drawn(tracks, self.drawn, start)
            tracks = [track for track in tracks if track.gone is None or track.gone[1] > max(track.came[1], start)]
        found = [_stay(track, start, end, scale) for track in tracks]
        found.sort(key=lambda stay: (stay.t_ms, stay.box[1], stay.box[0]))
        return found, list(_joined(follower.shifts, start, end, scale))


def _see_drawn(tracks: Iterable[Track], drawn: Drawn, start: float) -> None:
    """Take the times at which the place of each line changed in the pictures, in their order."""
    covers: dict[Ends, Ends] = {}
    whole = [track for track in tracks if not track.cut]
    for track in whole:
        came = drawn.when(track.came, track.text, track.places[0][1]) if track.came[1] > start else track.came
        gone = track.gone and drawn.when(track.gone, track.text, track.box)
        if gone is None or came[1] < gone[0]:
            track.came, track.gone = came, gone
        for ends in filter(None, itertools.chain(*track.covered)):
            covers[ends] = drawn.when(ends, track.text, track.box)
        track.covered = [(covers[began], ended and covers[ended]) for began, ended in track.covered]
    for track in tracks:
        # What is left of a line that something covered does not look otherwise then.
        if track.cut:
            track.came, track.gone = (
                covers.get(track.came, track.came),
                track.gone and covers.get(track.gone, track.gone),
            )


class Follower:
    """Follows lines from sample to sample."""

    def __init__(self) -> None:
        self._standing: list[Track] = []
        self._ended: list[Track] = []
        self.shifts: list[tuple[float, tuple[int, int], Region]] = []

    def step(self, moment: Moment, pieces: list[Piece], covered: Sequence[Piece] = ()) -> None:
        """Take the next screen."""
        left = {id(track): track for track in self._standing}
        by_text: dict[str, list[Track]] = {}
        for track in self._standing:
            by_text.setdefault(track.text, []).append(track)

        def known(piece: Piece) -> Track | None:
            same = (each for each in by_text.get(piece.text, ()) if id(each) in left)
            track = next((each for each in same if _far(each.box, piece.box) <= STEADY_PX), None)
            return left.pop(id(track)) if track is not None else None

        new = list[Piece]()
        for piece in pieces:
            if (track := known(piece)) is None:
                new.append(piece)
            else:
                track.see(moment, piece)
        for piece in covered:
            if (track := known(piece)) is not None:
                track.cover(moment, piece)
        self._move(moment, new, left)
        self._return(moment, new)
        for track in left.values():
            track.end(moment)
            self._ended.append(track)
        self._standing = [track for track in self._standing if id(track) not in left]
        self._standing += [
            Track(piece.text, moment.of(piece.things), [(moment.t, piece.box)], piece.cut, piece.things)
            for piece in new
        ]

    def _move(self, moment: Moment, new: list[Piece], left: dict[int, Track]) -> None:
        """Continue those that stand elsewhere now, and note what moved together."""
        ways = Counter[tuple[int, int]]()
        unique = Counter(track.text for track in left.values())
        for text, box, *_ in new:
            ways.update(_way(track.box, box) for track in left.values() if track.text == text and unique[text] == 1)
        common = {way for way, count in ways.items() if count >= TOGETHER}
        moved: dict[tuple[int, int], list[Region]] = {}
        for piece in list(new):
            text, box, *_ = piece
            options = sorted(
                (track for track in left.values() if track.text == text), key=lambda each: _far(each.box, box)
            )
            same = next((each for each in options if _way(each.box, box) in common), None)
            if same is None and options and _far(options[0].box, box) <= NEAR_PX:
                same = options[0]
            if same is not None:
                moved.setdefault(_way(same.box, box), []).append(box)
                same.see(moment, piece)
                same.places.append((moment.t, box))
                del left[id(same)]
                new.remove(piece)
        for way, boxes in moved.items():
            if len(boxes) >= TOGETHER:
                self.shifts.append((moment.t, way, around(boxes)))

    def _return(self, moment: Moment, new: list[Piece]) -> None:
        """Continue those that were gone for a blink."""
        recent = [track for track in self._ended if track.gone is not None and moment.t - track.gone[1] < BLINK_MS]
        for piece in list(new):
            same = next(
                (each for each in recent if each.text == piece[0] and _far(each.box, piece[1]) <= STEADY_PX), None
            )
            if same is not None:
                recent.remove(same)
                self._ended.remove(same)
                same.gone, same.things = None, piece.things
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
        text, box, cut, *_ = piece
        height = (box[1] + box[3] // 2) // _BAND_PX
        near = (at for band in (height, height - 1, height + 1) for at in reversed(heights.get(band, ())))
        for at in near:
            before, other, was_cut, *_ = joined[at]
            gap = box[0] - other[0] - other[2]
            if same_row(other, box) and -2 <= gap <= 0.6 * min(other[3], box[3]):
                space = " " if gap > 0.12 * box[3] else ""
                joined[at] = Piece(before + space + text, around([other, box]), cut or was_cut)
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
    if kind in {"texts", "covered"}:
        pieces = (
            Piece(each[0], (each[1], each[2], each[3], each[4]), bool(each[5]), (*itertools.chain(*each[6:]),))
            for each in found
        )
        yield from pieces if sample.get("apart") else lines(pieces)
    elif kind == "bars":
        yield from (Piece(text, (0, 0, 0, 0)) for text in dict.fromkeys(found) if text)
    else:
        yield from (Piece("", (box[0], box[1], box[2], box[3])) for box in found)


def _far(first: Region, second: Region) -> int:
    return max(abs(first[0] - second[0]), abs(first[1] - second[1]))


def _way(first: Region, second: Region) -> tuple[int, int]:
    return second[0] - first[0], second[1] - first[1]


def _scaled(box: Region, scale: float) -> Region:
    return round(box[0] * scale), round(box[1] * scale), round(box[2] * scale), round(box[3] * scale)


def _stay(track: Track, start: float, end: float, scale: float) -> Stay:
    came = track.came[1]
    settled = [place for place, after in zip(track.places, [*track.places[1:], (float("inf"), None)], strict=True)
               if after[0] - place[0] >= PAUSE_MS and place[0] > track.places[0][0]]  # fmt: skip
    # Before the first frame it may have moved more than once.
    first = next(box for t, box in reversed(track.places) if t <= max(track.places[0][0], start))
    covered = (each for each in track.covered if each[0][1] <= end)
    return Stay(
        text=track.text,
        **_times((came if came <= start else track.came[0], came), track.gone, start, end).model_dump(),
        box=_scaled(first, scale),
        moves=tuple((round(t - start), _scaled(box, scale)) for t, box in settled if t <= end),
        cut=track.cut,
        covered=tuple(_times(began, ended, start, end) for began, ended in covered),
    )


def _times(began: Ends, ended: Ends | None, start: float, end: float) -> Lasting:
    """A beginning and an end on the clip's own clock; a moment before is only told where it is not the same."""
    since, t = (round(each - start) for each in began)
    lasting = Lasting(since_ms=since if t - since > SUDDEN_MS else None, t_ms=t)
    if ended is None or ended[1] > end:
        return lasting
    stood, until = (round(each - start) for each in ended)
    return lasting.model_copy(update={"stood_ms": stood if until - stood > SUDDEN_MS else None, "until_ms": until})


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
