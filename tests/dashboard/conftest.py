"""A real daemon with real work done, and a real browser that looks at it."""

import contextlib
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox
from tests.fakes.web.browsing import Window, chromium

ROOT = Path(__file__).parent.parent.parent
WORK_SECONDS = 120.0
WANTED = ('"Order 1042 confirmed" is shown', '"Refund issued" is shown', "the page looks nice")
"""Of the sample: seen, not seen, and what only a model could tell."""


class Dashboard(Process):
    """A daemon's process, and what the API needs to have something to look at."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def finished(self, started: dict[str, Any]) -> dict[str, Any]:
        """The job of an answer, once it is over."""
        path = f"/jobs/{started['job_id']}"
        with self.http.stream("GET", f"/events?job={started['job_id']}", timeout=WORK_SECONDS) as events:
            for _ in events.iter_lines():
                pass
        return self.http.get(path).json()

    def submitted(self, video: Path, **asked: Any) -> dict[str, Any]:
        """The job of an analysis of a video, by its path, as it was answered at once."""
        body = {"video_path": str(video), **asked}
        return self.http.post("/analyse", json=body, headers={"Prefer": "respond-async"}).json()

    def analysed(self, video: Path, *expectations: str) -> dict[str, Any]:
        """The finished analysis of a video, by its path."""
        return self.finished(self.submitted(video, expectations=expectations))

    def compared(self, good: dict[str, Any], bad: dict[str, Any]) -> dict[str, Any]:
        """The finished comparison of two analyses, as a job."""
        return self.finished(self.http.post("/compare", json={"good": good["id"], "bad": bad["id"]}).json())

    def ran(self, **asked: Any) -> dict[str, Any]:
        """A finished run on a private display."""
        return self.finished(self.http.post("/replay", json={"display": "private", **asked}).json())


@contextlib.contextmanager
def started(data: Path, *, token: str = "", **settings: Any) -> Generator[Dashboard]:
    """A daemon for one test or many; settings are as in the README, ``token`` is for one that strangers can reach."""
    daemon = Dashboard(data, environment={"VAIDER_TOKEN": token} if token else None, **settings)
    if token:
        daemon.http.headers["Authorization"] = f"Bearer {token}"
    try:
        daemon.started()
        yield daemon
    finally:
        daemon.close()


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A daemon that all tests of a worker share: they add to what it knows, and take nothing away from each other."""
    data = tmp_path_factory.mktemp("dashboard")
    shutil.copytree(ROOT / "examples" / "workflows" / "parcel-form", data / "workflows" / "parcel-form")
    with started(data, display="private") as daemon:
        yield daemon


@pytest.fixture(scope="session")
def analysis(dashboard: Dashboard) -> dict[str, Any]:
    """A finished analysis, as a job, with verdicts of each kind."""
    return dashboard.analysed(ROOT / "samples" / "checkout.mp4", *WANTED)


@pytest.fixture(scope="session")
def run(dashboard: Dashboard) -> dict[str, Any]:
    """A finished run of a workflow, as a job."""
    require_browser_sandbox()
    return dashboard.ran(workflow="parcel-form")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def window(browser: Browser, dashboard: Dashboard, request: pytest.FixtureRequest) -> Iterator[Window]:
    """Opens pages of the shared daemon; complains about errors in them when the test is over."""
    opened = Window(browser, dashboard.url, request.node.name)
    yield opened
    opened.close()
