import base64
import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any

import av
import pytest
from playwright.sync_api import Page, Route, expect

from tests.clock import until
from tests.dashboard.conftest import ROOT, Dashboard
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
SAMPLE = ROOT / "samples" / "checkout.mp4"
WANTED = ('"Order 1042 confirmed" is shown', '"Refund issued" is shown', "the page looks nice")
"""What the shared analysis was asked: the same question about the same content is answered at once."""
PLAYING = re.compile(r"/ui/videos/job-[0-9a-f]+")


def moment(page: Page) -> float:
    """Where the clip is, in seconds."""
    return page.evaluate("document.querySelector('video').currentTime")


def playable(page: Page) -> None:
    """Wait until the clip can be played."""
    expect(page.locator("#play")).to_be_enabled()


def drop(page: Page, video: Path) -> None:
    """Let go of a file over the page."""
    carried = page.evaluate_handle(
        """([name, text]) => {
            const carried = new DataTransfer();
            carried.items.add(new File([Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))], name));
            return carried;
        }""",
        [video.name, base64.b64encode(video.read_bytes()).decode()],
    )
    page.locator("body").dispatch_event("dragenter", {"dataTransfer": carried})
    expect(page.locator("#veil")).to_be_visible()
    page.locator("body").dispatch_event("drop", {"dataTransfer": carried})
    expect(page.locator("#veil")).to_be_hidden()


@pytest.mark.usefixtures("analysis")
def test_a_file_that_is_dropped_can_be_watched_beside_what_happened_in_it(window: Window) -> None:
    page = window.open("/ui/videos")
    drop(page, SAMPLE)
    expect(page.locator("#chosen")).to_contain_text("checkout.mp4")
    page.get_by_label("What should have happened").fill("\n".join(WANTED))
    page.get_by_role("button", name="Watch it").click()

    page.wait_for_url(PLAYING)
    expect(page.get_by_role("heading", name="checkout.mp4")).to_be_visible()
    playable(page)
    proof = page.locator("#verdicts").get_by_role("button", name="Show 00:16.0")
    proof.click()
    assert 16.0 <= moment(page) < 16.2
    expect(page.locator("#current")).to_contain_text("Order 1042 confirmed")
    expect(page).to_have_url(re.compile(r"#t=160\d\d$"))
    expect(page.locator("#stage .box")).to_be_visible()


def test_actions_and_events_are_reached_by_click_by_key_and_by_address(
    window: Window, analysis: dict[str, Any]
) -> None:
    actions, events = analysis["result"]["actions"], analysis["result"]["timeline"]
    basket = next(place for place, action in enumerate(actions) if action["target"] == "Add to basket")
    page = window.open(f"/ui/videos/{analysis['id']}#t={actions[basket]['t_ms']}")
    playable(page)
    current = page.locator(".event-button[aria-current=true]")

    # A row is what was done, with what followed.
    expect(current).to_contain_text('Clicked "Add to basket".')
    expect(current).to_contain_text('The text "0" changed to "1".')
    expect(current).to_contain_text('"Blue mug added to basket" appeared.')
    assert abs(moment(page) - actions[basket]["t_ms"] / 1000) < 0.05
    page.keyboard.press("k")
    expect(current).to_contain_text(actions[basket - 1]["description"])
    page.keyboard.press("j")
    expect(page.locator("#current")).to_contain_text('Clicked "Add to basket".')
    for followed in ('The text "0" changed to "1".', '"Blue mug added to basket" appeared.'):
        # Two events of one moment are two all the same.
        page.keyboard.press("J")
        expect(page.locator("#current")).to_contain_text(followed)
        expect(current.locator(".is-shown")).to_contain_text(followed)
    page.keyboard.press("K")
    expect(page.locator("#current")).to_contain_text('The text "0" changed to "1".')
    before = moment(page)
    page.keyboard.press("ArrowRight")
    assert moment(page) > before
    page.keyboard.press(" ")
    expect(page.locator("#play")).to_have_text("Pause")
    page.keyboard.press(" ")
    page.locator(".event-button").first.click()
    expect(current).to_contain_text(events[0]["description"])


@pytest.mark.nightly
def test_what_is_searched_for_is_shown_and_events_are_narrowed_by_kind(
    window: Window, analysis: dict[str, Any]
) -> None:
    page = window.open(f"/ui/videos/{analysis['id']}")
    playable(page)
    count = page.locator("#count")
    expect(count).to_have_text("7 actions, 10 events")

    page.keyboard.press("/")
    page.keyboard.type("blue")
    expect(page.locator("#current")).to_contain_text("Blue mug 12.50 euros")
    # Letters that come later are of the same search: it goes on from where it began.
    page.keyboard.type(" mug")
    expect(count).to_have_text("3 found")
    # It is searched as one types: the rows of a shorter search may still be there for a moment.
    until(lambda: set(page.locator(".event:visible mark").all_text_contents()) == {"Blue mug"})
    expect(page.locator("#current")).to_contain_text("Blue mug 12.50 euros")
    expect(page.locator("#stage .box")).to_be_visible()
    expect(page.locator(".film-cell.is-hit")).to_have_count(2)
    page.keyboard.press("Enter")
    expect(page.locator("#current")).to_contain_text("Blue mug added to basket")
    page.keyboard.press("Escape")
    expect(count).to_have_text("7 actions, 10 events")
    page.get_by_role("button", name="All events").click()
    expect(count).to_have_text("10 events")
    page.get_by_role("button", name=re.compile("^typed")).click()
    expect(count).to_have_text("7 of 10 events")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next action")


@pytest.mark.nightly
def test_the_film_strip_shows_key_moments_and_what_is_looked_ahead_at(window: Window, analysis: dict[str, Any]) -> None:
    page = window.open(f"/ui/videos/{analysis['id']}")
    playable(page)
    cells = page.locator(".film-cell")
    expect(cells).to_have_count(6)
    for image in cells.locator("img").all():
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 640
    # The proof of a verdict has its colour, and leads there.
    proof = page.locator(".film-cell.good")
    expect(proof).to_have_attribute("aria-label", re.compile("Order 1042 confirmed"))
    proof.click()
    assert 16.0 <= moment(page) < 16.2

    slider = page.get_by_label("Place in the clip")
    slider.hover(position={"x": slider.bounding_box()["width"] * 0.81, "y": 8})  # type: ignore[index]
    look = page.locator(".look")
    expect(look).to_contain_text("as a spinner does")
    # Of the clip itself, which stays where it is.
    expect(look.locator("img")).to_have_attribute("src", re.compile("^blob:"))
    assert 16.0 <= moment(page) < 16.2
    page.mouse.move(0, 0)
    expect(look).to_be_hidden()


@pytest.mark.nightly
def test_what_keeps_the_screen_busy_is_found_with_the_click_that_began_it(
    window: Window, analysis: dict[str, Any]
) -> None:
    page = window.open(f"/ui/videos/{analysis['id']}")
    page.get_by_label("Search the timeline").fill("spinner")
    row = page.locator(".event:visible", has_text="as a spinner does")
    expect(row).to_contain_text('Clicked "Place order"')
    assert row.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") == 640


@pytest.mark.nightly
def test_an_analysis_is_taken_along(window: Window, analysis: dict[str, Any]) -> None:
    page = window.open(f"/ui/videos/{analysis['id']}")
    for name, begins in (("JSON", b"{"), ("Markdown", b"# checkout.mp4"), ("Contact sheet", b"\xff\xd8\xff")):
        with page.expect_download() as download:
            page.locator("#exports").get_by_text(name, exact=True).click()
        assert download.value.path().read_bytes().startswith(begins)


@pytest.mark.nightly
def test_an_analysis_is_shared_as_one_file_that_shows_itself(
    window: Window, analysis: dict[str, Any], tmp_path: Path
) -> None:
    page = window.open(f"/ui/videos/{analysis['id']}")
    with page.expect_download() as download:
        page.locator("#exports").get_by_text("Share", exact=True).click()
    assert download.value.suggested_filename == "checkout.html"
    file = tmp_path / "checkout.html"
    download.value.save_as(file)
    assert file.stat().st_size < 500_000

    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(file.as_uri())
    expect(page.locator(".outcome")).to_contain_text("1 of 3 as expected, 1 unclear")
    page.get_by_role("link", name="00:16.0", exact=True).click()
    expect(page.locator("article:target")).to_contain_text('Clicked "Place order".')
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    window.picture(page, "shared")


@pytest.mark.nightly
def test_both_pages_in_each_width_and_theme(window: Window, analysis: dict[str, Any]) -> None:
    page = window.open("/ui/videos")
    expect(page.locator("#list").get_by_text("checkout.mp4").first).to_be_visible()
    expect(page.locator("#list").get_by_text("1 unclear").first).to_be_visible()
    window.pictures(page, "videos")
    page.goto(f"/ui/videos/{analysis['id']}#t=5200")
    playable(page)
    window.pictures(page, "video")


def many(route: Route) -> None:
    """The same analysis with ten thousand events."""
    answer = route.fetch()
    job = answer.json()
    events, length = job["result"]["timeline"], job["result"]["video"]["duration_ms"]
    job["result"]["timeline"] = [
        {**events[place % len(events)], "t_ms": place * length // 10_000, "description": f"Event {place} came."}
        for place in range(10_000)
    ]
    route.fulfill(response=answer, body=json.dumps(job))


@pytest.mark.nightly
def test_ten_thousand_events_are_as_many_elements_as_a_few(window: Window, analysis: dict[str, Any]) -> None:
    page = window.open("/ui/welcome")
    page.route(f"**/jobs/{analysis['id']}", many)
    page.goto(f"/ui/videos/{analysis['id']}")
    expect(page.locator("#count")).to_have_text("7 actions, 10,000 events")
    page.get_by_role("button", name="All events").click()
    expect(page.locator("#count")).to_have_text("10,000 events")

    page.locator(".virtual").evaluate("list => { list.scrollTop = list.scrollHeight }")
    expect(page.get_by_text("Event 9999 came.")).to_be_visible()
    expect(page.locator(".event[aria-posinset='10000'][aria-setsize='10000']")).to_be_visible()
    page.locator(".virtual").hover()
    page.mouse.wheel(0, -300)
    page.get_by_role("button", name="Follow the clip").click()
    page.keyboard.press("j")
    expect(page.get_by_text("Event 0 came.").first).to_be_visible()
    page.get_by_label("Search the timeline").fill("event 4999 ")
    expect(page.locator("#count")).to_have_text("1 found")
    assert page.evaluate("document.querySelectorAll('*').length") < 700


def recorded(route: Route) -> None:
    """The job with a test's own record."""
    response = route.fetch()
    job = response.json()
    basket = next(
        at for at, event in enumerate(job["result"]["timeline"]) if event["text"] == "Blue mug added to basket"
    )
    at_ms = job["result"]["timeline"][basket]["t_ms"]
    failed: dict[str, Any] = {
        "method": "expect",
        "title": "assert 2 mugs",
        "error": "1",
        "source": {"file": "e2e/a.cy.js", "line": 7},
    }
    calls: list[dict[str, Any]] = [
        {"t_ms": at_ms, "method": "click", "title": "click .add", "events": [basket]},
        {"t_ms": at_ms + 100, "method": "expect", "title": "assert 1 mug", "events": []},
        {"t_ms": at_ms + 2000, "events": [], **failed},
    ]
    job["result"]["trace"] = {"path": "a.mp4", "recorder": "cypress", "clock": "own rows", "actions": calls}
    job["result"]["trace"]["tests"] = [
        {"title": "shop fills a basket", "t_ms": 0, "ended": "passed"},
        {"title": "shop empties it", "t_ms": 900, "ended": "failed"},
        {"title": "shop is left", "t_ms": 1800, "ended": None},
    ]
    route.fulfill(response=response, json=job)


def test_a_test_s_own_record_is_what_was_done(window: Window, analysis: dict[str, Any]) -> None:
    page = window.open("/ui/welcome")
    page.route(f"**/jobs/{analysis['id']}", recorded)
    page.goto(f"/ui/videos/{analysis['id']}")
    rows = page.locator(".event-button")

    expect(page.locator("#count")).to_contain_text("2 actions")
    clicked = rows.filter(has_text="click .add.")
    expect(clicked).to_contain_text('"Blue mug added to basket" appeared.')
    expect(rows.filter(has_text="a.cy.js:7 assert 2 mugs, which failed.")).to_be_visible()
    expect(rows.filter(has_text="assert 1 mug")).to_have_count(0)
    expect(page.get_by_role("region", name="3 tests").get_by_role("listitem")).to_have_text(
        [
            re.compile(r"passed\s+shop fills a basket"),
            re.compile(r"failed\s+shop empties it"),
            re.compile(r"end not seen\s+shop is left"),
        ]
    )


@pytest.mark.usefixtures("analysis")
@pytest.mark.nightly
def test_what_failed_says_why_and_can_be_asked_again(window: Window, dashboard: Dashboard, tmp_path: Path) -> None:
    video = tmp_path / "clip.mp4"
    shutil.copy(SAMPLE, video)
    for name in ("first.mp4", "second.mp4"):
        shutil.copy(SAMPLE, tmp_path / name)
        dashboard.submitted(tmp_path / name, use_cache=False)
    waiting = dashboard.submitted(video, use_cache=False)
    video.write_text("no video at all any more")
    job = dashboard.finished(waiting)
    window.forgiven = ["Failed to load resource"]

    page = window.open(f"/ui/videos/{job['id']}")

    expect(page.locator("#state")).to_contain_text(job["error"]["error"])
    shutil.copy(SAMPLE, video)
    page.get_by_label("What should have happened").fill("\n".join(WANTED))
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#verdicts")).to_contain_text("pass")


@pytest.mark.nightly
@pytest.mark.usefixtures("analysis")
def test_a_wrong_path_is_told_at_its_field_and_what_was_typed_stays(window: Window, tmp_path: Path) -> None:
    window.forgiven = ["status of 4"]
    page = window.open("/ui/videos")
    path = page.get_by_label("Or a file on the daemon's machine")
    page.get_by_label("What should have happened").fill("\n".join(WANTED))
    path.fill(str(tmp_path / "nosuch.mp4"))
    page.get_by_role("button", name="Watch it").click()

    expect(page.locator("#path-problem")).to_contain_text("nosuch.mp4")
    expect(path).to_be_focused()
    expect(path).to_have_attribute("aria-invalid", "true")
    expect(path).to_have_value(str(tmp_path / "nosuch.mp4"))
    expect(page.get_by_label("What should have happened")).to_have_value("\n".join(WANTED))
    path.fill(str(SAMPLE))
    expect(page.locator("#path-problem")).to_be_hidden()
    page.get_by_role("button", name="Watch it").click()
    page.wait_for_url(PLAYING)
    expect(page.locator("#verdicts")).to_contain_text("pass")


@pytest.mark.nightly
@pytest.mark.usefixtures("analysis")
def test_a_clip_that_is_gone_leaves_its_pictures(window: Window, dashboard: Dashboard, tmp_path: Path) -> None:
    # A name that would be markup, were it ever read as such.
    video = tmp_path / "<img src=x onerror=alert(1)>.mp4"
    shutil.copy(SAMPLE, video)
    job = dashboard.analysed(video, *WANTED)
    video.unlink()
    window.forgiven = ["Failed to load resource"]

    page = window.open(f"/ui/videos/{job['id']}#t=16100")

    expect(page.get_by_role("heading", level=1)).to_have_text(video.name)
    expect(page.locator("#clip")).to_contain_text("pictures of its events are shown instead")
    assert page.locator(".stage-still").evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280
    expect(page.locator("#play")).to_be_disabled()


@pytest.mark.nightly
def test_what_browsers_do_not_play_is_played_all_the_same(window: Window, dashboard: Dashboard, tmp_path: Path) -> None:
    video = tmp_path / "clip.gif"
    with av.open(str(SAMPLE)) as film:
        pictures: list[Any] = [frame.to_image() for frame in itertools.islice(film.decode(video=0), 0, 200, 10)]
    pictures[0].save(video, save_all=True, append_images=pictures[1:], duration=200)
    job = dashboard.analysed(video)

    page = window.open(f"/ui/videos/{job['id']}#t=2000")
    playable(page)

    assert 1.9 < moment(page) < 2.1
    assert page.evaluate("document.querySelector('video').videoWidth") == 1280


@pytest.mark.nightly
def test_the_list_tells_what_goes_on_while_it_goes_on(window: Window, dashboard: Dashboard, tmp_path: Path) -> None:
    video = tmp_path / "orders.mp4"
    shutil.copy(ROOT / "tests" / "clips" / "orders.mp4", video)
    page = window.open("/ui/videos")
    expect(page.locator("#stream-state")).to_have_text("Live")

    asked = {"video_path": str(video), "use_cache": False}
    dashboard.http.post("/analyse", json=asked, headers={"Prefer": "respond-async"})

    row = page.locator(".watched", has_text="orders.mp4").first
    expect(row.get_by_role("progressbar")).to_be_visible()
    row.get_by_role("button", name="Cancel orders.mp4").click()
    expect(row).to_contain_text("cancelled")
