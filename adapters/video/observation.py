"""What is watched on one screen from the first frame on, and what it comes to: at the end, or at any moment before.

What comes or goes with such an edge is the recorder's doing and no event of the program: a test's browser is closed at
the end of each run. A screen counts as an edge if nothing can be read on it, if nearly the whole picture changes
between it and the recorded program, and if it lasts only briefly; a program that closes while the recording goes on
is an event.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap, overlap, same_row
from adapters.video.motion.activity import Activity
from adapters.video.motion.changes import BLOCK, CONTROL
from adapters.video.text.areas import AreaReader
from adapters.video.text.lines import in_order
from adapters.video.text.matching import Match
from adapters.video.text.runner_pane import RunnerPane
from adapters.video.text.screen import Screen
from adapters.video.timeline.actions import Controls, acted
from adapters.video.timeline.continuous_motion import is_pointer
from adapters.video.timeline.deeds import BOX, name_above, standing
from adapters.video.timeline.events import compose, sightings
from adapters.video.timeline.lights import PAGE_LINES, busy_lights, faint_lights, lights_of
from adapters.video.timeline.lit_buttons import lit_buttons
from adapters.video.timeline.resting import rests_of
from adapters.video.timeline.sentences import marked
from adapters.video.timeline.ticks import ticks_of, without_ticks
from core.analysis import EventKind, Findings, Unread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adapters.video.frame import Box, Frame
    from adapters.video.motion.settled import ContinuousMotion, Settled
    from adapters.video.ocr.reader import Reader
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft
    from adapters.video.text.ticked_boxes import Tick
    from core.analysis import Event


_LONGEST_MS: Final = 3000
_WHOLE_MARK: Final = 0.75
_PICTURE: Final = 0.12
"""Of the whole picture; what is smaller and has no text is a row that is lit, a shadow, an icon, a small picture."""
_FILLS_MS: Final = 1000
_AGAIN_MS: Final = 10_000
_CONTROL: Final = 56
"""How wide and high, in pixels, what is ticked, chosen or switched is at most."""
_WHOLE: Final = 0.6
"""Of the picture has to change at an edge."""


@dataclass(frozen=True)
class Edges:
    """Where the recorded program begins and ends.

    Args:
        opening_ms: when it was there; 0 without a blank screen before it.
        closing_ms: when it was gone, before the recording ended; ``None`` if it was there to the end.

    """

    opening_ms: int = 0
    closing_ms: int | None = None

    def holds(self, draft: Draft) -> bool:
        """Whether a change is that from or to the recording's edge."""
        if self.opening_ms and draft.t_ms <= self.opening_ms:
            return True
        return self.closing_ms is not None and draft.t_ms >= self.closing_ms


def edges_of(drafts: Sequence[Draft], lines: Sequence[Line], *, size: tuple[int, int], end_ms: int | None) -> Edges:
    """Where the edges are; ``end_ms`` is the recording's end, ``None`` while it goes on."""
    whole = [draft for draft in drafts if draft.box[2] * draft.box[3] >= _WHOLE * size[0] * size[1]]
    opening = next((draft.t_ms for draft in whole if draft.match.added), 0)
    if opening > _LONGEST_MS or any(line.t_ms < opening for line in lines):
        opening = 0
    closing = next((draft.t_ms for draft in reversed(whole) if draft.match.removed and not draft.match.coming), None)
    if closing is None or end_ms is None or end_ms - closing > _LONGEST_MS or closing <= opening:
        return Edges(opening)
    stands = any(line.until_ms is None or line.until_ms > closing or line.t_ms >= closing for line in lines)
    return Edges(opening, None if stands else closing)


class Observation:
    """Reads what came to rest, in order, and tells what it amounts to.

    Args:
        reader: finds and reads text.
        keep: stores a picture and returns its name; ``None`` for a picture that nobody keeps.
        size: width and height of the upright picture, in pixels.

    """

    def __init__(
        self, reader: Reader, keep: Callable[[Frame, NDArray[np.uint8]], str | None], size: tuple[int, int]
    ) -> None:
        areas = AreaReader(reader, min(size), has_ground=True)
        self._screen = Screen(areas, keep)
        self._runner = RunnerPane(areas, keep)
        self._size = size
        self._drafts: list[Draft] = []

    def take(self, settled: Sequence[Settled]) -> bool:
        """Read what came to rest at one moment; tells whether anything was read, and not left for later."""
        drafts = self._screen.take(self._runner.take(settled))
        self._screen.lines = self._runner.take_over(self._screen.lines, settled)
        self._drafts += drafts
        return bool(drafts)

    def catch_up(self, *, until_ms: int | None = None) -> bool:
        """Read what was left for later, only if all of it is from before ``until_ms``; tells whether it did."""
        drafts = self._screen.catch_up(until_ms=until_ms)
        if until_ms is None:
            self._runner.catch_up()
        self._drafts += drafts
        return bool(drafts)

    def findings(self, watch: Watch, *, frame_ms: float, end_ms: int | None = None) -> Findings:
        """What it all was; once, at the end.

        Args:
            watch: what never came to rest, and where the pointer was.
            frame_ms: the time from frame to frame.
            end_ms: when the recording ended, by which its own end is told from what the program did.

        """
        edges = edges_of(self._drafts, _true(self._lines()), size=self._size, end_ms=end_ms)
        found = _composed(self._drafts, self._lines(), watch, self._size, frame_ms, edges)
        return found.model_copy(update={"runner_column": self._runner.box})

    def findings_so_far(self, watch: Watch, *, frame_ms: float) -> Findings:
        """What it would have been if it ended now; more can be taken afterwards."""
        # Composing takes lines and drafts apart.
        lines: dict[int, Line] = {}
        drafts = [_copied(draft, lines) for draft in self._drafts]
        own = [lines.get(id(line), line) for line in self._lines()]
        return _composed(drafts, own, watch, self._size, frame_ms, Edges())

    def _lines(self) -> list[Line]:
        return [*self._screen.gone, *self._screen.lines, *self._runner.gone, *self._runner.lines]


def _composed(  # noqa: PLR0917 - all that an observation holds
    drafts: Sequence[Draft],
    lines: Sequence[Line],
    watch: Watch,
    size: tuple[int, int],
    frame_ms: float,
    edges: Edges,
) -> Findings:
    reported = [draft for draft in drafts if draft.first or not edges.holds(draft)]
    within = [motion for motion in watch.motions if edges.closing_ms is None or motion.t_ms < edges.closing_ms]
    within = [motion for motion in within if not is_pointer(motion, watch.path)]
    marks = [(draft.t_ms, draft.solid) for draft in reported if draft.solid is not None and _is_mark(draft)]
    ticks = ticks_of(reported)
    lights = [*lights_of(reported, size[0], frame_ms), *busy_lights(reported)]
    controls = Controls(
        marks, [*lights, *faint_lights(watch.faint, lights, _true(lines))], ticks, [*lit_buttons(reported)]
    )
    events = compose(reported, within, size=size, frame_ms=frame_ms, is_pointed=bool(rests_of(watch.path)))
    true = _true(lines)
    actions, timeline = acted(events, true, watch.path, controls)
    firsts = [draft for draft in drafts if draft.t_ms == edges.opening_ms] or [draft for draft in drafts if draft.first]
    return Findings(
        timeline=tuple(_named(timeline, true, ticks, size)),
        actions=actions,
        first_screen=tuple(line.text for line in in_order([line for line in true if line.t_ms == edges.opening_ms])),
        first_frame=firsts[0].frame if firsts else None,
        sightings=sightings(true),
        unread=(*(_unread(motion, edges) for motion in within), *_illegible(reported)),
        closing_ms=edges.closing_ms,
    )


def _unread(motion: ContinuousMotion, edges: Edges) -> Unread:
    """Where something kept moving, as long as the program was there."""
    until_ms = motion.until_ms if edges.closing_ms is None else min(motion.until_ms, edges.closing_ms)
    return Unread(t_ms=motion.t_ms, until_ms=until_ms, region=motion.box)


def _illegible(drafts: Sequence[Draft]) -> Iterator[Unread]:
    """Where a line stood of which no words could be made out, until something else came there."""
    end_ms = max((draft.seen_ms for draft in drafts), default=0)
    for at, draft in enumerate(drafts):
        for box in draft.unread:
            later = (one.t_ms for one in drafts[at + 1 :] if 2 * overlap(one.box, box) > box[2] * box[3])
            yield Unread(t_ms=draft.t_ms, until_ms=next(later, end_ms), region=box)


def _named(
    events: Sequence[Event], lines: Sequence[Line], ticks: Sequence[Tick], size: tuple[int, int]
) -> Iterator[Event]:
    """The events; of places that changed their look without any text large pictures, and controls by their label.

    Pictures that come before the words of a page, or after them, are part of it.
    """
    least = _PICTURE * size[0] * size[1]
    said = {(tick.t_ms, tick.box) for tick in ticks}
    mute = [event for event in events if event.kind is EventKind.CHANGED and not (event.text or event.before)]
    mute = [event for event in mute if (event.t_ms, event.region) not in said]
    pages_ms = [event.t_ms for event in events if event.kind is EventKind.NAVIGATED or len(event.lines) >= PAGE_LINES]
    for event in events:
        place = event.region
        if event not in mute or place is None:
            yield event
        elif place[2] * place[3] >= least:
            if not any(abs(event.t_ms - page_ms) <= _FILLS_MS for page_ms in pages_ms):
                yield event
        elif not without_ticks([(event.t_ms, place)], ticks):
            continue
        elif max(place[2:]) <= _CONTROL and (label := _label_of(event, place, lines)):
            others = [one.region for one in mute if one is not event and abs(one.t_ms - event.t_ms) <= _AGAIN_MS]
            # A place that changed its look at other times, too, blinks, turns, or is lit by a pointer.
            again = any(other is not None and overlap(other, place) for other in others)
            if event.cause is not None or (_is_ticked(place, label) and not again):
                yield event.model_copy(update={"description": marked(label.text)})


def _label_of(event: Event, box: Box, lines: Sequence[Line]) -> Line | None:
    """The nearest text in the row of a control, left or right of it; of one that was clicked else the one right above.

    So it is of a small box without a click.
    """
    row = [(gap(at, box)[0], line) for line, at in standing(lines, event.t_ms) if same_row(at, box)]
    near = min([one for one in row if one[0] <= 2 * box[3]], key=lambda one: one[0], default=(0, None))[1]
    has_name = event.cause is not None or max(box[2:]) <= BOX
    return near or (name_above(box, event.t_ms, lines) if has_name else None)


def _is_ticked(place: Box, label: Line) -> bool:
    """Whether it stands before words, as what is ticked does; behind them stand carets, beside signs icons."""
    return place[0] < label.box[0] and any(map(str.isalpha, label.text))


def _is_mark(draft: Draft) -> bool:
    """Whether one small thing changed as a whole, and no text."""
    if draft.solid is None or draft.match.says_anything:
        return False
    sides = draft.solid[2:]
    return draft.fill >= _WHOLE_MARK and min(sides) >= 2 * BLOCK and max(*sides, *draft.box[2:]) <= CONTROL


def _true(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if not line.false or line.is_remainder]


def _copied(draft: Draft, lines: dict[int, Line]) -> Draft:
    """A draft of its own, with lines of its own: one for each, whichever draft it stands in."""

    def own(line: Line) -> Line:
        found = lines.get(id(line))
        if found is None:
            found = lines[id(line)] = replace(line)
            found.came_at, found.been = line.came_at, list(line.been)
        return found

    found = draft.match
    match = Match(
        kept=[(own(old), own(new)) for old, new in found.kept],
        changed=[(own(old), own(new)) for old, new in found.changed],
        added=[own(line) for line in found.added],
        removed=[own(line) for line in found.removed],
        moved=list(found.moved),
    )
    ticks = tuple(replace(tick, line=own(tick.line)) for tick in draft.ticks)
    return replace(draft, match=match, stood=tuple((own(line), box) for line, box in draft.stood), ticks=ticks)


class Watch:
    """Feed it every frame in order, then ``finish``; frames of another size than the first one's are left out."""

    def __init__(self) -> None:
        self._activity: Activity | None = None
        self._shape: tuple[int, ...] = ()

    def feed(self, frame: Frame) -> list[Settled]:
        """What has come to rest, oldest first."""
        if self._activity is None:
            self._activity, self._shape = Activity(frame), frame.luma.shape
            return []
        return list(self._activity.feed(frame)) if frame.luma.shape == self._shape else []

    def finish(self) -> list[Settled]:
        """What is still open when the clip ends."""
        return list(self._activity.finish()) if self._activity else []

    @property
    def is_empty(self) -> bool:
        """Whether there was no frame."""
        return self._activity is None

    @property
    def motions(self) -> Sequence[ContinuousMotion]:
        """What has kept moving, and what still does."""
        return self._activity.all_motions if self._activity else ()

    @property
    def path(self) -> Sequence[tuple[int, tuple[int, int] | None]]:
        """Where the pointer's tip stood from which millisecond on; ``None`` where it was not seen."""
        return tuple(self._activity.path) if self._activity else ()

    @property
    def faint(self) -> Sequence[tuple[int, Box]]:
        """Controls that became a little brighter or darker as a whole: when, and where."""
        return tuple(self._activity.faint.found) if self._activity else ()
