"""A field as its program tells of it: whether it has the focus, what it holds, and how it is emptied."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from adapters.models.local.accessible_grounding import seen_place
from adapters.models.local.field_content import FieldContent, Verdict, compared, letters
from adapters.models.local.situation import Impossible
from core.accessibility import Element, Role, State
from core.actions import Action, Click, Key, Type

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from adapters.models.local.grounding import Place
    from adapters.models.local.situation import Situation
    from adapters.models.local.view import View
    from core.runs.deciding import Decision
    from core.screens import Window

_TYPED_INTO: Final = frozenset({Role.TEXTBOX, Role.SPIN_BUTTON})
_OPTIONS: Final = frozenset({Role.OPTION, Role.MENU_ITEM, Role.LIST_ITEM, Role.MENU_ITEM_RADIO})
_FOCUS_SECONDS: Final = 0.8
_EMPTIED_SECONDS: Final = 0.4
_ARRIVED_SECONDS: Final = 1.2
"""So long a slow program may take to show what was typed."""
_LETTER: Final = 2
"""Pixels of a letter's width, at least: less changes by a caret that blinks."""
_SHORT: Final = 3
"""Letters that may be read by chance, or not at all."""
_LIKE: Final = 0.8
_SELECT_ALL: Final[Sequence[Sequence[Action]]] = (
    (Key(keys=("ctrl", "a")), Key(keys=("delete",))),
    (Key(keys=("ctrl", "home")), Key(keys=("ctrl", "shift", "end")), Key(keys=("delete",))),
)
"""The second for where Ctrl+A is the beginning of the line."""


def field_at(view: View, place: Place) -> Element | None:
    """The field that the program of the window there tells of, if it says what it holds; never a password's."""
    window = view.window_at(place.box)
    if window is None or window.pid is None:
        return None
    found = [
        each
        for each in view.tree.elements
        if is_typed_into(each) and each.pid == window.pid and each.box is not None and each.box.contains(place.point)
    ]
    return found[0] if len(found) == 1 else None


def is_typed_into(element: Element) -> bool:
    """Whether it is a field that says what it holds."""
    is_open = {State.EDITABLE, State.VISIBLE, State.ENABLED} <= element.states
    return element.role in _TYPED_INTO and element.value is not None and is_open


def _focused_field(situation: Situation) -> Element | None:
    """What has the focus in the window that has it, if its program says what it holds."""
    window = situation.focused_window
    found = [
        each
        for each in situation.view.tree.elements
        if {State.FOCUSED, State.EDITABLE, State.VISIBLE} <= each.states
        and each.value is not None
        and window is not None
        and each.pid == window.pid
    ]
    return found[0] if len(found) == 1 else None


def _arrived(situation: Situation, element: Element, text: str, before: str) -> Element | None:
    """The field, once the text stands in it or time has gone by; ``None`` where it does not tell any more."""

    def holds() -> Element | None:
        now = situation.now(element)
        is_there = now is None or now.value is None or now.value.count(text) > before.count(text)
        return now if is_there and now is not None else None

    return situation.poll(holds, seconds=_ARRIVED_SECONDS) or situation.now(element)


def type_at_focus(situation: Situation, value: str, *, note: str) -> Generator[Decision, None, None]:
    """Type where the focus is, and see that it arrived: as the program of what has the focus says, or by the screen.

    Raises ``Impossible`` when it did not. What hides what is typed is not looked at.
    """
    yield from situation.await_keyboard()
    yield from _await_focus(situation)
    if situation.secret_in(value) or not value.strip():
        yield from situation.do(*([Type(text=value)] if value else []), note=note)
        return
    element, first = _focused_field(situation), situation.view
    before = element.value if element is not None else None
    yield from situation.do(Type(text=value), note=note)
    if element is None or before is None:
        yield from _require_seen(situation, value, first)
        return
    now = _arrived(situation, element, value, before)
    if now is not None and now.value == before:
        raise Impossible(f'"{value}" was typed where the focus is, but nothing arrived in what has it.')
    if now is not None and value not in (now.value or ""):
        situation.doubts.append(f'"{value}" was typed where the focus is, which shows "{(now.value or "")[-80:]}".')


def _await_focus(situation: Situation) -> Generator[Decision, None, None]:
    """Wait a moment where a program says of all its elements that they lack the focus: it is still starting."""

    def has_focus() -> bool | None:
        window = situation.focused_window
        own = [each for each in situation.view.tree.elements if window is not None and each.pid == window.pid]
        return True if not own or any(State.FOCUSED in each.states for each in own) else None

    yield from situation.wait_for(has_focus, seconds=situation.patience / 4)


def _require_seen(situation: Situation, value: str, first: View) -> Generator[Decision, None, None]:
    """See by anything that the program tells, else by the picture, that what was typed has come since the first look.

    What looks like it, or is too short to be read for certain, is a doubt. Raises ``Impossible`` for what is not there.
    """
    window = situation.focused_window
    if window is None:
        return

    def is_in_tree() -> bool | None:
        return _count_in_tree(situation.view, window.pid, value) > _count_in_tree(first, window.pid, value) or None

    def is_shown() -> bool | None:
        now, before = (
            "".join(_changed_lines(situation, window, first, view)).count(value_letters)
            for view in (situation.view, first)
        )
        return is_in_tree() or now > before or None

    value_letters = letters(value)
    # Reading the screen takes longer than a program does to tell.
    if window.pid in first.tree.pids and (yield from situation.wait_for(is_in_tree, seconds=_ARRIVED_SECONDS)):
        return
    # What a program that tells its elements does not tell is read for certain only where it is no number or two.
    is_readable = len(value_letters) > _SHORT or (bool(value_letters) and window.pid not in situation.view.tree.pids)
    arrived = is_shown if is_readable else is_in_tree
    if (yield from situation.wait_for(arrived, seconds=situation.patience / 4)):
        return
    is_silent = window.pid not in situation.view.tree.pids
    if not (is_silent and _may_have_come(situation, window, first, value)):
        raise Impossible(f'"{value}" was typed where the focus is, but it is not seen to have arrived anywhere.')
    situation.doubts.append(f'"{value}" was typed where the focus is, and cannot be read there for certain.')


def _may_have_come(situation: Situation, window: Window, first: View, value: str) -> bool:
    """Whether so much has changed as the letters take, and what is read there is like them, or they are too few."""
    wanted = letters(value)
    changes = situation.eyes.changes(first.picture, situation.view.picture)
    width = sum(each.common(window.box).width for each in changes if each.overlap(window.box))
    if width < _LETTER * len(value.strip()):
        return False
    return len(wanted) <= _SHORT or any(
        SequenceMatcher(None, wanted, each[at : at + len(wanted)]).ratio() >= _LIKE
        for each in _changed_lines(situation, window, first, situation.view)
        for at in range(max(len(each) - len(wanted), 0) + 1)
    )


def _changed_lines(situation: Situation, window: Window, first: View, view: View) -> list[str]:
    """The letters of each line that a look shows in the window where the screen has changed since the first look."""
    changes = situation.eyes.changes(first.picture, situation.view.picture)
    return [
        letters(each.text)
        for each in view.lines
        if window.box.contains(each.box.centre) and any(each.box.overlap(change) for change in changes)
    ]


def _count_in_tree(view: View, pid: int | None, text: str) -> int:
    """How often the program's elements hold a text, or are called so."""
    return sum(f"{each.name} {each.value or ''}".count(text) for each in view.tree.elements if each.pid == pid)


def reported_content(situation: Situation, element: Element, wanted: str) -> FieldContent | None:
    """What its program reports that a field holds, once that is the wanted or time has gone by, if it reports it."""
    last: FieldContent | None = None

    def as_wanted() -> FieldContent | None:
        nonlocal last
        now = situation.now(element)
        last = compared(wanted, now.value) if now is not None and now.value is not None else None
        return last if last is not None and last.verdict is Verdict.RIGHT else None

    return situation.poll(as_wanted, seconds=_ARRIVED_SECONDS) or last


def option_at(situation: Situation, element: Element, wanted: str) -> Place | None:
    """Where the option of a list that was unfolded is seen; ``None`` where it cannot be told."""
    view = situation.view
    options = [each for each in view.tree.elements if each.role in _OPTIONS and each.pid == element.pid]
    shown = [each for each in options if each.box is not None and State.VISIBLE in each.states]
    named = [each for each in shown if compared(wanted, each.name).verdict is Verdict.RIGHT]
    if len(named) != 1:
        return None
    # Those of a list that is folded up may all say that they are where it is.
    beside = [each for each in shown if each.parent == named[0].parent and each is not named[0]]
    is_folded = any(each.box == named[0].box for each in beside) or not (beside or named[0].box != element.box)
    return None if is_folded else seen_place(named[0], view, situation.eyes)


def make_ready(
    situation: Situation, element: Element, place: Place, *, empties: bool, note: str
) -> Generator[Decision, None, str | None]:
    """Give the field the focus, and empty it; what it then holds, or ``None`` where that cannot be told.

    Where it is ``None`` nothing was typed, and only what this very field held was deleted.
    """
    yield from situation.do(Click(action="left_click", at=place.point), note=note, rest=False)

    def focused() -> Element | None:
        now = situation.now(element)
        return now if now is not None and State.FOCUSED in now.states else None

    now = situation.poll(focused, seconds=_FOCUS_SECONDS)
    if now is None or now.value is None:
        return None
    for keys in _SELECT_ALL if empties else ():
        if not now.value:
            break
        yield from situation.do(*keys, note=f"Emptying it to {note}", rest=False)

        def empty() -> Element | None:
            now = situation.now(element)
            return now if now is not None and not now.value else None

        now = situation.poll(empty, seconds=_EMPTIED_SECONDS) or situation.now(element)
        if now is None:
            return None
    return None if empties and now.value else now.value


def held(situation: Situation, element: Element, wanted: str, before: str) -> FieldContent | None:
    """What the field holds after typing; ``None`` where its program does not tell, or tells what it told before.

    ``before`` is what it held before the keys.
    """
    found = reported_content(situation, element, wanted)
    return None if found is None or (found.text == before and wanted != before) else found
