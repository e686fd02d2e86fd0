"""Where a phrase points to by what programs tell of themselves, if the pixels there say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.desktop.eyesight.segments import around, segments_of
from adapters.models.local.field_content import has_ink
from adapters.models.local.finding import find, is_decoration
from adapters.models.local.grounding import Place
from adapters.models.local.phrases import Phrase, Relation, Role
from core.accessibility import Element, State
from core.accessibility import Role as Kind
from core.expectations.matching import canonical, tokens_of
from core.plans.phrasing import marks
from core.screens import Box, Picture, Point
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from adapters.models.local.view import View
    from core.runs.ports import Eyes
    from core.screens import TextLine

_OPTIONS: Final = frozenset({Kind.MENU_ITEM, Kind.OPTION, Kind.LIST_ITEM, Kind.TREE_ITEM})
_MENUS: Final = _OPTIONS | {Kind.MENU, Kind.MENU_ITEM_CHECKBOX, Kind.MENU_ITEM_RADIO}
_BUTTONS: Final = frozenset({Kind.BUTTON, Kind.TOGGLE, Kind.SWITCH})
_FIELDS: Final = frozenset({Kind.TEXTBOX, Kind.SPIN_BUTTON})
_ROLES: Final[Mapping[Role, frozenset[Kind]]] = {
    Role.BUTTON: _BUTTONS,
    Role.FIELD: _FIELDS,
    Role.AREA: frozenset({Kind.TEXTBOX}),
    Role.CHECKBOX: frozenset({Kind.CHECKBOX, Kind.SWITCH, Kind.MENU_ITEM_CHECKBOX}),
    Role.RADIO: frozenset({Kind.RADIO, Kind.MENU_ITEM_RADIO}),
    Role.DROPDOWN: frozenset({Kind.COMBOBOX}),
    Role.SLIDER: frozenset({Kind.SLIDER}),
    Role.LINK: frozenset({Kind.LINK}),
    Role.TAB: frozenset({Kind.TAB}),
    Role.MENU: _MENUS,
    Role.ROW: frozenset({Kind.CELL, Kind.ROW_HEADER, Kind.LIST_ITEM, Kind.TREE_ITEM, Kind.OPTION}),
}
_CLICKED: Final = _BUTTONS | _MENUS | {Kind.LINK, Kind.TAB, Kind.CHECKBOX, Kind.RADIO}
"""What is meant where no kind is named."""
_LABELLED: Final = _FIELDS | {Kind.COMBOBOX, Kind.SLIDER, Kind.CHECKBOX, Kind.RADIO, Kind.SWITCH}
"""Their names stand beside them, or above."""
_ROWS: Final = frozenset({Kind.ROW, Kind.LIST_ITEM})
_TABLES: Final = frozenset({Kind.TABLE, Kind.GRID, Kind.TREE, Kind.LIST})
_TYPED_INTO: Final = frozenset({Role.FIELD, Role.AREA})
_MARKS: Final = frozenset({Kind.CHECKBOX, Kind.RADIO, Kind.SWITCH})
_REACH: Final = (14, 2)
"""How far beside and above a thing its name is looked for, in heights of a line."""
_LINE: Final = 20
_RIM: Final = 6
_SIGN: Final = (96, 64)
"""What has a sign in place of words is no larger."""
_WORD: Final = 2
"""Letters and digits: what is read with fewer, as "+" or "B", may be that sign."""
_SAME_WINDOW: Final = 0.6
_DIMMED: Final = 0.82
_LONGEST_VALUE: Final = 24
_LONGEST_NAME: Final = 60
_NAMED: Final[Mapping[Kind, str]] = {
    Kind.BUTTON: "button",
    Kind.CHECKBOX: "checkbox",
    Kind.COMBOBOX: "dropdown",
    Kind.LINK: "link",
    Kind.RADIO: "radio button",
    Kind.SPIN_BUTTON: "field",
    Kind.TAB: "tab",
    Kind.TEXTBOX: "field",
    Kind.TOGGLE: "button",
}
"""The word for a thing of that kind."""
_LONGEST_TEXT: Final = 200
_MOST_LINES: Final = 4
_PLACES: Final = 3
"""So many places that tell a text are read; where there are more, the whole screen is."""


def named(phrase: Phrase, view: View, *, default: Role | None = None) -> list[Element]:
    """The elements that programs tell by that name and of that kind, whether a person can see them or not."""
    role = phrase.role or default
    roles = _CLICKED if role is None else _ROLES.get(role, frozenset[Kind]())
    wanted = _tokens(phrase.text)
    if not roles or not (wanted or phrase.constraints):
        return []
    found = [
        each
        for each in _shown(view)
        if each.role in roles
        and (not wanted or _tokens(each.name) == wanted)
        and (role is not Role.AREA or State.MULTILINE in each.states)
    ]
    for constraint in phrase.constraints:
        references = [each for each in _shown(view) if _tokens(each.name) == _tokens(constraint.of.text)]
        found = [each for each in found if any(_are_in_one_row(each, other, view) for other in references)]
    return found


def name_at(point: Point, view: View) -> str:
    """What a program calls the smallest thing at a point, as a plan names it; empty where none tells."""
    there = [
        (each.box.width * each.box.height, each)
        for each in _shown(view)
        if each.box is not None and _is_at(point, each.box)
    ]
    found = min((each for each in there if each[1].role in _NAMED), key=lambda each: each[0], default=None)
    name = one_line(found[1].name) if found is not None else ""
    if found is None or not 0 < len(name) <= _LONGEST_NAME or marks(name) is None:
        return ""
    return f"the {marks(name)} {_NAMED[found[1].role]}"


def _is_at(point: Point, box: Box) -> bool:
    return box.x <= point.x < box.x + box.width and box.y <= point.y < box.y + box.height


def of_role(role: Role, view: View) -> list[Element]:
    """The elements of a kind that programs say are shown, in reading order."""
    kinds = _ROLES.get(role, frozenset[Kind]())
    return [each for each in _shown(view) if each.role in kinds]


def _shown(view: View) -> Iterator[Element]:
    return (each for each in view.tree.elements if each.box is not None and State.VISIBLE in each.states)


def _are_in_one_row(one: Element, other: Element, view: View) -> bool:
    """Whether two are parts of one row: of one that their program tells, else of one table, and level."""
    if one.box is None or other.box is None or one.pid != other.pid or one.id == other.id:
        return False
    rows = [_nearest(each, _ROWS, view) for each in (one, other)]
    if rows[0] is not None or rows[1] is not None:
        return rows[0] is rows[1]
    tables = [_nearest(each, _TABLES, view) for each in (one, other)]
    is_level = all(a.y <= b.centre.y < a.y + a.height for a, b in ((one.box, other.box), (other.box, one.box)))
    return tables[0] is not None and tables[0] is tables[1] and is_level


def _nearest(element: Element, kinds: frozenset[Kind], view: View) -> Element | None:
    return next((each for each in (element, *view.tree.ancestors(element)) if each.role in kinds), None)


def ground_by_tree(phrase: Phrase, view: View, eyes: Eyes, *, default: Role | None = None) -> Place | None:
    """The one place that is told and seen; ``None`` where the pixels alone have to say."""
    if phrase.ordinal or phrase.edge is not None:
        return None
    if not all(each.relation is Relation.ROW and _is_plain(each.of) for each in phrase.constraints):
        return None
    if not are_all_in_tree(view):
        return None
    found = named(phrase, view, default=default)
    if len(found) != 1:
        return None
    is_any_kind = phrase.role is None and default is None and not phrase.constraints
    if is_any_kind and _is_elsewhere_too(found[0], view):
        return None
    place = seen_place(found[0], view, eyes)
    return place if place is None or phrase.beside is None or _is_beside(place, phrase.beside) else None


def _is_beside(place: Place, relation: Relation) -> bool:
    """Whether a thing stands so to the words that name it."""
    words, box = place.words, place.box
    return {
        Relation.BELOW: words.centre.y < box.y,
        Relation.ABOVE: words.centre.y >= box.y + box.height,
        Relation.RIGHT: words.centre.x < box.x,
        Relation.LEFT: words.centre.x >= box.x + box.width,
    }.get(relation, True)


def _is_plain(reference: Phrase) -> bool:
    """Whether a row is named by one text alone."""
    return bool(reference.text) and not (reference.ordinal or reference.constraints or reference.edge)


def is_other_thing(phrase: Phrase, place: Place, view: View, *, default: Role | None = None) -> bool:
    """Whether a field that was found by pixels is a check box or a button by what its program tells of that point."""
    if (phrase.role or default) not in _TYPED_INTO:
        return False
    window = view.window_at(place.box)
    there = [
        each
        for each in view.tree.elements
        if window is not None
        and each.pid == window.pid
        and each.box is not None
        and each.box.contains(place.point)
        and State.VISIBLE in each.states
    ]
    return bool({each.role for each in there} & (_CLICKED - _MENUS)) and not (
        {each.role for each in there} & (_LABELLED - _MARKS)
    )


def are_all_in_tree(view: View) -> bool:
    """Whether each window that is shown has elements in the tree: another could show a thing of the same name."""
    return all(window.pid in view.tree.pids for window in view.windows)


def _is_elsewhere_too(element: Element, view: View) -> bool:
    """Whether something of any kind has that name at another place: no kind was named."""
    box, wanted = element.box, _tokens(element.name)
    others = [each.box for each in view.tree.elements if each.box is not None and _tokens(each.name) == wanted]
    return box is None or any(not box.overlap(other) for other in others)


def seen_place(element: Element, view: View, eyes: Eyes) -> Place | None:
    """Where the element is, if it is what a person sees there: in its window, uncovered, with its name or its sign."""
    box = element.box
    if box is None or not view.whole.contains(box.centre) or not _is_in_its_window(element, box, view):
        return None
    shown = box.common(view.whole)
    if shown.height < min(box.height, _RIM) or _is_behind_dialog(shown, view):
        return None
    words = _words(element, shown, view, eyes)
    if words is None:
        return None
    is_field = element.role in _LABELLED - _MARKS
    return Place(shown.centre, shown, words, shown if is_field else None, element)


def seen_lines(text: str, view: View, eyes: Eyes) -> Iterator[list[TextLine]]:
    """What is read at each place where programs tell a text, so that the whole screen need not be read for it."""
    wanted = _tokens(text)
    reporting = [
        (each, each.box.common(view.whole))
        for each in _shown(view)
        if each.box is not None and wanted and _holds(each, wanted)
    ]
    small = [(each, box) for each, box in reporting if 0 < box.height <= _MOST_LINES * _LINE and box.width]
    small.sort(key=lambda each: each[1].width * each[1].height)
    for element, box in small[:_PLACES]:
        window = view.window_at(box)
        if window is not None and window.pid == element.pid:
            across = _REACH[0] * _LINE if element.role in _MARKS else _RIM
            lines, offset = _read(box.grown(across, _RIM), view, eyes)
            yield [line.model_copy(update={"box": line.box.moved(offset.x, offset.y)}) for line in lines]


def _holds(element: Element, wanted: tuple[str, ...]) -> bool:
    """Whether an element is called so, or holds it, among other words or alone."""
    texts = (_tokens(each[:_LONGEST_TEXT]) for each in (element.name, element.value) if each)
    return any(text[at : at + len(wanted)] == wanted for text in texts for at in range(len(text) - len(wanted) + 1))


def _words(element: Element, box: Box, view: View, eyes: Eyes) -> Box | None:
    """What names the element on the screen; ``None`` where something else is seen, or nothing."""
    label = _label(element, box, view) if element.role in _LABELLED else None
    beside = box.grown(_REACH[0] * _LINE, _RIM) if element.role in _MARKS else box.grown(_RIM, _REACH[1] * _LINE)
    regions = [around([box, label]).grown(_RIM, _RIM)] if label is not None else []
    regions += [beside] if element.role in _LABELLED else [box.grown(_RIM, _RIM // 2)]
    inside = False
    for region in regions:
        read, offset = _read(region, view, eyes)
        words = [line for line in read if sum(sign.isalnum() for sign in line.text) >= _WORD]
        inside = any(box.contains(line.box.moved(offset.x, offset.y).centre) for line in words)
        for text in filter(None, (element.name, (element.value or "")[:_LONGEST_VALUE])):
            matches = find(text, segments_of(read, _crop(view.grey, offset)))
            if element.role not in _LABELLED:
                # "Save" is not what says "Save as template".
                matches = [match for match in matches if match.whole or is_decoration(match)]
            moved = [match.box.moved(offset.x, offset.y) for match in matches]
            near = [each for each in moved if element.role in _LABELLED or box.grown(_RIM, _RIM).contains(each.centre)]
            if near:
                return near[0]
    is_sign = element.role not in _LABELLED and box.width <= _SIGN[0] and box.height <= _SIGN[1]
    return box if is_sign and not inside and has_ink(view, box) else None


def _label(element: Element, box: Box, view: View) -> Box | None:
    """The text beside it that its program tells by the same name."""
    wanted = _tokens(element.name)
    reach = box.grown(_REACH[0] * _LINE, _REACH[1] * _LINE)
    found = [
        each.box
        for each in view.tree.elements
        if each.role is Kind.TEXT and each.pid == element.pid and each.box is not None and _tokens(each.name) == wanted
    ]
    near = [each for each in found if reach.contains(each.centre)]
    return min(near, key=lambda each: abs(each.centre.y - box.centre.y) + abs(each.x - box.x), default=None)


def _read(region: Box, view: View, eyes: Eyes) -> tuple[Sequence[TextLine], Box]:
    """The lines of a part of the screen, by their places in it, and where it is."""
    part = region.common(view.whole)
    bgra = np.frombuffer(view.picture.bgra, np.uint8).reshape(view.picture.height, view.picture.width, 4)
    crop = np.ascontiguousarray(_crop(bgra, part))
    return eyes.read(Picture(part.width, part.height, crop.tobytes(), view.picture.taken)), part


def _crop(pixels: np.ndarray, part: Box) -> np.ndarray:
    return pixels[part.y : part.y + part.height, part.x : part.x + part.width]


def _is_in_its_window(element: Element, box: Box, view: View) -> bool:
    """Whether its own window is the topmost at its place; what a menu holds has a window of its own."""
    window = view.window_at(box)
    if window is None or window.pid != element.pid:
        return False
    if element.role in _MENUS:
        return True
    above = view.tree.ancestors(element)
    root = above[-1].box if above else None
    if root is None:
        return False
    common = root.overlap(window.box)
    whole = root.width * root.height + window.box.width * window.box.height - common
    return common >= _SAME_WINDOW * whole


def _is_behind_dialog(box: Box, view: View) -> bool:
    """Whether a dialog stands in front of a page that was dimmed for it; looked for only where it is not bright."""
    around_it = _crop(view.grey, box.grown(_LINE, _LINE).common(view.whole))
    if not around_it.size or np.percentile(around_it, 98) >= _DIMMED * np.percentile(view.grey[::4, ::4], 99.5):
        return False
    return view.modal is not None and not view.modal.contains(box.centre)


def _tokens(text: str) -> tuple[str, ...]:
    return tokens_of(canonical(text).casefold())
