"""A real browser that is closed while its screen is recorded: at the end of the recording, and long before it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import mss
import numpy as np
import pytest

from bench.watching import watch
from core.analysis import VerdictResult
from core.expectations import judge
from tests.clock import until
from tests.fakes.desktops.shown_screens import browser
from tests.fakes.desktops.x_user import running, x_display

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.screen

SIZE = (640, 480)
PAGE = """<!doctype html><meta charset=utf-8><body style="background: #d8e4f0; font: 22px 'DejaVu Sans'; margin: 30px">
<h1>Harbour shop</h1><p>Loading the parcels</p>"""


def recorded(folder: Path, seconds_after: float) -> Path:
    """A recording that goes on for so long after the browser was closed."""
    clip = folder / "session.mp4"
    quiet = subprocess.DEVNULL
    with x_display(*SIZE) as display:
        grabber: Any = mss.MSS(display=display)
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "DISPLAY": display, "LANG": "C.UTF-8"}

        def colours() -> int:
            pixels = np.frombuffer(grabber.grab(grabber.monitors[0]).raw, np.uint32)
            return len(np.unique(pixels))

        film = ["ffmpeg", "-loglevel", "error", "-f", "x11grab", "-framerate", "10", "-video_size", "640x480"]
        film += ["-draw_mouse", "0", "-i", display, "-pix_fmt", "yuv420p", str(clip)]
        with running(browser(folder, PAGE, SIZE), env=environment, stdin=quiet, stdout=quiet, stderr=quiet) as shown:
            until(lambda: colours() > 20, 60)
            recorder = subprocess.Popen(film, env=environment, stdin=quiet)
            until(lambda: clip.exists() and time.time() - clip.stat().st_ctime > 2, 30)
            shown.terminate()
            shown.wait(30)
            until(lambda: colours() == 1, 30)
        closed = time.monotonic()
        until(lambda: time.monotonic() - closed > seconds_after, 30)
        recorder.send_signal(signal.SIGINT)
        recorder.wait(30)
        grabber.close()
    return clip


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("seconds_after", "gone", "at_end"),
    [(0.7, VerdictResult.UNCLEAR, VerdictResult.PASS), (4.5, VerdictResult.PASS, VerdictResult.FAIL)],
    ids=["at the end", "long before it"],
)
def test_only_a_browser_closed_by_the_recordings_end_leaves_its_texts_standing(
    tmp_path: Path, seconds_after: float, gone: VerdictResult, at_end: VerdictResult
) -> None:
    video, findings = watch(recorded(tmp_path, seconds_after))
    assert judge('"Loading the parcels" disappears', findings, video).verdict is gone
    assert judge('"Loading the parcels" is shown at the end', findings, video).verdict is at_end
    assert bool(findings.timeline) is (seconds_after > 3)
