import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.local.phrases import Phrase, parse, quoted

_PLAIN = [
    # quoted, with a role or without
    ('the "Save" button', "Save", "button", 0),
    ('"Save" button', "Save", "button", 0),
    ('"Save"', "Save", None, 0),
    ("'Save'", "Save", None, 0),
    ("“Save” button", "Save", "button", 0),
    ("«Save» button", "Save", "button", 0),
    ("the button `Save`", "Save", "button", 0),
    ("button 'Don't save'", "Don't save", "button", 0),
    ("the button “Don\u2019t save”", "Don\u2019t save", "button", 0),
    ('button labelled "Save as…"', "Save as…", "button", 0),
    ('The blue "Send" button.', "Send", "button", 0),
    ('"Name" field', "Name", "field", 0),
    ('field "Name"', "Name", "field", 0),
    ('the text field labeled "Name"', "Name", "field", 0),
    ('the input box with the label "Name"', "Name", "field", 0),
    ('the text box with placeholder "Search…"', "Search…", "field", 0),
    ('checkbox "I agree"', "I agree", "checkbox", 0),
    ('the "I agree" check box', "I agree", "checkbox", 0),
    ('radio "Express"', "Express", "radio button", 0),
    ('the "Express" radio button', "Express", "radio button", 0),
    ('the "Country" dropdown', "Country", "dropdown", 0),
    ('the drop-down list "Country"', "Country", "dropdown", 0),
    ('combo box "Country"', "Country", "dropdown", 0),
    ('the tab "Details"', "Details", "tab", 0),
    ('"Details" tab', "Details", "tab", 0),
    ('link "Forgot password?"', "Forgot password?", "link", 0),
    ('the "Terms of service" hyperlink', "Terms of service", "link", 0),
    ('menu item "Print the list"', "Print the list", "menu", 0),
    ('the "File" menu', "File", "menu", 0),
    ('the option "Norway"', "Norway", "menu", 0),
    ('the "Settings" icon', "Settings", "icon", 0),
    ('the heading "Order placed"', "Order placed", "heading", 0),
    ('the label "Total"', "Total", "text", 0),
    ('the row "Alice"', "Alice", "row", 0),
    ('text area "Notes"', "Notes", "text area", 0),
    ('the "Editor" window', "Editor", "window", 0),
    # ordinals
    ('second "Delete"', "Delete", None, 2),
    ('the second "Delete" button', "Delete", "button", 2),
    ('2nd "Delete" button', "Delete", "button", 2),
    ('the last "Remove" link', "Remove", "link", -1),
    ('the third "Edit"', "Edit", None, 3),
    ('the topmost "Edit"', "Edit", None, 1),
    ('the second to last "Edit"', "Edit", None, -2),
    # labels without quotation marks
    ("Name field", "Name", "field", 0),
    ("the Name input", "Name", "field", 0),
    ("the First name field", "First name", "field", 0),
    ("field Name", "Name", "field", 0),
    ("Save button", "Save", "button", 0),
    ("the button Save", "Save", "button", 0),
    ("the submit button", "submit", "button", 0),
    ("Date of birth field", "Date of birth", "field", 0),
    ("the Proof of payment checkbox", "Proof of payment", "checkbox", 0),
    ("the Country dropdown", "Country", "dropdown", 0),
    ("Card number field", "Card number", "field", 0),
    ("the Title field", "Title", "field", 0),
    ("the Message text area", "Message", "text area", 0),
    ("Menu button", "Menu", "button", 0),
    ("the second Delete button", "Delete", "button", 2),
    ("second Delete", "Delete", None, 2),
    ("the tab Details", "Details", "tab", 0),
    ("Save", "Save", None, 0),
    ("Log in", "Log in", None, 0),
    # a control that is named by its neighbour
    ('checkbox next to "I agree"', "I agree", "checkbox", 0),
    ('the field for "Name"', "Name", "field", 0),
    ('the text area under "Notes"', "Notes", "text area", 0),
    ('the input below "Street"', "Street", "field", 0),
    ('the field to the right of "Amount"', "Amount", "field", 0),
]

_RELATED = [
    ('"Delete" in the row of "Alice"', "Delete", None, "in the row of", "Alice"),
    ('the "Delete" button in the row with "Alice"', "Delete", "button", "in the row of", "Alice"),
    ("the Delete button in the row of Alice", "Delete", "button", "in the row of", "Alice"),
    ('"Delete" for "Alice"', "Delete", None, "in the row of", "Alice"),
    ('"Delete" in the "Alice" row', "Delete", None, "in the row of", "Alice"),
    ('the checkbox in the row of "Alice"', "", "checkbox", "in the row of", "Alice"),
    ('"Delete" next to "Alice"', "Delete", None, "next to", "Alice"),
    ('"OK" in the "Confirm" dialog', "OK", None, "in", "Confirm"),
    ('the "Save" button of the "Editor" window', "Save", "button", "in", "Editor"),
    ('"Name" field inside the section "Billing"', "Name", "field", "in", "Billing"),
    ('"Add" below "Billing"', "Add", None, "below", "Billing"),
    ('the "Add" button above "Total"', "Add", "button", "above", "Total"),
    ('"Go" to the right of "Search"', "Go", None, "to the right of", "Search"),
    ('the "Back" link left of "Next"', "Back", "link", "to the left of", "Next"),
    ('the second "Edit" under "Members"', "Edit", None, "below", "Members"),
]

_PLACES = [
    ("top right corner", (1.0, 0.0)),
    ("the upper left corner of the screen", (0.0, 0.0)),
    ("the centre of the screen", (0.5, 0.5)),
    ("center of the page", (0.5, 0.5)),
    ("the middle of the screen", (0.5, 0.5)),
    ("the bottom right corner", (1.0, 1.0)),
]

_PROSE = [
    "",
    "   ",
    "the search results",
    "whatever looks like a way to go on from here",
    "button",
    "the field",
    '""',
    "?!",
]


@pytest.mark.parametrize(("said", "text", "role", "ordinal"), _PLAIN)
def test_a_phrase_names_a_text_a_role_and_an_ordinal(said: str, text: str, role: str | None, ordinal: int) -> None:
    phrase = parse(said)
    assert (phrase.text, phrase.role, phrase.ordinal, phrase.constraints) == (text, role, ordinal, ())
    assert phrase.is_findable


@pytest.mark.parametrize(("said", "text", "role", "relation", "other"), _RELATED)
def test_a_phrase_names_a_neighbour(said: str, text: str, role: str | None, relation: str, other: str) -> None:
    phrase = parse(said)
    assert (phrase.text, phrase.role) == (text, role)
    assert [(each.relation, each.of.text) for each in phrase.constraints] == [(relation, other)]
    assert phrase.is_findable


@pytest.mark.parametrize(("said", "edge"), _PLACES)
def test_a_phrase_names_a_place(said: str, edge: tuple[float, float]) -> None:
    assert parse(said) == Phrase(edge=edge)


@pytest.mark.parametrize("said", _PROSE)
def test_prose_without_quotations_cannot_be_found(said: str) -> None:
    assert not parse(said).is_findable


def test_an_edge_beside_a_text_only_narrows_it() -> None:
    phrase = parse('the "Menu" button in the top right corner')
    assert (phrase.text, phrase.role, phrase.edge) == ("Menu", "button", (1.0, 0.0))


def test_where_the_control_stands_to_its_label_is_kept() -> None:
    assert parse('the text area under "Notes"').beside == "below"
    assert parse('the field next to "Notes"').beside is None


def test_all_quotations_of_a_sentence_are_found() -> None:
    assert quoted("The \"Name\" field shows “Ada's” and it isn't 'empty'.") == ("Name", "Ada's", "empty")


@given(st.text(max_size=300))
def test_any_text_is_a_phrase(said: str) -> None:
    parse(said)
    quoted(said)
