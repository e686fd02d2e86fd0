"""Which job may have ended the daemon's process, and how it is tried again.

A process that was killed does not tell by what. A job that is found running at two ends of the process is a suspect:
it begins again only when the new process has stood for a while without any suspect, and never beside another one. An
end of the process during that while cannot be its fault, and counts for it. A job that was running at one more end is
tried a last time, with nothing else beside it, and given up after that.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from core.errors import Internal, VaiderError
from core.jobs import JobState, UnfinishedJob

SUSPECTED: Final = 2
"""From so many ends of the process on, a job is a suspect."""
_ALONE: Final = 3
_GIVEN_UP: Final = 4


def deaths_after(jobs: Sequence[UnfinishedJob]) -> Mapping[str, int]:
    """The new numbers of ends of the process that speak against a job, where they change; see the module.

    Args:
        jobs: as the ended process left them.

    """
    running = [job for job in jobs if job.state is JobState.RUNNING]
    changed = {job.id: job.deaths + 1 for job in running}
    if not any(job.deaths >= SUSPECTED for job in running):
        # The process ended without any suspect: something else ends it as well.
        changed |= {job.id: SUSPECTED for job in jobs if job.id not in changed and job.deaths > SUSPECTED}
    return changed


def verdict_on(deaths: int) -> VaiderError | None:
    """The failure of a job that is not tried again."""
    if deaths < _GIVEN_UP:
        return None
    return Internal(
        f"Vaider's process ended {deaths} times while the job was running, the last time with no other job beside it; "
        "it is not tried again."
    )


class Suspects:
    """Those that wait for their next try, and the one that is tried.

    Args:
        quiet_seconds: how long the process stands without a suspect before one begins; three times as long before the
            last try of one.

    """

    def __init__(self, quiet_seconds: float) -> None:
        self._quiet_seconds = quiet_seconds
        self._since = time.monotonic()
        self._held: dict[str, int] = {}
        self._tried: tuple[str, int] | None = None

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, deaths: Mapping[str, int], returning: Iterable[str]) -> None:
        """Keep back those that return and are suspects; from now on the process is observed without them."""
        self._since = time.monotonic()
        found = [(deaths[job_id], job_id) for job_id in returning if deaths.get(job_id, 0) >= SUSPECTED]
        self._held = {job_id: count for count, job_id in sorted(found, key=lambda each: each[0])}

    def waits(self, job_id: str) -> bool:
        """Whether the job is kept back."""
        return job_id in self._held

    def waiting_times(self) -> Sequence[float]:
        """After how many seconds from now there may be one to try."""
        return sorted({self._due(deaths) - time.monotonic() for deaths in self._held.values()})

    def next(self, others: int) -> str | None:
        """The one that may begin now beside ``others`` that run."""
        if self._tried is not None or not self._held:
            return None
        job_id, deaths = next(iter(self._held.items()))
        is_due = time.monotonic() >= self._due(deaths)
        return job_id if is_due and (deaths < _ALONE or others == 0) else None

    @property
    def must_run_alone(self) -> bool:
        """Whether nothing else may begin: one is tried alone, or is about to be."""
        if self._tried is not None:
            return self._tried[1] >= _ALONE
        deaths = next(iter(self._held.values()), 0)
        return deaths >= _ALONE and time.monotonic() >= self._due(deaths)

    def begin(self, job_id: str) -> None:
        """It is tried."""
        self._tried = (job_id, self._held.pop(job_id))

    def leave(self, job_id: str) -> None:
        """It has ended or was cancelled."""
        self._held.pop(job_id, None)
        if self._tried is not None and self._tried[0] == job_id:
            self._tried = None

    def _due(self, deaths: int) -> float:
        return self._since + self._quiet_seconds * (1 if deaths < _ALONE else 3)
