"""Icons without words: named by a text in their row, and found by that name on a screen of another size."""

import pytest
from playwright.sync_api import Browser, Page

from adapters.desktop.eyes import ScreenEyes
from adapters.models.local.grounding import ground
from adapters.models.local.phrases import parse
from adapters.models.local.pointing import look_at
from adapters.models.local.view import View
from core.actions import Ask, Done
from core.demonstration.looks import Moment
from core.tasks.heartbeat import Heartbeat
from tests.fakes.desktops.headless_screens import page_of
from tests.fakes.desktops.page_desktop import PageDesktop
from tests.fakes.runs.followed_plans import follow

_PEN = '<path d="M3 17v4h4L18 10l-4-4zM15 5l4 4 2-2-4-4z"/>'
_BIN = '<path d="M6 8h12v13H6zM4 4h16v2H4zM9 2h6v2H9z"/>'
_ROWS = """<title>Staff</title><style>body {{ font: {size}px Arial; margin: 24px }} td {{ padding: {size}px;
border-bottom: 1px solid #ccc; min-width: 120px }} svg {{ width: {icon}px; height: {icon}px; fill: {ink} }}
i {{ display: inline-block; padding: 4px 8px; border-radius: 4px; background: {ground}; margin-right: 6px }}</style>
<table>{rows}</table><p id=said>&nbsp;</p><script>for (const row of document.querySelectorAll('tr'))
row.querySelectorAll('i').forEach((one, at) => one.onclick = () => {{
said.textContent = ['Changing ', 'Gone is '][at] + row.cells[0].textContent; if (at) row.remove() }})</script>"""
_ROW = (
    "<tr><td>{name}<td>{work}<td><i><svg viewBox='0 0 24 24'>{pen}</svg></i><i><svg viewBox='0 0 24 24'>{bin}</svg></i>"
)
_NAMES = ("Hendrix", "Darlan", "Ronaldo")


def _staff(names: tuple[str, ...] = _NAMES, *, size: int = 16, filled: bool = False) -> str:
    rows = "".join(_ROW.format(name=name, work="Programmer", pen=_PEN, bin=_BIN) for name in names)
    ink, ground_ = ("white", "#0d6efd") if filled else ("#303030", "white")
    page = _ROWS.format(size=size, icon=size + 4, ink=ink, ground=ground_, rows=rows)
    return "data:text/html," + page.replace("#", "%23")


def _middle(page: Page, row: int, icon: int) -> tuple[int, int]:
    box = page.locator("tr").nth(row).locator("i").nth(icon).bounding_box()
    assert box is not None
    return round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)


_POINTER = """([x, y]) => { document.querySelector('#tip')?.remove(); document.body.insertAdjacentHTML('beforeend',
`<svg id=tip viewBox="0 0 12 19" style="position: fixed; left: ${x}px; top: ${y}px; width: 12px; stroke: white">
<path fill="black" d="M0 0 L0 16 L4 13 L7 19 L9 18 L6 12 L11 12 Z"/></svg>`) }"""


def _looked_at(page: Page, eyes: ScreenEyes, place: tuple[int, int], name: str, *, pointed: bool = True) -> str:
    """What the icon is called at a place at which the pointer stands."""
    if pointed:
        page.evaluate(_POINTER, list(place))
    view = View(PageDesktop(page).look(), (), eyes)
    row = (24, place[1] - 40, 200, 80)
    moment = Moment(1000, 300, 940, 1040, 1040, *place, types=False, row=row, names=(name,))
    return look_at(moment, [view] * 4).phrase


def test_an_icon_without_a_pointer_on_it_only_moved_there(browser: Browser, eyes: ScreenEyes) -> None:
    with page_of(browser, _staff()) as page:
        assert not _looked_at(page, eyes, _middle(page, 1, 1), "Darlan", pointed=False)


@pytest.mark.parametrize(
    ("size", "filled"), [(16, False), (16, True), pytest.param(24, False, marks=pytest.mark.nightly)]
)
def test_an_icon_is_called_by_its_row_and_found_by_that(
    browser: Browser, eyes: ScreenEyes, size: int, *, filled: bool
) -> None:
    with page_of(browser, _staff(size=size, filled=filled)) as page:
        places = [_middle(page, row, icon) for row in range(3) for icon in range(2)]
        named = [_looked_at(page, eyes, place, _NAMES[at // 2]) for at, place in enumerate(places)]
    with page_of(browser, _staff(("Ada", *_NAMES), size=20)) as page:
        other = View(PageDesktop(page).look(), (), eyes)
        there = [_middle(page, row + 1, icon) for row in range(3) for icon in range(2)]

    assert named[::2] == [f'the second to last icon in the row of "{name}"' for name in _NAMES]
    assert named[1::2] == [f'the last icon in the row of "{name}"' for name in _NAMES]
    for phrase, (x, y) in zip(named, there, strict=True):
        place = ground(parse(phrase), other).place
        assert place is not None, phrase
        assert max(abs(place.point.x - x), abs(place.point.y - y)) <= 6, phrase


def test_a_run_clicks_the_icon_of_the_row_that_it_is_given(browser: Browser, eyes: ScreenEyes) -> None:
    plan = '1. Click the last icon in the row of "Darlan". Then "Gone is Darlan" is shown.'
    task = Heartbeat(f"# Task\nTitle: Let somebody go\nSuggestedPlan:\n{plan}\n\n## Questions\n- None.\n")
    with page_of(browser, _staff(("Ada", *_NAMES))) as page:
        end = follow(task, PageDesktop(page), eyes)
        left = page.locator("tr td:first-child").all_text_contents()

    assert isinstance(end, Done), end
    assert left == ["Ada", "Hendrix", "Ronaldo"]


def test_an_icon_that_is_one_of_two_is_asked_about(browser: Browser, eyes: ScreenEyes) -> None:
    plan = '1. Click the icon in the row of "Darlan".'
    task = Heartbeat(f"# Task\nTitle: Let somebody go\nSuggestedPlan:\n{plan}\n\n## Questions\n- None.\n")
    with page_of(browser, _staff()) as page:
        end = follow(task, PageDesktop(page), eyes, patience=1.0)
        left = page.locator("tr").count()

    assert isinstance(end, Ask), end
    assert "which one is meant" in end.question
    assert left == len(_NAMES)
