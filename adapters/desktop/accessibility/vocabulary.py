"""AT-SPI's numbers of roles and states, in the words of ``core.accessibility``; see atspi-constants.h."""

from collections.abc import Mapping
from typing import Final

from core.accessibility import Role, State

_ROLES: Final[Mapping[Role, tuple[int, ...]]] = {
    Role.ALERT: (2, 101, 102),
    Role.APPLICATION: (75,),
    Role.ARTICLE: (109,),
    Role.BUTTON: (43, 129),
    Role.CELL: (56, 108),
    Role.CHECKBOX: (7,),
    Role.COLUMN_HEADER: (10, 57),
    Role.COMBOBOX: (11,),
    Role.DIALOG: (9, 16, 19, 22),
    Role.DOCUMENT: (25, 82, 92, 93, 94, 95, 96),
    Role.FORM: (87,),
    Role.GROUP: (99,),
    Role.HEADING: (83,),
    Role.IMAGE: (26, 27, 100),
    Role.LINK: (88,),
    Role.LIST: (31, 121),
    Role.LISTBOX: (98,),
    Role.LIST_ITEM: (32, 122, 123),
    Role.LOG: (111,),
    Role.MENU: (33, 41),
    Role.MENU_BAR: (34,),
    Role.MENU_ITEM: (35, 59),
    Role.MENU_ITEM_CHECKBOX: (8,),
    Role.MENU_ITEM_RADIO: (45,),
    Role.PARAGRAPH: (73, 105),
    Role.PROGRESS_BAR: (42, 103),
    Role.RADIO: (44,),
    Role.REGION: (110,),
    Role.ROW: (90,),
    Role.ROW_HEADER: (47, 58),
    Role.SCROLLBAR: (48,),
    Role.SEPARATOR: (50,),
    Role.SLIDER: (15, 51),
    Role.SPIN_BUTTON: (52,),
    Role.STATUS: (54,),
    Role.SWITCH: (130,),
    Role.TAB: (37,),
    Role.TABLE: (55,),
    Role.TAB_LIST: (38,),
    Role.TEXT: (29, 81, 116),
    Role.TEXTBOX: (12, 40, 60, 61, 76, 79),
    Role.TOGGLE: (62,),
    Role.TOOLBAR: (63,),
    Role.TOOLTIP: (64,),
    Role.TREE: (65, 66),
    Role.TREE_ITEM: (91,),
    Role.WINDOW: (23, 28, 69),
}
ROLES: Final[Mapping[int, Role]] = {number: role for role, numbers in _ROLES.items() for number in numbers}
"""What is not in it is ``generic``."""
PASSWORD: Final = 40
OBJECT: Final = "\ufffc"
"""Stands in a text for a part that is no text."""
CLIPPING: Final = frozenset({23, 16, 25, 28, 49, 68, 69, 82, 92, 93, 94, 95, 96})
"""Roles of what shows only what lies inside of it."""

STATE_NAMES: Final[Mapping[str, int]] = {
    "active": 1,
    "busy": 3,
    "checked": 4,
    "collapsed": 5,
    "defunct": 6,
    "editable": 7,
    "enabled": 8,
    "expandable": 9,
    "expanded": 10,
    "focusable": 11,
    "focused": 12,
    "iconified": 15,
    "modal": 16,
    "multi-line": 17,
    "pressed": 20,
    "selected": 23,
    "sensitive": 24,
    "showing": 25,
    "visible": 30,
    "manages-descendants": 31,
    "indeterminate": 32,
    "read-only": 43,
}
"""The numbers of the bits, by the names that events use."""
_STATES: Final[Mapping[State, str]] = {
    State.BUSY: "busy",
    State.CHECKED: "checked",
    State.MIXED: "indeterminate",
    State.EDITABLE: "editable",
    State.EXPANDABLE: "expandable",
    State.EXPANDED: "expanded",
    State.FOCUSABLE: "focusable",
    State.FOCUSED: "focused",
    State.MODAL: "modal",
    State.MULTILINE: "multi-line",
    State.SELECTED: "selected",
    State.VISIBLE: "showing",
}
_BITS: Final = {state: 1 << STATE_NAMES[name] for state, name in _STATES.items()}
DEFUNCT: Final = 1 << STATE_NAMES["defunct"]
SHOWING: Final = 1 << STATE_NAMES["showing"]
ICONIFIED: Final = 1 << STATE_NAMES["iconified"]
EDITABLE: Final = 1 << STATE_NAMES["editable"]
MULTILINE: Final = 1 << STATE_NAMES["multi-line"]
SELECTED: Final = 1 << STATE_NAMES["selected"]
MANAGES: Final = 1 << STATE_NAMES["manages-descendants"]
_READ_ONLY: Final = 1 << STATE_NAMES["read-only"]
_PRESSED: Final = 1 << STATE_NAMES["pressed"]
_ABLE: Final = (1 << STATE_NAMES["enabled"]) | (1 << STATE_NAMES["sensitive"])


def states_of(bits: int, role: int) -> frozenset[State]:
    """The states that the bits say; GTK says of a greyed control that it is enabled and not sensitive."""
    found = {state for state, bit in _BITS.items() if bits & bit}
    if bits & _ABLE == _ABLE:
        found.add(State.ENABLED)
    if bits & _PRESSED and ROLES.get(role) is Role.TOGGLE:
        found.add(State.CHECKED)
    if bits & _READ_ONLY:
        found.discard(State.EDITABLE)
    if role == PASSWORD:
        found.add(State.PROTECTED)
    return frozenset(found)
