"""Points in the right element, and never in a wrong one: labelled phrases on pictures of real pages."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from adapters.desktop.eyes import ScreenEyes
from adapters.models.local.grounding import ground
from adapters.models.local.phrases import parse
from adapters.models.local.view import View
from tests.fakes.desktops.headless_screens import ROOT, Theme, Truth, decoded, page_of, taken

Screen = Callable[[str, Theme, float], Truth]

FORM = ROOT / "examples" / "workflows" / "parcel-form" / "form.html"
_FORM = [
    ('the "Recipient" field', "recipient"),
    ('"Street" field', "street"),
    ("City field", "city"),
    ('the "Country" dropdown', "country"),
    ('the "Weight in kg" input', "weight"),
    ('the "Pickup date" field', "date"),
    ('radio "Express"', "express"),
    ('the "Overnight" radio button', "overnight"),
    ('the "Pickup code" field', "code"),
    ('the text area under "Note for the driver"', "note"),
    ('field with placeholder "Where to leave it"', "note"),
    ('checkbox "Handle with care"', "fragile"),
    ('the "Place order" button', "place"),
    ('the "Start over" button', "over"),
]
_MEMBERS = [
    ('the tab "Details"', "tab-details"),
    ('"Billing" tab', "tab-billing"),
    ('"Sign out"', "signout"),
    ('the "Search members" field', "search"),
    ('the "Go" button', "go"),
    ("Invite member button", "invite"),
    ('second "Delete"', "delete-bob"),
    ('the last "Delete" button', "delete-cara"),
    ('"Edit" in the row of "Alice Moreau"', "edit-alice"),
    ('"Delete" next to "cara@example.com"', "delete-cara"),
    ('the "Delete" button for "Bob"', "delete-bob"),
    ('the checkbox in the row of "Cara"', "check-cara"),
    ('the checkbox in the row of "Bob"', "check-bob"),
    ('the "Terms of service" link', "terms"),
    ('"Privacy notice"', "privacy"),
    ('the "Save as template" button', "saveas"),
]
_SETTINGS = [
    ('the "User name" field', "user"),
    ('"Password" field', "password"),
    ('the "Show" button', "show"),
    ('the "Display name" field', "display"),
    ('the "Language" dropdown', "language"),
    ('"Time zone" dropdown', "zone"),
    ('the "Detect" button to the right of "Time zone"', "detect"),
    ('the "Page size" field', "size"),
    ('checkbox "Send mail"', "c-mail"),
    ('checkbox "Send SMS"', "c-sms"),
    ('checkbox "Weekly digest"', "c-digest"),
    ('radio "Daily"', "r-daily"),
    ('radio "Weekly"', "r-weekly"),
    ('radio "Never"', "r-never"),
    ('the text area below "Signature"', "signature"),
    ('text area "Comments"', "comments"),
    ('the "Save" button', "save"),
    ('"Save and close"', "saveclose"),
    ('the "Cancel" button', "cancel"),
]
_MODAL = [
    ('the "OK" button', "front-ok"),
    ('the "Cancel" button', "front-cancel"),
    ('"Cancel" in the "Confirm payment" dialog', "front-cancel"),
]
_SCREENS: list[tuple[str, Theme, float, list[tuple[str, str]]]] = [
    ("form", "light", 1, _FORM),
    ("form", "dark", 1, _FORM),
    ("form", "light", 1.5, _FORM),
    ("form", "light", 0.8, _FORM),
    ("members", "light", 1, _MEMBERS),
    ("members", "dark", 1, _MEMBERS),
    ("members", "light", 1.25, _MEMBERS),
    ("members", "dark", 1.5, _MEMBERS),
    ("settings", "light", 1, _SETTINGS),
    ("settings", "light", 1.5, _SETTINGS),
    ("settings", "light", 0.8, _SETTINGS),
    ("settings", "light", 2, _SETTINGS),
    ("modal", "light", 1, _MODAL),
    ("modal", "light", 1.5, _MODAL),
]


@pytest.mark.parametrize("every", [14, pytest.param(1, marks=pytest.mark.nightly)], ids=["some", "all"])
def test_points_are_in_the_right_element_and_never_in_a_wrong_one(screen: Screen, eyes: ScreenEyes, every: int) -> None:
    right, refused, wrong = 0, list[str](), list[str]()
    for name, theme, zoom, cases in _SCREENS[::every]:
        truth = screen(name, theme, zoom)
        view = View(truth.picture, (), eyes)
        for phrase, element in cases:
            found = ground(parse(phrase), view)
            case = f"{name} {theme} {zoom}: {phrase}: "
            if found.place is None:
                refused.append(case + (found.reason or f"{len(found.rivals)} rivals"))
            elif truth.boxes[element].contains(found.place.point):
                right += 1
            else:
                wrong.append(f"{case}{found.place} instead of {truth.boxes[element]}")
    count = right + len(refused) + len(wrong)
    assert count >= 60 / every
    assert wrong == []
    assert right >= 0.95 * count, refused


@pytest.mark.nightly
def test_a_field_is_found_whose_hint_and_border_are_read_as_one(browser: Browser, eyes: ScreenEyes) -> None:
    style = ":root { --ground: #ffe94d; --card: #fff6bf; --ink: #000; --accent: #5a3d00; }"
    with page_of(browser, FORM.as_uri()) as page:
        page.add_style_tag(content=style)
        truth = taken(page)
    place = ground(parse('the "Pickup date" field'), View(truth.picture, (), eyes)).place

    assert place is not None
    assert truth.boxes["date"].contains(place.point)


@pytest.mark.parametrize(("behind", "is_found"), [("Nov 30 2026 14:41", True), ("by Mira Holm", False)])
def test_words_are_found_before_the_time_at_which_that_was_done(
    browser: Browser, eyes: ScreenEyes, behind: str, is_found: bool
) -> None:
    with page_of(browser, "about:blank", size=(800, 500)) as page:
        page.set_content(f"<body style='font:16px sans-serif'><p>Current todos</p><p>Oil the door - done {behind}</p>")
        view = View(decoded(page.screenshot()), (), eyes)

    assert (ground(parse('"Oil the door - done"'), view).place is not None) is is_found
