"""Whether what is remembered holds the answer: five orders are filled in while a daemon records, then it is asked.

The form, the people and the questions are drawn and not chosen; each question is about one value of one order and names
its person. It is answered where the first memory that is found has that value in its steps.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import httpx2
from faker import Faker

from bench.daemon import running_daemon
from bench.learning import SIZE, served
from bench.learning_sessions import FORM
from bench.once import post, until
from bench.record.browser import chromium
from bench.record.ledger import Ledger
from bench.record.screen import Screen, virtual_screen
from bench.record.steps import Step, click, press, script, write
from bench.table import Table
from tests.fakes.desktops.accessible_session import accessible_session

SEED: Final = 20261127
ORDERS: Final = 5
_LOCALES: Final = ("en_GB", "de_DE", "sv_SE", "nl_NL", "pl_PL", "it_IT")
_COUNTRIES: Final = ("Denmark", "Finland", "Germany", "Norway", "Sweden")
_SERVICES: Final = ("Express", "Overnight")
_QUESTIONS: Final = {
    "service": "which service did {person} want?",
    "city": "what city does {person} live in?",
    "street": "to which street went the parcel of {person}?",
    "country": "what country was the parcel for {person} sent to?",
    "weight": "how heavy was what {person} got?",
    "date": "when is the parcel of {person} fetched?",
}
_PATIENCE: Final = 60.0


def run() -> list[Table]:
    """Measure."""
    orders = _orders()
    with (
        virtual_screen(*SIZE) as screen,
        tempfile.TemporaryDirectory() as folder,
        accessible_session(screen.display, Path(folder)) as session,
    ):
        screen.session = session
        # A keyboard with the letters of all these names: xdotool lends a key to any other, and a page can miss it.
        subprocess.run(["setxkbmap", "us", "-variant", "altgr-intl"], env=screen.environment, check=True)
        answers = _asked(screen, orders)
    held = sum(is_held for *_, is_held in answers)
    rows = [(question, value, "yes" if is_held else "no") for question, value, is_held in answers]
    rows.append(("all", "", f"{held} of {len(answers)}"))
    note = "The bar: 20 of 20. Asked of a daemon that has just recorded it, without a model and a network."
    columns = ("question", "value", "in the first answer")
    return [Table("Recall holds the answer", columns, rows, note)]


def _orders() -> list[dict[str, str]]:
    chance = random.Random(SEED)
    found: list[dict[str, str]] = []
    for at in range(ORDERS):
        fake = Faker(_LOCALES[at])
        fake.seed_instance(SEED + at)
        found.append(
            {
                "recipient": f"{fake.first_name()} {fake.last_name()}",
                "street": fake.street_address().replace("\n", " "),
                "city": fake.city(),
                "country": chance.choice(_COUNTRIES),
                "weight": str(chance.randint(1, 300) / 10),
                "date": f"{chance.randint(2026, 2031)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
                "service": chance.choice(_SERVICES),
            }
        )
    return found


def _filled(order: dict[str, str]) -> Step:
    return script(
        0.8, click("#recipient"), write(order["recipient"]), click("#street"), write(order["street"]),
        click("#city"), write(order["city"]), 0.4, click("#country"), 0.6, write(order["country"][:3]), 0.3,
        press("Return"), 0.5, click("#weight"), write(order["weight"]), press("Tab"), 0.3, write(order["date"]), 0.4,
        click(f"#{order['service'].lower()}"), 0.4, click("#place"), 2.0,
    )  # fmt: skip


def _asked(screen: Screen, orders: list[dict[str, str]]) -> list[tuple[str, str, bool]]:
    """Each question, the value that it is about, and whether that was in the first answer."""
    with (
        served(FORM) as (url, _),
        running_daemon(session=screen.environment, record_display=screen.display) as daemon,
        httpx2.Client(base_url=daemon.url, timeout=_PATIENCE) as http,
    ):
        with chromium(screen, Ledger()) as stage:
            stage.page.goto(f"{url}/form.html")
            post(http, "/recorder", {"action": "start"})
            until(lambda: http.get("/recorder").json()["phase"] == "recording", _PATIENCE)
            stage.wait(2.0)
            for order in orders:
                _filled(order)(stage)
                stage.page.goto(f"{url}/form.html")
                stage.wait(1.5)
            until(lambda: _are_remembered(orders, http), _PATIENCE)
        post(http, "/recorder", {"action": "stop"})
        time.sleep(1.0)
        return [_answered(http, order, name) for order in orders for name in _chosen(order)]


def _chosen(order: dict[str, str]) -> list[str]:
    """Four of the questions, others for each person."""
    return random.Random(f"{SEED} {order['recipient']}").sample(sorted(_QUESTIONS), 4)


def _are_remembered(orders: list[dict[str, str]], http: httpx2.Client) -> bool:
    listed = http.get("/memory/procedures").text
    return all(order["recipient"] in listed for order in orders)


def _answered(http: httpx2.Client, order: dict[str, str], name: str) -> tuple[str, str, bool]:
    question = _QUESTIONS[name].format(person=order["recipient"])
    found: list[dict[str, Any]] = http.get("/memory", params={"q": question}).json()["results"]
    first = " ".join(map(str, found[0]["steps"])) if found else ""
    return question, order[name], order[name] in first and order["recipient"] in first


if __name__ == "__main__":
    for table in run():
        table.show()
