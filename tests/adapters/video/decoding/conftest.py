"""What the tests of decoding share."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.video.limits import Limits
from adapters.video.probe import VideoFile

REPOSITORY = Path(__file__).parents[4]


@pytest.fixture
def limits() -> Limits:
    """Those of the default settings."""
    return Limits(max_bytes=2 << 30, max_seconds=300, max_pixels=33_177_600)


@pytest.fixture
def inspector(limits: Limits) -> VideoFile:
    return VideoFile(max_bytes=limits.max_bytes, max_seconds=limits.max_seconds, max_pixels=limits.max_pixels)


@pytest.fixture(scope="session")
def sample() -> Path:
    """A recorded browser session of a few seconds."""
    return REPOSITORY / "tests" / "clips" / "checkout.mp4"
