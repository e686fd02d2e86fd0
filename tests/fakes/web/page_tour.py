"""Every page of the dashboard with something on it: what all of them must be is tried on each."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from server.dashboard.pages import DOCS, PAGES
from tests.dashboard.conftest import Dashboard
from tests.fakes.recordings.compared_runs import good_and_bad

_WAITING = re.compile("Looking …|Loading …")
TASK = """\
# Task
Title: {title}
Goal: The parcel for "Ada" is on its way.
SuccessCriteria:
- "Parcel for Ada sent" is shown.
SuggestedPlan:
1. Type "Ada" into the "Recipient" field.
2. Type "{{Password}}" into the "Password" field.
3. Click the "Send" button.
Schedule: every day at 9

## Questions
- [required] Which delivery is meant?
- [ ] Which folder?
  Earlier answer: ~/Reports
- [x] Who is told?
  Answer: Ann.
"""


def tour(dashboard: Dashboard, analysis: dict[str, Any], run: dict[str, Any]) -> dict[str, str]:
    """The path of a full page by each name of the table of pages."""
    task = dashboard.http.post("/tasks", json={"text": TASK.format(title="Send the parcel")}).json()["id"]
    (entry,) = (each for each in dashboard.http.get("/reload").json()["entries"] if each["vocabulary"] == "desktop")
    folder = dashboard.data / "compared"
    folder.mkdir(exist_ok=True)
    compared = dashboard.compared(*map(dashboard.analysed, good_and_bad(folder)))
    subjects = {
        "video": analysis["id"],
        "task": task,
        "workflow": "parcel-form",
        "run": run["id"],
        "entry": entry["cacheId"],
        "comparison": compared["id"],
    }
    paths = {page.name: f"{page.path.partition('{')[0]}{subjects.get(page.name, '')}" for page in PAGES}
    return {**paths, DOCS.name: DOCS.path}


def settled(page: Page) -> None:
    """Return once nothing on it is being fetched any more."""
    expect(page.locator("#stream-state")).to_have_text("Live")
    # Not wait_for_function: the policy of the pages lets nothing be evaluated in them.
    expect(page.locator("main").get_by_text(_WAITING).locator("visible=true")).to_have_count(0)


def unfolded(page: Page) -> None:
    """Have it show what it shows only to whoever asks for more."""
    page.evaluate("() => { for (const each of document.querySelectorAll('main details')) each.open = true; }")
