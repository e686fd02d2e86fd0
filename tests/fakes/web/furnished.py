"""A daemon with something on each of its pages: a recorded day, videos, tasks, and runs that ended well and ill."""

import shutil
from pathlib import Path
from typing import Any

from tests.dashboard.conftest import ROOT, WANTED, Dashboard
from tests.fakes.recordings.recorded_day import recorded_day
from tests.fakes.web.page_tour import tour

FAILING = """\
# Task
Title: Pay an invoice
Goal: The invoice is paid.
SuccessCriteria:
- "Paid" is shown.
SuggestedPlan:
1. Open "{desk}" in the browser.
2. Type "Ada" into the "Recipient" field.
3. Click the "Pay now" button.
4. Click the "Close" button.
"""


def prepare(data: Path) -> None:
    """What is there before the daemon starts."""
    recorded_day(data)
    shutil.copytree(ROOT / "examples" / "workflows" / "parcel-form", data / "workflows" / "parcel-form")


def furnish(dashboard: Dashboard) -> dict[str, str]:
    """Have it do things; the path of a full page by each name of the table of pages, and of a run that failed."""
    dashboard.analysed(ROOT / "tests" / "clips" / "cart.webm")
    analysis = dashboard.analysed(ROOT / "samples" / "checkout.mp4", *WANTED)
    failed = dashboard.ran(task=_task(dashboard))
    run = dashboard.ran(workflow="parcel-form")
    shown = {"video_paths": [str(ROOT / "samples" / "checkout.mp4")], "provider": "local"}
    learned = dashboard.finished(dashboard.http.post("/tasks", json=shown).json())["result"]["task"]
    pages = tour(dashboard, analysis, run)
    return {**pages, "task": f"/ui/tasks/{learned}", "failed_run": f"/ui/runs/{failed['id']}"}


def _task(dashboard: Dashboard) -> str:
    desk = (ROOT / "examples" / "workflows" / "parcel-form" / "form.html").as_uri()
    made: dict[str, Any] = dashboard.http.post("/tasks", json={"text": FAILING.format(desk=desk)}).json()
    return made["id"]
