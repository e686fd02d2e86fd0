"""How a job ended is told in the same words wherever it is shown: they come from ``core/headlines.py`` alone."""

from html import unescape
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.headlines import confirmed_words, why
from core.jobs import Job
from server.dashboard.pages import assets
from tests.dashboard.conftest import Dashboard
from tests.fakes.daemons.commands import vaider
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen


def line_of(dashboard: Dashboard, job: dict[str, Any]) -> Any:
    headline = Job.model_validate(dashboard.http.get(f"/jobs/{job['id']}").json()).headline
    assert headline is not None
    return headline


def shown_in(page: Page, path: str) -> Page:
    page.goto(path)
    return page


@pytest.mark.nightly
def test_lists_pages_reports_and_agents_tell_an_end_in_the_same_words(
    window: Window, dashboard: Dashboard, analysis: dict[str, Any], run: dict[str, Any]
) -> None:
    page = window.open("/")
    for job, path in ((analysis, "videos"), (run, "runs")):
        line = line_of(dashboard, job)

        brief = next(each for each in dashboard.http.get("/jobs?brief=true").json()["jobs"] if each["id"] == job["id"])
        assert brief["headline"] == line.model_dump(mode="json")
        listed = vaider(
            *("jobs", "list", "--port", str(dashboard.port)), cwd=dashboard.data, environment={"COLUMNS": "400"}
        ).stdout
        row = next(each for each in listed.splitlines() if job["id"] in each)
        assert line.label in row
        assert (why(line) in row) is (line.mood in {"bad", "warn"})
        shown = vaider("jobs", "show", job["id"], "--port", str(dashboard.port), cwd=dashboard.data).stdout
        assert line.text in shown

        expect(shown_in(page, f"/ui/{path}/{job['id']}").locator(".outcome-line")).to_contain_text(line.text)
        badge = shown_in(page, "/").locator(".result", has=page.locator(f'a[href^="/ui/{path}/{job["id"]}"]'))
        expect(badge.locator(".badge").first).to_have_text(line.label)
        report = dashboard.http.get(f"/jobs/{job['id']}/share").text
        assert line.text in unescape(report)


def test_the_dashboards_words_for_what_confirmed_a_success_are_those_of_the_core() -> None:
    script = assets()["shared/jobs.js"].content.decode()

    assert f'effect: "{confirmed_words("effect")}", screen: "{confirmed_words("screen")}"' in script
