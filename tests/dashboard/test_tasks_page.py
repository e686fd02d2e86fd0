import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import ROOT, WORK_SECONDS, Dashboard
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
INJECTION = "<script>alert(1)</script> & <img src=x onerror=alert(2)> [x](javascript:alert(3))"
BROKEN = '{"task_name": "<b>x</b>", "plan": {"subtasks": []}}'


def _write(dashboard: Dashboard, title: str, questions: str = "") -> str:
    text = f"# Task\nTitle: {title}\n\n## Questions\n{questions}"
    made = dashboard.http.post("/tasks", json={"text": text})
    assert made.status_code == 201, made.text
    return made.json()["id"]


def _row(page: Page, name: str) -> Any:
    return page.locator(".undertaking").filter(has=page.get_by_role("link", name=name, exact=True))


def test_tasks_are_listed_with_their_state_found_written_and_deleted(window: Window, dashboard: Dashboard) -> None:
    asking = _write(dashboard, INJECTION, f"- [required] {INJECTION}?\n")
    for title in ("Water the plants", "Feed the cat", "Feed the dog", "Feed the owl", "Feed the elk"):
        _write(dashboard, title)
    dashboard.http.put("/tasks/feed-the-cat/schedule", json={"schedule": "every day at 8:00"})
    page = window.open("/ui/tasks")

    row = _row(page, INJECTION)
    expect(row.get_by_role("link", name="1 open question")).to_have_attribute("href", f"/ui/tasks/{asking}#questions")
    expect(_row(page, "Feed the cat")).to_contain_text("every day at 08:00, next")
    assert page.locator("main script, main img, main a[href^='javascript']").count() == 0
    page.get_by_label("Find").fill("feed THE")
    expect(_row(page, "Water the plants")).to_have_count(0)
    _row(page, "Feed the dog").get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    assert (dashboard.data / "tasks" / "feed-the-dog").exists()
    _row(page, "Feed the dog").get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(_row(page, "Feed the dog")).to_have_count(0)
    assert not (dashboard.data / "tasks" / "feed-the-dog").exists()

    page.get_by_label("What it is called").fill("  Send the   report ")
    page.get_by_label("What is to be done, a step a line").fill('- Click the "Send" button.\n\nPress Enter.')
    page.get_by_label("What shows that it is done").fill('"Sent" is shown.')
    page.get_by_role("button", name="Write it").click()
    page.wait_for_url("/ui/tasks/send-the-report")
    assert (dashboard.data / "tasks" / "send-the-report" / "HEARTBEAT.md").read_text() == (
        '# Task\nTitle: Send the report\nSuccessCriteria:\n- "Sent" is shown.\n'
        'SuggestedPlan:\n1. Click the "Send" button.\n2. Press Enter.\n\n## Questions\n'
    )


@pytest.mark.nightly
def test_a_workflow_is_handed_on_taken_in_and_read(window: Window, dashboard: Dashboard, tmp_path: Path) -> None:
    broken = dashboard.data / "workflows" / "broken"
    broken.mkdir()
    (broken / "schema.json").write_text(BROKEN)
    packed = tmp_path / "parcel-form.zip"
    packed.write_bytes(dashboard.http.get("/workflows/parcel-form/export").content)
    page = window.open("/ui/tasks")
    # 404: the last page may still be asking when what it shows is removed.
    window.forgiven = ["status of 4(09|00|04)"]

    expect(_row(page, "broken")).to_contain_text("plan.subtasks: must not be empty")
    page.get_by_label("Zip file with a schema.json").set_input_files(packed)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("There is one of that name already")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_label("Another name").fill("second-form")
    page.get_by_role("button", name="Import", exact=True).click()
    page.wait_for_url("/ui/workflows/second-form")
    expect(page.locator("#plan")).to_contain_text(re.compile('Type {street} . the "Street" field'))
    expect(page.get_by_label("City")).to_have_attribute("placeholder", "Helsinki")
    expect(page.get_by_label("What the driver asks for")).to_have_attribute("type", "password")
    assert page.locator("#history .list li").count() == 0
    page.goto("/ui/workflows/broken")
    expect(page.get_by_text("task_name").or_(page.get_by_text("must not be empty")).first).to_be_visible()
    shutil.rmtree(broken)


@pytest.mark.nightly
def test_a_recording_becomes_a_task_and_its_questions_and_one_of_nothing_is_told_kindly(
    window: Window, dashboard: Dashboard
) -> None:
    page = window.open("/ui/tasks")
    lessons = page.locator(".lesson")

    page.get_by_label("Watched by").select_option("local")
    page.locator("#learn-file").set_input_files(ROOT / "samples" / "checkout.mp4")
    expect(lessons.first.get_by_role("progressbar")).to_be_visible()
    expect(lessons.first).to_contain_text("Learned “", timeout=WORK_SECONDS * 1000)
    asked = lessons.first.get_by_role("textbox")
    asked.first.fill("skip")
    lessons.first.get_by_role("button", name="Apply & continue").click()
    expect(lessons.first.get_by_role("button", name="Run it now")).to_be_focused()
    task = lessons.first.get_by_role("link", name="Open the task").get_attribute("href") or ""
    assert "Answer: skip" in (dashboard.data / "tasks" / task.rpartition("/")[2] / "HEARTBEAT.md").read_text()
    expect(page.locator(f"#tasks a[href='{task}']")).to_be_visible()

    page.locator("#learn-file").set_input_files(ROOT / "tests" / "clips" / "idle.mp4")
    expect(lessons.first).to_contain_text("No task was found in this recording.", timeout=WORK_SECONDS * 1000)
    expect(lessons.first).to_contain_text("Nothing was changed.")
    window.pictures(page, "tasks")


@pytest.mark.nightly
def test_the_workflow_page_shows_a_run_as_it_goes_on_and_its_report(window: Window, dashboard: Dashboard) -> None:
    page = window.open("/ui/workflows/parcel-form")
    page.get_by_label("City").fill("Turku")
    page.get_by_role("radio", name="Private A virtual display").check()
    page.get_by_label("Decided by").select_option("local")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("/ui/runs/*")
    job = page.url.rpartition("/")[2]
    page.goto("/ui/workflows/parcel-form")
    expect(page.locator("#active")).to_contain_text("It is being carried out")
    dashboard.finished({"job_id": job})
    expect(page.locator("#active")).to_be_hidden()
    newest = page.locator("#history li").first
    newest.get_by_text("With 8 values").click()
    expect(newest.get_by_text("Turku")).to_be_visible()
    report = newest.get_by_role("link", name=re.compile("^Report")).get_attribute("href") or ""
    assert "Turku" in dashboard.http.get(report).text
    window.pictures(page, "workflow")
