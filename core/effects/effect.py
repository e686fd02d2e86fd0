"""An effect: where a run's result is read besides the screen, and how the rows there are to differ afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import quote

from pydantic import Field

from core.steps import PLACE
from core.values import Value

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

Kind = Literal["page", "json", "file"]
Change = Literal["added", "changed", "removed", "written"]
CellType = Literal["text", "number", "true or false"]
MAX_EFFECTS: Final = 20
MAX_CELLS: Final = 50
TEXT: Final = "text"
"""The column that the whole content of a plain text file, or of an entry of a page's list, stands in."""


class Effect(Value):
    """One thing to be read before and after the acts, as rows of named cells.

    ``added``: just one new row, which has the expected cells. ``changed``: the one row that ``where`` names has them,
    its other cells as before. ``removed``: the one row that ``where`` names is gone. ``written``: a file was written
    and its one row has them. In all of them every other row is as before, unless others may change.
    """

    kind: Kind
    """``page``: the tables and lists of a page opened anew. ``json``: the answer to an HTTP GET. ``file``: a file."""
    at: str
    """The address, or the file's path (absolute, or below ``~``)."""
    change: Change = "added"
    expect: dict[str, str] = Field(default_factory=dict)
    """Columns and their values, with places for parameters and extracts."""
    where: dict[str, str] = Field(default_factory=dict)
    """The cells that name the row which is changed or removed."""
    types: dict[str, CellType] = Field(default_factory=dict)
    """The types of columns; those that are not named have that of the other rows."""
    exactly_once: bool = False
    """Whether no row may have the expected cells before the acts: then nothing is done."""
    others_may_change: bool = False
    """Whether rows that are not meant may come, go and change meanwhile."""
    ignore: tuple[str, ...] = ()
    """Columns that may change in any row by themselves, such as an age."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names cells of, each once."""
        return tuple(dict.fromkeys((*self.expect, *self.where)))

    def mapped(self, change: Callable[[str], str]) -> Effect:
        """The effect with each text that is a template changed; what is put into an address is percent-encoded."""
        return self.model_copy(
            update={
                "at": change(self.at) if self.kind == "file" else _address(self.at, change),
                "expect": _cells(self.expect, change),
                "where": _cells(self.where, change),
            }
        )


def _cells(cells: Mapping[str, str], change: Callable[[str], str]) -> dict[str, str]:
    return {name: change(value) for name, value in cells.items()}


def _address(at: str, change: Callable[[str], str]) -> str:
    def filled(place: re.Match[str]) -> str:
        value = change(place[0])
        return value if value == place[0] else quote(value, safe="")

    return PLACE.sub(filled, at)
