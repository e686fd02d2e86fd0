"""The schedule of a task: read from ``## Schedule`` of its HEARTBEAT.md, repeated back, written there, taken away."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from core.errors import InvalidRequest
from core.schedules.firings import next_firings
from core.schedules.parser import Understood, understand
from core.schedules.ports import Entry
from core.schedules.schedule import Missed
from core.schedules.section import read_display, read_line, read_section, write_line, write_section
from core.schedules.zones import zone_named
from core.tasks.heartbeat_sections import same_name
from core.tasks.parameters import parametrised
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.schedules.ports import Schedules
    from core.schedules.schedule import Schedule
    from core.tasks.heartbeat import Heartbeat
    from core.tasks.parameters import Template
    from core.tasks.ports import Tasks

SECTION: Final = "Schedule"
LOGGED: Final = 20
"""Decisions that an answer tells of."""
_NOT_UNDERSTOOD: Final = "The schedule is not understood, and nothing fires: "


class ScheduleWish(Value):
    """What a schedule shall be; what is ``None`` is left to the settings, or without words to what there is."""

    words: str | None = None
    """As ``core.schedules.parser.understand`` takes them, or a whole line as it stands in HEARTBEAT.md."""
    zone: str | None = None
    missed: Missed | None = None
    display: str | None = None
    """``private``, ``current`` or ``:N``."""


class ScheduleAnswer(Value):
    """The schedule of a task as it was understood; ``schedule`` is empty where there is none."""

    task: str
    schedule: str = ""
    """In plain English."""
    words: str = ""
    """As it was written, in one form: these are understood again."""
    understood: str = ""
    """What is repeated back: one sentence or a few, with what was assumed."""
    line: str = ""
    """As it is written in HEARTBEAT.md."""
    crons: tuple[str, ...] = ()
    at: str | None = None
    """The one moment, ISO 8601 in its zone."""
    zone: str = ""
    missed: Missed | None = None
    display: str = ""
    """Empty for the setting's."""
    next: tuple[str, ...] = ()
    """The next times, ISO 8601 in the zone; none when they are all past."""
    needs: tuple[str, ...] = ()
    """Values without a default: no schedule can give them, and each of its times is missed for want of them."""
    fault: str = ""
    """Why what stands in the file cannot be used, one sentence."""
    log: tuple[Entry, ...] = ()
    """What was decided of late, the newest first."""


def planned(heartbeat: Heartbeat, zone: str) -> Understood | None:
    """What the document says of when it is to run; ``zone`` holds where it names none.

    Raises:
        InvalidRequest: it is not understood.

    """
    body = _body(heartbeat)
    return read_section(body.split("\n"), zone=zone) if body else None


def shown(task_id: str, heartbeat: Heartbeat, zone: str, now: datetime) -> ScheduleAnswer:
    """The schedule as it stands in a document, with its next times or its fault, and without its log."""
    try:
        found = planned(heartbeat, zone)
    except InvalidRequest as error:
        return ScheduleAnswer(
            task=task_id, line=heartbeat.section(SECTION) or "", fault=f"{_NOT_UNDERSTOOD}{error.message}"
        )
    if found is None:
        return ScheduleAnswer(task=task_id)
    return _told(task_id, found, now).model_copy(
        update={"line": _body(heartbeat), "needs": _needs(parametrised(heartbeat))}
    )


def schedule_key(schedule: Schedule) -> str:
    """The same for the same words and expressions, in whichever of their forms they are written."""
    return write_line(schedule)


class ScheduleBook:
    """Shows, changes and removes the schedules of tasks.

    Args:
        tasks: where they are written.
        schedules: how far they are decided.
        zone: the IANA name of the zone for schedules that name none.
        now: what the clock shows.

    """

    def __init__(
        self, *, tasks: Tasks, schedules: Schedules, zone: Callable[[], str], now: Callable[[], datetime]
    ) -> None:
        self._tasks = tasks
        self._schedules = schedules
        self._zone = zone
        self._now = now

    def show(self, task_id: str, *, logged: int = LOGGED) -> ScheduleAnswer:
        """The schedule as it stands in the file, its next times, and what was decided of late. Raises ``NotFound``."""
        stored = self._tasks.load(task_id)
        found = shown(stored.id, stored.heartbeat, self._zone(), self._now())
        return found.model_copy(update={"log": tuple(self._schedules.log(task_id, logged))})

    def put(self, task_id: str, wish: ScheduleWish, *, by: str, dry_run: bool = False) -> ScheduleAnswer:
        """Understand the wish and write it into the file; nothing is written in a ``dry_run``.

        Raises:
            NotFound: there is no such task.
            InvalidRequest: it is not understood, or the task has a parameter that no step uses.

        """
        # One moment for all: what was to come when it was understood is decided, however long the writing takes.
        now = self._now()
        heartbeat = self._tasks.load(task_id).heartbeat
        before = self._before(heartbeat)
        made = self._understood(wish, before, now)
        template = parametrised(heartbeat)
        if template.faults:
            raise InvalidRequest(template.faults[0])
        told = _told(task_id, made, now).model_copy(update={"needs": _needs(template)})
        if dry_run:
            return told
        self._tasks.change(
            task_id, lambda heartbeat: _written(heartbeat, made), by=by, why=f"scheduled: {made.schedule.words}"
        )
        key = schedule_key(made.schedule)
        if before is None or schedule_key(before.schedule) != key:
            # What is left of a schedule that was taken out by hand is none of the new one's past.
            self._schedules.end(task_id)
        self._schedules.begin(task_id, key, now)
        return told.model_copy(update={"log": tuple(self._schedules.log(task_id, LOGGED))})

    def remove(self, task_id: str, *, by: str) -> ScheduleAnswer:
        """Take the schedule out of the file, also one that is not understood; the log of decisions stays."""
        stored = self._tasks.change(
            task_id, lambda heartbeat: _written(heartbeat, None), by=by, why="the schedule was removed"
        )
        self._schedules.end(task_id)
        found = shown(task_id, stored.heartbeat, self._zone(), self._now())
        return found.model_copy(update={"log": tuple(self._schedules.log(task_id, LOGGED))})

    def _before(self, heartbeat: Heartbeat) -> Understood | None:
        try:
            return planned(heartbeat, self._zone())
        except InvalidRequest:
            return None

    def _understood(self, wish: ScheduleWish, before: Understood | None, now: datetime) -> Understood:
        display = None if wish.display is None else read_display(wish.display)
        if wish.words is not None:
            made = read_line(wish.words, zone=wish.zone or self._zone(), missed=wish.missed or Missed.ONCE, now=now)
            _demand_agreement(wish, made, display)
            return made if display is None else made.model_copy(update={"display": display})
        if before is None:
            raise InvalidRequest('Say when, as in "every weekday at 9:00": there is no schedule to change yet.')
        made = understand(
            before.schedule.words,
            zone=wish.zone or before.schedule.zone,
            missed=wish.missed or before.schedule.missed,
            now=now if before.schedule.once else None,
        )
        return made.model_copy(update={"display": before.display if display is None else display})


def _demand_agreement(wish: ScheduleWish, made: Understood, display: str | None) -> None:
    said = (
        (wish.zone is not None and zone_named(wish.zone).key != made.schedule.zone, "zone"),
        (wish.missed is not None and wish.missed != made.schedule.missed, "rule for missed times"),
        (display is not None and made.display not in {"", display}, "display"),
    )
    for differs, what in said:
        if differs:
            raise InvalidRequest(f"The words name another {what} than is given beside them: leave one of both out.")


def _told(task_id: str, found: Understood, now: datetime) -> ScheduleAnswer:
    schedule = found.schedule
    return ScheduleAnswer(
        task=task_id,
        schedule=schedule.description,
        words=schedule.words,
        understood=found.sentence,
        line=write_line(schedule, found.display),
        crons=schedule.crons,
        at=schedule.at.astimezone(schedule.place).isoformat() if schedule.at else None,
        zone=schedule.zone,
        missed=schedule.missed,
        display=found.display,
        next=tuple(each.isoformat() for each in next_firings(schedule, now)),
    )


def _written(heartbeat: Heartbeat, made: Understood | None) -> Heartbeat:
    body = _body(heartbeat)
    if made is None:
        left = "\n".join(write_section(body.split("\n"), None))
        return heartbeat.with_section(SECTION, left if left.strip() else None)
    lines = write_section(body.split("\n"), made.schedule, made.display)
    return heartbeat.with_section(SECTION, "\n".join(lines))


def _needs(template: Template) -> tuple[str, ...]:
    return tuple(each.name for each in template.parameters if each.example is None)


def _body(heartbeat: Heartbeat) -> str:
    count = sum(same_name(name, SECTION) for name in heartbeat.section_names)
    if count > 1:
        raise InvalidRequest(f'There are {count} sections "## {SECTION}" in HEARTBEAT.md; leave one.')
    return heartbeat.section(SECTION) or ""


def utc_now() -> datetime:
    """What the clock shows."""
    return datetime.now(UTC)
