"""What has been seen on one screen, and what it comes to: at the end, or at any moment before."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.video.text.areas import AreaReader
from adapters.video.text.lines import in_order
from adapters.video.text.matching import Match
from adapters.video.text.screen import Screen
from adapters.video.timeline.edges import Edges, edges_of
from adapters.video.timeline.events import compose, sightings
from core.analysis import Findings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adapters.video.frame import Frame
    from adapters.video.motion.activity import Settled, Unrest
    from adapters.video.ocr.reader import Reader
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft


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
        self._screen = Screen(AreaReader(reader, min(size)), keep)
        self._size = size
        self._drafts: list[Draft] = []

    def take(self, settled: Sequence[Settled]) -> bool:
        """Read what came to rest at one moment; tells whether anything was read, and not left for later."""
        drafts = self._screen.take(settled)
        self._drafts += drafts
        return bool(drafts)

    def catch_up(self, *, until_ms: int | None = None) -> bool:
        """Read what was left for later, only if all of it is from before ``until_ms``; tells whether it did."""
        drafts = self._screen.catch_up(until_ms=until_ms)
        self._drafts += drafts
        return bool(drafts)

    def findings(self, unrests: Sequence[Unrest], *, frame_ms: float, end_ms: int | None = None) -> Findings:
        """What it all was; once, at the end.

        Args:
            unrests: what never came to rest.
            frame_ms: the time from frame to frame.
            end_ms: when the recording ended, by which its own end is told from what the program did.

        """
        edges = edges_of(self._drafts, _true(self._lines()), size=self._size, end_ms=end_ms)
        return _composed(self._drafts, self._lines(), unrests, self._size, frame_ms, edges)

    def findings_so_far(self, unrests: Sequence[Unrest], *, frame_ms: float) -> Findings:
        """What it would have been if it ended now; more can be taken afterwards."""
        # Composing takes lines and drafts apart.
        lines: dict[int, Line] = {}
        drafts = [_copied(draft, lines) for draft in self._drafts]
        own = [lines.get(id(line), line) for line in self._lines()]
        return _composed(drafts, own, unrests, self._size, frame_ms, Edges())

    def _lines(self) -> list[Line]:
        return [*self._screen.gone, *self._screen.lines]


def _composed(  # noqa: PLR0917 - all that an observation holds
    drafts: Sequence[Draft],
    lines: Sequence[Line],
    unrests: Sequence[Unrest],
    size: tuple[int, int],
    frame_ms: float,
    edges: Edges,
) -> Findings:
    told = [draft for draft in drafts if draft.first or not edges.holds(draft)]
    within = [unrest for unrest in unrests if edges.closing_ms is None or unrest.t_ms < edges.closing_ms]
    timeline = compose(told, within, size=size, frame_ms=frame_ms)
    true = _true(lines)
    firsts = [draft for draft in drafts if draft.t_ms == edges.opening_ms] or [draft for draft in drafts if draft.first]
    return Findings(
        timeline=timeline,
        first_screen=tuple(line.text for line in in_order([line for line in true if line.t_ms == edges.opening_ms])),
        first_frame=firsts[0].frame if firsts else None,
        sightings=sightings(true),
        closing_ms=edges.closing_ms,
    )


def _true(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if not line.false]


def _copied(draft: Draft, lines: dict[int, Line]) -> Draft:
    """A draft of its own, with lines of its own: one for each, whichever draft it stands in."""

    def own(line: Line) -> Line:
        found = lines.get(id(line))
        if found is None:
            found = lines[id(line)] = copy(line)
        return found

    found = draft.match
    match = Match(
        kept=[(own(old), own(new)) for old, new in found.kept],
        changed=[(own(old), own(new)) for old, new in found.changed],
        added=[own(line) for line in found.added],
        removed=[own(line) for line in found.removed],
        moved=list(found.moved),
    )
    return replace(draft, match=match, stood=tuple((own(line), box) for line, box in draft.stood))
