"""What a newcomer does who never opens a terminal again after ``vaider serve``, from the first visit on."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.clock import until
from tests.dashboard.conftest import ROOT, Dashboard, started
from tests.fakes.recordings.recorded_day import recorded_day
from tests.fakes.web.browsing import Window
from tests.fakes.web.sites import site

pytestmark = [pytest.mark.screen, pytest.mark.nightly]
CLIP = ROOT / "tests" / "clips" / "account.webm"
ERROR_MS = 6362
"""When the error shows, by the clip's truth."""
DESK = """<!doctype html><title>Parcel desk</title><h1>Parcel desk</h1>
<form onsubmit="this.nextElementSibling.textContent = `Parcel for ${this.who.value} sent`; return false">
<p><label>Recipient <input name="who"></label></p><p><button>Send</button></p></form><p role="status"></p>"""
SECRET = "a-key-of-the-newcomer-4711"
SLOW_MS = 60_000


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Dashboard]:
    recorded_day(tmp_path)
    with started(tmp_path, display="private") as daemon:
        yield daemon


@pytest.fixture
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page on which parcels are sent."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "index.html").write_text(DESK, encoding="utf-8")
    with site(folder) as address:
        yield address


def test_a_newcomer_needs_no_terminal(browser: Browser, daemon: Dashboard, desk: str) -> None:
    window = Window(browser, daemon.url, "newcomer")
    # What would be black is asked for a screen that a test machine has not; a display may close just before a look.
    window.forgiven = [r"409 \(Conflict\)", r"404 .*/screen\.jpg"]
    page = window.open("/", newcomer=True)
    page.wait_for_url("**/ui/welcome")
    page.get_by_role("button", name="Done, take me home").click()

    _find_the_moment_the_error_showed(window, page)
    _search_what_was_done_and_watch_it(window, page)
    _have_a_task_done(window, page, desk)
    _set_a_key_and_never_see_it_again(page, daemon)
    _go_to(page, "Home")
    expect(page.locator("#latest")).to_contain_text("Send a parcel")
    window.picture(page, "home")
    window.close()


def _go_to(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Main").get_by_role("link", name=name).click()
    expect(page.locator("#stream-state")).to_have_text("Live")


def _find_the_moment_the_error_showed(window: Window, page: Page) -> None:
    _go_to(page, "Videos")
    page.locator("#file").set_input_files(CLIP)
    page.get_by_role("button", name="Watch it").click()
    page.wait_for_url("**/ui/videos/job-*", timeout=SLOW_MS)
    page.get_by_label("Search the timeline").fill("wrong password", timeout=SLOW_MS)
    expect(page.locator("#count")).to_contain_text("found")
    page.locator("#timeline").get_by_role("button", name=re.compile("Wrong password, please try again")).click()

    until(lambda: abs(page.locator("#stage video").evaluate("(video) => video.currentTime * 1000") - ERROR_MS) < 500)
    window.picture(page, "error")


def _search_what_was_done_and_watch_it(window: Window, page: Page) -> None:
    _go_to(page, "Memory")
    page.get_by_label("What did you do?").fill("how did I add an ssh key?")
    card = page.locator("#answers .memory").first
    expect(card).to_contain_text('Clicked "New SSH key"', timeout=SLOW_MS)
    card.get_by_role("button", name=re.compile("^Play")).click()

    until(lambda: card.locator("video").evaluate("(video) => video.currentTime") > 0, seconds=30)
    window.picture(page, "memory")


def _have_a_task_done(window: Window, page: Page, desk: str) -> None:
    _write_the_task(page, desk)
    page.get_by_role("textbox", name="Which counter is meant?").fill("The first one.")
    page.get_by_role("button", name="Apply & continue").click()
    expect(page.get_by_role("button", name="Run it now")).to_be_visible()
    page.get_by_label("Recipient").fill("Grace Hopper")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/ui/runs/*")
    expect(page.locator("#screen img")).to_be_visible(timeout=SLOW_MS)
    expect(page.locator("#steps")).to_contain_text("Type “Grace Hopper”", timeout=SLOW_MS)
    window.picture(page, "live")
    expect(page.locator("#outcome")).to_contain_text("Parcel for Grace Hopper sent", timeout=SLOW_MS)
    with page.context.expect_page() as report:
        page.get_by_role("link", name="Report").first.click()
    expect(report.value.get_by_text("Grace Hopper").first).to_be_visible()
    report.value.close()
    window.picture(page, "over")

    page.get_by_role("button", name="Run again", exact=True).click()
    if "/ui/tasks/" in page.url:
        page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/ui/runs/*")
    page.get_by_role("button", name="Stop this run").click(timeout=SLOW_MS)
    expect(page.locator("#outcome")).to_contain_text("cancelled", ignore_case=True, timeout=SLOW_MS)
    window.picture(page, "stopped")


def _write_the_task(page: Page, desk: str) -> None:
    _go_to(page, "Tasks and workflows")
    page.get_by_label("What it is called").fill("Send a parcel")
    steps = (f'Open "{desk}" in the browser.', 'Type "Ada" into the "Recipient" field.', 'Click the "Send" button.')
    page.get_by_label("What is to be done, a step a line").fill("\n".join(steps))
    page.get_by_label("What shows that it is done").fill('"Parcel for Ada sent" is shown.')
    page.get_by_role("button", name="Write it").click()
    page.wait_for_url("**/ui/tasks/*")
    page.get_by_role("button", name="Edit", exact=True).click()
    area = page.get_by_label("The text of HEARTBEAT.md")
    area.fill(f"{area.input_value().partition('## Questions')[0]}## Questions\n- [required] Which counter is meant?\n")
    page.keyboard.press("Control+s")


def _set_a_key_and_never_see_it_again(page: Page, daemon: Dashboard) -> None:
    _go_to(page, "Settings")
    page.get_by_role("button", name="Set the key of Anthropic").click()
    page.get_by_label("Key of Anthropic", exact=True).fill(SECRET)
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Keep it in the file").click()
    expect(page.locator(".key", has_text="Claude decides")).to_contain_text("saved, in a file")

    assert any(key["saved"] for key in daemon.http.get("/keys").json()["keys"] if key["name"] == "anthropic")
    assert SECRET not in page.content()
    assert SECRET not in daemon.http.get("/keys").text
