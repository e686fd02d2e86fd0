"""Puts together what happened at one moment: parts of a page, cells of a new row, rows that moved by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, overlap, same_row
from adapters.video.motion.changes import CONTROL
from adapters.video.text.lines import alike, similarity
from adapters.video.text.matching import Match
from adapters.video.timeline.kinds import closed_gap, is_navigation, is_update, makes_space, scroll_shift
from adapters.video.timeline.scrolling import AT_ONCE_MS, as_one, scrolling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft


_LEAST_LINES: Final = 2
_MOST: Final = 0.6
_JITTER: Final = 3
_ROWS: Final = 5
"""So many times the height of its text is a row at most."""


def rows_apart(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Draft]]:
    """The rows that went and came, and the drafts of one moment without them and without those that only moved."""
    moved = _moved(drafts)
    if not moved:
        return [], list(drafts)
    reported: list[Draft] = []
    rest: list[Draft] = []
    for draft in drafts:
        found = draft.match
        in_place = [pair for pair in found.changed if not moved & {id(line) for line in pair}]
        broken = [pair for pair in found.changed if pair not in in_place]
        removed = [*found.removed, *(old for old, _ in broken)]
        added = [*found.added, *(new for _, new in broken)]
        reported += _draft(draft, Match(removed=[line for line in removed if id(line) not in moved]))
        reported += _draft(draft, Match(added=[line for line in added if id(line) not in moved]))
        rest += _draft(draft, Match(changed=in_place))
    return reported, rest


def _draft(draft: Draft, found: Match) -> list[Draft]:
    lines = [*(line.came_at for line in found.coming), *(line.box for line in found.leaving)]
    return [replace(draft, match=found, box=around(lines))] if lines else []


def _moved(drafts: Sequence[Draft]) -> set[int]:
    """Ids of the lines that say what others said a row farther, before and after; empty when these are not most."""
    leaving = [line for draft in drafts for line in draft.match.leaving]
    coming = [line for draft in drafts for line in draft.match.coming]
    steps = [(old, new, new.came_at[1] - old.box[1]) for old in leaving for new in coming if _is_beyond(old, new)]
    counts = Counter(round(step / _JITTER) for _, _, step in steps)
    usual = max(counts, key=lambda one: counts[one - 1] + counts[one] + counts[one + 1], default=0)
    same = [(old, new) for old, new, step in steps if abs(round(step / _JITTER) - usual) <= 1]
    if len(same) < _LEAST_LINES:
        return set()
    moved = {id(line) for pair in same for line in pair} | _unchanged(drafts, same)
    counted = {id(line) for draft in drafts for pair in draft.match.changed if is_update(*pair) for line in pair}
    left, came = ([line for line in lines if id(line) not in moved | counted] for lines in (leaving, coming))
    one_row = all(same_row(line.box, left[0].box) for line in left)
    one_row = one_row and all(same_row(line.came_at, came[0].came_at) for line in came)
    return moved if one_row or sum(id(line) in moved for line in coming) >= _MOST * len(coming) else set()


def _unchanged(drafts: Sequence[Draft], same: Sequence[tuple[Line, Line]]) -> set[int]:
    """Ids of those that came from, or went to, a cell that says what the next one says: it seems to stay."""
    coming = {id(line): line for draft in drafts for line in draft.match.coming}
    leaving = {id(line): line for draft in drafts for line in draft.match.leaving}
    shift = sum(new.came_at[1] - old.box[1] for old, new in same) // len(same)
    stood = [(line, box) for draft in drafts for line, box in draft.stood if id(line) not in coming]
    place = around(new.came_at for _, new in same)
    stays = [(line, box) for line, box in stood if id(line) not in leaving and overlap(box, place)]
    found = {key for key, new in coming.items() if _is_among(new.text, new.came_at, stood, -shift)}
    return found | {key for key, old in leaving.items() if _is_among(old.text, old.box, stays, shift)}


def _is_among(text: str, box: Box, lines: Sequence[tuple[Line, Box]], shift: int) -> bool:
    """Whether one of the lines says the same, so far below that box."""
    x, y, width, height = box
    return any(overlap((x, y + shift, width, height), place) and alike(text, line.text) for line, place in lines)


def _is_beyond(old: Line, new: Line) -> bool:
    """Whether it says the same in the same column, a row above or below."""
    one, other = old.box, new.came_at
    column = min(abs(one[0] - other[0]), abs(one[0] + one[2] - other[0] - other[2])) <= _JITTER
    return column and one[3] <= abs(other[1] - one[1]) <= _ROWS * one[3] and alike(old.text, new.text)


_FLASH_MS: Final = 40
_NEAR_LINES: Final = 3.5
_ALIKE: Final = 0.8
_PAIR: Final = 2
_LARGE: Final = 0.06
_MANY: Final = 4
"""Nobody tells of more things that changed at one moment one by one: a table was sorted, a page filled in."""


def joined(drafts: Sequence[Draft], size: tuple[int, int]) -> list[Draft]:
    """The drafts with those made one that tell of one thing, in order of time."""
    result: list[Draft] = []
    whole = scrolling(drafts)
    for moment in _moments([part for draft in whole for part in _parts(draft)]):
        scrolled = [draft for draft in moment if draft.scroll]
        rows, reported = rows_apart([draft for draft in moment if draft.match.says_anything and not draft.scroll])
        mute = [draft for draft in moment if not draft.match.says_anything and not draft.scroll]
        result += [*scrolled, *_by_place(rows)]
        page = as_one(reported) if reported else None
        if page is not None and len(reported) > 1 and is_navigation(page, size):
            result.append(page)
        else:
            places = _by_place(reported)
            result += [page] if page is not None and len(places) > _MANY else places
            result += [] if reported or rows or scrolled else mute
        # Beside a text that came, the colour of its row is no event of its own; a picture is.
        result += [draft for draft in mute if reported and draft.fill > 0 and _share(draft, size) >= _LARGE]
        ticked = [draft for draft in mute if reported and _is_a_control(draft, reported)]
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
    if not makes_space(draft):
        return _by_cluster(draft)
    if not found.changed:
        return [draft]
    in_place = [(old, new) for old, new in found.changed if similarity(old.text, new.text) >= _ALIKE]
    added = [*found.added, *(new for old, new in found.changed if (old, new) not in in_place)]
    came = replace(draft, match=Match(kept=found.kept, moved=found.moved, added=added))
    return [came, *(replace(draft, scroll=None, match=Match(changed=[pair])) for pair in in_place)]


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
        if moments and draft.t_ms - moments[-1][0].t_ms <= AT_ONCE_MS:
            moments[-1].append(draft)
        else:
            moments.append([draft])
    return moments


def _by_place(drafts: Sequence[Draft]) -> list[Draft]:
    """Join what only came, or only went, where it stands in one row or close below each other."""
    groups: list[list[Draft]] = []
    for draft in drafts:
        group = next((group for group in groups if any(_belong(draft, other) for other in group)), None)
        if group is None:
            groups.append([draft])
        else:
            group.append(draft)
    return [as_one(group) for group in groups]


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
