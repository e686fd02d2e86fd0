"""The page of the HTTP interface: grouped, found by any word, with the address that it is served at."""

import pytest
from playwright.sync_api import expect

from tests.dashboard.conftest import Dashboard
from tests.fakes.web.browsing import Window
from tests.fakes.web.page_tour import settled

pytestmark = pytest.mark.screen


@pytest.mark.nightly
def test_a_call_is_found_by_a_word_and_opened_where_few_are_left(window: Window, dashboard: Dashboard) -> None:
    page = window.open("/docs")
    settled(page)
    calls = page.locator(".docs-operation:visible")
    expect(page.locator("pre")).to_contain_text(f"curl -N 127.0.0.1:{dashboard.port}/events")
    expect(page.locator(".docs-nav a").first).to_have_text("Analysis")
    everything = calls.count()

    page.get_by_label("Find").fill("recency_bias")
    expect(page.locator("#found")).to_have_text(f"{calls.count()} of {everything} calls")
    assert 0 < calls.count() <= 3
    expect(calls.first.locator("td", has_text="newest").first).to_be_visible()
    expect(page.locator(".docs-group:visible")).to_have_count(1)

    page.get_by_label("Find").fill("")
    expect(page.locator("#found")).to_have_text(f"{everything} calls")
    page.get_by_role("link", name="Reload", exact=True).last.click()
    expect(page.locator("#reload-title")).to_be_in_viewport()
    window.pictures(page, "docs")
