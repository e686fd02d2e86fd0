"""A field is what holds the label's own value: no frame around fields, no cell with a label, no half of a field."""

from collections.abc import Sequence
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from adapters.desktop.eyes import ScreenEyes
from adapters.models.local.field_content import has_ink, is_hidden
from adapters.models.local.grounding import ground
from adapters.models.local.phrases import Role, parse
from adapters.models.local.view import View
from core.screens import Box, Picture, TextLine
from tests.fakes.desktops.headless_screens import decoded, page_of

_NAMES: Final = ("Customer", "Article", "Quantity")
_STYLE: Final = "body{font:15px sans-serif;margin:30px}input{font:inherit;padding:6px}label{display:inline-block}"


def _rows(row: str) -> str:
    return "".join(row.replace("NAME", name) for name in _NAMES)


_BESIDE: Final = _rows("<p><label for=NAME>NAME</label> <input id=NAME></p>")
_ABOVE: Final = _rows("<label for=NAME>NAME</label><input id=NAME>")
_LAYOUTS: Final = {
    "panel": (
        (
            ".c{border:1px solid #999;background:#f4f4f4;width:250px;padding:14px 12px}p{margin:10px 0}"
            "label{width:90px}"
            "input{width:130px}"
        ),
        f"<div class=c>{_BESIDE}</div>",
    ),
    "group box": (
        "fieldset{width:250px}label{width:90px}p{margin:10px 0}input{width:130px}",
        f"<fieldset><legend>New order</legend>{_BESIDE}</fieldset>",
    ),
    "card": (
        (
            "body{background:#dfe6ee}.c{background:#fff;border-radius:12px;padding:16px;width:190px}"
            "label{display:block}input{width:170px;padding:2px}button{margin-top:6px}"
        ),
        f"<div class=c>{_ABOVE}<button>Sign in</button></div>",
    ),
    "table": (
        "table{border-collapse:collapse}td{border:1px solid #aaa;padding:6px 10px}",
        f"<table>{_rows('<tr><td>NAME</td><td><input id=NAME></td></tr>')}</table>",
    ),
    "floating labels": (
        (
            "div{position:relative;margin:12px 0;width:280px}"
            "input{width:100%;height:52px;padding:20px 10px 4px;box-sizing:border-box;border:1px solid #999}"
            "label{position:absolute;left:11px;top:6px;font-size:12px}"
        ),
        _rows("<div><input id=NAME value='Ann Lee'><label for=NAME>NAME</label></div>"),
    ),
    "labels in the border": (
        (
            "fieldset{width:320px;margin:0 0 16px;padding:0 10px;border:1px solid #bbb;border-radius:4px}"
            "legend{font-size:12px;color:#666;padding:0 5px}input{width:100%;border:0;outline:0;padding:14px 2px}"
        ),
        _rows("<fieldset><legend>NAME</legend><input id=NAME value='1'></fieldset>"),
    ),
    "hints in a panel": (
        ".c{border:1px solid #999;width:330px;padding:6px}input{display:block;margin:8px 0;width:250px}",
        f"<div class=c>{_rows('<input id=NAME placeholder=NAME>')}</div>",
    ),
}


_DAILY: Final = {"panel", "floating labels", "labels in the border"}


@pytest.mark.parametrize(
    "layout", [pytest.param(each, marks=[] if each in _DAILY else [pytest.mark.nightly]) for each in _LAYOUTS]
)
def test_each_label_leads_into_its_own_field(browser: Browser, eyes: ScreenEyes, layout: str) -> None:
    style, body = _LAYOUTS[layout]
    with page_of(browser, "about:blank", size=(800, 500)) as page:
        page.set_content(f"<!doctype html><style>{_STYLE}{style}</style>{body}")
        view = View(decoded(page.screenshot()), (), eyes)
        found = [ground(parse(f'the "{name}" field'), view, default=Role.FIELD).place for name in _NAMES]
        hit = [
            page.evaluate("at => document.elementFromPoint(at.x, at.y).id", place.point.model_dump())
            for place in found
            if place is not None
        ]
    assert hit == list(_NAMES)


# Of ten values in a column of fields, the widest ends as far from the right side as it begins from the left.
@pytest.mark.parametrize(
    "value",
    [
        "Pia-auch Schlauchin 72",
        pytest.param("Pia-auch Schlauchin-Straße", marks=pytest.mark.nightly),
        "Панкрат Калинин",
        pytest.param("J. Berg", marks=pytest.mark.nightly),
    ],
)
def test_a_field_is_found_whatever_it_holds(browser: Browser, eyes: ScreenEyes, value: str) -> None:
    style = "label{width:90px}p{margin:8px 0}input{width:200px;padding:1px 1px}"
    body = _BESIDE.replace("<input id=Article", f"<input id=Article value='{value}'")
    with page_of(browser, "about:blank", size=(800, 500)) as page:
        page.set_content(f"<!doctype html><style>{_STYLE}{style}</style>{body}")
        view = View(decoded(page.screenshot()), (), eyes)
        place = ground(parse('the "Article" field'), view, default=Role.FIELD).place
        assert place is not None
        assert page.evaluate("at => document.elementFromPoint(at.x, at.y).id", place.point.model_dump()) == "Article"


def test_a_field_whose_beginning_is_selected_is_found_whole(browser: Browser, eyes: ScreenEyes) -> None:
    with page_of(browser, "about:blank", size=(800, 500)) as page:
        page.set_content(f"<!doctype html><style>{_STYLE}</style>New name<br><input id=name value='draft.txt'>")
        page.evaluate(
            "document.getElementById('name').setSelectionRange(0, 9); document.getElementById('name').focus()"
        )
        view = View(decoded(page.screenshot()), (), eyes)
        edge = page.evaluate("document.getElementById('name').getBoundingClientRect().x")
    place = ground(parse('the "New name" field'), view, default=Role.FIELD).place
    assert place is not None
    assert abs(place.box.x - edge) <= 8


@pytest.mark.parametrize(
    "below",
    [
        "<textarea rows=2 style='width:180px'></textarea>",
        pytest.param("<input style='width:180px'>", marks=pytest.mark.nightly),
    ],
)
def test_a_list_is_named_by_what_it_holds_and_no_field_below_it(browser: Browser, eyes: ScreenEyes, below: str) -> None:
    held = "Manage using a software agent"
    with page_of(browser, "about:blank", size=(600, 300)) as page:
        page.set_content(
            "<style>body{font:13px sans-serif;background:#eee}td{padding:2px 60px 2px 0}</style><table>"
            f"<tr><td>Type<td><select id=list><option>{held}</select><tr><td>Description<td>{below}</table>"
        )
        place = ground(parse(f'the "{held}" dropdown'), View(decoded(page.screenshot()), (), eyes)).place
        assert place is not None
        assert page.evaluate("at => document.elementFromPoint(at.x, at.y).id", place.point.model_dump()) == "list"


def test_the_end_of_an_address_is_no_label(browser: Browser, eyes: ScreenEyes) -> None:
    with page_of(browser, "about:blank", size=(800, 300)) as page:
        bar = "<input id=bar size=50 value='127.0.0.1/order.html?theme=light&label=Customer'>"
        page.set_content(f"<!doctype html><style>{_STYLE}</style>{bar}<p>Customer* <input id=own>")
        view = View(decoded(page.screenshot()), (), eyes)
        place = ground(parse('the "Customer" field'), view, default=Role.FIELD).place
        assert place is not None
        assert page.evaluate("at => document.elementFromPoint(at.x, at.y).id", place.point.model_dump()) == "own"


class _ClosedEyes:
    """Eyes that nobody may ask to read."""

    def read(self, picture: Picture) -> Sequence[TextLine]:
        raise AssertionError(f"a picture of {picture.width}x{picture.height} was to be read")

    def read_exactly(self, picture: Picture, windows: Sequence[Any]) -> Sequence[Any]:
        del windows
        return self.read(picture)

    def changes(self, before: Picture, after: Picture) -> Sequence[Box]:
        raise AssertionError(f"{before.width} and {after.width} pixels were to be compared")

    def png(self, picture: Picture) -> bytes:
        raise AssertionError(f"a file of {picture.width}x{picture.height} was to be made")


def _box_of(page: Page, value: str, kind: str, size: int) -> Box:
    page.set_content(f"<!doctype html><style>{_STYLE}input{{font-size:{size}px}}</style><input autofocus type={kind}>")
    page.fill("input", value)
    edges = page.evaluate(
        "(({x, y, width, height}) => ({x, y, width, height}))(document.querySelector('input').getBoundingClientRect())"
    )
    return Box.model_validate({name: round(number) for name, number in edges.items()})


@pytest.mark.parametrize(
    "size", [16, pytest.param(20, marks=pytest.mark.nightly), pytest.param(24, marks=pytest.mark.nightly)]
)
def test_letters_are_told_from_dots_without_being_read(browser: Browser, eyes: ScreenEyes, size: int) -> None:
    with page_of(browser, "about:blank", size=(800, 300)) as page:
        for value in ("Elm Street 1428", "Blue chair, 2 pieces", "2026-08-25"):
            box = _box_of(page, value, "text", size)
            assert not is_hidden(View(decoded(page.screenshot()), (), _ClosedEyes()), box)
        box = _box_of(page, "correct horse", "password", size)
        assert is_hidden(View(decoded(page.screenshot()), (), eyes), box)


@pytest.mark.parametrize(
    "place",
    [(40, 320), pytest.param((40, 900), marks=pytest.mark.nightly), pytest.param((820, 40), marks=pytest.mark.nightly)],
)
def test_a_field_that_was_scrolled_out_of_the_picture_shows_nothing(browser: Browser, place: tuple[int, int]) -> None:
    with page_of(browser, "about:blank", size=(800, 300)) as page:
        view = View(decoded(page.screenshot()), (), _ClosedEyes())

    box = Box(x=place[0], y=place[1], width=200, height=30)
    assert (is_hidden(view, box), has_ink(view, box)) == (False, False)
