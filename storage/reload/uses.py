"""What became of each use, and the counts that outlive uses and entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from storage.schema import RELOAD_NOTES, RELOAD_USES

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.reload.counting import Outcome
    from core.reload.ports import UseOutcome

USE: Final = "use"
_KEPT: Final = 10_000
"""Uses of an installation; ``report`` asks for late ones."""
_REASONS: Final = 200
"""Of one kind; more would be texts of somebody's, and are counted together."""
_OTHER: Final = "other"
_LONGEST: Final = 200
_MOST_SAVED: Final = 1 << 40
"""By one use; the sum of all has to fit into a column."""


def insert_use(connection: sa.Connection, owner: str, entry: int, job_id: str, begun_at: str) -> int:
    """A new use, open; old ones that ended leave."""
    uses = RELOAD_USES.c
    row = {"owner": owner, "entry": entry, "job_id": shortened(job_id), "begun_at": begun_at}
    insert = sa.insert(RELOAD_USES).values(**row, reason="", saved_ms=0, saved_calls=0).returning(uses.number)
    number = connection.execute(insert).scalar_one()
    # Once in a while: counting them at each use would cost more than a few rows too many.
    if number % 100 == 0:
        ended = sa.select(uses.number).where(uses.owner == owner, uses.outcome.is_not(None))
        oldest = connection.execute(ended.order_by(uses.number.desc()).offset(_KEPT).limit(1)).scalar()
        if oldest is not None:
            is_old = (uses.owner == owner, uses.number <= oldest, uses.outcome.is_not(None))
            connection.execute(sa.delete(RELOAD_USES).where(*is_old))
    return number


def find_use(connection: sa.Connection, owner: str, number: int) -> sa.Row[Any] | None:
    """The use of that number."""
    uses = RELOAD_USES.c
    query = sa.select(RELOAD_USES).where(uses.owner == owner, uses.number == number)
    return connection.execute(query).one_or_none()


def last_use(connection: sa.Connection, owner: str, entry: int, job_id: str) -> sa.Row[Any] | None:
    """The last use of an entry, by a job if it is named."""
    uses = RELOAD_USES.c
    query = sa.select(RELOAD_USES).where(uses.owner == owner, uses.entry == entry)
    if job_id:
        query = query.where(uses.job_id == shortened(job_id))
    return connection.execute(query.order_by(uses.number.desc()).limit(1)).one_or_none()


def settle_use(connection: sa.Connection, use: sa.Row[Any], outcome: UseOutcome) -> Outcome | None:
    """Have it count as that outcome, in the place of what it counted as before, which is told.

    Who says again what was counted already changes no more than the reason: nobody measures what was saved twice.
    """
    before: Outcome | None = use.outcome
    values: dict[str, Any] = {"outcome": outcome.outcome, "reason": shortened(outcome.reason) or use.reason}
    if outcome.outcome != before:
        if before is not None:
            _count(connection, use.owner, USE, before, (-1, -use.saved_ms, -use.saved_calls))
        saved_ms, saved_calls = (min(max(0, saved), _MOST_SAVED) for saved in (outcome.saved_ms, outcome.saved_calls))
        values |= {"saved_ms": saved_ms, "saved_calls": saved_calls}
        _count(connection, use.owner, USE, outcome.outcome, (1, values["saved_ms"], values["saved_calls"]))
    connection.execute(sa.update(RELOAD_USES).where(RELOAD_USES.c.number == use.number).values(**values))
    return before


def open_uses(connection: sa.Connection, owner: str, is_alive: Callable[[str], bool]) -> list[sa.Row[Any]]:
    """The uses that have not ended although their job has."""
    uses = RELOAD_USES.c
    rows = connection.execute(sa.select(RELOAD_USES).where(uses.owner == owner, uses.outcome.is_(None))).all()
    alive = {job_id: is_alive(job_id) for job_id in {row.job_id for row in rows}}
    return [row for row in rows if not alive[row.job_id]]


def count_note(connection: sa.Connection, owner: str, kind: str, reason: str, times: int) -> None:
    """Count so many of a kind, by their reason."""
    notes = RELOAD_NOTES.c
    reason = shortened(reason)
    of_kind = (notes.owner == owner, notes.kind == kind)
    is_known = connection.execute(sa.select(notes.reason).where(*of_kind, notes.reason == reason)).one_or_none()
    if is_known is None:
        known = connection.execute(sa.select(sa.func.count()).select_from(RELOAD_NOTES).where(*of_kind)).scalar_one()
        reason = reason if known < _REASONS else _OTHER
    _count(connection, owner, kind, reason, (times, 0, 0))


def shortened(text: str) -> str:
    """As a column takes it: short, of whole characters, and without the one that PostgreSQL refuses."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()[:_LONGEST]


def _count(connection: sa.Connection, owner: str, kind: str, reason: str, more: tuple[int, int, int]) -> None:
    notes = RELOAD_NOTES.c
    count, saved_ms, saved_calls = more
    of_reason = (notes.owner == owner, notes.kind == kind, notes.reason == reason)
    grown = (
        sa.update(RELOAD_NOTES)
        .where(*of_reason)
        .values(
            times=notes.times + count, saved_ms=notes.saved_ms + saved_ms, saved_calls=notes.saved_calls + saved_calls
        )
    )
    if connection.execute(grown).rowcount == 0:
        row = {"owner": owner, "kind": kind, "reason": reason, "times": count}
        connection.execute(sa.insert(RELOAD_NOTES).values(**row, saved_ms=saved_ms, saved_calls=saved_calls))
