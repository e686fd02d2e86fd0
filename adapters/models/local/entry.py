"""Typing into a field that was emptied first, and reading back what the field then holds."""

from collections.abc import Generator, Sequence
from typing import Final, NamedTuple

from adapters.models.local.accessible_entry import (
    field_at,
    held,
    is_typed_into,
    make_ready,
    reported_content,
    type_at_focus,
)
from adapters.models.local.dropdowns import choose
from adapters.models.local.field_content import (
    FieldContent,
    Verdict,
    compared,
    content,
    has_ink,
    is_framed_alike,
    is_hidden,
    seen_in,
)
from adapters.models.local.grounding import Place, ground
from adapters.models.local.phrases import Role, parse
from adapters.models.local.seeking import target
from adapters.models.local.situation import Impossible, Situation
from adapters.models.local.sliders import set_slider
from adapters.models.local.view import View
from core.accessibility import Element, State
from core.actions import Action, Click, Key, ReadField, Type
from core.runs.deciding import Decision
from core.screens import Box, Point, TextLine
from core.steps import Step
from core.window_kinds import is_terminal

_LINES: Final = 2.9
"""A field that is higher than so many heights of its words is made for several lines."""
_READINGS: Final = 3
_LATER: Final = 0.4
_ASIDE: Final = 12
"""Pixels from the click that typing needed to those that read: no toolkit takes them for one series."""
_SAME: Final = 0.7
_FRAME: Final = 4
"""Pixels around a field's box in which it shows that it has the focus."""
_FOCUS_SECONDS: Final = 0.8
"""A caret blinks in that time."""
_HIDDEN_LETTERS: Final = 100
_DELETE: Final = Key(keys=("delete",))
_BACKSPACES: Final = (Key(keys=("end",)), Key(keys=("backspace",), repeat=_HIDDEN_LETTERS))


class _Field(NamedTuple):
    """Where is typed, and what."""

    step: Step
    place: Place
    value: str
    clears: bool
    role: Role | None
    wanted: str
    """What the field holds in the end."""
    by_keys: bool = False
    """Whether an entry of a list is chosen by its letters alone."""

    @property
    def is_area(self) -> bool:
        return _is_area(self.place)


def enter(situation: Situation, step: Step) -> Generator[Decision, None, None]:
    """Type the step's value into its target, and see that the target holds it.

    What a field of one line holds is selected first, so that typing replaces it; a field of several lines keeps it,
    and the text goes to its end. ``additional_args.clear`` says otherwise. What cannot be read back exactly is a doubt,
    which is noted and stops nothing. A target that names nothing on the screen ("the terminal") means: where the focus
    is.
    """
    value = step.action_value or ""
    phrase = parse(step.target.primary)
    if not phrase.is_findable and "anchor" not in step.additional_args:
        yield from type_at_focus(situation, value, note=step.intent)
        return
    if phrase.role is Role.SLIDER:
        yield from set_slider(situation, step)
        return
    place = yield from target(situation, step, default=Role.FIELD)
    clear = step.additional_args.get("clear")
    clears = clear if isinstance(clear, bool) else not _is_area(place)
    field = _Field(step, place, value, clears, phrase.role, value)
    first = situation.view
    if not clears:
        held = yield from _held_before(situation, field)
        field = field._replace(wanted=held + value)
    yield from _type_and_check(situation, field, first)


def _type_and_check(situation: Situation, field: _Field, first: View) -> Generator[Decision, None, None]:
    held = yield from _typed(situation, field, first)
    if field.role is Role.DROPDOWN and held.verdict in (Verdict.WRONG, Verdict.EMPTY):
        held = yield from _typed(situation, field._replace(by_keys=True), situation.view)
    elif held.verdict is Verdict.WRONG and held.is_exact and field.clears:
        held = yield from _typed(situation, field, first)
    name = field.step.target.primary
    if held.verdict in (Verdict.WRONG, Verdict.EMPTY):
        shown = f'it shows "{held.text}"' if held.text else "it shows nothing"
        raise Impossible(f'"{field.value}" was typed into {name}, but {shown}.')
    if held.is_exact and field.place.holds is not None:
        situation.read_back = TextLine(text=held.text, box=field.place.holds, score=1.0)
    if held.verdict is Verdict.CHANGED:
        situation.doubts.append(f'"{field.value}" was typed into {name}, which made "{held.text}" of it.')
    elif held.verdict is Verdict.DOUBTFUL:
        seen = f': it looks like "{held.text}"' if held.text else ""
        situation.doubts.append(f'"{field.value}" was typed into {name}, and cannot be read back for certain{seen}.')


def _typed(situation: Situation, field: _Field, first: View) -> Generator[Decision, None, FieldContent]:
    """Empty the field, type, and read back; ``first`` is how the screen looked before the step."""
    note = field.step.intent
    reported = yield from _typed_by_tree(situation, field, first)
    if reported is not None:
        return reported
    empties = field.clears and field.role is not Role.DROPDOWN
    keys = (yield from _emptied(situation, field)) if empties else None
    if keys is None:
        # What is kept was read, by a click.
        if field.clears or not _shows_focus(situation, field, first):
            yield from _focus(situation, field, _focusing(situation, field))
        keys = _to_the_end(situation, field)
    before = situation.view
    if not field.value:
        if keys:
            yield from situation.do(*keys, note=note, rest=False)
        return (yield from _held(situation, field, first, before))
    yield from _type(situation, field, keys, first)
    held = yield from _held(situation, field, first, before)
    if held.verdict is Verdict.EMPTY and not _changes(situation, before):
        # Nothing arrived anywhere: the program was not ready for it.
        yield from _focus(situation, field, _focusing(situation, field))
        yield from _type(situation, field, _to_the_end(situation, field), first)
        held = yield from _held(situation, field, first, before)
    _require_own_place(situation, field, held, before)
    return held


def _typed_by_tree(situation: Situation, field: _Field, first: View) -> Generator[Decision, None, FieldContent | None]:
    """The same where the program tells what its field holds; ``None`` where it does not, and nothing was typed."""
    element = _element(situation, field)
    if element is None:
        return None
    note = f"{field.step.intent} (its program tells what it holds)"
    kept = yield from make_ready(situation, element, field.place, empties=field.clears, note=note)
    if kept is None:
        return None
    before = situation.view
    keys = [Key(keys=("ctrl", "end"))] if kept else []
    if field.value:
        yield from situation.do(*keys, Type(text=field.value), note=note, rest=False)
    found = held(situation, element, field.wanted, kept)
    if found is not None:
        return found
    situation.remark(f"{field.step.target.primary} is read by its pixels: its program does not tell what arrived.")
    return (yield from _held(situation, field, first, before))


def _element(situation: Situation, field: _Field) -> Element | None:
    """The field as its program describes it, where that says what it holds."""
    if not _can_be_asked(situation, field):
        return None
    own = field.place.element
    return own if own is not None and is_typed_into(own) else field_at(situation.view, field.place)


def _can_be_asked(situation: Situation, field: _Field) -> bool:
    """Whether what the field holds may be asked of its program, and is known beforehand."""
    ends_elsewhere = any(sign in field.value for sign in "\t\n\r") and not field.is_area
    return field.role is not Role.DROPDOWN and not situation.secret_in(field.value) and not ends_elsewhere


def _type(situation: Situation, field: _Field, keys: Sequence[Action], first: View) -> Generator[Decision, None, None]:
    """Type the value after the keys that go before it, or choose it; ``first`` is the look before the step."""
    note = field.step.intent
    if field.role is Role.DROPDOWN:
        yield from choose(situation, field.place, field.value, first, by_keys=field.by_keys, note=note)
    else:
        yield from situation.do(*keys, Type(text=field.value), note=note, at_once=True)


def _focus(situation: Situation, field: _Field, click: Click) -> Generator[Decision, None, None]:
    """Click, and go on when the field shows it by its frame, its selection or its caret.

    Keys go where the focus is: a program that is slow to move it would take them for the field before.
    """
    before = situation.view
    yield from situation.do(click, note=field.step.intent, rest=False)
    if field.place.holds is not None:
        yield from situation.wait_for(lambda: _shows_focus(situation, field, before) or None, seconds=_FOCUS_SECONDS)


def _shows_focus(situation: Situation, field: _Field, before: View) -> bool:
    """Whether the field, or its frame, looks otherwise since it was clicked."""
    box = field.place.holds
    around = box.grown(_FRAME, _FRAME) if box is not None else None
    return around is not None and any(around.overlap(each) for each in _changes(situation, before))


def _require_own_place(situation: Situation, field: _Field, held: FieldContent, before: View) -> None:
    """Raises ``Impossible`` when the field is as it was, and another one has changed."""
    box = field.place.holds
    if box is None or held.verdict not in (Verdict.WRONG, Verdict.EMPTY) or not (held.is_exact or not held.text):
        return
    changes = _changes(situation, before)
    if any(box.overlap(each) for each in changes):
        return
    other = next((each for each in changes if each.width > each.height), None)
    if other is not None:
        raise Impossible(
            f'"{field.value}" was typed into {field.step.target.primary}, but it went elsewhere: '
            f"the screen changed at ({other.centre.x}, {other.centre.y})."
        )


def _emptied(situation: Situation, field: _Field) -> Generator[Decision, None, Sequence[Action] | None]:
    """Delete what the field holds; what is still to be pressed before the text, ``None`` if it may lack the focus.

    A paste does not replace a selection in every toolkit. Raises ``Impossible`` when the field's selection says that
    something is still there. What is seen and cannot be selected is a hint, or a field that does not tell: such a one
    is sent the key before the text, without a look in between.
    """
    box = field.place.holds
    if box is None or not has_ink(situation.view, box):
        return None
    if _hides(situation, field, box):
        # What is hidden is never selected, for that would offer it to other programs.
        yield from _focus(situation, field, Click(action="left_click", at=field.place.point))
        yield from situation.do(*_BACKSPACES, note=f"Emptying {field.step.target.primary}", rest=False)
        return []
    # Three clicks select a line in every toolkit, the keyboard all that is there.
    for by_keyboard in (field.is_area, True):
        if field.is_area:
            yield from _focus(situation, field, _focusing(situation, field))
        before = situation.view
        text = yield from _selected(situation, field, by_keyboard=by_keyboard, deletes=True)
        if text is None:
            if not field.is_area and not _shows_focus(situation, field, before):
                yield from _focus(situation, field, _focusing(situation, field))
            return [_DELETE]
        if not has_ink(situation.view, box) or not _says_something(text):
            return []
    if not _says_something((yield from _selected(situation, field, by_keyboard=True)) or ""):
        return [_DELETE]
    raise Impossible(
        f'"{field.value}" was to be typed into {field.step.target.primary}, but it cannot be emptied first.'
    )


def _held(situation: Situation, field: _Field, first: View, before: View) -> Generator[Decision, None, FieldContent]:
    """What the field holds after typing: as a list that folds up says, by its selection, else by its picture.

    ``first`` is the look before the step, ``before`` the one before the keys. What is seen as wanted though its program
    says otherwise is in doubt.
    """
    if situation.secret_in(field.value):
        return FieldContent(Verdict.RIGHT, "")
    element = field.place.element if field.role is Role.DROPDOWN else None
    reported = reported_content(situation, element, field.value) if element is not None else None
    if reported is not None and reported.verdict is Verdict.RIGHT:
        return reported
    seen = yield from _held_on_screen(situation, field, first, before)
    if reported is None:
        return seen
    contradicts = reported.verdict is Verdict.WRONG and seen.verdict is Verdict.RIGHT
    return FieldContent(Verdict.DOUBTFUL, reported.text) if contradicts else reported


def _held_on_screen(
    situation: Situation, field: _Field, first: View, before: View
) -> Generator[Decision, None, FieldContent]:
    box, value = field.place.holds, field.value
    ends_elsewhere = any(sign in value for sign in "\t\n\r") and not field.is_area
    if box is None or ends_elsewhere:
        return FieldContent(Verdict.DOUBTFUL, "")
    view = situation.view
    if value and is_hidden(view, box):
        return FieldContent(Verdict.RIGHT, "")
    if field.role is not Role.DROPDOWN and _is_still_there(situation, field, before) and has_ink(view, box):
        exact = yield from _exactly(situation, field)
        if exact is not None:
            return exact
    if not value:
        text = content(view, box)
        return FieldContent(Verdict.DOUBTFUL if text and text == content(first, box) else Verdict.RIGHT, text)
    seen = seen_in(view, box, field.wanted, situation.eyes)
    if seen.verdict in (Verdict.WRONG, Verdict.EMPTY):
        # A slow program may show it later.
        yield from situation.wait_for(lambda: _as_wanted(situation, field, box), seconds=situation.patience / 4)
        seen = seen_in(situation.view, box, field.wanted, situation.eyes)
    return seen


def _hides(situation: Situation, field: _Field, box: Box) -> bool:
    """Whether what the field holds must not be read: dots, or a sensitive value."""
    view = situation.view
    return situation.secret_in(field.value) or is_hidden(view, box)


def _as_wanted(situation: Situation, field: _Field, box: Box) -> bool | None:
    seen = seen_in(situation.view, box, field.wanted, situation.eyes).verdict
    return None if seen in (Verdict.WRONG, Verdict.EMPTY) else True


def _exactly(situation: Situation, field: _Field) -> Generator[Decision, None, FieldContent | None]:
    """By the selection: what is not as wanted is read again, for it may still arrive; ``None`` if it cannot be read."""
    last: str | None = None
    for _ in range(_READINGS):
        text = yield from _selected(situation, field, by_keyboard=field.is_area)
        if text is None:
            return None
        held = compared(field.wanted, text)
        if held.verdict is Verdict.RIGHT:
            return held
        if text != last:
            yield from situation.wait_for(_nothing, seconds=_LATER)
        last = text
    return compared(field.wanted, last or "")


def _says_something(text: str) -> bool:
    """Whether a text is more than what a mask leaves in a field."""
    return any(sign.isalnum() for sign in text)


def _selected(
    situation: Situation, field: _Field, *, by_keyboard: bool, deletes: bool = False
) -> Generator[Decision, None, str | None]:
    """What the field holds by its selection; with ``deletes`` it holds it no more."""
    place = field.place
    # Two readings at one place would have to be kept apart in time.
    aside = _ASIDE if place.box.width > 4 * _ASIDE and (by_keyboard or not deletes) else 0
    at = Point(x=place.point.x + aside, y=place.point.y)
    move = ReadField(at=at, several_lines=by_keyboard, deletes=deletes)
    results = yield from situation.do(move, note=f"Reading what {field.step.target.primary} holds")
    return results[0].text if results else None


def _held_before(situation: Situation, field: _Field) -> Generator[Decision, None, str]:
    """What a field holds that is added to; a hint in it is nothing that could be selected."""
    element = _element(situation, field)
    if element is not None and element.value is not None:
        return element.value
    box = field.place.holds
    if box is None or not has_ink(situation.view, box) or _hides(situation, field, box):
        return ""
    text = yield from _selected(situation, field, by_keyboard=field.is_area)
    return text or ""


def _focusing(situation: Situation, field: _Field) -> Click:
    """The click that goes before the keys; three where a value is replaced, for a text that was not seen to be one."""
    box = field.place.holds
    keeps = not field.clears or field.is_area or field.role is Role.DROPDOWN
    keeps = keeps or (box is not None and _hides(situation, field, box))
    return Click(action="left_click" if keeps else "triple_click", at=field.place.point)


def _to_the_end(situation: Situation, field: _Field) -> list[Action]:
    """The keys that lead to the end of what a field keeps."""
    box = field.place.holds
    is_added = not field.clears and field.role is not Role.DROPDOWN
    return [Key(keys=("ctrl", "end"))] if is_added and box is not None and has_ink(situation.view, box) else []


def _is_area(place: Place) -> bool:
    if place.element is not None:
        return State.MULTILINE in place.element.states
    return place.holds is not None and place.holds.height > _LINES * min(place.words.height, place.holds.height)


def _is_still_there(situation: Situation, field: _Field, before: View) -> bool:
    """Whether the field may be clicked again: what was typed may have led to another page, and no terminal is one."""
    view, box = situation.view, field.place.box
    window = view.window_at(box)
    if window is not None and is_terminal(window.application):
        return False
    if field.place.holds is not None and is_framed_alike(before, view, field.place.holds):
        return True
    again = ground(parse(field.step.target.primary), view, default=Role.FIELD).place
    found = [shape.box for shape in view.shapes] + ([again.box] if again is not None else [])
    area = box.width * box.height
    return any(box.overlap(each) >= _SAME * max(area, each.width * each.height) for each in found)


def _changes(situation: Situation, before: View) -> Sequence[Box]:
    return situation.eyes.changes(before.picture, situation.view.picture)


def _nothing() -> None:
    """Nothing is looked for: only time passes."""
