"""What remembering and recalling ask of the outside: a place for what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from core.memory import Procedure
    from core.recall.spans import Span
    from core.recall.terms import Fields


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
        """The one of that id."""
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
        """How many there are."""
        ...
