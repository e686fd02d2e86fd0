"""What a target phrase means: ``second "Delete" in the row of "Alice"`` as values, by tables of the words there are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, TypeVar

from core.text import closing_mark

Meaning = TypeVar("Meaning")


class Role(StrEnum):
    """What kind of thing is meant."""

    BUTTON = "button"
    FIELD = "field"
    AREA = "text area"
    CHECKBOX = "checkbox"
    RADIO = "radio button"
    DROPDOWN = "dropdown"
    SLIDER = "slider"
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
    Role.SLIDER: "slider",
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


LABELLED: Final = frozenset({Role.FIELD, Role.AREA, Role.DROPDOWN, Role.CHECKBOX, Role.RADIO})
"""What is found by a text that stands beside it."""
_BY_ROW: Final = frozenset({*LABELLED, Role.ICON})
"""What is found without a text of its own, by one in its row."""
_AROUND: Final = frozenset({Role.WINDOW, Role.DIALOG, Role.REGION})
"""What other things stand in."""
_NARROW: Final = frozenset({Relation.FOR, Relation.NEAR, Relation.RIGHT, Relation.BELOW, Relation.LEFT, Relation.ABOVE})
_LITERAL_WORDS: Final = 4
_NAMES: Final = frozenset({"name", "names"})
"""What "First" and "Last" begin the label of."""
_MOST: Final = 2000

Edge = tuple[float, float]
"""A place of the screen by its share of width and height: 1.0, 0.0 is the top right corner."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """That the thing stands so to another."""

    relation: Relation
    of: Phrase


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a target phrase asks for. All fields may be empty: then it says nothing that can be found."""

    text: str = ""
    """The words on the thing, or on its label."""
    role: Role | None = None
    ordinal: int = 0
    """1 is the first from above, -1 the last, 0 the only one."""
    constraints: tuple[Constraint, ...] = ()
    edge: Edge | None = None
    beside: Relation | None = None
    """Where the thing stands to its label, when the phrase says so: ``field below "Notes"``."""

    @property
    def is_findable(self) -> bool:
        """Whether there is anything to look for on a screen."""
        return bool(self.text or self.edge or (self.role in _BY_ROW and any(each.of.text for each in self.constraints)))


@dataclass(frozen=True, slots=True)
class _Item:
    """A quotation, a known phrase or a single word; ``value`` is what the table says of it."""

    kind: str
    value: Any
    said: str


@dataclass(frozen=True, slots=True)
class _Group:
    """What stands between two relations."""

    relation: _Item | None = None
    items: list[_Item] = field(default_factory=list[_Item])


_WORD: Final = re.compile(r"[^\s\"\u201c\u201d\u201e«»`,;]+")
_TABLES: Final[tuple[tuple[str, Any], ...]] = (
    ("relation", RELATIONS),
    ("edge", EDGES),
    ("ordinal", ORDINALS),
    ("role", ROLES),
    ("naming", dict[tuple[str, ...], None].fromkeys(NAMING)),
    ("plain", dict[tuple[str, ...], None].fromkeys(PLAIN)),
)


def parse(phrase: str) -> Phrase:
    """Read a target phrase; never raises. What it does not understand stays out, and finds nothing by itself."""
    groups: list[_Group] = [_Group()]
    for item in _items(phrase[:_MOST]):
        if item.kind == "relation":
            groups.append(_Group(item))
        else:
            groups[-1].items.append(item)
    groups = _joined(_closed(groups))
    head = _noun(groups[0].items)
    for group in groups[1:]:
        if group.relation is not None:
            head = _constrained(head, group.relation.value, _noun(group.items))
    return head


def quoted(text: str) -> tuple[str, ...]:
    """Every quotation in a sentence, in order."""
    return tuple(item.said for item in _items(text[:_MOST]) if item.kind == "quote" and item.said.strip())


def _constrained(head: Phrase, relation: Relation, noun: Phrase) -> Phrase:
    if noun.edge and not noun.text:
        return head if head.edge else replace(head, edge=noun.edge)
    if not noun.text:
        # "in the dialog" names a place that is not unique.
        return head
    is_label = head.role in LABELLED and not head.text and relation in _NARROW and noun.role not in _AROUND
    if is_label:
        beside = relation if relation not in (Relation.FOR, Relation.NEAR) else None
        return replace(head, text=noun.text, ordinal=head.ordinal or noun.ordinal, beside=beside)
    if relation is Relation.FOR or (relation is Relation.IN and noun.role is Role.ROW):
        relation = Relation.ROW
    return replace(head, constraints=(*head.constraints, Constraint(relation, noun)))


def _closed(groups: list[_Group]) -> list[_Group]:
    """Without a relation that leads nowhere: it is the end of a name, as in ``Log in``."""
    last = groups[-1]
    if last.items or last.relation is None:
        return groups
    before = groups[-2]
    return [*groups[:-2], _Group(before.relation, [*before.items, replace(last.relation, kind="word")])]


def _joined(groups: list[_Group]) -> list[_Group]:
    """Put back together what is one label without quotation marks: ``Date of birth field``."""
    if len(groups) != 2 or groups[1].relation is None:  # noqa: PLR2004 - a head and one relation
        return groups
    head, tail = groups
    linking = groups[1].relation
    items = [*head.items, *tail.items]
    is_plain = all(item.kind not in ("quote", "ordinal", "naming") for item in items)
    named, role = _noun(head.items), _noun(tail.items).role
    has_control = role is not None and role not in _AROUND and role is not Role.ROW
    if not (is_plain and has_control and named.role is None and tail.items[-1].kind == "role" and head.items):
        return groups
    if linking.value not in (Relation.IN, Relation.FOR):
        return groups
    return [_Group(None, [*head.items, replace(linking, kind="word"), *tail.items])]


def _noun(group: Sequence[_Item]) -> Phrase:
    ordinal = next((item.value for item in group if item.kind == "ordinal"), 0)
    edge = next((item.value for item in group if item.kind == "edge"), None)
    texts = [item.said for item in group if item.kind == "quote"]
    roles = [item.value for item in group if item.kind == "role"]
    if texts:
        return Phrase(texts[0].strip(), roles[-1] if roles else None, ordinal, edge=edge)
    words = [item for item in group if item.kind != "naming"]
    while (
        words and words[0].kind in ("plain", "ordinal") and not _begins_a_name(words, at_start=len(words) == len(group))
    ):
        words = words[1:]
    if not words:
        return Phrase(ordinal=ordinal)
    if words[0].kind == "ordinal":
        ordinal = 0
    if words[-1].kind == "role":
        role, words = words[-1].value, words[:-1]
    elif words[0].kind == "role":
        role, words = words[0].value, words[1:]
    else:
        role = None
    text = _literal(words, role)
    return Phrase(text, role, ordinal, edge=None if text else edge)


def _begins_a_name(words: Sequence[_Item], *, at_start: bool) -> bool:
    """Whether an ordinal is part of a label, as in ``the First name field``."""
    if words[0].kind != "ordinal" or not words[0].said[0].isupper():
        return False
    return not at_start or (len(words) > 1 and words[1].said.casefold() in _NAMES)


def _literal(words: Sequence[_Item], role: Role | None) -> str:
    """A label that was not quoted: any words beside a role, else few words that begin like a name."""
    words = (
        [item for item in words if item.kind != "plain"]
        if all(item.kind in ("plain", "edge") for item in words)
        else words
    )
    if not words or all(item.kind == "edge" for item in words):
        return ""
    text = " ".join(item.said for item in words)
    if role is None and (len(words) > _LITERAL_WORDS or not (text[0].isupper() or text[0].isdigit())):
        return ""
    return text


def _items(phrase: str) -> list[_Item]:
    pieces = list(_pieces(phrase))
    items: list[_Item] = []
    at = 0
    while at < len(pieces):
        if pieces[at].kind == "quote":
            items.append(pieces[at])
            at += 1
            continue
        known = _known(pieces, at)
        items.append(known or pieces[at])
        at += len(known.said.split()) if known else 1
    return items


def _known(pieces: Sequence[_Item], at: int) -> _Item | None:
    """The longest known phrase that begins here."""
    words: list[str] = []
    for piece in pieces[at : at + LONGEST]:
        if piece.kind == "quote":
            break
        words.append(piece.said)
    for length in range(len(words), 0, -1):
        key = tuple(word.casefold() for word in words[:length])
        for kind, table in _TABLES:
            if key in table:
                return _Item(kind, table[key], " ".join(words[:length]))
    return None


def _pieces(phrase: str) -> Iterator[_Item]:
    at = 0
    while at < len(phrase):
        end = closing_mark(phrase, at)
        if end is not None:
            yield _Item("quote", None, phrase[at + 1 : end])
            at = end + 1
            continue
        found = _WORD.match(phrase, at)
        if found is None:
            at += 1
            continue
        word = found[0].strip(".:!?()[]")
        if word:
            yield _Item("word", None, word)
        at = found.end()
