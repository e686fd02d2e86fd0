"""What a test runner writes beside the page that it tests: its commands, with their selectors and values.

Cypress draws them so in each film that it records: ``get input[name="email"]``, ``-type ada@example.com``, ``-click``.
What was typed is read there letter by letter, also where the page hid it or was filled within a picture or two.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz import fuzz

from core.demonstration.screen_texts import same_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.analysis import Region
    from core.demonstration.screen_texts import ScreenTexts, Seen

_HEADING: Final = re.compile(r"\W*test(?: body)?", re.IGNORECASE)
"""Above the commands of a test."""
_COMMAND: Final = re.compile(
    r"(?:\d{1,3}\s+)?[-\u2013\u2014~\u00b7]?\s*(?P<verb>visit|get|contains|find|first|last|eq|filter|within|"
    r"parent|next|children|clear|type|click|dblclick|rightclick|check|uncheck|select)\b(?:\s+(?P<words>.+))?",
    re.IGNORECASE,
)
_INDENT: Final = 70
"""Pixels at most from the left of the heading to that of a command."""
_LEAST: Final = 2
"""So many commands show that they are some."""
_FINDS: Final = frozenset(
    {"get", "contains", "find", "first", "last", "eq", "filter", "within", "parent", "next", "children"}
)
_ADDRESS: Final = re.compile(r"https?://\S+", re.IGNORECASE)
_DRAWN_MS: Final = 600
_ALIKE: Final = 75
"""Of 100: so much two readings of one row have in common."""
_ALWAYS: Final = 2**31
_STARTS: Final = frozenset({"get", "contains"})
_LITERAL: Final = re.compile(
    r"(?:\[(?:placeholder|aria-label|title|alt|value)\s*[*^$~|]?=\s*|:contains\()[\"']?(?P<words>[^\"'\])]+)[\"']?[\])]",
    re.IGNORECASE,
)
"""What a page shows, in a selector."""
_NAME: Final = re.compile(
    r"\[(?:name|id|for|data-[\w-]+)\s*[*^$~|]?=\s*[\"']?(?P<words>[^\"'\]]+)(?:[\"']?\]|$)|#(?P<id>[\w-]+)",
    re.IGNORECASE,
)
"""What a page's author calls a thing, in a selector."""
_CLASS: Final = re.compile(r"\.([a-z][\w-]+)", re.IGNORECASE)


class Command(NamedTuple):
    """One that does something."""

    t_ms: int
    """When it was written."""
    verb: str
    words: str
    """What was typed or chosen, or the address."""
    shown: str
    """What the page shows of the thing that it was done to, as far as its selector says that; else empty."""
    name: str
    """What the page's author calls that; empty for none."""
    selector: str = ""
    """All that finds it."""


class CommandLog(NamedTuple):
    """The commands in their order, and how far to the right they stand."""

    commands: tuple[Command, ...]
    right: int

    def is_beside(self, place: Region | None) -> bool:
        """Whether a place is that of the page, and not of the commands."""
        return place is None or place[0] + place[2] / 2 > self.right

    @property
    def address(self) -> str:
        """The first page that was opened; empty where only a part of its address is written."""
        words = next((one.words for one in self.commands if one.verb == "visit"), "")
        return words if _ADDRESS.fullmatch(words) else ""


def command_log(texts: ScreenTexts) -> CommandLog:
    """The commands of a film; none where nothing is written as a test runner does."""
    tests = list(_tests(texts))
    found: list[Command] = []
    for rows in tests:
        subject = ""
        for row in rows:
            if row.verb in _STARTS:
                subject = _selector(row)
            elif row.verb in _FINDS:
                subject = f"{subject} {_selector(row)}"
            else:
                found.append(Command(row.t_ms, row.verb, row.words, _shown(subject), _name(subject), subject))
    every = [row for rows in tests for row in rows]
    right = max((row.right for row in every), default=0)
    # What else is written there, as a request, may reach farther.
    column = (one.box[0] + one.box[2] for one in texts.came(0, _ALWAYS) if one.box[0] < right / 2)
    return CommandLog(tuple(found) if len(every) >= _LEAST else (), max(column, default=right))


class _Row(NamedTuple):
    t_ms: int
    verb: str
    words: str
    right: int


def _tests(texts: ScreenTexts) -> Iterator[list[_Row]]:
    """What is written of each test that is seen, in the order in which it stands there.

    It grows, and what is above it leaves the view. A row may be read only after the one below it.
    """
    every = sorted(texts.came(0, _ALWAYS), key=lambda one: one.t_ms)
    headings = [one for one in every if _HEADING.fullmatch(one.text) and one.text.isupper()]
    if not headings:
        return
    times = sorted({one.t_ms for one in every if _COMMAND.fullmatch(one.text) or one in headings})
    rows: list[_Row] = []
    for t_ms in times:
        there = texts.at(t_ms)
        seen = [row for one in there if (row := _row(one, headings, there, t_ms)) is not None]
        is_new = any(abs(one.t_ms - t_ms) <= _DRAWN_MS for one in headings) and 2 * len(seen) <= len(rows)
        if rows and is_new:
            yield rows
            rows = []
        rows = _grown(rows, seen)
    if rows:
        yield rows


def _row(one: Seen, headings: Sequence[Seen], there: Sequence[Seen], t_ms: int) -> _Row | None:
    """A command, below the heading of a test, which may have left the view; its words may have been read apart."""
    match = _COMMAND.fullmatch(one.text)
    above = [head for head in headings if head.t_ms <= t_ms and -_INDENT / 4 <= one.box[0] - head.box[0] <= _INDENT]
    if match is None or not above:
        return None
    end = one.box[0] + one.box[2]
    behind = [each for each in there if 0 <= each.box[0] - end <= _INDENT and same_row(each.box, one.box)]
    words = match["words"] or "".join(each.text for each in behind[:1])
    return _Row(t_ms, match["verb"].lower(), words.strip(), end)


def _grown(rows: list[_Row], seen: list[_Row]) -> list[_Row]:
    """What is known of a test with what is seen of it now: more below, and what could not be read before."""
    known, now = ([f"{row.verb} {row.words}" for row in each] for each in (rows, seen))
    found: list[_Row] = []
    for kind, a, b, c, d in SequenceMatcher(None, known, now, autojunk=False).get_opcodes():
        # What was read anew in other letters is the same row.
        new = [] if kind == "equal" else [row for row in seen[c:d] if not any(_is_same(row, old) for old in rows[a:b])]
        found += [*rows[a:b], *new]
    return found


def _is_same(one: _Row, other: _Row) -> bool:
    return one.verb == other.verb and fuzz.ratio(one.words, other.words) >= _ALIKE


def _selector(row: _Row) -> str:
    """What finds a thing; a text that is looked for as a selector says it."""
    return f':contains("{row.words.rpartition(", ")[2]}")' if row.verb == "contains" else row.words


def _shown(selector: str) -> str:
    found = [match["words"].strip() for match in _LITERAL.finditer(selector)]
    return found[-1] if found else ""


def _name(selector: str) -> str:
    found = [(match["words"] or match["id"]).strip() for match in _NAME.finditer(selector)]
    return found[-1] if found else (_CLASS.findall(selector) or [""])[-1]
