"""An effect as a sentence: how ``HEARTBEAT.md`` writes it, and how answers tell what was looked for.

::

    The page "http://localhost:8000/parcels" has one more row: "Name" is "Ada Lovelace", "Weight" is "3".
    The JSON at "http://localhost:8000/api/parcels" has one more row: "weight" is the number "3". Just once.
    The file "~/parcels.csv" has a changed row, where "name" is "Ada Lovelace": "weight" is "4".
    The file "~/parcels.csv" no longer has the row where "name" is "Ada Lovelace". Other rows may change.
    The file "~/letter.txt" is written: "text" is "Dear Bob". Ignored: "age".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from core.effects.effect import CellType, Change, Effect, Kind
from core.plans.phrasing import QUOTE, quote, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.plans.phrasing import Quoted

_CELL: Final = rf"({QUOTE}) is (?:the (number|text|truth value) )?({QUOTE}|empty)"
_CELLS: Final = _CELL.replace("(?:", "\0").replace("(", "(?:").replace("\0", "(?:")
_LIST: Final = rf"{_CELLS}(?:(?:,|,? and) {_CELLS})*"
_START: Final = re.compile(rf"The (?P<kind>page|JSON at|file) (?P<at>{QUOTE}) ", re.IGNORECASE)
_CHANGES: Final[Mapping[Change, re.Pattern[str]]] = {
    "added": re.compile(rf"has (?:one more|a new) row: (?P<expect>{_LIST})\.?", re.IGNORECASE),
    "changed": re.compile(
        rf"has (?:a|the) changed row,? where (?P<where>{_LIST}): (?P<expect>{_LIST})\.?", re.IGNORECASE
    ),
    "removed": re.compile(rf"no longer has (?:the|a) row,? where (?P<where>{_LIST})\.?", re.IGNORECASE),
    "written": re.compile(rf"is written: (?P<expect>{_LIST})\.?", re.IGNORECASE),
}
_MORE: Final = re.compile(
    r"(?P<once> (?:Just|Exactly) once\.?)?(?P<others> Other rows may change\.?)?"
    rf"(?: Ignored: (?P<ignored>{QUOTE}(?:(?:,|,? and) {QUOTE})*)\.?)?",
    re.IGNORECASE,
)
_KINDS: Final[Mapping[str, Kind]] = {"page": "page", "json at": "json", "file": "file"}
_WORDS: Final[Mapping[Kind, str]] = {"page": "page", "json": "JSON at", "file": "file"}
_TYPES: Final[Mapping[str, CellType]] = {"number": "number", "text": "text", "truth value": "true or false"}


def sentence(effect: Effect) -> str:
    """The effect in one line, which ``read_sentence`` reads."""
    expect, where = _cells(effect.expect, effect.types), _cells(effect.where, effect.types)
    change: Mapping[Change, str] = {
        "added": f"has one more row: {expect}",
        "changed": f"has a changed row, where {where}: {expect}",
        "removed": f"no longer has the row where {where}",
        "written": f"is written: {expect}",
    }
    more = " Just once." if effect.exactly_once else ""
    more += " Other rows may change." if effect.others_may_change else ""
    more += f" Ignored: {', '.join(quote(each) for each in effect.ignore)}." if effect.ignore else ""
    return f"The {_WORDS[effect.kind]} {quote(effect.at)} {change[effect.change]}.{more}"


def is_like_effect(line: str) -> bool:
    """Whether a line begins as an effect does, be it understood or not."""
    said = quoted(line)
    return said is not None and _START.match(" ".join(said.skeleton.split())) is not None


def read_sentence(line: str) -> Effect | None:
    """The effect that a line names, ``None`` for a line that is not wholly understood."""
    said = quoted(line)
    text = " ".join(said.skeleton.split()) if said is not None else ""
    start = _START.match(text)
    if said is None or start is None:
        return None
    for change, pattern in _CHANGES.items():
        found = pattern.match(text, start.end())
        more = _MORE.fullmatch(text, found.end()) if found is not None else None
        if found is not None and more is not None:
            parts = found.groupdict()
            expect, types = _read_cells(parts.get("expect") or "", said)
            where, where_types = _read_cells(parts.get("where") or "", said)
            return Effect(
                kind=_KINDS[start["kind"].lower()],
                at=said.text(start["at"]),
                change=change,
                expect=expect,
                where=where,
                types={**where_types, **types},
                exactly_once=more["once"] is not None,
                others_may_change=more["others"] is not None,
                ignore=tuple(said.text(sign) for sign in re.findall(QUOTE, more["ignored"] or "")),
            )
    return None


def _cells(cells: Mapping[str, str], types: Mapping[str, CellType]) -> str:
    words = {type_: f"the {word} " for word, type_ in _TYPES.items()}
    return ", ".join(
        f"{quote(name)} is {words.get(types[name], '') if name in types else ''}{quote(value) if value else 'empty'}"
        for name, value in cells.items()
    )


def _read_cells(part: str, said: Quoted) -> tuple[dict[str, str], dict[str, CellType]]:
    cells: dict[str, str] = {}
    types: dict[str, CellType] = {}
    for name, type_, value in cast("list[tuple[Any, ...]]", re.findall(_CELL, part, re.IGNORECASE)):
        column = said.text(name)
        cells[column] = said.text(value) if re.fullmatch(QUOTE, value) else ""
        if type_:
            types[column] = _TYPES[type_.lower()]
    return cells, types
