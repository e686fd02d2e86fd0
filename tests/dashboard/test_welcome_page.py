"""The first visit: what works is tried with one click, and the page is gone once it was dismissed."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.conftest import Dashboard
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen


@pytest.fixture
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """One that nothing was done with, where there is no screen."""
    screenless = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    daemon = Dashboard(tmp_path_factory.mktemp("welcome"), environment=screenless)
    try:
        daemon.started()
        yield daemon
    finally:
        daemon.close()


def test_the_first_visit_shows_what_works_tries_the_sample_and_is_over_once_dismissed(
    browser: Browser, daemon: Dashboard
) -> None:
    window = Window(browser, daemon.url, "welcome")
    page = window.open("/", newcomer=True)
    page.wait_for_url("**/ui/welcome")
    expect(page.locator("#works .badge.good")).to_have_count(2)
    memory = page.locator("#works article", has_text="Memory")
    expect(memory).to_contain_text("not yet")
    expect(memory).to_contain_text("sees no screen of yours")
    expect(memory.get_by_role("button")).to_have_count(0)
    expect(page.locator("#adds")).to_contain_text("Claude decides in runs")
    expect(page.locator("#snippets pre").first).to_contain_text(f"{daemon.url}/mcp")
    page.get_by_role("button", name="Done, take me home").click()
    page.wait_for_url(f"{daemon.url}/")
    expect(page.locator("#latest")).to_contain_text("Nothing was done yet")
    assert page.url == f"{daemon.url}/"

    other = window.open("/", newcomer=True)
    other.wait_for_url("**/ui/welcome")
    other.get_by_role("button", name="Watch the sample").click()
    other.wait_for_url(re.compile("/ui/videos/."))
    job = daemon.http.get(f"/jobs/{other.url.rpartition('/')[2]}").json()
    assert job["request"]["expectations"][0] == '"Order 1042 confirmed" is shown'
    other.goto("/")
    expect(other.locator("#running, #latest").filter(has_text="checkout.mp4").first).to_be_visible()
    assert other.url == f"{daemon.url}/"
    window.close()


@pytest.mark.nightly
def test_the_welcome_page_looks_right_in_each_width_and_theme(browser: Browser, daemon: Dashboard) -> None:
    window = Window(browser, daemon.url, "welcome")
    page = window.open("/ui/welcome")
    expect(page.locator("#works .badge.good")).to_have_count(2)
    page.get_by_text("Others, and curl").click()
    window.pictures(page, "welcome")
    window.close()
