"""Names of targets, and values, from the elements that programs told of while something was done."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from core.accessibility import Role
from core.demonstration.gestures import Entry, Gesture
from core.plans.phrasing import QUOTE, marks, quoted
from core.recording.input_log import Clicked, Pressed, TouchedElement
from core.steps import CHOSEN, TICKED, UNTICKED
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST: Final = 80
"""What is longer is a text and no label."""
_KINDS: Final = {
    Role.BUTTON: "button",
    Role.TOGGLE: "button",
    Role.LINK: "link",
    Role.TAB: "tab",
    Role.CHECKBOX: "check box",
    Role.SWITCH: "check box",
    Role.RADIO: "radio button",
    Role.MENU: "menu",
    Role.MENU_ITEM: "menu item",
    Role.MENU_ITEM_CHECKBOX: "menu item",
    Role.MENU_ITEM_RADIO: "menu item",
    Role.COMBOBOX: "dropdown",
    Role.LISTBOX: "list",
    Role.TEXTBOX: "field",
    Role.SPIN_BUTTON: "field",
    Role.OPTION: "option",
}
_OPTIONS: Final = frozenset({Role.OPTION, Role.MENU_ITEM, Role.LIST_ITEM})
_FIELDS: Final = frozenset({Role.TEXTBOX, Role.SPIN_BUTTON})
_LISTS: Final = _OPTIONS | {Role.COMBOBOX, Role.LISTBOX, Role.LIST}
_LIST_KEYS: Final = frozenset({"up", "down", "home", "end", "page_up", "page_down", "space", "enter"})
_ADDRESS: Final = re.compile(r"address and search bar|\b(?:search|enter)\b.*\baddress", re.IGNORECASE)
"""The names of the address fields of Chromium and Firefox."""
_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://\S+|(?:localhost|[^\s/:]+\.[^\s/:.]+)(?::\d+)?(?:/\S*)?", re.IGNORECASE)
_LOCAL: Final = re.compile(r"localhost|127\.|\d+\.\d+\.\d+\.\d+|\[")


_KIND: Final = re.compile(rf"(?P<before>(?:the )?(?:[a-z]+ )?{QUOTE})(?: [a-z ]*?)?(?P<row> in the row of {QUOTE})?")
"""A quoted thing with its kind, and what tells it from others."""


class Choice(NamedTuple):
    """What was chosen from which list, by so many gestures."""

    target: str
    value: str
    length: int


def is_named(element: TouchedElement | None) -> bool:
    """Whether an element has a name that can stand in a step."""
    return element is not None and 0 < len(element.name) <= _LONGEST and marks(element.name) is not None


def phrase_of(element: TouchedElement) -> str:
    """An element that is named, in words."""
    kind = _KINDS.get(element.role)
    quoted = marks(one_line(element.name)) or ""
    return f"the {quoted} {kind}" if kind is not None else quoted


def qualified(phrase: str, element: TouchedElement) -> str:
    """A phrase that tells an element from others of its name, with the kind that its program gives it."""
    kind, said = _KINDS.get(element.role), quoted(phrase)
    if kind is None or said is None or not said.texts:
        return phrase
    found = _KIND.fullmatch(said.skeleton)
    own = said.phrase(f"{found['before']} {kind}{found['row'] or ''}") if found is not None else None
    if own is None:
        return phrase
    return own if own.startswith("the ") else f"the {own}"


def is_text(element: TouchedElement) -> bool:
    """Whether it only says something, so that who clicked it may have meant something else there."""
    return element.role not in _KINDS


def mark_of(element: TouchedElement) -> tuple[str, ...]:
    """What a check box or radio button was after the click."""
    if element.role is Role.RADIO:
        return (CHOSEN,) if element.value == "checked" else ()
    return {"checked": (TICKED,), "unchecked": (UNTICKED,)}.get(element.value or "", ())


def field_of(entry: Entry) -> str:
    """The field that letters were typed into, in words; empty where no program named it."""
    element = entry.element
    is_field = element is not None and element.role in _FIELDS and is_named(element)
    return phrase_of(element) if is_field and element is not None else ""


def is_in_document(entry: Entry) -> bool:
    """Whether letters went into a document without a name, or a sheet, or what is no field: they go on at the focus."""
    element = entry.element
    if element is None or element.is_secret or element.role in _LISTS:
        return False
    return (element.is_document and not is_named(element)) or element.role not in _FIELDS


def written_in(entry: Entry) -> str | None:
    """What was typed into a document, by what stands before its caret; ``None`` where keys were between the letters."""
    written = entry.element.written if entry.element is not None else None
    if written is None or not entry.types_at_once or len(written) < entry.letters:
        return None
    typed = written[-entry.letters :]
    return typed if typed.strip() and "\n" not in typed else None


def value_of(entry: Entry) -> str | None:
    """What a field held in the end; ``None`` where no program said so, or said less than was typed."""
    element = entry.element
    if element is None or element.role not in _FIELDS or element.is_secret or not element.value:
        return None
    value = one_line(element.value)
    if "\n" in element.value.strip() or not value:
        return None
    if not entry.corrected and len(element.value) < entry.letters:
        # It was read before the last letter came.
        return None
    goes_on = element.before is not None and element.value == element.before
    return None if goes_on else value


def address_of(entry: Entry) -> str | None:
    """The address that was typed into a browser's own field; ``None`` for anything else."""
    element = entry.element
    value = value_of(entry)
    if element is None or value is None or not _ADDRESS.search(element.name) or not _URL.fullmatch(value):
        return None
    if "://" in value:
        return value
    return f"http://{value}" if _LOCAL.match(value) else f"https://{value}"


def choice_at(gestures: Sequence[Gesture], at: int) -> Choice | None:
    """A choice from a list that begins there: a click that opened it, keys and letters, or a click on an option."""
    first = gestures[at]
    opened = _opened(first)
    if opened is None:
        return None
    value = (opened.name if opened.role in _OPTIONS else opened.value) if not isinstance(first, Clicked) else None
    count = 1
    for each in gestures[at + 1 :]:
        element = None if not isinstance(each, Clicked | Pressed | Entry) else each.element
        if element is None:
            break
        if isinstance(each, Clicked):
            if element.role in _OPTIONS and element.of == _list_name(opened):
                return _choice(opened, element.value or element.name, count + 1)
            break
        is_same = _list_name(element) == _list_name(opened) and element.role in _OPTIONS | {Role.COMBOBOX}
        if not is_same or (isinstance(each, Pressed) and not _LIST_KEYS.issuperset(each.keys)):
            break
        value = element.name if element.role in _OPTIONS else element.value
        count += 1
    return _choice(opened, value, count)


def _choice(opened: TouchedElement, value: str | None, count: int) -> Choice | None:
    name = marks(_list_name(opened))
    return Choice(f"the {name} dropdown", value, count) if name and value and _list_name(opened) else None


def _opened(gesture: Gesture) -> TouchedElement | None:
    """The list that something was done to."""
    match gesture:
        case Clicked() if (gesture.button, gesture.count) == ("left", 1):
            element = gesture.element
        case Entry():
            element = gesture.element
        case Pressed() if _LIST_KEYS.issuperset(gesture.keys) and gesture.keys != ("enter",):
            element = gesture.element
        case _:
            return None
    if element is None or element.is_secret:
        return None
    is_list = element.role is Role.COMBOBOX or (
        element.role in _OPTIONS and bool(element.of) and not isinstance(gesture, Clicked)
    )
    return element if is_list and _list_name(element) else None


def _list_name(element: TouchedElement) -> str:
    return element.of if element.role in _OPTIONS else element.name
