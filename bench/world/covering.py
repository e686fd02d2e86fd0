"""Says which lines are covered by what stands above them: menus, dialogs, other windows."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from core.analysis import Region


class Line(NamedTuple):
    """A line, how high it stands, and the things on which it depends."""

    text: str
    box: Region
    layer: int
    things: tuple[str, ...]


class Cover(NamedTuple):
    """What hides whatever stands lower, and the things that make it."""

    box: Region
    layer: int
    things: tuple[str, ...]

    def hides(self, box: Region, layer: int) -> bool:
        """Whether it covers the middle of a place."""
        x, y, (left, top, width, height) = box[0] + box[2] / 2, box[1] + box[3] / 2, self.box
        return self.layer > layer and left <= x < left + width and top <= y < top + height


Shown = tuple[str, int, int, int, int, int, tuple[str, ...]]
"""The words, their place, 1 if they are cut, and the things on which they depend."""


def uncovered(lines: Iterable[Line], covers: Sequence[Cover]) -> tuple[list[Shown], list[Shown]]:
    """The lines as they are seen, and those of which a word is covered, whole; of these, what is seen is cut."""
    seen, covered = list[Shown](), list[Shown]()
    for text, box, layer, things in lines:
        words = [(word[0], _place(text, box, *word.span())) for word in re.finditer(r"\S+", text)]
        over = [next((each for each in covers if each.hides(place, layer)), None) for _, place in words]
        above = [thing for cover in over if cover is not None for thing in cover.things]
        both = (*dict.fromkeys([*above, *things]),)
        left = [each for each, cover in zip(words, over, strict=True) if cover is None]
        if len(left) < len(words):
            covered.append((text, *box, 0, both))
        if len(left) == len(words):
            seen.append((text, *box, 0, both))
        elif left:
            start, last = left[0][1], left[-1][1]
            rest = (start[0], box[1], last[0] + last[2] - start[0], box[3])
            seen.append((" ".join(word for word, _ in left), *rest, 1, both))
    return seen, covered


def _place(text: str, box: Region, start: int, end: int) -> Region:
    """Where a word of a line stands, as if all letters were as wide."""
    letter = box[2] / len(text)
    return round(box[0] + start * letter), box[1], round((end - start) * letter), box[3]
