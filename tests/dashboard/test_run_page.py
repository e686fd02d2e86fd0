import re
import shutil
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.dashboard.conftest import ROOT, Dashboard, started
from tests.dashboard.test_axe import ALL, violations
from tests.fakes.daemons.scripted_daemon import scripted_daemon
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
RUN_MS = 60_000


def begun(daemon: Dashboard) -> str:
    """The job of a run that has just begun."""
    require_browser_sandbox()
    return daemon.http.post("/replay", json={"workflow": "parcel-form", "display": "private"}).json()["job_id"]


@pytest.mark.nightly
def test_a_run_that_is_over_is_told_from_its_first_step_to_its_evidence(window: Window, run: dict[str, Any]) -> None:
    page = window.open(f"/ui/runs/{run['id']}")
    result = page.get_by_role("region", name="Outcome")

    expect(page.get_by_role("heading", level=1)).to_have_text("parcel-form")
    expect(result.get_by_role("heading")).to_contain_text(
        'All 3 steps done, seen on the screen only: "Order 1042 is waiting for pickup" is shown.'
    )
    expect(result.locator(".run-moment")).to_be_visible()
    expect(result).to_contain_text('the number after "Order" in the line that ends with "placed": 1042')
    expect(result).to_contain_text("24 actions")
    expect(page.locator('.run-subtask[data-state="done"]')).to_have_count(3)
    lines = page.locator(".run-line")
    expect(lines.first).to_contain_text("Open the parcel desk")
    expect(lines.first.locator("details")).not_to_have_attribute("open", "")
    assert "x720 at" not in page.locator("#steps").text_content()  # type: ignore[operator]
    lines.first.locator("summary").click()
    expect(lines.first).to_contain_text("Go to form.html")
    expect(lines.first).to_contain_text("The whole screen changed.")
    expect(page.locator(".run-picture")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    result.get_by_role("button", name="Show the last action", exact=True).click()
    expect(page.locator(".run-step:focus")).to_be_in_viewport()
    window.pictures(page, "over")

    before = page.locator("main").text_content()
    page.reload()
    expect(page.locator(".run-picture")).to_be_visible()
    expect(page.locator("main")).to_have_text(
        re.compile(re.escape(" ".join((before or "").split()[:40])).replace(r"\ ", r"\s+"))
    )
    expect(page.locator('.run-subtask[data-state="done"]')).to_have_count(3)


@pytest.mark.nightly
def test_a_screenshot_opens_large_and_the_report_in_a_sandbox(window: Window, run: dict[str, Any]) -> None:
    page = window.open(f"/ui/runs/{run['id']}")
    page.locator(".run-line summary").nth(1).click()
    page.get_by_role("button", name=re.compile("Screen before")).first.click()
    large = page.get_by_role("dialog", name="Screenshot")

    expect(large.get_by_role("img")).to_be_visible()
    large.get_by_role("button", name="Close").click()
    expect(large).to_have_count(0)
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Report").click()
    report = opened.value
    expect(report.get_by_role("heading", level=1)).to_have_text("parcel-form")
    assert report.evaluate("origin") == "null"
    assert report.locator("img").first.evaluate("image => image.naturalWidth") > 0


def test_what_is_no_run_says_so_and_where_to_go(window: Window) -> None:
    window.forgiven = ["404"]
    page = window.open("/ui/runs/job-nothing")

    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such run")
    expect(page.get_by_role("link", name="See what runs now")).to_be_visible()


def test_each_job_tells_what_came_of_it_and_where_it_goes_on(browser: Browser, tmp_path: Path) -> None:
    with scripted_daemon(tmp_path) as daemon, httpx2.Client(base_url=f"http://127.0.0.1:{daemon.port}") as http:
        video = tmp_path / "fine.mp4"
        video.touch()
        for how in ("unclear", "broken", "endless"):
            http.post("/replay", json={"workflow": "note", "params": {"how": how}})
        http.post("/tasks", json={"video_paths": [str(video)]})
        window = Window(browser, str(http.base_url), "jobs")
        # There is no recorder here, no workflow in a folder, and no screen of a run.
        window.forgiven = ["/recorder", "/workflows/note/runs", "screen.jpg"]
        page = window.open("/ui/runs/job-1")
        expect(page.locator("#about")).to_contain_text("unclear")
        expect(page.get_by_role("heading", name="It was not seen.")).to_be_visible()
        page.goto("/ui/runs/job-2")
        expect(page.get_by_text("Gemini does not answer; try again later.")).to_be_visible()
        expect(page.get_by_role("button", name="Run again", exact=True)).to_be_visible()
        page.goto("/ui/runs/job-3")
        expect(page.locator(".run-subtask")).to_contain_text("Save it.")
        expect(page.locator("#whereabouts")).to_have_text("Now: Save it.")
        page.get_by_role("button", name="Stop this run").click()
        expect(page.get_by_role("heading", name="cancelled")).to_be_visible()
        page.goto("/ui/runs")
        expect(page.locator(".runs-row")).to_have_count(3)
        assert page.get_by_label("How it ended").locator("option").all_inner_texts()[0] == "Any"
        page.get_by_label("How it ended").select_option("unclear")
        expect(page.locator(".runs-row")).to_have_count(1)
        expect(page.locator("#count")).to_have_text("1 of 3 runs")
        page.goto("/ui/runs/job-4")
        expect(page.get_by_role("link", name="Answer 2 questions")).to_have_attribute(
            "href", "/ui/tasks/send-it#questions"
        )
        assert not violations(page, ALL)
        window.close()


@pytest.mark.nightly
def test_a_person_takes_over_in_the_browser_and_gives_back(window: Window, dashboard: Dashboard) -> None:
    job_id = begun(dashboard)
    page = window.open(f"/ui/runs/{job_id}")
    beside = window.beside(page.context.new_page(), f"/ui/runs/{job_id}")
    expect(page.locator(".run-picture")).to_be_visible(timeout=RUN_MS)
    page.get_by_role("button", name="Take over").click()
    stage = page.get_by_role("application")
    expect(stage).to_be_visible()
    expect(page.locator("#about")).to_contain_text("you are driving")
    expect(beside.locator("#about")).to_contain_text("held")
    window.pictures(page, "driving")
    assert not violations(page, ALL)

    page.set_viewport_size({"width": 1280, "height": 900})
    sent: list[dict[str, Any]] = []
    page.on(
        "request", lambda each: sent.append(dict(each.post_data_json or {})) if each.url.endswith("/input") else None
    )
    use(page, stage)
    page.keyboard.type("swordfish")
    page.keyboard.press("Control+Alt+Enter")
    expect(page.get_by_role("button", name="Give back")).to_be_focused()
    page.get_by_label("Type a text").fill("secret")
    page.get_by_label("Type a text").press("Enter")
    page.get_by_role("button", name="Press escape").click()
    # What is sent is done in its order: when the last is done, all are.
    with page.expect_response(re.compile("/input$")):
        page.get_by_role("button", name="Press tab").click()
    page.get_by_role("button", name="Give back").click()

    for each in (page, beside):
        expect(each.locator("#steps")).to_contain_text(re.compile("you did [0-9]+ things"))
    assert [each["action"] for each in sent[:5]] == [
        "left_click",
        "double_click",
        "right_click",
        "scroll",
        "left_click_drag",
    ]
    assert "".join(each["text"] for each in sent if each["action"] == "type") == "swordfishsecret"
    assert [each["keys"] for each in sent if each["action"] == "key"] == [["escape"], ["tab"]]
    left, double = sent[0]["at"], sent[1]["at"]
    assert abs(left["x"] - 640) < 4
    assert abs(double["y"] - 180) < 4
    page.locator("#controls").get_by_role("button", name="Stop this run").click()
    for each in (page, beside):
        expect(each.get_by_role("region", name="Outcome")).to_contain_text("ancelled", timeout=RUN_MS)
    sentence = dashboard.http.get(f"/jobs/{job_id}/events").text
    assert "swordfish" not in sentence
    assert "secret" not in sentence


def use(page: Page, stage: Locator) -> None:
    """The mouse on the picture: each kind of thing once, in the page's middle or a quarter down."""
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2
    quarter, half = box["y"] + box["height"] / 4, box["y"] + box["height"] / 2
    for act in (
        lambda: page.mouse.click(middle, half),
        lambda: page.mouse.dblclick(middle, quarter),
        lambda: page.mouse.click(middle, half, button="right"),
        lambda: page.mouse.wheel(0, 240),
    ):
        with page.expect_response(re.compile("/input$")):
            act()
    page.mouse.move(middle, half)
    page.mouse.down()
    page.mouse.move(middle + 60, half + 20)
    with page.expect_response(re.compile("/input$")):
        page.mouse.up()


@pytest.mark.nightly
def test_what_the_gate_asks_stands_out_and_is_answered(browser: Browser, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "workflows" / "parcel-form", tmp_path / "workflows" / "parcel-form")
    with started(tmp_path, display="private", gate="confirm_risky") as daemon:
        window = Window(browser, daemon.url, "gate")
        page = window.open(f"/ui/runs/{begun(daemon)}")
        panel = page.get_by_role("group", name=re.compile("asks"))
        expect(panel).to_be_visible(timeout=RUN_MS)
        expect(panel.get_by_role("timer")).to_contain_text("seconds left")
        window.pictures(page, "asking")
        assert not violations(page, ALL)
        page.reload()
        expect(panel).to_be_visible()
        panel.get_by_role("button", name="Refuse").click()
        expect(panel).to_be_hidden()
        expect(page.get_by_role("region", name="Outcome")).to_contain_text("It was not confirmed", timeout=RUN_MS)
        expect(page.locator("#steps")).to_contain_text("Answer: no")
        window.close()


@pytest.mark.nightly
def test_a_page_outlives_the_daemon_and_tells_what_became_of_the_run(browser: Browser, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "workflows" / "parcel-form", tmp_path / "workflows" / "parcel-form")
    with started(tmp_path, display="private") as first:
        port = first.port
        window = Window(browser, first.url, "outlived")
        window.forgiven = ["Failed to load resource"]
        page = window.open(f"/ui/runs/{begun(first)}")
        expect(page.locator(".run-step").first).to_be_attached(timeout=RUN_MS)
        first.process.kill()
        expect(page.locator("#stream-state")).to_contain_text("The daemon is away")
    with started(tmp_path, port=port, display="private"):
        expect(page.locator("#stream-state")).to_have_text("Live", timeout=RUN_MS)
        expect(page.get_by_role("region", name="Outcome")).to_contain_text("The daemon ended while this run was acting")
        expect(page.locator(".run-step").first).to_be_attached()
        window.close()
