"""What is due now, and what becomes of the times at which nothing could run.

A moment is decided once: only moments later than the last decided one are looked at, whatever the clock does. A clock
that is put back therefore fires nothing twice, and one that leaps forward leaves missed times behind, like a machine
that slept.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pydantic import AwareDatetime

from core.schedules.firings import firings_until
from core.schedules.schedule import Missed
from core.values import Value

if TYPE_CHECKING:
    from core.schedules.schedule import Schedule

GRACE = timedelta(minutes=1)
"""What is less late than this is on time."""
MOST_DECISIONS = 100
"""At most so many are made up for, or told one by one; the latest."""


class Decision(Value):
    """What becomes of one moment."""

    moment: AwareDatetime
    fires: bool
    reason: str
    """One line, for the log and for people."""

    @property
    def key(self) -> str:
        """Names the moment, the same in every process: who starts a run under it starts it once."""
        return f"{self.moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


class Due(Value):
    """What was decided, the earliest first. ``handled`` is to be kept, and given the next time."""

    decisions: tuple[Decision, ...] = ()
    handled: AwareDatetime
    note: str = ""
    """What else is to be logged: that the clock was put back, that older moments were dropped."""

    @property
    def firing(self) -> tuple[Decision, ...]:
        """Those that fire."""
        return tuple(decision for decision in self.decisions if decision.fires)


def due(schedule: Schedule, *, handled: datetime, now: datetime) -> Due:
    """Decide on every moment after ``handled`` up to ``now``.

    Args:
        schedule: its ``missed`` says what becomes of moments that are a minute late or more.
        handled: the last moment that was decided; at first, when the schedule was made or changed.
        now: what the clock shows.

    """
    if now < handled:
        return Due(
            handled=handled,
            note=f"The clock stands before {_told(handled)}, up to which all is decided; nothing fires.",
        )
    later = itertools.takewhile(lambda moment: moment > handled, firings_until(schedule, now))
    found = list(itertools.islice(later, MOST_DECISIONS + 1))
    if not found:
        return Due(handled=handled)
    moments = found[:MOST_DECISIONS][::-1]
    older = f"What was missed before {_told(moments[0])} is left out." if len(found) > MOST_DECISIONS else ""
    return Due(
        decisions=tuple(_decision(schedule.missed, moment, moments[-1], now) for moment in moments),
        handled=moments[-1],
        note=older,
    )


def _decision(missed: Missed, moment: datetime, latest: datetime, now: datetime) -> Decision:
    late = now - moment
    if late < GRACE and (moment == latest or missed is Missed.ALL):
        return Decision(moment=moment, fires=True, reason="It is time.")
    said = f"It was missed by {_span(late)}"
    if missed is Missed.ALL:
        return Decision(moment=moment, fires=True, reason=f"{said}, and each missed time is made up for.")
    if missed is Missed.SKIP:
        return Decision(moment=moment, fires=False, reason=f"{said}, and missed times are left out.")
    if moment == latest:
        return Decision(moment=moment, fires=True, reason=f"{said}, and the latest missed time is made up for.")
    return Decision(moment=moment, fires=False, reason=f"{said}, and the time at {_told(latest)} stands for it.")


def _told(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _span(late: timedelta) -> str:
    minutes = late // timedelta(minutes=1)
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "less than a minute"
