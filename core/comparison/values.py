"""What a comparison of two runs is made of, and what comes of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, NamedTuple

from core.analysis import Analysis, AnalysisRequest, Region, Sighting, Video
from core.values import Value

LASTS_MS: Final = 160
"""What stood for less is no screen that could be held against another one."""


class CompareRequest(Value):
    """Two runs that somebody wants to be held side by side."""

    good: AnalysisRequest
    bad: AnalysisRequest
    varying: tuple[str, ...] = ()
    """Regular expressions of further values that differ from run to run."""


class Seen(NamedTuple):
    """One run: its analysis, and every text with its time where that was kept."""

    analysis: Analysis
    sightings: tuple[Sighting, ...] | None = None

    @property
    def places(self) -> tuple[ReadPlace, ...]:
        """Where each of the kept texts stood last; of one without a place, nowhere."""
        return tuple(
            ReadPlace(
                region=each.region or (0, 0, 0, 0),
                t_ms=max((each.t_ms, *(left_ms for left_ms, _ in each.earlier))),
                until_ms=each.until_ms,
            )
            for each in self.sightings or ()
        )


class Stay(Value):
    """How long one settled screen stood."""

    t_ms: int
    until_ms: int
    began_ms: int | None = None
    """When the change to it was first seen, where that was sooner."""

    @property
    def begun(self) -> int:
        """The moment from which on it came."""
        return self.t_ms if self.began_ms is None else self.began_ms


class ScreenPair(Value):
    """A settled screen of the good run and the same one of the bad run."""

    good: Stay
    bad: Stay


class Patch(Value):
    """A place whose pixels differ: in a pair of screens, or in a screen that only one run had."""

    side: Literal["both", "good", "bad"]
    good_ms: int
    bad_ms: int
    """A moment of each run; of the run that lacks the screen, the one before it."""
    lasted_ms: int
    region: Region
    share: float
    """Of the whole screen."""
    mutual: bool = True
    """Whether neither look of the place is in the other run while that step lasts, as the half-drawn one of a page."""
    few: bool = False
    """Whether so few cells differ that it may be a caret, or noise: a letter, if its texts say so."""
    recoloured: int = 0
    """How far its colours are from each other, of 255: little where the same thing only moved."""


class ReadPlace(Value):
    """Where a text was read, and how long it stood there; ``until_ms`` as in ``Sighting``."""

    region: Region
    t_ms: int
    until_ms: int | None = None


class Standing(Value):
    """A further time in which the place of a text looks as it did when the text was read there."""

    text: int
    """Its number among the places that were asked about."""
    t_ms: int
    until_ms: int


class Pictures(Value):
    """What the pixels of two videos of one size tell."""

    pairs: tuple[ScreenPair, ...] = ()
    patches: tuple[Patch, ...] = ()
    standing: tuple[tuple[Standing, ...], tuple[Standing, ...]] = ((), ())
    """Of the texts of each run."""
    moved: tuple[Patch, ...] = ()
    """Where a screen that both runs had differs from a pair of screens that it came before in one run alone."""


class DifferenceKind(StrEnum):
    """How the bad run differs."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    SLOWER = "slower"
    ORDER = "order"


class Difference(Value):
    """One thing that is not as in the good run."""

    kind: DifferenceKind
    good_ms: int
    bad_ms: int
    """The moments to look at, in each run."""
    good: str | None = None
    bad: str | None = None
    """The text in each run."""
    region: Region | None = None
    description: str
    """One plain sentence."""


class Comparison(Value):
    """The answer to ``vaider compare``."""

    good: str
    bad: str
    """The paths of the two videos."""
    same: bool
    """Whether nothing differs but values that differ from run to run, and what is unclear."""
    differences: tuple[Difference, ...]
    varying: tuple[Difference, ...]
    """Dates, times, ids, and what a pattern names."""
    unclear: tuple[Difference, ...]
    """What was read with doubt, or not read."""
    warnings: tuple[str, ...] = ()
    videos: tuple[Video, Video] | None = None
    """What was compared, to take pictures of; ``None`` in what an older Vaider kept."""
