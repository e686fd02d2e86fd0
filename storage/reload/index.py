"""By what entries are found: their gate, their exact keys and their words."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from storage.reload.terms import FORM, file_terms, find_nearest, unfile_terms
from storage.schema import RELOAD_ENTRIES, RELOAD_KEYS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.reload.entry import Origin
    from core.reload.ports import Keys

_KEYS: Final = RELOAD_KEYS.c


class EntryIndex:
    """The index of one installation's entries.

    Args:
        owner: the installation.

    """

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def gate(self, gate: str) -> str:
        """A gate as it is kept."""
        return self._digest("gate", gate)

    def origin(self, origin: Origin) -> str:
        """Where an entry comes from, as it is kept: without the revision, for the newer one replaces the older one."""
        return self._digest("origin", origin.kind, origin.name)

    def file(self, connection: sa.Connection, number: int, keys: Keys) -> None:
        """Have an entry found by these, and nothing else."""
        self.remove(connection, [number])
        rows = [{"key": self._digest("key", keys.gate, key), "entry": number} for key in keys.exact]
        if rows:
            connection.execute(sa.insert(RELOAD_KEYS), rows)
        self.file_words(connection, number, self.gate(keys.gate), keys)

    def file_words(self, connection: sa.Connection, number: int, gate: str, keys: Keys) -> None:
        """Have an entry found by the words of these keys; ``gate`` as it is kept."""
        unfile_terms(connection, [number])
        file_terms(connection, gate, number, keys)
        filed = sa.update(RELOAD_ENTRIES).where(RELOAD_ENTRIES.c.number == number)
        connection.execute(filed.values(forms=FORM))

    def remove(self, connection: sa.Connection, numbers: Collection[int]) -> None:
        """Have entries not found any more."""
        connection.execute(sa.delete(RELOAD_KEYS).where(_KEYS.entry.in_(numbers)))
        unfile_terms(connection, numbers)

    def keyed(self, connection: sa.Connection, gate: str, exact: Collection[str]) -> Sequence[int]:
        """The numbers of the entries of any of those exact keys."""
        digests = [self._digest("key", gate, key) for key in exact]
        return connection.execute(sa.select(_KEYS.entry).where(_KEYS.key.in_(digests)).distinct()).scalars().all()

    def nearest(self, connection: sa.Connection, gate: str, words: Mapping[str, float], limit: int) -> Sequence[int]:
        """The numbers of the entries behind a gate that share most with these words, the nearest first."""
        return find_nearest(connection, self.gate(gate), words, limit)

    def _digest(self, *parts: str) -> str:
        return sha256(json.dumps([self._owner, *parts]).encode()).hexdigest()
