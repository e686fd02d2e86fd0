"""Looks again at the moments of a recording in which something was done."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.desktop.eyes import ScreenEyes
from adapters.models.local.pointing import look_at
from adapters.models.local.view import View
from adapters.video.decoding.decode import decode
from adapters.video.decoding.limits import Limits
from core.jobs import Stage
from core.screens import Picture

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.frame import Frame
    from core.analysis import Video
    from core.demonstration.looks import Looks, Moment
    from core.ports import JobContext

_REPORT_S: Final = 0.5


def look_again(video: Video, moments: Sequence[Moment], context: JobContext) -> Looks:
    """What was seen at each of the moments; the film is decoded once, and only its pictures at these times are kept.

    Raises as decoding does, and what ``context`` raises.
    """
    wanted = sorted({t for each in moments for t in each.times})
    looks: Looks = {}
    views: dict[int, View] = {}
    waiting = sorted(moments, key=lambda each: each.later_ms)
    with closing(ScreenEyes()) as eyes:
        for t_ms, picture in _pictures(video, wanted, context):
            views[t_ms] = View(picture, (), eyes)
            while waiting and waiting[0].later_ms <= t_ms:
                moment = waiting.pop(0)
                context.report(Stage.READING, done=t_ms, total=video.duration_ms)
                looks[moment.key] = look_at(moment, [views[t] for t in moment.times])
                needed = {t for each in waiting for t in each.times}
                views = {t: view for t, view in views.items() if t in needed}
    return looks


def _pictures(video: Video, times: Sequence[int], context: JobContext) -> Iterator[tuple[int, Picture]]:
    """What stood on the screen at each of these times."""
    limits = Limits(video.size_bytes + 1, video.duration_ms / 1000 + 10, video.width * video.height)
    due = list(times)
    last: Frame | None = None
    told = time.monotonic()
    for frame in decode(Path(video.path), video, limits=limits, warn=_unheard):
        while due and last is not None and frame.t_ms > due[0]:
            yield due.pop(0), _picture(last)
        last = frame
        if not due:
            return
        if time.monotonic() - told > _REPORT_S:
            context.report(Stage.DECODING, done=frame.t_ms, total=video.duration_ms)
            told = time.monotonic()
    if last is not None:
        picture = _picture(last)
        yield from ((t_ms, picture) for t_ms in due)


def _picture(frame: Frame) -> Picture:
    bgra = np.ascontiguousarray(cv2.cvtColor(frame.bgr(), cv2.COLOR_BGR2BGRA))
    return Picture(int(bgra.shape[1]), int(bgra.shape[0]), bgra.tobytes(), frame.t_ms / 1000)


def _unheard(warning: str) -> None:
    """The analysis has told it already."""
    del warning
