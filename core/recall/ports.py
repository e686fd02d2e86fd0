"""What remembering and recalling ask of the outside: a place for what is remembered, by words and stretches of time."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.memory import Procedure
    from core.recall.terms import Fields


DAY = timedelta(days=1)


class Span(NamedTuple):
    """From ``since`` until before ``until``, both in UTC."""

    since: datetime
    until: datetime

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies in it."""
        return self.since <= moment < self.until


class Clock(NamedTuple):
    """The moment of the question, as a clock on the wall of the person who asks shows it."""

    now: datetime
    """An aware moment."""
    zone: tzinfo

    @property
    def today(self) -> date:
        """The current date in the zone."""
        return self.now.astimezone(self.zone).date()

    def days(self, first: date, count: int = 1) -> Span:
        """Whole days from midnight to midnight, which are not always 24 hours long."""
        return self.between(first, time.min, first + count * DAY, time.min)

    def between(self, first: date, since: time, last: date, until: time) -> Span:
        """From a time of one day to a time of another; of a time that is shown twice all of it."""
        begin = datetime.combine(first, since, tzinfo=self.zone)
        end = datetime.combine(last, until, tzinfo=self.zone).replace(fold=1 if until != time.min else 0)
        return Span(begin.astimezone(UTC), end.astimezone(UTC))

    def ago(self, longest: timedelta, shortest: timedelta = timedelta()) -> Span:
        """From so long ago to so long ago; until now includes what began at this very moment."""
        now = self.now.astimezone(UTC)
        return Span(now - longest, now - shortest if shortest else now + timedelta(seconds=1))


class Wanted(NamedTuple):
    """Terms that must follow one another, of which a group holds those that may stand for one another."""

    terms: tuple[str, ...]
    documents: int
    """At most in so many procedures."""


class Found(NamedTuple):
    """A procedure that holds some of what was looked for."""

    number: int
    """To read it by; the greater, the later it began."""
    fields: Fields


class Memories(Protocol):
    """The procedures that are remembered. Safe to call from any thread; each method is one transaction.

    Raises ``StorageFailed`` when they cannot be read or written.
    """

    def replace(self, video: str, procedures: Sequence[Procedure]) -> None:
        """Make these the only ones of that video: a segment is read again as it grows."""
        ...

    def get(self, procedure_id: str) -> Procedure | None:
        """The procedure of that id."""
        ...

    def newest(
        self, limit: int, *, before: datetime | None = None, since: datetime | None = None
    ) -> Sequence[Procedure]:
        """Those that began last, before and not before the moments that are given; the newest first."""
        ...

    def frequencies(self, terms: Collection[str]) -> Mapping[str, int]:
        """In how many procedures each of the terms occurs (``core.recall.terms``); without those that never do."""
        ...

    def longer_terms(self, term: str, limit: int) -> Mapping[str, int]:
        """Terms that begin with another one, and in how many procedures each occurs."""
        ...

    def similar_terms(self, term: str, limit: int) -> Mapping[str, int]:
        """Terms that contain another one, or share its beginning or its end and have nearly its length."""
        ...

    def find(self, groups: Sequence[Sequence[Wanted]], span: Span | None, limit: int) -> Sequence[Found]:
        """Procedures that hold something of the groups, the more of them the likelier; in no order.

        Bounded in time at any number of procedures: where all that is wanted is frequent, the newest that hold it are
        found, not all.

        Args:
            groups: of each group one is enough.
            span: in which it began; ``None`` is at any time.
            limit: how many at most.

        """
        ...

    def read(self, numbers: Sequence[int]) -> Mapping[int, Procedure]:
        """Those of the numbers that are still there."""
        ...

    def forget(self, since: datetime, until: datetime) -> int:
        """Remove everything that touches the stretch, so that no byte of it is left in any file; tells how many."""
        ...

    def forget_procedure(self, procedure_id: str) -> bool:
        """Remove one in the same way; tells whether there was one."""
        ...

    def prune(self, before: datetime) -> int:
        """Remove those that ended before a moment, without holding up a search; tells how many."""
        ...

    def count(self) -> int:
        """Number of procedures."""
        ...


class Words(Protocol):
    """Meanings of words. Nothing leaves the machine; any text may be a word. Safe to call from any thread."""

    def near(self, word: str) -> Sequence[tuple[str, float]]:
        """Other words that mean nearly the same, and how much so (at most 1); none of a word that is not known."""
        ...

    def alike(self, asked: Mapping[str, float], texts: Sequence[Sequence[str]]) -> Sequence[float]:
        """How near the words of each text are, taken together, to those that are asked for: from -1 to 1.

        Args:
            asked: words, and how much each of them tells.
            texts: their words.

        """
        ...
