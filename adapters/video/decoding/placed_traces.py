"""One trace on the clock of one video; runs in the analysis process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from adapters.video.decoding.decode import decode
from adapters.video.decoding.files import open_file, sha256_of
from adapters.video.traces.archive import Archive
from adapters.video.traces.clocks import begin_of
from adapters.video.traces.film import begin_of_film
from adapters.video.traces.playwright import read_records
from adapters.video.traces.records_to_trace import to_trace
from core.errors import InvalidVideo

if TYPE_CHECKING:
    from adapters.video.decoding.files import Limits
    from core.analysis import Video
    from core.traces import TestTrace, TraceFile


def placed(trace: TraceFile, video: Video, limits: Limits) -> TestTrace:
    """The trace on the video's clock.

    Raises:
        InvalidPath, InvalidVideo, TooLarge: it cannot be read, has changed, or is not of this video.

    """
    with open_file(Path(trace.path), limits) as file:
        if sha256_of(file) != trace.sha256:
            raise InvalidVideo("It has changed since it was looked at. Let the test run end, and ask again.")
        archive = Archive(file)
        records = read_records(archive)
        if trace.sha256 == video.sha256:
            return to_trace(
                records, trace.path, begin_of_film(archive, records, max_bytes=limits.max_bytes), "own pictures"
            )
        if not records.pictures:
            raise InvalidVideo("It has no pictures to find in the video. Record it with screenshots.")
        frames = decode(Path(video.path), video, limits=limits, warn=lambda _: None)
        found = begin_of(archive, records, frames, limits.max_pixels)
        if found is None:
            raise InvalidVideo("Its pictures are not those of the video. Is it another test's?")
        return to_trace(records, trace.path, *found)
