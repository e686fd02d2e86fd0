"""A misread line takes its program's words; a line that says something else keeps its own."""

import pytest

from adapters.desktop.accessibility.reading import in_exact_words
from core.accessibility import AccessibleTree, Element, Role
from core.runs.outcomes import check
from core.screens import Box, TextLine

_AT = Box(x=10, y=10, width=200, height=20)


def _element(name: str, box: Box = _AT, value: str | None = None) -> Element:
    return Element(f"{name}{box.x}", "", 7, Role.TEXT, name=name, box=box, value=value)


def _read(text: str, *elements: Element) -> str:
    (line,) = in_exact_words([TextLine(text=text, box=_AT, score=0.9)], AccessibleTree(elements))
    return line.text


@pytest.mark.parametrize(
    ("read", "exact"), [("Order l0O1I saved", "Order 1001I saved"), ("Molly Mil1s", "Molly Mills"), ("Saved", "Saved")]
)
def test_a_misread_line_says_what_its_program_tells(read: str, exact: str) -> None:
    assert _read(read, _element(exact)) == exact


@pytest.mark.parametrize("exact", ["Order 1002 saved", "Order 1001 save", "Order 1001", "Nothing", ""])
def test_another_text_at_the_place_changes_nothing(exact: str) -> None:
    assert _read("Order 1001 saved", _element(exact)) == "Order 1001 saved"


def test_the_same_words_elsewhere_change_nothing() -> None:
    elsewhere = _element("Molly Mills", _AT.moved(0, 300))

    assert _read("Molly Mil1s", elsewhere) == "Molly Mil1s"


def test_two_texts_that_it_may_be_leave_it_as_it_was_read() -> None:
    assert _read("ll", _element("1l"), _element("l1")) == "ll"


def test_a_field_is_seen_by_what_it_holds() -> None:
    line = TextLine(text="REF-O01I", box=_AT, score=0.9)
    exact = in_exact_words([line], AccessibleTree((_element("Reference", value="REF-0011"),)))

    assert check('"REF-0011" is shown.', [line]).verdict != "pass"
    assert check('"REF-0011" is shown.', exact).verdict == "pass"
