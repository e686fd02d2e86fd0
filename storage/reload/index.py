"""By what entries are found: their gate, their exact keys and their words."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from storage.reload.wordings import file_wordings, find_worded, touch_wordings, unfile_wordings
from storage.schema import RELOAD_ENTRIES, RELOAD_KEYS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from core.reload.entry import Draft
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

    def origin(self, draft: Draft) -> str:
        """Where a draft comes from, as it is kept: without the revision, for the newer one replaces the older one."""
        return self._digest("origin", draft.origin.kind, draft.origin.name)

    def file(self, connection: sa.Connection, number: int, keys: Keys, last_used: str) -> None:
        """Have an entry found by these, and nothing else."""
        self.remove(connection, [number])
        rows = [{"key": self._digest("key", keys.gate, key), "entry": number} for key in keys.exact]
        if rows:
            connection.execute(sa.insert(RELOAD_KEYS), rows)
        file_wordings(connection, self.gate(keys.gate), number, keys.words, last_used)

    def remove(self, connection: sa.Connection, numbers: Collection[int]) -> None:
        """Have entries not found any more."""
        connection.execute(sa.delete(RELOAD_KEYS).where(_KEYS.entry.in_(numbers)))
        unfile_wordings(connection, numbers)

    def touch(self, connection: sa.Connection, number: int, last_used: str) -> None:
        """Note when an entry was used."""
        touch_wordings(connection, number, last_used)

    def with_key(self, gate: str, key: str) -> sa.Select[Any]:
        """Rows of the entries of an exact key."""
        query = sa.select(RELOAD_ENTRIES).join(RELOAD_KEYS, _KEYS.entry == RELOAD_ENTRIES.c.number)
        return query.where(_KEYS.key == self._digest("key", gate, key))

    def twins(self, keys: Keys, draft: Draft) -> sa.Select[Any]:
        """Rows of the entries with an exact key in common, the same gate and the same origin."""
        exact = [self._digest("key", keys.gate, key) for key in keys.exact]
        its = sa.select(_KEYS.entry).where(_KEYS.key.in_(exact))
        rows = RELOAD_ENTRIES.c
        query = sa.select(RELOAD_ENTRIES).where(rows.number.in_(its), rows.gate == self.gate(keys.gate))
        return query.where(rows.origin == self.origin(draft))

    def worded(
        self, connection: sa.Connection, gate: str, words: Collection[str], limit: int, since: str
    ) -> Sequence[int]:
        """The numbers of entries of which all words of a wording are among ``words``."""
        return find_worded(connection, self.gate(gate), words, limit, since)

    def _digest(self, *parts: str) -> str:
        return sha256(json.dumps([self._owner, *parts]).encode()).hexdigest()
