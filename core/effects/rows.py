"""What a reader found: rows of named cells; and whether a cell is what was expected.

A text is compared letter by letter, but for blanks around it. A number may be written otherwise, ``3.5`` for ``3.50``,
where the other rows show that the program writes numbers so; a lost leading zero is another value. A cell of another
type than its column has in the other rows is wrong, whatever it says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from core.effects.effect import CellType

Cell = str | int | Decimal | bool | None
Row = Mapping[str, Cell]
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*)(?:\.(\d+))?")
_MONEY: Final = re.compile(r"(?:[$€£¥₹]\s*|[A-Z]{3}\s)?(-?[\d.,]+)(?:\s*[$€£¥₹%]|\s[A-Z]{3})?")
_LONGEST: Final = 80


class Reading(NamedTuple):
    """The rows at one moment, in their order."""

    rows: Sequence[Row]
    source: str
    """What was read, for sentences: ``the page http://…``."""
    stamp: str = ""
    """Of a file: another one whenever it is written. Empty where there is no such thing."""


def cell_of(row: Row, column: str) -> Cell:
    """The cell in the column of that name; letter case, blanks and signs between words do not count."""
    if column in row:
        return row[column]
    return next((cell for name, cell in row.items() if plain_name(name) == plain_name(column)), None)


def plain_name(column: str) -> str:
    """A column's name without what may differ."""
    return re.sub(r"[\W_]+", "", column.casefold())


def has_columns(row: Row, columns: Sequence[str]) -> bool:
    """Whether it has cells of all these names."""
    names = {plain_name(name) for name in row}
    return all(plain_name(column) in names for column in columns)


def is_as_expected(expected: str, cell: Cell, others: Sequence[Cell], *, type_: CellType | None = None) -> bool:
    """Whether a cell says what was expected.

    Args:
        expected: as it was typed or chosen.
        cell: what was read.
        others: the cells of that column in the rows that were there before.
        type_: the column's type, where it is declared.

    """
    wanted = {type_} if type_ is not None else {_type(each) for each in others} - {None}
    kind = _type(cell)
    if kind is not None and len(wanted) == 1 and kind not in wanted:
        return False
    match cell:
        case None:
            return not expected.strip()
        case bool():
            return expected.strip().casefold() == str(cell).casefold()
        case int() | Decimal():
            value = number_of(expected)
            return value is not None and value == cell
        case _:
            return _plain(expected) == _plain(cell) or _is_same_number(expected, cell, others)


def shown(cell: Cell) -> str:
    """A cell in a sentence."""
    if cell is None or cell == "":
        return "empty"
    text = " ".join(str(cell).split())
    return f"“{text if len(text) <= _LONGEST else f'{text[: _LONGEST - 1]}…'}”"


def number_of(text: str) -> Decimal | None:
    """The number that a text is, if it is written as one: grouped by commas or not at all, without leading zeros."""
    found = _NUMBER.fullmatch(text.strip())
    return Decimal(found[0].replace(",", "")) if found is not None else None


def _type(cell: Cell) -> CellType | None:
    match cell:
        case None:
            return None
        case bool():
            return "true or false"
        case int() | Decimal():
            return "number"
        case _:
            return "text"


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\xa0", " ")).strip()


def _is_same_number(expected: str, cell: str, others: Sequence[Cell]) -> bool:
    """Whether both are one number, and the cell is written in a way in which all the other rows write theirs."""
    value, said = number_of(expected), _amount(cell)
    if value is None or said is None or value != number_of(said):
        return False
    beside = [amount for amount in (_amount(each) for each in others if isinstance(each, str)) if amount is not None]
    written = [said, *beside]
    is_even = len({_decimals(each) for each in written}) == 1
    return bool(beside) and (is_even or all(map(_is_short, written)) or all(map(_is_printed, written)))


def _amount(text: Cell) -> str | None:
    """The number in an amount of money or a percentage, as it is written."""
    found = _MONEY.fullmatch(text.strip()) if isinstance(text, str) else None
    return found[1] if found is not None and _NUMBER.fullmatch(found[1]) else None


def _decimals(amount: str) -> int:
    return len(amount.partition(".")[2])


def _is_short(amount: str) -> bool:
    """Whether it is as short as can be: ``12``, ``2.5``."""
    return "." not in amount or not amount.endswith("0")


def _is_printed(amount: str) -> bool:
    """Whether it is written as a fraction is, though it be whole: ``12.0``, ``2.5``."""
    return "." in amount and (_decimals(amount) == 1 or not amount.endswith("0"))
