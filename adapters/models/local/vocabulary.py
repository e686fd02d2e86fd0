"""The words of target phrases, as tables: kinds of things, places, ordinals, and what stands between two things."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

Meaning = TypeVar("Meaning")


class Role(StrEnum):
    """What kind of thing is meant."""

    BUTTON = "button"
    FIELD = "field"
    AREA = "text area"
    CHECKBOX = "checkbox"
    RADIO = "radio button"
    DROPDOWN = "dropdown"
    LINK = "link"
    TAB = "tab"
    MENU = "menu"
    ICON = "icon"
    ROW = "row"
    HEADING = "heading"
    LABEL = "text"
    WINDOW = "window"
    DIALOG = "dialog"
    REGION = "region"


class Relation(StrEnum):
    """Where one thing stands, seen from another."""

    ROW = "in the row of"
    NEAR = "next to"
    BELOW = "below"
    ABOVE = "above"
    RIGHT = "to the right of"
    LEFT = "to the left of"
    IN = "in"
    FOR = "for"


_ROLES: Final = {
    Role.BUTTON: "button|push button|btn|toggle|switch",
    Role.FIELD: "field|input|text field|text box|textbox|input field|input box|entry|entry field|edit field|edit box"
    "|box|search box|search field|search bar|text input|form field|date picker|spin box|spinner",
    Role.AREA: "text area|textarea|area|multi-line field|multiline field|editor",
    Role.CHECKBOX: "checkbox|check box|tick box|tickbox",
    Role.RADIO: "radio button|radio|radio box|radio option",
    Role.DROPDOWN: "dropdown|drop-down|drop down|dropdown list|drop-down list|drop-down menu|dropdown menu|select"
    "|select box|combo|combo box|combobox|picker|selector|dropdown field|select field|list box|listbox",
    Role.LINK: "link|hyperlink",
    Role.TAB: "tab|tab header",
    Role.MENU: "menu|menu item|menu entry|menu option|option|item|list item|list entry|entry in the list|choice",
    Role.ICON: "icon|image|picture|logo",
    Role.ROW: "row|table row|line|cell|table cell",
    Role.HEADING: "heading|headline|title|header",
    Role.LABEL: "label|text|caption|word|words|message",
    Role.WINDOW: "window|app|application",
    Role.DIALOG: "dialog|dialogue|popup|pop-up|modal|message box|alert|prompt",
    Role.REGION: "section|panel|group|toolbar|sidebar|list|table|form|card|navigation|nav bar|navbar|menu bar|menubar"
    "|footer|page|screen|pane|status bar|tab bar|title bar|column|fieldset|desktop|display",
}

_RELATIONS: Final = {
    Relation.ROW: "in the row of|in the row with|in the row for|in the row containing|in the row that contains"
    "|in the row that says|in the row named|in the row where|in the row|on the row of|on the row with|on the row"
    "|of the row"
    "|in the line of|in the line with|in the line for|in the line|in the same row as|on the same row as|in row",
    Relation.FOR: "for|next to the label|beside the label|with the label next to it",
    Relation.NEAR: "next to|beside|near|close to|adjacent to|belonging to|associated with|opposite",
    Relation.BELOW: "below|under|underneath|beneath|directly below|right below|just below",
    Relation.ABOVE: "above|directly above|right above|just above",
    Relation.RIGHT: "to the right of|right of|on the right of|on the right side of|just right of|at the right of",
    Relation.LEFT: "to the left of|left of|on the left of|on the left side of|just left of|at the left of",
    Relation.IN: "in|inside|within|inside of|on|of|from|at",
}

_ORDINALS: Final = {
    1: "first|1st|topmost|uppermost|top-most",
    2: "second|2nd",
    3: "third|3rd",
    4: "fourth|4th",
    5: "fifth|5th",
    6: "sixth|6th",
    7: "seventh|7th",
    8: "eighth|8th",
    9: "ninth|9th",
    10: "tenth|10th",
    -1: "last|bottommost|lowermost|bottom-most|final",
    -2: "second to last|second-to-last|last but one|next to last",
}

_EDGES: Final = {
    (0.0, 0.0): "top left|upper left|top-left|upper-left|left top",
    (1.0, 0.0): "top right|upper right|top-right|upper-right|right top",
    (0.0, 1.0): "bottom left|lower left|bottom-left|lower-left|left bottom",
    (1.0, 1.0): "bottom right|lower right|bottom-right|lower-right|right bottom",
    (0.5, 0.0): "top|upper edge|top edge|top centre|top center",
    (0.5, 1.0): "bottom|lower edge|bottom edge|bottom centre|bottom center",
    (0.0, 0.5): "left edge|left side|left hand side|left",
    (1.0, 0.5): "right edge|right side|right hand side|right",
    (0.5, 0.5): "centre|center|middle",
}

_NAMING: Final = (
    "labelled|labeled|with the label|with label|named|called|titled|that says|which says|saying|that reads|reading"
    "|with the text|with text|with the words|with the placeholder|with placeholder|marked|with the title|showing"
    "|with the caption|that shows|containing|with the name|having the label|entitled"
)
_PLAIN: Final = (
    "the|a|an|this|that|your|its|corner|part|on-screen|visible|blue|red|green|grey|gray|white|black|yellow|orange|big"
    "|small|large|little|round|whole|one|labels"
)


def _table(groups: Mapping[Meaning, str]) -> dict[tuple[str, ...], Meaning]:
    return {tuple(phrase.split()): meaning for meaning, phrases in groups.items() for phrase in phrases.split("|")}


ROLES: Final[dict[tuple[str, ...], Role]] = _table(_ROLES)
RELATIONS: Final[dict[tuple[str, ...], Relation]] = _table(_RELATIONS)
ORDINALS: Final[dict[tuple[str, ...], int]] = _table(_ORDINALS)
EDGES: Final[dict[tuple[str, ...], tuple[float, float]]] = _table(_EDGES)
NAMING: Final[frozenset[tuple[str, ...]]] = frozenset(tuple(phrase.split()) for phrase in _NAMING.split("|"))
PLAIN: Final[frozenset[tuple[str, ...]]] = frozenset(tuple(phrase.split()) for phrase in _PLAIN.split("|"))
LONGEST: Final = 7
"""Words of the longest phrase above."""
