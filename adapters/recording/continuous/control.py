"""The recorder's process reads commands from its standard input and reports on its standard output: lines of JSON.

{"do": "pause"}  {"do": "resume"}  {"do": "rotate"}  {"do": "stop"}
{"status": {…}}  {"opened": {…}}  {"changed": "20261121T191317.250Z"}  {"closed": {…}}  {"rotated": 1}
"""

from __future__ import annotations

import json
import os
import resource
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from core.recording.recorder import RecorderPhase, RecorderStatus
    from core.recording.recordings import Segment

_REPORT_SECONDS: Final = 1.0
_MEASURED_SECONDS: Final = 10.0
_LEFT_SECONDS: Final = 5.0
"""To end in good order, once the one who started it is gone."""


class Control:
    """Shared by the thread that records and the one that listens.

    Args:
        heard: lines come from here; its end is the end.
        said: lines go there.

    """

    def __init__(self, heard: IO[bytes], said: IO[bytes]) -> None:
        self._heard, self._said = heard, said
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self.paused = self.ended = False
        self._rotate = 0
        self._reported = 0.0
        self._phase: tuple[RecorderPhase, str | None, str | None, bool] | None = None
        self._measured: tuple[float, float] = (time.monotonic(), _spent())
        self._percent = 0.0

    def listen(self) -> None:
        """Take commands until there are no more; then end, in good order if that does not take long."""
        for line in self._heard:
            match json.loads(line)["do"]:
                case "pause":
                    self.paused = True
                case "resume":
                    self.paused = False
                case "rotate":
                    self._rotate += 1
                case _:
                    self.ended = True
            self._wake.set()
        self.ended = True
        self._wake.set()
        time.sleep(_LEFT_SECONDS)
        os._exit(1)

    @property
    def called(self) -> bool:
        """Whether something is to be done that does not wait for the next look."""
        return self._wake.is_set()

    def take_rotation(self) -> bool:
        """Whether the segment is to end now."""
        self._wake.clear()
        return self._rotate > 0

    def done(self) -> None:
        """It has ended."""
        count, self._rotate = self._rotate, 0
        self._say({"rotated": count})

    def wait(self, seconds: float) -> None:
        """Rest, until something is to be done."""
        self._wake.wait(seconds)
        self._wake.clear()
        if self._rotate:
            self.done()

    def report(self, status: RecorderStatus) -> None:
        """Tell how it is: at once when that has changed, else once a second."""
        now = time.monotonic()
        phase = (status.phase, status.reason, status.segment, status.veiled)
        if phase == self._phase and now - self._reported < _REPORT_SECONDS:
            return
        self._phase, self._reported = phase, now
        since, spent = self._measured
        if now - since >= _MEASURED_SECONDS or not self._percent:
            self._percent = 100 * (_spent() - spent) / max(now - since, 0.001)
            if now - since >= _MEASURED_SECONDS:
                self._measured = now, _spent()
        reported = status.model_copy(update={"cpu_percent": round(self._percent, 2), "memory_bytes": _memory()})
        self._say({"status": reported.model_dump(mode="json")})

    def news(self, *, opened: Segment | None = None, changed: str | None = None, closed: Segment | None = None) -> None:
        """Tell what has happened to a segment."""
        if opened is not None:
            self._say({"opened": opened.model_dump(mode="json")})
        if changed is not None:
            self._say({"changed": changed})
        if closed is not None:
            self._say({"closed": closed.model_dump(mode="json")})

    def _say(self, message: dict[str, object]) -> None:
        with self._lock:
            try:
                self._said.write(json.dumps(message).encode() + b"\n")
                self._said.flush()
            except (BrokenPipeError, ValueError):
                self.ended = True


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _memory() -> int:
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
