"""What a person did, from the events of an input log: a click and the letters after it are one thing."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from core.accessibility import Role
from core.recording.input_log import (
    Clicked,
    Dragged,
    Focused,
    InputEvent,
    InputLog,
    Pressed,
    Scrolled,
    TouchedElement,
    Typed,
)

_EDITING: Final = frozenset({"backspace", "delete", "left", "right", "home", "end", "up", "down"})
_EDITING_WITH: Final = frozenset({"ctrl", "shift"})
_SELECTING: Final = frozenset({"a", *_EDITING})
_NOT_ALONE: Final = frozenset({"up", "down"})
"""These move about in a list as well: they are editing only after letters, and not at the end."""
_TAKE_NO_LETTERS: Final = frozenset(
    {
        *(Role.BUTTON, Role.TOGGLE, Role.LINK, Role.TAB, Role.CHECKBOX, Role.SWITCH, Role.RADIO),
        *(Role.MENU_ITEM, Role.MENU_ITEM_CHECKBOX, Role.MENU_ITEM_RADIO),
    }
)
"""A click on one of these does something by itself: the letters after it go into what it opened."""


class Entry(NamedTuple):
    """Letters that were typed into one field, with what corrected them."""

    t_ms: int
    until_ms: int
    letters: int
    """How many were typed."""
    corrected: bool
    """Whether keys such as Backspace were among them."""
    click: Clicked | None
    """The click into the field, if it was clicked."""
    tabbed: bool
    """Whether Tab led into the field."""
    element: TouchedElement | None = None
    """The field, with what it held after the last letter, if its program told."""
    lead: tuple[Pressed, ...] = ()
    """The keys before the first letter: Tab, or those that move about and select."""
    rest: tuple[InputEvent, ...] = ()
    """Its letters, and the keys between and behind them."""

    @property
    def types_at_once(self) -> bool:
        """Whether there are only letters from the first one on."""
        return all(isinstance(event, Typed) for event in self.rest)


Gesture = Entry | Clicked | Dragged | Scrolled | Pressed


def gestures_of(log: InputLog) -> list[Gesture]:
    """What was done, in order."""
    events = [event for event in log.events if not isinstance(event, Focused)]
    return list(_gestures(events))


def begin_of(gesture: Gesture) -> int:
    """When it began."""
    return gesture.click.t_ms if isinstance(gesture, Entry) and gesture.click is not None else gesture.t_ms


def end_of(gesture: Gesture) -> int:
    """When it ended."""
    return gesture.t_ms if isinstance(gesture, Clicked | Pressed) else gesture.until_ms


def _gestures(events: Sequence[InputEvent]) -> Iterator[Gesture]:
    at = 0
    while at < len(events):
        entry, end = _entry(events, at)
        if entry is not None:
            yield entry
            at = end
            continue
        event = events[at]
        if not isinstance(event, Typed | Focused):
            yield event
        at += 1


def _entry(events: Sequence[InputEvent], at: int) -> tuple[Entry | None, int]:
    """The entry that begins here, with the index behind it."""
    first = events[at]
    click = first if isinstance(first, Clicked) and first.button == "left" and _takes_letters(first) else None
    tabbed = isinstance(first, Pressed) and first.keys == ("tab",)
    start = at + 1 if click is not None or tabbed else at
    letters = [index for index in _run(events, start) if isinstance(events[index], Typed)]
    if not letters:
        return None, at
    run = list(events[start : letters[-1] + 1])
    behind = letters[-1] + 1
    while behind < len(events) and _is_editing(events[behind]) and not _is_moving(events[behind]):
        run.append(events[behind])
        behind += 1
    typed = [event for event in run if isinstance(event, Typed)]
    last, begun = run[-1], run.index(typed[0])
    lead = [event for event in ([first] if tabbed else []) + run[:begun] if isinstance(event, Pressed)]
    until = last.until_ms if isinstance(last, Typed) else last.t_ms
    return Entry(
        typed[0].t_ms,
        until,
        sum(event.count for event in typed),
        corrected=len(typed) < len(run),
        click=click,
        tabbed=tabbed,
        element=_element(typed[0], run),
        lead=tuple(lead),
        rest=tuple(run[begun:]),
    ), behind


def _takes_letters(click: Clicked) -> bool:
    return click.element is None or click.element.role not in _TAKE_NO_LETTERS


def _element(first: Typed, run: Sequence[InputEvent]) -> TouchedElement | None:
    """The field as it was in the end; letters in two fields are of no field."""
    reported = [event.element for event in run if isinstance(event, Typed | Pressed)]
    if first.element is None or reported[-1] is None:
        return None
    is_one = all(
        each is None or (each.role, each.name, each.of) == (first.element.role, first.element.name, first.element.of)
        for each in reported
    )
    is_list = first.element.role not in {Role.TEXTBOX, Role.SPIN_BUTTON}
    if not is_one and not is_list:
        return None
    is_secret = any(each is not None and each.is_secret for each in reported)
    return reported[-1].model_copy(
        update={"before": first.element.before, "is_secret": is_secret, **({"value": None} if is_secret else {})}
    )


def _run(events: Sequence[InputEvent], start: int) -> Iterator[int]:
    for index in range(start, len(events)):
        if not (isinstance(events[index], Typed) or _is_editing(events[index])):
            return
        yield index


def _is_editing(event: InputEvent) -> bool:
    if not isinstance(event, Pressed) or not event.keys:
        return False
    *modifiers, key = event.keys
    if not modifiers:
        return key in _EDITING
    return key in _SELECTING and _EDITING_WITH.issuperset(modifiers)


def _is_moving(event: InputEvent) -> bool:
    return isinstance(event, Pressed) and not _NOT_ALONE.isdisjoint(event.keys)
