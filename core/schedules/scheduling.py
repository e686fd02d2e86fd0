"""Starts the runs of scheduled tasks: each moment is decided once, and each decision is logged.

A turn looks at all tasks and decides what is due. A run is started under an id that is made of the task and the moment,
and only then noted: who dies between the two finds it started, and does not start it again.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from core.errors import CallerError, InvalidRequest, ProviderError, VaiderError
from core.schedules.book import planned, schedule_key
from core.schedules.firings import Decision, due, firings_after
from core.schedules.phrases import Understood
from core.schedules.ports import Entry, Mark, Outcome, ScheduledRuns, Schedules, State, WatchedTasks
from core.schedules.schedule import Missed

_LOG = logging.getLogger("vaider.schedules")
JUST_NOW: Final = timedelta(minutes=1)
"""A schedule that was written so short a time before it was noticed begins when it was written."""
FALSE_CLOCK: Final = timedelta(days=1)
"""A clock that is put back by more than this had been wrong: what was decided by it does not hold up the schedule."""


def mended(state: State, now: datetime) -> State:
    """The state as it is to be when the clock was put back by so much that it was wrong before, or is now.

    The schedule begins anew where the clock stands. Once the clock comes to where it had been, all before is decided.
    """
    if state.handled - now > FALSE_CLOCK:
        return State(key=state.key, handled=now, ceiling=max(state.handled, state.ceiling or state.handled))
    if state.ceiling is not None and now >= state.ceiling - FALSE_CLOCK:
        return State(key=state.key, handled=state.ceiling)
    return state


@dataclass(frozen=True)
class _Plan:
    """A task's schedule, how far it is decided, and the moment after that."""

    task_id: str
    understood: Understood
    state: State
    next: datetime | None


class Scheduling:
    """Decides, and starts runs.

    Args:
        tasks: their files say when.
        schedules: how far is decided, and the log.
        runs: as jobs.
        zone: the IANA name of the zone for schedules that name none.
        display: the name of the display for what a schedule says of it (empty: nothing).
        obstacle: why a scheduled run cannot have that display now, one sentence, or ``None``; may block.
        now: what the clock shows.

    """

    def __init__(
        self,
        *,
        tasks: WatchedTasks,
        schedules: Schedules,
        runs: ScheduledRuns,
        zone: Callable[[], str],
        display: Callable[[str], str],
        obstacle: Callable[[str], str | None],
        now: Callable[[], datetime],
    ) -> None:
        self._tasks = tasks
        self._schedules = schedules
        self._runs = runs
        self._zone = zone
        self._display = display
        self._obstacle = obstacle
        self._now = now
        self._seen: dict[str, tuple[str, str]] = {}
        self._plans: dict[str, _Plan] = {}
        self._gone: set[str] = set()
        self._turn = asyncio.Lock()

    async def turn(self) -> datetime | None:
        """Decide what is due; tells the next moment at which something is, ``None`` when nothing ever is.

        It is a past one where something waits: for the end of a run that goes on, or for a fault to be mended.

        Raises:
            StorageFailed: nothing is lost; the next turn decides the same.

        """
        async with self._turn:
            await asyncio.to_thread(self._look)
            for plan in list(self._plans.values()):
                try:
                    self._plans[plan.task_id] = await self._brought_up(plan)
                except VaiderError as error:
                    _LOG.exception("schedule.failed", extra={"task": plan.task_id, "reason": error.message})
            return min((plan.next for plan in self._plans.values() if plan.next is not None), default=None)

    async def _brought_up(self, plan: _Plan) -> _Plan:
        now = self._now()
        state = mended(plan.state, now)
        if state != plan.state:
            plan = await asyncio.to_thread(self._mended, plan, state)
        return await self._decided(plan, now) if plan.next is not None and plan.next <= now else plan

    def _look(self) -> None:
        """Read the files that have changed since the last look."""
        marks, zone = self._tasks.marks(), self._zone()
        gone = {*self._seen, *self._schedules.task_ids()} - set(marks)
        for task_id in gone:
            self._plans.pop(task_id, None)
            self._seen.pop(task_id, None)
            # An editor may be between taking away the old file and putting the new one in its place.
            if task_id in self._gone:
                self._schedules.forget(task_id)
        self._gone = gone - self._gone
        for task_id, mark in marks.items():
            if self._seen.get(task_id) != (mark.stamp, zone):
                self._read(task_id, mark, zone)
                self._seen[task_id] = (mark.stamp, zone)

    def _read(self, task_id: str, mark: Mark, zone: str) -> None:
        self._plans.pop(task_id, None)
        try:
            understood = planned(self._tasks.load(task_id).heartbeat, zone)
        except InvalidRequest as error:
            # The decision stays, because the user may be in the middle of editing.
            _LOG.warning("schedule.not_understood", extra={"task": task_id, "reason": error.message})
            return
        except VaiderError as error:
            _LOG.warning("schedule.unreadable", extra={"task": task_id, "reason": error.message})
            return
        if understood is None:
            self._schedules.end(task_id)
            return
        now = self._now()
        start = mark.modified if now - JUST_NOW <= mark.modified <= now else now
        state = self._schedules.begin(task_id, schedule_key(understood.schedule), start)
        self._plans[task_id] = self._planned(task_id, understood, state)

    def _planned(self, task_id: str, understood: Understood, state: State) -> _Plan:
        upcoming = next(firings_after(understood.schedule, state.handled), None)
        return _Plan(task_id, understood, state, upcoming)

    def _mended(self, plan: _Plan, state: State) -> _Plan:
        reported = {"task": plan.task_id, "was": str(plan.state.handled), "decided_up_to": str(state.handled)}
        _LOG.warning("schedule.clock_was_wrong", extra=reported)
        self._schedules.restart(plan.task_id, state)
        return self._planned(plan.task_id, plan.understood, state)

    async def _decided(self, plan: _Plan, now: datetime) -> _Plan:
        state = plan.state
        if state.ceiling is not None:
            # Where the clock is wrong at times, little is made up for.
            state = state.model_copy(update={"handled": max(state.handled, now - FALSE_CLOCK)})
        found = due(plan.understood.schedule, handled=state.handled, now=now)
        if found.note:
            _LOG.warning("schedule.note", extra={"task": plan.task_id, "reason": found.note})
        entries: list[Entry] = []
        for decision in found.decisions:
            entry = await self._carried_out(plan, decision)
            if entry is None:
                break
            entries.append(entry)
            state = state.model_copy(update={"handled": decision.moment})
            if entry.outcome is Outcome.FIRED:
                await self._note(plan.task_id, state, entries)
                entries = []
        await self._note(plan.task_id, state, entries)
        return self._planned(plan.task_id, plan.understood, state)

    async def _note(self, task_id: str, state: State, entries: list[Entry]) -> None:
        if not entries or not await asyncio.to_thread(self._schedules.note, task_id, state, entries):
            return
        for entry in entries:
            level = logging.INFO if entry.outcome is Outcome.FIRED else logging.WARNING
            reported = {"task": task_id, "moment": entry.moment, "reason": entry.reason, "job_id": entry.job_id}
            _LOG.log(level, "schedule.%s", entry.outcome.value, extra=reported)

    async def _carried_out(self, plan: _Plan, decision: Decision) -> Entry | None:
        """What became of it; ``None`` when it is to wait for the run before."""
        job_id = self._runs.key(plan.task_id, decision.key)
        if await self._runs.exists(job_id):
            if await asyncio.to_thread(self._schedules.has_fired, plan.task_id, decision.key):
                return self._entry(decision, Outcome.DUPLICATE, "Its run was started before.", job_id)
            return self._entry(decision, Outcome.FIRED, "It was started before Vaider's daemon ended.", job_id)
        if not decision.fires:
            return self._entry(decision, Outcome.MISSED, decision.reason)
        before = await self._runs.going_on(plan.task_id)
        if before is not None and plan.understood.schedule.missed is Missed.ALL:
            return None
        lack = f"A run of the task was still going on ({before})." if before else await self._started(plan, job_id)
        if lack:
            return self._entry(decision, Outcome.MISSED, lack)
        return self._entry(decision, Outcome.FIRED, decision.reason, job_id)

    async def _started(self, plan: _Plan, job_id: str) -> str:
        """Start the run; empty when that was possible, else why not, one sentence."""
        display = self._display(plan.understood.display)
        if (obstacle := await asyncio.to_thread(self._obstacle, display)) is not None:
            return obstacle
        try:
            await self._runs.start(plan.task_id, display, job_id)
        except (CallerError, ProviderError) as error:
            return error.message
        return ""

    def _entry(self, decision: Decision, outcome: Outcome, reason: str, job_id: str | None = None) -> Entry:
        decided = self._now().astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        return Entry(moment=decision.key, outcome=outcome, reason=reason, job_id=job_id, decided_at=decided)
