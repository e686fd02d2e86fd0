"""The ten-step form of the example, filled in without a model on drifted screens: as told, or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from adapters.desktop.eyes import ScreenEyes
from core.runs.run import RunOutcome
from storage.workflows.workflows import WorkflowFolders
from tests.fakes.desktops.headless_screens import ROOT, Theme, page_of
from tests.fakes.runs.local_runs import replayed

EXAMPLES = ROOT / "examples" / "workflows"
VALUES = {
    "recipient": "Ada Lovelace",
    "street": "Kaivokatu 12 {C}",
    "city": "Helsinki",
    "country": "Finland",
    "weight": "3.5",
    "pickup_date": "2026-12-01",
    "pickup_code": "4711",
    "note": "Ring twice",
}
OTHERS = {
    "recipient": "Bo Nilsson",
    "street": "Storgatan 7",
    "city": "Malmo",
    "country": "Sweden",
    "weight": "12",
    "pickup_date": "2027-01-31",
    "pickup_code": "0815",
    "note": "Leave it at the door",
}


def _order(page: Page) -> dict[str, Any] | None:
    reported = page.evaluate("document.body.dataset.order")
    return json.loads(reported) if reported else None


def _expected(values: dict[str, str]) -> dict[str, Any]:
    return {
        "recipient": values["recipient"],
        "street": values["street"],
        "city": values["city"],
        "country": values["country"],
        "weight": values["weight"],
        "date": values["pickup_date"],
        "service": "Express",
        "code": values["pickup_code"],
        "note": values["note"],
        "fragile": True,
    }


@pytest.mark.parametrize(
    ("values", "theme", "zoom", "size"),
    [
        pytest.param(OTHERS, "dark", 1.0, (1100, 700), marks=pytest.mark.nightly),
        pytest.param(OTHERS, "light", 0.8, (900, 420), marks=pytest.mark.nightly),
    ],
    ids=["dark and narrower", "80 %, so low that it scrolls"],
)
def test_the_form_is_filled_in_as_told_on_any_screen(  # noqa: PLR0917 - what pytest hands in, by name
    browser: Browser, eyes: ScreenEyes, values: dict[str, str], theme: Theme, zoom: float, size: tuple[int, int]
) -> None:
    with page_of(browser, "about:blank", theme=theme, zoom=zoom, size=size) as page:
        done = replayed(page, eyes, WorkflowFolders([EXAMPLES]), params=values, zoom=zoom)
        assert _order(page) == _expected(values), done.read_reports
        assert page.evaluate("document.body.dataset.tracked") == "1042"
    assert (done.run.outcome, done.run.reason) == (RunOutcome.SUCCEEDED, "")
    assert done.run.extracts == {"extract_0": "1042"}
    assert values["pickup_code"] not in json.dumps(list(done.rows))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        pytest.param(">Place order<", ">Place order now<", marks=pytest.mark.nightly),
        pytest.param('for="city">City<', 'for="city">Town<', marks=pytest.mark.nightly),
    ],
)
def test_a_renamed_label_is_refused_and_nothing_is_sent(
    browser: Browser, eyes: ScreenEyes, tmp_path: Path, was: str, now: str
) -> None:
    html = (EXAMPLES / "parcel-form" / "form.html").read_text(encoding="utf-8")
    assert was in html
    folder = tmp_path / "parcel-form"
    folder.mkdir()
    (folder / "form.html").write_text(html.replace(was, now), encoding="utf-8")
    (folder / "schema.json").write_bytes((EXAMPLES / "parcel-form" / "schema.json").read_bytes())
    with page_of(browser, "about:blank") as page:
        done = replayed(page, eyes, WorkflowFolders([tmp_path]), params=VALUES, patience=0.5)
        assert _order(page) is None
    assert done.run.outcome is RunOutcome.FAILED
