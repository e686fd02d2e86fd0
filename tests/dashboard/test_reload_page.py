import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, expect

from core.reload.entry import Healed, Proposal
from core.screens import Point
from storage.database import Database
from storage.reload.entries import SqlEntryStore
from storage.schema import RELOAD_ENTRIES
from tests.dashboard.conftest import Dashboard
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen


def posted(request: str, **changes: Any) -> dict[str, Any]:
    return {
        "triggerType": "user_message",
        "request": request,
        "actions": [{"type": "reminder.add", "to": "alice"}],
        "summary": "Sets a reminder",
        "succeeded": True,
        **changes,
    }


def keep(dashboard: Dashboard, request: str, **changes: Any) -> str:
    return dashboard.http.post("/reload", json=posted(request, **changes)).json()["cacheId"]


def entry_of(dashboard: Dashboard, run: dict[str, Any]) -> dict[str, Any]:
    """What was kept of a run."""
    found = [dashboard.http.get(f"/reload/{each['cacheId']}").json() for each in entries(dashboard)]
    return next(each for each in found if each["originalMessageId"] == run["id"])


def entries(dashboard: Dashboard) -> list[dict[str, Any]]:
    return dashboard.http.get("/reload").json()["entries"]


def propose(dashboard: Dashboard, cache_id: str) -> None:
    """As a replay does that found a target elsewhere."""
    database = Database(f"sqlite:///{dashboard.data / 'vaider.db'}")
    database.open()
    with database.read() as connection:
        owner = connection.execute(sa.select(RELOAD_ENTRIES.c.owner)).scalars().first()
    kept = SqlEntryStore(database, owner or "")
    entry = kept.get(cache_id)
    index = next(at for at, action in enumerate(entry.actions) if action.anchor)
    moved = entry.actions[index].model_copy(update={"origin": Point(x=0, y=40)})
    healed = Healed(index=index, action=moved, told="The button is further down.")
    kept.propose(cache_id, entry.version, Proposal(healed=(healed,)))
    database.close()


def looked_up(page: Page, request: str) -> None:
    page.get_by_label("A request, in your words").fill(request)
    page.get_by_role("button", name="Look").click()


@pytest.mark.nightly
def test_the_page_tells_what_is_kept_and_what_it_was_good_for(
    window: Window, dashboard: Dashboard, run: dict[str, Any]
) -> None:
    cache_id = keep(dashboard, "Remind alice of the review")
    dashboard.http.post("/reload/options", json={"request": "Knit a jumper"})
    page = window.open("/ui/reload")

    line = page.locator("#entries li").filter(has=page.locator(f'a[href="/ui/reload/{cache_id}"]'))
    expect(line).to_contain_text("of the review")
    expect(line.get_by_text("front end")).to_be_visible()
    # Two that are called the same are told apart by what they do and by the values they were recorded with.
    expect(line.locator(".reload-does")).to_have_text('reminder.add: to "alice"')
    expect(line.get_by_label("Recorded with").get_by_role("definition")).to_have_text(["alice"])
    expect(page.locator(f'#entries a[href="/ui/reload/{entry_of(dashboard, run)["cacheId"]}"]')).to_be_visible()
    expect(page.locator("#figures")).to_contain_text(re.compile(r"Requests that led to a replay\d+ of \d+"))
    expect(page.locator("#figures")).to_contain_text("Replays that succeeded")
    expect(page.locator("#reasons li").first).to_be_visible()
    window.pictures(page, "reload")


def test_what_would_be_offered_is_told_with_its_reason_and_done_from_there(
    window: Window, dashboard: Dashboard
) -> None:
    keep(dashboard, "Water the plants of alice")
    page = window.open("/ui/reload")
    looked_up(page, "Please water all plants of bob")
    offer = page.get_by_role("list", name="Would be offered").get_by_role("listitem").first
    expect(offer).to_contain_text("compare")
    expect(offer.get_by_role("list", name="What differs")).to_contain_text('asked for "all"')
    expect(offer.get_by_label("to")).to_have_value("bob")
    expect(offer).to_contain_text("recorded: alice")
    window.picture(page, "offered")
    offer.get_by_role("button", name="Do it again").click()
    page.wait_for_url("**/ui/runs/*")
    job = dashboard.http.get(f"/jobs/{page.url.rpartition('/')[2]}").json()
    assert job["request"]["values"] == {"to": "bob"}
    dashboard.http.delete(f"/jobs/{job['id']}")


@pytest.mark.nightly
def test_an_entry_shows_its_steps_with_pictures_and_is_done_again_with_other_values_and_fewer_steps(
    window: Window, dashboard: Dashboard, run: dict[str, Any]
) -> None:
    entry = entry_of(dashboard, run)
    page = window.open(f"/ui/reload/{entry['cacheId']}")

    expect(page.locator("#steps > li")).to_have_count(len(entry["sequence"]))
    expect(page.get_by_role("heading", level=1)).to_have_text(entry["label"])
    expect(page.locator("#steps svg.target").first).to_be_visible()
    assert page.locator("#steps svg.target image").first.evaluate("each => each.getBBox().width") > 0
    expect(page.locator("#facts").get_by_role("link", name="parcel-form")).to_be_visible()
    page.locator("#steps input").nth(1).uncheck()
    expect(page.locator("#again")).to_contain_text("1 action left out")
    window.pictures(page, "entry")

    slot = next(each for each in entry["slots"] if each["rebinds"] and each["value"])
    page.locator("#again").get_by_label(slot["name"], exact=True).fill("Grace Hopper")
    page.locator("#again input[value=private]").check()
    page.locator("#again").get_by_role("button", name="Run").click()
    page.wait_for_url("**/ui/runs/*")
    job = dashboard.http.get(f"/jobs/{page.url.rpartition('/')[2]}").json()
    dashboard.http.delete(f"/jobs/{job['id']}")
    assert job["request"]["reload"]["skip_indices"] == [1]
    assert job["request"]["reload"]["values"][slot["name"]] == "Grace Hopper"


@pytest.mark.nightly
def test_what_healing_proposes_stands_beside_what_is_kept(
    window: Window, dashboard: Dashboard, run: dict[str, Any]
) -> None:
    cache_id = entry_of(dashboard, run)["cacheId"]
    propose(dashboard, cache_id)
    page = window.open(f"/ui/reload/{cache_id}")

    difference = page.locator("#differences section")
    expect(difference).to_contain_text("The button is further down.")
    expect(difference.locator("svg.target")).to_have_count(2)
    expect(page.locator("#badges")).to_contain_text("healing")
    window.pictures(page, "healing")


@pytest.mark.nightly
def test_an_entry_is_exported_forgotten_and_imported_again(
    window: Window, dashboard: Dashboard, tmp_path: Path
) -> None:
    cache_id = keep(dashboard, "Feed the cat of carol")
    page = window.open("/ui/reload")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    saved = tmp_path / "saved.json"
    download.value.save_as(saved)
    page.goto(f"/ui/reload/{cache_id}")
    page.get_by_role("button", name="Forget it …").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.get_by_role("dialog").get_by_role("button", name="Forget it").click()
    page.wait_for_url("**/ui/reload")
    assert cache_id not in [each["cacheId"] for each in entries(dashboard)]

    page.locator("#file").set_input_files(saved)
    expect(page.locator("#imported strong")).to_have_text("saved.json")
    expect(page.locator("#entries")).to_contain_text("Feed the cat of")
    (tmp_path / "other.txt").write_text("no entries")
    page.locator("#file").set_input_files(tmp_path / "other.txt")
    expect(page.locator("#imported")).to_contain_text("This is no JSON")


def test_an_entry_that_is_gone_is_told_so(window: Window) -> None:
    window.forgiven = ["404"]
    page = window.open("/ui/reload/reload-999999")
    expect(page.get_by_role("alert")).to_contain_text("not kept any more")
    expect(page.locator("#entry")).to_be_hidden()
