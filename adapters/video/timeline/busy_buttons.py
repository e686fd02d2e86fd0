"""Buttons behind whose words a circle turns: it is read as a sign, and at each turn as another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.video.frame import overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.screen import Draft

_LONE: Final = re.compile(r" \D$")
"""A sign by itself behind words; a digit counts, and is none."""
_LETTERS: Final = 4
_TURNS: Final = 3
_TURN_MS: Final = 600
"""From one of its signs to the next, at most: some look like the one before."""


def busy_buttons(drafts: Sequence[Draft]) -> list[list[Draft]]:
    """For each the changes of its sign, in order of time."""
    runs: list[list[Draft]] = []
    for draft in drafts:
        words = _words_before_sign(draft)
        if words is None:
            continue
        run = next((run for run in reversed(runs) if _goes_on(run[-1], draft, words)), None)
        if run is None:
            runs.append([draft])
        else:
            run.append(draft)
    return [run for run in runs if len(run) >= _TURNS]


def without_turning_signs(drafts: Sequence[Draft]) -> list[Draft]:
    """The other drafts; of such a button nothing but its words is left in them."""
    runs = busy_buttons(drafts)
    for run in runs:
        words, first = _words_before_sign(run[0]), run[0].match.changed[0][0]
        for draft in run:
            for line in (*draft.match.added, *draft.match.removed):
                line.false = True
            # It stood there all the time, whatever was read behind it.
            line = draft.match.changed[0][1]
            line.text, line.t_ms, line.false = words or line.text, first.t_ms, False
    turning = {id(draft) for run in runs for draft in run}
    return [draft for draft in drafts if id(draft) not in turning]


def _goes_on(before: Draft, draft: Draft, words: str) -> bool:
    """Whether it is the next turn behind the same words."""
    is_soon = 0 <= draft.t_ms - before.t_ms <= _TURN_MS
    is_there = overlap(before.match.changed[0][1].came_at, draft.match.changed[0][1].came_at) > 0
    return is_soon and is_there and _words_before_sign(before) == words


def _words_before_sign(draft: Draft) -> str | None:
    """The words behind which a sign came, went, or became another, if nothing else did."""
    found = draft.match
    if len(found.changed) != 1 or any(len(line.text) > 1 for line in (*found.added, *found.removed)):
        return None
    old, new = (line.text for line in found.changed[0])
    words = _LONE.sub("", new)
    is_name = sum(map(str.isalpha, words)) >= _LETTERS
    return words if is_name and words == _LONE.sub("", old) and old != new else None
