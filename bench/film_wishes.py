"""What films' tasks are run for: other values than they show, and how to read what an application then holds.

Each reading is of the application's own file or database, or of an address that it serves.
"""

from __future__ import annotations

import json
import re
import sqlite3
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from bench.world.truth import OUT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_BOOKED: Final = re.compile(r'^\d{4}-\d\d-\d\d \* "(.*)" "(.*)"\n((?:[ \t]+\S.*\n?)+)', re.MULTILINE)
"""An entry of a ledger; the opening balance has one text only."""
_BOOKED_BEFORE: Final = 40
"""Four a month, for ten months; what is new comes last in the file."""


@dataclass(frozen=True)
class Wish:
    """What a film's task is run for.

    Args:
        values: others for those that the film shows.
        state: what the application holds, from its folder and its address.
        wanted: what that is after a run with the other values.
        secrets: values that the film hides, by their names, or parts of these.
        prepare: what the other values need, before the application starts.

    """

    values: Mapping[str, str]
    state: Callable[[Path, str], Any]
    wanted: Any
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])
    prepare: str = ""


def _json(address: str) -> Any:
    try:
        with urllib.request.urlopen(address, timeout=20) as reply:  # noqa: S310 - an address of this machine
            found: Any = json.load(reply)
    except urllib.error.HTTPError as refused:
        return refused.code
    return found


def _rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as base:
        return base.execute(query).fetchall()


def _visitors(_: Path, origin: str) -> Any:
    """How many visitors a load test was begun with, by the program's log, and whether it goes on."""
    counts = re.findall(r"Ramping to (\d+) users", (OUT / "locust.log").read_text(encoding="utf-8"))
    return int(counts[-1]) if counts else 0, _json(f"{origin}/stats/requests")["state"]


def _tiddler(_: Path, origin: str) -> Any:
    """The text of the tiddler, or how it is refused."""
    found = _json(f"{origin}/recipes/default/tiddlers/{quote('Moon phases')}")
    return found if isinstance(found, int) else found.get("text")


def _stations(folder: Path, _: str) -> Any:
    return _rows(folder / "weather.db", "select name, height from stations order by id")


def _signed_in(folder: Path, _: str) -> Any:
    return _rows(folder / "db.sqlite3", "select username, last_login is not null from auth_user order by username")


def _groups(folder: Path, _: str) -> Any:
    return _rows(folder / "db.sqlite3", "select name from auth_group order by name")


def _booked(folder: Path, _: str) -> Any:
    """What was added to the ledger, but for its day, which is that of the run."""
    entries = _BOOKED.findall((folder / "pier-cafe.beancount").read_text(encoding="utf-8"))[_BOOKED_BEFORE:]
    return [(who, what, *(" ".join(line.split()) for line in rows.splitlines())) for who, what, rows in entries]


def _issues(folder: Path, _: str) -> Any:
    """The issues that were added, with their priority, and the texts of all messages: there was none before."""
    home = folder / "tracker" / "db"
    query = (
        "select issue._title, priority._name from _issue issue left join _priority priority "
        "on priority.id = issue._priority where issue.id > 3 order by issue.id"
    )
    notes = sorted((home / "files" / "msg").glob("*/msg*"))
    return _rows(home / "db", query), [each.read_text(encoding="utf-8").strip() for each in notes]


def _tickets(folder: Path, _: str) -> Any:
    query = (
        "select queue.title, ticket.title, ticket.description, ticket.submitter_email, ticket.priority "
        "from helpdesk_ticket ticket join helpdesk_queue queue on queue.id = ticket.queue_id order by ticket.id"
    )
    return _rows(folder / "db.sqlite3", query)


def _boats(folder: Path, _: str) -> Any:
    """The boats that were added."""
    query = (
        "select boat.name, pier.name, boat.length, boat.afloat, boat.notes "
        "from boat left join pier on pier.id = boat.pier_id where boat.id > 3 order by boat.id"
    )
    return _rows(folder / "boats.db", query)


def _projects(folder: Path, _: str) -> Any:
    """The projects that were added, with their team."""
    query = (
        "select project.name, team.name, project.retention_max_event_count from projects_project project "
        "join teams_team team on team.id = project.team_id where project.id > 1"
    )
    return _rows(folder / "db.sqlite3", query)


def _addresses(folder: Path, _: str) -> Any:
    query = "select first_name, last_name, line1, line4, postcode, country_id from address_useraddress"
    return _rows(folder / "db.sqlite3", query)


def _patients(folder: Path, _: str) -> Any:
    """The patients that were added."""
    return _rows(
        folder / "clinic.db",
        "select name, kind, keeper, phone, vaccinated, vet_id from patients where id > 4",
    )


def _device_groups(folder: Path, _: str) -> Any:
    lines = (folder / "meshcentral-data" / "meshcentral.db").read_text(encoding="utf-8").splitlines()
    groups = (each for each in map(json.loads, lines) if each.get("type") == "mesh")
    return [(each["name"], each["mtype"], each["desc"]) for each in groups]


def _bookings(folder: Path, _: str) -> Any:
    """The bookings that were added."""
    query = "select guest, email, cottage, nights, meals, dog from booking where id > 3 order by id"
    return _rows(folder / "cottages.db", query)


def _orders(folder: Path, _: str) -> Any:
    """What each build was ordered with, by names in their order."""
    query = (
        "select builder.name, property.property_name, json_extract(property.property_value, '$[0]') "
        "from buildrequests request join builders builder on builder.id = request.builderid "
        "join buildset_properties property on property.buildsetid = request.buildsetid "
        "where property.property_name in ('copies', 'cover', 'harbour', 'reason', 'season') "
        "order by request.id, property.property_name"
    )
    return _rows(folder / "state.sqlite", query)


def _topics(folder: Path, _: str) -> Any:
    """The topics that were added, with their first post and their poll, and what can be voted for."""
    base = folder / "db.sqlite3"
    query = (
        "select forum.name, topic.subject, topic.type, post.content, poll.question, poll.user_changes "
        "from forum_conversation_topic topic join forum_forum forum on forum.id = topic.forum_id "
        "join forum_conversation_post post on post.topic_id = topic.id "
        "left join forum_polls_topicpoll poll on poll.topic_id = topic.id where topic.id > 3 order by post.id"
    )
    return _rows(base, query), _rows(base, "select text from forum_polls_topicpolloption order by id")


def _exhibits(folder: Path, _: str) -> Any:
    """The exhibits that were added."""
    query = "select title, room, made, lender from exhibits where id > 5 order by id"
    return _rows(folder / "site" / "museum.db", query)


def _bills(folder: Path, _: str) -> Any:
    """The members and the bills that were added, with who has a part in them."""
    base = folder / "budget.db"
    query = (
        "select bill.what, bill.amount, payer.name, ower.name from bill join person payer on payer.id = bill.payer_id "
        "join billowers on billowers.bill_id = bill.id join person ower on ower.id = billowers.person_id "
        "where bill.id > 3 order by bill.id, ower.name"
    )
    return _rows(base, "select name from person where id > 3 order by id"), _rows(base, query)


def _articles(folder: Path, _: str) -> Any:
    """The articles that were added."""
    query = (
        "select article.name, article.number, article.shelf, supplier.name, article.price, article.quantity, "
        "article.fragile from stock_article article join stock_supplier supplier on supplier.id = article.supplier_id "
        "where article.id > 4 order by article.id"
    )
    return _rows(folder / "db.sqlite3", query)


def _room(_: Path, origin: str) -> Any:
    """What is known of the room, or how it is refused."""
    found = _json(f"{origin}/apiv2/key/{quote('R:localhost:16379:0')}/room:14")
    return found if isinstance(found, int) else found.get("data")


WISHES: Final[Mapping[str, Wish]] = {
    "locust": Wish({"12": "7"}, _visitors, (7, "stopped")),
    "tiddlywiki": Wish(
        {"Tide tables": "Moon phases", "High water at nine.": "Full moon on Friday."}, _tiddler, "Full moon on Friday."
    ),
    "sqlite-web": Wish(
        {
            "select * from stations where height > 10": "insert into stations (name, height) values ('West Point', 4)",
        },
        _stations,
        [("Boeing Field", 6), ("Sand Point", 18), ("West Point", 4)],
    ),
    "wagtail": Wish(
        {"mira": "otto"},
        _signed_in,
        [("mira", 0), ("otto", 1)],
        {"password": "harpoon"},
        "DJANGO_SUPERUSER_PASSWORD=harpoon {bin}/python manage.py createsuperuser --noinput --username otto "
        "--email otto@example.com",
    ),
    "django-admin": Wish({"Pilots": "Sailors"}, _groups, [("Sailors",)], {"password": "wrong", "password_2": "anchor"}),
    "fava": Wish(
        {"Otto Brandt": "Ada Lorenz", "Hinge for the oven door": "Paint for the counter", "84.50 EUR": "37.20 EUR"},
        _booked,
        [("Ada Lorenz", "Paint for the counter", "Expenses:Repairs 37.20 EUR", "Assets:Bank")],
    ),
    "roundup": Wish(
        {
            "Ladder at the quay is loose": "Gate of the slipway squeaks",
            "The third rung turns under the foot.": "It wants oil on both hinges.",
        },
        _issues,
        ([("Gate of the slipway squeaks", "urgent")], ["It wants oil on both hinges."]),
    ),
    "django-helpdesk": Wish(
        {
            "Projector shows no picture": "Printer prints stripes",
            "In the chart room, since Tuesday.": "At the gate, on every page.",
            "mira@pier.example": "otto@quay.example",
        },
        _tickets,
        [("Computers", "Printer prints stripes", "At the gate, on every page.", "otto@quay.example", 3)],
    ),
    "flask-admin": Wish(
        {"Silver Tern": "Blue Heron", "11": "8", "New mast in spring": "Sails are in the loft"},
        _boats,
        [("Blue Heron", "Old quay", 8, 1, "Sails are in the loft")],
    ),
    "bugsink": Wish(
        {"Tide gauge": "Fog horn", "2500": "900"},
        _projects,
        [("Fog horn", "Harbour master", 900)],
        {"password": "lighthouse"},
    ),
    "django-oscar": Wish(
        {"Long Quay 7": "Fish Market 3", "Malmo": "Gothenburg", "21145": "41101"},
        _addresses,
        [("Greta", "Lund", "Fish Market 3", "Gothenburg", "41101", "SE")],
        {"password": "lighthouse"},
    ),
    "starlette-admin": Wish(
        {"Captain Nemo": "Lady Ada", "Lena Vik": "Otto Brandt", "555 0193": "555 0111"},
        _patients,
        [("Lady Ada", "rabbit", "Otto Brandt", "555 0111", 1, 2)],
    ),
    "meshcentral": Wish(
        {"Office computers": "Workshop computers", "Desks on the first floor": "Benches in the hall"},
        _device_groups,
        [("Workshop computers", 1, "Benches in the hall")],
        {"password": "Lighthouse-7"},
    ),
    "piccolo-admin": Wish(
        {"Mira Holm": "Jon Berg", "mira@pier.example": "jon@quay.example", "4": "9"},
        _bookings,
        [("Jon Berg", "jon@quay.example", "Lighthouse", 9, "half", 1)],
        {"password": "lighthouse"},
    ),
    "buildbot": Wish(
        {"The old ones are sold out": "A line was added", "Autumn": "Winter", "120": "75"},
        _orders,
        [
            ("timetables", "copies", 75),
            ("timetables", "cover", 1),
            ("timetables", "harbour", "South quay"),
            ("timetables", "reason", "A line was added"),
            ("timetables", "season", "Winter"),
        ],
    ),
    "django-machina": Wish(
        {
            "Supper after the regatta": "Breakfast at the pier",
            "We meet at six by the slipway.": "The kitchen opens at seven.",
            "What shall we cook?": "What will you bring?",
            "Fish soup": "Bread",
            "Pancakes": "Cheese",
        },
        _topics,
        (
            [
                (
                    "Evenings and outings",
                    "Breakfast at the pier",
                    1,
                    "The kitchen opens at seven.",
                    "What will you bring?",
                    1,
                )
            ],
            [("Bread",), ("Cheese",)],
        ),
        {"password": "lighthouse"},
    ),
    "adminer": Wish(
        {"Copper kettle": "Spinning top", "1790": "1875", "Mira Holm": "Jon Berg"},
        _exhibits,
        [("Spinning top", "North hall", 1875, "Jon Berg")],
    ),
    "ihatemoney": Wish(
        {"Jonas": "Karla", "Mooring fee": "Harbour dues", "84.60": "52.40"},
        _bills,
        ([("Karla",)], [("Harbour dues", 52.4, "Mira", each) for each in ("Ada", "Karla", "Mira")]),
        {"password": "lighthouse"},
    ),
    "django-unfold": Wish(
        {"Brass ship lamp": "Copper storm lamp", "LD-118": "LD-231", "64.90": "71.25", "12": "8"},
        _articles,
        [("Copper storm lamp", "LD-231", "Ground floor", "Nordlys", 71.25, 8, 1)],
    ),
    "redis-commander": Wish(
        {"wishes": "parking", "A quiet room to the garden": "One place for a van", "4": "6"},
        _room,
        {"guest": "Otto Maier", "nights": "6", "breakfast": "no", "parking": "One place for a van"},
    ),
}
