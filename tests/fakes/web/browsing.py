"""A real browser that looks at a daemon's pages, and objects to whatever goes wrong in them."""

import contextlib
import os
import re
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

Theme = Literal["light", "dark"]

OUT = Path(__file__).parents[2] / "out" / "dashboard"
REBOUND = "rebound.example"
"""A stranger's name that leads to this machine."""
WIDTHS: Final[Mapping[int, Theme]] = {360: "dark", 1280: "light", 1920: "dark"}
_PATIENCE_MS = 25_000
"""On a machine that has much else to do."""
expect.set_options(timeout=_PATIENCE_MS)


class Window:
    """One browser's windows on one daemon.

    Args:
        browser: a running one.
        url: the daemon's.
        name: of the test, for the pictures.

    """

    def __init__(self, browser: Browser, url: str, name: str) -> None:
        self.complaints: list[str] = []
        """Errors of pages: uncaught ones, refused by the policy, told on the console."""
        self.forgiven: list[str] = []
        """Patterns of complaints that are part of a test, such as a daemon that is away."""
        self._browser = browser
        self._url = url
        self._name = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")
        self._contexts: list[BrowserContext] = []

    def open(
        self, path: str, *, theme: Theme = "light", width: int = 1280, height: int = 900, newcomer: bool = False
    ) -> Page:
        """A page in a browser profile of its own; a ``newcomer`` has never seen the welcome page."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            reduced_motion="reduce",
            base_url=self._url,
            locale="en-GB",
        )
        if not newcomer:
            context.add_init_script("localStorage.setItem('vaider-welcome', 'done')")
        self._contexts.append(context)
        return self.beside(context.new_page(), path)

    def beside(self, page: Page, path: str) -> Page:
        """The same for a window of a profile that is open already."""
        page.set_default_timeout(_PATIENCE_MS)
        page.on("pageerror", lambda error: self.complaints.append(f"{path}: {error}"))
        page.on("console", lambda message: self._hear(path, message))
        page.goto(path)
        return page

    def picture(self, page: Page, name: str = "") -> Path:
        """Keep how a page looks, among the test run's artefacts."""
        OUT.mkdir(parents=True, exist_ok=True)
        path = OUT / f"{self._name}{'-' if name else ''}{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    def pictures(self, page: Page, name: str) -> None:
        """The same in each width, and in one of both themes each: colours make nothing wider."""
        for width, theme in WIDTHS.items():
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            self.picture(page, f"{name}-{theme}-{width}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} is wider than {width}"

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        wrong = [each for each in self.complaints if not any(re.search(one, each) for one in self.forgiven)]
        assert not wrong, wrong

    def _hear(self, path: str, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{path}: {message.text} {message.location.get('url', '')}")


@contextlib.contextmanager
def chromium() -> Generator[Browser]:
    """Debian's Chromium, or that of ``CHROMIUM_PATH``."""
    program = os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"]
        )
        try:
            yield browser
        finally:
            browser.close()
