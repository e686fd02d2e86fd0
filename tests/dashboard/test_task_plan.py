"""A task beside the film that it was learned from: its steps, its questions, and another plan."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.clock import until
from tests.dashboard.conftest import ROOT, Dashboard
from tests.dashboard.test_axe import ALL, violations
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
ORDER = """\
# Task
Title: {title}
SuccessCriteria:
- "Order 1042 confirmed" is shown.
SuggestedPlan:
1. Open what was open when the recording began (see the questions).
2. Type "mug" into the "Search products" field. (inferred)
3. Click "Add to basket".
4. Click "Place order".
Evidence:
- [00:01-00:02] Step 2 (inferred): Type "mug" into the "Search products" field.
- [00:05-00:05] Step 3: Click "Add to basket".
- [00:14-00:14] Step 4: Click "Place order".

## Questions
- [required] Step 4, "Click 'Place order'.": what was clicked at 00:14 cannot be told. What is to be done instead?
- [ ] Is the parcel a present?
"""


@pytest.fixture
def shown(window: Window, dashboard: Dashboard) -> Callable[[str], tuple[Page, Path]]:
    """Opens the page of a task with its film, and tells its file."""

    def make(title: str) -> tuple[Page, Path]:
        made = dashboard.http.post("/tasks", json={"text": ORDER.format(title=title)}).json()
        folder = dashboard.data / "tasks" / made["id"]
        (folder / "recordings").mkdir(exist_ok=True)
        shutil.copy(ROOT / "samples" / "checkout.mp4", folder / "recordings" / "1-checkout.mp4")
        page = window.open(f"/ui/tasks/{made['id']}")
        expect(page.locator(".plan-step")).to_have_count(4)
        return page, folder / "HEARTBEAT.md"

    return make


def _place(page: Page) -> float:
    return page.locator("#film video").evaluate("(video) => video.currentTime")


@pytest.mark.nightly
def test_each_step_and_each_question_plays_its_seconds_of_the_film(
    shown: Callable[[str], tuple[Page, Path]], window: Window
) -> None:
    page, file = shown("See it")
    page.get_by_role("button", name=re.compile('^Play 00:05: Click "Add to basket"')).click()
    until(lambda: 4 <= _place(page) < 8, seconds=20)
    expect(page.locator("#film")).to_contain_text('Click "Add to basket"')
    questions = page.locator("#questions")
    questions.get_by_role("button", name=re.compile("^Play 00:14")).click()
    until(lambda: _place(page) >= 13, seconds=20)
    expect(page.locator("#film video")).to_be_in_viewport()

    questions.get_by_role("button", name="Leave this step out").click()
    questions.get_by_role("button", name="No.").click()
    assert not violations(page, ALL)
    window.pictures(page, "film")
    questions.get_by_role("button", name="Apply & continue").click()
    expect(questions.get_by_role("button", name="Run it now")).to_be_focused()
    assert "  Answer: skip\n" in file.read_text()
    assert "  Answer: No.\n" in file.read_text()


@pytest.mark.nightly
def test_the_plan_is_edited_as_a_list_and_the_file_is_what_is_written(
    shown: Callable[[str], tuple[Page, Path]], window: Window
) -> None:
    page, file = shown("Edit it")
    before = file.read_text()
    page.get_by_role("button", name="Edit the plan").click()
    expect(page.get_by_label("Step 1", exact=True)).to_be_focused()
    page.get_by_label("Step 1", exact=True).fill('Open "https://harbour.example" in the browser.')
    page.get_by_role("button", name="Move up: step 4").click()
    page.get_by_role("button", name="Leave out: step 4").click()
    page.get_by_label("Step 3", exact=True).press("Enter")
    page.keyboard.type("Wait for 2 seconds.")
    assert not violations(page, ALL)
    window.picture(page, "editing")
    page.get_by_role("button", name="Save the plan").click()
    expect(page.locator("#notices")).to_contain_text("this is version 2")
    after = before.replace(
        "1. Open what was open when the recording began (see the questions).",
        '1. Open "https://harbour.example" in the browser.',
    ).replace('3. Click "Add to basket".\n4. Click "Place order".', '3. Click "Place order".\n4. Wait for 2 seconds.')
    assert file.read_text() == after
    # What was moved has its moment still.
    expect(page.locator(".plan-step").nth(2)).to_contain_text("00:14")

    window.forgiven = ["status of 409"]
    page.get_by_role("button", name="Edit the plan").click()
    page.get_by_label("Step 1", exact=True).fill("Mine.")
    file.write_text(after.replace("Wait for 2 seconds.", "Wait for 3 seconds."))
    page.get_by_role("button", name="Save the plan").click()
    expect(page.locator("#plan .problem")).to_contain_text("changed meanwhile")
    expect(page.get_by_label("Step 1", exact=True)).to_have_value("Mine.")
    assert "Wait for 3 seconds." in file.read_text()
