"""Single pictures of a video: what is sought is what stood there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.video.decoding.stills import stills
from adapters.video.decoding.survey import survey
from core.analysis import Video
from core.looking import Shot
from tests.adapters.video.decoding.conftest import REPOSITORY
from tests.fakes.videos.traces import TRACES

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.video.decoding.files import Limits


@pytest.mark.parametrize("path", [REPOSITORY / "samples" / "checkout.mp4", TRACES / "failed-8" / "trace.zip"])
def test_a_picture_that_is_sought_is_the_one_that_is_met_from_the_beginning(path: Path, limits: Limits) -> None:
    video = Video(**survey(str(path), limits))
    for t_ms in (0, video.duration_ms // 3, video.duration_ms):
        met, sought = (stills(video, [Shot(t_ms=t_ms)], 10_000, seeks=seeks, limits=limits) for seeks in (False, True))
        assert met == sought
