"""Five things that people come for, each by so few clicks from the home page; what is typed is no click."""

import re
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from adapters.recording.continuous.segment_writer import segment_id
from core.memory import Procedure
from server.composition.memory import RECORDINGS
from server.composition.memory_reading import MARKS
from storage.memories.ledgers import ReadingMarkFile
from tests.clock import until
from tests.dashboard.conftest import ROOT, WANTED, WORK_SECONDS, Dashboard, started
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox
from tests.fakes.recordings.remembered import procedure, remember
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
WORK_MS = WORK_SECONDS * 1000
SHOWN_MS = 15_000


class Walk:
    """Somebody who looks at the home page first, and clicks from there on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, place: Locator) -> None:
        place.click()
        self.clicks += 1


@pytest.fixture
def remembering(tmp_path: Path) -> Iterator[Dashboard]:
    """A daemon that recorded yesterday at ten how something was ordered."""
    at = (datetime.now().astimezone() - timedelta(days=1)).replace(hour=10, minute=0, second=0, microsecond=0)
    segment = segment_id(at)
    folder = tmp_path / RECORDINGS
    folder.mkdir(mode=0o700)
    shutil.copy(ROOT / "samples" / "checkout.mp4", folder / f"{segment}.mp4")
    ReadingMarkFile(tmp_path / MARKS).finish(segment)
    done = procedure(1, 'Typed "mug" into "Search products"', 'Clicked "Place order"', video=segment)
    when = {"started_at": at, "start_ms": 0, "end_ms": SHOWN_MS}
    remember(tmp_path, Procedure.model_validate({**done.model_dump(), **when}))
    with started(tmp_path, display="private") as daemon:
        yield daemon


@pytest.mark.nightly
def test_why_a_video_failed_is_two_clicks_away_at_most(window: Window, dashboard: Dashboard) -> None:
    # The home page shows the last few results, and other tests have some, too.
    analysis = dashboard.analysed(ROOT / "samples" / "checkout.mp4", *WANTED)
    walk = Walk(window.open("/"))
    failed = walk.page.locator("#latest .result", has=walk.page.locator(f"a[href*='{analysis['id']}']"))
    expect(failed).to_contain_text("1 of 3 as expected")
    expect(failed).to_contain_text('says "Refund issued"')
    walk.click(failed.get_by_role("link", name="checkout.mp4"))

    outcome = walk.page.get_by_role("region", name="Outcome")
    expect(outcome).to_contain_text('None of the 34 lines read says "Refund issued".')
    expect(outcome.locator("img").first).to_be_visible()
    # What is linked to is the moment.
    expect(walk.page).to_have_url(re.compile(rf"/ui/videos/{analysis['id']}#t=\d+$"))
    assert walk.clicks <= 2


@pytest.mark.nightly
@pytest.mark.usefixtures("run")
def test_a_task_is_run_again_with_another_value_by_three_clicks_at_most(window: Window, dashboard: Dashboard) -> None:
    walk = Walk(window.open("/"))
    walk.click(walk.page.get_by_role("link", name="Run parcel-form again with other values").first)
    # What comes first is ready to be typed over.
    expect(walk.page.get_by_label("Who gets the parcel")).to_be_focused()
    walk.click(walk.page.get_by_label("City"))
    walk.page.keyboard.type("Turku")
    walk.click(walk.page.get_by_role("button", name="Run", exact=True))
    walk.page.wait_for_url("**/ui/runs/*")

    begun = dashboard.http.get(f"/jobs/{walk.page.url.rpartition('/')[2]}").json()
    dashboard.http.delete(f"/jobs/{begun['id']}")
    assert begun["request"]["params"]["city"] == "Turku"
    assert walk.clicks <= 3


@pytest.mark.nightly
def test_what_was_done_yesterday_at_ten_becomes_a_task_and_its_questions_are_answered_where_they_are_asked(
    browser: Browser, remembering: Dashboard
) -> None:
    window = Window(browser, remembering.url, "walk")
    walk = Walk(window.open("/"))
    page = walk.page
    walk.click(page.get_by_role("navigation", name="Main").get_by_role("link", name="Memory"))
    expect(page.get_by_label("What did you do?")).to_be_focused()
    page.keyboard.type("what did I do yesterday at 10?")
    found = page.locator("#answers .memory").first
    expect(found).to_contain_text("Place order")
    walk.click(found.get_by_role("button", name="Make a task of it"))
    expect(found.get_by_role("form", name="Answers")).to_be_visible(timeout=WORK_MS)
    assert walk.clicks <= 4

    where = page.url
    first = found.get_by_role("textbox").first
    first.fill("https://harbour.example")
    found.get_by_role("button", name="Apply & continue").click()
    expect(found.get_by_role("button", name="Run it now")).to_be_focused()
    assert page.url == where
    window.picture(page, "answered")
    task = found.get_by_role("link", name="Open the task").get_attribute("href") or ""
    text = (remembering.data / "tasks" / task.rpartition("/")[2] / "HEARTBEAT.md").read_text()
    assert "Answer: https://harbour.example" in text

    page.goto("/")
    asks = page.locator("#asks")
    asks.get_by_role("button", name="Answer").click()
    asks.get_by_role("textbox").first.fill("No.")
    asks.get_by_role("button", name="Apply & continue").click()
    expect(asks).to_contain_text("asks nothing any more.")
    assert page.url == f"{remembering.url}/"
    window.close()


@pytest.mark.nightly
def test_the_home_page_tells_which_step_a_run_is_at(window: Window, dashboard: Dashboard) -> None:
    require_browser_sandbox()
    page = window.open("/")
    begun = dashboard.http.post("/replay", json={"workflow": "parcel-form", "display": "private"}).json()["job_id"]
    card = page.locator("#running article", has=page.locator(f"a[href$='{begun}']"))
    expect(card).to_contain_text(re.compile(r"Now at 2 of 3: (Write|Choose|Click|Tick|Pick|Set) "), timeout=WORK_MS)
    window.picture(page, "running")
    dashboard.http.delete(f"/jobs/{begun}")
    until(lambda: dashboard.http.get(f"/jobs/{begun}").json()["state"] == "cancelled", seconds=WORK_SECONDS)
    expect(card).to_have_count(0)
