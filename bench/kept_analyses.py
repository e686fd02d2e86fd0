"""What was seen in clips, kept below ``bench/out``: a benchmark of what is made of it need not watch them again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter

from adapters.models.learning.local import SecondLook
from core.analysis import Findings
from core.demonstration.looks import Look, LooksByTime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.local import LocalAnalyser
    from core.analysis import Video
    from core.demonstration.looks import Moment
    from core.ports import FrameFolder, JobContext

OUT: Final = Path(__file__).parent / "out" / "analyses"
_LOOKS: Final = TypeAdapter(dict[int, Look])


def _file(video: Video, kind: str) -> Path:
    OUT.mkdir(parents=True, exist_ok=True)
    return OUT / f"{video.sha256[:24]}.{kind}.json"


@dataclass(frozen=True)
class KeptAnalyser:
    """Implements ``core.ports.Analyser``.

    Args:
        inner: watches what is not kept.
        reuses: whether what is kept is used.

    """

    inner: LocalAnalyser
    reuses: bool

    @property
    def name(self) -> str:
        """See the port."""
        return self.inner.name

    @property
    def model(self) -> str:
        """See the port."""
        return self.inner.model

    def unavailable(self) -> str | None:
        """See the port."""
        return self.inner.unavailable()

    def analyse(self, video: Video, expectations: Sequence[str], frames: FrameFolder, context: JobContext) -> Findings:
        """See the port."""
        file = _file(video, "findings")
        if self.reuses and file.exists():
            return Findings.model_validate_json(file.read_bytes())
        found = self.inner.analyse(video, expectations, frames, context)
        file.write_text(found.model_dump_json(), encoding="utf-8")
        return found


@dataclass(frozen=True)
class KeptLook(SecondLook):
    """A second look that is kept as well.

    Args:
        reuses: whether what is kept is used.

    """

    reuses: bool = False

    def at(self, video: Video, moments: Sequence[Moment], context: JobContext) -> LooksByTime:
        """See the base."""
        file = _file(video, "looks")
        if self.reuses and file.exists():
            return _LOOKS.validate_json(file.read_bytes())
        found = super().at(video, moments, context)
        file.write_bytes(_LOOKS.dump_json(found))
        return found
