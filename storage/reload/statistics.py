"""What the user is shown of reload in numbers."""

from __future__ import annotations

import sqlalchemy as sa

from storage.reload.uses import USE
from storage.schema import RELOAD_ENTRIES, RELOAD_NOTES, RELOAD_USES


def count_entries(connection: sa.Connection, owner: str, since: str) -> dict[str, object]:
    """Entries, bytes of all documents, quarantined and set aside; those last used before ``since`` are not offered."""
    rows = RELOAD_ENTRIES.c
    is_offered = sa.and_(rows.set_aside.is_(False), rows.last_used >= since)
    query = sa.select(
        sa.func.count(sa.case((is_offered, 1))),
        sa.func.coalesce(sa.func.sum(rows.size), 0),
        sa.func.count(sa.case((sa.and_(is_offered, rows.quarantined != ""), 1))),
        sa.func.count(sa.case((rows.set_aside.is_(True), 1))),
    ).where(rows.owner == owner)
    entries, size, quarantined, set_aside = connection.execute(query).one()
    return {"entries": entries, "bytes": int(size), "quarantined": quarantined, "set_aside": set_aside}


def count_uses(connection: sa.Connection, owner: str) -> dict[str, object]:
    """Counts by kind and reason, uses by outcome, and what they saved."""
    notes = RELOAD_NOTES.c
    kinds: dict[str, dict[str, int]] = {"offer": {}, "hit": {}, "miss": {}, "refusal": {}, USE: {}}
    saved_ms = saved_calls = 0
    for row in connection.execute(sa.select(RELOAD_NOTES).where(notes.owner == owner).order_by(notes.times.desc())):
        kinds.setdefault(row.kind, {})[row.reason] = row.times
        saved_ms, saved_calls = saved_ms + row.saved_ms, saved_calls + row.saved_calls
    uses = RELOAD_USES.c
    still = sa.select(sa.func.count()).select_from(RELOAD_USES).where(uses.owner == owner, uses.outcome.is_(None))
    outcomes = {outcome: kinds[USE].get(outcome, 0) for outcome in ("succeeded", "failed", "interrupted")}
    return {
        "offers": kinds["offer"],
        "hits": kinds["hit"],
        "misses": kinds["miss"],
        "refusals": kinds["refusal"],
        "uses": {**outcomes, "open": connection.execute(still).scalar_one()},
        "saved_ms": saved_ms,
        "saved_calls": saved_calls,
    }
