"""Choices that only the film tells of: a menu that closed when one of its entries came to stand in a field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.analysis import Action, ActionKind, Event, EventKind
from core.demonstration.filmed_clicks import is_at
from core.demonstration.screen_texts import is_quotable, overlaps
from core.demonstration.shown import known
from core.plans.phrasing import first_quotation, marks
from core.steps import Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.demonstration.entries import EntryFinder
    from core.demonstration.screen_texts import ScreenTexts

_TOGETHER_MS: Final = 150
_SURE: Final = 0.85
_OPEN_MS: Final = 30_000
"""No menu stands open for longer."""
_OPENS: Final = frozenset({EventKind.APPEARED, EventKind.CHANGED})
_OFFERED_MS: Final = 6000
_GONE_MS: Final = 400
_INDENT: Final = 3
_BELOW: Final = 4
"""Heights of what is typed: so far to a side, and below it, a list begins that is offered for its field."""
_DROPDOWN: Final = " dropdown"


def chosen(actions: Sequence[Action], entries: EntryFinder) -> Mapping[int, Step]:
    """The steps of the choices whose field has a name, by the index of their action."""
    typed = [action.value for action in actions if action.kind is ActionKind.TYPE and action.value]
    own = (at for at, action in enumerate(actions) if not _is_written(action, actions[:at]))
    found = {at: _choice(actions[at], typed, entries) for at in own}
    return {at: step for at, step in found.items() if step is not None}


def _is_written(choice: Action, before: Sequence[Action]) -> bool:
    """Whether all of it had just been typed in that place: then the list only went."""
    last = before[-1] if before else None
    return last is not None and last.kind is ActionKind.TYPE and last.value == choice.value and is_at(last, choice)


def _choice(action: Action, typed: Sequence[str], entries: EntryFinder) -> Step | None:
    value, place = action.value or "", action.region
    is_sure = action.kind is ActionKind.CHOOSE and action.confidence >= _SURE
    part = (action.target or "").casefold()
    is_typed = any(each.casefold() == part for each in typed)
    if is_sure and is_quotable(value) and is_typed and part in value.casefold():
        # What was typed found it: it is there to be clicked when that was typed.
        return known(action.t_ms, action.t_ms, Step.of("CLICK", marks(value) or ""))
    if not is_sure or place is None or not is_quotable(value):
        return None
    label = entries.label(place, action.t_ms, value=value)
    if label is None or any(each in label.text for each in (value, *typed)):
        # What another field holds, read with its own label, names none.
        return None
    return known(action.t_ms, action.t_ms, Step.of("TYPE", f"the {marks(label.text)}{_DROPDOWN}").typing(value))


def of_choices(timeline: Sequence[Event], choices: Mapping[int, Step]) -> set[int]:
    """The indices of what a choice explains: its menu as it opened, and the entries that keys passed on the way."""
    found: set[int] = set()
    for step in choices.values():
        menus = [at for at, event in enumerate(timeline) if _is_menu(event, step)]
        entries = {line for at in menus for line in timeline[at].lines}
        since_ms = min((timeline[at].t_ms for at in menus), default=step.t_ms)
        passed = (at for at, event in enumerate(timeline) if since_ms <= event.t_ms < step.t_ms)
        found |= {*menus, *(at for at in passed if entries.issuperset(timeline[at].lines))}
    return found


def of_offers(timeline: Sequence[Event], texts: ScreenTexts) -> set[int]:
    """The indices of the lists that a browser opened below a field, and that went as something else was typed there.

    So it is with a mark on what the field asks for, as on the month of a date.
    """
    typed = [event for event in timeline if event.kind is EventKind.TYPED and event.region is not None]
    found: set[int] = set()
    for at, event in enumerate(timeline):
        following = next((one for one in typed if 0 < one.t_ms - event.t_ms <= _OFFERED_MS), None)
        if following is None or event.kind not in _OPENS:
            continue
        is_marked = not event.text and first_quotation(event.description) in {following.before, following.field}
        if is_marked or _is_offer(event, following, texts):
            found.add(at)
    return found


def _is_offer(event: Event, typed: Event, texts: ScreenTexts) -> bool:
    if event.region is None or typed.region is None or not event.text:
        return False
    (left, top, _, _), (x, y, _, height) = event.region, typed.region
    is_below = abs(left - x) <= _INDENT * height and 0 < top - y <= _BELOW * height
    end = (typed.until_ms or typed.t_ms) + _GONE_MS
    there = {one.text for one in texts.at(end) if overlaps(one.box, event.region)}
    return is_below and typed.text not in event.lines and not there & {*event.lines}


def _is_menu(event: Event, choice: Step) -> bool:
    """Whether it has the entry that was chosen, and stood there until then."""
    opens = event.kind is EventKind.APPEARED or (event.kind is EventKind.CHANGED and len(event.lines) > 1)
    return opens and choice.action_value in event.lines and _is_open(event, choice.t_ms)


def _is_open(menu: Event, chosen_ms: int) -> bool:
    """Whether it stood there until something was chosen; the entry that goes into the field stays for longer."""
    is_there = menu.until_ms is None or menu.until_ms >= chosen_ms - _TOGETHER_MS
    return is_there and 0 < chosen_ms - menu.t_ms <= _OPEN_MS


def is_choice(step: Step) -> bool:
    """Whether a step chooses from a menu."""
    return step.action_type == "TYPE" and step.target.primary.endswith(_DROPDOWN)
