"""Typing into a field, and looking whether the text stands there."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from adapters.models.local.phrases import parse
from adapters.models.local.seeking import target
from adapters.models.local.situation import Impossible
from adapters.models.local.vocabulary import Role
from core.actions import Click, Key, Type
from core.expectations.matching import blurred, canonical

if TYPE_CHECKING:
    from collections.abc import Generator

    from adapters.models.local.grounding import Place
    from adapters.models.local.situation import Situation
    from core.actions import Action
    from core.runs.deciding import Decision
    from core.screens import Box
    from core.workflows.workflow import Step

_LINES: Final = 2.9
"""A field that is higher than so many heights of its words is made for several lines."""
_PAUSE: Final = 0.6
_LONG: Final = 12
_CARETS: Final = "l1i"
"""What is left of a caret that was read as a letter."""
_MISREAD: Final = 0.12
"""The share of letters in a long text that a reader may get wrong."""
_WHOLE: Final[tuple[Action, ...]] = (
    Key(action="key", keys=("ctrl", "home")),
    Key(action="key", keys=("ctrl", "shift", "end")),
)


def enter(situation: Situation, step: Step) -> Generator[Decision, None, None]:
    """Type the step's value into its target.

    A field of one line that shows a text is cleared first, for the step says what it shall hold; one of several lines
    is not, and the text goes to its end. ``additional_args.clear`` says otherwise. A target that names nothing on the
    screen ("the terminal") means: where the focus is.
    """
    value = step.action_value or ""
    phrase = parse(step.target.primary)
    if not phrase.is_findable and "anchor" not in step.additional_args:
        yield from situation.do(*_typing(value), note=step.intent)
        return
    place = yield from target(situation, step, default=Role.FIELD)
    clear = step.additional_args.get("clear")
    clears = clear if isinstance(clear, bool) else not _is_area(place)
    chooses = phrase.role is Role.DROPDOWN
    moves = _moves(situation, place, value, clears=clears, chooses=chooses)
    yield from situation.do(*moves, *_chosen(phrase.role), note=step.intent)
    if place.holds is None or not _can_be_read(situation, value, place):
        return
    box = place.holds
    if (yield from situation.wait_for(lambda: _shows(situation, box, value, part=not clears), seconds=_PAUSE)):
        return
    moves = _moves(situation, place, value, clears=True, chooses=chooses)
    yield from situation.do(*moves, *_chosen(phrase.role), note=step.intent)
    if not (
        yield from situation.wait_for(lambda: _shows(situation, box, value, part=False), seconds=situation.patience)
    ):
        seen = _content(situation, box)
        raise Impossible(f'"{value}" was typed into {step.target.primary}, but it shows "{seen}".')


def _moves(situation: Situation, place: Place, value: str, *, clears: bool, chooses: bool = False) -> list[Action]:
    is_filled = bool(_content(situation, place.holds)) if place.holds is not None else False
    focus: list[Action]
    if clears and not _is_area(place):
        # Selects a line in every toolkit; Ctrl+A is the beginning of the line in some.
        focus = [Click(action="triple_click" if is_filled and not chooses else "left_click", at=place.point)]
    elif clears:
        focus = [Click(action="left_click", at=place.point), *_WHOLE]
    else:
        focus = [Click(action="left_click", at=place.point)]
        if is_filled:
            focus.append(Key(keys=("ctrl", "end") if _is_area(place) else ("end",)))
    if clears and is_filled and not value:
        return [*focus, Key(keys=("delete",))]
    return [*focus, *_typing(value)]


def _typing(value: str) -> list[Action]:
    return [Type(text=value)] if value else []


def _chosen(role: Role | None) -> list[Action]:
    """What ends the choice from a list that opened."""
    return [Key(keys=("enter",))] if role is Role.DROPDOWN else []


def _is_area(place: Place) -> bool:
    return place.holds is not None and place.holds.height > _LINES * min(place.words.height, place.holds.height)


def _can_be_read(situation: Situation, value: str, place: Place) -> bool:
    """Whether what is typed shows as it is: no hidden value, no key that leaves the field, signs that readers know."""
    if situation.secret_in(value) or not value.strip():
        return False
    if any(sign in value for sign in "\t\n\r") and not _is_area(place):
        return False
    known = sum(1 for sign in value if sign.isascii() or "LATIN" in unicodedata.name(sign, ""))
    return known >= 0.8 * len(value)


def _content(situation: Situation, box: Box) -> str:
    return " ".join(each.text for each in situation.view.segments if box.contains(each.box.centre))


def _shows(situation: Situation, box: Box, value: str, *, part: bool) -> bool | None:
    """Whether the field holds the value, or as much of it as fits in; with ``part`` other text as well."""
    wanted, seen = _letters(value), _letters(_content(situation, box))
    if not seen:
        # Dots stand for a hidden value; a reader sees them, or nothing.
        masked = set(canonical(_content(situation, box))) & set("•*●.·")
        return True if masked else None
    if seen[:-1] == wanted and seen[-1] in _CARETS and _ends_in_caret(situation, box):
        return True
    is_there = wanted == seen or (part and wanted in seen) or _is_cut(wanted, seen)
    return True if is_there or _is_misread(wanted, seen) else None


def _ends_in_caret(situation: Situation, box: Box) -> bool:
    inside = [each.box for each in situation.view.segments if box.contains(each.box.centre)]
    return bool(inside) and situation.view.has_caret(max(inside, key=lambda each: (each.y, each.x)))


def _letters(text: str) -> str:
    return "".join(sign for sign in blurred(canonical(text).casefold()) if sign.isalnum())


def _is_cut(wanted: str, seen: str) -> bool:
    """Whether a field shows the one end of a text that is longer than itself."""
    return len(seen) >= _LONG and (wanted.endswith(seen) or wanted.startswith(seen) or seen[2:-2] in wanted)


def _is_misread(wanted: str, seen: str) -> bool:
    """Whether few letters of a long text differ, and no digit."""
    if len(wanted) < _LONG or abs(len(wanted) - len(seen)) > _MISREAD * len(wanted):
        return False
    if [sign for sign in wanted if sign.isdigit()] != [sign for sign in seen if sign.isdigit()]:
        return False
    distance = list(range(len(seen) + 1))
    for at, left in enumerate(wanted, 1):
        before, distance = distance, [at]
        for index, right in enumerate(seen, 1):
            distance.append(min(before[index] + 1, distance[-1] + 1, before[index - 1] + (left != right)))
    return distance[-1] <= _MISREAD * len(wanted)
