"""Steps are named by the elements that programs told of, and found as before where they told of none."""

import pytest

from core.accessibility import Role
from core.analysis import Findings, Sighting
from core.demonstration.demonstrations import demonstrated
from core.plans.step_sentences import sentence
from core.recording.input_log import Clicked, InputEvent, InputLog, Pressed, TouchedElement, Typed

_DURATION = 20_000


def _lines(*events: InputEvent, seen: tuple[Sighting, ...] = ()) -> list[str]:
    """The plan, but for the line that opens what was open."""
    log = InputLog(width=800, height=600, events=events)
    return [sentence(step) for step in demonstrated(Findings(sightings=seen), log, _DURATION).steps[1:]]


def _click(t_ms: int, role: Role, name: str, *, value: str | None = None, of: str = "") -> Clicked:
    element = TouchedElement(role=role, name=name, value=value, of=of)
    return Clicked(t_ms=t_ms, x=100, y=t_ms // 100, element=element)


def _typed(t_ms: int, count: int, element: TouchedElement) -> Typed:
    return Typed(t_ms=t_ms, until_ms=t_ms + 500, count=count, element=element)


def _key(t_ms: int, key: str, element: TouchedElement | None = None) -> Pressed:
    return Pressed(t_ms=t_ms, keys=(key,), element=element)


def _held(name: str, value: str | None, *, before: str = "", is_secret: bool = False) -> TouchedElement:
    return TouchedElement(role=Role.TEXTBOX, name=name, value=value, before=before, is_secret=is_secret)


@pytest.mark.parametrize(
    ("role", "line"),
    [
        (Role.BUTTON, 'Click the "Save" button.'),
        (Role.LINK, 'Click the "Save" link.'),
        (Role.MENU_ITEM, 'Click the "Save" menu item.'),
        (Role.TAB, 'Click the "Save" tab.'),
    ],
)
def test_a_click_has_the_role_and_the_name_of_its_element(role: Role, line: str) -> None:
    assert _lines(_click(1000, role, "Save")) == [line]


def test_a_check_box_is_ticked_as_it_then_was() -> None:
    assert _lines(
        _click(1000, Role.CHECKBOX, "Express", value="checked"), _click(3000, Role.CHECKBOX, "Gift", value="unchecked")
    ) == ['Tick the "Express" check box.', 'Untick the "Gift" check box.']


def test_what_a_field_held_in_the_end_is_its_value() -> None:
    ends = _held("Recipient", "Ada Byron")
    assert _lines(
        _click(1000, Role.TEXTBOX, "Recipient", value=""),
        _typed(1500, 6, _held("Recipient", "Ada Bi")),
        _key(2600, "backspace", _held("Recipient", "Ada B")),
        _typed(2700, 4, ends),
    ) == ['Type "Ada Byron" into the "Recipient" field.']


def test_a_value_that_was_read_before_the_last_letter_came_is_not_believed() -> None:
    (line,) = _lines(_click(1000, Role.TEXTBOX, "Recipient"), _typed(1500, 9, _held("Recipient", "Ada By")))
    assert "Ada By" not in line


def test_a_secret_is_a_place_that_is_named_by_its_field() -> None:
    assert _lines(_key(900, "tab"), _typed(1500, 9, _held("Password", None, is_secret=True))) == [
        'Type "{Password}" into the "Password" field.'
    ]


def test_a_choice_from_a_list_is_one_step() -> None:
    opened = _click(1000, Role.COMBOBOX, "Kind", value="Box")
    option = TouchedElement(role=Role.OPTION, name="Tube", value="Tube", of="Kind")
    tube = TouchedElement(role=Role.COMBOBOX, name="Kind", value="Tube")
    chosen = ['Choose "Tube" in the "Kind" dropdown.']

    assert _lines(opened, Clicked(t_ms=2000, x=100, y=60, element=option)) == chosen
    assert _lines(opened, _key(2000, "down", option), _key(2500, "enter", option)) == chosen
    assert _lines(opened, _typed(2000, 2, option), _key(2700, "enter", option)) == chosen
    assert _lines(_key(900, "tab"), _key(2000, "down", tube))[1:] == chosen


def test_an_address_that_was_typed_into_the_browsers_own_field_opens_its_page() -> None:
    field = _held("Address and search bar", "demo.example/orders", before="about:blank")
    assert _lines(_typed(1000, 19, field), _key(2000, "enter", field)) == [
        'Open "https://demo.example/orders" in the browser.'
    ]
    words = _held("Address and search bar", "ferry times")
    assert _lines(_typed(1000, 11, words), _key(2000, "enter", words))[1:] == ["Press Enter."]


def test_of_several_things_of_one_name_the_one_in_that_row_is_meant() -> None:
    seen = tuple(
        Sighting(text=text, t_ms=0, until_ms=None, region=(x, y, 70, 20))
        for y, name in ((10, "Alice Moreau"), (40, "Bob Lindqvist"))
        for x, text in ((10, name), (100, "Delete"))
    )
    element = TouchedElement(role=Role.BUTTON, name="Delete")
    clicked = Clicked(t_ms=1000, x=130, y=50, element=element)
    assert _lines(clicked, seen=seen) == ['Click the "Delete" button in the row of "Bob Lindqvist".']
