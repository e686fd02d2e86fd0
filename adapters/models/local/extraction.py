"""Reading a value off the screen, for questions that have one answer there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.models.local.finding import find
from adapters.models.local.grounding import ground
from adapters.models.local.phrases import LABELLED, parse, quoted
from adapters.models.local.vocabulary import Relation, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.desktop.eyesight.segments import Segment
    from adapters.models.local.view import View
    from core.screens import Box

_NUMBER: Final = re.compile(r"[#№]?\s*([-+]?\d+(?:[.,:/-]\d+)*)")
_FIELD: Final = re.compile(r"\b(?:field|input|box)\b", re.IGNORECASE)
_NUMBER_AFTER: Final = re.compile(
    r"\b(?:number|digits?|amount|price|id|no\.?)\b.*?\b(?:after|following|behind|of|in)\b", re.IGNORECASE
)
_WORD_AFTER: Final = re.compile(r"\b(?:word)\b.*?\b(?:after|following|behind)\b", re.IGNORECASE)
_BEGINS: Final = re.compile(
    r"\b(?:line|row|text|sentence|message)\b.*\b(?:begins?|starts?|starting|beginning)\b", re.IGNORECASE
)
_CONTAINS: Final = re.compile(
    r"\b(?:line|row|sentence|message)\b.*\b(?:contains?|containing|with|that says)\b", re.IGNORECASE
)
_AFTER: Final = re.compile(r"\b(?:text|everything|value|words?)\b.*?\b(?:after|following|behind)\b", re.IGNORECASE)
_SIDES: Final = (
    (Relation.RIGHT, re.compile(r"\bright of\b|\bnext to\b|\bbeside\b", re.IGNORECASE)),
    (Relation.BELOW, re.compile(r"\bbelow\b|\bunder(?:neath)?\b|\bbeneath\b", re.IGNORECASE)),
    (Relation.ABOVE, re.compile(r"\babove\b", re.IGNORECASE)),
    (Relation.LEFT, re.compile(r"\bleft of\b", re.IGNORECASE)),
)
_REACH: Final = 40


def extract(query: str, view: View) -> str | list[str] | None:
    """The answer; several when it is not the only one; ``None`` when nothing answers.

    Understood are: ``the value to the right of/below "Label"``, ``the text in the "X" field``, ``the line that begins
    with "Order"``, ``the number after "Order"``, ``the word after "Hello"``, ``the text after "Name:"``.
    """
    texts = quoted(query)
    if not texts:
        return None
    wanted = texts[0]
    rows = _rows(view.segments)
    answers = _by_line(query, wanted, rows)
    if answers is None:
        side = next((relation for relation, pattern in _SIDES if pattern.search(query)), None)
        if side is not None:
            answers = _beside(side, wanted, view)
        elif _FIELD.search(query) or parse(query).role in LABELLED - {Role.CHECKBOX, Role.RADIO}:
            answers = _in_field(wanted, query, view)
        elif _CONTAINS.search(query):
            answers = [row for row in rows if _after(row, wanted) is not None]
        elif _AFTER.search(query):
            answers = [rest for rest in _rests(rows, wanted) if rest]
    found = list(dict.fromkeys(answers or ()))
    return found[0] if len(found) == 1 else found or None


def _by_line(query: str, wanted: str, rows: Sequence[str]) -> list[str] | None:
    """What a line says after the wanted text, or the line itself; ``None`` when the question is another."""
    if _BEGINS.search(query):
        return [row for row in rows if _index(row, wanted) == 0]
    if _NUMBER_AFTER.search(query):
        return [found[1] for rest in _rests(rows, wanted) if (found := _NUMBER.search(rest))]
    if _WORD_AFTER.search(query):
        return [words[0].strip(".,:;!?") for rest in _rests(rows, wanted) if (words := rest.split())]
    return None


def _in_field(wanted: str, query: str, view: View) -> list[str]:
    role = parse(query).role
    phrase = parse(f'the "{wanted}" {role if role in LABELLED else "field"}')
    place = ground(phrase, view, default=Role.FIELD).place
    if place is None or place.holds is None:
        return []
    box = place.holds
    content = " ".join(each.text for each in view.segments if box.contains(each.box.centre))
    return [content] if content else []


def _beside(relation: Relation, wanted: str, view: View) -> list[str]:
    """The nearest text on that side of each place that says the wanted one."""
    found: list[str] = []
    for match in find(wanted, view.segments):
        if not match.whole and relation is Relation.RIGHT:
            rest = [word.text for word in match.extra if word.box.x > match.box.x]
            if rest:
                found.append(" ".join(rest))
                continue
        others = [
            each for each in view.segments if each is not match.segment and _stands(relation, match.box, each.box)
        ]
        nearest = min(others, key=lambda each: _distance(match.box, each.box), default=None)
        if nearest is not None:
            found.append(nearest.text)
    return found


def _stands(relation: Relation, label: Box, box: Box) -> bool:
    level = abs(label.centre.y - box.centre.y) <= label.height / 2
    in_column = (
        min(label.x + label.width, box.x + box.width) > max(label.x, box.x) or abs(label.x - box.x) < label.height
    )
    if relation is Relation.RIGHT:
        return level and 0 <= box.x - label.x - label.width <= _REACH * label.height
    if relation is Relation.LEFT:
        return level and 0 <= label.x - box.x - box.width <= _REACH * label.height
    down = box.centre.y - label.centre.y if relation is Relation.BELOW else label.centre.y - box.centre.y
    return in_column and label.height / 2 < down <= 4 * label.height


def _distance(first: Box, second: Box) -> int:
    return abs(first.centre.y - second.centre.y) + max(
        second.x - first.x - first.width, first.x - second.x - second.width, 0
    )


def _rows(segments: Sequence[Segment]) -> list[str]:
    """Each row's text, what stands close together in one."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda each: (each.box.centre.y, each.box.x)):
        last = rows[-1][-1] if rows else None
        if last is not None and abs(last.box.centre.y - segment.box.centre.y) <= segment.box.height / 3:
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [" ".join(each.text for each in sorted(row, key=lambda each: each.box.x)) for row in rows]


def _index(row: str, wanted: str) -> int:
    found = re.search(r"(?<!\w)" + re.escape(wanted) + r"(?!\w)", row, re.IGNORECASE)
    return found.start() if found else -1


def _after(row: str, wanted: str) -> str | None:
    at = _index(row, wanted)
    return None if at < 0 else row[at + len(wanted) :].strip(" :=").strip()


def _rests(rows: Sequence[str], wanted: str) -> list[str]:
    return [rest for row in rows if (rest := _after(row, wanted)) is not None]
