import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, Route, expect

from core.secrets import MASK
from tests.dashboard.conftest import Dashboard
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
PARCEL = """\
# Task
Title: {title}
Goal: The parcel for "Ada" is on its way.
SuccessCriteria:
- "Parcel for Ada sent" is shown.
SuggestedPlan:
1. Type "Ada" into the "Recipient" field.
2. Type "{{Password}}" into the "Password" field.
3. Click the "Send" button.

## Questions
- [required] Which delivery is meant?
- [ ] Is the weekend meant too?
- [ ] Which folder?
  Earlier answer: ~/Reports
- [x] Who is told?
  Answer: Ann.
- [stale] Which printer?
"""
TYPED = "swordfish-of-a-test"


@pytest.fixture
def task(dashboard: Dashboard) -> Callable[..., Path]:
    """Makes a task, and gives the folder of it."""

    def make(title: str, text: str = PARCEL) -> Path:
        made = dashboard.http.post("/tasks", json={"text": text.format(title=title)})
        assert made.status_code == 201, made.text
        return dashboard.data / "tasks" / made.json()["id"]

    return make


def _open(window: Window, folder: Path) -> Page:
    page = window.open(f"/ui/tasks/{folder.name}")
    expect(page.locator("#questions")).to_be_visible()
    return page


def _look_again(page: Page) -> None:
    """As when somebody comes back to the page, and does not wait for its next look."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def _edit(page: Page, old: str, new: str) -> None:
    if page.get_by_role("button", name="Edit", exact=True).is_visible():
        page.get_by_role("button", name="Edit", exact=True).click()
    area = page.get_by_label("The text of HEARTBEAT.md")
    area.fill(area.input_value().replace(old, new))


def test_one_round_of_questions_is_answered_and_the_task_goes_on_with_masked_values(
    window: Window, dashboard: Dashboard, task: Callable[..., Path]
) -> None:
    folder = task("Answer it")
    page = _open(window, folder)

    expect(page.get_by_text("3 open questions").last).to_be_visible()
    page.get_by_role("textbox", name="Which delivery is meant?").fill("Express.")
    page.get_by_role("textbox", name="Is the weekend meant too?").fill("No,\nnever.")
    page.get_by_role("button", name="Use that answer").click()
    page.get_by_role("button", name="Apply & continue").click()
    expect(page.get_by_role("button", name="Run it now")).to_be_focused()
    text = (folder / "HEARTBEAT.md").read_text()
    assert "- [x] Which delivery is meant?\n  Answer: Express.\n" in text
    assert "- [x] Which folder?\n  Answer: ~/Reports" in text
    page.get_by_role("button", name="Run it now").click()
    password = page.get_by_label("Password", exact=True)
    expect(password).to_be_focused()
    expect(password).to_have_attribute("type", "password")
    expect(page.get_by_label("Recipient")).to_have_attribute("placeholder", "Ada")
    password.fill(TYPED)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("/ui/runs/*")

    job = dashboard.http.get(f"/jobs/{page.url.rpartition('/')[2]}")
    dashboard.http.delete(f"/jobs/{job.json()['id']}")
    assert job.json()["request"]["params"] == {"Recipient": "Ada", "Password": MASK}
    assert TYPED not in job.text


@pytest.mark.nightly
def test_an_edit_on_disk_is_shown_and_stays_a_version_when_it_is_overwritten(
    window: Window, dashboard: Dashboard, task: Callable[..., Path]
) -> None:
    folder = task("Overwrite it", PARCEL.replace("\n", "\r\n"))
    file = folder / "HEARTBEAT.md"
    page = _open(window, folder)
    window.forgiven = ["status of 409"]

    _edit(page, "Which printer?", "Which plotter?")
    before = file.read_bytes()
    by_hand = before.replace(b"Goal: The", b"Goal: By hand: the")
    file.write_bytes(by_hand)
    page.keyboard.press("Control+s")
    conflict = page.get_by_role("region", name="HEARTBEAT.md was changed meanwhile")
    expect(conflict).to_contain_text("added: +Goal: By hand: the parcel")
    expect(page.get_by_label("The text of HEARTBEAT.md")).to_have_value(re.compile("Which plotter"))
    assert file.read_bytes() == by_hand
    conflict.get_by_role("button", name="Overwrite it with mine").click()
    expect(page.get_by_text("Saved as version 3.")).to_be_visible()
    assert file.read_bytes() == before.replace(b"printer", b"plotter")
    assert "By hand" in dashboard.http.get(f"/tasks/{folder.name}/versions/2").json()["text"]

    file.write_bytes(b"# Task\nTitle: <img src=x onerror=alert(1)>\n\n## Questions\n- [ ] <b>Bold?</b>\n")
    _look_again(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("<img src=x onerror=alert(1)>")
    expect(page.get_by_role("textbox", name="<b>Bold?</b>")).to_be_visible()
    assert page.locator("main img, main b").count() == 0


@pytest.mark.nightly
def test_where_both_changed_one_line_nothing_is_lost_whichever_is_kept(
    window: Window, task: Callable[..., Path]
) -> None:
    folder = task("Keep it")
    file = folder / "HEARTBEAT.md"
    page = _open(window, folder)
    window.forgiven = ["status of 409"]
    text = page.get_by_label("The text of HEARTBEAT.md")
    conflict = page.get_by_role("region", name="HEARTBEAT.md was changed meanwhile")

    _edit(page, "Click the", "Press the")
    file.write_text(file.read_text().replace("Click the", "Double-click the"))
    _look_again(page)
    expect(conflict).to_contain_text("Double-click the")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Get my text back").click()
    expect(conflict).to_contain_text("Double-click the")
    file.write_text(file.read_text().replace("Double-click", "Right-click"))
    page.get_by_role("button", name="Save").click()
    expect(conflict).to_contain_text("Right-click the")
    conflict.get_by_role("button", name="Load it").click()
    expect(text).to_have_value(file.read_text())
    page.get_by_role("button", name="Get my text back").click()
    expect(text).to_have_value(re.compile("Press the"))
    conflict.get_by_role("button", name="Overwrite it with mine").click()
    expect(page.get_by_text("Saved as version")).to_be_visible()
    assert "Press the" in file.read_text()
    assert "Right-click" not in file.read_text()


@pytest.mark.nightly
def test_unsaved_changes_are_guarded(window: Window, task: Callable[..., Path]) -> None:
    page = _open(window, task("Guard it"))
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    _edit(page, "Ada", "Bob")
    page.evaluate("location.href = '/ui/tasks'")
    expect(page.get_by_label("The text of HEARTBEAT.md")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    page.get_by_role("link", name="Tasks and workflows").first.click()
    page.wait_for_url("/ui/tasks")

    assert asked == ["beforeunload"]


@pytest.mark.nightly
def test_what_is_being_typed_outlives_an_answer_from_elsewhere(
    window: Window, dashboard: Dashboard, task: Callable[..., Path]
) -> None:
    folder = task("Answer it twice")
    asked = dashboard.http.get(f"/tasks/{folder.name}").json()["questions"][1]
    page = _open(window, folder)
    page.get_by_role("textbox", name="Is the weekend meant too?").fill("Mine.")
    dashboard.http.put(f"/tasks/{folder.name}/questions/{asked['id']}", json={"answer": "Theirs."})
    _look_again(page)

    expect(page.get_by_text("was answered meanwhile: “Theirs.”")).to_be_visible()
    expect(page.get_by_role("textbox", name="Is the weekend meant too?")).to_have_value("Mine.")
    page.get_by_role("button", name="Apply & continue").click()
    expect(page.get_by_text("1 answer is written into HEARTBEAT.md; 2 questions stay open.")).to_be_visible()
    assert "Answer: Mine." in (folder / "HEARTBEAT.md").read_text()


@pytest.mark.nightly
def test_what_is_no_text_any_more_is_restored_and_what_is_gone_is_told(
    window: Window, dashboard: Dashboard, task: Callable[..., Path]
) -> None:
    folder = task("Break it")
    (folder / "HEARTBEAT.md").write_bytes(b"\xff\xfe")
    page = window.open(f"/ui/tasks/{folder.name}")
    window.forgiven = ["status of 40(0|4)"]

    expect(page.get_by_role("alert").first).to_contain_text("no UTF-8 text")
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.locator("#document")).to_contain_text("Title: Break it")
    expect(page.locator("#trouble")).to_be_hidden()
    dashboard.http.delete(f"/tasks/{folder.name}")
    _look_again(page)
    expect(page.locator("#trouble")).to_contain_text("it was deleted")
    expect(window.open("/ui/tasks/nosuch").locator("#trouble")).to_contain_text("There is no task 'nosuch'")


@pytest.mark.nightly
def test_what_is_typed_before_the_schedule_is_known_stays(window: Window, task: Callable[..., Path]) -> None:
    folder = task("Type at once")
    page = window.open("/ui/tasks")
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held or route.request.method != "GET":
            route.continue_()
        else:
            held.append(route)

    page.route(f"**/tasks/{folder.name}/schedule", hold)
    page.goto(f"/ui/tasks/{folder.name}")
    words = page.get_by_label("When")
    words.fill("every weekday at 9:00")
    expect(page.locator("#schedule .heard")).to_contain_text("Every weekday at 09:00")
    held[0].continue_()
    expect(page.locator("#schedule")).to_contain_text("only when somebody starts it")
    expect(words).to_have_value("every weekday at 9:00")


@pytest.mark.nightly
def test_a_schedule_is_repeated_back_as_one_types_and_then_kept(window: Window, task: Callable[..., Path]) -> None:
    folder = task("Schedule it")
    page = _open(window, folder)
    window.forgiven = ["status of 400"]
    words = page.get_by_label("When")
    schedule = page.locator("#schedule")

    words.fill("every blue moon")
    expect(schedule.locator(".heard .problem")).to_be_visible()
    words.fill("every weekday at 9:00")
    expect(schedule.locator(".heard")).to_contain_text("Every weekday at 09:00")
    expect(schedule.locator(".heard li")).to_have_count(5)
    expect(schedule.locator(".heard")).to_contain_text("No schedule can give Password")
    assert "Schedule" not in (folder / "HEARTBEAT.md").read_text().partition("## Questions")[2]
    page.get_by_text("Zone, missed times, display").click()
    page.get_by_label("Missed times").select_option("all")
    page.get_by_role("button", name="Schedule", exact=True).click()
    expect(schedule.locator("strong").first).to_have_text("Every weekday at 09:00")
    assert "missed: all" in (folder / "HEARTBEAT.md").read_text()
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(schedule).to_contain_text("only when somebody starts it")
    assert "missed: all" not in (folder / "HEARTBEAT.md").read_text()


@pytest.mark.nightly
def test_a_version_is_compared_and_restored(window: Window, task: Callable[..., Path]) -> None:
    folder = task("Restore it")
    before = (folder / "HEARTBEAT.md").read_text()
    page = _open(window, folder)

    _edit(page, '"Ada"', '"Bob"')
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Changes of version 2").click()
    changes = page.get_by_role("region", name="Changes of version 2")
    expect(changes).to_contain_text('added: +1. Type "Bob" into the "Recipient" field.')
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.locator("#versions")).to_contain_text("Version 3")
    assert (folder / "HEARTBEAT.md").read_text() == before
    page.locator("summary", has_text="Answered").click()
    page.get_by_role("button", name="Ask again: Who is told?").click()
    expect(page.get_by_role("textbox", name="Who is told?")).to_be_focused()
    expect(page.locator("q", has_text="Ann.")).to_be_visible()


@pytest.mark.nightly
def test_a_task_is_run_to_its_end_made_a_workflow_and_deleted(
    window: Window, dashboard: Dashboard, task: Callable[..., Path]
) -> None:
    folder = task(
        "Run it", '# Task\nTitle: {title}\nSuggestedPlan:\n1. Open the application "xterm".\n\n## Questions\n'
    )
    run = dashboard.ran(task=folder.name)["result"]
    page = _open(window, folder)

    history = page.locator("#history")
    expect(history).to_contain_text(run["outcome"])
    expect(history.get_by_role("link", name="Report")).to_have_attribute(
        "href", f"/tasks/{folder.name}/runs/{run['run_id']}/report"
    )
    page.get_by_role("button", name="Make a workflow").click()
    page.get_by_label("Name", exact=True).fill("from-a-task")
    page.get_by_role("button", name="Make it").click()
    page.wait_for_url("/ui/workflows/from-a-task")
    expect(page.locator("#plan")).to_contain_text("xterm")
    page.goto(f"/ui/tasks/{folder.name}")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url("/ui/tasks")
    assert not folder.exists()


@pytest.mark.nightly
def test_the_task_page_looks_right_in_each_width_and_theme(window: Window, task: Callable[..., Path]) -> None:
    folder = task("Send a parcel with a long and winding title that does not fit on a narrow screen at all")
    page = _open(window, folder)
    page.get_by_label("When").fill("every 2 hours between 9:00 and 17:00")
    expect(page.locator(".heard li")).to_have_count(5)
    window.pictures(page, "task")
    window.forgiven = ["status of 409"]
    _edit(page, "Ada", "Bob")
    (folder / "HEARTBEAT.md").write_text(PARCEL.format(title="Another title"))
    page.keyboard.press("Control+s")
    expect(page.get_by_role("region", name="HEARTBEAT.md was changed meanwhile")).to_be_visible()
    window.pictures(page, "conflict")


def test_line_ends_stay_whatever_the_text(window: Window) -> None:
    page = window.open("/ui/tasks")
    found = page.evaluate(PROPERTIES)

    assert json.loads(found) == {"cases": 400, "wrong": []}


PROPERTIES = """async () => {
  const base = document.querySelector('script[type="module"]').src.replace(/[^/]*$/, "");
  const { linesOf, withLineEnds } = await import(base + "../tasks/line_ends.js");
  let seed = 7;
  const below = (count) => (seed = (seed * 48271) % 2147483647) % count;
  const lines = (most) => Array.from({ length: below(most) }, () => "abc"[below(3)]);
  const ends = ["\\n", "\\r\\n", "\\r"];
  const wrong = [];
  for (let at = 0; at < 400; at += 1) {
    const raw = () => lines(5).map((line) => line + ends[below(3)]).join("");
    const [before, after] = [raw() + "x" + ends[below(3)], "y" + ends[below(3)] + raw()];
    const [old, now] = [raw(), lines(5)];
    const shown = linesOf(before + "n\\n" + now.map((line) => line + "\\n").join("") + after).join("\\n");
    const saved = withLineEnds(shown, before + old + after);
    const holds = {
      lines: linesOf(saved).join("\\n") === shown,
      around: saved.startsWith(before) && saved.endsWith(after),
      unchanged: withLineEnds(linesOf(old).join("\\n"), old) === old,
    };
    for (const [name, held] of Object.entries(holds)) if (!held) wrong.push({ name, before, old, now, after });
  }
  return JSON.stringify({ cases: 400, wrong });
}"""
