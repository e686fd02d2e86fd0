"""The timeline of an analysed video as what is remembered: of its texts only those that the timeline names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.analysis import Findings
from core.procedures.procedures import procedures_of

if TYPE_CHECKING:
    from datetime import datetime

    from core.analysis import Analysis
    from core.memory import Procedure


def procedures_of_video(analysis: Analysis, *, started_at: datetime) -> tuple[Procedure, ...]:
    """What was done in it, all of it inferred; ids are made of the video's path.

    Args:
        analysis: as it was answered, or as a kept ``NN_response.json`` has it.
        started_at: when its first picture was taken, in UTC.

    """
    return procedures_of(
        Findings(timeline=analysis.timeline, first_screen=analysis.first_screen),
        None,
        video=analysis.video.path,
        source="video",
        started_at=started_at,
        duration_ms=max(analysis.video.duration_ms, 0),
    )
