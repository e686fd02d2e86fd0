"""The schedule of a task: read from ``## Schedule`` of its HEARTBEAT.md, repeated back, written there, taken away.

Behind it may stand on which display: ``, display: private``. At most one line holds the schedule; it may be a list
item. Empty lines and HTML comments are left alone, ``None.`` says that there is no schedule. Lines are given and taken
without their line ends.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from core.errors import InvalidRequest
from core.schedules.cron import looks_like_cron
from core.schedules.firings import next_firings
from core.schedules.phrases import Understood, understand
from core.schedules.ports import Entry, Schedules
from core.schedules.schedule import Missed, Schedule, zone_named
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import same_name
from core.tasks.parameters import Template, parametrised
from core.tasks.ports import Tasks
from core.values import Value

_LINE = re.compile(
    r"(?P<words>[^()]*?)\s*(?:\((?P<zone>[^()]*)\)\s*)?(?:[,;]?\s*\bmissed\s*:\s*(?P<missed>[^\s,;()]+)\s*)?"
    r"(?:[,;]?\s*\bdisplay\s*:\s*(?P<display>[^\s,;()]+)\s*)?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*(?:[-+*]\s+)?")
_NONE = re.compile(r"none\.?", re.IGNORECASE)
_DISPLAY = re.compile(r"current|private|:\d{1,5}(?:\.\d{1,3})?")
_CRON_FIELDS = 5


def write_line(schedule: Schedule, display: str = "") -> str:
    """The schedule in one line; the display is left out where it is the setting's."""
    line = f"{schedule.words} ({schedule.zone}), missed: {schedule.missed.value}"
    return f"{line}, display: {display}" if display else line


def read_display(word: str) -> str:
    """The name of a display, in lower case. Raises ``InvalidRequest``."""
    name = word.lower().rstrip(".")
    if not _DISPLAY.fullmatch(name):
        raise InvalidRequest(f'"display: {word[:40]}" is not known; write private, current or one such as :1.')
    return name


def read_line(line: str, *, zone: str, missed: Missed = Missed.ONCE, now: datetime | None = None) -> Understood:
    """What a line says; ``zone`` and ``missed`` hold where it says nothing of them, ``now`` is as in ``understand``.

    Raises:
        InvalidRequest: it is not understood.

    """
    found = _LINE.fullmatch(line[_bullet(line) :].strip())
    if found is None:
        raise InvalidRequest('Write a schedule as "every weekday at 9:00 (Europe/Berlin), missed: once".')
    policy = (found["missed"] or missed).lower().rstrip(".")
    if policy not in set(Missed):
        raise InvalidRequest(f'"missed: {policy[:40]}" is not known; write skip, once or all.')
    understood = understand(
        found["words"].strip().strip("`"),
        zone=zone if found["zone"] is None else found["zone"],
        missed=Missed(policy),
        now=now,
    )
    return understood.model_copy(update={"display": read_display(found["display"])}) if found["display"] else understood


def read_section(lines: Sequence[str], *, zone: str, missed: Missed = Missed.ONCE) -> Understood | None:
    """The schedule that the section holds; none where it is empty.

    Raises:
        InvalidRequest: a line is not understood, or there are several.

    """
    places = _places(lines)
    return read_line(lines[places[0]], zone=zone, missed=missed) if places else None


def write_section(lines: Sequence[str], schedule: Schedule | None, display: str = "") -> list[str]:
    """The section's lines with this schedule, or with none; other lines, and one that says the same, stay as they are.

    Raises:
        InvalidRequest: there are several lines, of which none can be chosen.

    """
    places = _places(lines, also_none=True)
    written = list(lines)
    if schedule is None:
        return [line for number, line in enumerate(written) if number not in places]
    if not places:
        filled = [number for number, line in enumerate(written) if line.strip()]
        place = filled[-1] + 1 if filled else min(1, len(written))
        written.insert(place, write_line(schedule, display))
    elif not _says(written[places[0]], schedule, display):
        line = written[places[0]]
        ending = line[len(line.rstrip("\r\n")) :]
        written[places[0]] = line[: _bullet(line)] + write_line(schedule, display) + ending
    return written


def _says(line: str, schedule: Schedule, display: str) -> bool:
    """Whether the line says all of it by itself."""
    found = _LINE.fullmatch(line[_bullet(line) :].strip())
    if found is None or found["zone"] is None or found["missed"] is None:
        return False
    try:
        read = read_line(line, zone=schedule.zone)
    except InvalidRequest:
        return False
    return (read.schedule, read.display) == (schedule, display)


def _places(lines: Sequence[str], *, also_none: bool = False) -> list[int]:
    found: list[int] = []
    in_comment = False
    for number, line in enumerate(lines):
        text = line.strip()
        if in_comment or text.startswith("<!--"):
            in_comment = "-->" not in text
            # What stands behind the end of a comment is meant to be read.
            if not in_comment and not text.endswith("-->"):
                found.append(number)
        elif text and (also_none or not _NONE.fullmatch(text[_bullet(text) :])):
            found.append(number)
    if in_comment:
        raise InvalidRequest('A comment in "## Schedule" is not closed; end it with "-->".')
    if len(found) > 1:
        raise InvalidRequest(
            f'There are {len(found)} lines in "## Schedule"; leave one, and join several times with a semicolon: '
            '"every weekday at 9:00; every Saturday at 11:00 (Europe/Berlin), missed: once".'
        )
    return found


def _bullet(line: str) -> int:
    """How many characters come before the schedule.

    A star before the fields of a cron expression is one of them and never of a list, because a sixth field would be
    dropped in silence otherwise.
    """
    words = re.split(r"[(,]\s*[^\d\s]|;", line.strip(), maxsplit=1)[0]
    star, _, rest = words.partition(" ")
    if star == "*" and looks_like_cron(words) and (len(words.split()) == _CRON_FIELDS or looks_like_cron(rest)):
        return len(line) - len(line.lstrip())
    found = _BULLET.match(line)
    return found.end() if found else 0


SECTION: Final = "Schedule"
LOGGED: Final = 20
"""Decisions that an answer tells of."""
_NOT_UNDERSTOOD: Final = "The schedule is not understood, and nothing fires: "


class ScheduleWish(Value):
    """What a schedule shall be; what is ``None`` is left to the settings, or without words to what there is."""

    words: str | None = None
    """As ``core.schedules.phrases.understand`` takes them, or a whole line as it stands in HEARTBEAT.md."""
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
    return _to_answer(task_id, found, now).model_copy(
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
        reported = _to_answer(task_id, made, now).model_copy(update={"needs": _needs(template)})
        if dry_run:
            return reported
        self._tasks.change(
            task_id, lambda heartbeat: _written(heartbeat, made), by=by, why=f"scheduled: {made.schedule.words}"
        )
        key = schedule_key(made.schedule)
        if before is None or schedule_key(before.schedule) != key:
            # What is left of a schedule that was taken out by hand is none of the new one's past.
            self._schedules.end(task_id)
        self._schedules.begin(task_id, key, now)
        return reported.model_copy(update={"log": tuple(self._schedules.log(task_id, LOGGED))})

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


def _to_answer(task_id: str, found: Understood, now: datetime) -> ScheduleAnswer:
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
