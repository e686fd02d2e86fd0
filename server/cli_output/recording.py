"""``vaider learn --record``: a demonstration is recorded in the command's own process, with what is shown meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Self, TextIO

from rich.live import Live
from rich.text import Text

from core.recording.recordings import MAX_SECONDS, Recording, RecordingState, StoppedBy
from server.cli_output.analysis import console, plain
from server.signals import set_in_handler

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path
    from types import FrameType

    from config.settings import Settings

_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")
_WHY: Final[Mapping[StoppedBy, str]] = {
    "escape": "stopped by Esc",
    "interrupt": "stopped by Ctrl-C",
    "time": "the time is over",
    "limit": "the limit is reached",
    "display lost": "the display has gone away",
    "disk": "the disk takes no more",
    "failure": "it cannot be encoded",
}


def record_demonstration(
    settings: Settings,
    *,
    display: str | None,
    microphone: str | None,
    out: Path,
    seconds: float | None = None,
    stream: TextIO | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Recording:
    """Record until Esc, Ctrl-C or a limit, with a line about it on ``stream``.

    Args:
        settings: say which display and which microphone, where the next two are ``None``.
        display: ``current`` or ``:N``; a monitor of it as in ``current@HDMI-1``.
        microphone: ``default``, ``none``, or a device's name.
        out: a new file, ``*.mp4``.
        seconds: to stop after, at most ``core.recording.recordings.MAX_SECONDS``.
        stream: stderr by default.
        environment: of the user's session.

    Raises:
        InvalidRequest, InvalidPath, DesktopUnavailable, DesktopLost, StorageFailed: as
            ``adapters.recording.recorder.DemonstrationRecorder.record``.

    """
    # No other command needs the codecs.
    from adapters.recording.recorder import DemonstrationRecorder  # noqa: PLC0415

    chosen = display or ("current" if settings.display == "private" else settings.display)
    recorder = DemonstrationRecorder(
        display=chosen,
        microphone=microphone or "default",
        seconds=seconds,
        environment=environment,
    )
    stop = threading.Event()
    with _stopped_by_signals(stop), RecordingLine(stream or sys.stderr, seconds or MAX_SECONDS) as line:
        recording = recorder.record(out, stop, line.show_state)
        line.ended(recording)
    return recording


class RecordingLine:
    """A line on a terminal that follows the recording; in a pipe one when it begins and one when it has ended.

    Args:
        stream: usually stderr.
        seconds: how long the recording may be.

    """

    def __init__(self, stream: TextIO, seconds: float) -> None:
        self._out = console(stream)
        self._seconds = seconds
        self._dot = "●" if self._out.encoding.lower().startswith("utf") else "*"
        self._live = Live(console=self._out, auto_refresh=False, transient=True) if stream.isatty() else None
        self._begun = False
        self._warned = 0

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show_state(self, state: RecordingState) -> None:
        """Show how far it is, and each warning once."""
        self._warn(state.warnings)
        stops = "Esc or Ctrl-C stops" if state.escape_stops else "Ctrl-C stops"
        what = f"{state.display}, {state.width}x{state.height}" + (", with sound" if state.microphone else ", no sound")
        if self._live is not None:
            text = f" recording {what}  {_clock(state.elapsed_ms)} of {_clock(self._seconds * 1000)}"
            line = Text.assemble(
                (self._dot, "bold red"),
                f"{text}  {_size(state.size_bytes)}  {stops}",
                no_wrap=True,
                overflow="ellipsis",
            )
            self._live.update(line, refresh=True)
        elif not self._begun:
            self._out.print(
                Text(plain(f"recording {what}; {stops}, at the latest {_clock(self._seconds * 1000)}")), soft_wrap=True
            )
        self._begun = True

    def ended(self, recording: Recording) -> None:
        """Say what there is, and what is missing."""
        self._warn(recording.warnings)
        if self._live is not None:
            self._live.update(Text(), refresh=True)
        why, size = _WHY[recording.stopped_by], _size(recording.size_bytes)
        text = f"recorded {recording.duration_ms / 1000:.1f} s, {size} ({why}): {recording.path}"
        self._out.print(Text(plain(text)), soft_wrap=True)

    def _warn(self, warnings: tuple[str, ...]) -> None:
        for warning in warnings[self._warned :]:
            self._out.print(Text(plain(f"warning: {warning}"), style="yellow"), soft_wrap=True)
        self._warned = len(warnings)


@contextmanager
def _stopped_by_signals(stop: threading.Event) -> Generator[None]:
    """Ctrl-C, a polite kill, and the end of the terminal stop the recording in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ended(_number: int, _frame: FrameType | None) -> None:
        set_in_handler(stop)

    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    before = {number: signal.signal(number, ended) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _clock(milliseconds: float) -> str:
    seconds = int(milliseconds / 1000)
    return f"{seconds // 60:02}:{seconds % 60:02}"


def _size(size: int) -> str:
    return f"{size / 1000**2:.1f} MB"
