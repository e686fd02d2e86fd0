"""Puts together what happened at one moment: the parts of a page that was replaced, the cells of a new row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.kinds import is_navigation
from adapters.video.lines import around, gap, same_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.tracker import Draft

_AT_ONCE_MS: Final = 130
_NEAR_LINES: Final = 2.5
_LARGE: Final = 0.06


def joined(drafts: Sequence[Draft], size: tuple[int, int]) -> list[Draft]:
    """The drafts with those made one that tell of one thing, in order of time."""
    result: list[Draft] = []
    for moment in _moments(drafts):
        telling = [draft for draft in moment if draft.match.says_anything]
        mute = [draft for draft in moment if not draft.match.says_anything]
        if len(telling) > 1 and is_navigation(whole := _one(telling), size):
            result.append(whole)
        else:
            result += _by_place(telling) + ([] if telling else mute)
        # Beside a text that came, the colour of its row is no event of its own; a picture is.
        result += [draft for draft in mute if telling and draft.fill > 0 and _share(draft, size) >= _LARGE]
    return sorted(result, key=lambda draft: draft.t_ms)


def _moments(drafts: Sequence[Draft]) -> list[list[Draft]]:
    moments: list[list[Draft]] = []
    for draft in sorted(drafts, key=lambda draft: draft.t_ms):
        if moments and draft.t_ms - moments[-1][0].t_ms <= _AT_ONCE_MS:
            moments[-1].append(draft)
        else:
            moments.append([draft])
    return moments


def _one(drafts: Sequence[Draft]) -> Draft:
    match = drafts[0].match
    for draft in drafts[1:]:
        match = match.plus(draft.match)
    return replace(
        drafts[0],
        match=match,
        box=around(draft.box for draft in drafts),
        seen_ms=max(draft.seen_ms for draft in drafts),
        lines_before=max(draft.lines_before for draft in drafts),
        frame=max(drafts, key=lambda draft: draft.seen_ms).frame,
    )


def _by_place(drafts: Sequence[Draft]) -> list[Draft]:
    """Join what only came, or only went, where it stands in one row or close below each other."""
    groups: list[list[Draft]] = []
    for draft in drafts:
        group = next((group for group in groups if any(_belong(draft, other) for other in group)), None)
        if group is None:
            groups.append([draft])
        else:
            group.append(draft)
    return [_one(group) for group in groups]


def _belong(one: Draft, other: Draft) -> bool:
    if _way(one) is None or _way(one) != _way(other):
        return False
    lines = [*one.match.coming, *one.match.leaving]
    height = max(line.box[3] for line in lines)
    across, down = gap(one.box, other.box)
    return same_row(one.box, other.box) or (across == 0 and down <= _NEAR_LINES * height)


def _way(draft: Draft) -> str | None:
    found = draft.match
    if found.changed or bool(found.added) == bool(found.removed):
        return None
    return "came" if found.added else "went"


def _share(draft: Draft, size: tuple[int, int]) -> float:
    box = draft.solid or draft.box
    return box[2] * box[3] / (size[0] * size[1])
