from collections.abc import Callable, Generator
from functools import lru_cache

import pytest
from playwright.sync_api import Browser

from adapters.desktop.eyes import ScreenEyes
from tests.fakes.desktops.headless_screens import PAGES, ROOT, Theme, Truth, headless, page_of, taken

FORM = ROOT / "examples" / "workflows" / "parcel-form" / "form.html"


@pytest.fixture(scope="session")
def eyes() -> Generator[ScreenEyes]:
    eyes = ScreenEyes()
    yield eyes
    eyes.close()


# No longer than a module: while it is open, its event loop runs, and no test could start one.
@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with headless() as browser:
        yield browser


@pytest.fixture(scope="module")
def screen(browser: Browser) -> Callable[[str, Theme, float], Truth]:
    """Takes a picture of a page once, by its name, theme and zoom."""

    @lru_cache
    def take(name: str, theme: Theme, zoom: float) -> Truth:
        path = FORM if name == "form" else PAGES / f"{name}.html"
        size = (1280, 720) if zoom <= 1 else (1920, 1080)
        with page_of(browser, path.as_uri(), theme=theme, zoom=zoom, size=size) as page:
            return taken(page, zoom)

    return take
