"""Reads entries out of their rows, and remembers what was read: a document stays as it is until its version grows."""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from core.errors import InvalidRequest, NotFound, TooLarge
from core.reload.entry import Draft, Entry, Metadata, Proposal
from core.reload.vetting import MAX_ENTRY
from storage.reload.uses import shortened
from storage.schema import RELOAD_DOCUMENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    What cannot be read is left out, logged once, and told by ``take_unreadable``.
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
        """The numbers of those that could not be read since somebody asked last."""
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
