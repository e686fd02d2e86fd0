"""What a second look at a film names a field by."""

import pytest
from playwright.sync_api import Browser

from adapters.desktop.eyes import ScreenEyes
from adapters.models.local.pointing import look_at
from adapters.models.local.view import View
from core.demonstration.looks import Look, Moment
from tests.fakes.desktops.headless_screens import page_of
from tests.fakes.desktops.page_desktop import PageDesktop

_DIALOG = """<style>body {{ font: 16px Arial }} span {{ display: inline-block; width: 160px }} p {{ margin: 6px 0 }}
input {{ width: 240px; height: 26px }}</style><p>{}<p><span>Name</span><input value="Office computers">"""


def _look(browser: Browser, eyes: ScreenEyes, above: str) -> Look:
    with page_of(browser, f"data:text/html,{_DIALOG.format(above)}") as page:
        box = page.locator("input").bounding_box()
        assert box is not None
        view = View(PageDesktop(page).look(), (), eyes)
    x, y = round(box["x"]) + 8, round(box["y"] + box["height"] / 2)
    return look_at(Moment(1000, 900, 900, 2000, 2500, x, y, types=True), [view] * 4)


@pytest.mark.parametrize(
    "above",
    [
        "Create a new device group using the options below.",
        pytest.param('<span style="width: 300px"></span>Journal', marks=pytest.mark.nightly),
        pytest.param("Saturday 05:06:15", marks=pytest.mark.nightly),
    ],
)
def test_what_stands_above_a_field_and_is_no_label_names_none(browser: Browser, eyes: ScreenEyes, above: str) -> None:
    found = _look(browser, eyes, above)

    assert (found.field, found.after) == ('the "Name" field', "Office computers")
