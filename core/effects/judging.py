"""Whether an effect is there: what was read before the acts and after them, compared row by row.

Rows are compared whole, so that one that was saved twice, another one that was changed, and one that went away are all
seen. ``pass`` says that the effect is there and nothing else is; ``fail`` what was found instead; ``unclear`` that what
was read cannot tell.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from core.effects.rows import Cell, Reading, Row, cell_of, has_columns, is_as_expected, number_of, plain_name, shown
from core.effects.sentences import sentence
from core.runs.run import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from core.effects.effect import Effect

    _Key = tuple[tuple[str, str, Cell], ...]

_MOST_LISTED: Final = 3
_MOST_CELLS: Final = 4


def judge_effect(effect: Effect, before: Reading, after: Reading) -> Check:
    """The check of an effect whose texts are filled."""
    verdict, evidence = _Comparison(effect, before, after).result()
    evidence = f"{evidence[:1].upper()}{evidence[1:]}."
    return Check(expected=sentence(effect), verdict=verdict, evidence=evidence)


def is_there_before(effect: Effect, before: Reading) -> bool:
    """Whether a row that may be there just once is there before the acts."""
    found = _Comparison(effect, before, before)
    return effect.exactly_once and any(found.fits(row) for row in before.rows)


_Verdict = tuple[Literal["pass", "fail", "unclear"], str]


@dataclass(frozen=True)
class _Comparison:
    effect: Effect
    before: Reading
    after: Reading

    def result(self) -> _Verdict:
        judged: Mapping[str, Callable[[], _Verdict]] = {
            "added": self._added,
            "changed": self._changed,
            "removed": self._removed,
            "written": self._written,
        }
        return judged[self.effect.change]()

    def fits(self, row: Row) -> bool:
        """Whether a row has all the cells that are expected."""
        return not any(True for _ in self._differences(row))

    def _added(self) -> _Verdict:
        gone, new = self._gone(), self._new()
        fitting = [row for row in new if self.fits(row)]
        others = [row for row in new if not self.fits(row)]
        source = self.after.source
        if not fitting:
            if not new:
                was = ", though one with these values was there before" if self._count(self.before) else ""
                return "fail", f"{source} has no new row{was}{self._and_others(gone, [])}"
            nearest = min(others, key=lambda row: sum(1 for _ in self._differences(row)))
            rest = _without(others, nearest)
            return "fail", f"{self._unlike(nearest)}{self._and_others(gone, rest)}"
        if len(fitting) > 1:
            return "fail", f"{source} has the row {_times(len(fitting))}{self._and_others(gone, others)}"
        if self.effect.exactly_once and self._count(self.after) > 1:
            return "fail", f"{source} has {self._count(self.after)} rows with these values, and is to have one"
        return self._unless_others(gone, others, f"{source} has the new row, once")

    def _changed(self) -> _Verdict:
        named = [row for row in self.before.rows if self._is_named(row)]
        if len(named) != 1:
            return "unclear", self._named(len(named), self.before.source)
        old, gone, new = named[0], self._gone(), self._new()
        others_gone = [row for row in gone if self._key(row) != self._key(old)]
        if len(others_gone) < len(gone):
            return self._unless_changed_right(old, others_gone, new)
        if self.fits(old):
            return self._unless_others(gone, new, f"{self.after.source} has the row with these values, as before")
        return "fail", f"{self._unlike(old, 'the row still')}{self._and_others(gone, new)}"

    def _unless_changed_right(self, old: Row, others_gone: Sequence[Row], new: Sequence[Row]) -> _Verdict:
        """The verdict where the row is not as it was."""
        changed = next((row for row in new if self._is_kept(old, row) and self.fits(row)), None)
        if changed is not None:
            others = _without(new, changed)
            return self._unless_others(others_gone, others, f"{self.after.source} has the changed row, once")
        near = min(new, key=lambda row: sum(1 for _ in self._differences(row)), default=None)
        if near is None:
            return "fail", f"the row that was to be changed is gone from {self.after.source}"
        rest = _without(new, near)
        if self.fits(near):
            evidence = f"more of the row was changed than was to be: {_cells(near)}"
            return "fail", f"{evidence}{self._and_others(others_gone, rest)}"
        return "fail", f"{self._unlike(near, 'the changed row')}{self._and_others(others_gone, rest)}"

    def _removed(self) -> _Verdict:
        named = [row for row in self.before.rows if self._is_named(row)]
        if len(named) != 1:
            return "unclear", self._named(len(named), self.before.source)
        if any(self._is_named(row) for row in self.after.rows):
            return "fail", f"{self.after.source} still has the row"
        others_gone = [row for row in self._gone() if self._key(row) != self._key(named[0])]
        return self._unless_others(others_gone, self._new(), f"the row is gone from {self.after.source}")

    def _written(self) -> _Verdict:
        source = self.after.source
        if not self.after.rows:
            return "fail", f"{source} holds nothing"
        if self.after.stamp and self.after.stamp == self.before.stamp:
            return "fail", f"{source} was not written"
        if len(self.after.rows) > 1:
            return "unclear", f"{source} holds {len(self.after.rows)} rows, and is to hold one"
        row = self.after.rows[0]
        return ("pass", f"{source} was written and holds it") if self.fits(row) else ("fail", self._unlike(row, source))

    def _differences(self, row: Row) -> Iterator[tuple[str, Cell]]:
        others = [each for each in self.before.rows if each is not row]
        for column, expected in self.effect.expect.items():
            cell = cell_of(row, column)
            beside = [cell_of(each, column) for each in others]
            if not is_as_expected(expected, cell, beside, type_=self.effect.types.get(column)):
                yield column, cell

    def _unlike(self, row: Row, what: str = "the new row") -> str:
        found = list(self._differences(row))
        evidence = "; ".join(self._unlike_cell(column, cell) for column, cell in found[:_MOST_CELLS])
        where = "" if what == self.after.source else f" of {self.after.source}"
        return f"{what}{where} says {evidence}"

    def _unlike_cell(self, column: str, cell: Cell) -> str:
        wanted = self.effect.expect[column]
        number = number_of(str(cell))
        if shown(cell) == shown(wanted) or (number is not None and number == number_of(wanted)):
            return f"{column}: {shown(cell)}, in another form or of another type than the column has"
        return f"{column}: {shown(cell)} instead of {shown(wanted)}"

    def _unless_others(self, gone: Sequence[Row], others: Sequence[Row], evidence: str) -> _Verdict:
        if self.effect.others_may_change or not (gone or others):
            return "pass", evidence
        return "fail", f"{evidence}{self._and_others(gone, others)}"

    def _and_others(self, gone: Sequence[Row], came: Sequence[Row]) -> str:
        """What else has changed, as the end of a sentence; empty for nothing."""
        if self.effect.others_may_change or not (gone or came):
            return ""
        parts = [f"{_rows(gone)} gone: {_some(gone)}"] if gone else []
        parts += [f"{_rows(came)} new: {_some(came)}"] if came else []
        return f"; besides, of the other rows {', and '.join(parts)}"

    def _is_kept(self, old: Row, row: Row) -> bool:
        """Whether the cells that are not expected to change are as they were."""
        expected = {plain_name(name) for name in self.effect.expect}
        return self._key(old, expected) == self._key(row, expected)

    def _is_named(self, row: Row) -> bool:
        where = self.effect.where
        return has_columns(row, tuple(where)) and all(
            is_as_expected(value, cell_of(row, column), [cell_of(row, column)]) for column, value in where.items()
        )

    def _named(self, count: int, source: str) -> str:
        return f"before the acts {source} had {count or 'no'} rows that “where” names, and it must name one"

    def _count(self, reading: Reading) -> int:
        return sum(self.fits(row) for row in reading.rows)

    def _gone(self) -> list[Row]:
        return self._more(self.before.rows, self.after.rows)

    def _new(self) -> list[Row]:
        return self._more(self.after.rows, self.before.rows)

    def _more(self, rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
        """The rows that are not among the others, or more often than there."""
        known = Counter(map(self._key, others))
        found: list[Row] = []
        for row in rows:
            if known[self._key(row)] > 0:
                known[self._key(row)] -= 1
            else:
                found.append(row)
        return found

    def _key(self, row: Row, without: set[str] | None = None) -> _Key:
        left_out = {plain_name(name) for name in self.effect.ignore} | (without or set())
        # By the type as well: in Python a number may equal a truth value.
        cells = ((plain_name(name), type(cell).__name__, cell) for name, cell in row.items())
        return tuple(sorted((each for each in cells if each[0] not in left_out), key=lambda each: each[0]))


def _without(rows: Sequence[Row], one: Row) -> Sequence[Row]:
    """The rows without that one, once."""
    at = next(at for at, row in enumerate(rows) if row is one)
    return [*rows[:at], *rows[at + 1 :]]


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"  # noqa: PLR2004 - the word for it


def _rows(rows: Sequence[Row]) -> str:
    return "1 is" if len(rows) == 1 else f"{len(rows)} are"


def _some(rows: Sequence[Row]) -> str:
    return ", ".join(_cells(row) for row in rows[:_MOST_LISTED]) + (", …" if len(rows) > _MOST_LISTED else "")


def _cells(row: Row) -> str:
    return " ".join(shown(cell) for cell in list(row.values())[:_MOST_CELLS])
