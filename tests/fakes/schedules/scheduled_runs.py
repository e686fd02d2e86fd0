"""Runs of scheduled tasks that only the test ends, and a clock that only the test moves."""

from datetime import datetime, timedelta

from core.errors import VaiderError


class Clock:
    """What the scheduler takes for the time."""

    def __init__(self, now: str) -> None:
        self.now = datetime.fromisoformat(now)

    def __call__(self) -> datetime:
        return self.now

    def set(self, now: str) -> None:
        """Show another time at once."""
        self.now = datetime.fromisoformat(now)

    def go(self, **span: float) -> None:
        """Go on, or back."""
        self.now += timedelta(**span)


class MemoryRuns:
    """Implements ``core.schedules.ports.ScheduledRuns``; it outlives the scheduler, as a database does."""

    def __init__(self) -> None:
        self.started: list[tuple[str, str, str]] = []
        """Task, display and job id, in the order of their starts."""
        self.unfinished: dict[str, str] = {}
        """Tasks by job ids."""
        self.refusal: VaiderError | None = None
        self.dies_after_start = False
        self.asked_again = 0
        """How often a run was to be started that had been: only two processes at once may do so."""

    @property
    def moments(self) -> list[str]:
        return [job_id.rpartition("@")[2] for _, _, job_id in self.started]

    def key(self, task_id: str, moment: str) -> str:
        return f"{task_id}@{moment}"

    async def exists(self, job_id: str) -> bool:
        return any(job_id == started for _, _, started in self.started)

    async def going_on(self, task_id: str) -> str | None:
        return next((job_id for job_id, task in self.unfinished.items() if task == task_id), None)

    async def start(self, task_id: str, display: str, job_id: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        if await self.exists(job_id):
            self.asked_again += 1
            return
        self.started.append((task_id, display, job_id))
        if self.dies_after_start:
            raise KilledHere


class KilledHere(BaseException):
    """The process ends at this place."""
