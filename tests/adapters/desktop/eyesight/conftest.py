from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.desktop.eyes import ScreenEyes
from tests.fakes.desktops.headless_screens import headless

if TYPE_CHECKING:
    from collections.abc import Generator

    from playwright.sync_api import Browser


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
