"""Typing into a field that was emptied first, and reading back what the field then holds."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, NamedTuple

from adapters.models.local.grounding import ground
from adapters.models.local.held import Held, Verdict, compared, has_ink, is_hidden, seen_in
from adapters.models.local.phrases import parse
from adapters.models.local.seeking import target
from adapters.models.local.situation import Impossible
from adapters.models.local.vocabulary import Role
from core.actions import Click, Key, ReadField, Type
from core.runs.gate import TERMINALS
from core.screens import Point, TextLine

if TYPE_CHECKING:
    from collections.abc import Generator

    from adapters.models.local.grounding import Place
    from adapters.models.local.situation import Situation
    from adapters.models.local.view import View
    from core.actions import Action
    from core.runs.deciding import Decision
    from core.screens import Box
    from core.workflows.workflow import Step

_LINES: Final = 2.9
"""A field that is higher than so many heights of its words is made for several lines."""
_READINGS: Final = 3
_LATER: Final = 0.4
_ASIDE: Final = 12
"""Pixels from the click that typing needed to those that read: no toolkit takes them for one series."""
_SAME: Final = 0.7
_HIDDEN_LETTERS: Final = 100
_WHOLE: Final[tuple[Action, ...]] = (
    Key(action="key", keys=("ctrl", "home")),
    Key(action="key", keys=("ctrl", "shift", "end")),
)


class _Field(NamedTuple):
    """Where is typed, and what."""

    step: Step
    place: Place
    value: str
    clears: bool
    role: Role | None
    wanted: str
    """What the field holds in the end."""

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
        yield from situation.do(*_typing(value), note=step.intent)
        return
    place = yield from target(situation, step, default=Role.FIELD)
    clear = step.additional_args.get("clear")
    clears = clear if isinstance(clear, bool) else not _is_area(place)
    field = _Field(step, place, value, clears, phrase.role, value)
    if not clears:
        held = yield from _held_before(situation, field)
        field = field._replace(wanted=held + value)
    yield from _type_and_check(situation, field)


def _type_and_check(situation: Situation, field: _Field) -> Generator[Decision, None, None]:
    before = situation.view
    yield from situation.do(*_moves(situation, field), note=field.step.intent)
    held = yield from _held(situation, field, before)
    if held.verdict is Verdict.EMPTY and not _changed(situation, before):
        # Nothing arrived anywhere: the program was not ready for it.
        yield from situation.do(*_moves(situation, field), note=field.step.intent)
        held = yield from _held(situation, field, before)
    elif held.verdict is Verdict.WRONG and held.is_exact and field.clears:
        yield from situation.do(*_moves(situation, field), note=field.step.intent)
        held = yield from _held(situation, field, before)
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


def _held(situation: Situation, field: _Field, before: View) -> Generator[Decision, None, Held]:
    """What the field holds after typing: by its selection, else by its picture."""
    box, value = field.place.holds, field.value
    if situation.secret_in(value):
        return Held(Verdict.RIGHT, "")
    ends_elsewhere = any(sign in value for sign in "\t\n\r") and not field.is_area
    if box is None or ends_elsewhere:
        return Held(Verdict.DOUBTFUL, "")
    view = situation.view
    if value and is_hidden(view, box, _content(view, box)):
        return Held(Verdict.RIGHT, "")
    if field.role is not Role.DROPDOWN and _is_still_there(situation, field) and has_ink(view, box):
        exact = yield from _exactly(situation, field)
        if exact is not None:
            return exact
    if not value:
        content = _content(view, box)
        return Held(Verdict.DOUBTFUL if content and content == _content(before, box) else Verdict.RIGHT, content)
    seen = seen_in(view, box, field.wanted, situation.eyes)
    if seen.verdict in (Verdict.WRONG, Verdict.EMPTY):
        # A slow program may show it later.
        yield from situation.wait_for(lambda: _as_wanted(situation, field, box), seconds=situation.patience / 4)
        seen = seen_in(situation.view, box, field.wanted, situation.eyes)
    return seen


def _as_wanted(situation: Situation, field: _Field, box: Box) -> bool | None:
    seen = seen_in(situation.view, box, field.wanted, situation.eyes).verdict
    return None if seen in (Verdict.WRONG, Verdict.EMPTY) else True


def _exactly(situation: Situation, field: _Field) -> Generator[Decision, None, Held | None]:
    """By the selection: what is not as wanted is read again, for it may still arrive; ``None`` if it cannot be read."""
    last: str | None = None
    for _ in range(_READINGS):
        text = yield from _selected(situation, field)
        if text is None:
            return None
        held = compared(field.wanted, text)
        if held.verdict is Verdict.RIGHT:
            return held
        if text != last:
            yield from situation.wait_for(_nothing, seconds=_LATER)
        last = text
    return compared(field.wanted, last or "")


def _selected(situation: Situation, field: _Field) -> Generator[Decision, None, str | None]:
    place = field.place
    aside = _ASIDE if place.box.width > 4 * _ASIDE else 0
    at = Point(x=place.point.x + aside, y=place.point.y)
    move = ReadField(at=at, several_lines=field.is_area)
    results = yield from situation.do(move, note=f"Reading back what {field.step.target.primary} holds")
    return results[0].text if results else None


def _held_before(situation: Situation, field: _Field) -> Generator[Decision, None, str]:
    """What a field holds that is added to; a hint in it is nothing that could be selected."""
    box = field.place.holds
    if box is None or not has_ink(situation.view, box) or situation.secret_in(field.value):
        return ""
    if is_hidden(situation.view, box, _content(situation.view, box)):
        return ""
    text = yield from _selected(situation, field)
    return text or ""


def _moves(situation: Situation, field: _Field) -> list[Action]:
    """What empties the field, or goes to its end, and types."""
    place, value, view = field.place, field.value, situation.view
    box = place.holds
    is_filled = box is not None and has_ink(view, box)
    click = Click(action="left_click", at=place.point)
    focus: list[Action] = [click]
    if field.role is Role.DROPDOWN:
        return [click, *_typing(value), Key(keys=("enter",))]
    hides = box is not None and (situation.secret_in(value) or is_hidden(view, box, _content(view, box)))
    if hides and field.clears:
        # What is hidden is never selected, for that would offer it to other programs.
        focus += [Key(keys=("end",)), Key(keys=("backspace",), repeat=_HIDDEN_LETTERS)] if is_filled else []
    elif field.clears and not field.is_area:
        # Selects a line in every toolkit; Ctrl+A is the beginning of the line in some.
        focus = [Click(action="triple_click", at=place.point)]
    elif field.clears:
        focus += _WHOLE
    elif is_filled:
        focus.append(Key(keys=("ctrl", "end")))
    if field.clears and not value and not hides:
        return [*focus, Key(keys=("delete",))]
    return [*focus, *_typing(value)]


def _typing(value: str) -> list[Action]:
    return [Type(text=value)] if value else []


def _is_area(place: Place) -> bool:
    return place.holds is not None and place.holds.height > _LINES * min(place.words.height, place.holds.height)


def _is_still_there(situation: Situation, field: _Field) -> bool:
    """Whether the field may be clicked again: what was typed may have led to another page, and no terminal is one."""
    view, box = situation.view, field.place.box
    window = view.window_at(box)
    if window is not None and any(fnmatchcase(window.application.lower(), each) for each in TERMINALS):
        return False
    again = ground(parse(field.step.target.primary), view, default=Role.FIELD).place
    found = [shape.box for shape in view.shapes] + ([again.box] if again is not None else [])
    area = box.width * box.height
    return any(box.overlap(each) >= _SAME * max(area, each.width * each.height) for each in found)


def _changed(situation: Situation, before: View) -> bool:
    return bool(situation.eyes.changes(before.picture, situation.view.picture))


def _nothing() -> None:
    """Nothing is looked for: only time passes."""


def _content(view: View, box: Box) -> str:
    return " ".join(each.text for each in view.segments if box.contains(each.box.centre))
