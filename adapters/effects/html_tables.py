"""The tables, lists and records of an HTML document, as rows of the text that is shown.

A table's columns are its headers. Left out are footers, and rows with a cell across several columns, which say "nothing
here" or a total. A record is a table of ``th`` beside ``td``, a ``dl``, or the labelled fields of a form. The entries
of all lists are one table with the column ``text``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from adapters.effects.selecting import Table
from core.effects.effect import TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from adapters.effects.html_tree import Node

_NESTED: Final = frozenset({"table"})
_FIELDS: Final = ("input", "select", "textarea")
_PAIR: Final = 2


class Found(NamedTuple):
    """What a page shows."""

    tables: Sequence[Table]
    records: Sequence[Table]


def tables_of(document: Node) -> Found:
    """The tables and the records of a document."""
    grids = list(document.all("table"))
    tables = [table for table in map(_table, grids) if table is not None]
    entries = [entry.text for entry in document.all("li")]
    if entries:
        tables.append(Table((TEXT,), [{TEXT: entry} for entry in entries]))
    records = [*map(_vertical, grids), *map(_terms, document.all("dl")), _fields(document)]
    return Found(tables, [Table(tuple(record), [record]) for record in records if record])


def _table(grid: Node) -> Table | None:
    """The table, ``None`` where no row names its columns."""
    footers = {id(row) for footer in grid.all("tfoot", within=_NESTED) for row in footer.all("tr", within=_NESTED)}
    rows = [
        list(row.all("td", "th", within=_NESTED)) for row in grid.all("tr", within=_NESTED) if id(row) not in footers
    ]
    rows = [row for row in rows if row]
    heads = [at for at, row in enumerate(rows) if all(cell.name == "th" for cell in row)]
    if not heads and any(cell.name == "th" for row in rows for cell in row):
        return None
    head = heads[0] if heads else 0
    while head + 1 in heads:
        # The last of several lines of headers is the one that names each column.
        head += 1
    if not rows or (not heads and len(rows) < _PAIR):
        return None
    columns = _columns(rows[head])
    body = [row for row in rows[head + 1 :] if not any(map(_is_spanning, row))]
    return Table(columns, [_row(columns, row) for row in body])


def _columns(header: Sequence[Node]) -> Sequence[str]:
    """A name for each column; one without words, or of a name that another has, is named by its place."""
    columns: list[str] = []
    for cell in header:
        span = cell.attributes.get("colspan", "1")
        for _ in range(min(int(span), 100) if span.isdecimal() else 1):
            name = cell.text
            columns.append(name if name and name not in columns else f"column {len(columns) + 1}")
    return columns


def _row(columns: Sequence[str], cells: Sequence[Node]) -> Mapping[str, str]:
    texts = [cell.text for cell in cells]
    more = {f"column {at + 1}": text for at, text in enumerate(texts) if at >= len(columns)}
    return dict(zip(columns, [*texts, *[""] * len(columns)], strict=False)) | more


def _is_spanning(cell: Node) -> bool:
    return cell.attributes.get("colspan", "1") != "1"


def _vertical(grid: Node) -> Mapping[str, str]:
    """The record of a table whose every row is a header beside a cell; empty for another table."""
    rows = [list(row.all("td", "th", within=_NESTED)) for row in grid.all("tr", within=_NESTED)]
    if not rows or any([cell.name for cell in row] != ["th", "td"] for row in rows):
        return {}
    return {row[0].text.rstrip(": "): row[1].text for row in rows}


def _terms(listed: Node) -> Mapping[str, str]:
    pairs = pairwise(listed.all("dt", "dd"))
    return {term.text.rstrip(": "): said.text for term, said in pairs if (term.name, said.name) == ("dt", "dd")}


def _fields(document: Node) -> Mapping[str, str]:
    """The labelled fields, with what they hold."""
    return dict(_labelled(document))


def _labelled(document: Node) -> Iterator[tuple[str, str]]:
    fields = {each.attributes.get("id", ""): each for each in document.all(*_FIELDS)}
    for label in document.all("label"):
        inner = next(label.all(*_FIELDS), None)
        field = inner if inner is not None else fields.get(label.attributes.get("for") or "\0")
        name = "".join(each for each in label.children if isinstance(each, str)).strip() or label.text
        if field is not None and name:
            yield " ".join(name.split()).rstrip(": *"), field.value
