"""Files entries by their words that a Vaider kept which looked them up otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from core.reload.keys import keys_of
from storage.reload.terms import FORM
from storage.schema import RELOAD_ENTRIES

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from storage.reload.index import EntryIndex
    from storage.reload.rows import EntryReader

_AT_ONCE: Final = 100
"""Entries in one transaction: others write in between."""
_ROWS: Final = RELOAD_ENTRIES.c


def refile(
    read: Callable[[], AbstractContextManager[sa.Connection]],
    write: Callable[[], AbstractContextManager[sa.Connection]],
    owner: str,
    reader: EntryReader,
    index: EntryIndex,
) -> int:
    """File the owner's entries that are not filed by their words yet; returns how many.

    Args:
        read: begins a transaction.
        write: begins one that nobody else writes in.
        owner: the installation.
        reader: of its entries; what cannot be read stays as it is.
        index: of its entries.

    """
    is_other = sa.or_(_ROWS.forms.is_(None), _ROWS.forms != FORM)
    conditions = (_ROWS.owner == owner, _ROWS.set_aside.is_(False), is_other)
    with read() as connection:
        numbers = connection.execute(sa.select(_ROWS.number).where(*conditions).order_by(_ROWS.number)).scalars().all()
    filed = 0
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        with write() as connection:
            rows = connection.execute(sa.select(RELOAD_ENTRIES).where(*conditions, _ROWS.number.in_(some))).all()
            by_id = {f"reload-{row.number}": row for row in rows}
            for entry in reader.entries(connection, rows):
                row = by_id[entry.id]
                index.file_words(connection, row.number, row.gate, keys_of(entry))
                filed += 1
    return filed
