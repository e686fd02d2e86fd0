"""What is handed on: one HTML file that the terminal writes, opened in a browser that can reach nothing else."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request

from tests.dashboard.conftest import Dashboard
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox

pytestmark = pytest.mark.screen
SCREEN = {"width": 1280, "height": 800}
MOST_BYTES = 5_000_000
MOST_SCREENS = 3


def vaider(dashboard: Dashboard, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The installed command, beside this daemon."""
    said = {"VAIDER_DATA_DIR": str(dashboard.data), "VAIDER_PORT": str(dashboard.port)}
    command = [str(Path(sys.executable).with_name("vaider")), *arguments]
    return subprocess.run(
        command, env={**os.environ, **said}, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def opened(browser: Browser, file: Path) -> tuple[Page, list[Request]]:
    """The file as a stranger opens it, and what it asked for besides itself."""
    assert file.stat().st_size <= MOST_BYTES
    page = browser.new_page(viewport={"width": SCREEN["width"], "height": SCREEN["height"]})
    asked: list[Request] = []
    page.on("request", lambda each: asked.append(each))  # noqa: PLW0108 - the client wants a function
    page.goto(file.as_uri())
    return page, [each for each in asked if not each.url.startswith("data:") and each.url != file.as_uri()]


@pytest.mark.nightly
def test_an_analysis_is_shared_as_one_file_with_its_pictures(
    browser: Browser, dashboard: Dashboard, analysis: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "analysis.html"
    shared = vaider(dashboard, "jobs", "share", analysis["id"], str(file))
    assert shared.returncode == 0, shared.stderr
    page, elsewhere = opened(browser, file)

    assert analysis["headline"]["text"] in page.locator("body").inner_text()
    assert page.locator("svg.shot").first.is_visible()
    assert page.locator("svg.store image").count() > 0
    assert page.locator("script").count() == 0
    assert not elsewhere
    page.close()


def test_what_is_no_job_is_not_shared(dashboard: Dashboard, tmp_path: Path) -> None:
    file = tmp_path / "nothing.html"
    refused = vaider(dashboard, "jobs", "share", "job-nothing", str(file))

    assert refused.returncode == 2
    assert "job-nothing" in refused.stderr
    assert not file.exists()


@pytest.mark.nightly
def test_a_run_from_the_terminal_writes_its_report_of_three_screens_at_most(
    browser: Browser, dashboard: Dashboard, tmp_path: Path
) -> None:
    require_browser_sandbox()
    file = tmp_path / "run.html"
    asked = ("replay", "parcel-form", "--display", "private", "--html", str(file))
    ran = vaider(dashboard, *asked)
    assert ran.returncode == 0, ran.stderr
    page, elsewhere = opened(browser, file)

    assert "Order 1042 is waiting for pickup" in page.locator("body").inner_text()
    assert page.evaluate("document.documentElement.scrollHeight") <= MOST_SCREENS * SCREEN["height"]
    assert page.locator("script").count() == 0
    assert not elsewhere
    page.close()
