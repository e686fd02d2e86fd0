import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.conftest import ROOT, started
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
SAMPLE = ROOT / "samples" / "checkout.mp4"


def test_the_home_page_tells_results_recorder_and_health_in_each_width_and_theme(
    window: Window, analysis: dict[str, Any]
) -> None:
    page = window.open("/")

    expect(page.get_by_role("heading", name="Last results")).to_be_visible()
    expect(page.locator("#latest").get_by_text("checkout.mp4").first).to_be_visible()
    expect(page.locator("#latest").get_by_text("1 of 3 as expected, 1 unclear").first).to_be_visible()
    expect(page.locator("#recording")).to_contain_text("Off")
    expect(page.locator("#stream-state")).to_have_text("Live")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_hidden()
    page.locator(f"#latest a[href*='{analysis['id']}']").click()
    expect(page).to_have_url(re.compile(rf"/ui/videos/{analysis['id']}#t=\d+$"))
    page.go_back()
    window.pictures(page, "home")


@pytest.mark.nightly
def test_the_navigation_shows_where_it_goes_on(window: Window) -> None:
    page = window.open("/ui/settings", width=360)
    navigation = page.get_by_role("navigation", name="Main")
    expect(navigation).to_have_attribute("data-more", "before")
    expect(navigation.get_by_role("link", name="Settings")).to_be_in_viewport(ratio=0.95)
    page.goto("/")
    expect(navigation).to_have_attribute("data-more", "after")
    navigation.get_by_role("link", name="Runs").scroll_into_view_if_needed()
    expect(navigation).to_have_attribute("data-more", re.compile("before"))
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(navigation).to_have_attribute("data-more", "")


@pytest.mark.nightly
def test_an_open_page_says_that_the_daemon_was_killed_and_goes_on_when_it_is_back(
    browser: Browser, tmp_path: Path
) -> None:
    with started(tmp_path) as first:
        port = first.port
        window = Window(browser, first.url, "killed")
        window.forgiven = ["Failed to load resource"]
        page = window.open("/")
        other = window.beside(page.context.new_page(), "/ui/tasks")
        expect(page.locator("#stream-state")).to_have_text("Live")
        first.process.kill()
        for each in (page, other):
            expect(each.locator("#stream-state")).to_contain_text("The daemon is away")
        window.picture(page, "away")
    with started(tmp_path, port=port) as again:
        for each in (page, other):
            expect(each.locator("#stream-state")).to_have_text("Live")
        again.analysed(SAMPLE)
        expect(page.locator("#latest").get_by_text("checkout.mp4").first).to_be_visible()
        window.close()
