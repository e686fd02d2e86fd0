"""What is asked of the programs to replay, with ever other values, and what each must say of itself afterwards."""

import contextlib
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.fakes.runs.replaying import Case, form_case, page_case, program_case

NATIVE = ("booking", "dialogue", "archive", "voyage")
_PEOPLE = ("Ada Lovelace", "Bo Nystrom", "Chloe O'Neil", "Dag Hammar", "Emmy Noether", "Fu Xiang", "Grace Hopper")
_STREETS = ("Kaivokatu 12 {C}", "Storgatan 7", "Elm Street 1428", "Rue de la Paix 3", "Lindenweg 88a")
_CITIES = ("Helsinki", "Malmo", "Springwood", "Paris", "Bonn", "Turku")
_COUNTRIES = ("Denmark", "Finland", "Germany", "Norway", "Sweden")
_NOTES = ("Ring twice", "Leave it at the door", "Ask for the green boat, please", "", "Back at 5 pm")
_FLOORS = ("First floor", "Second floor")
_BOATS = ("Nordlys", "Aurora", "Sea Otter", "Halcyon 2")
_COLOURS = ("dark green", "white", "red and blue")
_STATIONS = ("Aalborg", "Narvik", "Haugesund", "Jonkoping", "Wismar", "Falun", "Umea")
_AREAS = ("Kattegat", "German Bight", "Fair Isle", "Dogger")
_CREW = ("Alice Moreau", "Bob Lindqvist", "Cara Jensen")


@dataclass(frozen=True)
class Activity:
    """A workflow, the values of its parameters, and the state that its program must be in when they were used."""

    name: str
    params: dict[str, str]
    expected: Any

    @contextlib.contextmanager
    def opened(self, folder: Path) -> Generator[Case]:
        """A copy of the workflow in ``folder``; pages are served meanwhile."""
        if self.name in NATIVE:
            yield program_case(self.name, folder, **self.params)
            return
        served = form_case if self.name == "form" else partial(page_case, self.name)
        with served(folder, **self.params) as case:
            yield case


def _booking(chance: random.Random) -> Activity:
    asked = {"guest": chance.choice(_PEOPLE), "nights": str(chance.randint(2, 28)), "floor": chance.choice(_FLOORS)}
    return Activity("booking", asked, {**asked, "breakfast": True, "room": "Double room"})


def _dialogue(chance: random.Random) -> Activity:
    asked = {"boat": chance.choice(_BOATS), "colour": chance.choice(_COLOURS)}
    return Activity("dialogue", asked, asked)


def _archive(_chance: random.Random) -> Activity:
    return Activity("archive", {}, {"notes": "archived"})


def _voyage(_chance: random.Random) -> Activity:
    return Activity("voyage", {}, {"pressed": ["Cast off", "Hoist the sail", "Steer north"]})


def _stations(chance: random.Random) -> Activity:
    asked = {"station": chance.choice(_STATIONS)}
    return Activity("stations", asked, asked)


def _slow(chance: random.Random) -> Activity:
    asked = {"area": chance.choice(_AREAS)}
    return Activity("slow", asked, asked)


def _members(chance: random.Random) -> Activity:
    at = chance.randrange(len(_CREW))
    return Activity("members", {"person": _CREW[at]}, {"deleted": [f"{at} {_CREW[at]}"]})


def form(chance: random.Random) -> Activity:
    """The ten-step form."""
    asked = {
        "recipient": chance.choice(_PEOPLE),
        "street": chance.choice(_STREETS),
        "city": chance.choice(_CITIES),
        "country": chance.choice(_COUNTRIES),
        "weight": str(chance.randint(1, 300) / 10),
        "pickup_date": f"{chance.randint(2026, 2031)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
        "pickup_code": str(chance.randint(1000, 9999)),
        "note": chance.choice(_NOTES),
    }
    return Activity("form", asked, ordered(asked))


def ordered(asked: dict[str, str]) -> dict[str, Any]:
    """What the form hands in when it was filled in as asked."""
    renamed = {"pickup_date": "date", "pickup_code": "code"}
    return {**{renamed.get(name, name): value for name, value in asked.items()}, "service": "Express", "fragile": True}


_KINDS: tuple[Callable[[random.Random], Activity], ...] = (
    _booking,
    _dialogue,
    _archive,
    _voyage,
    _stations,
    _slow,
    _members,
    form,
)


def activities(count: int, *, seed: int) -> list[Activity]:
    """So many, one of each kind after the other; the same for the same seed."""
    chance = random.Random(seed)
    return [_KINDS[number % len(_KINDS)](chance) for number in range(count)]
