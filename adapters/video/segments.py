"""Reads segments of the continuous recording while they grow, each in a process that lives no longer than that."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, ValidationError

from adapters.video.decoding.limits import Limits
from adapters.video.process.child import ChildProcess
from core.analysis import Findings
from core.errors import Internal
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.recording.segments import Segment

_FOLLOWER: Final = (sys.executable, "-P", "-m", "adapters.video.process.follower")
_CPU_SECONDS: Final = 1800
_MEMORY_BYTES: Final = 3 << 30


class _Found(Value):
    findings: Findings
    until_ms: Annotated[int, Field(ge=0)]


class LocalSegmentReader:
    """Implements ``core.memories.reading_ports.SegmentReader``: change detection and OCR.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.
        ocr_threads: cores that reading may use.
        process: the process that follows.

    """

    def __init__(
        self,
        *,
        max_bytes: int,
        max_seconds: float,
        max_pixels: int,
        ocr_threads: int = 1,
        process: ChildProcess | None = None,
    ) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._ocr_threads = ocr_threads
        self._process = process or ChildProcess(
            threads=ocr_threads, cpu_seconds=_CPU_SECONDS, memory_bytes=_MEMORY_BYTES, command=_FOLLOWER
        )

    def follow(
        self, segment: Segment, tell: Callable[[Findings, int], None], is_ended: Callable[[], bool]
    ) -> tuple[Findings, int]:
        """See the port."""

        def found(told: Mapping[str, Any]) -> None:
            so_far = _understood(told)
            tell(so_far.findings, so_far.until_ms)

        request: dict[str, Any] = {
            "do": "follow",
            "path": str(segment.path.absolute()),
            "limits": asdict(self._limits),
            "ocr_threads": self._ocr_threads,
        }
        whole = _understood(self._process.ask(request, heed=lambda: None, found=found, is_ended=is_ended))
        return whole.findings, whole.until_ms


def _understood(told: Mapping[str, Any]) -> _Found:
    try:
        return _Found.model_validate(told)
    except ValidationError:
        raise Internal("The reading process told findings that make no sense.") from None
