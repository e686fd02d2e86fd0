"""What a model is told of a program's elements: what is shown and can be acted on, in its own coordinates."""

import json

from adapters.models.computer.element_lines import MOST, element_lines
from core.accessibility import AccessibleTree, Element, Role, State
from core.screens import Box, Point, Window

SHOWN = frozenset({State.VISIBLE, State.ENABLED})
WINDOWS = (
    Window(id=2, focused=False, title="Note", application="note", box=Box(x=0, y=0, width=100, height=100), pid=2),
    Window(id=1, focused=True, title="Order", application="order", box=Box(x=0, y=0, width=1000, height=800), pid=1),
)


def element(name: str, x: int = 500, y: int = 400, role: Role = Role.TEXTBOX, **more: object) -> Element:
    values = {"states": SHOWN, "value": "", **more}
    return Element(id=name, parent="", pid=1, role=role, name=name, box=Box(x=x, y=y, width=10, height=10), **values)  # type: ignore[arg-type]


def told(*elements: Element) -> list[dict[str, object]]:
    def halved(point: Point) -> tuple[int, int]:
        return point.x // 2, point.y // 2

    lines = element_lines(AccessibleTree(elements), WINDOWS, halved)
    return [json.loads(line) for line in lines if line.startswith("{")]


def test_a_field_is_told_with_what_it_holds_and_its_place_in_the_models_coordinates() -> None:
    states = SHOWN | {State.FOCUSED}
    assert told(element("City", value="Ulm", states=states)) == [
        {"role": "textbox", "name": "City", "value": "Ulm", "states": ["focused"], "at": [252, 202]}
    ]


def test_what_is_disabled_says_so() -> None:
    (found,) = told(element("Send", role=Role.BUTTON, value=None, states=frozenset({State.VISIBLE})))
    assert found == {"role": "button", "name": "Send", "states": ["disabled"], "at": [252, 202]}


def test_what_another_programs_window_covers_or_is_not_shown_is_left_out() -> None:
    hidden = frozenset({State.ENABLED})
    assert told(element("Covered", 10, 10), element("Hidden", states=hidden), element("", value="")) == []


def test_what_a_password_field_holds_is_never_told() -> None:
    (found,) = told(element("Code", value="4711", states=SHOWN | {State.PROTECTED}))
    assert "value" not in found


def test_of_very_many_the_first_are_told_and_how_many_more_there_are() -> None:
    tree = AccessibleTree(tuple(element(f"Row {number}") for number in range(MOST + 3)))
    lines = element_lines(tree, WINDOWS, lambda point: (point.x, point.y))
    assert len(lines) == MOST + 1
    assert lines[-1] == "(3 more are left out.)"
