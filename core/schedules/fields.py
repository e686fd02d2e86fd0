"""One field of a cron expression: its text, and the set of numbers that it stands for."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from core.errors import InvalidRequest

_PART = re.compile(r"(?P<first>\*|[a-z0-9]+)(?:-(?P<last>[a-z0-9]+))?(?:/(?P<step>\d+))?")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FEWEST_IN_A_RANGE = 3


@dataclass(frozen=True)
class Field:
    """What a field may hold: ``low`` to ``high``, both included, and names that stand for numbers."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    stepped: bool = False
    """Whether it is written with steps (``*/15``), as people read minutes and hours."""

    @property
    def all(self) -> frozenset[int]:
        """Every number."""
        return frozenset(range(self.low, self.high + 1))

    def number(self, text: str) -> int:
        """The number that ``text`` stands for; a Sunday is 0, and 7 too.

        Raises:
            InvalidRequest: it is none, or out of range.

        """
        if text in self.names:
            return self.names.index(text) + self.low
        number = int(text) if text.isdecimal() and text.isascii() and len(text) <= len("2026") else None
        if number is None or not self.low <= number <= self.high + (self.names is _DAYS):
            raise InvalidRequest(f'"{text}" is no {self.name} of a cron expression; write {self.low} to {self.high}.')
        return number


MINUTE = Field("minute", 0, 59, stepped=True)
HOUR = Field("hour", 0, 23, stepped=True)
DAY_OF_MONTH = Field("day of the month", 1, 31)
MONTH = Field("month", 1, 12, _MONTHS)
DAY_OF_WEEK = Field("day of the week", 0, 6, _DAYS)


def read_field(text: str, field: Field) -> frozenset[int]:
    """The numbers of ``*``, ``5``, ``1-5``, ``*/15``, ``8-18/2``, ``mon-fri`` and lists of these, in lower case.

    Raises:
        InvalidRequest: it is none of these; the message quotes the part.

    """
    numbers: set[int] = set()
    for part in text.split(","):
        numbers.update(_read_part(part, field))
    return frozenset(0 if field is DAY_OF_WEEK and number == field.high + 1 else number for number in numbers)


def _read_part(part: str, field: Field) -> range:
    found = _PART.fullmatch(part)
    if found is None or (found["first"] == "*" and found["last"] is not None):
        raise InvalidRequest(f'"{part}" is no {field.name} of a cron expression; write a number, 1-5, */2 or a list.')
    step = int(found["step"][:9]) if found["step"] else 1
    if step < 1:
        raise InvalidRequest(f'The step of "{part}" must be at least 1.')
    if found["first"] == "*":
        return range(field.low, field.high + 1, step)
    first = field.number(found["first"])
    if found["last"] is None:
        if found["step"]:
            raise InvalidRequest(f'"{part}" is read in different ways; write {first}-{field.high}/{step} instead.')
        return range(first, first + 1)
    last = field.number(found["last"])
    if last < first:
        raise InvalidRequest(f'"{part}" runs backwards; write {first}-{field.high},{field.low}-{last} instead.')
    return range(first, last + 1, step)


def write_field(numbers: frozenset[int], field: Field) -> str:
    """The shortest usual text for the numbers; always the same for the same numbers."""
    if numbers == field.all:
        return "*"
    ordered = sorted(numbers)
    steps = {after - before for before, after in itertools.pairwise(ordered)}
    if field.stepped and len(steps) == 1 and (step := steps.pop()) > 1:
        if ordered[0] == field.low and step * len(ordered) == field.high - field.low + 1:
            return f"*/{step}"
        if len(ordered) >= _FEWEST_IN_A_RANGE:
            return f"{ordered[0]}-{ordered[-1]}/{step}"
    return ",".join(_write_run(run) for run in _runs(ordered))


def _runs(ordered: list[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in ordered:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _write_run(run: list[int]) -> str:
    return f"{run[0]}-{run[-1]}" if len(run) >= _FEWEST_IN_A_RANGE else ",".join(map(str, run))
