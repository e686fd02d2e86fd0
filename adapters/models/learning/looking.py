"""Looks again at the moments of a recording in which something was done; a process of its own, for videos can be evil.

``python -m adapters.models.learning.looking``, spoken to by ``local.py`` alone.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from adapters.desktop.eyes import ScreenEyes
from adapters.models.learning.line_reading import line_at
from adapters.models.local.pointing import look_at
from adapters.models.local.view import View
from adapters.video.decoding.decode import decode
from adapters.video.decoding.files import Limits
from adapters.video.frame import Frame
from adapters.video.process.worker import Channel, main
from core.analysis import Video
from core.demonstration.looks import Look, LooksByTime, Moment, Wanted
from core.jobs import Stage
from core.screens import Picture, Point

Report = Callable[[str, int, int], None]
_DENSE_MS: Final = 250
_PADDING: Final = 128
"""A codec stores whole blocks, so a frame is larger than what is shown of it: 1366 columns are stored as 1376."""
_PATIENCE_MS: Final = 1000
"""A picture that comes so much later may show something else altogether."""


def look_again(video: Video, moments: Sequence[Moment], report: Report) -> LooksByTime:
    """What was seen at each of the moments; the film is decoded once, and only its pictures at these times are kept.

    Args:
        video: the recording.
        moments: when to look, and where.
        report: called with how far it is: a stage, milliseconds of the video that are done, and all.

    Raises as decoding does.
    """
    wanted = {each for moment in moments for each in moment.wanted}
    looks: LooksByTime = {}
    # Several that are wanted are often the same picture, which is read once.
    views: dict[int, View] = {}
    found: dict[Wanted, int] = {}
    waiting = sorted(moments, key=_ready_ms)
    with closing(ScreenEyes()) as eyes:
        for want, frame in _frames(video, wanted, report):
            if frame.t_ms not in views:
                views[frame.t_ms] = View(_picture(frame), (), eyes)
            found[want] = frame.t_ms
            while waiting and found.keys() >= {*waiting[0].wanted}:
                moment = waiting.pop(0)
                report(Stage.READING, want.until_ms, video.duration_ms)
                looks[moment.key] = _look(moment, [views[found[each]] for each in moment.wanted])
                needed = {found[each] for one in waiting for each in one.wanted if each in found}
                views = {t_ms: view for t_ms, view in views.items() if t_ms in needed}
    return looks


def _look(moment: Moment, seen: Sequence[View]) -> Look:
    look = look_at(moment, seen)
    if not moment.types or look.field:
        return look
    *_, after, later = seen
    line, ends = line_at(Point(x=moment.x, y=moment.y), after, later)
    return look._replace(line=line, ends=ends)


def _ready_ms(moment: Moment) -> int:
    return max(each.until_ms for each in moment.wanted)


def _frames(video: Video, wanted: Collection[Wanted], report: Report) -> Iterator[tuple[Wanted, Frame]]:
    """The frame of each picture that is wanted, by their times."""
    due = sorted(wanted, key=lambda each: (each.until_ms, each.since_ms))
    last: Frame | None = None
    is_dense = False
    for frame in decode(Path(video.path), video, limits=_limits(video), warn=_unheard):
        while due and last is not None and frame.t_ms > due[0].until_ms:
            want = due.pop(0)
            is_late = frame.t_ms - want.until_ms > _PATIENCE_MS
            yield want, last if is_late or want.is_shown_at(last.t_ms, is_dense=is_dense) else frame
        is_dense = last is not None and frame.t_ms - last.t_ms < _DENSE_MS
        last = frame
        if not due:
            return
        report(Stage.DECODING, frame.t_ms, video.duration_ms)
    if last is not None:
        yield from ((want, last) for want in due)


def _limits(video: Video) -> Limits:
    pixels = (video.width + _PADDING) * (video.height + _PADDING)
    return Limits(video.size_bytes + 1, video.duration_ms / 1000 + 10, pixels)


def _picture(frame: Frame) -> Picture:
    bgra = np.ascontiguousarray(cv2.cvtColor(frame.bgr(), cv2.COLOR_BGR2BGRA))
    return Picture(int(bgra.shape[1]), int(bgra.shape[0]), bgra.tobytes(), frame.t_ms / 1000)


def _unheard(warning: str) -> None:
    """The analysis has reported it already."""
    del warning


def _look_again(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    video = Video.model_validate(request["video"])
    moments = [Moment(*each) for each in request["moments"]]
    looks = look_again(video, moments, channel.progress)
    return {"looks": {str(key): look._asdict() for key, look in looks.items()}}


if __name__ == "__main__":
    main({"look again": _look_again})
