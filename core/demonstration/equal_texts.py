"""The words for one of several equal texts on a screen: by its number, in the order in which one reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.demonstration.screen_texts import overlaps, same_row
from core.plans.phrasing import ORDINALS, marks

if TYPE_CHECKING:
    from core.analysis import Region
    from core.demonstration.screen_texts import ScreenTexts, Seen


def phrase_of(words: str, box: Region | None, t_ms: int, texts: ScreenTexts) -> str:
    """The words between quotation marks, with a number where they stood there more than once; empty for unquotable.

    Words of which only a line was read, as of two links side by side, stand in each line that is the same.
    """
    quoted = marks(words) or ""
    there = texts.at(max(0, t_ms))
    own = next((one.text for one in there if box and overlaps(one.box, box) and f" {words} " in f" {one.text} "), words)
    rows: list[list[Seen]] = []
    for one in sorted((one for one in there if one.text in {words, own}), key=lambda one: one.middle[1]):
        if rows and same_row(rows[-1][0].box, one.box):
            rows[-1].append(one)
        else:
            rows.append([one])
    equal = [one.box for row in rows for one in sorted(row, key=lambda one: one.box[0])]
    if box is None or not quoted or not 1 < len(equal) <= len(ORDINALS):
        return quoted
    nearest = min(range(len(equal)), key=lambda at: abs(equal[at][0] - box[0]) + abs(equal[at][1] - box[1]))
    return f"the {ORDINALS[nearest]} {quoted}"
