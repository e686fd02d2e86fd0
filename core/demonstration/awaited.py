"""What has to be waited for between two steps where the second could be done on the old page as well.

A page that was asked for comes late: until then the old one takes letters and clicks, and loses them.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from core.demonstration.distinctive import is_distinctive
from core.plans.phrasing import first_quotation, marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.demonstration.screen_texts import ScreenTexts, Seen
    from core.steps import Step

_ASKS: Final = frozenset({"CLICK", "KEYPRESS"})
_TAKES: Final = frozenset({"CLICK", "DOUBLE_CLICK", "RIGHT_CLICK", "TYPE"})
_JUST_BEFORE_MS: Final = 60


def with_awaited(steps: Sequence[Step], texts: ScreenTexts) -> list[Step]:
    """The steps; one that brought something says what, if the next one's target stood there before it as well.

    What is clicked in one place on both pages, as in a bar, may be clicked on either.
    """
    found = list(steps)
    for at, (step, following) in enumerate(itertools.pairwise(steps)):
        if step.action_type not in _ASKS or following.action_type not in _TAKES or not following.is_known:
            continue
        target = first_quotation(following.target.primary)
        before, after = (
            {one.box[:2] for one in texts.before_click(t_ms) if one.text == target}
            for t_ms in (step.t_ms, following.t_ms)
        )
        if not target or not before or (following.action_type != "TYPE" and before & after):
            continue
        came = min(_came(step, following, steps, texts), key=lambda one: (-(one.box[3] // 4), one.box[1]), default=None)
        if came is not None:
            post = f"{marks(came.text)} is shown."
            found[at] = step.model_copy(update={"post_action": (*step.post_action, post)})
    return found


def _came(step: Step, following: Step, steps: Sequence[Step], texts: ScreenTexts) -> Iterator[Seen]:
    """What came between two steps for the first time, says something, and stood until the second was done."""
    typed = [each.action_value or "" for each in steps if each.action_type == "TYPE"]
    for one in texts.came(step.t_ms, following.t_ms - _JUST_BEFORE_MS):
        is_plain = is_distinctive(one, typed) and not any(sign.isdigit() for sign in one.text)
        is_value = any(value and value in one.text for value in typed)
        stood = one.until_ms is None or one.until_ms >= following.until_ms
        if is_plain and stood and not is_value and not texts.said_before(one.text, step.t_ms):
            yield one
