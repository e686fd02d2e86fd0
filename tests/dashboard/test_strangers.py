"""Who is no page of this daemon: other origins, frames, names that lead here, browsers that have not signed in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.conftest import Dashboard, started
from tests.fakes.web.browsing import REBOUND, Window
from tests.fakes.web.sites import site

pytestmark = pytest.mark.screen

TOKEN = "sixteen-or-more-of-this-test"
# What a hostile page of another origin can try: simple requests need no leave, all else asks first and gets none.
ATTACKS = """async (target) => {
  const form = () => { const data = new FormData(); data.append('video', new Blob(['x']), 'x.mp4'); return data; };
  const tries = {
    upload: () => fetch(target + '/analyse', { method: 'POST', body: form() }),
    uploadBlind: () => fetch(target + '/analyse', { method: 'POST', body: form(), mode: 'no-cors' }),
    json: () => fetch(target + '/replay', { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ workflow: 'parcel-form' }) }),
    text: () => fetch(target + '/replay', { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' },
      body: JSON.stringify({ workflow: 'parcel-form' }) }),
    beacon: async () => navigator.sendBeacon(target + '/keys/gemini', '{"key": "of a stranger"}'),
    remove: () => fetch(target + '/reload', { method: 'DELETE' }),
    page: async () => (await fetch(target + '/')).text(),
    token: async () => (await fetch(target + '/session')).text(),
    events: async () => (await fetch(target + '/events')).text(),
    script: () => import(target + '/ui/assets/x/shared/api.js'),
    picture: () => new Promise((resolve, reject) => {
      const image = Object.assign(new Image(), { onload: resolve, onerror: reject });
      image.src = target + '/ui/assets/x/shared/icon.svg';
    }),
  };
  const got = [];
  for (const [name, attempt] of Object.entries(tries)) {
    const answer = await Promise.resolve().then(attempt).catch(() => null);
    if (answer !== null && answer?.type !== 'opaque' && answer !== true) got.push(name);
  }
  return got;
}"""

FRAME = """(address) => {
  const frame = document.createElement('iframe');
  frame.src = address;
  document.body.append(frame);
}"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """Another page of this very machine, on a port of its own."""
    (tmp_path / "index.html").write_text("<!doctype html><title>Elsewhere</title><p>Hello", encoding="utf-8")
    with site(tmp_path) as address:
        yield address


def test_a_page_of_another_origin_reads_nothing_and_changes_nothing(
    browser: Browser, dashboard: Dashboard, elsewhere: str
) -> None:
    page = browser.new_page()
    page.goto(elsewhere)
    before = dashboard.http.get("/jobs").json()

    assert page.evaluate(ATTACKS, dashboard.url) == []
    assert dashboard.http.get("/jobs").json() == before
    assert not any(key["source"] == "file" for key in dashboard.http.get("/keys").json()["keys"])
    page.close()


def test_no_page_of_ours_can_be_framed(browser: Browser, dashboard: Dashboard, elsewhere: str) -> None:
    page = browser.new_page()
    page.goto(elsewhere)
    page.evaluate(FRAME, dashboard.url)
    page.wait_for_function("() => frames.length === 1")

    # A refused frame shows the browser's own page, into which nothing of ours was put.
    page.wait_for_function("() => { try { return frames[0].location.href === null; } catch { return true; } }")
    assert page.frames[1].url in {"chrome-error://chromewebdata/", ""}
    page.close()


def test_a_name_that_was_made_to_lead_here_is_not_served(browser: Browser, dashboard: Dashboard) -> None:
    page = browser.new_page()
    answer = page.goto(f"http://{REBOUND}:{dashboard.port}/")

    assert answer
    assert answer.status == 421
    assert "vaider-page" not in page.content()
    page.close()


@pytest.mark.nightly
def test_where_others_can_connect_a_browser_signs_in_and_then_all_is_as_ever(browser: Browser, tmp_path: Path) -> None:
    with started(tmp_path, host="0.0.0.0", token=TOKEN) as daemon:  # noqa: S104 - that is what is tested
        window = Window(browser, daemon.url, "signed-in")
        window.forgiven = ["401"]
        page = window.open("/")
        window.picture(page, "asked")

        page.get_by_label("Token").fill("a guess that is wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("not the text of data_dir/token")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Sign in").click()

        expect(page.get_by_role("heading", name="Last results")).to_be_visible()
        expect(page.locator("#stream-state")).to_have_text("Live")
        assert TOKEN not in page.content() + str(page.context.cookies())
        window.close()
