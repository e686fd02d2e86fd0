"""The real reader, loaded once, and the reader of segments as the daemon uses it."""

from __future__ import annotations

import pytest

from adapters.video.local import LocalSegmentReader
from adapters.video.ocr.reader import TextReader


@pytest.fixture(scope="session")
def reader() -> TextReader:
    return TextReader(threads=2, of_videos=True)


@pytest.fixture
def segment_reader() -> LocalSegmentReader:
    return LocalSegmentReader(max_bytes=1 << 30, max_seconds=600, max_pixels=33_177_600)
