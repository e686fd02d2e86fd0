import contextlib
import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Locator, Page, Route, expect

from tests.clock import until
from tests.dashboard.conftest import Dashboard
from tests.dashboard.test_axe import ALL, violations
from tests.fakes.desktops.x_programs import await_focus
from tests.fakes.desktops.x_user import Program, connected, running, x_display
from tests.fakes.recordings.continuous import patch, ticking
from tests.fakes.recordings.recorded_day import DATE, HOSTILE, recorded_day
from tests.fakes.recordings.remembered import procedure, remember
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
RETURN = 0xFF0D
SLOW_MS = 20_000
"""A process starts meanwhile."""


@contextlib.contextmanager
def started(data: Path, display: str, **settings: Any) -> Generator[Dashboard]:
    environment = {"DISPLAY": display, "WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": "x11"}
    daemon = Dashboard(data, environment=environment, **settings)
    try:
        yield daemon.started()  # pyright: ignore[reportReturnType] - it is what it was made as
    finally:
        daemon.close()


@pytest.fixture(scope="module")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A daemon that remembers a day, where there is no display."""
    data = tmp_path_factory.mktemp("memory")
    recorded_day(data)
    with started(data, "") as daemon:
        yield daemon


@pytest.fixture
def pages(browser: Browser, remembering: Dashboard, request: pytest.FixtureRequest) -> Iterator[Window]:
    opened = Window(browser, remembering.url, request.node.name)
    yield opened
    opened.close()


def opened(pages: Window, path: str = "/ui/memory") -> Page:
    """The page, by the clock of Greenwich."""
    page = pages.open("/ui/memory")
    page.context.new_cdp_session(page).send("Emulation.setTimezoneOverride", {"timezoneId": "UTC"})
    page.goto(path)
    return page


def await_played(page: Page, place: str, seconds: float) -> None:
    """Wait until the video there is beyond a moment."""
    until(lambda: page.locator(f"{place} video").evaluate("(video) => video.currentTime") > seconds, seconds=20)


def cards(page: Page, place: str = "#answers") -> Locator:
    return page.locator(f"{place} .memory")


@pytest.mark.nightly
def test_a_day_tells_what_can_be_played_and_why_the_rest_cannot(pages: Window) -> None:
    page = opened(pages)
    strip = page.get_by_role("slider", name="Moment of the day")
    page.get_by_label("Day", exact=True).fill(DATE)
    expect(page.locator("#day-said")).to_have_text("Friday, 20 November 2026: 3 h 35 min can be played, 5 memories.")
    bars = {kind: page.locator(f"#strip .strip-bar.{kind}").count() for kind in ("recorded", "excluded", "paused")}
    assert bars == {"recorded": 4, "excluded": 2, "paused": 1}
    assert page.locator("#strip .strip-mark").count() == 5
    expect(strip).to_have_attribute("aria-valuetext", "14:59:00, recorded")

    page.get_by_text("The day in words").click()
    words = page.locator("#day-rows tr").all_inner_texts()
    assert [line.split("\t") for line in words][:5] == [
        ["00:00:00", "06:00:00", "Unknown: there is no record of it"],
        ["06:00:00", "08:00:00", "Given way: it was recorded, and has given way to newer"],
        ["08:00:00", "09:40:00", "Recorded: can be played"],
        ["08:10:00", "08:10:36", 'Memory: Clicked "Add SSH key", and "Key added" appeared in Chromium'],
        ["08:20:00", "08:35:00", "Partly black: something excluded was blacked out"],
    ]
    assert {"Paused", "Off", "Locked", "Failed", "Forgotten"} <= {line.split("\t")[2].split(":")[0] for line in words}
    page.get_by_text("The day in words").click()

    strip.focus()
    for key in ("Home", *["PageUp"] * 9, "ArrowRight", "Enter"):
        page.keyboard.press(key)
    # The second segment began at ten to nine.
    await_played(page, "#player", 660)
    expect(page.locator("#player figcaption time")).to_contain_text("09:01:")
    pages.pictures(page, "memory")
    strip.focus()
    for key in ("Home", *["PageUp"] * 5, "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#player")).to_contain_text("Nothing can be played at 05:00:00: unknown")
    expect(page.locator("#player video")).to_be_hidden()
    # The strip shows what there is of the day: half past eight is brought into sight first.
    for key in (*["PageUp"] * 4, "PageDown"):
        page.keyboard.press(key)
    box = strip.bounding_box() or pytest.fail("the strip is not shown")
    page.mouse.move(box["x"] + box["width"] * 8 / 24, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 9 / 24, box["y"] + 40, steps=3)
    page.mouse.up()
    page.get_by_role("button", name=re.compile(r"^Forget 0[78]:\S+ . 0[89]:\S+ …$")).click()
    expect(page.get_by_label("Until")).to_have_value(re.compile(rf"^{DATE}T0[89]:\d\d"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Today").click()
    expect(page.locator("#day-said")).not_to_have_text(re.compile(r"^Friday, 20 November"))
    expect(page.get_by_role("button", name="Day after", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Day before", exact=True).click()
    expect(page.locator("#day-said")).to_have_text(re.compile(r"^Friday, 20 November 2026: 3 h"))


@pytest.mark.nightly
def test_what_is_remembered_and_the_day_are_shown_in_pictures(pages: Window) -> None:
    page = opened(pages)
    first = cards(page, "#memories").first.locator(".memory-picture")
    expect(first).to_have_attribute("src", re.compile("^blob:"))
    assert first.evaluate("image => image.decode().then(() => image.naturalWidth)") == 640
    page.get_by_label("Day", exact=True).fill(DATE)
    # Of each part in sight where something was done, else its middle.
    cell = page.get_by_role("group", name="Pictures of what is in sight").get_by_label(
        re.compile("^14:35:27, recorded")
    )
    expect(cell.locator("img")).to_have_attribute("src", re.compile("^blob:"))
    strip = page.locator(".strip-scroll").bounding_box() or pytest.fail("the strip is not shown")
    page.mouse.move(strip["x"] + strip["width"] * 0.3, strip["y"] + 40)
    expect(page.locator(".day-look")).to_contain_text(re.compile(r"^\d\d:\d\d:\d\d, "))
    assert not violations(page, ALL)
    cell.click()
    await_played(page, "#player", 900)
    expect(page.locator("#player figcaption time")).to_contain_text("14:35:")


@pytest.mark.nightly
def test_a_question_is_answered_as_it_is_typed_with_steps_and_a_clip_that_is_fetched_when_it_is_asked_for(
    pages: Window,
) -> None:
    page = opened(pages)
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    field = page.get_by_label("What did you do?")
    field.press_sequentially("how did I add an ssh key", delay=5)
    expect(cards(page)).to_have_count(1)
    expect(page.locator("#answered")).to_have_text("1 answer")
    assert sum("/memory?q=" in url for url in fetched) < len("how did I add an ssh key") / 2
    expect(page).to_have_url(re.compile(r"\?q=how\+did\+I\+add\+an\+ssh\+key$"))
    expect(cards(page).locator("ol li")).to_have_text(
        [
            "Opened github.com/settings/keys",
            'Clicked "New SSH key"',
            'Typed "work laptop" into "Title"',
            'Clicked "Add SSH key", and "Key added" appeared',
        ]
    )
    expect(cards(page).locator("ol mark").first).to_have_text('"New SSH key"')
    expect(cards(page).get_by_text(re.compile(r"\d+ % sure"))).to_be_visible()
    assert not violations(page, ALL)
    assert not [url for url in fetched if "clip.mp4" in url]
    cards(page).get_by_role("button", name="Play the clip").click()
    await_played(page, "#answers", 0.2)
    pages.pictures(page, "answers")

    page.reload()
    expect(cards(page)).to_have_count(1)
    cards(page).get_by_role("button", name="Show in the day").click()
    await_played(page, "#player", 599)
    field.fill("flibbertigibbet")
    expect(page.locator("#answers .empty")).to_contain_text("look through the day below")
    field.fill("")
    expect(page.locator("#answers > *")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/ui/memory$"))


@pytest.mark.nightly
def test_an_answer_to_what_was_typed_before_is_not_shown(pages: Window) -> None:
    page = opened(pages)
    late: list[Route] = []
    page.route(re.compile(r"/memory\?q=transfer"), lambda route: late.append(route))  # noqa: PLW0108 - it marks the function
    field = page.get_by_label("What did you do?")
    field.fill("transfer")
    expect(page).to_have_url(re.compile(r"q=transfer$"))
    field.fill("quarterly report")
    expect(cards(page).locator("h3")).to_have_text(['Clicked "Export" in Chromium'])
    with contextlib.suppress(Error):
        late[0].continue_()
    page.evaluate("fetch('/health').then((answer) => answer.json())")
    expect(cards(page).locator("h3")).to_have_text(['Clicked "Export" in Chromium'])


def test_what_was_on_a_screen_is_text_and_what_is_forgotten_is_gone_after_asking(
    pages: Window, remembering: Dashboard
) -> None:
    page = opened(pages, "/ui/memory?q=save")
    hostile = cards(page).filter(has_text="Save")
    expect(hostile.locator("ol li").first).to_have_text(HOSTILE)
    assert page.locator("#answers img:not(.memory-picture), #memories img:not(.memory-picture)").count() == 0
    listed = cards(page, "#memories")
    expect(listed).to_have_count(5)

    hostile.get_by_role("button", name="Forget this").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    assert remembering.http.get("/memory/mem-4").is_success
    hostile.get_by_role("button", name="Forget this").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget it").click()
    expect(listed).to_have_count(4)
    expect(hostile).to_have_count(0)
    assert remembering.http.get("/memory/mem-4").status_code == 404
    expect(listed.first).to_be_visible()
    # No model words memories better here.
    assert page.get_by_role("button", name="Word it better").count() == 0
    listed.first.get_by_role("button", name="Make a task of it").click()
    expect(listed.first.get_by_role("link", name="Details")).to_be_visible()


@pytest.mark.nightly
def test_without_a_display_it_is_said_why_nothing_is_recorded_or_shown(pages: Window) -> None:
    page = opened(pages)
    page.get_by_text("What would be black now").click()
    expect(page.locator("#blacked-out-now")).to_contain_text("There is no display here")
    page.get_by_role("button", name="Start recording").click()
    expect(page.locator("#recorder-phase")).to_have_text("Does not record", timeout=SLOW_MS)
    expect(page.locator("#recorder-reason")).to_contain_text("There is no display here")
    page.get_by_role("button", name="Stop recording").click()
    expect(page.locator("#recorder-phase")).to_have_text("Off")


@pytest.mark.nightly
def test_two_windows_agree_on_what_is_recorded_shown_black_played_and_forgotten(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        x_display() as display,
        ticking(display),
        patch(display, 0x00E060, "my vault", "Safe") as secret,
        started(tmp_path, display, record_exclude_titles="vault", record_fps=8.0) as daemon,
    ):
        secret.report("show")
        secret.report("move 300 200")
        window = Window(browser, daemon.url, "recorded")
        page = window.open("/ui/memory")
        other = window.open("/ui/memory")
        page.get_by_role("button", name="Start recording").click()
        for each in (page, other):
            expect(each.locator("#recorder-phase")).to_have_text("Recording", timeout=SLOW_MS)
            expect(each.locator("#recorder-reason")).to_contain_text("Partly blacked out now")
        page.get_by_text("What would be black now").click()
        expect(page.locator(".exclusion-windows li").filter(has_text="Safe")).to_contain_text("black: the title vault")
        page.reload()
        expect(page.locator("#day-said")).to_contain_text("can be played")
        page.get_by_role("slider").focus()
        for key in ("End", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#player video")).to_have_js_property("readyState", 4)
        window.picture(page, "recording")
        other.locator("#recorder-actions").get_by_role("button", name="Pause").click()
        expect(page.locator("#recorder-phase")).to_have_text("Paused")
        page.get_by_label("Forget the last").fill("2")
        page.get_by_role("button", name="Forget …", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Forget", exact=True).click()
        expect(page.locator("#notices")).to_contain_text("Forgotten: 2 min")
        page.get_by_text("The day in words").click()
        expect(page.locator("#day-rows")).to_contain_text("Forgotten: you had it removed")
        page.get_by_role("button", name="Stop recording").click()
        for each in (page, other):
            expect(each.locator("#recorder-phase")).to_have_text("Off")
        window.close()


def typed(display: str, text: str) -> None:
    """Have somebody type it who is there."""
    with connected(display) as x, contextlib.closing(Program(display)) as person:
        first, last = x.setup.min_keycode, x.setup.max_keycode
        found = x.core.GetKeyboardMapping(first, last - first + 1).reply()
        plain = [*found.keysyms][:: found.keysyms_per_keycode]
        for letter in text:
            code = first + plain.index(RETURN if letter == "\n" else ord(letter))
            person.send("key_press", code)
            person.send("key_release", code)


@pytest.mark.nightly
def test_what_was_done_on_a_display_is_found_and_watched_seconds_later(browser: Browser, tmp_path: Path) -> None:
    command = ["xterm", "-fa", "Monospace", "-fs", "18", "-geometry", "70x16+40+40", "-T", "Terminal", "-e", "sh"]
    with x_display() as display, running(command, env={**os.environ, "DISPLAY": display, "PS1": "$ "}):
        await_focus(display, "xterm")
        with started(tmp_path, display, record_fps=4.0) as daemon:
            window = Window(browser, daemon.url, "found")
            page = window.open("/ui/memory")
            page.get_by_role("button", name="Start recording").click()
            expect(page.locator("#recorder-phase")).to_have_text("Recording", timeout=SLOW_MS)
            until(lambda: daemon.http.get("/recorder").json()["segments"], seconds=20)
            typed(display, "pwd\n")
            expect(cards(page, "#memories")).to_have_count(1, timeout=3 * SLOW_MS)
            typed(display, "echo watering the garden gnome\n")
            expect(page.locator("#memories")).to_contain_text("garden gnome", timeout=3 * SLOW_MS)
            page.get_by_label("What did you do?").fill("when did I water the gnome?")
            cards(page).first.get_by_role("button", name="Play the clip").click()
            await_played(page, "#answers", 0.2)
            cards(page).first.get_by_role("button", name="Show in the day").click()
            await_played(page, "#player", 0.2)
            window.picture(page)
            window.close()


@pytest.mark.nightly
def test_the_page_says_that_the_daemon_is_away_and_goes_on_with_another_that_words_memories_better(
    browser: Browser, tmp_path: Path
) -> None:
    recorded_day(tmp_path)
    remember(tmp_path, *(procedure(number, source="run", video=f"run-{number}") for number in range(100, 120)))
    with started(tmp_path, "") as first:
        port = first.port
        window = Window(browser, first.url, "away")
        window.forgiven = ["Failed to load resource"]
        page = window.open("/ui/memory?q=ssh")
        expect(cards(page)).not_to_have_count(0)
        assert page.get_by_role("button", name="Word it better").count() == 0
        expect(page.locator("#memory-count")).to_have_text("25 memories")
        page.get_by_role("button", name="Older").click()
        expect(cards(page, "#memories")).to_have_count(10)
        expect(cards(page, "#memories").first).to_be_focused()
        page.get_by_role("button", name="Newer").click()
        expect(cards(page, "#memories")).to_have_count(15)
        first.process.kill()
        expect(page.locator("#recorder-phase")).to_have_text("Not known")
        expect(page.get_by_role("button", name="Start recording")).to_have_count(0)
        expect(cards(page, "#memories")).to_have_count(15)
        window.picture(page)
    with started(tmp_path, "", port=port, memory_refiner="vision"):
        expect(page.locator("#recorder-phase")).to_have_text("Off", timeout=SLOW_MS)
        page.reload()
        cards(page).get_by_role("button", name="Word it better").first.click()
        expect(page.locator("#notices .bad")).to_be_visible(timeout=SLOW_MS)
        expect(cards(page).get_by_role("button", name="Word it better").first).to_be_enabled()
        window.close()
