"""What is done in each recorded browser session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.record.browser import Browser


def checkout(browser: Browser) -> None:
    """An order from search to confirmation."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#search")
    browser.screen.type("mug")
    browser.wait(0.7)
    browser.click("#go")
    browser.wait(1.5)
    browser.calm()
    browser.click("#list button")
    browser.wait(1.2)
    browser.calm()
    browser.wait(1.9)
    browser.click("#checkout")
    browser.wait(1.0)
    browser.click("#name")
    browser.screen.type("Ada Byron")
    browser.wait(0.6)
    browser.click("#street")
    browser.screen.type("Pier 7")
    browser.wait(0.8)
    browser.calm()
    browser.click("#order")
    browser.wait(3.6)
    browser.calm()


def toasts(browser: Browser) -> None:
    """Toasts of 300 ms, 1.2 s and longer, and two events 100 ms apart."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#save")
    browser.wait(2.0)
    browser.click("#sync")
    browser.wait(1.4)
    browser.calm()
    browser.wait(2.6)
    browser.click("#backup")
    browser.wait(5.8)
    browser.calm()


def counters(browser: Browser) -> None:
    """Digits and words that change in place."""
    browser.wait(1.5)
    browser.calm()
    browser.run("run()")
    browser.wait(1.8)
    browser.calm()


def still(browser: Browser) -> None:
    """Nothing at all."""
    browser.wait(4.0)
    browser.calm()
    browser.wait(4.0)


def idle(browser: Browser) -> None:
    """A blinking caret, a running clock and a moving pointer."""
    browser.wait(1.5)
    for x, y in ((300, 620), (1100, 560), (700, 650), (1180, 300), (980, 200)):
        browser.screen.glide(x, y, steps=30)
        browser.wait(0.5)
    browser.calm()
    browser.wait(1.0)
