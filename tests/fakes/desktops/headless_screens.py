"""Pictures of real pages with the true boxes of their elements, by a headless Chromium: fast, and of any scale."""

import os
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from core.screens import Box, Picture, Point

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "tests" / "apps" / "pages"
Theme = Literal["light", "dark"]

_BOXES = """() => Object.fromEntries([...document.querySelectorAll('[data-t],[id]')].map((one) => {
  const box = one.getBoundingClientRect();
  return [one.dataset.t || one.id, [box.x, box.y, box.width, box.height]];
}))"""


@dataclass(frozen=True)
class Truth:
    """A picture, and where each element with a name stands in it."""

    picture: Picture
    boxes: Mapping[str, Box]

    def at(self, point: Point) -> set[str]:
        """The elements under a point."""
        return {name for name, box in self.boxes.items() if box.contains(point)}


@contextmanager
def headless() -> Generator[Browser]:
    """A Chromium without a window."""
    program = os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page_of(
    browser: Browser,
    address: str,
    *,
    size: tuple[int, int] = (1280, 720),
    theme: Theme = "light",
    zoom: float = 1.0,
) -> Generator[Page]:
    """A page in a window of ``size`` pixels; ``zoom`` is that of the screen, 1.5 for 150 %."""
    view: Any = {"width": round(size[0] / zoom), "height": round(size[1] / zoom)}
    context = browser.new_context(viewport=view, device_scale_factor=zoom, color_scheme=theme)
    try:
        page = context.new_page()
        page.goto(address)
        yield page
    finally:
        context.close()


def taken(page: Page, zoom: float = 1.0) -> Truth:
    """How the page looks now."""
    boxes: dict[str, list[float]] = page.evaluate(_BOXES)
    return Truth(
        decoded(page.screenshot()),
        {
            name: Box(x=round(x * zoom), y=round(y * zoom), width=round(width * zoom), height=round(height * zoom))
            for name, (x, y, width, height) in boxes.items()
            if width and height
        },
    )


def decoded(png: bytes) -> Picture:
    """A PNG file as a picture of the desktop."""
    bgr = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert bgr is not None
    pixels = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2BGRA), np.uint8)
    height, width = pixels.shape[:2]
    return Picture(width=width, height=height, bgra=pixels.tobytes(), taken=time.monotonic())
