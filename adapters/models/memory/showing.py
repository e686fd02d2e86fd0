"""Takes the pictures of a few moments out of a film; a process of its own, for videos can be evil.

``python -m adapters.models.memory.showing``, spoken to by ``pairs.py`` alone.
"""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import cv2

from adapters.video.decoding.decode import decode_from
from adapters.video.decoding.files import Limits
from adapters.video.frame import Frame
from adapters.video.process.worker import Channel, main

_QUALITY: Final = 85


def pictures_at(path: Path, times: Sequence[int], longest: int, limits: Limits) -> dict[int, bytes]:
    """What stood on the screen at each of the times (ms from the first picture), as JPEG.

    No side is longer than ``longest`` pixels. Raises as decoding does.
    """
    due = sorted(set(times))
    found: dict[int, bytes] = {}
    last: Frame | None = None
    for frame in decode_from(path, due[0], limits=limits):
        while due and last is not None and frame.t_ms > due[0]:
            found[due.pop(0)] = _jpeg(last, longest)
        last = frame
        if not due:
            return found
    assert last is not None  # noqa: S101 - decode_from raises where there is no frame
    return found | dict.fromkeys(due, _jpeg(last, longest))


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
