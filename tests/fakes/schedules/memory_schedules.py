"""What is kept of schedules, in memory."""

from collections.abc import Sequence
from datetime import datetime

from config.settings import Settings
from core.schedules.book import ScheduleBook, utc_now
from core.schedules.ports import Entry, Outcome, State
from server.composition.scheduling import TaskSchedules
from server.presenters import tasks_of


class MemorySchedules:
    """Implements ``core.schedules.ports.Schedules``."""

    def __init__(self) -> None:
        self.states: dict[str, State] = {}
        self.entries: dict[str, list[Entry]] = {}

    def begin(self, task_id: str, key: str, handled: datetime) -> State:
        state = self.states.get(task_id)
        if state is None or state.key != key:
            state = self.states[task_id] = State(key=key, handled=handled)
        return state

    def note(self, task_id: str, state: State, entries: Sequence[Entry]) -> bool:
        self.states[task_id] = state
        self.entries.setdefault(task_id, []).extend(entries)
        return True

    def restart(self, task_id: str, state: State) -> None:
        self.states[task_id] = state

    def has_fired(self, task_id: str, moment: str) -> bool:
        return any(e.moment == moment and e.outcome is Outcome.FIRED for e in self.entries.get(task_id, []))

    def end(self, task_id: str) -> None:
        self.states.pop(task_id, None)

    def forget(self, task_id: str) -> None:
        self.end(task_id)
        self.entries.pop(task_id, None)

    def task_ids(self) -> Sequence[str]:
        return sorted({*self.states, *self.entries})

    def log(self, task_id: str, limit: int) -> Sequence[Entry]:
        return self.entries.get(task_id, [])[::-1][:limit]


def memory_schedules(settings: Settings) -> TaskSchedules:
    """For a daemon without a database: nothing fires."""
    book = ScheduleBook(tasks=tasks_of(settings), schedules=MemorySchedules(), zone=lambda: "UTC", now=utc_now)
    return TaskSchedules(book, lambda: None)
