"""The rows that a test runner writes beside the page that it tests, put together from all that was read of them.

Cypress numbers them, anew below each heading of a test (``BEFORE EACH``, ``TEST BODY``). They grow, what is above
leaves the view, and a row that still runs has no number yet. So a row is known by its number, and says what was read
there longest.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz import fuzz

from core.demonstration.screen_texts import Span, same_row
from core.text import RUNNER_HEADING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from core.demonstration.screen_texts import ScreenTexts, Seen

_HEADING: Final = re.compile(rf"\W*(?P<name>TEST|{RUNNER_HEADING}|(?:SESSIONS|ROUTES|SPIES).*)")
"""Above the commands of a test, of what is done before and after it, and above tables without any command."""
_BODY: Final = "TEST BODY"
_ORDER: Final = ("BEFORE ALL", "BEFORE EACH", "TEST", "AFTER EACH", "AFTER ALL")
"""The headings of a test from top to bottom."""
_TABLES: Final = ("SESSIONS", "ROUTES", "SPIES")
_ROW: Final = re.compile(
    r"(?:(?P<number>\d{1,3})\s+)?[-\u2013\u2014~\u00b7]?\s*(?P<verb>[a-z]\w+)\b:?(?:\s+(?P<words>.+))?", re.IGNORECASE
)
FINDS: Final = frozenset({
    "get", "contains", "find", "first", "last", "eq", "filter", "within", "parent", "next", "children",
})  # fmt: skip
"""Commands that look for something on the page."""
CLICKS: Final = frozenset({"click", "dblclick", "rightclick"})
DOES: Final = CLICKS | {"visit", "clear", "type", "check", "uncheck", "select"}
"""Commands that do something to it."""
_COMMANDS: Final = FINDS | DOES | {"assert", "url", "log", "wait", "request", "focus", "submit", "reload", "title"}
"""They are known without a number, too."""
_ALONE: Final = DOES - {"visit", "type", "select"} | {"submit", "focus"}
"""What says no more, or but how."""
_BETWEEN: Final = re.compile(r"\W*(?:xhr|fetch|new|url\)|page load|form sub)(?!\w).*|\S*://.*", re.IGNORECASE)
"""What the runner writes of the page between the commands, without a number."""
_INDENT: Final = 7
"""Heights of a heading at most from its left to that of a command, and from a command to what it says."""
_ALIGNED: Final = 1.2
"""The same: lines of one column begin no farther apart, and a command so far right of its heading."""
_MISSED: Final = 3
"""So many rows may be missed between two that are read."""
_ROOM: Final = 1.7
"""Heights of a row: what is farther from the next one has room for another between them."""
_LINES: Final = 8
_FULL: Final = 0.35
"""Of its width, so much is left at most at the end of a line that goes on in the next one."""
_STILL: Final = 100
"""So many times more counts what was read while no line lay on another."""
_OVER_MS: Final = 300
_ALIKE: Final = 80
"""Of 100: so much of a row's words was read alike."""
_COVERED: Final = 0.1
"""Of the lines, so many may lie on others because they are read so, and not because they moved."""
_DOUBT: Final = 6
"""What was read at 0.9 counts half as much as what was read for certain."""
_STANDS_MS: Final = 1000
"""So long stands what was read last, at least as it counts."""
_ALWAYS: Final = 2**31


class Row(NamedTuple):
    """One command as it was written."""

    t_ms: int
    """When it was first seen."""
    test: int
    """Which of the film's tests it is of."""
    verb: str
    words: str
    follows: bool = True
    """Whether no row is missed between it and the one before it."""


class CommandRows(NamedTuple):
    """All rows of a film, in order."""

    rows: tuple[Row, ...] = ()
    right: int = 0
    """How far to the right they reach, in pixels."""


class _Panel(NamedTuple):
    """Where the rows are written, in pixels."""

    left: int
    """Of the headings."""
    right: int
    height: float
    """Of a heading."""

    def holds(self, one: Seen) -> bool:
        """Whether a line begins where commands do."""
        return -_INDENT / 4 <= (one.box[0] - self.left) / self.height <= _INDENT

    def is_beside(self, start: int, end: int) -> bool:
        """Whether what begins at one place is the next thing behind what ends at another."""
        return 0 <= start - end <= _INDENT * self.height


class _Read(NamedTuple):
    """A row as it was read at one moment."""

    number: int
    verb: str
    words: str
    confidence: float


_Sections = dict[str, list[_Read]]


class _Test:
    """The rows of one test, each with all that was read of it, and how much that counts: by the time that it stood."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[int, Counter[tuple[str, str]]]] = {}
        self.headings_ms: dict[str, int] = {}
        self.is_over = False
        """Whether nothing of it was seen for a while: what is done is folded up."""
        self._since: dict[tuple[str, int, str, str], int] = {}

    @property
    def sections(self) -> list[str]:
        """Its headings, top to bottom."""
        return sorted(
            self.rows, key=lambda name: (next(at for at, one in enumerate(_ORDER) if name.startswith(one)), name)
        )

    def add(self, t_ms: int, weight: int, sections: _Sections, headings_ms: Mapping[str, int]) -> None:
        for section, found in sections.items():
            known = self.rows.get(section, {})
            rows = _renumbered(found, known)
            if _contradicts(rows, known, weight):
                continue
            # What is done before another section grows no more.
            last = max(known) if known and section != self.sections[-1] else _ALWAYS
            for number, verb, words, confidence in rows:
                if number > last:
                    continue
                self.rows.setdefault(section, {}).setdefault(number, Counter())[verb, words] += round(
                    weight * confidence**_DOUBT
                )
                self._since.setdefault((section, number, verb, words), t_ms)
        self.headings_ms |= headings_ms
        is_gone = bool(self.rows) and not (sections or headings_ms)
        self.is_over = self.is_over or (is_gone and weight >= _STILL * _OVER_MS)

    def is_other(self, sections: _Sections, headings_ms: Mapping[str, int]) -> bool:
        """Whether what is seen is of another test: its headings came anew, or it says something else."""
        for name, since_ms in headings_ms.items():
            is_again = since_ms > self.headings_ms.get(name, since_ms)
            last = max((row.number for row in sections.get(name, ())), default=0)
            before = max(self.rows.get(name, (0,)))
            # Of a heading that stays a row or two may be missed.
            is_less = 2 * last <= before and (is_again or 0 < last <= before - _MISSED)
            if is_less or (is_again and self.is_over):
                return True
        # Where their heading is out of view, or a row above them is missed, the numbers of rows are misread.
        known = {
            name: self.rows[name] for name in sections if name in self.rows and (self.is_over or name in headings_ms)
        }
        rows = [(row, known[name]) for name in known for row in sections[name]]
        differ = [not _is_near(row, before) for row, before in rows if self.is_over or row.number <= max(before)]
        return any(differ) if self.is_over else len(differ) > 1 and 2 * sum(differ) > len(differ)

    def written(self, test: int) -> list[Row]:
        """What was read longest of each, in their order; none came after the one below it."""
        found: list[Row] = []
        for section in self.sections:
            numbers = self.rows[section]
            for number, readings in sorted(numbers.items()):
                verb, words = _mostly(readings)
                follows = number == 1 or number - 1 in numbers
                found.append(Row(self._since[section, number, verb, words], test, verb, words, follows))
        for at in range(len(found) - 2, -1, -1):
            found[at] = found[at]._replace(t_ms=min(found[at].t_ms, found[at + 1].t_ms))
        return found


def _says(row: _Read, readings: Mapping[tuple[str, str], int] | None) -> bool:
    """Whether a row was read so before."""
    known = readings or {}
    return any(row.verb == verb and fuzz.ratio(row.words, words) >= _ALIKE for verb, words in known)


def _is_near(row: _Read, known: Mapping[int, Counter[tuple[str, str]]]) -> bool:
    """Whether a row, or one near it, was read so before."""
    return any(_says(row, known.get(row.number + by)) for by in range(-_MISSED, _MISSED + 1))


def _renumbered(rows: Sequence[_Read], known: Mapping[int, Counter[tuple[str, str]]]) -> list[_Read]:
    """The rows of a section by the numbers that they had before, where those are misread now."""

    def agrees(by: int) -> int:
        return sum(_says(row, known.get(row.number + by)) for row in rows)

    by = max((0, *range(-_MISSED, 0), *range(1, _MISSED + 1)), key=agrees)
    is_sure = agrees(by) > max(1, 2 * agrees(0))
    return [row._replace(number=row.number + by) for row in rows] if is_sure else [*rows]


def _contradicts(rows: Sequence[_Read], known: Mapping[int, Counter[tuple[str, str]]], weight: int) -> bool:
    """Whether most rows say otherwise than was read there for longer."""
    readings = [(row, known.get(row.number)) for row in rows]
    differ = [not _says(row, one) for row, one in readings if one and max(one.values()) > weight]
    return len(differ) > 1 and 2 * sum(differ) > len(differ)


def _mostly(readings: Counter[tuple[str, str]]) -> tuple[str, str]:
    """The verb that was read longest, a known one if any was, and with it the words; they may come later than it."""
    verbs: Counter[str] = Counter()
    for (verb, _), lasted_ms in readings.items():
        verbs[verb] += lasted_ms
    verb = max(verbs, key=lambda one: (one in _COMMANDS, verbs[one]))
    said = [one for one in readings if one[0] == verb and one[1]] or [(verb, "")]
    return max(said, key=lambda one: readings[one])


def command_rows(texts: ScreenTexts) -> CommandRows:
    """The rows of all tests that a film shows; none where nothing is written as a test runner does."""
    every = [*texts.at(0), *texts.came()]
    headings = [one for one in every if _name_of(one)]
    if not headings:
        return CommandRows()
    left, height = min(one.box[0] for one in headings), median(one.box[3] for one in headings)
    beside = [one for one in every if one.box[0] - left <= 2 * _INDENT * height]
    panel = _Panel(left, max(one.box[0] + one.box[2] for one in beside), height)
    tests = [_Test()]
    changes = {t_ms for one in beside for t_ms in (one.t_ms, one.until_ms) if t_ms is not None}
    times = sorted(t_ms for t_ms in changes if t_ms >= headings[0].t_ms)
    for span in map(Span, times, [*times[1:], times[-1] + _STANDS_MS]):
        there = [one for one in texts.at(span.start) if one.box[0] < panel.right]
        whole = [one for one in there if not _is_covered(one, there, panel)]
        headings_ms = {name: one.t_ms for one in there if (name := _name_of(one))}
        sections = _sections(whole, panel, tests[-1].sections)
        is_still = len(there) - len(whole) <= _COVERED * len(there)
        if is_still and tests[-1].is_other(sections, headings_ms):
            tests.append(_Test())
            sections = _sections(whole, panel, [] if headings_ms else [_BODY])
        weight = (span.end - span.start) * (_STILL if is_still else 1)
        tests[-1].add(span.start, weight, sections, headings_ms)
    rows = [row for number, test in enumerate(tests) for row in test.written(number)]
    return CommandRows(tuple(rows), panel.right)


def _is_covered(one: Seen, there: Sequence[Seen], panel: _Panel) -> bool:
    """Whether another line lies on one: what stood there has moved, and is not read again yet."""
    left, top, width, height = one.box
    return panel.holds(one) and any(
        min(top + height, y + h) - max(top, y) > min(height, h) / 2 and x < left + width and left < x + w
        for x, y, w, h in (each.box for each in there if each is not one)
    )


def _name_of(one: Seen) -> str:
    """Of a heading its name; empty for anything else."""
    match = _HEADING.fullmatch(one.text)
    return match["name"] if match else ""


def _sections(there: Sequence[Seen], panel: _Panel, known: Sequence[str]) -> _Sections:
    """The rows at one moment by their headings; those above the first one are of the section before that."""
    heads = [one for one in there if panel.holds(one) and _name_of(one)]
    first = _name_of(heads[0]) if heads else ""
    above = known[: known.index(first)] if first in known else known
    found: _Sections = {}
    bounds = [0, *(one.box[1] for one in heads), _ALWAYS]
    for at, (top, bottom) in enumerate(pairwise(bounds)):
        name = _name_of(heads[at - 1]) if at else "".join(above[-1:])
        lines = [one for one in there if top < one.box[1] + one.box[3] / 2 < bottom and one not in heads]
        if name and not name.startswith(_TABLES) and (rows := list(_numbered(lines, panel, is_first=at > 0))):
            found[name] = rows
    return found


def _numbered(lines: Sequence[Seen], panel: _Panel, *, is_first: bool) -> Iterator[_Read]:
    """The rows among the lines of a section, with their numbers, which follow each other."""
    column = (one for one in lines if panel.holds(one))
    found = [(one, parts) for one in column if (parts := _parts(one, lines, panel)) is not None]
    if not found:
        return
    numbers = [1 if is_first and not at else parts[0] for at, (_, parts) in enumerate(found)]
    followed = _following(numbers, _may_be_missing([one for one, _ in found], lines, panel))
    bottoms = [*(one.box[1] for one, _ in found[1:]), _ALWAYS]
    for (row, (_, verb, words)), number, bottom in zip(found, followed, bottoms, strict=True):
        if number is not None:
            below = [one for one in lines if row.box[1] + row.box[3] / 2 < one.box[1] < bottom - one.box[3] / 2]
            is_alone = verb.lower() in _ALONE
            said = "" if is_alone else _joined([*(one.text for one in words), *_continued(row, words, below, panel)])
            yield _Read(number, verb.lower(), said, min(one.confidence for one in (row, *words)))


def _parts(row: Seen, lines: Sequence[Seen], panel: _Panel) -> tuple[int | None, str, list[Seen]] | None:
    """The number, the verb and the words of a row, which may be read apart; ``None`` for what is no row."""
    match = _ROW.fullmatch(row.text)
    if match is None or _BETWEEN.fullmatch(row.text):
        return None
    beside = sorted((one for one in lines if one is not row and same_row(one.box, row.box)), key=lambda one: one.box[0])
    numbers = [one.text for one in beside if one.text.isdecimal() and panel.is_beside(row.box[0], one.box[0])]
    number = int(match["number"] or "".join(numbers[-1:]) or 0)
    if not (number or match["verb"].lower() in _COMMANDS):
        return None
    words = [row._replace(text=match["words"])] if match["words"] else []
    end = row.box[0] + row.box[2]
    for one in beside:
        # Far at the right a row has the number of things that were found.
        if panel.is_beside(one.box[0], end) and not (words and one.text.isdecimal()):
            words.append(one)
            end = one.box[0] + one.box[2]
    return number or None, match["verb"], words


def _may_be_missing(rows: Sequence[Seen], lines: Sequence[Seen], panel: _Panel) -> list[bool]:
    """Whether another row may stand above each: there is room for one, or a line that may be one."""
    steps = [below.box[1] - above.box[1] for above, below in pairwise(rows)]
    usual = min(steps, default=0)
    found = [True]
    for above, below in pairwise(rows):
        between = [one for one in lines if above.box[1] + usual / 2 < one.box[1] < below.box[1] - usual / 2]
        tops = [above.box[1], *sorted(one.box[1] for one in between), below.box[1]]
        is_gap = max(lower - upper for upper, lower in pairwise(tops)) > _ROOM * usual
        aligned = (one for one in between if abs(one.box[0] - below.box[0]) <= panel.height)
        found.append(is_gap or any(_ROW.fullmatch(one.text) and not _BETWEEN.fullmatch(one.text) for one in aligned))
    return found


def _following(numbers: Sequence[int | None], may_miss: Sequence[bool]) -> list[int | None]:
    """The numbers, without those that were misread, and with those that were not drawn yet."""
    chains: list[list[int]] = []
    none: list[int] = []
    for at, number in enumerate(numbers):
        if number is not None:
            steps = ((chain, number - (numbers[chain[-1]] or 0) - (at - chain[-1])) for chain in chains)
            likely = (chain for chain, more in steps if 0 <= more <= _MISSED * any(may_miss[chain[-1] + 1 : at + 1]))
            chains.append([*max(likely, key=len, default=none), at])
    kept = max(chains, key=len, default=none)
    found = [number if at in kept else None for at, number in enumerate(numbers)]
    for at in range(1, len(found)):
        before = found[at - 1]
        after = next((number for number in found[at:] if number is not None), _ALWAYS)
        if found[at] is None and before is not None and before + 1 < after:
            found[at] = before + 1
    for at in range(len(found) - 2, -1, -1):
        after = found[at + 1] or 0
        if found[at] is None and after > 1:
            found[at] = after - 1
    return found


def _continued(row: Seen, words: Sequence[Seen], below: Iterable[Seen], panel: _Panel) -> list[str]:
    """The lines in which the words of a row go on, until the runner writes something else."""
    most = _ALIGNED * panel.height
    starts = [one.box[0] for one in (row, *words) if one.box[0] > panel.left + most]
    found: list[str] = []
    last = words[-1] if words else row
    for one in below:
        is_aligned = any(abs(one.box[0] - start) <= most for start in starts)
        is_full = last.box[0] + last.box[2] >= panel.right - _FULL * (panel.right - panel.left)
        if not (is_aligned and is_full) or _BETWEEN.fullmatch(one.text) or one.box[1] - last.box[1] > 2 * row.box[3]:
            break
        found.append(one.text)
        last = one
    return found[:_LINES]


def _joined(lines: Sequence[str]) -> str:
    """A text that was broken into lines: within brackets it has no spaces, else it is broken at them."""
    words = ""
    for line in lines:
        is_open = words.count("[") > words.count("]") or words.count("(") > words.count(")")
        words = f"{words}{line}" if is_open else f"{words} {line}".strip()
    return words
