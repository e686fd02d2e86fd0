"""What kept moving: finds bars and counts that run among the changes, and puts together what moved at one place."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import around, gap, lies_in, overlap, same_row
from adapters.video.motion.settled import ContinuousMotion
from adapters.video.text.lines import in_order, strip_spaces
from adapters.video.text.matching import Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft
    from adapters.video.timeline.resting import Path

_STEP_MS: Final = 450
_LASTING_MS: Final = 800
_STEPS: Final = 5
_COUNTS: Final = 4
_FRAMES: Final = 1.6
_NUMBER: Final = re.compile(r"\d+")
_NEAR: Final = 48
_BESIDE: Final = 16
_WORD: Final = 4
_SIDE_BY_SIDE: Final = 0.6
_REPLACED_MS: Final = 400
"""What stood there when it began was replaced sooner by a spinner."""
_AT_ITS_END_MS: Final = 130
_TEXT: Final = 0.15
_MUCH_TEXT: Final = 0.5
"""Of a large place that moved, so much is rows of text where text is what changed there; and of a small one."""
_WAITED_MS: Final = 1200
_WATCHED_MS: Final = 2500
"""Of five large places that moved for less, in others' applications, none was a picture that played."""
_LETTERS: Final = 2
"""So many that come or go one by one are typed."""
_FLAT: Final = 40
"""Pixels: a bar that fills is no higher."""
_PERCENT: Final = "%"
_POINTER: Final = 24
"""Pixels that a pointer is wide and high at most, right of its tip and below it."""
_SMALL: Final = 160
"""What moved for less, and was smaller, was on others' recordings a click's ring or a pointer more often than not."""


def steps_of_bars(drafts: Sequence[Draft]) -> list[list[Draft]]:
    """Runs of small changes without text, each beside the one before: a bar that fills."""
    runs: list[list[Draft]] = []
    for draft in drafts:
        if (draft.match.says_anything and not _is_speck(draft)) or draft.scroll:
            continue
        run = next((run for run in reversed(runs) if _continues(run[-1], draft)), None)
        if run is None:
            runs.append([draft])
        else:
            run.append(draft)
    return [run for run in runs if len(run) >= _STEPS and run[-1].t_ms - run[0].t_ms >= _LASTING_MS]


def counts(drafts: Sequence[Draft], frame_ms: float) -> list[list[Draft]]:
    """Runs of changes in which only the numbers of one row went on, faster than anybody clicks: a percentage."""
    runs: list[list[Draft]] = []
    for draft in drafts:
        if not _is_count(draft):
            continue
        went = {id(line) for line in draft.match.leaving}
        pause = max(_STEP_MS, _FRAMES * frame_ms)
        run = next(
            (run for run in reversed(runs) if draft.t_ms - run[-1].t_ms <= pause and went & _came(run[-1])), None
        )
        if run is None:
            runs.append([draft])
        else:
            run.append(draft)
    return [run for run in runs if len(run) >= _COUNTS and run[-1].t_ms - run[0].t_ms >= _LASTING_MS]


def counted(run: Sequence[Draft]) -> Draft:
    """A count that ran beside no bar as one change: from the first number to the last, when it came to rest."""
    first, last = run[0].match, run[-1].match
    pairs = list(zip(in_order(first.leaving), in_order(last.coming), strict=False))
    return replace(run[-1], match=Match(changed=pairs))


def _is_count(draft: Draft) -> bool:
    leaving, coming = draft.match.leaving, draft.match.coming
    if not leaving or not coming or not all(same_row(line.box, leaving[0].box) for line in (*leaving, *coming)):
        return False
    before, after = ("".join(line.text for line in in_order(lines)) for lines in (leaving, coming))
    same = strip_spaces(_NUMBER.sub("", before)) == strip_spaces(_NUMBER.sub("", after))
    return same and _NUMBER.findall(before) != _NUMBER.findall(after)


def _came(draft: Draft) -> set[int]:
    return {id(line) for line in draft.match.coming}


def _is_speck(draft: Draft) -> bool:
    """Whether it brought a single sign and nothing else, as the round end of a bar is read."""
    return not draft.match.leaving and sum(len(line.text) for line in draft.match.coming) == 1


def is_share(run: Sequence[Draft]) -> bool:
    """Whether what counts is how much of something is done."""
    return any(_PERCENT in line.text for line in run[-1].match.coming)


def is_beside(run: Sequence[Draft], motions: Sequence[ContinuousMotion], bars: Sequence[Sequence[Draft]]) -> bool:
    """Whether something moved near a count while it ran: a bar that fills, a picture that turns."""
    one = _of_bar(run)
    return any(_belong(one, other) or _belong(other, one) for other in (*motions, *map(_of_bar, bars)))


def gathered(motions: Sequence[ContinuousMotion], bars: Sequence[Sequence[Draft]]) -> list[ContinuousMotion]:
    """One unrest for what moved at the same time in the same place."""
    whole = [*motions, *(_of_bar(bar) for bar in bars)]
    result: list[ContinuousMotion] = []
    for one in sorted(whole, key=lambda one: one.t_ms):
        near = next((other for other in result if _belong(one, other)), None)
        if near is None:
            result.append(ContinuousMotion(one.t_ms, one.until_ms, one.box, one.blocks))
        else:
            near.until_ms, near.box = max(near.until_ms, one.until_ms), around((near.box, one.box))
    return result


def is_part_of(draft: Draft, motions: Sequence[ContinuousMotion]) -> bool:
    """Whether a change is only a part of what kept moving: without any text, or with a percentage."""
    for motion in motions:
        inside = 2 * overlap(draft.box, motion.box) >= draft.box[2] * draft.box[3]
        during = motion.t_ms - 100 <= draft.t_ms <= motion.until_ms + 50
        ends = draft.t_ms >= motion.until_ms - 50
        words = any(_has_word(line.text) for line in draft.match.coming) or _is_written(draft)
        if inside and during and not (draft.match.says_anything and (ends or words)):
            return True
    return False


def was_read(motion: ContinuousMotion, drafts: Sequence[Draft], every: Sequence[Draft]) -> bool:
    """Whether text came or stood where it moved: letters that are typed, a log, rows that unfold or light up.

    Only where hardly any did is it a picture that plays, a spinner, or a bar that fills; ``every`` draft knows what
    stood, those too that are parts of what moved.
    """
    during = [draft for draft in drafts if motion.t_ms <= draft.t_ms < motion.until_ms - _AT_ITS_END_MS]
    if sum(_is_written(draft) and lies_in(draft.box, motion.box) for draft in during) >= _LETTERS:
        return True
    # What came with it is its label, as beside a bar that fills.
    later = [draft for draft in during if draft.t_ms > motion.t_ms + _AT_ITS_END_MS]
    # Letters that are typed end farther on than they began.
    came = [around((line.came_at, line.box)) for draft in later for line in draft.match.coming if _has_word(line.text)]
    # A number that counts is all that moves there.
    counting = (draft for draft in every if motion.t_ms <= draft.t_ms < motion.until_ms)
    came += [line.came_at for draft in counting for line in draft.match.coming if _fills(line, motion.box)]
    # What stood there as it began was replaced, or hidden, or lit: a spinner takes the place of a text at once.
    end_ms = motion.t_ms + _REPLACED_MS
    after = next((draft for draft in every if draft.t_ms > motion.t_ms), None)
    for line, box in after.stood if after else ():
        stays = line.t_ms <= motion.t_ms and (line.until_ms is None or line.until_ms >= end_ms)
        if stays and _has_word(line.text) and not line.false:
            came.append(box)
    # A row of text has half of its height in letters.
    share = _TEXT if _is_large(motion) else _MUCH_TEXT
    return sum(2 * overlap(box, motion.box) for box in came) >= motion.box[2] * motion.box[3] * share


def is_passing(motion: ContinuousMotion) -> bool:
    """Whether it is too short to be waited for, as a ring around a click is, or to be watched, as a chart's drawing."""
    is_picture = _is_large(motion) and min(motion.box[2:]) > _FLAT
    return motion.until_ms - motion.t_ms < (_WATCHED_MS if is_picture else _WAITED_MS)


def is_pointer(motion: ContinuousMotion, path: Path) -> bool:
    """Whether it moved just where the pointer stood, and nothing but it: a page that changes below it stirs it."""
    tip = next((tip for t_ms, tip in reversed(path) if t_ms <= motion.t_ms and tip is not None), None)
    if tip is None:
        return False
    x, y = tip
    return lies_in(motion.box, (x - _POINTER // 2, y - _POINTER // 2, 3 * _POINTER // 2, 3 * _POINTER // 2))


def _is_large(motion: ContinuousMotion) -> bool:
    return max(motion.box[2:]) >= _SMALL


def _has_word(text: str) -> bool:
    """Whether it is more than a number or a mark."""
    return sum(map(str.isalpha, text)) >= _WORD


def _continues(before: Draft, draft: Draft) -> bool:
    return 0 <= draft.t_ms - before.t_ms <= _STEP_MS and max(gap(before.box, draft.box)) <= _BESIDE


def _of_bar(bar: Sequence[Draft]) -> ContinuousMotion:
    return ContinuousMotion(
        bar[0].t_ms, max(draft.rest_ms for draft in bar), around(draft.box for draft in bar), np.zeros((0, 0), np.bool_)
    )


def _belong(one: ContinuousMotion, other: ContinuousMotion) -> bool:
    together = min(one.until_ms, other.until_ms) - max(one.t_ms, other.t_ms)
    shorter = min(one.until_ms - one.t_ms, other.until_ms - other.t_ms)
    across, down = gap(one.box, other.box)
    return together >= _SIDE_BY_SIDE * shorter and (down == 0 or max(across, down) <= _NEAR)


def _is_written(draft: Draft) -> bool:
    """Whether a text got or lost its last letter, or changed within a field; a number that counts does neither."""
    return any(_is_letter(old.text, new.text) or (old.is_value and new.is_value) for old, new in draft.match.changed)


def _is_letter(old: str, new: str) -> bool:
    return abs(len(old) - len(new)) == 1 and (new.startswith(old) or old.startswith(new))


def _fills(line: Line, box: Box) -> bool:
    """Whether letters or digits, but no share of what is done, take most of a place; a sign beside it does not."""
    is_text = len(line.text) > 1 and any(map(str.isalnum, line.text)) and _PERCENT not in line.text
    return is_text and 2 * overlap(line.came_at, box) >= box[2] * box[3]
