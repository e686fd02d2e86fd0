"""Puts together what happened at one moment: the parts of a page that was replaced, the cells of a new row."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Final

from adapters.video.boxes import around, gap, overlap, same_row
from adapters.video.motion.scrolling import Scroll
from adapters.video.text.lines import similarity
from adapters.video.text.matching import Match
from adapters.video.text.screen import CONTROL
from adapters.video.timeline.kinds import closed_gap, is_navigation, made_room, scroll_shift
from adapters.video.timeline.rows import rows_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.boxes import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_AT_ONCE_MS: Final = 130
_FLASH_MS: Final = 40
_SCROLL_PAUSE_MS: Final = 260
_NEAR_LINES: Final = 3.5
_ALIKE: Final = 0.8
_PAIR: Final = 2
_LARGE: Final = 0.06
_MANY: Final = 4
"""Nobody tells of more things that changed at one moment one by one: a table was sorted, a page filled in."""


def joined(drafts: Sequence[Draft], size: tuple[int, int]) -> list[Draft]:
    """The drafts with those made one that tell of one thing, in order of time."""
    result: list[Draft] = []
    whole = _with_what_moved(_scrolled_on(drafts))
    for moment in _moments([part for draft in whole for part in _parts(draft)]):
        scrolled = [draft for draft in moment if draft.scroll]
        rows, telling = rows_apart([draft for draft in moment if draft.match.says_anything and not draft.scroll])
        mute = [draft for draft in moment if not draft.match.says_anything and not draft.scroll]
        result += [*scrolled, *_by_place(rows)]
        page = _one(telling) if telling else None
        if page is not None and len(telling) > 1 and is_navigation(page, size):
            result.append(page)
        else:
            places = _by_place(telling)
            result += [page] if page is not None and len(places) > _MANY else places
            result += [] if telling or rows or scrolled else mute
        # Beside a text that came, the colour of its row is no event of its own; a picture is.
        result += [draft for draft in mute if telling and draft.fill > 0 and _share(draft, size) >= _LARGE]
        ticked = [draft for draft in mute if telling and _is_a_control(draft, telling)]
        result += ticked if len(ticked) == 1 else []
    return sorted(result, key=lambda draft: draft.t_ms)


def without_flashes(drafts: Sequence[Draft]) -> None:
    """Leave out lines that stood for no time: half of a text that was read before its other half had come to rest."""
    brought: dict[int, tuple[Draft, Line | None]] = {}
    for draft in drafts:
        for index, (old, new) in enumerate(list(draft.match.changed)):
            source = brought.get(id(old))
            if old.until_ms is None or old.until_ms - old.t_ms > _FLASH_MS or source is None:
                continue
            first, before = source
            found = first.match
            if before is None:
                found.added = [new if line is old else line for line in found.added]
            else:
                found.changed = [(one, new if line is old else line) for one, line in found.changed]
            new.t_ms = old.t_ms
            draft.match.changed[index] = (old, old)
        draft.match.changed = [(old, new) for old, new in draft.match.changed if old is not new]
        brought |= {id(line): (draft, None) for line in draft.match.added}
        brought |= {id(new): (draft, old) for old, new in draft.match.changed}


def _parts(draft: Draft) -> list[Draft]:
    """What moved to make room or to close a gap, and what came, went or changed meanwhile, are several things."""
    found = draft.match
    if closed_gap(draft):
        went = replace(draft, scroll=None, match=Match(removed=found.removed))
        came = replace(draft, match=Match(kept=found.kept, moved=found.moved, added=found.added, changed=found.changed))
        return [went, *(_parts(came) if came.match.says_anything else [])]
    if not made_room(draft):
        return _by_cluster(draft)
    if not found.changed:
        return [draft]
    in_place = [(old, new) for old, new in found.changed if similarity(old.text, new.text) >= _ALIKE]
    added = [*found.added, *(new for old, new in found.changed if (old, new) not in in_place)]
    came = replace(draft, match=Match(kept=found.kept, moved=found.moved, added=added))
    return [came, *(replace(draft, scroll=None, match=Match(changed=[pair])) for pair in in_place)]


def _scrolled_on(drafts: Sequence[Draft]) -> list[Draft]:
    """Scrolling that went on after less than a pause is one."""
    result: list[Draft] = []
    last: Draft | None = None
    for draft in drafts:
        one, other = last.scroll if last else None, draft.scroll
        if last and one and other and _goes_on(one, other):
            box = around((one.box, other.box))
            result.remove(last)
            draft = replace(  # noqa: PLW2901 - it takes the place of both
                _one([last, draft]),
                scroll=Scroll(one.t_ms, other.until_ms, box, one.dx + other.dx, one.dy + other.dy),
            )
        result.append(draft)
        last = draft if other else last
    return result


def _goes_on(one: Scroll, other: Scroll) -> bool:
    same_way = one.dx * other.dx + one.dy * other.dy > 0
    return same_way and other.t_ms - one.until_ms <= _SCROLL_PAUSE_MS and overlap(one.box, other.box) > 0


def _with_what_moved(drafts: Sequence[Draft]) -> list[Draft]:
    """What changed inside content that moved at that moment is a part of the move."""
    result = list(drafts)
    for moved in drafts:
        scroll = moved.scroll
        if scroll is None:
            continue
        parts = [
            draft
            for draft in result
            if draft.scroll is None
            and abs(draft.t_ms - moved.t_ms) <= _AT_ONCE_MS
            and overlap(draft.box, scroll.box) == draft.box[2] * draft.box[3]
        ]
        result = [draft for draft in result if draft is not moved and draft not in parts]
        result.append(_one([moved, *parts]))
    return result


def _by_cluster(draft: Draft) -> list[Draft]:
    """Around text that only moved or changed its tint, what changed in several places is several things."""
    found = draft.match
    if scroll_shift(draft) is not None or draft.cover or not found.kept:
        return [draft]
    atoms = [Match(removed=[line]) for line in found.removed]
    atoms += [Match(added=[line]) for line in found.added]
    atoms += [Match(changed=[pair]) for pair in found.changed]
    clusters: list[Match] = []
    for atom in atoms:
        near = [one for one in clusters if _is_near(atom, one)]
        clusters = [one for one in clusters if one not in near] + [reduce(Match.plus, near, atom)]
    ways = [_way(cluster) for cluster in clusters]
    if not 1 < len(clusters) <= _MANY or {"came", "went"} <= set(ways):
        return [draft]
    parts = [replace(draft, match=cluster, box=_around(cluster)) for cluster in clusters]
    kept = Match(kept=found.kept, moved=found.moved)
    return [replace(parts[0], match=parts[0].match.plus(kept)), *parts[1:]]


def _is_near(one: Match, other: Match) -> bool:
    height = max(line.box[3] for part in (one, other) for line in (*part.leaving, *part.coming))
    across, down = gap(_around(one), _around(other))
    return down <= _NEAR_LINES * height and (across == 0 or down == 0)


def _around(match: Match) -> Box:
    return around([*(line.came_at for line in match.coming), *(line.box for line in match.leaving)])


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
    match.settle()
    return replace(
        drafts[0],
        match=match,
        box=around(draft.box for draft in drafts),
        seen_ms=max(draft.seen_ms for draft in drafts),
        stood=drafts[0].stood,
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
    if one.cover or other.cover or _follow(one, other) or _follow(other, one):
        return False
    lines = [*one.match.coming, *one.match.leaving, *other.match.coming, *other.match.leaving]
    height = max(line.box[3] for line in lines)
    across, down = gap(one.box, other.box)
    below = across == 0 and down <= _NEAR_LINES * height
    if _way(one.match) is not None and _way(one.match) == _way(other.match):
        return same_row(one.box, other.box) or below
    # Single values side by side change each for itself; a text of several lines changes as one.
    long = max(len(draft.match.leaving) + len(draft.match.coming) for draft in (one, other)) > _PAIR
    return long and below


def _follow(one: Draft, other: Draft) -> bool:
    """Whether the second did away with what the first brought: then they are two."""
    went = {id(line) for line in other.match.leaving}
    return any(id(line) in went for line in one.match.coming)


def _way(found: Match) -> str | None:
    if found.changed or bool(found.added) == bool(found.removed):
        return None
    return "came" if found.added else "went"


def _is_a_control(draft: Draft, others: Sequence[Draft]) -> bool:
    """Whether something as small as a check box changed, far from what came or went."""
    if draft.solid is None or max(draft.solid[2:]) > CONTROL:
        return False
    return all(max(gap(draft.box, other.box)) > _NEAR_LINES * draft.box[3] for other in others)


def _share(draft: Draft, size: tuple[int, int]) -> float:
    box = draft.solid or draft.box
    return box[2] * box[3] / (size[0] * size[1])
