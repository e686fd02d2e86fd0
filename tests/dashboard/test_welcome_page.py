"""The first visit: usable before anything is known, nothing moves when it is, and gone once it was dismissed."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.conftest import Dashboard
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
SHIFTS = """() => new Promise((resolve) => {
  let moved = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((each) => (moved += each.value)))
    .observe({ type: "layout-shift", buffered: true });
  // Two frames later all that was buffered is told.
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(moved)));
})"""


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


@pytest.mark.nightly
def test_the_first_visit_offers_three_ways_in_and_is_over_once_dismissed(browser: Browser, daemon: Dashboard) -> None:
    window = Window(browser, daemon.url, "welcome")
    page = window.open("/", newcomer=True)
    page.wait_for_url("**/ui/welcome")
    expect(page.locator(".way h3")).to_have_text(["With a video", "With a recording", "With your agent"])
    expect(page.locator("#record-state")).to_contain_text("this daemon does not see it")
    expect(page.get_by_role("button", name="Start recording …")).to_be_disabled()
    # A key is spoken of only to whoever asks.
    expect(page.locator("#adds")).to_be_hidden()
    page.get_by_text("What a key would add").click()
    expect(page.locator("#adds")).to_contain_text("Claude decides in runs")
    page.get_by_role("button", name="Copy for Claude Code").click()
    expect(page.locator("#copy-state")).to_contain_text(".mcp.json")
    page.get_by_text("The lines to copy, for other agents too").click()
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


@pytest.mark.parametrize("width", [360, pytest.param(1280, marks=pytest.mark.nightly)])
def test_the_welcome_page_can_be_used_at_once_and_nothing_moves(
    browser: Browser, daemon: Dashboard, width: int
) -> None:
    window = Window(browser, daemon.url, "welcome")
    page = window.open("/ui/welcome", width=width)
    sent = daemon.http.get("/ui/welcome").text
    assert [name for name in ("Watch the sample", "Choose a recording", "Copy for Cursor") if name not in sent] == []
    expect(page.locator("#stream-state")).to_have_text("Live")
    expect(page.locator("#record-state")).not_to_be_empty()
    assert page.evaluate(SHIFTS) < 0.01
    window.close()


@pytest.mark.nightly
def test_the_welcome_page_looks_right_in_each_width_and_theme(browser: Browser, daemon: Dashboard) -> None:
    window = Window(browser, daemon.url, "welcome")
    page = window.open("/ui/welcome")
    page.get_by_text("The lines to copy, for other agents too").click()
    expect(page.locator("#snippets pre").first).to_be_visible()
    window.pictures(page, "welcome")
    window.close()
