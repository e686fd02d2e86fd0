"""Choices in list boxes of the system, in a session's truth: a click opens one, keys or a second click choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bench.world.truth import Truth

_KEYS: Final = frozenset({"Down", "Up", "Home", "End", "space"})
_END_MS: Final = 300


def choice_in_list(truth: Truth, at: int) -> int:
    """Where the choice ended from a list box of the system that was opened by a click or by keys; -1 for none.

    A page's own truth does not know the entries of such a box one by one; some tell all of them as what was clicked,
    others the one that stood in it. Of these another has to stand there afterwards.
    """
    opened = truth.actions[at]
    if opened.kind != "click" or opened.point is None:
        return -1
    names_all = len(opened.target.splitlines()) > 1
    for end, action in enumerate(truth.actions[at + 1 :], start=at + 1):
        *keys, last = action.value.split() or [""]
        is_chosen = action.kind == "press" and last == "Return" and set(keys) <= _KEYS
        if is_chosen or (action.kind == "choose" and not action.target):
            return end if names_all or (is_chosen and entry_chosen(truth, end)) else -1
        if action.kind != "press" or not {*keys, last} <= _KEYS:
            return -1
    return -1


def entry_chosen(truth: Truth, at: int) -> str:
    """What came to stand in the list box that was clicked last."""
    opened = next(action for action in reversed(truth.actions[:at]) if action.kind == "click")
    _, row = opened.point or (0, 0)
    end_ms = truth.actions[at].t_ms + _END_MS
    came = (stay for stay in truth.texts if opened.t_ms <= stay.t_ms <= end_ms and stay.stands(end_ms))
    return next((stay.text for stay in came if stay.box[1] <= row < stay.box[1] + stay.box[3]), "")
