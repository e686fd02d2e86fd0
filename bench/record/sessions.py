"""What is done in each recorded session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.record.browser import Browser
    from bench.record.programs import Program, Terminal


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


def minute_still(browser: Browser) -> None:
    """Nothing at all, for a minute."""
    browser.wait(60.0)


def minute_busy(browser: Browser) -> None:
    """A minute of orders without a pause for thought."""
    for _ in range(3):
        checkout(browser)
        browser.open("shop.html")
    browser.wait(1.0)


def idle(browser: Browser) -> None:
    """A blinking caret, a running clock and a moving pointer."""
    browser.wait(1.5)
    for x, y in ((300, 620), (1100, 560), (700, 650), (1180, 300), (980, 200)):
        browser.screen.glide(x, y, steps=30)
        browser.wait(0.5)
    browser.calm()
    browser.wait(1.0)


def upload(browser: Browser) -> None:
    """A progress bar with a running percentage, then a spinner."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#send")
    browser.wait(5.6)
    browser.click("#scan")
    browser.wait(4.4)
    browser.calm()


def film(browser: Browser) -> None:
    """A film starts, plays and stops; somebody comments meanwhile."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#play")
    browser.screen.glide(1100, 600)
    browser.wait(8.0)
    browser.calm()


def article(browser: Browser) -> None:
    """A long page, scrolled down twice and up once."""
    browser.wait(1.2)
    browser.calm()
    browser.screen.glide(640, 500)
    for notches in (5, 8, -4):
        browser.screen.wheel(notches)
        browser.wait(2.2)
    browser.calm()


def dashboard(browser: Browser) -> None:
    """Sections, a dialog that is left and one that is confirmed, and a figure that changes."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#to-voyages")
    browser.wait(1.6)
    browser.calm()
    browser.click("#to-crew")
    browser.wait(1.6)
    browser.click("#to-overview")
    browser.wait(1.6)
    browser.click("#close")
    browser.wait(1.4)
    browser.click("#export")
    browser.wait(1.8)
    browser.calm()
    browser.click("#no")
    browser.wait(1.4)
    browser.click("#export")
    browser.wait(2.0)
    browser.click("#yes")
    browser.wait(3.8)


def chat(browser: Browser) -> None:
    """A message is written and sent, and answered twice."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#draft")
    browser.screen.type("Are we meeting for lunch?", 100)
    browser.wait(0.9)
    browser.screen.press("Return")
    browser.wait(7.0)
    browser.calm()


def orders(browser: Browser) -> None:
    """A table is filtered, one order is opened and marked."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#filter")
    browser.screen.type("rotterdam", 120)
    browser.wait(0.9)
    browser.screen.press("Return")
    browser.wait(2.0)
    browser.calm()
    browser.click("#order-5522")
    browser.wait(1.8)
    browser.click("#ship")
    browser.wait(1.2)
    browser.calm()
    browser.wait(3.0)


def inbox(browser: Browser) -> None:
    """Small print; a message arrives, and later another, and each pushes the rest down."""
    browser.wait(1.6)
    browser.calm()
    browser.run('arrive(["Lighthouse", "The lamp is working again", "9:15"], 12)')
    browser.wait(2.4)
    browser.calm()
    browser.run('arrive(["Otto Brandt", "Keys for boat house 6", "9:16"], 13)')
    browser.wait(2.4)
    browser.calm()
    browser.wait(0.6)


def account(browser: Browser) -> None:
    """A wrong and a right password, tabs, and a dialog."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#user")
    browser.screen.type("ada@example.com", 100)
    browser.wait(0.6)
    browser.click("#password")
    browser.screen.type("anchor11", 100)
    browser.wait(0.6)
    browser.click("#enter")
    browser.wait(1.6)
    browser.calm()
    browser.click("#password")
    browser.screen.type("anchor99", 100)
    browser.wait(0.6)
    browser.click("#enter")
    browser.wait(3.0)
    browser.calm()
    browser.click("#tab-invoices")
    browser.wait(1.5)
    browser.calm()
    browser.click("#leave")
    browser.wait(2.2)
    browser.calm()
    browser.click("#stay")
    browser.wait(1.5)


def wizard(browser: Browser) -> None:
    """Three steps of a booking."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#guest")
    browser.screen.type("Nora Lind")
    browser.wait(0.8)
    browser.click("#next1")
    browser.wait(1.6)
    browser.calm()
    browser.click("#pick")
    browser.wait(1.6)
    browser.click("#next2")
    browser.wait(2.4)
    browser.calm()


def shell(terminal: Terminal) -> None:
    """Two commands in a terminal, one of which takes its time."""
    terminal.wait(1.5)
    for command, seconds in (("count", 1.8), ("forecast", 4.2)):
        terminal.type(command)
        terminal.wait(0.8)
        terminal.enter()
        terminal.wait(seconds)


def notebook(program: Program) -> None:
    """A note is added in a desktop program, then all are deleted after a question."""
    program.wait(1.3)
    program.calm()
    program.click("entry")
    program.screen.type("Paint the dinghy", 110)
    program.wait(0.7)
    program.click("add")
    program.wait(1.5)
    program.calm()
    program.click("clear")
    program.wait(2.2)
    program.click("sure")
    program.wait(3.2)
    program.calm()
