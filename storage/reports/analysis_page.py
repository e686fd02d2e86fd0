"""An analysis as one page to hand on: how it ended, what was expected, and what was done with what followed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from core.headlines import of_analysis
from core.narrative import clock, sentence_of, statements
from core.text import one_line
from storage.reports.page import SIGNS, Thumbnail, environment, render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from core.analysis import Analysis, Event, Region
    from core.headlines import Headline

MOST_ROWS: Final = 1000
_MOST_EFFECTS: Final = 20
_MOODS: Final = {"pass": "good", "fail": "bad", "unclear": "warn"}
_ORDER: Final = ("fail", "unclear", "pass")
_SAME_MS: Final = 500


@dataclass(frozen=True, slots=True)
class Row:
    """What was done with what followed, or what happened by itself."""

    t_ms: int
    sentence: str
    effects: Sequence[tuple[int, str]] = ()
    """Moment and sentence of each."""
    more: int = 0
    """Effects that are not told."""
    frame: str = ""
    region: Region | None = None


def frames_of(analysis: Analysis) -> Sequence[str]:
    """The names of the pictures that the page shows, as events name them, in order of time but for the outcome's."""
    return [*dict.fromkeys([*decisive_frames(analysis), *(row.frame for row in rows_of(analysis) if row.frame)])]


def decisive_frames(analysis: Analysis) -> Sequence[str]:
    """Those of the outcome and of what proves the verdicts."""
    proofs = [seen.frame for verdict in analysis.verdicts for seen in verdict.evidence]
    return [frame for frame in (of_line(analysis).frame, *proofs) if frame]


def analysis_page(analysis: Analysis, pictures: Mapping[str, Thumbnail]) -> str:
    """The page; of a very large one some pictures are left out.

    Args:
        analysis: what it tells of.
        pictures: by the names that ``frames_of`` gives.

    """
    line, video = of_line(analysis), analysis.video
    environment().filters |= {"clock": clock}
    rows = rows_of(analysis)
    return render(
        "analysis.html",
        pictures,
        decisive_frames(analysis),
        title=re.split(r"[/\\]", video.path)[-1],
        outcome=(line.mood, SIGNS[line.mood], line.text),
        line=line,
        region=None if line.at_end else _region_at(analysis, line),
        video=video,
        analysis=analysis,
        verdicts=[
            (_MOODS[each.verdict], SIGNS[_MOODS[each.verdict]], each)
            for each in sorted(analysis.verdicts, key=lambda each: _ORDER.index(each.verdict))
        ],
        anchor=partial(_anchor, rows),
        rows=rows[:MOST_ROWS],
        left=max(len(rows) - MOST_ROWS, 0),
    )


def of_line(analysis: Analysis) -> Headline:
    """How it ended, in a line."""
    return of_analysis(analysis.model_dump(mode="json"))


def rows_of(analysis: Analysis) -> Sequence[Row]:
    """What is told, in order of time."""
    by_moment: dict[tuple[int, ...], str] = {}
    for number, action in enumerate(analysis.actions):
        own = tuple(index for index, event in enumerate(analysis.timeline) if event.cause == number)
        by_moment[(action.t_ms, *own)] = one_line(action.description)
    found: list[Row] = []
    for said in statements(analysis.timeline, analysis.actions):
        events = [analysis.timeline[index] for index in said.events]
        done = by_moment.get((said.t_ms, *said.events), "")
        followed = [event for event in events if done and event.description != done]
        shown = _clearest(followed or events)
        found.append(
            Row(
                said.t_ms,
                done or said.sentence,
                [(event.t_ms, sentence_of(event)) for event in followed[:_MOST_EFFECTS]],
                max(len(followed) - _MOST_EFFECTS, 0),
                (shown.frame or "") if shown else "",
                shown.region if shown else None,
            )
        )
    return found


def _clearest(events: Iterable[Event]) -> Event | None:
    """The event whose picture tells most."""
    order = ("navigated", "appeared", "changed", "typed", "scrolled", "vanished", "busy")
    return min((each for each in events if each.frame), key=lambda each: order.index(each.kind), default=None)


def _anchor(rows: Sequence[Row], t_ms: int) -> int:
    """The row that tells of a moment."""
    effects = [place for place, row in enumerate(rows) if any(at == t_ms for at, _ in row.effects)]
    before = [place for place, row in enumerate(rows) if row.t_ms <= t_ms]
    return min(effects[0] if effects else before[-1] if before else 0, MOST_ROWS - 1)


def _region_at(analysis: Analysis, line: Headline) -> Region | None:
    """What changed at the moment of the outcome."""
    near = [
        each
        for each in analysis.timeline
        if each.frame and each.frame == line.frame and abs(each.t_ms - (line.t_ms or 0)) < _SAME_MS
    ]
    return near[0].region if near else None
