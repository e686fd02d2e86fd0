"""Finds the traces that test runners leave beside videos, and has them read in a process of their own."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from adapters.video.decoding.files import Limits, open_file, sha256_of
from adapters.video.known_files import KnownFiles, identity_of
from adapters.video.process.child import ChildProcess
from adapters.video.traces.archive import SIGNATURE
from core.errors import CallerError, Internal
from core.traces import TestTrace, TraceFile

if TYPE_CHECKING:
    from adapters.video.process.child import KeptChild
    from core.analysis import Video
    from core.ports import JobContext

_NUMBER: Final = re.compile(r"-(\d{1,4})$")
_CPU_SECONDS: Final = 300
_MEMORY_BYTES: Final = 3 << 30


class TraceFiles:
    """Implements ``core.ports.TraceReader`` for Playwright's ``trace.zip``.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.
        process: the process that reads.
        kept: where one may wait that needs no start.

    """

    def __init__(
        self,
        *,
        max_bytes: int,
        max_seconds: float,
        max_pixels: int,
        process: ChildProcess | None = None,
        kept: KeptChild | None = None,
    ) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._process = process or ChildProcess(cpu_seconds=_CPU_SECONDS, memory_bytes=_MEMORY_BYTES, kept=kept)
        self._hashes: KnownFiles[str] = KnownFiles()

    def video_of(self, path: Path) -> Path | None:
        """See the port, and ``video_beside``."""
        return video_beside(path)

    def find(self, video: Video) -> TraceFile | None:
        """See the port, and ``trace_beside``."""
        path = Path(video.path)
        if self._is_zip(path):
            return TraceFile(path=video.path, sha256=video.sha256)
        found = trace_beside(path)
        if found is None:
            return None
        try:
            return TraceFile(path=str(found), sha256=self._hash(found))
        except CallerError:
            return TraceFile(path=str(found), sha256="")  # reading it says what is wrong

    def read(self, video: Video, trace: TraceFile, context: JobContext) -> TestTrace:
        """See the port."""
        request = {
            "do": "trace",
            "video": video.model_dump(mode="json"),
            "trace": trace.model_dump(),
            "limits": asdict(self._limits),
        }
        try:
            return TestTrace.model_validate(self._process.ask_for(context, request, total_ms=video.duration_ms))
        except ValidationError:
            raise Internal("The analysis process told a trace that makes no sense.") from None

    def _is_zip(self, path: Path) -> bool:
        with open_file(path, self._limits) as file:
            return file.read(len(SIGNATURE)) == SIGNATURE

    def _hash(self, path: Path) -> str:
        """Of an unchanged file it is computed once."""
        with open_file(path, self._limits) as file:
            identity = identity_of(path)
            known = self._hashes.get(identity) if identity else None
            if known is None:
                known = sha256_of(file)
                if identity:
                    self._hashes.keep(identity, known)
        return known


def video_beside(path: Path) -> Path | None:
    """``video-2.webm`` of ``trace-2.zip`` if there is one, else ``video.webm``, else the first."""
    if path.suffix != ".zip" or not path.is_file():
        return None
    named, all_there = _beside(path, "video", ".webm")
    return next(iter([*named, *all_there]), None)


def trace_beside(path: Path) -> Path | None:
    """``trace-2.zip`` of ``video-2.webm`` if there is one, else ``trace.zip``, else the only one; none of a zip."""
    if path.suffix == ".zip":
        return None
    named, all_there = _beside(path, "trace", ".zip")
    return next(iter([*named, *(all_there if len(all_there) == 1 else [])]), None)


def _beside(path: Path, stem: str, suffix: str) -> tuple[list[Path], list[Path]]:
    """The files of the other kind in the folder: those named like this one, ``-2`` of ``video-2.webm``; and all."""
    found = _NUMBER.search(path.stem)
    there = sorted(each for each in path.parent.glob(f"{stem}*{suffix}") if each.is_file())
    wanted = [f"{stem}{found[0] if found else ''}{suffix}", f"{stem}{suffix}"]
    return [each for name in wanted for each in there if each.name == name], there
