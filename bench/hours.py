"""As many looks as the recorder takes in eight hours, in minutes: does it grow, does it miss any? ``bench hours``."""

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Final

import av

from bench.recorder import typing_scene
from bench.table import Table
from core.recording.recordings import Segment
from tests.fakes.desktops.x_user import x_display
from tests.fakes.recordings.continuous import Recorded, continuous, patch, ticking

LOOKS: Final = 8 * 3600 * 2
_PER_SEGMENT: Final = 600
"""As in five minutes of two looks a second."""
_FPS: Final = 40.0
_PARTS: Final = 8
_WARM: Final = 600


def run() -> list[Table]:
    """Measure."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        display = stack.enter_context(x_display(1280, 720))
        stack.enter_context(ticking(display))
        stack.enter_context(typing_scene(display))
        secret = stack.enter_context(patch(display, 0x00E060, "my vault", "KeePassXC"))
        secret.report("show")
        options = {"fps": _FPS, "segment_seconds": _PER_SEGMENT / _FPS}
        with continuous(display, folder, **options) as recorded:
            rows = list(_parts(recorded))
        pictures, within, between = _films(recorded.closed)
    title = f"Eight hours of looks: {LOOKS:,}"
    rows += [
        ("segments", str(len(recorded.closed)), ""),
        ("pictures in them", f"{pictures:,}", ""),
        ("longest without a picture", f"{within:.2f} s", ""),
        ("longest between two segments", f"{between:.2f} s", ""),
    ]
    return [Table(title, ("looks", "took", "memory of the recorder"), rows, _NOTE)]


_NOTE: Final = (
    "1280x720, up to 40 looks a second instead of two, segments as long as 600 of them. The screen never rests, and "
    "somebody types beside an excluded window. Looks are counted where they added a picture. As it is used, a gap is "
    "told from 1.25 s without one."
)


def _parts(recorded: Recorded) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for until in (_WARM, *(LOOKS * part // _PARTS for part in range(1, _PARTS + 1))):
        began = time.monotonic()
        while recorded.status.frames < until:
            time.sleep(0.5)
            if recorded.exit_code is not None:
                raise RuntimeError(f"The recorder ended: {recorded.status.reason}")
        status = recorded.status
        memory = f"{(status.memory_bytes or 0) / 1e6:.0f} MB"
        rows.append((f"{status.frames:,}", f"{time.monotonic() - began:.0f} s", memory))
    return rows


def _films(segments: Sequence[Segment]) -> tuple[int, float, float]:
    """How many pictures are in the films, the most seconds between two of a film, and those between two films."""
    pictures, within = 0, 0.0
    for each in segments:
        with av.open(str(each.path)) as film:
            base = film.streams.video[0].time_base or 0
            times = sorted(float(packet.pts * base) for packet in film.demux(video=0) if packet.pts is not None)
        pictures += len(times)
        within = max([within, *(after - before for before, after in pairwise(times))])
    between = [(after.started_at - before.ended_at).total_seconds() for before, after in pairwise(segments)]
    return pictures, within, max(between, default=0.0)
