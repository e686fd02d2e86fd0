"""Fields whose text came at once, as a test fills them; with a pointer on the screen a program may have written it."""

from __future__ import annotations

from bisect import bisect
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import gap, lies_in, overlap
from adapters.video.text.labels import label_of
from adapters.video.text.lines import address_of, alike, strip_spaces
from adapters.video.text.matching import Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_FAINTER: Final = 0.85
"""Of the contrast of a value: what a field asks for is written fainter."""
_FAINT: Final = 0.8
"""The same, of what else stands on the screen."""
_AT_ONCE: Final = 2
"""A hand fills one field at a time, and two in two frames that are seen as one; what fills more is the program."""
_MOMENT_MS: Final = 100
_CLOSED_MS: Final = 300
_STEP_MS: Final = 1000
"""What a test types letter by letter is seen in a few steps."""
_FEW: Final = 4
"""So many lines come at most at the moment in which a field is filled; of more a page is made."""


def filled(drafts: Sequence[Draft]) -> tuple[list[list[Draft]], list[Draft]]:
    """What filled one field each, in one step or in several, and the drafts without it."""
    fills: list[list[Draft]] = []
    by_line: dict[int, list[Draft]] = {}
    rest: list[Draft] = []
    came_ms = sorted(draft.t_ms for draft in drafts for _ in draft.match.coming)
    for draft in drafts:
        found = draft.match
        begin, end = (bisect(came_ms, draft.t_ms + off) for off in (-_MOMENT_MS, _MOMENT_MS))
        most = _AT_ONCE if end - begin <= _FEW else 0
        added = [line for line in found.added if _is_filled(line, None, draft)][:most]
        pairs = [(old, new) for old, new in found.changed if _is_filled(new, old, draft)]
        pairs = pairs[: most - len(added)]
        grown = [(old, new) for old, new in found.changed if _goes_on(by_line.get(id(old)), old, new, draft.t_ms)]
        if not (added or pairs or grown):
            rest.append(draft)
            continue
        for old, new in grown:
            by_line[id(new)] = by_line.pop(id(old))
            by_line[id(new)].append(_alone(draft, Match(changed=[(old, new)])))
        begun = [_alone(draft, Match(added=[line])) for line in added]
        begun += [_alone(draft, Match(changed=[pair])) for pair in pairs if pair not in grown]
        fills += [[one] for one in begun]
        by_line |= {id(fill[0].match.coming[0]): fill for fill in fills[len(fills) - len(begun) :]}
        left = replace(
            found,
            added=[line for line in found.added if line not in added],
            changed=[pair for pair in found.changed if pair not in (*pairs, *grown)],
        )
        if left.says_anything:
            rest.append(replace(draft, match=left))
    return fills, rest


def _goes_on(fill: Sequence[Draft] | None, old: Line, new: Line, t_ms: int) -> bool:
    """Whether more was put behind what had just come in a field."""
    is_more = strip_spaces(new.text).startswith(strip_spaces(old.text))
    return fill is not None and is_more and t_ms - fill[-1].t_ms <= _STEP_MS


def _is_filled(line: Line, before: Line | None, draft: Draft) -> bool:
    """Whether it stands alone in a field that was empty, or what the field asks for: a program writes over values."""
    field = line.field_box
    if field is None or line.false or address_of(line.text):
        return False
    if before is not None and not (lies_in(before.box, field) and _gives_way(before, line)):
        return False
    if not _stands_as_value(line.came_at, field) or (before is None and _is_asked(line, draft)):
        return False
    went = {id(old) for old in draft.match.leaving}
    others = [one for one, box in draft.stood if id(one) not in went and overlap(box, field) and not one.false]
    return not others and not _is_chosen(line, before, draft)


def _gives_way(before: Line, line: Line) -> bool:
    """Whether it is what an empty field asks for, or the field got the focus just then."""
    return line.is_focused or _contrast(before) <= _FAINTER * _contrast(line)


def _contrast(line: Line) -> int:
    return int(np.ptp(line.patch)) if line.patch.size else 0


def _is_asked(line: Line, draft: Draft) -> bool:
    """Whether it is fainter than most that is written there: what an empty field asks for has come again."""
    usual = [_contrast(one) for one, _ in draft.stood if not one.false]
    return bool(usual) and _contrast(line) < _FAINT * float(np.median(usual))


def _stands_as_value(text: Box, field: Box) -> bool:
    """Whether it begins at the left, at the top or in the middle row: the label of a button stands in the middle."""
    before, behind = text[0] - field[0], field[0] + field[2] - text[0] - text[2]
    above, below = text[1] - field[1], field[1] + field[3] - text[1] - text[3]
    return abs(before - behind) > text[3] and (above <= text[3] or 2 * abs(above - below) <= text[3])


def _is_chosen(line: Line, before: Line | None, draft: Draft) -> bool:
    """Whether the same words stood above or below, as an entry of a list; in an empty field only if they went then."""
    field = line.field_box or line.came_at
    return any(
        alike(one.text, line.text)
        and (before is not None or (one.until_ms is not None and abs(one.until_ms - draft.t_ms) <= _CLOSED_MS))
        for one, box in draft.stood
        if gap(box, field)[0] == 0 and not overlap(box, field)
    )


def _alone(draft: Draft, found: Match) -> Draft:
    line = found.coming[0]
    label = label_of(line.field_box or line.came_at, draft.stood)
    return replace(draft, match=found, box=line.came_at, label=label)
