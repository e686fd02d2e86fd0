"""Which of the lines read now is which of the lines that stood there before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adapters.video.frame import around, gap, overlap, same_row
from adapters.video.text.lines import alike, digits, in_order, is_one_line, similarity, strip_spaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line

_SAME = 0.5
_FEW = 3
_JITTER = 3


@dataclass(slots=True, eq=False)
class Match:
    """The lines of one place before and after.

    Args:
        kept: the same text, as it was and as it was read again (maybe elsewhere).
        changed: another text in the same spot.
        added: what was not there before.
        removed: what is not there any more.
        moved: how far each line of ``kept`` went, in pixels across and down.

    """

    kept: list[tuple[Line, Line]] = field(default_factory=list["tuple[Line, Line]"])
    changed: list[tuple[Line, Line]] = field(default_factory=list["tuple[Line, Line]"])
    added: list[Line] = field(default_factory=list["Line"])
    removed: list[Line] = field(default_factory=list["Line"])
    moved: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def without_false(self) -> None:
        """Forget lines that turned out to be no text."""
        self.added = [
            line for line in (*self.added, *(new for old, new in self.changed if old.false)) if not line.false
        ]
        gone = (*self.removed, *(old for old, new in self.changed if new.false))
        self.removed = [line for line in gone if not line.false]
        self.changed = [(old, new) for old, new in self.changed if not (old.false or new.false)]

    def settle(self) -> None:
        """Forget what only blinked: the same text gone and come again in its place."""
        for one in list(self.removed):
            same = [line for line in self.added if alike(one.text, line.text) and overlap(one.box, line.box)]
            if same:
                self.removed.remove(one)
                self.added.remove(same[0])
        self.changed = [(old, new) for old, new in self.changed if not alike(old.text, new.text)]

    def without(self, old: Line, new: Line) -> None:
        """Forget that one line went and another came; what took the place of the one, or gave way, does so alone."""
        gone = (*self.removed, *(one for one, two in self.changed if two is new))
        come = (*self.added, *(two for one, two in self.changed if one is old))
        self.removed = [line for line in gone if line is not old]
        self.added = [line for line in come if line is not new]
        self.changed = [(one, two) for one, two in self.changed if one is not old and two is not new]

    @property
    def leaving(self) -> list[Line]:
        """All that is not there any more, under its old text."""
        return [*self.removed, *(old for old, _ in self.changed)]

    @property
    def coming(self) -> list[Line]:
        """All that was not there before, or not with this text."""
        return [*self.added, *(new for _, new in self.changed)]

    def plus(self, other: Match) -> Match:
        """Both together."""
        return Match(
            kept=self.kept + other.kept,
            changed=self.changed + other.changed,
            added=self.added + other.added,
            removed=self.removed + other.removed,
            moved=self.moved + other.moved,
        )

    @property
    def box(self) -> Box:
        """Around all that came, went or changed."""
        return around([line.box for line in (*self.leaving, *self.coming)])

    @property
    def says_anything(self) -> bool:
        """Whether any text came, went or changed."""
        return bool(self.changed or self.added or self.removed)


def match(old: Sequence[Line], new: Sequence[Line]) -> Match:
    """Pair by text, then by row, then by place."""
    result = Match()
    left_old, left_new = list(old), list(new)
    shifts = [_shift(one, other) for one, other in _only_pairs(old, new)]
    usual = max(set(shifts), key=shifts.count) if len(shifts) >= _FEW else (0, 0)
    for one in in_order(old):
        same = [other for other in left_new if alike(one.text, other.text)]
        if same:
            nearest = min(same, key=lambda other: _distance(one, other, usual))
            result.kept.append((one, nearest))
            result.moved.append((nearest.box[0] - one.box[0], nearest.box[1] - one.box[1]))
            left_old.remove(one)
            left_new.remove(nearest)
    _match_chosen(left_old, result)
    _match_covered(left_old, left_new, result)
    _match_rows(left_old, left_new, result)
    _match_places(left_old, left_new, result)
    result.removed += left_old
    result.added += left_new
    return result


def _match_chosen(old: list[Line], result: Match) -> None:
    """A text that seems to have moved alone to where another stood is that place's new value: it was chosen there."""
    for index in reversed(range(len(result.kept))):
        one, other = result.kept[index]
        dx, dy = result.moved[index]
        along = [move for move in result.moved if max(abs(move[0] - dx), abs(move[1] - dy)) <= _JITTER]
        if max(abs(dx), abs(dy)) <= _JITTER or len(along) > 1:
            continue
        there = next((line for line in old if same_row(line.box, other.box) and overlap(line.box, other.box)), None)
        if there is not None:
            result.changed.append((there, other))
            old.remove(there)
            old.append(one)
            del result.kept[index], result.moved[index]


def _match_covered(old: list[Line], new: list[Line], result: Match) -> None:
    """A line that was read while the pointer hid a part of it is corrected, not changed."""
    for one in list(old):
        found = [
            other
            for other in new
            if (one.is_covered or other.is_covered)
            and is_one_line(one.box, other.box)
            and not _grew_both_ways(one, other)
            and similarity(one.text, other.text) >= _SAME
            and (one.is_covered or _only_garbled(one.text, other.text))
        ]
        if found:
            result.kept.append((one, found[0]))
            result.moved.append((0, 0))
            old.remove(one)
            new.remove(found[0])


def _grew_both_ways(old: Line, new: Line) -> bool:
    """Whether more letters stand there, over both ends of those before: no pointer hid them, it is another word."""
    left, right = old.box[0] - new.box[0], new.box[0] + new.box[2] - old.box[0] - old.box[2]
    return min(left, right) > _JITTER and len(strip_spaces(new.text)) > len(strip_spaces(old.text))


def _only_garbled(old: str, new: str) -> bool:
    """Whether a few letters differ, as when something lies over them, and neither a number nor the length."""
    grew = strip_spaces(new).startswith(strip_spaces(old)) or strip_spaces(old).startswith(strip_spaces(new))
    return not grew and abs(len(old) - len(new)) <= _FEW and digits(old) == digits(new)


def _match_rows(old: list[Line], new: list[Line], result: Match) -> None:
    """Rows that say the same when put together were only split in another way."""
    for one in list(old):
        if one not in old:
            continue
        row_old = [line for line in old if same_row(line.box, one.box) and _near(line, one)]
        box = around(line.box for line in row_old)
        row_new = [line for line in new if same_row(line.box, box) and overlap(line.box, box)]
        if not row_new or not alike(_joined(row_old), _joined(row_new)):
            continue
        # The old lines stay as they are known; where a new one lies over each of them does not matter.
        for line in row_old:
            result.kept.append((line, line))
            result.moved.append((0, 0))
            old.remove(line)
        for line in row_new:
            new.remove(line)


def _match_places(old: list[Line], new: list[Line], result: Match) -> None:
    pairs = [
        (overlap(one.box, other.box) + 1000 * similarity(one.text, other.text), one, other)
        for one in old
        for other in new
        if same_row(one.box, other.box) and overlap(one.box, other.box)
    ]
    for _, one, other in sorted(pairs, key=lambda pair: -pair[0]):
        if one in old and other in new:
            result.changed.append((one, other))
            old.remove(one)
            new.remove(other)


def _near(one: Line, other: Line) -> bool:
    return gap(one.box, other.box)[0] <= 4 * max(one.box[3], other.box[3])


def _joined(lines: Sequence[Line]) -> str:
    return strip_spaces("".join(line.text for line in sorted(lines, key=lambda line: line.box[0])))


def _only_pairs(old: Sequence[Line], new: Sequence[Line]) -> list[tuple[Line, Line]]:
    """Lines whose text stands once before and once after."""
    before, after = ([strip_spaces(line.text) for line in lines] for lines in (old, new))
    return [
        (one, new[after.index(text)])
        for one, text in zip(old, before, strict=True)
        if before.count(text) == 1 and after.count(text) == 1
    ]


def _shift(one: Line, other: Line) -> tuple[int, int]:
    return round((other.box[0] - one.box[0]) / _JITTER), round((other.box[1] - one.box[1]) / _JITTER)


def _distance(one: Line, other: Line, usual: tuple[int, int]) -> int:
    """How far the pair is from moving as most of the others did."""
    dx, dy = other.box[0] - one.box[0], other.box[1] - one.box[1]
    return abs(dx - usual[0] * _JITTER) + abs(dy - usual[1] * _JITTER)
