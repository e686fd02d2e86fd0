"""Learns a task without a key and a network: what was seen and logged, a second look by a process, and questions."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from adapters.video.process.child import ChildProcess
from core.errors import Internal
from core.tasks.ports import ExtractionReply

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.analysis import Findings, Video
    from core.demonstration.looks import LooksByTime, Moment
    from core.ports import Analyser, JobContext
    from core.recording.input_log import InputLog


WORKER: Final = (sys.executable, "-P", "-m", "adapters.models.learning.looking")


@dataclass(frozen=True)
class SecondLook:
    """Looks at just those moments of a recording in which something was done.

    Args:
        process: how the process is started, and what it may use.

    """

    process: ChildProcess = field(default_factory=lambda: ChildProcess(command=WORKER))

    def at(self, video: Video, moments: Sequence[Moment], context: JobContext) -> LooksByTime:
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
            raise Internal("The process that looks at a recording gave an answer that makes no sense.") from None


_HIDDEN: Final = "A password manager was in front: what it shows is never learned."
_DRAFT: Final = "draft-18"
"""Of what is made of findings; another one makes other drafts of the same recording."""


@dataclass(frozen=True)
class LocalExtractor:
    """Implements ``core.tasks.ports.TaskExtractor``.

    Args:
        analyser: reads the recording; it must return every sighting, as the local one does.
        second_look: looks closely at the moments in which something was done.
        known: what the same analyser has seen in a recording before, if that is kept: then it is not watched again.

    """

    analyser: Analyser
    second_look: SecondLook = field(default_factory=SecondLook)
    known: Callable[[Video], Findings | None] = lambda _video: None

    @property
    def name(self) -> str:
        """How settings and answers call it."""
        return "local"

    @property
    def model(self) -> str:
        """What reads the recording, and the version of what is made of it."""
        return f"{self.analyser.model}+{_DRAFT}"

    def unavailable(self) -> str | None:
        """See the port."""
        return self.analyser.unavailable()

    def extract(self, video: Video, log: InputLog | None, context: JobContext) -> ExtractionReply:
        """See the port. Its pictures are gone when it returns."""
        findings = self.known(video) or self._watched(video, context)
        # Only here: a daemon that learns nothing need not know how.
        from core.demonstration.demonstrations import demonstrated  # noqa: PLC0415
        from core.demonstration.document import draft  # noqa: PLC0415
        from core.demonstration.looks import moments_of  # noqa: PLC0415

        looks = self.second_look.at(video, moments_of(findings, log, video.duration_ms), context)
        shown = demonstrated(findings, log, video.duration_ms, looks)
        hidden = (_HIDDEN,) if shown.hidden and not shown.steps else ()
        return ExtractionReply(text=draft(shown), usage=findings.usage, warnings=(*findings.warnings, *hidden))

    def _watched(self, video: Video, context: JobContext) -> Findings:
        with tempfile.TemporaryDirectory(prefix="vaider-learning-") as folder:
            return self.analyser.analyse(video, (), Pictures(Path(folder)), context)


@dataclass(frozen=True)
class Pictures:
    """Implements ``core.ports.FrameFolder``."""

    directory: Path
    prefix: str = "01_"
    relative: str = "frames"
