"""Demonstrations with known steps: each is done by real hands on a real page, as a person would."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.record.browser import PAGES
from bench.record.steps import Step, click, press, script, wheel, write

ROOT: Final = Path(__file__).parents[1]
REPLAYED: Final = ROOT / "tests" / "apps" / "replayed"
FORM: Final = ROOT / "examples" / "workflows" / "parcel-form"
StepFacts = tuple[str, str, str]
"""What a step says: the kind of action, what it acts on, and its value; a hidden value is ``{}``."""


@dataclass(frozen=True)
class Session:
    """One demonstration.

    Args:
        folder: of the page.
        page: its file, with what is behind ``?``.
        play: what is done.
        steps: what a task learned from it must say.
        state: what the page hands in when it was done; ``None`` where it hands in nothing.
        secrets: the values that the recording hides, by the names of their places.
        answers: to what is asked about steps, in order, besides the page that is to be opened.

    """

    folder: Path
    page: str
    play: Step
    steps: tuple[StepFacts, ...]
    state: Any = None
    secrets: dict[str, str] = field(default_factory=dict[str, str])
    answers: tuple[str, ...] = ()


def form(values: str) -> Session:
    """The example's form, filled in and sent: with what it asks for, in its order, between bars."""
    recipient, street, city, country, weight, date, note = values.split("|")
    play = script(
        0.8, click("#recipient"), write(recipient), click("#street"), write(street), click("#city"), write(city), 0.4,
        click("#country"), 0.6, write(country[:3]), 0.3, press("Return"), 0.5,
        click("#weight"), write(weight), press("Tab"), 0.3, write(date), 0.4, click("#express"), 0.4,
        click("#code"), write("4711"), 0.4, click("#note"), write(note), 0.4, click("#fragile"), 0.5,
        click("#place"), 1.5,
    )  # fmt: skip
    typed = {
        "Recipient": recipient, "Street": street, "City": city, "Country": country, "Weight in kg": weight,
        "Pickup date": date,
    }  # fmt: skip
    steps = (
        *(("TYPE", label, value) for label, value in typed.items()),
        ("CLICK", "Express", ""),
        ("TYPE", "Pickup code", "{}"),
        ("TYPE", "Note for the driver", note),
        ("CLICK", "Handle with care", ""),
        ("CLICK", "Place order", ""),
    )
    state = {
        "recipient": recipient, "street": street, "city": city, "country": country, "weight": weight, "date": date,
        "service": "Express", "code": "4711", "note": note, "fragile": True,
    }  # fmt: skip
    return Session(FORM, "form.html", play, steps, state, {"Pickup_code": "4711"})


def _page(name: str, play: Step, *steps: StepFacts, secrets: dict[str, str] | None = None, answer: str = "") -> Session:
    answers = (answer,) if answer else ()
    return Session(PAGES, f"{name}.html", play, steps, secrets=secrets or {}, answers=answers)


def _program(name: str, play: Step, state: Any, *steps: StepFacts) -> Session:
    return Session(REPLAYED / name, "page.html", play, steps, state)


SESSIONS: Final[dict[str, Session]] = {
    "parcel form": form("Ada Lovelace|Kaivokatu 12|Helsinki|Finland|3.5|2026-12-01|Ring twice"),
    "parcel form, other values": form("Bo Nystrom|Storgatan 7|Malmo|Sweden|12|2027-01-31|Ask for the green boat"),
    "crew": _program(
        "members",
        script(1.0, click("tr:nth-child(2) button"), 1.5),
        {"deleted": ["1 Bob Lindqvist"]},
        ("CLICK", "Delete in the row of Bob Lindqvist", ""),
    ),
    "crew, two members": _program(
        "members",
        script(1.0, click("tr:nth-child(3) button"), 1.2, click("tr:nth-child(1) button"), 1.5),
        {"deleted": ["2 Cara Jensen", "0 Alice Moreau"]},
        ("CLICK", "Delete in the row of Cara Jensen", ""),
        ("CLICK", "Delete in the row of Alice Moreau", ""),
    ),
    "weather": _program(
        "slow",
        script(2.5, click("#area"), write("Kattegat"), 0.6, click("#ask"), 3.0),
        {"area": "Kattegat"},
        ("TYPE", "Sea area", "Kattegat"),
        ("CLICK", "Ask for the forecast", ""),
    ),
    "stations": _program(
        "stations",
        script(1.0, wheel(6), 1.0, click("li:nth-child(14) button"), 1.5),
        {"station": "Narvik"},
        ("SCROLL", "", "down 6"),
        ("CLICK", "Choose in the row of Narvik", ""),
    ),
    "checkout": _page(
        "shop",
        script(
            0.8, click("#search"), write("mug"), 0.5, click("#go"), 1.2, click("#list button"), 3.2, click("#checkout"),
            1.0, click("#name"), write("Ada Byron"), 0.5, click("#street"), write("Pier 7"), 0.6, click("#order"), 3.0,
        ),
        ("TYPE", "Search products", "mug"), ("CLICK", "Search", ""),
        ("CLICK", "Add to basket in the row of Blue mug", ""),
        ("CLICK", "Checkout", ""), ("TYPE", "Full name", "Ada Byron"), ("TYPE", "Street and number", "Pier 7"),
        ("CLICK", "Place order", ""),
    ),
    "ferry": _page(
        "wizard",
        script(
            1.0, click("#guest"), write("Nora Lind"), 0.8, click("#next1"), 1.4, click("#pick"), 1.4, click("#next2"),
            2.0,
        ),
        ("TYPE", "Passenger name", "Nora Lind"), ("CLICK", "Continue", ""),
        ("CLICK", "Choose", ""), ("CLICK", "Continue", ""),
    ),
    "bank": _page(
        "transfer",
        script(
            1.0, click("#to"), write("4410583"), 0.6, press("Tab"), 0.4, write("72.90"), 0.6, click("#send"), 3.2,
        ),
        ("TYPE", "Account number", "4410583"), ("TYPE", "Amount in euros", "72.90"), ("CLICK", "Send", ""),
    ),
    "accounts": _page(
        "account",
        script(
            1.0, click("#user"), write("ada@example.com", 110), 0.6, click("#password"), write("anchor99", 110), 0.6,
            click("#enter"), 3.0, click("#tab-invoices"), 1.5,
        ),
        ("TYPE", "Email address", "ada@example.com"), ("TYPE", "Password", "{}"), ("CLICK", "Sign in", ""),
        ("CLICK", "Invoices", ""),
        secrets={"Password": "anchor99"},
    ),
    "letters": _page(
        "letters",
        script(1.0, click("#letter-0 .subject"), 1.4, click("#letter-2 button"), 1.0, click("#undo"), 1.9),
        ("CLICK", "Regatta entry list", ""), ("CLICK", "Archive", ""), ("CLICK", "Undo", ""),
        answer='Click "Regatta entry list".',
    ),
}  # fmt: skip
"""By their names."""
