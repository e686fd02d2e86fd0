"""Entries of reload in the database, the keys that they are found by, and what became of their uses."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from core.errors import Conflict, NotFound, StorageFailed
from core.reload.entry import Counts, Draft, Entry, Origin, Proposal
from core.reload.ports import Keys, Nearby, Noted, UseOutcome
from storage.reload.index import EntryIndex, read_phrasings, refile
from storage.reload.rows import (
    CacheLimits,
    EntryReader,
    count_entries,
    count_note,
    count_uses,
    entry_number,
    find_use,
    insert_use,
    last_use,
    no_entry,
    open_uses,
    settle_use,
    shortened,
    write_document,
)
from storage.schema import RELOAD_DOCUMENTS, RELOAD_ENTRIES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from storage.database import Database

_SURE_AFTER: Final = timedelta(hours=1)
"""Between the reading of the clock by which an entry has been idle too long and the one that removes it."""
_AT_ONCE: Final = 1000
"""Entries that one statement removes."""
_LOCK: Final = 0x7661_6964_6572
"""Names the lock of writers in PostgreSQL, which SQLite has by itself: they take rows in any order."""
_ROWS: Final = RELOAD_ENTRIES.c


class SqlEntryStore:
    """Implements ``core.reload.ports.EntryStore``.

    Expiry: an entry that has been idle too long by the clock as it stands is in no answer but ``get``'s. It is
    removed by the next write or list at least an hour after that was first seen, if it still holds: a clock that was
    wrong once removes nothing. A clock that was set back makes nothing expire; no use makes an entry look older.
    ``close_abandoned``, called at any time, closes uses that a daemon left open when it died.

    Args:
        database: open.
        owner: the installation whose entries these are.
        max_entries: of more, those used longest ago leave; with ``max_bytes`` of all documents it is the same.
        max_idle_hours: since an entry's last use.
        clock: tells the time, in UTC.

    """

    def __init__(
        self,
        database: Database,
        owner: str,
        *,
        max_entries: int = 10_000,
        max_bytes: int = 1 << 30,
        max_idle_hours: float = 720.0,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._owner = owner
        self._limits = CacheLimits(max_entries, max_bytes)
        self._max_idle = timedelta(hours=max_idle_hours)
        self._clock = clock
        self._reader = EntryReader()
        self._index = EntryIndex(owner)
        self._own = (_ROWS.owner == owner, _ROWS.set_aside.is_(False))
        self._retry_set_aside()
        refile(self._read, self._write, owner, self._reader, self._index)

    def keep(self, draft: Draft, keys: Keys, *, message_id: str = "", agent_id: str = "") -> Entry:
        """Keep it, in the place of its twin if it has one."""
        document = write_document(draft)
        if not keys.exact and draft.origin.name:
            # Without a phrasing it is identified by its origin, so that a repeated import is stored once.
            keys = keys._replace(exact=frozenset({draft.origin.name}))
        with self._write() as connection:
            now = self._now()
            twin = self._twin(connection, keys, draft)
            row: dict[str, Any] = {
                "last_used": now,
                "size": len(document.encode()),
                "expired_at": None,
                "proposal": None,
            }
            row |= {"message_id": shortened(message_id), "agent_id": shortened(agent_id)}
            if twin is None:
                found_by = {"gate": self._index.gate(keys.gate), "origin": self._index.origin(draft.origin)}
                row |= {"owner": self._owner, **found_by, "version": 1, "created_at": now}
                row |= {"uses": 0, "successes": 0, "failures": 0, "quarantined": "", "set_aside": False}
                number = connection.execute(
                    sa.insert(RELOAD_ENTRIES).values(**row).returning(_ROWS.number)
                ).scalar_one()
            else:
                number = twin.number
                row |= {"last_used": max(now, twin.last_used), "version": twin.version + 1}
                if draft.verified:
                    row["quarantined"] = ""
                elif self._entry(connection, number).actions != draft.actions:
                    # What was seen of other actions says nothing of these.
                    row |= {"successes": 0, "failures": 0}
                self._update(connection, number, **row)
            self._put(connection, number, document)
            self._index.file(connection, number, keys)
            self._sweep(connection)
            self._remove(connection, self._limits.select_evicted(connection, self._own, number))
            return self._entry(connection, number)

    def get(self, entry_id: str) -> Entry:
        """The entry of that id."""
        with self._read() as connection:
            return self._entry(connection, entry_number(entry_id))

    def newest(self, limit: int, *, offset: int = 0) -> Sequence[Entry]:
        """Those used last."""
        self._remove_expired()
        query = sa.select(RELOAD_ENTRIES).where(*self._own, _ROWS.last_used >= self._since())
        query = query.order_by(_ROWS.last_used.desc(), _ROWS.number.desc()).offset(offset).limit(limit)
        found, is_all = self._read_rows(query)
        # What cannot be read is set aside by now, and leaves its place to others.
        return found if is_all else self._read_rows(query)[0]

    def exactly(self, gate: str, key: str) -> Entry | None:
        """The one of that exact key; of several the one used last, but before any that is in quarantine."""
        with self._read() as connection:
            rows = self._live(connection, self._index.keyed(connection, gate, [key]), self._since())
            for row in sorted(rows, key=lambda row: row.quarantined != ""):
                if found := self._reader.entries(connection, [row]):
                    return found[0]
        return None

    def nearest(self, gate: str, words: Mapping[str, float], limit: int) -> Sequence[Nearby]:
        """Those that share most with these words, the nearest first."""
        since = self._since()
        with self._read() as connection:
            numbers = self._index.nearest(connection, gate, words, limit)
            live = {row.number for row in self._live(connection, numbers, since)}
            phrasings = read_phrasings(connection, live)
        return [Nearby(f"reload-{number}", phrasings.get(number, [])) for number in numbers if number in live]

    def of_origin(self, gate: str, origin: Origin, limit: int) -> Sequence[Entry]:
        """Those of that origin behind that gate, the last used first."""
        query = sa.select(RELOAD_ENTRIES).where(
            *self._own,
            _ROWS.origin == self._index.origin(origin),
            _ROWS.gate == self._index.gate(gate),
            _ROWS.last_used >= self._since(),
        )
        return self._read_rows(query.order_by(_ROWS.last_used.desc(), _ROWS.number.desc()).limit(limit))[0]

    def change(self, entry: Entry, keys: Keys) -> None:
        """Put it in the place of the version before it: its ``version`` is one more than the one that is kept."""
        document, number = write_document(entry), entry_number(entry.id)
        proposal = entry.proposal.model_dump_json() if entry.proposal else None
        row = {
            "version": entry.version,
            "size": len(document.encode()),
            "origin": self._index.origin(entry.origin),
            "proposal": proposal,
        }
        with self._write() as connection:
            kept = self._row(connection, number)
            if kept.version != entry.version - 1:
                raise Conflict(f"{entry.id} has been changed meanwhile: fetch it again.")
            self._update(connection, number, **row, gate=self._index.gate(keys.gate))
            self._put(connection, number, document)
            self._index.file(connection, number, keys)

    def propose(self, entry_id: str, version: int, proposal: Proposal | None) -> None:
        """Keep what healing proposes beside that version."""
        text = proposal.model_dump_json() if proposal else None
        with self._write() as connection:
            row = self._row(connection, entry_number(entry_id))
            if row.version != version:
                raise Conflict(f"{entry_id} has been changed meanwhile: fetch it again.")
            self._update(connection, row.number, proposal=text)

    def quarantine(self, entry_id: str, reason: str) -> None:
        """Have it not offered any more; an empty reason lifts it."""
        with self._write() as connection:
            row = self._row(connection, entry_number(entry_id))
            self._update(connection, row.number, quarantined=shortened(reason))

    def forget(self, entry_id: str) -> None:
        """Remove it, also one that was set aside."""
        with self._write() as connection:
            query = sa.select(_ROWS.number).where(_ROWS.owner == self._owner, _ROWS.number == entry_number(entry_id))
            if connection.execute(query).one_or_none() is None:
                raise no_entry(entry_id)
            self._remove(connection, [entry_number(entry_id)])

    def forget_all(self) -> int:
        """Remove all, also those that were set aside."""
        with self._write() as connection:
            return self._remove_where(connection, _ROWS.owner == self._owner)

    def begin_use(self, entry_id: str, job_id: str) -> int:
        """Count a use."""
        with self._write() as connection:
            row = self._row(connection, entry_number(entry_id))
            last_used = max(self._now(), row.last_used)
            self._update(connection, row.number, uses=_ROWS.uses + 1, last_used=last_used, expired_at=None)
            return insert_use(connection, self._owner, row.number, job_id, self._now())

    def end_use(self, use: int, outcome: UseOutcome) -> Entry | None:
        """Count how it ended, once; a second time tells the entry as it is."""
        with self._write() as connection:
            row = find_use(connection, self._owner, use)
            if row is None:
                raise NotFound(f"There is no use {use}: begin one.")
            return self._settle(connection, row, outcome if row.outcome is None else None)

    def report(self, entry_id: str, outcome: UseOutcome, job_id: str = "") -> Entry:
        """Replace what was counted for the last use, or the job's; one that has not ended, ends by that."""
        with self._write() as connection:
            number = self._row(connection, entry_number(entry_id)).number
            row = last_use(connection, self._owner, number, job_id)
            if row is None:
                by = f" by {shortened(job_id)}" if job_id else ""
                raise Conflict(f"{entry_id} has not been used{by}: replay it before you report what became of it.")
            return self._settle(connection, row, outcome) or self._entry(connection, number)

    def close_abandoned(self, is_alive: Callable[[str], bool]) -> int:
        """End as interrupted what a daemon left open when it died; tells how many.

        Args:
            is_alive: whether the job of that id may still end its use by itself; of no job the id is empty.

        """
        with self._write() as connection:
            rows = open_uses(connection, self._owner, is_alive)
            for row in rows:
                settle_use(connection, row, UseOutcome("interrupted", "Vaider ended meanwhile"))
            return len(rows)

    def note(self, counts: Mapping[tuple[Noted, str], int]) -> None:
        """Count so many of a kind, by their reason."""
        with self._write() as connection:
            for (kind, reason), times in sorted(counts.items()):
                count_note(connection, self._owner, kind, reason, times)

    def statistics(self) -> Mapping[str, object]:
        """Entries, bytes, quarantined, set aside, counts by kind and reason, uses by outcome, and what they saved."""
        since = self._since()
        with self._read() as connection:
            return count_entries(connection, self._owner, since) | count_uses(connection, self._owner)

    @contextlib.contextmanager
    def _read(self) -> Generator[sa.Connection]:
        try:
            with self._database.read() as connection:
                if connection.dialect.name == "postgresql":
                    # A row and its document of another version would be remembered as one.
                    connection.execution_options(isolation_level="REPEATABLE READ")
                yield connection
        finally:
            self._set_aside()

    @contextlib.contextmanager
    def _write(self) -> Generator[sa.Connection]:
        try:
            with self._database.write() as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
                yield connection
        finally:
            self._set_aside()

    def _set_aside(self) -> None:
        """Mark what could not be read, so that it is neither offered nor removed by anybody but its user."""
        if numbers := self._reader.take_unreadable():
            marked = sa.update(RELOAD_ENTRIES).where(_ROWS.number.in_(numbers)).values(set_aside=True)
            # What was asked for has been answered; the mark is made the next time.
            with contextlib.suppress(StorageFailed), self._database.write() as connection:
                connection.execute(marked)

    def _retry_set_aside(self) -> None:
        """A newer Vaider wrote them, perhaps, and this is one."""
        query = sa.select(RELOAD_ENTRIES).where(_ROWS.owner == self._owner, _ROWS.set_aside.is_(True))
        with self._read() as connection:
            read = self._reader.entries(connection, connection.execute(query).all())
        if read:
            numbers = [entry_number(entry.id) for entry in read]
            with self._write() as connection:
                connection.execute(sa.update(RELOAD_ENTRIES).where(_ROWS.number.in_(numbers)).values(set_aside=False))

    def _now(self) -> str:
        return _text(self._clock())

    def _since(self) -> str:
        """When what is not too old was used at the earliest."""
        now = self._clock()
        try:
            return _text(now - self._max_idle)
        except OverflowError:
            return ""

    def _read_rows(self, query: sa.Select[Any]) -> tuple[list[Entry], bool]:
        """The entries, and whether all of them can be read."""
        with self._read() as connection:
            rows = connection.execute(query).all()
            found = self._reader.entries(connection, rows)
        return found, len(found) == len(rows)

    def _live(self, connection: sa.Connection, numbers: Sequence[int], since: str = "") -> list[sa.Row[Any]]:
        """Of those the ones that count, used last first.

        Asked for by nothing but their numbers: with more conditions SQLite takes an index, and reads all in it.
        """
        rows = connection.execute(sa.select(RELOAD_ENTRIES).where(_ROWS.number.in_(numbers))).all() if numbers else ()
        own = [row for row in rows if row.owner == self._owner and not row.set_aside and row.last_used >= since]
        return sorted(own, key=lambda row: (row.last_used, row.number), reverse=True)

    def _twin(self, connection: sa.Connection, keys: Keys, draft: Draft) -> sa.Row[Any] | None:
        """The one that it replaces; never one that cannot be read."""
        found_by = self._index.gate(keys.gate), self._index.origin(draft.origin)
        rows = self._live(connection, self._index.keyed(connection, keys.gate, keys.exact))
        twins = (row for row in rows if (row.gate, row.origin) == found_by)
        return next((row for row in twins if self._reader.entries(connection, [row])), None)

    def _row(self, connection: sa.Connection, number: int) -> sa.Row[Any]:
        row = connection.execute(sa.select(RELOAD_ENTRIES).where(*self._own, _ROWS.number == number)).one_or_none()
        if row is None:
            raise no_entry(f"reload-{number}")
        return row

    def _entry(self, connection: sa.Connection, number: int) -> Entry:
        found = self._reader.entries(connection, [self._row(connection, number)])
        if not found:
            raise no_entry(f"reload-{number}")
        return found[0]

    def _update(self, connection: sa.Connection, number: int, **values: Any) -> None:
        connection.execute(sa.update(RELOAD_ENTRIES).where(_ROWS.number == number).values(**values))

    def _put(self, connection: sa.Connection, number: int, document: str) -> None:
        connection.execute(sa.delete(RELOAD_DOCUMENTS).where(RELOAD_DOCUMENTS.c.entry == number))
        connection.execute(sa.insert(RELOAD_DOCUMENTS).values(entry=number, document=document))

    def _remove_expired(self) -> None:
        is_new = sa.or_(_ROWS.expired_at.is_(None), _ROWS.expired_at <= _text(self._clock() - _SURE_AFTER))
        query = sa.select(_ROWS.number).where(*self._own, _ROWS.last_used < self._since(), is_new)
        with self._read() as connection:
            is_needed = connection.execute(query.limit(1)).one_or_none() is not None
        if is_needed:
            with self._write() as connection:
                self._sweep(connection)

    def _sweep(self, connection: sa.Connection) -> None:
        is_expired = (*self._own, _ROWS.last_used < self._since())
        now = self._clock()
        self._remove_where(connection, *is_expired, _ROWS.expired_at <= _text(now - _SURE_AFTER))
        first = sa.update(RELOAD_ENTRIES).where(*is_expired, _ROWS.expired_at.is_(None))
        connection.execute(first.values(expired_at=_text(now)))

    def _remove_where(self, connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> int:
        numbers = connection.execute(sa.select(_ROWS.number).where(*conditions)).scalars().all()
        self._remove(connection, numbers)
        return len(numbers)

    def _remove(self, connection: sa.Connection, numbers: Sequence[int]) -> None:
        for start in range(0, len(numbers), _AT_ONCE):
            some = numbers[start : start + _AT_ONCE]
            self._index.remove(connection, some)
            connection.execute(sa.delete(RELOAD_ENTRIES).where(_ROWS.number.in_(some)))

    def _settle(self, connection: sa.Connection, use: sa.Row[Any], outcome: UseOutcome | None) -> Entry | None:
        before = settle_use(connection, use, outcome) if outcome else None
        query = sa.select(RELOAD_ENTRIES).where(*self._own, _ROWS.number == use.entry)
        row = connection.execute(query).one_or_none()
        if row is None:
            return None
        if outcome:
            counts = Counts(row.successes, row.failures).replaced(before, outcome.outcome)
            why = {"succeeded": "", "failed": shortened(outcome.reason) or "its last use failed"}
            self._update(
                connection, row.number, **counts._asdict(), quarantined=why.get(outcome.outcome, row.quarantined)
            )
        return self._entry(connection, row.number)


def _text(moment: datetime) -> str:
    """All of one length, so that they compare as text as they do in time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
