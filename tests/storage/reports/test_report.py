"""``report.html``: self-contained, without script, and all that screens and models said is text in it."""

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from adapters.desktop.eyes import MAX_WIDTH, thumbnail
from core.runs.run import RunOutcome
from storage.reports.report import Thumbnail, report_page
from storage.runs import RunFolders
from tests.fakes.runs.recorded_runs import action, picture, record

HOSTILE = "</p><script>alert(1)</script><img src=x onerror=alert(1)>\" ' & {x} ${y} \u202e"


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in {"meta", "img", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += f"{data} "


def _page(tmp_path: Path, name: str = "Ada Lovelace", outcome: RunOutcome = RunOutcome.SUCCEEDED) -> str:
    workflow = tmp_path / "workflow"
    workflow.mkdir()
    runs = RunFolders(data_dir=tmp_path / "data", encode=lambda _: b"", shrink=thumbnail, redact=lambda text: text)
    folder = runs.open(str(workflow), "job", ())
    record(folder, name=name, outcome=outcome)
    return (folder.directory / "report.html").read_text(encoding="utf-8")


def test_the_outcome_comes_first_and_then_every_step(tmp_path: Path) -> None:
    text = " ".join(Elements(_page(tmp_path, outcome=RunOutcome.FAILED)).text.split())
    reported = [
        "send_a_form ✗ Stopped at step 2 of 2: exceeded max iterations (30).",
        "Where it failed Open nosuch There is no such program.",
        'unclear at the end: "Sent" is shown',
        "Took 1 min 15 s",
        "Tokens 12,345 in, 678 out",
        "Cost $0.0421",
        "name Ada Lovelace",
        "1 Fill in the form. Expected outcome: the name is shown. ✓ seen, 2.3 s",
        "seen afterwards: the name is shown",
        "action 1",
        "Click at 610, 192",
        "the screen reacted",
        "Type “Ada Lovelace”",
        "Read extract_0: The name",
        "2 Send it. Expected outcome: the page says that it was sent. ✗ failed",
        "Drag from 600, 300 to 900, 400",
        "no visible effect The screen looks as before.",
        "Click at 395, 585 with ctrl held",
        "Open nosuch",
        "not done There is no such program.",
    ]
    place = 0
    for each in reported:
        # What the opening tells is told again at its step.
        place = text.index(each, place)


def test_a_failed_run_opens_with_the_failing_moment_its_picture_and_a_link_to_the_step(tmp_path: Path) -> None:
    page = _page(tmp_path, outcome=RunOutcome.FAILED)
    header = page[page.index("<header") : page.index("</header>")]

    assert "Where it failed" in header
    assert "There is no such program." in header
    assert 'href="#step-1-1"' in header
    assert header.count("<img") == 1
    assert page.count('id="step-1-1"') == 1
    assert header.index("Where it failed") < header.index("<dl")


def test_the_part_that_failed_is_marked_failed_though_its_decider_ended_it() -> None:
    subtasks = [
        {"index": 0, "text": "Choose the boat", "result": "It was not found.", "check": None, "duration_ms": 900}
    ]
    run = {"outcome": "failed", "reason": "Subtask 1: It was not found.", "subtasks": subtasks}
    rows = [action(0, 0, action="left_click", x_px=1, y_px=1, outcome="failed", evidence="Nothing is there.")]
    text = " ".join(Elements(report_page(run, rows, {}, plan=["Choose the boat", "Send it"])).text.split())

    assert "Choose the boat ✗ failed" in text
    assert "Send it · not begun" in text
    assert "done" not in text
    assert "Where it failed Click at 1, 1 Nothing is there." in text


@pytest.mark.parametrize("outcome", list(RunOutcome))
def test_each_report_opens_with_the_moment_at_which_it_ended(outcome: RunOutcome) -> None:
    page = report_page({"outcome": outcome.value}, [action(0, 0, action="key", keys=["enter"])], {})
    assert 0 < page.index('class="moment"') < page.index('<main id="steps"')


def test_what_the_decider_claims_is_no_evidence_of_a_success() -> None:
    rows = [{"type": "done", "subtask": 0, "iter": 0, "result": "I sent it."}]
    page = report_page({"outcome": "succeeded", "subtask_total": 1}, rows, {})
    assert "I sent it." not in page[page.index('class="moment"') : page.index('<main id="steps"')]
    assert "I sent it." in page


def test_waits_in_a_row_are_folded_and_each_can_still_be_linked_to() -> None:
    rows = [action(0, at, action="wait", time=0.5) for at in range(40)]
    rows.append(action(0, 40, action="left_click", x_px=1, y_px=1))
    page = report_page({"outcome": "failed"}, rows, {})

    assert page.count("<article") == 2
    assert "and 39 more waits" in page
    assert [f'id="step-0-{at}"' in page for at in range(41)] == [True] * 41


def test_a_part_that_was_never_begun_is_in_it() -> None:
    page = report_page({"task_name": "t", "outcome": "failed"}, [], {}, ["Do one thing.", "Do another."])
    assert "Do another. · not begun" in " ".join(Elements(page).text.split())


def test_whatever_a_screen_or_a_model_says_is_text(tmp_path: Path) -> None:
    elements = Elements(_page(tmp_path, name=HOSTILE))

    assert not {"script", "iframe", "object", "link", "form", "base"} & {tag for tag, _ in elements.found}
    assert not [name for _, attributes in elements.found for name in attributes if name.startswith("on")]
    assert all(str(each["src"]).startswith("data:image/webp;") for tag, each in elements.found if tag == "img")
    assert elements.text.count(HOSTILE) >= 4
    assert not elements.open


def test_the_rows_of_the_original_format_are_told_as_well() -> None:
    """Rows without time, duration, outcome and check, as the format had them first."""
    lines = (Path(__file__).parents[2] / "data" / "runs" / "events.jsonl").read_text(encoding="utf-8").splitlines()
    text = " ".join(Elements(report_page({}, map(json.loads, lines), {})).text.split())

    for each in (
        "The search field is empty. Click at 611, 192",
        "Drag ✗ not done Unsupported computer_use action: left_click_drag",
        "Read extract_0: The song's length ✓ read 5:02",
        "Done ■ said to be done The song is playing.",
    ):
        assert each in text


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"type": "computer_use", "pixel_action": "click"},
        {"type": "computer_use", "pixel_action": {"x_px": "1", "y_px": 2, "keys": "a", "time": "long", "pixels": None}},
        {"type": 7, "subtask_idx": "x", "iter": None, "ms": [], "check": 3, "outcome": {}},
        {"type": "done", "subtask_idx": 10**6, "iter": -1},
    ],
)
def test_a_row_of_any_shape_makes_a_page(row: dict[str, Any]) -> None:
    assert not Elements(report_page({"subtasks": [1, {}], "spent": 3, "params": "x"}, [row], {})).open


def test_pictures_are_scaled_and_marks_keep_the_pixels_of_the_desktop() -> None:
    kept = Thumbnail(thumbnail(picture(width=3840, height=2160)), 3840, 2160)
    row = action(0, 0, action="left_click", x_px=3000, y_px=2000)
    page = report_page({}, [row], {"subtask_00_iter_000.png": kept})

    assert len(kept.webp) < 60_000
    assert 'viewBox="0 0 3840 2160"' in page
    assert 'cx="3000" cy="2000"' in page
    assert MAX_WIDTH == 1280


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()


def _opened(browser: Browser, tmp_path: Path, width: int) -> tuple[Page, list[str]]:
    file = tmp_path / "report.html"
    file.write_text(_page(tmp_path, name="Ada " + "x" * 300), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto(file.as_uri())
    return page, complaints


@pytest.mark.screen
@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.nightly)])
def test_a_browser_shows_it_without_a_complaint_and_without_scrolling_sideways(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    page, complaints = _opened(browser, tmp_path, width)

    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("[...document.images].every(image => image.naturalWidth === 1280)")
    assert complaints == []
    page.close()


@pytest.mark.screen
def test_the_mark_is_where_the_click_was(browser: Browser, tmp_path: Path) -> None:
    page, _ = _opened(browser, tmp_path, 1280)
    offset = """() => {
        document.querySelector('main details').open = true;
        const figure = document.querySelector('main figure');
        const image = figure.querySelector('img').getBoundingClientRect();
        const dot = figure.querySelector('g:not(.halo) .dot').getBoundingClientRect();
        return [(dot.x + dot.width / 2 - image.x) / image.width * 1280,
                (dot.y + dot.height / 2 - image.y) / image.height * 720];
    }"""
    x, y = page.evaluate(offset)

    assert abs(x - 610) < 1.5
    assert abs(y - 192) < 1.5
    page.close()


@pytest.mark.screen
def test_the_keyboard_reaches_the_steps_first(browser: Browser, tmp_path: Path) -> None:
    page, _ = _opened(browser, tmp_path, 1280)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    assert page.evaluate("location.hash") == "#steps"
    assert page.evaluate("document.activeElement.textContent.slice(0, 18)") == "1 Fill in the form"
    page.close()
