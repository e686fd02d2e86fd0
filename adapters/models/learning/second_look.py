"""Lets a process of its own look again at a recording, and believes nothing of what it says but its form."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from adapters.video.process.child import ChildProcess, Progress
from core.errors import Internal
from core.jobs import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Video
    from core.demonstration.looks import Looks, Moment
    from core.ports import JobContext

WORKER: Final = (sys.executable, "-P", "-m", "adapters.models.learning.looking")


@dataclass(frozen=True)
class SecondLook:
    """Looks at just those moments of a recording in which something was done.

    Args:
        process: how the process is started, and what it may use.

    """

    process: ChildProcess = field(default_factory=lambda: ChildProcess(command=WORKER))

    def at(self, video: Video, moments: Sequence[Moment], context: JobContext) -> Looks:
        """What was seen, by the moments' keys. Raises as ``ChildProcess.ask``, and what ``context`` raises."""
        # Only here: a daemon that learns nothing need not know how.
        from core.demonstration.looks import Look  # noqa: PLC0415

        if not moments:
            return {}
        newest = Progress(stage=Stage.DECODING, data={"done": 0, "total": video.duration_ms})

        def heed() -> None:
            context.report(newest.stage, **newest.data)

        def hear(progress: Progress) -> None:
            nonlocal newest
            newest = progress
            heed()

        request: dict[str, Any] = {
            "do": "look again",
            "video": video.model_dump(mode="json"),
            "moments": [list(each) for each in moments],
        }
        said = self.process.ask(request, heed=heed, hear=hear)
        try:
            return TypeAdapter(dict[int, Look]).validate_python(said.get("looks"))
        except ValidationError:
            raise Internal("The process that looks at a recording told what makes no sense.") from None
