"""Nothing for axe to find: names, roles, order, contrast, on every page as it is when there is something on it."""

from importlib import resources
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from tests.dashboard.conftest import Dashboard
from tests.fakes.web.browsing import Theme, Window
from tests.fakes.web.page_tour import settled, tour, unfolded

pytestmark = pytest.mark.screen
AXE: Final = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
ALL: Final[dict[str, Any]] = {"resultTypes": ["violations"]}


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    """What axe finds, each with the elements; told to the page by the debugger, so that its policy stays as it is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found for node in each["nodes"]]


def opened(window: Window, path: str, *, theme: Theme, width: int) -> Page:
    page = window.open(path, theme=theme, width=width)
    settled(page)
    return page


@pytest.mark.nightly
def test_axe_finds_nothing_on_any_page(
    window: Window, dashboard: Dashboard, analysis: dict[str, Any], run: dict[str, Any]
) -> None:
    found: dict[str, list[str]] = {}
    page = window.open("/")
    for name, path in tour(dashboard, analysis, run).items():
        page.goto(path)
        settled(page)
        found[name] = violations(page, ALL)
    assert not {name: each for name, each in found.items() if each}


@pytest.mark.nightly
def test_axe_would_find_what_nobody_can_read(window: Window) -> None:
    page = opened(window, "/ui/reload", theme="light", width=1280)
    page.locator("h1").evaluate("each => each.append(new Image())")
    assert [each.partition(":")[0] for each in violations(page, ALL)] == ["image-alt"]


@pytest.mark.nightly
@pytest.mark.parametrize("look", [("light", 360), ("dark", 360), ("light", 1920), ("dark", 1920)])
def test_axe_finds_nothing_in_any_width_and_theme(
    window: Window, dashboard: Dashboard, analysis: dict[str, Any], run: dict[str, Any], look: tuple[Theme, int]
) -> None:
    theme, width = look
    for path in tour(dashboard, analysis, run).values():
        page = opened(window, path, theme=theme, width=width)
        unfolded(page)
        assert not violations(page, ALL), path
        page.context.close()
