"""What the recorder was from moment to moment, and what there is of a day: recorded, not recorded and why, remembered.

Nothing of what was on the screen is in it: of what was blacked out, only that something was.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from pydantic import AwareDatetime, Field, TypeAdapter

from core.recording.recorder import RecorderPhase
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from core.recording.recordings import Segment


class Noted(Value):
    """The recorder's state from this moment to the next one."""

    kind: Literal["state"] = "state"
    at: AwareDatetime
    phase: RecorderPhase | None
    """``None``: unknown, because the recorder was killed before it could write its state."""
    veiled: bool = False
    """Whether something that is recorded was blacked out."""


class ForgottenStretch(Value):
    """A stretch of the recording that the user had removed."""

    kind: Literal["forgotten"] = "forgotten"
    since: AwareDatetime
    until: AwareDatetime


JournalLine = Annotated[Noted | ForgottenStretch, Field(discriminator="kind")]
LINE: TypeAdapter[JournalLine] = TypeAdapter(JournalLine)


def _at(state: Noted) -> datetime:
    return state.at


class Journal(Value):
    """All that is known."""

    states: tuple[Noted, ...] = ()
    """Ordered by ``at``."""
    forgotten: tuple[ForgottenStretch, ...] = ()

    def within(self, start: datetime, end: datetime) -> Journal:
        """The states and removals that concern a stretch."""
        first = max(0, bisect_right(self.states, start, key=_at) - 1)
        return self.model_construct(
            states=self.states[first : bisect_left(self.states, end, key=_at)],
            forgotten=tuple(one for one in self.forgotten if one.since < end and one.until > start),
        )

    def without(self, since: datetime, until: datetime) -> Journal:
        """The journal after a stretch was forgotten: of that stretch only the removal is left."""
        before = [state for state in self.states if state.at < since]
        within = [state for state in self.states if since <= state.at <= until]
        kept = [*before]
        if before and before[-1].veiled:
            kept.append(before[-1].model_copy(update={"at": since, "veiled": False}))
        last = next(reversed([*before, *within]), None)
        if last is not None and (within or last.veiled):
            kept.append(last.model_copy(update={"at": until}))
        kept += [state for state in self.states if state.at > until]
        stretch = ForgottenStretch(since=since, until=until)
        inside = [one for one in self.forgotten if since <= one.since and one.until <= until]
        return Journal(states=tuple(kept), forgotten=(*(one for one in self.forgotten if one not in inside), stretch))


_SEAM: Final = timedelta(seconds=5)
"""Between two segments, or until the recorder has a first picture: nothing is missing there."""
_BEHIND: Final = timedelta(seconds=15)
"""So far the film that is being written may be behind the clock."""
_JOINED: Final = timedelta(seconds=2)
"""Stretches that are no further apart are merged."""


class GapReason(StrEnum):
    """Why there is no picture."""

    OFF = "off"
    PAUSED = "paused"
    LOCKED = "locked"
    """The screen was locked or asleep."""
    FAILED = "failed"
    """It should have been recorded, and could not be."""
    FORGOTTEN = "forgotten"
    """The user had it removed."""
    EXPIRED = "expired"
    """It was recorded, and has given way to newer."""
    UNKNOWN = "unknown"


class Stretch(Value):
    """From one moment to another, in UTC."""

    start: datetime
    end: datetime


class Gap(Stretch):
    """Nothing can be seen of it."""

    reason: GapReason


class DaySegment(Stretch):
    """What can be played: `GET /recorder/segments/{id}.mp4`, which begins at `start`."""

    id: str
    complete: bool
    """Whether nothing will be added to it."""
    playable: bool
    """Whether there is a picture in it."""


class DayMemory(Stretch):
    """Something that was done and is remembered."""

    id: str
    summary: str
    segment: str | None
    """In which it can be seen, `None` where there is no recording of it."""


class Day(Value):
    """A day, by the clock of a time zone."""

    date: date
    zone: str
    start: datetime
    """When it begins, in UTC."""
    end: datetime
    """When the next one begins, in UTC."""
    known_until: datetime
    """Now, or the end of the day: what is beyond has not happened yet."""
    segments: tuple[DaySegment, ...]
    """By `start`; the first and the last one may reach beyond the day."""
    gaps: tuple[Gap, ...]
    excluded: tuple[Stretch, ...]
    """While something was blacked out; what, is not written anywhere."""
    memories: tuple[DayMemory, ...]
    """Those that began on that day, by `start`."""
    left_off: int = 0
    """Number of entries that these lists leave out, because there are too many."""


class _Piece(NamedTuple):
    start: datetime
    end: datetime
    reason: GapReason | None


def gaps_in(start: datetime, end: datetime, segments: Sequence[Segment], journal: Journal) -> list[Gap]:
    """The stretches between two moments of which there is no picture, each with its reason.

    Args:
        start: in UTC.
        end: in UTC; not after now.
        segments: all that there are, oldest first.
        journal: what is known of the recorder.

    """
    oldest = segments[0].started_at if segments else None
    found: list[Gap] = []
    for begin, until in _holes(start, end, segments):
        for piece in _pieces(begin, until, journal.within(begin, until), oldest):
            if piece.reason in {None, GapReason.EXPIRED} and piece.end - piece.start <= (
                _BEHIND if piece.end == end else _SEAM
            ):
                continue
            reason = piece.reason or GapReason.UNKNOWN
            if found and found[-1].reason is reason and piece.start <= found[-1].end:
                found[-1] = found[-1].model_copy(update={"end": piece.end})
            else:
                found.append(Gap(start=piece.start, end=piece.end, reason=reason))
    return found


def excluded_in(start: datetime, end: datetime, journal: Journal) -> list[Stretch]:
    """The stretches between two moments in which something was blacked out."""
    found: list[Stretch] = []
    for state, begin, until in _spans(journal.within(start, end).states, start, end):
        if not state.veiled or state.phase is not RecorderPhase.RECORDING:
            continue
        if found and begin - found[-1].end <= _JOINED:
            found[-1] = Stretch(start=found[-1].start, end=until)
        else:
            found.append(Stretch(start=begin, end=until))
    return found


def _holes(start: datetime, end: datetime, segments: Iterable[Segment]) -> Iterator[tuple[datetime, datetime]]:
    at = start
    for segment in segments:
        if segment.ended_at <= at:
            continue
        if segment.started_at >= end:
            break
        if segment.started_at > at:
            yield at, segment.started_at
        at = segment.ended_at
    if at < end:
        yield at, end


def _pieces(begin: datetime, end: datetime, journal: Journal, oldest: datetime | None) -> Iterator[_Piece]:
    """A stretch without pictures, split where its reason changes; no reason if it should have been recorded."""
    cuts = {begin, end, *(state.at for state in journal.states)}
    for one in journal.forgotten:
        cuts |= {one.since, one.until}
    if oldest is not None:
        cuts.add(oldest)
    moments = sorted(cut for cut in cuts if begin <= cut <= end)
    states = [*_spans(journal.states, begin, end)]
    at, held = 0, None
    for first, last in itertools.pairwise(moments):
        while at < len(states) and states[at][2] <= first:
            at += 1
        state = states[at][0] if at < len(states) and states[at][1] <= first else None
        if any(one.since <= first and last <= one.until for one in journal.forgotten):
            reason = GapReason.FORGOTTEN
        else:
            reason = _reason(state, expired=oldest is None or last <= oldest)
        if held is not None and held.reason is reason:
            held = held._replace(end=last)
            continue
        if held is not None:
            yield held
        held = _Piece(first, last, reason)
    if held is not None:
        yield held


def _reason(state: Noted | None, *, expired: bool) -> GapReason | None:
    if state is None or state.phase is None:
        return GapReason.UNKNOWN
    match state.phase:
        case RecorderPhase.OFF:
            return GapReason.OFF
        case RecorderPhase.PAUSED:
            return GapReason.PAUSED
        case RecorderPhase.LOCKED:
            return GapReason.LOCKED
        case RecorderPhase.FAILED:
            return GapReason.FAILED
        case RecorderPhase.STARTING | RecorderPhase.RECORDING:
            return GapReason.EXPIRED if expired else None


def _spans(states: Sequence[Noted], start: datetime, end: datetime) -> Iterator[tuple[Noted, datetime, datetime]]:
    """Each state that there was between two moments, with the part of it that lies there."""
    for number, state in enumerate(states):
        begin = max(state.at, start)
        until = min(states[number + 1].at if number + 1 < len(states) else end, end)
        if begin < until:
            yield state, begin, until
