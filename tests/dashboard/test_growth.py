"""A page that is left open does not grow with what it was told."""

from collections.abc import Iterator
from typing import Any, Final, cast

import pytest
from playwright.sync_api import Browser, CDPSession, expect

from core.reload.entry import MAX_ACTIONS
from tests.dashboard.conftest import Dashboard, started
from tests.fakes.web.browsing import Window
from tests.fakes.web.page_tour import settled

pytestmark = pytest.mark.screen
PATHS: Final = ("/", "/ui/reload", "/ui/tasks", "/ui/videos", "/ui/memory")
DAY: Final = 20_000
"""Events."""
MOST_BYTES: Final = 1_500_000
MOST_NODES: Final = 250
MOST_LISTENERS: Final = 60
PATIENCE_MS: Final = 60_000


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    with started(tmp_path_factory.mktemp("busy"), display="private") as daemon:
        yield daemon


class Size:
    """What a page holds, once all that it does not need is gone."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        session.send("Performance.enable")
        session.send("HeapProfiler.enable")

    def now(self) -> dict[str, float]:
        for _ in range(3):
            self._session.send("HeapProfiler.collectGarbage")
        reported = cast("list[dict[str, Any]]", self._session.send("Performance.getMetrics")["metrics"])
        return {each["name"]: each["value"] for each in reported}


def _replay(dashboard: Dashboard, actions: int) -> None:
    """Have so many events told, and their job finished."""
    entry = _entry(dashboard, actions)
    job = dashboard.http.post("/replay", json={"cache_id": entry}).json()
    done = {"succeeded": True, "job_id": job["job_id"]}
    with dashboard.http.stream("GET", job["events_url"], timeout=PATIENCE_MS / 1000) as events:
        for line in events.iter_lines():
            if line == "event: reload_emitted":
                dashboard.http.post(f"/reload/{entry}/report", json=done)


def _entry(dashboard: Dashboard, actions: int) -> str:
    wanted = {"triggerType": "user_message", "request": f"Do {actions} things", "succeeded": True}
    shown = [{"type": "thing.do", "number": number, "text": "x" * 100} for number in range(actions)]
    return dashboard.http.post("/reload", json={**wanted, "actions": shown}).json()["cacheId"]


def _grown(browser: Browser, dashboard: Dashboard, paths: tuple[str, ...], *, replays: int, actions: int) -> None:
    window = Window(browser, dashboard.url, "growth")
    pages = [window.open(path) for path in paths]
    for page in pages:
        settled(page)
    _replay(dashboard, actions)
    sizes = [Size(page.context.new_cdp_session(page)) for page in pages]
    before = [size.now() for size in sizes]
    for _ in range(replays):
        _replay(dashboard, actions)
    for page in pages:
        # What was told last is through: nothing runs any more.
        expect(page.locator("#now")).to_have_attribute("hidden", "", timeout=PATIENCE_MS)
    for path, first, size in zip(paths, before, sizes, strict=True):
        last = size.now()
        grown = {name: last[name] - first[name] for name in ("JSHeapUsedSize", "Nodes", "JSEventListeners")}
        assert grown["JSHeapUsedSize"] < MOST_BYTES, (path, grown)
        assert grown["Nodes"] < MOST_NODES, (path, grown)
        assert grown["JSEventListeners"] < MOST_LISTENERS, (path, grown)
    window.close()


@pytest.mark.nightly
def test_pages_do_not_grow_with_two_hundred_events(browser: Browser, busy: Dashboard) -> None:
    _grown(browser, busy, PATHS[:2], replays=2, actions=100)


@pytest.mark.nightly
def test_pages_do_not_grow_with_a_days_events(browser: Browser, busy: Dashboard) -> None:
    _grown(browser, busy, PATHS, replays=DAY // MAX_ACTIONS, actions=MAX_ACTIONS)
