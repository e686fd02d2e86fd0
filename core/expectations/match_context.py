"""What a clause is judged against: the texts of one clip, looked up once, and the stretches of time it speaks of."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from core.analysis import Evidence
from core.expectations.claims import Happening, Outcome, failed, unclear
from core.expectations.matching import Closeness, Wanted
from core.expectations.screen import Appearance
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.expectations.claims import Anchor, Limits
    from core.expectations.screen import Screen, Seen


Timed = tuple[int, Evidence]
"""When something happened that another thing is timed by, and where that can be seen."""


class Place(Enum):
    """Where a moment lies in relation to a window; at the ``EDGE`` one frame would make the difference."""

    OUT = 0
    EDGE = 1
    IN = 2


@dataclass(frozen=True)
class Window:
    """A stretch of the clip. Bounds that come from "before" and "after" are not part of it, those of "within" are."""

    low: int | None = None
    high: int | None = None
    low_counts: bool = True
    high_counts: bool = True
    edge_ms: int = 0
    said: str = ""
    evidence: tuple[Evidence, ...] = ()

    def place(self, t_ms: int) -> Place:
        """Where something lies that happened at this moment."""
        if self.low is not None and t_ms <= self.low and not (t_ms == self.low and self.low_counts):
            return Place.EDGE if t_ms == self.low else Place.OUT
        if self.high is None or t_ms < self.high or (t_ms == self.high and self.high_counts):
            return Place.IN
        is_close = t_ms == self.high or (self.high_counts and t_ms <= self.high + self.edge_ms)
        return Place.EDGE if is_close else Place.OUT

    def place_of_stay(self, t_ms: int, until_ms: int | None) -> Place:
        """Where something lies that stood from one moment to the other."""
        if self.low is not None and until_ms is not None and until_ms <= self.low:
            return Place.OUT
        return self.place(t_ms if self.low is None else max(t_ms, self.low + (not self.low_counts)))


@dataclass
class MatchContext:
    """A clip, with doubtful sightings (``least = NEAR``) or without (``TOLERANT``).

    ``supposed`` holds texts that were never read, and where they may have stood unread.
    """

    screen: Screen
    wanted: Mapping[str, Wanted]
    least: Closeness
    supposed: Mapping[str, Sequence[Seen]] = field(default_factory=dict[str, "Sequence[Seen]"])
    _appearances: dict[str, list[Appearance]] = field(default_factory=dict[str, list[Appearance]])

    def seen(self, text: str) -> list[Seen]:
        """All sightings of a quoted text."""
        found = [one for one in self.screen.found(self.wanted[text]) if one.closeness >= self.least]
        return found or list(self.supposed.get(text, ()))

    def appearances(self, text: str) -> list[Appearance]:
        """The times that it came, in order."""
        if text not in self._appearances:
            self._appearances[text] = self.screen.appearances(self.seen(text))
        return self._appearances[text]

    def instances(self, appearances: Collection[Appearance]) -> int:
        """How many there were in these appearances, counting each of several at once."""
        return self.screen.instances([one for appearance in appearances for one in appearance.seen])

    def absent(self, text: str) -> str:
        """Says that a text was never read."""
        count = len(self.screen.sightings)
        if not count:
            return f'no text at all could be read, so nothing that says "{short(text)}"'
        lines = "the one line" if count == 1 else f"none of the {count} lines"
        return f'{lines} read says "{short(text)}"' if count > 1 else f'{lines} read does not say "{short(text)}"'

    def missing(self, text: str) -> str:
        """The same, and what came nearest to it."""
        nearest = self.screen.nearest(self.wanted[text])
        return self.absent(text) + (f'; the nearest is "{short(nearest)}"' if nearest else "")

    def whole_span(self) -> Evidence:
        """Evidence for an absence: the clip from its first frame on, all of which was looked at."""
        return Evidence(t_ms=0, frame=self.screen.findings.first_frame)

    def windows(self, limits: Limits, *, negated: bool, going: bool = False) -> list[Window] | Outcome:
        """The stretches that the limits can mean, or what follows when a text that they are counted from never came.

        ``going`` is set for what disappears: at the moment at which another text takes its place it is gone already.
        """
        afters = self._moments(limits.after)
        befores = self._moments(limits.before)
        for anchor, moments in ((limits.after, afters), (limits.before, befores)):
            if not moments:
                reason = f"it is timed by something that never happened: {anchor}"
                return unclear(reason) if negated else failed(reason)
        if limits.within_ms is not None and limits.before is not None:
            return unclear('"within" together with "before" can be read in two ways')
        return [self._window(limits, after, before, going=going) for after in afters for before in befores]

    def _window(self, limits: Limits, after: Timed | None, before: Timed | None, *, going: bool) -> Window:
        low = after[0] if after else None
        high = before[0] if before else None
        anchors = (("after", limits.after), ("before", limits.before))
        said = [f"{word} {_said(anchor)}" for word, anchor in anchors if anchor]
        if limits.within_ms is None:
            said = [" and ".join(said)] if said else []
        else:
            high = (low or 0) + limits.within_ms
            said = [f"within {seconds(limits.within_ms)}", *(said or ["of the start"])]
        return Window(
            low,
            high,
            low_counts=limits.within_ms is not None or not _comes(limits.after),
            high_counts=limits.within_ms is not None or (going and _comes(limits.before)),
            edge_ms=self.screen.edge_ms,
            said="".join(f" {part}" for part in said),
            evidence=tuple(anchor[1] for anchor in (after, before) if anchor and anchor[1].quote is not None),
        )

    def _moments(self, anchor: Anchor | None) -> list[Timed | None]:
        """The first and the last moment that an anchor can mean; ``[None]`` without one, ``[]`` when it never was."""
        if anchor is None:
            return [None]
        if isinstance(anchor, int):
            return [(anchor, Evidence(t_ms=anchor))]
        found: list[Timed | None] = []
        for appearance in self.appearances(anchor.text):
            moment = appearance.until_ms if anchor.gone else appearance.t_ms
            if moment is not None:
                found.append((moment, evidence_of(appearance, moment)))
        return [found[0], found[-1]] if len(found) > 1 else found


def _comes(anchor: Anchor | None) -> bool:
    """Whether it is a text that appears: then the same moment is neither before nor after."""
    return isinstance(anchor, Happening) and not anchor.gone


def _said(anchor: Anchor | None) -> str:
    return seconds(anchor) if isinstance(anchor, int) else str(anchor)


def evidence_of(appearance: Appearance, t_ms: int | None = None) -> Evidence:
    """What was read, when it came (or at another moment), with its picture."""
    first = appearance.seen[0]
    return Evidence(t_ms=appearance.t_ms if t_ms is None else t_ms, frame=first.frame, quote=first.quote)


def describe_appearance(text: str, appearance: Appearance) -> str:
    """Says from when to when a text stood there, and how it was read where that differs."""
    first = appearance.seen[0]
    as_read = f' (as "{short(first.quote)}")' if first.closeness < Closeness.EXACT else ""
    end = "the end" if appearance.until_ms is None else clock(appearance.until_ms)
    return f'"{short(text)}" was there from {clock(appearance.t_ms)} to {end}{as_read}'


def short(text: str, limit: int = 80) -> str:
    """The text on one line, cut to a readable length."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


def seconds(ms: int) -> str:
    """A span of time, e.g. ``2 s`` or ``0.3 s``."""
    return f"{ms / 1000:g} s"
