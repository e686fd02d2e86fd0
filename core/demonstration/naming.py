"""How the thing under a click is called, in words by which it is found again; or why that cannot be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from core.demonstration.screen_texts import Seen, same_row, under
from core.plans.quotes import marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Region

_PADDING: Final = 1.3
"""A button's words end so many of their heights before its edge, at most; a check box is as far from its label."""
_LONG: Final = 14
"""A text wider than so many of its heights is more than one thing: a click far from its middle meant a part of it."""
_MIDDLE: Final = 0.25
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


class Named(NamedTuple):
    """A name, or why there is none."""

    phrase: str
    seen: Seen | None
    why: str = ""


def name_at(x: int, y: int, seen: Sequence[Seen]) -> Named:
    """The name of what is at a point.

    Args:
        x: the point's, in pixels.
        y: likewise.
        seen: what stood on the screen then.

    """
    found = under(seen, x, y) or _beside(x, y, seen)
    if found is None:
        return Named("", None, "no text was read there")
    if not found.is_quotable:
        return Named("", found, "what stands there could not be read surely")
    left, _, width, height = found.box
    if width > _LONG * height and abs(x - left - width / 2) > _MIDDLE * width:
        return Named("", found, "only a part of the text there was meant")
    return phrase_for(found, seen)


def phrase_for(found: Seen, seen: Sequence[Seen]) -> Named:
    """A text as a target: quoted, and with its row or its number where the same text stands there several times."""
    quoted = marks(found.text)
    if quoted is None:
        return Named("", found, "it has every kind of quotation mark in it")
    twins = [one for one in seen if one.text.casefold() == found.text.casefold()]
    if len(twins) == 1:
        return Named(quoted, found)
    row = _row_of(found, seen)
    if row is not None:
        return Named(f"{quoted} in the row of {marks(row.text)}", found)
    at = _in_order(twins).index(found)
    if at < len(_ORDINALS):
        return Named(f"{_ORDINALS[at]} {quoted}", found)
    return Named("", found, f"the same text stands there {len(twins)} times")


def has_one(text: str, seen: Sequence[Seen]) -> bool:
    """Whether a text stands there once."""
    return sum(one.text.casefold() == text.casefold() for one in seen) == 1


def _beside(x: int, y: int, seen: Sequence[Seen]) -> Seen | None:
    """The only text so near that the point is on the same button, or on its check box."""
    near = [one for one in seen if _gap(one.box, x, y) <= _PADDING * one.box[3]]
    if not near:
        return None
    nearest = min(near, key=lambda one: _gap(one.box, x, y))
    rivals = [one for one in near if one is not nearest and _gap(one.box, x, y) < 2 * _gap(nearest.box, x, y)]
    return None if rivals else nearest


def _gap(box: Region, x: int, y: int) -> float:
    left, top, width, height = box
    across = max(left - x, x - left - width, 0)
    down = max(top - y, y - top - height, 0)
    # Nothing stands farther above or below its words than it is high.
    return max(across, 2 * down)


def _row_of(found: Seen, seen: Sequence[Seen]) -> Seen | None:
    """The first text of a row, which says whose the row is, if it stands there only once."""
    row = [one for one in seen if one is not found and same_row(one.box, found.box) and one.is_quotable]
    own = [one for one in row if has_one(one.text, seen) and any(sign.isalpha() for sign in one.text)]
    return min(own, key=lambda one: one.box[0], default=None)


def _in_order(twins: Sequence[Seen]) -> list[Seen]:
    rows: list[list[Seen]] = []
    for one in sorted(twins, key=lambda each: each.middle[1]):
        if rows and same_row(rows[-1][0].box, one.box):
            rows[-1].append(one)
        else:
            rows.append([one])
    return [one for row in rows for one in sorted(row, key=lambda each: each.box[0])]
