"""Remembers what was finished elsewhere: an analysis of a video, a run of Vaider's own."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.errors import VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

    from core.analysis import Analysis
    from core.memory import Procedure
    from core.recall.ports import Memories
    from core.runs.run import Run
    from core.workflows.workflow import Workflow

_LOG: Final = logging.getLogger("vaider.memory")


def remember_analysis(analysis: Analysis, memories: Memories, *, started_at: datetime) -> tuple[Procedure, ...]:
    """Keep what an analysed video shows, in place of what was kept of it before; tells what that is.

    Args:
        analysis: its timeline is what is told; all of it is inferred.
        memories: where it is kept.
        started_at: when its first picture was taken, in UTC.

    Raises ``StorageFailed``.

    """
    # Only here: a daemon whose memory is not in use need not know how.
    from core.procedures.timelines import procedures_of_video  # noqa: PLC0415

    procedures = procedures_of_video(analysis, started_at=started_at)
    memories.replace(analysis.video.path, procedures)
    return procedures


def remember_run(
    run: Run, memories: Memories, *, workflow: Workflow | None = None, rows: Iterable[Mapping[str, Any]] = ()
) -> Procedure | None:
    """Keep what a run did that was seen to succeed; ``None`` for any other.

    Args:
        run: as it ended, sensitive values masked.
        memories: where it is kept.
        workflow: as it was rendered for the run.
        rows: of its ``events.jsonl``.

    Raises ``StorageFailed``.

    """
    from core.procedures.run_steps import procedure_of_run  # noqa: PLC0415 - as above

    procedure = procedure_of_run(run, workflow, rows)
    if procedure is not None:
        memories.replace(run.run_id, [procedure])
    return procedure


class Rememberer:
    """Remembers what use cases finish; what goes wrong with it is nobody's loss but the memory's, and is logged.

    Args:
        memories: where it is kept; called when there is something to keep.

    """

    def __init__(self, memories: Callable[[], Memories]) -> None:
        self._memories = memories

    def analysis(self, analysis: Analysis) -> None:
        """An analysis has been answered."""
        with _nobodys_loss(analysis.job_id):
            remember_analysis(analysis, self._memories(), started_at=began_at(analysis))

    def run(self, run: Run, workflow: Workflow) -> None:
        """A run is over."""
        with _nobodys_loss(run.job_id):
            remember_run(run, self._memories(), workflow=workflow)


@contextmanager
def _nobodys_loss(job: str) -> Generator[None]:
    try:
        yield
    except VaiderError as error:
        _LOG.warning("%s is not remembered: %s", job, error.message)
    except Exception:  # noqa: BLE001 - the job itself is done, and stays so
        _LOG.exception("%s is not remembered", job)


def began_at(analysis: Analysis) -> datetime:
    """When a video was begun, as its file tells: what is written last ends with its last picture; else now."""
    length = timedelta(milliseconds=analysis.video.duration_ms)
    try:
        return datetime.fromtimestamp(Path(analysis.video.path).stat().st_mtime, UTC) - length
    except (OSError, ValueError, OverflowError):
        return datetime.now(UTC) - length
