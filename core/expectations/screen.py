"""Where and when a text stood on the screen: sightings joined over neighbouring lines and over time."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.expectations.matching import (
    LOW_CONFIDENCE,
    Closeness,
    Line,
    Wanted,
    blurred,
    is_denied,
    same_words,
    tokens_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.analysis import Findings, Region, Sighting

TOUCHING_MS = 50
"""A text that is read again within this time never went away: it moved, or its line was re-read."""

MOST_LINES = 4
"""A quoted text may run over this many lines."""

MOST_JOINED = 500
MOST_COMPARED = 500
ALIKE = 0.7

LETTER_PX = 5
"""So wide is a letter of the smallest lines that are read, with what lies around it."""
LOW_LETTERS = 4
"""Of a lower place, its height by the width of its narrowest letters."""
LEAST_UNREAD_PX = 48
"""What moves in a narrower place is a spinner or an icon."""

_EDGE_MS = (40, 500)


@dataclass(frozen=True)
class Seen:
    """A text on the screen from ``t_ms`` until ``until_ms`` (``None``: to the end)."""

    t_ms: int
    until_ms: int | None
    quote: str
    frame: str | None
    closeness: Closeness
    region: Region | None = None
    occurrences: int = 1


@dataclass(frozen=True)
class Appearance:
    """One time that a text came, stayed without a break, and went. ``seen`` is never empty and in order of time."""

    t_ms: int
    until_ms: int | None
    seen: tuple[Seen, ...]

    def lasted(self, clip_ms: int) -> int:
        """How long it stood, to the end of the clip if it never went."""
        return (clip_ms if self.until_ms is None else self.until_ms) - self.t_ms


class Screen:
    """Everything that was read in a clip of that length and rate, prepared to be searched."""

    def __init__(self, findings: Findings, duration_ms: int = 0, fps: float | None = None) -> None:
        self.findings = findings
        self.duration_ms = duration_ms
        self.edge_ms = min(max(_EDGE_MS[0], round(1000 / fps) if fps else 0), _EDGE_MS[1])
        """How much later than in truth something can have been seen: one frame."""
        self.sightings: Sequence[Sighting] = findings.sightings or ()
        self._lines: list[tuple[Sighting, Line]] = [
            (sighting, Line(sighting.text, sighting.confidence)) for sighting in self.sightings
        ]
        self._by_first_word: dict[str, list[tuple[Sighting, Line]]] = {}
        for sighting, line in self._lines:
            if line.tokens and line.confidence >= LOW_CONFIDENCE:
                self._by_first_word.setdefault(blurred(line.tokens[0]), []).append((sighting, line))
        self._found: dict[tuple[str, bool], list[Seen]] = {}
        self._nearest: dict[str, str | None] = {}
        self.first_ms = min((sighting.t_ms for sighting in self.sightings), default=0)

    def found(self, wanted: Wanted) -> list[Seen]:
        """Every sighting that says the wanted text, surely or nearly; looked for once."""
        key = (wanted.text, wanted.case_matters)
        if key not in self._found:
            self._found[key] = self._find(wanted)
        return self._found[key]

    def supposed(self, text: str) -> list[Seen]:
        """Where and when a text may have stood and was not read."""
        return [
            Seen(one.t_ms, max(one.until_ms, one.t_ms + 1), text, None, Closeness.NEAR, one.region)
            for one in self.findings.unread
            if one.region[2] >= max(len(text) * min(LETTER_PX, one.region[3] / LOW_LETTERS), LEAST_UNREAD_PX)
        ]

    def _find(self, wanted: Wanted) -> list[Seen]:
        found: list[Seen] = []
        for sighting, line in self._lines:
            closeness = wanted.closeness(line)
            if closeness is not Closeness.NONE:
                found.append(_seen(sighting, closeness, wanted.occurrences(line)))
        return found + list(itertools.islice(self._over_lines(wanted), MOST_JOINED))

    def _over_lines(self, wanted: Wanted) -> Iterator[Seen]:
        """Sightings of a text that runs over several lines; only well-read ones count."""
        words = tokens_of(wanted.canonical if wanted.case_matters else wanted.folded)
        first = blurred(words[0]) if words else ""
        for sighting, line in self._lines if len(words) > 1 else []:
            if line.confidence < LOW_CONFIDENCE or first not in line.blurred:
                continue
            for count in range(min(len(words) - 1, len(line.tokens)), 0, -1):
                if _all_same(words[:count], line.tokens[-count:]):
                    if not is_denied(" ".join(line.tokens[:-count]), wanted.folded):
                        yield from self._continued([sighting], words[count:])
                    break

    def _continued(self, chain: list[Sighting], words: tuple[str, ...]) -> Iterator[Seen]:
        for sighting, line in self._by_first_word.get(blurred(words[0]), ()):
            count = min(len(words), len(line.tokens))
            if not _all_same(words[:count], line.tokens[:count]):
                continue
            if not (_follows(chain[-1], sighting) and _overlap([*chain, sighting])):
                continue
            if count == len(words):
                yield _joined([*chain, sighting])
            elif count == len(line.tokens) and len(chain) + 1 < MOST_LINES:
                yield from self._continued([*chain, sighting], words[count:])

    def nearest(self, wanted: Wanted) -> str | None:
        """The line that is most like a text that was not found, if one is; looked for once."""
        if wanted.text not in self._nearest:
            self._nearest[wanted.text] = self._find_nearest(wanted)
        return self._nearest[wanted.text]

    def _find_nearest(self, wanted: Wanted) -> str | None:
        lines = {line.text: line.blurred for _, line in self._lines[:MOST_COMPARED]}
        likeness = {text: wanted.likeness(blurred) for text, blurred in lines.items()}
        best = max(likeness, key=lambda text: likeness[text], default=None)
        return best if best is not None and likeness[best] >= ALIKE else None

    def appearances(self, seen: Sequence[Seen]) -> list[Appearance]:
        """The times that a text stood there without a break."""
        merged: list[Appearance] = []
        for one in sorted(seen, key=lambda each: (each.t_ms, -each.closeness)):
            last = merged[-1] if merged else None
            if last is None or (last.until_ms is not None and one.t_ms > last.until_ms + TOUCHING_MS):
                merged.append(Appearance(one.t_ms, one.until_ms, (one,)))
                continue
            is_open = last.until_ms is None or one.until_ms is None
            until = None if is_open else max(last.until_ms or 0, one.until_ms or 0)
            merged[-1] = Appearance(last.t_ms, until, (*last.seen, one))
        return merged

    def instances(self, seen: Sequence[Seen]) -> int:
        """How many of them came, counting each of several that stood there at once."""
        ends: list[int] = []
        count = 0
        for one in sorted(seen, key=lambda each: each.t_ms):
            predecessor = next((end for end in ends if 0 <= one.t_ms - end <= TOUCHING_MS), None)
            if predecessor is None:
                count += one.occurrences
            else:
                ends.remove(predecessor)
            if one.until_ms is not None:
                ends.append(one.until_ms)
        return count


def _seen(sighting: Sighting, closeness: Closeness, occurrences: int = 1) -> Seen:
    until = None if sighting.until_ms is None else max(sighting.until_ms, sighting.t_ms + 1)
    return Seen(sighting.t_ms, until, sighting.text, sighting.frame, closeness, sighting.region, occurrences)


def _all_same(words: Sequence[str], tokens: Sequence[str]) -> bool:
    return len(words) == len(tokens) and all(same_words(want, got) for want, got in zip(words, tokens, strict=True))


def _joined(chain: list[Sighting]) -> Seen:
    start, until = _span(chain)
    last = max(chain, key=lambda sighting: sighting.t_ms)
    quote = " ".join(sighting.text for sighting in chain)
    return Seen(start, until, quote, last.frame, Closeness.TOLERANT, chain[0].region)


def _span(chain: list[Sighting]) -> tuple[int, int | None]:
    untils = [sighting.until_ms for sighting in chain if sighting.until_ms is not None]
    return max(sighting.t_ms for sighting in chain), min(untils, default=None)


def _overlap(chain: list[Sighting]) -> bool:
    start, until = _span(chain)
    return until is None or start < until


def _follows(first: Sighting, second: Sighting) -> bool:
    """Whether the second is read right after the first: to its right in the same row, or below it in its column."""
    if first.region is None or second.region is None or first is second:
        return False
    x1, y1, width1, height1 = first.region
    x2, y2, width2, height2 = second.region
    height = max(min(height1, height2), 1)
    shares_row = min(y1 + height1, y2 + height2) - max(y1, y2) >= height / 2
    if shares_row:
        return -height <= x2 - (x1 + width1) <= 3 * height
    shares_column = min(x1 + width1, x2 + width2) - max(x1, x2) > 0
    return shares_column and -height / 2 <= y2 - (y1 + height1) <= 1.5 * height
