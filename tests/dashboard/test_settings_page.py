"""The settings page: keys go in and never come back, settings are written and told, nothing of them is markup."""

import json
import re
import tomllib
from collections.abc import Iterator

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.clock import until
from tests.dashboard.conftest import Dashboard, started
from tests.fakes.web.browsing import Window

pytestmark = pytest.mark.screen
KEY = "sk-" + "ant-of-nobody-at-all-0123456789"
MARKUP = "<img src=x onerror=\"document.title='gone'\">"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """One of its own: what is changed here would be everybody's."""
    data = tmp_path_factory.mktemp("settings")
    with started(data, settings=data / "settings.toml") as daemon:
        yield daemon


@pytest.fixture
def page(browser: Browser, daemon: Dashboard, request: pytest.FixtureRequest) -> Iterator[Page]:
    window = Window(browser, daemon.url, request.node.name)
    # Without a display the preview has nothing to show, and says so.
    window.forgiven = ["status of 409", "status of 400"]
    page = window.open("/ui/settings")
    expect(page.locator("#limit-groups summary").first).to_be_visible()
    yield page
    window.close()


def file(daemon: Dashboard) -> dict[str, object]:
    path = daemon.data / "settings.toml"
    return tomllib.loads(path.read_text()) if path.exists() else {}


def found(page: Page, name: str) -> None:
    page.get_by_label("Find a setting").fill(name)


def test_a_key_goes_into_the_file_after_a_yes_and_is_never_seen_again(page: Page, daemon: Dashboard) -> None:
    row = page.locator(".key", has_text="Claude decides")
    row.get_by_role("button", name="Set the key of Anthropic").press("Enter")
    field = page.get_by_label("Key of Anthropic", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_attribute("type", "password")
    field.fill(KEY)
    field.press("Enter")
    expect(field).to_have_value("")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(str(daemon.data / "keys.json"))
    dialog.get_by_role("button", name="Cancel").click()
    expect(row.get_by_role("alert")).to_have_text("Nothing was kept.")
    assert not (daemon.data / "keys.json").exists()
    field.fill(KEY)
    row.get_by_role("button", name="Save").click()
    dialog.get_by_role("button", name="Keep it in the file").click()

    expect(row).to_contain_text("saved, in a file")
    assert json.loads((daemon.data / "keys.json").read_text()) == {"anthropic": KEY}
    assert KEY not in page.content()
    assert not page.evaluate("(key) => [...document.querySelectorAll('input')].some((one) => one.value === key)", KEY)
    assert KEY not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    expect(page.locator(".key", has_text="Gemini watches")).to_contain_text("from GOOGLE_API_KEY")
    row.get_by_role("button", name="Remove the key of Anthropic").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row).to_contain_text("not set")
    assert not (daemon.data / "keys.json").exists()


@pytest.mark.nightly
def test_a_setting_is_saved_waits_for_the_next_start_is_reset_and_tells_what_would_leave(
    page: Page, daemon: Dashboard
) -> None:
    found(page, "max parallel")
    parallel = page.get_by_label("Max parallel analyses")
    parallel.fill("100")
    parallel.press("Tab")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#setting-max_parallel_analyses")).to_contain_text("less than or equal to 64")
    expect(parallel).to_be_focused()
    assert "max_parallel_analyses" not in file(daemon)
    parallel.fill("5")
    parallel.press("Tab")
    expect(page.locator("#save-bar")).to_contain_text("1 change not saved")
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.locator("#warnings")).to_contain_text("Waits for the daemon's next start: Max parallel analyses.")
    assert file(daemon)["max_parallel_analyses"] == 5
    page.reload()
    found(page, "max parallel")
    expect(page.get_by_label("Max parallel analyses")).to_have_value("5")
    page.locator("#setting-max_parallel_analyses").get_by_role("button", name="Reset to default").click()
    expect(page.get_by_label("Max parallel analyses")).to_have_value("2")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#warnings")).not_to_contain_text("next start")
    assert "max_parallel_analyses" not in file(daemon)
    found(page, "gate")
    expect(page.locator("#setting-gate")).to_contain_text("a run could press the button too")
    expect(page.locator("#setting-gate").locator("input, select")).to_have_count(0)

    page.get_by_label("Who words memories better").select_option("gemini")
    page.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("go to Gemini")
    dialog.get_by_role("button", name="Cancel").click()

    assert "memory_refiner" not in file(daemon)
    expect(page.locator("#save-bar")).to_be_visible()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_label("Who words memories better")).to_have_value("none")


def in_force(daemon: Dashboard, name: str) -> object:
    try:
        return {each["name"]: each["value"] for each in daemon.http.get("/settings").json()["settings"]}[name]
    except httpx2.TransportError:
        return None


@pytest.mark.nightly
def test_what_waits_for_a_start_is_in_force_after_the_press_of_a_button(browser: Browser, daemon: Dashboard) -> None:
    window = Window(browser, daemon.url, "restart")
    window.forgiven = ["status of 409", "status of 400", "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY", "/doctor"]
    before = daemon.http.get("/health").json()
    assert daemon.http.patch("/settings", json={"upload_keep_days": 3}).is_success
    page = window.open("/ui/settings")
    page.get_by_role("button", name="Restart now").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("What runs on a desktop is stopped")
    dialog.get_by_role("button", name="Restart").click()

    until(lambda: in_force(daemon, "upload_keep_days") == 3, seconds=60)
    expect(page.locator("#warnings")).not_to_contain_text("next start", timeout=60_000)
    after = daemon.http.get("/health").json()
    assert after["pid"] == before["pid"], "whoever looks after the process finds it"
    window.close()


@pytest.mark.nightly
def test_an_exclusion_is_in_force_as_soon_as_it_is_saved_and_shown_as_text(page: Page, daemon: Dashboard) -> None:
    titles = page.locator("#setting-record_exclude_titles")
    added = titles.get_by_placeholder("").last
    page.get_by_label("Window titles", exact=True).last.fill(MARKUP)
    page.get_by_label("Window titles", exact=True).last.press("Enter")
    page.get_by_label("Programs", exact=True).last.fill("signal")
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.locator("#save-bar")).to_be_hidden()
    found_now = {each["name"]: each for each in daemon.http.get("/settings").json()["settings"]}
    assert (found_now["record_exclude_titles"]["value"], found_now["record_exclude_apps"]["value"]) == (
        [MARKUP],
        ["signal"],
    )
    assert not found_now["record_exclude_titles"]["restart"]
    page.reload()
    expect(page.get_by_label("Window titles, 1")).to_have_value(MARKUP)
    expect(page.locator("#privacy img")).to_have_count(0)
    page.get_by_role("button", name=f"Remove {MARKUP}").click()
    expect(added).to_be_focused()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#save-bar")).to_be_hidden()
    assert file(daemon)["record_exclude_titles"] == []


@pytest.mark.nightly
def test_snippets_are_copied_by_keyboard_and_the_doctor_looks_when_one_comes_there(
    page: Page, daemon: Dashboard
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy = page.get_by_role("button", name="Copy: Cursor")
    copy.press("Enter")
    expect(copy).to_have_text("Copied")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied == {"mcpServers": {"vaider": {"url": f"{daemon.url}/mcp"}}}

    page.goto("/ui/settings#health")
    expect(page.locator("#checks")).to_contain_text("found nothing amiss", timeout=30_000)
    expect(page.locator(".settings-nav a[aria-current]")).to_have_text(re.compile("Health|About"))
    expect(page.locator("#facts")).to_contain_text(str(daemon.data))


@pytest.mark.nightly
def test_the_settings_page_looks_right_in_each_width_and_theme(browser: Browser, daemon: Dashboard) -> None:
    window = Window(browser, daemon.url, "settings")
    window.forgiven = ["status of 409"]
    shown = window.open("/ui/settings#health")
    expect(shown.locator("#checks")).to_contain_text("found nothing amiss", timeout=30_000)
    shown.get_by_label("Find a setting").fill("replay")
    shown.get_by_role("button", name="Set the key of Anthropic").click()
    shown.get_by_label("Programs", exact=True).last.fill("signal")
    shown.get_by_text("How long it is kept").click()
    shown.evaluate("scrollTo(0, 0)")
    window.pictures(shown, "settings")
    shown.close(run_before_unload=False)
    window.close()


@pytest.mark.nightly
def test_two_windows_agree_and_a_file_that_cannot_be_read_is_told(page: Page, daemon: Dashboard) -> None:
    other = page.context.new_page()
    other.goto("/ui/settings")
    expect(other.locator("#limit-groups summary").first).to_be_visible()
    found(page, "max parallel")
    found(other, "max parallel")
    page.get_by_label("Max parallel analyses").fill("7")
    page.get_by_label("Max parallel analyses").press("Tab")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(other.get_by_label("Max parallel analyses")).to_have_value("7")

    path = daemon.data / "settings.toml"
    before = path.read_text()
    path.write_text("x = [")
    page.reload()
    expect(page.locator("#warnings")).to_contain_text("no readable TOML")
    found(page, "max parallel")
    page.get_by_label("Max parallel analyses").fill("5")
    page.get_by_label("Max parallel analyses").press("Tab")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#save-bar")).to_contain_text("no readable TOML")
    assert path.read_text() == "x = ["
    path.write_text(before)
    page.get_by_role("button", name="Discard").click()
