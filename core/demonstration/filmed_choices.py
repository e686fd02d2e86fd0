"""Choices that only the film tells of: a menu that closed when one of its entries came to stand in a field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.analysis import Action, ActionKind, Event, EventKind
from core.demonstration.screen_texts import is_quotable
from core.demonstration.shown import known
from core.plans.phrasing import marks
from core.steps import Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.demonstration.entries import EntryFinder

_TOGETHER_MS: Final = 150
_SURE: Final = 0.85
_OPEN_MS: Final = 30_000
"""No menu stands open for longer."""
_DROPDOWN: Final = " dropdown"


def chosen(actions: Sequence[Action], entries: EntryFinder) -> Mapping[int, Step]:
    """The steps of the choices whose field has a name, by the index of their action."""
    typed = [action.value for action in actions if action.kind is ActionKind.TYPE and action.value]
    found = {at: _choice(action, typed, entries) for at, action in enumerate(actions)}
    return {at: step for at, step in found.items() if step is not None}


def _choice(action: Action, typed: Sequence[str], entries: EntryFinder) -> Step | None:
    value, place = action.value or "", action.region
    is_sure = action.kind is ActionKind.CHOOSE and action.confidence >= _SURE
    if is_sure and is_quotable(value) and (action.target or "\n").casefold() in value.casefold():
        # What was typed found it: it is there to be clicked when that was typed.
        return known(action.t_ms, action.t_ms, Step.of("CLICK", marks(value) or ""))
    label = entries.label(place, action.t_ms) if is_sure and place is not None and is_quotable(value) else None
    if label is None or any(value in label.text for value in typed):
        # What another field holds, read with its own label, names none.
        return None
    return known(action.t_ms, action.t_ms, Step.of("TYPE", f"the {marks(label.text)}{_DROPDOWN}").typing(value))


def is_menu_of(event: Event, choices: Mapping[int, Step]) -> bool:
    """Whether it is the menu from which something was chosen, as it opened."""
    lines = (event.text or "").split(" \u00b7 ")
    return event.kind is EventKind.APPEARED and any(
        step.action_value in lines and _is_open(event, step.t_ms) for step in choices.values()
    )


def _is_open(menu: Event, chosen_ms: int) -> bool:
    """Whether it stood there until something was chosen; the entry that goes into the field stays for longer."""
    is_there = menu.until_ms is None or menu.until_ms >= chosen_ms - _TOGETHER_MS
    return is_there and 0 < chosen_ms - menu.t_ms <= _OPEN_MS


def is_choice(step: Step) -> bool:
    """Whether a step chooses from a menu."""
    return step.action_type == "TYPE" and step.target.primary.endswith(_DROPDOWN)
