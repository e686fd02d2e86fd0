"""Drives a real Chromium by its real pointer and keyboard, and hears what its pages tell."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Page, Route, sync_playwright

from adapters.desktop.accessibility.setup import FORCED

if TYPE_CHECKING:
    from collections.abc import Generator

    from bench.record.ledger import Ledger
    from bench.record.screen import Screen
    from bench.record.session import Stage

PAGES = Path(__file__).parent / "pages"
ADDRESS = "http://demo.example"
"""Where the pages are said to live: the address bar is in the picture, so it must not name a folder of this machine."""
QUIET = (
    "--no-sandbox", "--test-type", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-gpu", "--password-store=basic",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication",
    "--force-device-scale-factor=1", "--window-position=0,0",
)  # fmt: skip
"""Flags that keep it from asking, updating and calling home; ``--test-type`` hides the warning about the sandbox."""
PREFERENCES = '{"credentials_enable_service": false}'
"""Keeps it from offering to save passwords, which no flag does."""


@dataclass
class Browser:
    """A page, and the hands that use it."""

    page: Page
    screen: Screen
    ledger: Ledger

    def open(self, name: str) -> None:
        """Load one of the pages in ``pages/`` and wait until it stands."""
        self.page.goto(f"{ADDRESS}/{name}")
        self.page.wait_for_load_state("load")

    def click(self, selector: str, times: int = 1) -> None:
        """Glide to the middle of an element and click it, twice for a double click."""
        self.screen.click(*self.place(selector), times)

    def place(self, selector: str) -> tuple[int, int]:
        """The middle of an element in pixels of the screen."""
        box = self.page.locator(selector).first.bounding_box()
        if box is None:
            raise RuntimeError(f"{selector} is not on the page.")
        left, top = self.page.evaluate("[screenX, screenY + outerHeight - innerHeight]")
        return round(left + box["x"] + box["width"] / 2), round(top + box["y"] + box["height"] / 2)

    def write(self, text: str, pace_ms: int) -> None:
        """Type where the focus is; the page itself tells of it."""
        self.screen.type(text, pace_ms)

    def wait(self, seconds: float) -> None:
        """Let time pass while the page's reports are taken."""
        self.page.wait_for_timeout(seconds * 1000)

    def calm(self) -> None:
        """Note every word that stands on the screen now."""
        lines: list[str] = self.page.evaluate("visibleLines()")
        self.ledger.take({"op": "calm", "t": time.time() * 1000, "lines": lines})

    def run(self, script: str) -> None:
        """Let the page do something by itself."""
        self.page.evaluate(script)


@contextmanager
def chromium(screen: Screen, ledger: Ledger, *, framed: bool = False) -> Generator[Browser]:
    """Start Chromium over the whole screen, with its own frame (tabs, address) only when asked."""
    program = os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium")
    look = (f"--window-size={screen.width},{screen.height}", "--start-maximized") if framed else ("--kiosk",)
    with tempfile.TemporaryDirectory(prefix="vaider-chromium-") as profile, sync_playwright() as playwright:
        Path(profile, "Default").mkdir()
        Path(profile, "Default", "Preferences").write_text(PREFERENCES, encoding="utf-8")
        context = playwright.chromium.launch_persistent_context(
            profile,
            headless=False,
            executable_path=program,
            args=[*QUIET, *look, *((FORCED,) if screen.session else ())],
            ignore_default_args=["--enable-automation"],
            no_viewport=True,
            env=dict(screen.environment),
        )
        try:
            context.route(f"{ADDRESS}/**", _serve)
            context.expose_function("truth", ledger.take)
            yield Browser(context.pages[0], screen, ledger)
        finally:
            context.close()


def on_page(name: str, *, focus: str | None = None, framed: bool = False) -> Stage:
    """A stage: Chromium showing one of ``pages/``, the caret where it is wanted."""

    @contextmanager
    def stage(screen: Screen, ledger: Ledger) -> Generator[Browser]:
        with chromium(screen, ledger, framed=framed) as browser:
            browser.open(name)
            # A new window has its address selected until somebody clicks the page.
            screen.click(screen.width * 3 // 4, screen.height * 3 // 4)
            if focus:
                browser.page.focus(focus)
            browser.wait(1.0)
            yield browser

    return stage


def _serve(route: Route) -> None:
    path = PAGES / Path(route.request.url).name
    if path.exists():
        route.fulfill(path=path)
    else:
        route.fulfill(status=404)
