"""Which of the lists or tables that were found has an effect's columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from core.effects.rows import plain_name
from core.errors import EffectUnreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.effects.effect import Effect
    from core.effects.rows import Row

MAX_ROWS = 50_000
_MOST_NAMED = 12


class Table(NamedTuple):
    """A list of rows, and its columns, which it has also while it has no rows."""

    columns: Sequence[str]
    rows: Sequence[Row]


def rows_for(effect: Effect, tables: Sequence[Table], source: str) -> Sequence[Row]:
    """The rows of the only table that has all the columns. Raises ``EffectUnreadable``."""
    wanted = {plain_name(column) for column in effect.columns}
    fitting = [table for table in tables if wanted <= {plain_name(column) for column in table.columns}]
    if not fitting:
        missing = next((name for name in effect.columns if not _is_known(name, tables)), None)
        columns = list(dict.fromkeys(column for table in tables for column in table.columns if column))
        has = f"its columns are {', '.join(columns[:_MOST_NAMED])}" if columns else "there is no table or list in it"
        lacks = (
            f"has no column {missing!r}" if missing is not None else f"has no table with {', '.join(effect.columns)}"
        )
        raise EffectUnreadable(f"{source} {lacks}; {has}.")
    if len(fitting) > 1:
        raise EffectUnreadable(
            f"{source} has {len(fitting)} tables with {', '.join(effect.columns)}: name more columns."
        )
    if len(fitting[0].rows) > MAX_ROWS:
        raise EffectUnreadable(f"{source} has more than {MAX_ROWS} rows: name an address that shows fewer.")
    return fitting[0].rows


def _is_known(column: str, tables: Sequence[Table]) -> bool:
    return any(plain_name(column) == plain_name(each) for table in tables for each in table.columns)
