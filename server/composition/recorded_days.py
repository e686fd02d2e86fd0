"""The days of the recording and of the memories, for the timeline of a day."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from core.errors import InvalidRequest
from core.recording.history import Day, DayMemory, DaySegment, Journal, excluded_in, gaps_in
from core.recording.recorder import RecorderPhase
from core.schedules.schedule import reached, zone_named
from core.values import Value
from server.composition.recorder import JOURNAL
from server.times import machine_zone
from storage.recorder_journal import JournalFile

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from config.settings import Settings
    from core.memory import Procedure
    from core.recording.recordings import Segment
    from server.composition.memory import Memory

MOST_STRETCHES: Final = 1500
"""Of each kind, of a day."""
MOST_MEMORIES: Final = 500
_FIRST: Final = date(1970, 1, 2)
_LAST: Final = date(9998, 12, 31)


class KnownDay(Value):
    """A day of which there is anything."""

    date: date
    recorded: bool
    """Whether anything was recorded, be it there still or not."""
    playable: bool
    memories: bool


class KnownDays(Value):
    """Days of which there is anything, the newest first."""

    zone: str
    today: date
    days: tuple[KnownDay, ...]
    more: bool
    """Whether there are older ones."""


class RecordedDays:
    """Safe to call from any thread.

    Args:
        settings: the user's.
        memory: the memories and the segments.

    """

    def __init__(self, settings: Settings, memory: Memory) -> None:
        self._settings, self._memory = settings, memory

    def day(self, wanted: date | None, zone_name: str | None) -> Day:
        """The recording and memories of a day; of today if none is named. Blocks.

        Raises:
            InvalidRequest: there is no such zone, or the day is out of range in UTC.
            StorageFailed: the recording or the memories cannot be read.

        """
        zone, now = self._zone(zone_name), datetime.now(UTC)
        named = wanted or now.astimezone(zone).date()
        if not _FIRST <= named <= _LAST:
            raise InvalidRequest(f"{named} is no day of a recording: send a date from {_FIRST} on.")
        start, end = _bounds(named, zone)
        until = max(start, min(now, end))
        # Read the journal first, so that the newest segment that it mentions is in the list of segments.
        journal, segments = self._journal(), self._memory.segments.list()
        known = {segment.id for segment in segments}
        inside = [segment for segment in segments if segment.started_at < end and segment.ended_at > start]
        procedures = self._memory.memories.newest(MOST_MEMORIES + 1, before=end, since=start)
        left_off = max(0, len(procedures) - MOST_MEMORIES)
        gaps, excluded = gaps_in(start, until, segments, journal), excluded_in(start, until, journal)
        left_off += sum(max(0, len(each) - MOST_STRETCHES) for each in (inside, gaps, excluded))
        return Day(
            date=named,
            zone=zone.key,
            start=start,
            end=end,
            known_until=until,
            segments=tuple(_segment(segment) for segment in inside[-MOST_STRETCHES:]),
            gaps=tuple(gaps[-MOST_STRETCHES:]),
            excluded=tuple(excluded[-MOST_STRETCHES:]),
            memories=tuple(_memory(each, known) for each in reversed(procedures[:MOST_MEMORIES])),
            left_off=left_off,
        )

    def days(self, limit: int, zone_name: str | None) -> KnownDays:
        """The newest days of which there is anything, at most so many. Blocks; raises as ``day``."""
        zone, now = self._zone(zone_name), datetime.now(UTC)
        journal, segments = self._journal(), self._memory.segments.list()
        playable = {day for segment in segments for day in _dates(segment.started_at, segment.ended_at, zone)}
        recorded = playable | _recorded(journal, now, zone)
        remembered = self._remembered(limit + 1, zone)
        found = sorted(recorded | remembered, reverse=True)
        return KnownDays(
            zone=zone.key,
            today=now.astimezone(zone).date(),
            days=tuple(
                KnownDay(date=day, recorded=day in recorded, playable=day in playable, memories=day in remembered)
                for day in found[:limit]
            ),
            more=len(found) > limit,
        )

    def _remembered(self, limit: int, zone: ZoneInfo) -> set[date]:
        """The newest days with memories: one query each, because there may be a million memories."""
        found: set[date] = set()
        before: datetime | None = None
        while len(found) < limit:
            newest = self._memory.memories.newest(1, before=before)
            if not newest:
                break
            day = newest[0].started_at.astimezone(zone).date()
            found.add(day)
            # A midnight that the clock shows twice starts the day once.
            before = min(_bounds(day, zone)[0], newest[0].started_at)
        return found

    def _zone(self, name: str | None) -> ZoneInfo:
        return zone_named(name or machine_zone() or "UTC")

    def _journal(self) -> Journal:
        return JournalFile(self._settings.data_path / JOURNAL).read()


def _bounds(day: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    start, end = (reached(datetime.combine(each, time.min), zone) for each in (day, day + timedelta(days=1)))
    return start, end


def _dates(start: datetime, end: datetime, zone: ZoneInfo) -> set[date]:
    first, last = start.astimezone(zone).date(), end.astimezone(zone).date()
    return {first + timedelta(days=number) for number in range((last - first).days + 1)}


def _recorded(journal: Journal, now: datetime, zone: ZoneInfo) -> set[date]:
    ends = [state.at for state in journal.states[1:]] + [now]
    return {
        day
        for state, end in zip(journal.states, ends, strict=False)
        if state.phase is RecorderPhase.RECORDING and state.at < end
        for day in _dates(state.at, end, zone)
    }


def _segment(segment: Segment) -> DaySegment:
    return DaySegment(
        id=segment.id,
        start=segment.started_at,
        end=segment.ended_at,
        complete=segment.complete,
        playable=segment.duration_ms > 0,
    )


def _memory(procedure: Procedure, segments: set[str]) -> DayMemory:
    return DayMemory(
        id=procedure.id,
        start=procedure.started_at,
        end=procedure.ended_at,
        summary=procedure.summary,
        segment=procedure.video if procedure.source == "recorder" and procedure.video in segments else None,
    )
