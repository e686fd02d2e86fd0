"""Check boxes and radio buttons: found beside their words, and told set from not set only where that can be seen."""

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser

from adapters.desktop.eyes import ScreenEyes
from adapters.desktop.eyesight.shapes import is_set, marks_among, runs_of
from adapters.models.local.grounding import ground
from adapters.models.local.phrases import parse
from adapters.models.local.view import View
from tests.fakes.desktops.headless_screens import Theme, page_of, taken

_PAGE = """<body style="background:{ground};color:{ink};font:16px 'DejaVu Sans'">
<p><label><input type=checkbox data-t=c0> Alpha</label></p>
<p><label><input type=checkbox checked data-t=c1> Beta</label></p>
<p><label><input type=radio name=r data-t=r0> Gamma</label></p>
<p><label><input type=radio name=r checked data-t=r1> Delta</label></p>
<p><label><input type=checkbox id=half data-t=half> Epsilon</label></p>
<script>document.querySelector('#half').indeterminate = true</script>"""
_STATES = {'checkbox "Alpha"': False, 'checkbox "Beta"': True, 'radio "Gamma"': False, 'radio "Delta"': True}


@pytest.mark.parametrize("scheme", ["light", "light dark"])
@pytest.mark.parametrize(
    ("ground_colour", "ink"),
    [("#fff", "#111"), ("#12181f", "#eee"), pytest.param("#fffbe6", "#111", marks=pytest.mark.nightly)],
)
@pytest.mark.parametrize("zoom", [1, *(pytest.param(zoom, marks=pytest.mark.nightly) for zoom in (1.5, 2))])
def test_set_and_not_set_are_told_in_every_theme(  # noqa: PLR0917 - what pytest hands in, by name
    browser: Browser, eyes: ScreenEyes, scheme: str, ground_colour: str, ink: str, zoom: float
) -> None:
    theme: Theme = "dark" if "dark" in scheme else "light"
    size = (round(500 * zoom), round(300 * zoom))
    with page_of(browser, "about:blank", theme=theme, zoom=zoom, size=size) as page:
        page.set_content(f'<html style="color-scheme:{scheme}">{_PAGE.format(ground=ground_colour, ink=ink)}')
        view = View(taken(page, zoom).picture, (), eyes)
    for phrase, state in _STATES.items():
        place = ground(parse(phrase), view).place
        assert place is not None
        assert is_set(view.grey, place.box) is state, phrase
    half = ground(parse('checkbox "Epsilon"'), view).place
    assert half is not None
    assert is_set(view.grey, half.box) is None


_SWITCHES = """<style>
input{{font:inherit;appearance:none;position:relative;vertical-align:middle;margin:0 8px 0 0;border-radius:2em}}
input::after{{content:'';position:absolute;border-radius:50%}}
.small{{box-sizing:border-box;width:2em;height:1em;border:1px solid #8888;background:{ground}}}
.small::after{{left:.12em;top:.08em;width:.7em;height:.7em;background:#888}}
.small:checked{{background:#0d6efd;border-color:#0d6efd}} .small:checked::after{{left:auto;right:.12em;background:#fff}}
.large{{width:51px;height:31px;background:#d9d9da}}
.large::after{{left:2px;top:2px;width:27px;height:27px;background:#fff}}
.large:checked{{background:#34a759}} .large:checked::after{{left:22px}}
</style><body style="background:{ground};color:{ink};font:16px 'DejaVu Sans'">
<p><label><input type=checkbox class=small> Alpha</label></p>
<p><label><input type=checkbox class=small checked> Beta</label></p>
<p><label><input type=checkbox class=large> Gamma</label></p>
<p><label><input type=checkbox class=large checked> Delta</label></p>
<p>Epsilon<br><input type=checkbox class=small checked style="margin-top:6px"></p>
<p><span style="background:#d22;color:#fff;border-radius:1em;padding:2px 9px">New</span> Zeta</p>"""
_ON = {"Alpha": False, "Beta": True, "Gamma": False, "Delta": True, "Epsilon": True, "Zeta": None}


@pytest.mark.parametrize(
    ("ground_colour", "ink", "zoom"),
    [
        ("#fff", "#111", 2),
        ("#12181f", "#eee", 1),
        *(pytest.param("#fff", "#111", zoom, marks=pytest.mark.nightly) for zoom in (1, 1.25)),
        *(pytest.param("#12181f", "#eee", zoom, marks=pytest.mark.nightly) for zoom in (1.25, 2)),
    ],
)
def test_a_switch_is_on_where_its_knob_stands_at_the_right(
    browser: Browser, eyes: ScreenEyes, ground_colour: str, ink: str, zoom: float
) -> None:
    with page_of(browser, "about:blank", zoom=zoom, size=(round(500 * zoom), round(340 * zoom))) as page:
        page.set_content(_SWITCHES.format(ground=ground_colour, ink=ink))
        view = View(taken(page, zoom).picture, (), eyes)
    for name, state in _ON.items():
        place = ground(parse(f'checkbox "{name}"'), view).place
        seen = is_set(view.grey, place.box) if place is not None and place.box != place.words else None
        assert seen is state, name


@pytest.mark.parametrize("colour", ["#fff", pytest.param("#1a73e8", marks=pytest.mark.nightly), "#12181f"])
def test_a_box_that_is_plain_up_to_its_edge_may_be_either(browser: Browser, eyes: ScreenEyes, colour: str) -> None:
    with page_of(browser, "about:blank", size=(300, 100)) as page:
        page.set_content(
            "<body style='background:#777'><i data-t=box style='display:block;position:absolute;left:40px;top:30px;"
            f"width:14px;height:14px;background:{colour}'></i>"
        )
        truth = taken(page)
    assert is_set(View(truth.picture, (), eyes).grey, truth.boxes["box"]) is None


@pytest.mark.parametrize(("gaps", "found"), [((3, 3), 0), ((3, 6), 1), ((6, 3), 1), ((1, 6), 0)])
def test_a_round_letter_within_a_word_is_no_mark(gaps: tuple[int, int], found: int) -> None:
    crop = np.full((20, 60), 240, np.uint8)
    left, right = 20 - gaps[0], 20 + 9 + gaps[1]
    for start, end in ((left - 6, left), (right, right + 6)):
        crop[3:17, start:end] = 20
    cv2.circle(crop, (24, 11), 4, 20, 1)

    assert len(marks_among(crop, runs_of(crop), 20)) == found
