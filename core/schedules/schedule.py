"""A schedule: when something is to happen, in which zone, and what becomes of times that were missed."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - pydantic reads the annotation
from enum import StrEnum
from typing import TYPE_CHECKING, Self
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, field_validator, model_validator

from core.errors import InvalidRequest
from core.schedules.cron import Cron, in_one_form, read_cron
from core.schedules.description import describe, describe_moment
from core.schedules.zones import zone_named
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_EXPRESSIONS = 100


class Missed(StrEnum):
    """What becomes of the times at which nothing could run: the machine slept, the daemon was down."""

    SKIP = "skip"
    """They are left out."""
    ONCE = "once"
    """The latest of them is made up for."""
    ALL = "all"
    """Each of them is made up for."""


class Schedule(Value):
    """Either cron expressions in their one form (``cron.in_one_form``), or one moment."""

    crons: tuple[str, ...] = ()
    """A time belongs to the schedule when it belongs to one of them."""
    at: AwareDatetime | None = None
    zone: str
    """Its IANA name."""
    missed: Missed = Missed.ONCE

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            return zone_named(name).key
        except InvalidRequest as error:
            raise ValueError(error.message) from error

    @field_validator("crons")
    @classmethod
    def _one_form(cls, crons: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(cron.text for cron in in_one_form(_read(crons)))
        except InvalidRequest as error:
            raise ValueError(error.message) from error

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.crons) == (self.at is not None):
            raise ValueError("A schedule has either cron expressions or one moment.")
        return self

    @property
    def cron(self) -> str:
        """The expressions, joined by ``; ``; empty when it is for one moment."""
        return "; ".join(self.crons)

    @property
    def once(self) -> bool:
        """Whether it is for one moment."""
        return self.at is not None

    @property
    def place(self) -> ZoneInfo:
        """The zone."""
        return ZoneInfo(self.zone)

    @property
    def expressions(self) -> tuple[Cron, ...]:
        """The cron expressions as values."""
        return _read(self.crons)

    @property
    def words(self) -> str:
        """In plain English, when it happens; these words are understood as this schedule."""
        return describe_moment(self.at, self.place) if self.at else describe(self.expressions)

    @property
    def sentence(self) -> str:
        """What is repeated back: the words, the zone, the cron text and what becomes of missed times."""
        return f"{self.words[0].upper()}{self.words[1:]}, {self.zone} time; {_MISSED[self.missed]}."


_MISSED = {
    Missed.SKIP: "times that are missed are left out",
    Missed.ONCE: "of times that are missed, the latest is made up for",
    Missed.ALL: "each time that is missed is made up for",
}


def _read(crons: Iterable[str]) -> tuple[Cron, ...]:
    return tuple(cron for text in crons for cron in read_cron(text))


def recurring(crons: Iterable[Cron], zone: ZoneInfo, missed: Missed) -> Schedule:
    """A schedule of those times.

    Raises:
        InvalidRequest: there are too many expressions.

    """
    texts = tuple(cron.text for cron in in_one_form(crons))
    if len(texts) > MOST_EXPRESSIONS:
        raise InvalidRequest(f"These are {len(texts)} cron expressions; at most {MOST_EXPRESSIONS} make one schedule.")
    return Schedule(crons=texts, zone=zone.key, missed=missed)


def once_at(moment: datetime, zone: ZoneInfo, missed: Missed) -> Schedule:
    """A schedule for one moment."""
    return Schedule(at=moment.astimezone(zone), zone=zone.key, missed=missed)
