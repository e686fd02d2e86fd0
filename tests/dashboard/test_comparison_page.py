"""A video is held beside that of a good run: chosen on its page, compared by a job, shown as a page."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.dashboard.conftest import Dashboard
from tests.fakes.recordings.compared_runs import plain_good_and_bad
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen


@pytest.fixture
def bad(dashboard: Dashboard, tmp_path: Path) -> dict[str, Any]:
    """The analysis of a run in which a line is missing; the good one was watched, too."""
    good, bad = plain_good_and_bad(tmp_path)
    assert dashboard.analysed(good)["state"] == "done"
    return dashboard.analysed(bad)


@pytest.mark.nightly
def test_a_video_is_compared_with_one_that_was_watched_before(window: Window, bad: dict[str, Any]) -> None:
    page = window.open(f"/ui/videos/{bad['id']}")
    choice = page.get_by_label("Compare with a good run")
    choice.focus()
    good = choice.locator("option", has_text="good.mp4").first
    good.wait_for(state="attached")
    choice.select_option(good.get_attribute("value"))

    page.wait_for_url("**/ui/comparisons/job-*")
    expect(page.get_by_role("heading", name="good.mp4 → bad.mp4")).to_be_visible()
    expect(page.locator("#state")).to_contain_text("is missing", timeout=60_000)
    pictures = page.locator(".compared-pair img")
    expect(pictures).to_have_count(2)
    for picture in pictures.all():
        picture.evaluate("image => image.decode()")
    window.pictures(page, "comparison")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="As one page").click()
    # What the tests put into each page may not run in this one.
    window.forgiven = ["sandboxed"]
    expect(opened.value.locator("article img")).to_have_count(2)
    window.picture(opened.value, "comparison-pictures")

    page = window.open("/ui/videos")
    row = page.locator("li", has_text="good.mp4 → bad.mp4").first
    expect(row).to_contain_text("1 difference")


def test_a_comparison_that_is_not_there_leads_back_to_the_videos(window: Window) -> None:
    window.forgiven = ["Failed to load resource"]
    page = window.open("/ui/comparisons/job-none")
    expect(page.locator("#state")).to_contain_text("There is no job")
    expect(page.get_by_role("link", name="All videos")).to_be_visible()
