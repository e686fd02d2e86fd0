"""The effects that a recording suggests: the list that was shown after saving, and the file that was saved.

Only what the recording shows whole is proposed: a row in which each typed value stands below a text that names its
column as the field was named, on a page whose address is seen; or a path that was typed, and the one text beside it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.demonstration.screen_texts import same_row
from core.demonstration.start_and_end import address_at
from core.effects.effect import TEXT, Effect
from core.effects.rows import plain_name
from core.plans.phrasing import first_quotation
from core.secrets import is_secret_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.analysis import Region
    from core.demonstration.screen_texts import ScreenTexts, Seen
    from core.recording.input_log import InputLog
    from core.steps import Step

_PATH: Final = re.compile(r"(?:~/|/)[^\n]*[^/\n]\.(\w{1,8})")
_TABLES: Final = frozenset({"csv", "tsv", "json", "jsonl", "ndjson"})
_LOCAL: Final = re.compile(r"(?:localhost|127\.\d+\.\d+\.\d+)(?::\d+)?(?:/|$)|[^/]+:\d+", re.IGNORECASE)


def suggested_effects(
    steps: Sequence[Step], texts: ScreenTexts, log: InputLog | None, duration_ms: int
) -> tuple[Effect, ...]:
    """At most one page and one file."""
    typed = _typed(steps)
    found = (_shown_row(steps, typed, texts, log, duration_ms), _saved_file(typed))
    return tuple(effect for effect in found if effect is not None)


def _typed(steps: Sequence[Step]) -> Mapping[str, str]:
    """The values that are known, by the names of their fields."""
    known = (each for each in steps if each.action_type == "TYPE" and not (each.place or each.hidden or each.doubt))
    fields = ((first_quotation(each.target.primary), each.action_value or "") for each in known)
    return {label: value for label, value in fields if value.strip() and label and not is_secret_name(label)}


def _shown_row(
    steps: Sequence[Step], typed: Mapping[str, str], texts: ScreenTexts, log: InputLog | None, end_ms: int
) -> Effect | None:
    """The row of a page that is shown in the end, and was not before the last value was typed."""
    last = max((each.until_ms for each in steps if each.action_type == "TYPE"), default=0)
    address = address_at(texts, log, end_ms)
    seen = texts.at(end_ms)
    new = [one for one in seen if one.t_ms > last]
    cells = {
        label: places for label, value in typed.items() if (places := [one for one in new if one.text == value.strip()])
    }
    if address is None or not cells or len(cells) < len(typed):
        return None
    for start in next(iter(cells.values())):
        row = {label: one for label, places in cells.items() for one in places if same_row(one.box, start.box)}
        if len(row) == len(cells) and all(_has_header(label, one, seen) for label, one in row.items()):
            expect = {_header(label, one, seen): one.text for label, one in row.items()}
            return Effect(kind="page", at=_whole(address.text), expect=expect, exactly_once=True)
    return None


def _saved_file(typed: Mapping[str, str]) -> Effect | None:
    """The file whose path was typed, if one other text was."""
    paths = [value for value in typed.values() if (path := _PATH.fullmatch(value)) and path[1].lower() not in _TABLES]
    others = [value for value in typed.values() if value not in paths]
    if len(paths) != 1 or len(others) != 1:
        return None
    return Effect(kind="file", at=paths[0], change="written", expect={TEXT: others[0]})


def _headers(label: str, cell: Seen, seen: Sequence[Seen]) -> list[Seen]:
    above = (one for one in seen if one.box[1] + one.box[3] <= cell.box[1] and _is_aligned(one.box, cell.box))
    return [one for one in above if plain_name(one.text) == plain_name(label)]


def _has_header(label: str, cell: Seen, seen: Sequence[Seen]) -> bool:
    return bool(_headers(label, cell, seen))


def _header(label: str, cell: Seen, seen: Sequence[Seen]) -> str:
    """The column's name as the page writes it."""
    return _headers(label, cell, seen)[-1].text


def _is_aligned(one: Region, other: Region) -> bool:
    """Whether they stand below one another: with an edge or the middle in common."""
    slack = max(one[3], other[3])
    return any(
        abs(a - b) <= slack
        for a, b in (
            (one[0], other[0]),
            (one[0] + one[2], other[0] + other[2]),
            (one[0] + one[2] / 2, other[0] + other[2] / 2),
        )
    )


def _whole(address: str) -> str:
    """The address with the scheme that a browser does not show."""
    if "://" in address:
        return address
    return f"{'http' if _LOCAL.match(address) else 'https'}://{address}"
