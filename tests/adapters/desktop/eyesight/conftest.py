from collections.abc import Generator

import pytest
from playwright.sync_api import Browser

from adapters.desktop.eyes import ScreenEyes
from tests.fakes.desktops.headless_screens import headless


# No longer than a module: other tests look for threads that are left.
@pytest.fixture(scope="module")
def eyes() -> Generator[ScreenEyes]:
    eyes = ScreenEyes()
    yield eyes
    eyes.close()


# No longer than a module: while it is open, its event loop runs, and no test could start one.
@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with headless() as browser:
        yield browser
