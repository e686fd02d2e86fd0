"""An icon at the beginning of a field that is read as a letter, and as another one each time the field changes."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_SIGN: Final = re.compile(r"(?:[^\W\d_]\.?|[^\w\s])\s+(?=\S)")
"""What such an icon is read as, before the words of its line."""
_STILL: Final = 3
"""Pixels by which its left side may be read elsewhere."""
_READINGS: Final = 3
"""So many lines that followed each other in one place, each with another letter before its words, had an icon there."""


def without_icons(drafts: Sequence[Draft]) -> None:
    """Take the letter off the texts of such lines."""
    rows: dict[int, list[Line]] = {}
    for draft in drafts:
        for old, new in draft.match.changed:
            if _sign(old) and _sign(new) and abs(old.box[0] - new.came_at[0]) <= _STILL:
                row = rows.setdefault(id(old), [old])
                row.append(new)
                rows[id(new)] = row
    for row in {id(row): row for row in rows.values()}.values():
        signs = [_sign(line) for line in row]
        if len(row) >= _READINGS and all(one != other for one, other in itertools.pairwise(signs)):
            for line in row:
                line.text = _SIGN.sub("", line.text, count=1)


def _sign(line: Line) -> str:
    found = _SIGN.match(line.text)
    return found[0].strip() if found is not None else ""
