"""The lists of objects in a JSON document, as tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.effects.selecting import Table
from core.effects.rows import plain_name
from core.errors import EffectUnreadable
from core.untrusted_files import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from decimal import Decimal

    from core.effects.effect import Effect
    from core.effects.rows import Cell, Row

_DEEPEST: Final = 6


def tables_of(content: bytes, effect: Effect, source: str, *, max_bytes: int) -> Sequence[Table]:
    """Each list of objects, and each object that is in no list, as a table of one row.

    A list without entries has no columns yet: the only one is taken for the one that is meant where no other fits.
    Raises ``EffectUnreadable`` for what is no JSON.
    """
    try:
        document = parse_json(content, max_bytes=max_bytes)
    except ValueError as error:
        raise EffectUnreadable(f"{source} {error}.") from None
    tables = list(_tables(document, 0))
    wanted = {plain_name(column) for column in effect.columns}
    empty = [table for table in tables if not table.rows]
    if len(empty) == 1 and not any(wanted <= {plain_name(column) for column in each.columns} for each in tables):
        return [Table(effect.columns, ()) if table in empty else table for table in tables]
    return tables


def _tables(value: Any, depth: int) -> Iterator[Table]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if all(isinstance(item, dict) for item in items):
            rows = [_row(cast("dict[str, Any]", item)) for item in items]
            yield Table(list(dict.fromkeys(name for row in rows for name in row)), rows)
    elif isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        plain = {name: each for name, each in members.items() if not isinstance(each, list | dict)}
        if plain:
            yield Table(list(plain), [_row(plain)])
        for each in members.values():
            yield from _tables(each, depth + 1)


def _row(item: Mapping[str, Any]) -> Row:
    """The cells: those of an object in it as ``customer.name``, a list as its JSON."""
    found: dict[str, Cell] = {}
    for name, value in item.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": cell for inner, cell in _row(cast("dict[str, Any]", value)).items()}
        elif isinstance(value, list):
            found[name] = json.dumps(value, ensure_ascii=False, default=str)
        else:
            found[name] = cast("str | int | Decimal | bool | None", value)
    return found
