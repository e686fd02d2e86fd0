"""Setting a slider by its keys, as its program tells what it shows."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING, Final

from adapters.models.local.phrases import Role
from adapters.models.local.seeking import target
from adapters.models.local.situation import Impossible, Situation, Unsure
from core.accessibility import State
from core.actions import Click, Key

if TYPE_CHECKING:
    from collections.abc import Generator

    from core.accessibility import Element
    from core.runs.deciding import Decision
    from core.steps import Step

_FOCUS_SECONDS: Final = 0.8
_MOVED_SECONDS: Final = 0.8
_MOST_TURNS: Final = 12
_MOST_PRESSES: Final = 100
_NEAR: Final = 1e-6
_SAID: Final = 6
"""Digits of a slider's number: what its program tells is no more exact."""


def set_slider(situation: Situation, step: Step) -> Generator[Decision, None, None]:
    """Press the arrow keys until the slider shows the number; its first move says how far one of them goes.

    Raises ``Unsure`` where its program does not tell what it shows, ``Impossible`` when the number cannot be reached.
    """
    name = step.target.primary
    wanted = _number(step)
    place = yield from target(situation, step, default=Role.SLIDER)
    element = place.element
    shown = _shown(situation, element)
    if element is None or shown is None:
        raise Unsure(f'To "{step.intent}": how is {name} set? Its program does not tell what it shows.')
    if _is_same(shown, wanted):
        return
    # The click may move it: the keys go on from where it is then.
    yield from situation.do(Click(action="left_click", at=place.point), note=step.intent, rest=False)
    if not situation.poll(lambda: _has_focus(situation, element), seconds=_FOCUS_SECONDS):
        raise Impossible(f'To "{step.intent}", {name} was clicked, but it does not take the keys.')
    shown = yield from _turned(situation, step, element, wanted)
    if not _is_same(shown, wanted):
        raise Impossible(f'To "{step.intent}", {name} was moved, but it shows {shown:.{_SAID}g}.')


def _turned(situation: Situation, step: Step, element: Element, wanted: float) -> Generator[Decision, None, float]:
    """Move it towards the number; what it shows in the end."""
    shown = _required(situation, step, element)
    stride = 0.0
    for _ in range(_MOST_TURNS):
        if _is_same(shown, wanted):
            break
        count = min(max(round(abs(wanted - shown) / stride), 1), _MOST_PRESSES) if stride else 1
        before = shown
        key = Key(keys=("right" if wanted > shown else "left",), repeat=count)
        yield from situation.do(key, note=step.intent, rest=False)
        shown = _moved(situation, step, element, before, stride * count)
        if shown == before or (stride and abs(wanted - shown) >= abs(wanted - before)):
            break
        stride = abs(shown - before) / count
    return shown


def _moved(situation: Situation, step: Step, element: Element, before: float, way: float) -> float:
    """What it shows once it has moved so far, or some time has gone by."""

    def moved() -> bool | None:
        now = _shown(situation, element)
        return True if now is not None and now != before and abs(now - before) >= way - _NEAR else None

    situation.poll(moved, seconds=_MOVED_SECONDS)
    return _required(situation, step, element)


def _required(situation: Situation, step: Step, element: Element) -> float:
    now = _shown(situation, element)
    if now is None:
        raise Impossible(f'To "{step.intent}", {step.target.primary} was found, but it has gone.')
    return now


def _shown(situation: Situation, element: Element | None) -> float | None:
    now = situation.now(element) if element is not None else None
    try:
        return float(now.value) if now is not None and now.value is not None else None
    except ValueError:
        return None


def _has_focus(situation: Situation, element: Element) -> bool | None:
    now = situation.now(element)
    return True if now is not None and State.FOCUSED in now.states else None


def _number(step: Step) -> float:
    text = (step.action_value or "").strip().rstrip("%").strip()
    try:
        return float(text)
    except ValueError:
        raise Impossible(f'"{step.intent}" names no number that {step.target.primary} could show.') from None


def _is_same(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=10**-_SAID, abs_tol=_NEAR)
