"""Lets a process of its own look again at a recording, and believes nothing of what it says but its form."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from adapters.video.process.child import ChildProcess
from core.errors import Internal

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
        request: dict[str, Any] = {
            "do": "look again",
            "video": video.model_dump(mode="json"),
            "moments": [list(each) for each in moments],
        }
        said = self.process.ask_for(context, request, total_ms=video.duration_ms)
        try:
            return TypeAdapter(dict[int, Look]).validate_python(said.get("looks"))
        except ValidationError:
            raise Internal("The process that looks at a recording told what makes no sense.") from None
