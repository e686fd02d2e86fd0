"""The analyser that needs no key and no network; it also reads segments of the recording while they grow."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from pydantic import Field, ValidationError

from adapters.video.decoding.files import Limits
from adapters.video.process.child import CAN_FORK, FORK_SERVER, ChildProcess
from core.analysis import Findings, FindingsSoFar
from core.errors import Internal
from core.jobs import Stage
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from adapters.video.process.child import KeptChild
    from core.analysis import Video
    from core.ports import FrameFolder, JobContext
    from core.recording.recordings import Segment


_NEEDED: Final = ("av", "cv2", "numpy", "onnxruntime")
_READER = "ppocr-v6-small"
_CPU_SECONDS: Final = 900
_CPU_PER_SECOND: Final = 30
"""Of a second of the video: the slowest recordings take 20 on the machines that we know."""
_SILENT_SECONDS: Final = 900.0
"""It tells how far it is with each frame; reading all text of the largest takes half a minute on a busy machine."""


class LocalAnalyser:
    """Implements ``core.ports.Analyser``: change detection and OCR, in a process of its own.

    Expectations are not its business: it returns every sighting of a text, and the core judges.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.
        ocr_threads: cores that reading may use.
        process: the process that watches.
        kept: where a process with the text reader loaded waits for the next video; without it none does.

    """

    def __init__(
        self,
        *,
        max_bytes: int,
        max_seconds: float,
        max_pixels: int,
        ocr_threads: int = 2,
        process: ChildProcess | None = None,
        kept: KeptChild | None = None,
    ) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._ocr_threads = ocr_threads
        self._process = process or _child(ocr_threads, kept)
        self._model = f"{_READER}/vaider-{version('vaider')}"

    @property
    def name(self) -> str:
        """How settings and answers call it."""
        return "local"

    @property
    def model(self) -> str:
        """The models that read, and our version: another one may see other events, and is asked anew."""
        return self._model

    def unavailable(self) -> str | None:
        """Name the packages that are missing, if any; imports nothing."""
        missing = _missing()
        if not missing:
            return None
        return f"The Python packages {', '.join(missing)} are missing. Install Vaider anew."

    def analyse(self, video: Video, expectations: Sequence[str], frames: FrameFolder, context: JobContext) -> Findings:
        """See the port. The whole observation is one step named ``observe``."""
        del expectations
        return context.step("observe", Findings, lambda: self._observe(video, frames, context))

    def _bounded(self, video: Video) -> ChildProcess:
        """The process, with no more computing than the length of the video gives reason for."""
        seconds = _CPU_SECONDS + _CPU_PER_SECOND * video.duration_ms // 1000
        return replace(
            self._process,
            cpu_seconds=min(self._process.cpu_seconds, seconds),
            silent_seconds=min(self._process.silent_seconds, _SILENT_SECONDS),
        )

    def _observe(self, video: Video, frames: FrameFolder, context: JobContext) -> Findings:
        request: dict[str, Any] = {
            "do": "observe",
            "video": video.model_dump(mode="json"),
            "limits": asdict(self._limits),
            "frames": {
                "directory": str(frames.directory.absolute()),
                "prefix": frames.prefix,
                "relative": frames.relative,
            },
            "ocr_threads": self._ocr_threads,
        }

        def publish(part: Mapping[str, Any]) -> None:
            so_far = _made_of(FindingsSoFar, part)
            context.publish(Stage.FOUND, so_far.model_dump(mode="json", exclude_defaults=True) | {"provisional": True})

        found = self._bounded(video).ask_for(context, request, total_ms=video.duration_ms, found=publish)
        return _made_of(Findings, found)


@cache
def _missing() -> Sequence[str]:
    """The packages that are not installed; to look for them takes as long as to judge an expectation."""
    return [name for name in _NEEDED if find_spec(name) is None]


ValueT = TypeVar("ValueT", bound=Value)


def _made_of(kind: type[ValueT], reported: Mapping[str, Any]) -> ValueT:
    try:
        return kind.model_validate(reported)
    except ValidationError:
        raise Internal("The analysis process told findings that make no sense.") from None


def _child(threads: int, kept: KeptChild | None) -> ChildProcess:
    if kept is None or not CAN_FORK:
        return ChildProcess(threads=threads)
    return ChildProcess(threads=threads, command=(*FORK_SERVER, str(threads)), kept=kept, stays=True)


_FOLLOWER: Final = (sys.executable, "-P", "-m", "adapters.video.process.follower")
_FOLLOWING_CPU_SECONDS: Final = 1800
_MEMORY_BYTES: Final = 3 << 30


class _Found(Value):
    findings: Findings
    until_ms: Annotated[int, Field(ge=0)]


class LocalSegmentReader:
    """Implements ``core.memories.ports.SegmentReader``: change detection and OCR.

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
            threads=ocr_threads, cpu_seconds=_FOLLOWING_CPU_SECONDS, memory_bytes=_MEMORY_BYTES, command=_FOLLOWER
        )

    def follow(
        self, segment: Segment, report: Callable[[Findings, int], None], is_ended: Callable[[], bool]
    ) -> tuple[Findings, int]:
        """See the port."""

        def found(reported: Mapping[str, Any]) -> None:
            so_far = _made_of(_Found, reported)
            report(so_far.findings, so_far.until_ms)

        request: dict[str, Any] = {
            "do": "follow",
            "path": str(segment.path.absolute()),
            "limits": asdict(self._limits),
            "ocr_threads": self._ocr_threads,
        }
        whole = _made_of(
            _Found, self._process.ask(request, raise_if_cancelled=lambda: None, found=found, is_ended=is_ended)
        )
        return whole.findings, whole.until_ms
