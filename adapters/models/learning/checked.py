"""Has a model's account of a recording checked against what was seen in it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adapters.models.learning.local import Pictures
from core.tasks.learning_gate import read_extraction, with_control_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.analysis import Findings, Video
    from core.ports import Analyser, JobContext
    from core.recording.input_log import InputLog
    from core.tasks.ports import ExtractionReply, TaskExtractor

_UNCHECKED: Final = "What the model told was not checked against the film: {}"


@dataclass(frozen=True)
class CheckedExtractor:
    """Implements ``core.tasks.ports.TaskExtractor``.

    Args:
        inner: makes the account.
        analyser: reads the recording; it must return every sighting, as the local one does.
        known: what the analyser has seen in a recording before, if that is kept.

    """

    inner: TaskExtractor
    analyser: Analyser
    known: Callable[[Video], Findings | None] = lambda _video: None

    @property
    def name(self) -> str:
        """That of the inner one."""
        return self.inner.name

    @property
    def model(self) -> str:
        """That of the inner one."""
        return self.inner.model

    def unavailable(self) -> str | None:
        """See the port."""
        return self.inner.unavailable()

    def extract(self, video: Video, log: InputLog | None, context: JobContext) -> ExtractionReply:
        """See the port. Where the film cannot be read here, the reply says that it was not checked."""
        reply = self.inner.extract(video, log, context)
        task = read_extraction(reply.text).heartbeat
        lack = self.analyser.unavailable()
        if task is None or lack is not None:
            warnings = (*reply.warnings, _UNCHECKED.format(lack)) if task is not None else reply.warnings
            return reply.model_copy(update={"warnings": warnings})
        findings = self.known(video)
        if findings is None:
            with tempfile.TemporaryDirectory(prefix="vaider-learning-") as folder:
                findings = self.analyser.analyse(video, (), Pictures(Path(folder)), context)
        # Only here: a daemon that learns nothing need not know how.
        from core.demonstration.checked import checked  # noqa: PLC0415

        return reply.model_copy(update={"text": with_control_lines(checked(task, findings, video.duration_ms))})
