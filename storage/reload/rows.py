"""The rows of entries, remembered once read; and of their uses, with the counts that outlive both."""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from core.errors import InvalidRequest, NotFound, TooLarge
from core.reload.entry import Draft, Entry, Metadata, Outcome, Proposal
from core.reload.validation import MAX_ENTRY
from storage.schema import RELOAD_DOCUMENTS, RELOAD_ENTRIES, RELOAD_NOTES, RELOAD_USES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.reload.ports import UseOutcome


USE: Final = "use"
_KEPT: Final = 10_000
"""Uses of an installation; ``report`` asks for late ones."""
_REASONS: Final = 200
"""Most distinct reasons of one kind; further ones are counted together, because they are free texts."""
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
    """Have it count as that outcome, in place of the earlier outcome, which is returned.

    A repeated report of the same outcome changes only the reason, so that no saving counts twice.
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


_REMEMBERED: Final = 32 * 1024 * 1024
"""Bytes of documents that are kept read; to read one takes a third of a millisecond."""
_ID: Final = re.compile(r"reload-([1-9][0-9]{0,8})")
_LOG: Final = logging.getLogger("vaider.reload")


def write_document(draft: Draft) -> str:
    """As it is kept. Raises ``TooLarge``, and ``InvalidRequest`` for half characters, which no database takes."""
    try:
        document = draft.model_dump_json(include=set(Draft.model_fields))
    except PydanticSerializationError:
        raise InvalidRequest(
            "Send texts of whole characters: there is a \\ud800 to \\udfff without its pair."
        ) from None
    if (size := len(document.encode())) > MAX_ENTRY:
        raise TooLarge(f"The actions with their pictures are {size} bytes; {MAX_ENTRY} can be kept. Do less in one.")
    return document


def entry_number(entry_id: str) -> int:
    """The number in an id. Raises ``NotFound`` for what is none."""
    found = _ID.fullmatch(entry_id)
    if found is None:
        raise no_entry(entry_id)
    return int(found[1])


def no_entry(entry_id: str) -> NotFound:
    """That there is no entry of that id."""
    return NotFound(f"There is no entry {shortened(entry_id)}: list what may be reloaded.")


class EntryReader:
    """Makes entries of rows of ``RELOAD_ENTRIES``; safe to use from any thread.

    What cannot be read is left out, logged once, and returned by ``take_unreadable``.
    """

    def __init__(self) -> None:
        self._unreadable: set[int] = set()
        self._logged: set[int] = set()
        self._lock = threading.Lock()
        self._remembered: OrderedDict[tuple[int, int], tuple[Draft, int]] = OrderedDict()
        self._bytes = 0

    def entries(self, connection: sa.Connection, rows: Sequence[sa.Row[Any]]) -> list[Entry]:
        """The entries of those rows, in their order."""
        with self._lock:
            known = {row.number: self._remembered.get((row.number, row.version)) for row in rows}
            for row in rows:
                if known[row.number] is not None:
                    self._remembered.move_to_end((row.number, row.version))
        documents = RELOAD_DOCUMENTS.c
        wanted = [number for number, found in known.items() if found is None]
        query = sa.select(RELOAD_DOCUMENTS).where(documents.entry.in_(wanted))
        found = {row.entry: row for row in connection.execute(query)} if wanted else {}
        made = (self._entry(row, known[row.number], found.get(row.number)) for row in rows)
        return [entry for entry in made if entry is not None]

    def take_unreadable(self) -> set[int]:
        """The numbers of the rows that could not be read since the last call."""
        with self._lock:
            taken, self._unreadable = self._unreadable, set()
            return taken

    def _entry(self, row: sa.Row[Any], known: tuple[Draft, int] | None, kept: sa.Row[Any] | None) -> Entry | None:
        try:
            draft, _ = known or self._read(row, kept)
            metadata = Metadata(
                created_at=row.created_at,
                last_used=row.last_used,
                use_count=row.uses,
                success_count=row.successes,
                failure_count=row.failures,
                original_message_id=row.message_id,
                agent_id=row.agent_id,
            )
            return Entry(
                **dict(_own(draft)),
                id=f"reload-{row.number}",
                metadata=metadata,
                quarantined=row.quarantined,
                version=row.version,
                proposal=Proposal.model_validate_json(row.proposal) if row.proposal else None,
            )
        except ValueError as error:  # pydantic's are
            self._note(row.number, error)
            return None

    def _read(self, row: sa.Row[Any], kept: sa.Row[Any] | None) -> tuple[Draft, int]:
        if kept is None:
            raise ValueError("it has no document")
        read = Draft.model_validate_json(kept.document), len(kept.document)
        with self._lock:
            if (row.number, row.version) not in self._remembered:
                self._remembered[row.number, row.version] = read
                self._bytes += read[1]
            while self._bytes > _REMEMBERED:
                self._bytes -= self._remembered.popitem(last=False)[1][1]
        return read

    def _note(self, number: int, error: ValueError) -> None:
        with self._lock:
            self._unreadable.add(number)
            if number in self._logged:
                return
            self._logged.add(number)
        # What pydantic quotes of the document may be anybody's.
        what = f"{error.error_count()} faults" if isinstance(error, ValidationError) else str(error)
        _LOG.warning("reload-%d cannot be read and is set aside: %s", number, what)


def _own(draft: Draft) -> dict[str, Any]:
    """The draft's fields, of an entry too."""
    return {name: getattr(draft, name) for name in Draft.model_fields}


class CacheLimits(NamedTuple):
    """How many there may be, and how many bytes their documents may have together."""

    entries: int
    size: int

    def select_evicted(self, connection: sa.Connection, own: Sequence[sa.ColumnElement[bool]], new: int) -> list[int]:
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
