"""Lines that stand as they stood and were only divided or joined in another way when they were read anew.

A row that is lit is read without the words beside it, and a menu's name with its neighbour's. What the letters look
like decides then whether anything came or went, and not what they were read to be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, overlap, same_row, window
from adapters.video.text.doubts import stood_exactly
from adapters.video.text.lines import alike, digits, folded, similarity
from adapters.video.text.same_ink import has_same_letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.settled import Settled
    from adapters.video.text.lines import Line

_REACH: Final = 4
"""Pixels: two readings of one line begin and end so near to each other."""
_SAME: Final = 0.9


def divided(fresh: Sequence[Line], known: Sequence[Line], group: Sequence[Settled]) -> tuple[list[Line], list[Line]]:
    """Tell what may be new from the lines that stand as they stood, of which nothing but pieces was read.

    Args:
        fresh: what was read.
        known: the lines that stood there before.
        group: what came to rest.

    """
    new: list[Line] = []
    said: list[tuple[Line, list[Line]]] = []
    for line in fresh:
        there = [old for old in known if same_row(old.box, line.box) and overlap(old.box, line.box)]
        there.sort(key=lambda old: old.box[0])
        for old in there:
            _go_on(old, line, there, group[0].frame.luma)
        is_one = len(there) == 1 and alike(there[0].text, line.text)
        if there and not is_one and _says_again(line, there, group):
            said.append((line, there))
        else:
            new.append(line)
    came, standing = list(new), list["Line"]()
    for line, there in said:
        # A line that goes on in another piece, as what is typed does, is read as a whole.
        if any(overlap(old.box, other.box) for old in there for other in came):
            new.append(line)
        else:
            standing += there
    return new, standing


def _says_again(line: Line, there: Sequence[Line], group: Sequence[Settled]) -> bool:
    """Whether all letters of the line are those of lines that stood there, and still do."""
    luma = group[0].frame.luma
    if not _is_within(line.box, around(old.box for old in there)):
        return False
    if not all(has_same_letters(old.patch, luma[window(old.box)]) for old in there):
        return False
    words, said = folded(line.text), folded(" ".join(old.text for old in there))
    is_same = words in said or (similarity(words, said) >= _SAME and digits(words) == digits(said))
    return is_same or stood_exactly(line.box, group)


def _go_on(old: Line, line: Line, there: Sequence[Line], luma: Luma) -> None:
    """Read the line on from the begin of an older one that still stands, if it repeats the end of that, and has more.

    What is typed behind other text may be read from the middle of a row on.
    """
    end = old.box[0] + old.box[2]
    more = line.box[0] + line.box[2] - end
    if min(line.box[0] - old.box[0], more) <= _REACH or not has_same_letters(old.patch, luma[window(old.box)]):
        return
    if any(one is not old and overlap(one.box, (end, line.box[1], more, line.box[3])) for one in there):
        return
    shared = next((n for n in range(len(line.text), 1, -1) if old.text.endswith(line.text[:n])), 0)
    if shared:
        line.text = old.text + line.text[shared:]
        line.box = line.came_at = around((old.box, line.box))
        line.patch = luma[window(line.box)].copy()


def _is_within(box: Box, other: Box) -> bool:
    return other[0] - _REACH <= box[0] and box[0] + box[2] <= other[0] + other[2] + _REACH
