"""Looks again at the moments of a recording in which something was done; a process of its own, for videos can be evil.

``python -m adapters.models.learning.looking``, spoken to by ``second_look.py`` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from adapters.desktop.eyes import ScreenEyes
from adapters.models.local.pointing import look_at
from adapters.models.local.view import View
from adapters.video.decoding.decode import decode
from adapters.video.decoding.limits import Limits
from adapters.video.process.worker import Channel, main
from core.analysis import Video
from core.demonstration.looks import Moment
from core.jobs import Stage
from core.screens import Picture

if TYPE_CHECKING:
    from adapters.video.frame import Frame
    from core.demonstration.looks import Looks

Report = Callable[[str, int, int], None]


def look_again(video: Video, moments: Sequence[Moment], report: Report) -> Looks:
    """What was seen at each of the moments; the film is decoded once, and only its pictures at these times are kept.

    Args:
        video: the recording.
        moments: when to look, and where.
        report: told how far it is: a stage, milliseconds of the video that are done, and all.

    Raises as decoding does.
    """
    wanted = sorted({t for each in moments for t in each.times})
    looks: Looks = {}
    views: dict[int, View] = {}
    waiting = sorted(moments, key=lambda each: each.later_ms)
    with closing(ScreenEyes()) as eyes:
        for t_ms, picture in _pictures(video, wanted, report):
            views[t_ms] = View(picture, (), eyes)
            while waiting and waiting[0].later_ms <= t_ms:
                moment = waiting.pop(0)
                report(Stage.READING, t_ms, video.duration_ms)
                looks[moment.key] = look_at(moment, [views[t] for t in moment.times])
                needed = {t for each in waiting for t in each.times}
                views = {t: view for t, view in views.items() if t in needed}
    return looks


def _pictures(video: Video, times: Sequence[int], report: Report) -> Iterator[tuple[int, Picture]]:
    """What stood on the screen at each of these times."""
    limits = Limits(video.size_bytes + 1, video.duration_ms / 1000 + 10, video.width * video.height)
    due = list(times)
    last: Frame | None = None
    for frame in decode(Path(video.path), video, limits=limits, warn=_unheard):
        while due and last is not None and frame.t_ms > due[0]:
            yield due.pop(0), _picture(last)
        last = frame
        if not due:
            return
        report(Stage.DECODING, frame.t_ms, video.duration_ms)
    if last is not None:
        picture = _picture(last)
        yield from ((t_ms, picture) for t_ms in due)


def _picture(frame: Frame) -> Picture:
    bgra = np.ascontiguousarray(cv2.cvtColor(frame.bgr(), cv2.COLOR_BGR2BGRA))
    return Picture(int(bgra.shape[1]), int(bgra.shape[0]), bgra.tobytes(), frame.t_ms / 1000)


def _unheard(warning: str) -> None:
    """The analysis has told it already."""
    del warning


def _look_again(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    video = Video.model_validate(request["video"])
    moments = [Moment(*each) for each in request["moments"]]
    looks = look_again(video, moments, channel.progress)
    return {"looks": {str(key): look._asdict() for key, look in looks.items()}}


if __name__ == "__main__":
    main({"look again": _look_again})
