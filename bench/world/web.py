"""A web application in a real Chromium whose page tells which texts stand on it."""

import os
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from bench.record.browser import PREFERENCES, QUIET
from bench.record.screen import Screen
from bench.world.hands import PATIENCE_S, Hands, is_place, started
from bench.world.ledger import Ledger
from bench.world.session import Look, Session

WATCHER: Final = (Path(__file__).parent / "page.js").read_text("utf-8")
NAME_OF: Final = """element => {
    let text = element.selectedOptions ? element.selectedOptions[0]?.label : element.innerText || element.value;
    text ||= "";
    for (const each of [element, ...element.querySelectorAll("*")])
        if (!each.childElementCount && /icon|symbol|awesome/i.test(getComputedStyle(each).fontFamily.split(",")[0]))
            text = text.replace(each.innerText || "", "");
    const said = [text, element.placeholder, element.getAttribute("aria-label"), element.title];
    return (said.find((each) => typeof each === "string" && each.trim()) || "").trim().slice(0, 80);
}"""
"""What a thing says of itself, but for the letters that a font of pictures draws as one."""


class Browsing(Hands):
    """Things are Playwright's selectors, or a place ``x,y``."""

    def __init__(self, screen: Screen, ledger: Ledger, page: Page, origin: str) -> None:
        super().__init__(screen, ledger)
        self.page = page
        self._origin = origin

    def find(self, name: str) -> tuple[str, tuple[int, int]]:
        """The first that can be seen."""
        if is_place(name):
            return super().find(name)
        thing = self.page.locator(name).locator("visible=true").first
        thing.wait_for(timeout=5_000)
        box = thing.bounding_box()
        if box is None:
            raise RuntimeError(f"{name} is not on the page.")
        scale, left, top = self.page.evaluate("[devicePixelRatio, screenX, screenY + outerHeight - innerHeight]")
        x, y = left + box["x"] + box["width"] / 2, top + box["y"] + box["height"] / 2
        return thing.evaluate(NAME_OF), (round(x * scale), round(y * scale))

    def wait(self, seconds: float) -> None:
        """Let time pass while samples are taken."""
        self.page.wait_for_timeout(seconds * 1000)

    def visit(self, words: str) -> None:
        """Open another path of the application."""
        self.page.goto(self._origin + words, wait_until="domcontentloaded")

    def script(self, words: str) -> None:
        """Let the page do something by itself."""
        self.page.evaluate(words)

    def finish(self) -> None:
        """Take the last samples."""
        self.wait(0.5)


@contextmanager
def browsing(session: Session, screen: Screen, ledger: Ledger, kind: type[Browsing] = Browsing) -> Generator[Hands]:
    """The application's first page in Chromium over the whole screen, and hands of a kind."""
    with started(session, screen.environment) as (folder, port), tempfile.TemporaryDirectory() as profile:
        origin = f"http://localhost:{port}" if session.start else f"file://{folder}"
        if session.start:
            await_answer(origin + session.open)
        look = session.look
        with sync_playwright() as playwright:
            context = playwright.chromium.launch_persistent_context(
                _profile(Path(profile), look),
                headless=False,
                executable_path=os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium"),
                args=_flags(screen, look),
                ignore_default_args=["--enable-automation", "--force-color-profile=srgb"],
                no_viewport=True,
                color_scheme="dark" if look.dark else "light",
                env=dict(screen.environment),
            )
            context.expose_function("worldSample", ledger.take)
            context.add_init_script(WATCHER)
            page = context.pages[0]
            page.goto(origin + session.open)
            screen.click(screen.width - 8, screen.height - 8)
            if session.ready:
                page.locator(session.ready).first.wait_for(timeout=PATIENCE_S * 1000)
            hands = kind(screen, ledger, page, origin)
            page.wait_for_timeout(1500)
            yield hands
            context.close()


def _flags(screen: Screen, look: Look) -> list[str]:
    quiet = [flag for flag in QUIET if not flag.startswith("--force-device-scale-factor")]
    window = [f"--window-size={screen.width},{screen.height}", "--start-maximized"] if look.framed else ["--kiosk"]
    dark = ["--force-dark-mode"] if look.dark else []
    return [*quiet, f"--force-device-scale-factor={look.zoom}", *window, *dark]


def _profile(folder: Path, look: Look) -> str:
    (folder / "Default").mkdir()
    fonts = f'"webkit": {{"webprefs": {{"default_font_size": {look.font}}}}}'
    (folder / "Default" / "Preferences").write_text(PREFERENCES[:-1] + ", " + fonts + "}", encoding="utf-8")
    return str(folder)


def await_answer(address: str) -> None:
    """Wait until a server answers there, with an error or not."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            urllib.request.urlopen(address, timeout=20).close()  # noqa: S310 - an address of this machine
        except urllib.error.HTTPError:
            return
        except OSError as problem:
            if time.monotonic() > end:
                raise RuntimeError(f"Nothing answers at {address}.") from problem
            time.sleep(0.3)
        else:
            return
