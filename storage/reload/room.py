"""Which entries have to leave when there are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from storage.schema import RELOAD_ENTRIES

if TYPE_CHECKING:
    from collections.abc import Sequence


class Room(NamedTuple):
    """How many there may be, and how many bytes their documents may have together."""

    entries: int
    size: int

    def crowded_out(self, connection: sa.Connection, own: Sequence[sa.ColumnElement[bool]], new: int) -> list[int]:
        """The numbers of those used longest ago that leave for ``new``, which stays whatever the clock says."""
        rows = RELOAD_ENTRIES.c
        counted = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(rows.size), 0)).where(*own)
        entries, size = connection.execute(counted).one()
        leave: list[int] = []
        if entries > self.entries or size > self.size:
            oldest = sa.select(rows.number, rows.size).where(*own, rows.number != new)
            for row in connection.execute(oldest.order_by(rows.last_used, rows.number)):
                if entries - len(leave) <= self.entries and size <= self.size:
                    break
                leave.append(row.number)
                size -= row.size
        return leave
