"""The schedules of tasks for the terminal: asked for, repeated back, and how they stand."""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple
from zoneinfo import ZoneInfo

from rich.text import Text

from core.errors import Forbidden, InvalidRequest
from core.schedules.book import LOGGED, ScheduleAnswer, ScheduleWish
from core.schedules.ports import Outcome
from core.schedules.schedule import Missed
from server.cli_output.analysis import plain, table
from server.cli_output.task import quoted, say
from server.client.address import address
from server.client.jobs import health

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from config.settings import Settings

_BY: Final = "cli"
_WHOLE_LOG: Final = 1000
_COLOURS: Final = {Outcome.FIRED: "green", Outcome.MISSED: "yellow", Outcome.DUPLICATE: "dim"}


class ScheduleArguments(NamedTuple):
    """What the command was asked for."""

    when: str | None
    zone: str | None
    missed: str | None
    display: str | None
    remove: bool
    dry_run: bool
    log: bool

    @property
    def changes(self) -> bool:
        """Whether it says what a schedule shall be."""
        return any(each is not None for each in (self.when, self.zone, self.missed, self.display))


def schedule_task(settings: Settings, task_id: str, asked: ScheduleArguments) -> ScheduleAnswer:
    """Do it; without any wish the schedule as it stands.

    Raises:
        NotFound: there is no such task.
        InvalidRequest: it is not understood, or asks for two things at once.

    """
    if asked.remove and asked.changes:
        raise InvalidRequest("Say either when, or --remove.")
    if asked.dry_run and not asked.changes:
        raise InvalidRequest('There is nothing to try: say when, as in --dry-run "every weekday at 9:00".')
    # A list of tasks needs neither, and takes a third of the time without.
    from server.composition.scheduling import schedule_book  # noqa: PLC0415 - see above
    from storage.database import Database  # noqa: PLC0415 - same

    database = Database(settings.resolved_database_url)
    database.open()
    with contextlib.closing(database):
        book = schedule_book(settings, database)
        if asked.remove:
            return book.remove(task_id, by=_BY)
        if not asked.changes:
            return book.show(task_id, logged=_WHOLE_LOG if asked.log else LOGGED)
        wish = ScheduleWish(
            words=asked.when,
            zone=asked.zone,
            missed=Missed(asked.missed) if asked.missed else None,
            display=asked.display,
        )
        return book.put(task_id, wish, by=_BY, dry_run=asked.dry_run)


def daemon_runs(settings: Settings) -> bool:
    """Whether there is a daemon: only with one does anything fire."""
    try:
        return health(address(settings)) is not None
    except Forbidden:
        return True


def last_missed(settings: Settings, found: Iterable[str]) -> Sequence[str]:
    """Of these tasks those whose last time was missed, each with when and why."""
    names = list(found)
    if not names:
        return ()
    from server.composition.scheduling import schedule_book  # noqa: PLC0415 - see schedule_task
    from storage.database import Database  # noqa: PLC0415 - same

    database = Database(settings.resolved_database_url)
    database.open()
    with contextlib.closing(database):
        book = schedule_book(settings, database)
        logs = {name: book.show(name, logged=1).log for name in names}
    return [
        f"{name} at {_clock(log[0].moment)}: {log[0].reason}"
        for name, log in logs.items()
        if log and log[0].outcome is Outcome.MISSED
    ]


def next_time(answer: ScheduleAnswer) -> str:
    """When it fires next, for a cell of a table."""
    if answer.fault:
        return "schedule not understood"
    return _clock(answer.next[0]) if answer.next else "past"


def show_schedule(out: Console, answer: ScheduleAnswer, asked: ScheduleArguments, *, runs: bool) -> None:
    """What was understood, the next times, and what was decided of late."""
    if answer.fault:
        say(out, answer.fault, "red")
        say(out, f"  {answer.line}", "dim")
    elif not answer.schedule:
        say(out, f"{answer.task} is not scheduled{' any more' if asked.remove else ''}.")
        if not asked.remove:
            say(out, f'Next: vaider tasks schedule {quoted(answer.task)} "every weekday at 9:00"', "dim")
    else:
        say(out, answer.understood)
        if answer.display:
            say(out, f"On the display {answer.display}.")
        for time in answer.next or ("It is past: nothing fires any more.",):
            say(out, f"  {_clock(time)}" if answer.next else time)
        if answer.needs:
            values = ", ".join(answer.needs)
            say(
                out,
                f"note: it needs {values}, which no schedule gives, so each time is missed for want of it.",
                "yellow",
            )
    if asked.dry_run:
        say(out, "Nothing was written.", "dim")
    elif answer.next and not runs:
        say(out, "note: no daemon runs, and nothing fires until one does: vaider serve", "yellow")
    _show_log(out, answer, whole=asked.log)


def _show_log(out: Console, answer: ScheduleAnswer, *, whole: bool) -> None:
    reported = answer.log if whole else answer.log[:5]
    if not reported:
        if whole:
            say(out, "Nothing was decided yet.")
        return
    rows = table("was due", "what", "why", "run")
    for entry in reported:
        what = Text(entry.outcome.value, style=_COLOURS[entry.outcome])
        cells = (Text(plain(entry.reason)), Text(entry.job_id or ""))
        rows.add_row(Text(_clock(entry.moment, answer.zone)), what, *cells)
    out.print(rows)


def _clock(time: str, zone: str = "") -> str:
    """As people read it, with its offset from UTC: ``Mon 2026-11-23 09:00 +01:00``."""
    moment = datetime.fromisoformat(time)
    local = moment.astimezone(ZoneInfo(zone)) if zone else moment
    offset = f"{local:%z}"
    return f"{local:%a %Y-%m-%d %H:%M}{f':{local:%S}' if local.second else ''} {offset[:3]}:{offset[3:5]}"
