"""Clicks that only the film tells of: those whose target was read and whose effect was seen; the rest is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.analysis import Action, ActionKind
from core.demonstration.screen_texts import is_masked, is_quotable
from core.demonstration.shown import known
from core.plans.phrasing import marks
from core.steps import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

_SURE: Final = 0.88
"""Below it the pointer stood beside the words, or they were read with a doubt."""
_LONGEST_WORD: Final = 20
"""Longer ones are several that were read as one."""
_AT_ONCE_MS: Final = 400
"""A person does not click two things so soon one after the other: a menu lights up where a pointer passes."""


def certain_clicks(actions: Sequence[Action]) -> dict[int, Step]:
    """The steps of the clicks that are certain, by the index of their action.

    A second click on the same place with nothing between may as well be a late answer to the first: it is none.
    """
    found: dict[int, Step] = {}
    for at, action in enumerate(actions):
        target = action.target or ""
        before = actions[at - 1] if at else None
        is_again = before is not None and _is_same(before, action)
        others = (each for each in actions if each is not action and each.kind is ActionKind.CLICK)
        is_passing = any(abs(each.t_ms - action.t_ms) <= _AT_ONCE_MS for each in others)
        if action.kind is not ActionKind.CLICK or action.confidence < _SURE or is_again or is_passing:
            continue
        is_plain = is_quotable(target) and not is_masked(target)
        if is_plain and all(len(word) <= _LONGEST_WORD for word in target.split()):
            found[at] = known(action.t_ms, action.until_ms or action.t_ms, Step.of("CLICK", marks(target) or ""))
    return found


def _is_same(one: Action, other: Action) -> bool:
    """Whether both are clicks on the same words at the same place."""
    place, there = one.region, other.region
    is_near = place is None or there is None or max(abs(place[0] - there[0]), abs(place[1] - there[1])) <= there[3]
    return one.kind is other.kind is ActionKind.CLICK and one.target == other.target and is_near
