"""What the tests of decoding share."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.video.decoding.files import Limits
from adapters.video.video_files import VideoFile
from tests.fakes.videos.odd_clips import write_screen

REPOSITORY = Path(__file__).parents[4]


@pytest.fixture
def limits() -> Limits:
    """Those of the default settings."""
    return Limits(max_bytes=2 << 30, max_seconds=300, max_pixels=33_177_600)


@pytest.fixture
def inspector(limits: Limits) -> VideoFile:
    return VideoFile(max_bytes=limits.max_bytes, max_seconds=limits.max_seconds, max_pixels=limits.max_pixels)


@pytest.fixture(scope="session")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds of a screen on which a second line of text appears."""
    path = tmp_path_factory.mktemp("screen") / "screen.mp4"
    return write_screen(path, lines=[(0, "Checkout"), (1000, "Order 1042 confirmed")], until_ms=2500)
