"""A place that a program tells is taken only where the picture says the same."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw, ImageFont

from adapters.desktop.eyes import ScreenEyes
from adapters.models.local.accessible_grounding import ground_by_tree
from adapters.models.local.grounding import Place
from adapters.models.local.phrases import parse
from adapters.models.local.renamed import now_called
from adapters.models.local.view import View
from core.accessibility import AccessibleTree, Element, Role, State
from core.screens import Box, Window
from tests.fakes.desktops.headless_screens import Theme, Truth

Screen = Callable[[str, Theme, float], Truth]
_PID = 77
_WHOLE = Box(x=0, y=0, width=1280, height=720)
_SHOWN = frozenset({State.VISIBLE, State.ENABLED, State.EDITABLE})
_OWN = Window(id=1, title="Form", application="Form", pid=_PID, box=_WHOLE, focused=True)


@pytest.fixture
def form(screen: Screen) -> Truth:
    return screen("form", "light", 1.0)


def _told(role: Role, name: str, box: Box, *, states: frozenset[State] = _SHOWN, value: str | None = None) -> Element:
    number = f"{role}{name}{box}"
    return Element(number, "window", _PID, role, name=name, box=box, states=states, value=value)


def _found(
    truth: Truth, eyes: ScreenEyes, phrase: str, *elements: Element, windows: Sequence[Window] = (_OWN,)
) -> Place | None:
    window = Element("window", "", _PID, Role.WINDOW, box=_WHOLE, states=_SHOWN)
    view = View(truth.picture, windows, eyes, lambda _: AccessibleTree((window, *elements)))
    return ground_by_tree(parse(phrase), view, eyes)


@pytest.mark.parametrize(
    ("phrase", "element", "at"),
    [
        ('the "Recipient" field', (Role.TEXTBOX, "Recipient"), "recipient"),
        ('the "Country" dropdown', (Role.COMBOBOX, "Country"), "country"),
        ('radio "Express"', (Role.RADIO, "Express"), "express"),
        ('the "Handle with care" checkbox', (Role.CHECKBOX, "Handle with care"), "fragile"),
        ('the "Place order" button', (Role.BUTTON, "Place order"), "place"),
        ('"place order"', (Role.BUTTON, "Place order"), "place"),
    ],
)
def test_what_is_told_and_seen_is_found(
    form: Truth, eyes: ScreenEyes, phrase: str, element: tuple[Role, str], at: str
) -> None:
    box = form.boxes[at]
    found = _found(form, eyes, phrase, _told(*element, box))

    assert found is not None
    assert box.contains(found.point)
    assert found.element is not None


def test_a_place_that_shows_something_else_is_not_taken(form: Truth, eyes: ScreenEyes) -> None:
    moved = _told(Role.BUTTON, "Place order", form.boxes["over"])
    empty = _told(Role.BUTTON, "Place order", Box(x=900, y=610, width=150, height=38))
    outside = _told(Role.BUTTON, "Place order", Box(x=2000, y=610, width=150, height=38))
    field = _told(Role.TEXTBOX, "Recipient", form.boxes["note"])

    assert _found(form, eyes, 'the "Place order" button', moved) is None
    assert _found(form, eyes, 'the "Place order" button', empty) is None
    assert _found(form, eyes, 'the "Place order" button', outside) is None
    assert _found(form, eyes, 'the "Recipient" field', field) is None


@pytest.mark.parametrize(("sign", "is_found"), [("+", True), ("B", True), ("No", False)])
def test_a_sign_is_what_has_no_words_on_it(form: Truth, eyes: ScreenEyes, sign: str, *, is_found: bool) -> None:
    """As the buttons of a toolbar are: their names are told, and a plus that is read is no other name."""
    picture = form.picture
    box = Box(x=1180, y=660, width=40, height=36)
    shown = Image.frombytes("RGBA", (picture.width, picture.height), picture.bgra)
    drawn = ImageDraw.Draw(shown)
    drawn.rectangle((box.x, box.y, box.x + box.width, box.y + box.height), fill="white")
    drawn.text((box.centre.x, box.centre.y), sign, fill="black", font=ImageFont.load_default(24), anchor="mm")
    truth = replace(form, picture=replace(picture, bgra=shown.tobytes()))

    found = _found(truth, eyes, 'the "New note" button', _told(Role.BUTTON, "New note", box))
    assert (found is not None) == is_found


def test_a_window_above_hides_it(form: Truth, eyes: ScreenEyes) -> None:
    button = _told(Role.BUTTON, "Place order", form.boxes["place"])
    above = Window(
        id=2, title="Other", application="Other", pid=5, box=form.boxes["place"].grown(50, 50), focused=False
    )
    dialog = above.model_copy(update={"pid": _PID})

    assert _found(form, eyes, 'the "Place order" button', button, windows=(above, _OWN)) is None
    assert _found(form, eyes, 'the "Place order" button', button, windows=(dialog, _OWN)) is None
    assert _found(form, eyes, 'the "Place order" button', button) is not None


def test_two_of_one_name_are_not_chosen_from(form: Truth, eyes: ScreenEyes) -> None:
    twins = [_told(Role.BUTTON, "Place order", form.boxes[at]) for at in ("place", "over")]

    assert _found(form, eyes, 'the "Place order" button', *twins) is None


def test_another_kind_of_that_name_is_none(form: Truth, eyes: ScreenEyes) -> None:
    label = _told(Role.TEXT, "Recipient", form.boxes["recipient"])
    hidden = _told(Role.TEXTBOX, "Recipient", form.boxes["recipient"], states=frozenset({State.ENABLED}))

    assert _found(form, eyes, 'the "Recipient" field', label, hidden) is None
    assert _found(form, eyes, 'the "Recipient" button', _told(Role.TEXTBOX, "Recipient", form.boxes["city"])) is None


def test_a_field_is_told_by_what_it_shows_where_its_name_is_not_shown(screen: Screen, eyes: ScreenEyes) -> None:
    form = screen("form", "light", 1.0)
    box = form.boxes["place"]
    found = _found(form, eyes, 'the "Order" field', _told(Role.TEXTBOX, "Order", box, value="Place order"))

    assert found is not None
    assert found.holds == box


def test_where_another_program_tells_nothing_the_pixels_decide(form: Truth, eyes: ScreenEyes) -> None:
    button = _told(Role.BUTTON, "Place order", form.boxes["place"])
    silent = Window(
        id=2, title="Tk", application="Tk", pid=6, box=Box(x=900, y=600, width=90, height=90), focused=False
    )

    assert _found(form, eyes, 'the "Place order" button', button, windows=(_OWN, silent)) is None


def test_a_name_that_stands_elsewhere_too_is_not_decided_where_no_kind_is_named(form: Truth, eyes: ScreenEyes) -> None:
    button = _told(Role.BUTTON, "Place order", form.boxes["place"])
    heading = _told(Role.HEADING, "Place order", form.boxes["over"])

    assert _found(form, eyes, '"Place order"', button, heading) is None
    assert _found(form, eyes, 'the "Place order" button', button, heading) is not None


def test_of_equal_buttons_the_one_in_the_row_of_a_name_is_found(form: Truth, eyes: ScreenEyes) -> None:
    over, place = form.boxes["over"], form.boxes["place"]
    table = Element("table", "window", _PID, Role.TABLE, box=_WHOLE, states=_SHOWN)
    rows = [Element(f"row {at}", "table", _PID, Role.ROW, box=_WHOLE, states=_SHOWN) for at in range(2)]
    cells = [
        replace(_told(Role.CELL, name, box), parent=row.id)
        for row, name, box in zip(rows, ("Bob Ross", "Bob"), (over, place), strict=True)
    ]
    buttons = [replace(_told(Role.BUTTON, "Place order", place), id=f"in {row.id}", parent=row.id) for row in rows]
    found = _found(form, eyes, 'the "Place order" button in the row of "Bob"', table, *rows, *cells, *buttons)

    assert found is not None
    assert found.element == buttons[1]
    assert _found(form, eyes, 'the "Place order" button in the row of "Bo"', table, *rows, *cells, *buttons) is None


def test_without_rows_what_stands_level_in_one_table_is_in_one_row(form: Truth, eyes: ScreenEyes) -> None:
    place = form.boxes["place"]
    tables = [Element(f"table {at}", "window", _PID, Role.TABLE, box=_WHOLE, states=_SHOWN) for at in range(2)]
    level = place.moved(-300, 3)
    name = replace(_told(Role.CELL, "Bob", level), parent="table 0")
    button = replace(_told(Role.BUTTON, "Place order", place), parent="table 0")
    far = replace(name, box=level.moved(0, place.height))
    other = replace(name, parent="table 1")
    phrase = 'the "Place order" button in the row of "Bob"'

    assert _found(form, eyes, phrase, *tables, name, button) is not None
    assert _found(form, eyes, phrase, *tables, far, button) is None
    assert _found(form, eyes, phrase, *tables, other, button) is None


def _now_called(truth: Truth, eyes: ScreenEyes, words: str, *elements: Element) -> str:
    """What is proposed for the target of a plan that goes from the recipient over the city to the order."""
    window = Element("window", "", _PID, Role.WINDOW, box=_WHOLE, states=_SHOWN)
    view = View(truth.picture, [_OWN], eyes, lambda _: AccessibleTree((window, *elements)))
    plan = ['the "Recipient" field', words, 'the "Place order" button']
    return now_called(words, plan, view, eyes)


def test_the_only_field_left_between_its_neighbours_is_proposed_for_one_that_is_gone(
    form: Truth, eyes: ScreenEyes
) -> None:
    recipient, city, order = (
        _told(Role.TEXTBOX, "Recipient", form.boxes["recipient"]),
        _told(Role.TEXTBOX, "City", form.boxes["city"]),
        _told(Role.BUTTON, "Place order", form.boxes["place"]),
    )
    street = _told(Role.TEXTBOX, "Street", form.boxes["street"])

    assert _now_called(form, eyes, 'the "Town" field', recipient, city, order) == 'the "City" field'
    # Two may be meant, it stands elsewhere, it is of another kind, or it is not seen there.
    assert not _now_called(form, eyes, 'the "Town" field', recipient, street, city, order)
    assert not _now_called(form, eyes, 'the "Town" field', recipient, order, city)
    assert not _now_called(form, eyes, 'the "Town" button', recipient, city, order)
    hidden = replace(city, box=Box(x=900, y=610, width=150, height=38))
    assert not _now_called(form, eyes, 'the "Town" field', recipient, hidden, order)
