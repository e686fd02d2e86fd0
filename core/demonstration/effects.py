"""The effects that a recording suggests: the list that was shown after saving, and the file that was saved.

Only what the recording shows whole is proposed: a row that has each typed value, below a row that names their columns
as their fields were named, in the same order, on a page whose address is seen; or a path that was typed, and the one
text beside it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from core.demonstration.opening import addresses_at
from core.demonstration.screen_texts import same_row
from core.effects.effect import TEXT, Effect
from core.plans.phrasing import first_quotation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    return {label: value for label, value in fields if value.strip() and label}


def _shown_row(
    steps: Sequence[Step], typed: Mapping[str, str], texts: ScreenTexts, log: InputLog | None, end_ms: int
) -> Effect | None:
    """The row of a page that is shown in the end, and was not before the last value was typed."""
    last = max((each.until_ms for each in steps if each.action_type == "TYPE"), default=0)
    addresses = addresses_at(texts, log, end_ms)
    if not addresses or not typed:
        return None
    lines = _lines(texts.at(end_ms))
    for row in lines:
        order = _order(row, list(typed.values())) if row.since_ms > last else ()
        above = (line for line in lines if line.bottom <= row.top)
        if len(order) == len(typed) and any(_names(_order(line, list(typed)), order) for line in above):
            return Effect(kind="page", at=_whole(addresses[-1].text), expect=dict(typed), exactly_once=True)
    return None


class _Line(NamedTuple):
    """What stands in one line of the screen, left to right."""

    text: str
    top: int
    bottom: int
    since_ms: int


def _lines(seen: Sequence[Seen]) -> list[_Line]:
    rows: list[list[Seen]] = []
    for one in seen:
        row = next((row for row in rows if same_row(row[0].box, one.box)), None)
        if row is None:
            rows.append([one])
        else:
            row.append(one)
    return [
        _Line(
            " ".join(one.text for one in sorted(row, key=lambda one: one.box[0])),
            min(one.box[1] for one in row),
            max(one.box[1] + one.box[3] for one in row),
            max(one.t_ms for one in row),
        )
        for row in rows
    ]


def _order(line: _Line, words: Sequence[str]) -> Sequence[int]:
    """Which of these texts stand in a line, each at a place of its own, by their index, left to right."""
    rest = line.text.casefold()
    found: dict[int, int] = {}
    for at in sorted(range(len(words)), key=lambda at: -len(words[at])):
        wanted = " ".join(words[at].split()).casefold()
        match = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", rest)
        if match is not None:
            found[at] = match.start()
            rest = f"{rest[: match.start()]}{chr(0) * len(match[0])}{rest[match.end() :]}"
    return sorted(found, key=lambda at: found[at])


def _names(header: Sequence[int], values: Sequence[int]) -> bool:
    """Whether a line names the columns of the values below it: most of them, in their order.

    What is read of neighbouring columns may be one text, so that no place is known of each; one name may be unread.
    """
    return len(header) * 2 > len(values) and [at for at in values if at in header] == list(header)


def _saved_file(typed: Mapping[str, str]) -> Effect | None:
    """The file whose path was typed, if one other text was."""
    paths = [value for value in typed.values() if (path := _PATH.fullmatch(value)) and path[1].lower() not in _TABLES]
    others = [value for value in typed.values() if value not in paths]
    if len(paths) != 1 or len(others) != 1:
        return None
    return Effect(kind="file", at=paths[0], change="written", expect={TEXT: others[0]})


def _whole(address: str) -> str:
    """The address with the scheme that a browser does not show."""
    if "://" in address:
        return address
    return f"{'http' if _LOCAL.match(address) else 'https'}://{address}"
