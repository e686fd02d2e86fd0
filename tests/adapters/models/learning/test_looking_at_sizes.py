"""A film is looked at again whatever its size: a codec stores whole blocks, more than what is shown."""

from pathlib import Path

import av
import numpy as np

from adapters.models.learning.looking import look_again
from adapters.video.video_files import VideoFile
from core.demonstration.looks import Moment


def _film(path: Path, width: int, height: int) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        picture = np.full((height, width, 3), 250, np.uint8)
        for _ in range(10):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


def _unheard(stage: str, done: int, total: int) -> None:
    del stage, done, total


def test_a_film_of_a_laptop_s_1366_columns_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    _film(path, 1366, 768)
    video = VideoFile(max_bytes=10**9, max_seconds=60, max_pixels=10**8).inspect(path)

    looks = look_again(video, [Moment(500, 300, 400, 600, 800, 100, 100, types=True)], _unheard)

    assert list(looks) == [500]
