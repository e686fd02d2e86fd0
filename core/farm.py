"""Ports of a farm: several processes take jobs, and several others do them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from core.ports import JobStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from core.jobs import JobEvent, NewJob

FARM: Final = "farm"
"""The owner of its jobs: all its processes are one, and there is one on a database."""
DEAD_AFTER_SECONDS: Final = 5.0
"""A worker that was not heard of for so long is dead to the others, which take over its jobs."""


def queue_version(schema: str) -> str:
    """The version of the queue: a worker takes jobs of its own alone, and a newer one adopts what older ones leave.

    Each new schema is a new version, so that an older worker leaves what it does not know. Versions compare as text.
    """
    return f"vaider-farm-1.{schema}"


class FarmJobStore(JobStore, Protocol):
    """What a farm asks of the stored jobs besides."""

    def create(self, new: NewJob, data: Mapping[str, Any], also: Callable[[Any], object] | None = None) -> JobEvent:
        """Keep a new job; ``also`` is done in the same transaction."""
        ...

    def newest_event(self) -> int:
        """The highest id of an event that can be seen by now: one that was given may not be committed yet."""
        ...

    def attempt(self, job_id: str) -> int:
        """Which attempt at the job this process has begun, 0 for none."""
        ...

    def lost(self, job_ids: Collection[str]) -> Collection[str]:
        """Those of the jobs begun here that are final by now, or begun by another process."""
        ...

    def under_way(self, question: str) -> str | None:
        """The oldest job that answers the question and is not final."""
        ...

    def place(self, job_id: str) -> int | None:
        """How many jobs wait that were submitted no later, itself included; ``None`` when it does not wait."""
        ...


class Workers(Protocol):
    """Which workers live. Each method raises ``StorageFailed``."""

    def beat(self, worker: str, also: Callable[[Any], object] | None = None) -> Collection[str]:
        """It lives: returns all that do. ``also`` is done in the same transaction."""
        ...

    def leave(self, worker: str) -> None:
        """It has ended."""
        ...

    def forget(self, minutes: int = 10) -> None:
        """Remove those that died long ago."""
        ...
