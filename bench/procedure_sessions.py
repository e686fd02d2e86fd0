"""Recordings of several undertakings one after another, each with the sentences that must be told of it."""

from dataclasses import dataclass
from typing import Final

from bench.record.steps import Step, click, press, script, wander, wheel, write

_PAGES: Final = "bench/record/pages"
_APPS: Final = "tests/apps/replayed"


@dataclass(frozen=True)
class Activity:
    """One of them: what is done, and how the sentences begin that tell it."""

    play: Step
    steps: tuple[str, ...]


@dataclass(frozen=True)
class Recorded:
    """One recording: the page that is open when it begins, and what is done then."""

    opens: str
    activities: tuple[Activity, ...]


def _visit(page: str) -> Step:
    return script(press("ctrl+l"), 0.4, write(f"URL/{page}", 40), 0.3, press("Return"), 2.5)


def _transfer(account: str, amount: str, page: str = "") -> Activity:
    come = _visit(page) if page else script(0.5)
    play = script(come, click("#to"), write(account), 0.6, press("Tab"), 0.4, write(amount), 0.6, click("#send"), 4.5)
    steps = (
        *(('Opened the page "',) if page else ()),
        f'Typed "{account}" into the "Account number" field',
        f'Typed "{amount}" into the "Amount in euros" field',
        'Clicked "Send"',
    )
    return Activity(play, steps)


def _weather(area: str, page: str = "") -> Activity:
    come = _visit(page) if page else script(1.5)
    play = script(come, 1.5, click("#area"), write(area), 0.8, click("#ask"), 4.0)
    steps = (
        *(('Opened the page "',) if page else ()),
        f'Typed "{area}" into the "Sea area" field',
        'Clicked "Ask for the forecast"',
    )
    return Activity(play, steps)


def _delete(row: int, name: str, page: str = "") -> Activity:
    come = _visit(page) if page else script(0.5)
    play = script(come, click(f"tr:nth-child({row}) button"), 2.5)
    steps = (*(('Opened the page "',) if page else ()), f'Clicked "Delete" in the row of "{name}"')
    return Activity(play, steps)


def _order(page: str = "") -> Activity:
    come = _visit(page) if page else script(0.5)
    play = script(
        come, click("#search"), write("mug"), 0.7, click("#go"), 2.0, click("#list button"), 3.2, click("#checkout"),
        2.0, click("#name"), write("Ada Byron"), 0.7, click("#street"), write("Pier 7"), 0.8, click("#order"), 4.0,
    )  # fmt: skip
    steps = (
        *(('Opened the page "',) if page else ()),
        'Typed "mug" into the "Search products" field',
        'Clicked "Search"',
        'Clicked "Add to basket" in the row of "Blue mug',
        'Clicked "Checkout"',
        'Typed "Ada Byron" into the "Full name" field',
        'Typed "Pier 7" into the "Street and number" field',
        'Clicked "Place order"',
    )
    return Activity(play, steps)


def _commands(verb: str, *commands: str) -> Activity:
    typed = [step for each in commands for step in (write(each, 80), 0.7, press("Return"), 1.5)]
    steps = [sentence for each in commands for sentence in (f'Ran "{each}"',)]
    return Activity(script(press("alt+Tab"), 1.0, *typed), (f"{verb} XTerm \u2013 work", *steps))


def _back(activity: Activity) -> Activity:
    steps = ("Switched to Chromium", *activity.steps)
    return Activity(script(press("alt+Tab"), 1.0, activity.play), steps)


RECORDINGS: Final[dict[str, Recorded]] = {
    "three pages": Recorded(
        f"{_PAGES}/transfer.html",
        (
            _transfer("4410583", "72.90"),
            _weather("Kattegat", f"{_APPS}/slow/page.html"),
            _delete(2, "Bob Lindqvist", f"{_APPS}/members/page.html"),
        ),
    ),
    "browser and terminal": Recorded(
        f"{_APPS}/members/page.html",
        (
            _delete(3, "Cara Jensen"),
            _commands("Opened", "mkdir harbour", "ls"),
            _back(_transfer("5520694", "18.20", f"{_PAGES}/transfer.html")),
        ),
    ),
    "an order, then a look around": Recorded(
        f"{_PAGES}/shop.html",
        (
            _order(),
            Activity(
                script(
                    _visit(f"{_APPS}/stations/page.html"), wander((300, 300), (900, 500)), wheel(6), 1.5,
                    click("li:nth-child(14) button"), 2.0,
                ),
                ('Opened the page "', "Scrolled down", 'Clicked "Choose" in the row of "Narvik"'),
            ),
        ),
    ),
    "a look into the terminal on the way": Recorded(
        f"{_APPS}/slow/page.html",
        (
            Activity(
                script(
                    1.5, click("#area"), press("alt+Tab"), 1.0, write("date -u +%A", 80), 0.5, press("Return"), 1.5,
                    press("alt+Tab"), 1.2, click("#area"), write("Dogger"), 0.8, click("#ask"), 4.0,
                ),
                (
                    'Clicked beside "Sea area"', "Opened XTerm \u2013 work", 'Ran "date -u +%A"',
                    "Switched to Chromium", 'Typed "Dogger" into the "Sea area" field',
                    'Clicked "Ask for the forecast"',
                ),
            ),
            _commands("Switched to", "uname"),
        ),
    ),
}  # fmt: skip
"""By their names."""
