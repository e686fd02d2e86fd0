"""The real reader, loaded once, and a watcher for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.video.ocr.reader import TextReader
from tests.fakes.videos.drawn_screens import CountingReader, Watcher

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def reader() -> TextReader:
    return TextReader(threads=2, of_videos=True)


@pytest.fixture
def watcher(reader: TextReader, tmp_path: Path) -> Watcher:
    return Watcher(CountingReader(reader), tmp_path)
