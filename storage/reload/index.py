"""By what entries are found: their gate, their exact keys and their words."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from core.reload.matching.forms import word_forms
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
        self._file_words(connection, number, self.gate(keys.gate), keys.words, last_used)

    def refile(
        self, connection: sa.Connection, number: int, gate: str, wordings: Sequence[frozenset[str]], last_used: str
    ) -> None:
        """Have an entry found by other words; ``gate`` as it is kept."""
        unfile_wordings(connection, [number])
        self._file_words(connection, number, gate, wordings, last_used)

    def remove(self, connection: sa.Connection, numbers: Collection[int]) -> None:
        """Have entries not found any more."""
        connection.execute(sa.delete(RELOAD_KEYS).where(_KEYS.entry.in_(numbers)))
        unfile_wordings(connection, numbers)

    def touch(self, connection: sa.Connection, number: int, last_used: str) -> None:
        """Note when an entry was used."""
        touch_wordings(connection, number, last_used)

    def keyed(self, connection: sa.Connection, gate: str, exact: Collection[str]) -> Sequence[int]:
        """The numbers of the entries of any of those exact keys."""
        digests = [self._digest("key", gate, key) for key in exact]
        return connection.execute(sa.select(_KEYS.entry).where(_KEYS.key.in_(digests)).distinct()).scalars().all()

    def worded(
        self, connection: sa.Connection, gate: str, words: Collection[str], limit: int, since: str
    ) -> Sequence[int]:
        """The numbers of entries of which all words of a wording are among ``words``."""
        return find_worded(connection, self.gate(gate), words, limit, since)

    def _file_words(
        self, connection: sa.Connection, number: int, gate: str, wordings: Sequence[frozenset[str]], last_used: str
    ) -> None:
        file_wordings(connection, gate, number, wordings, last_used)
        filed = sa.update(RELOAD_ENTRIES).where(RELOAD_ENTRIES.c.number == number)
        connection.execute(filed.values(forms=word_forms()))

    def _digest(self, *parts: str) -> str:
        return sha256(json.dumps([self._owner, *parts]).encode()).hexdigest()
