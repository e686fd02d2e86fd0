"""Takes the pictures of a few moments out of a film; a process of its own, for videos can be evil.

``python -m adapters.models.memory.showing``, spoken to by ``pairs.py`` alone.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import cv2

from adapters.video.decoding.container import DecodedPictures, open_video, upright_frame, video_stream
from adapters.video.decoding.files import Limits, open_file
from adapters.video.frame import Frame
from adapters.video.process.worker import Channel, main
from core.errors import InvalidVideo

_QUALITY: Final = 85
_QUARTER: Final = 90


def pictures_at(path: Path, times: Sequence[int], longest: int, limits: Limits) -> dict[int, bytes]:
    """What stood on the screen at each of the times (ms from the first picture), as JPEG.

    No side is longer than ``longest`` pixels. Raises as decoding does.
    """
    due = sorted(set(times))
    found: dict[int, bytes] = {}
    last: Frame | None = None
    for frame in _frames(path, due[0], limits):
        while due and last is not None and frame.t_ms > due[0]:
            found[due.pop(0)] = _jpeg(last, longest)
        last = frame
        if not due:
            return found
    if last is None:
        raise InvalidVideo("No picture of the video can be decoded there. Check that it plays.")
    return found | dict.fromkeys(due, _jpeg(last, longest))


def _frames(path: Path, from_ms: int, limits: Limits) -> Iterator[Frame]:
    """The pictures from the last key picture before that time on."""
    with open_file(path, limits) as file, closing(open_video(file, limits)) as source:
        stream = video_stream(source, limits)
        unit_ms = float(stream.time_base or 0) * 1000
        if unit_ms <= 0:
            raise InvalidVideo("The video's pictures have no times. Convert it to mp4 first.")
        zero = stream.start_time or 0
        if from_ms > 0:
            source.seek(zero + int(from_ms / unit_ms), stream=stream, backward=True)
        for picture in DecodedPictures(source, stream, limits, threaded=False):
            if picture.pts is None:
                continue
            width, height = picture.width, picture.height
            upright = (width, height) if picture.rotation // _QUARTER % 2 == 0 else (height, width)
            yield upright_frame(picture, round((picture.pts - zero) * unit_ms), upright)


def _jpeg(frame: Frame, longest: int) -> bytes:
    bgr = frame.bgr()
    height, width = bgr.shape[:2]
    scale = min(1.0, longest / max(height, width))
    if scale < 1:
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        bgr = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()


def _show(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    del channel  # a few pictures take no time worth telling
    found = pictures_at(Path(request["path"]), request["times"], request["longest"], Limits(**request["limits"]))
    return {"pictures": {str(t_ms): base64.b64encode(data).decode() for t_ms, data in found.items()}}


if __name__ == "__main__":
    main({"show": _show})
