"""The recorder's process as the daemon has it: started, commanded, heard, and ended."""

import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import ValidationError

from core.recording.recorder import RecorderOptions, RecorderStatus
from core.recording.recordings import Segment
from core.values import Value

WORKER: Final = (sys.executable, "-P", "-m", "adapters.recording.continuous.worker")
_PASSED_ON: Final = frozenset(
    {
        *("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPYCACHEPREFIX", "TMPDIR", "TZ"),
        *("XDG_SESSION_ID", "XDG_SESSION_TYPE", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"),
    }
)
_KEPT_COMPLAINTS: Final = 4096
_log = logging.getLogger(__name__)


class RecorderNews(Value):
    """One line of the recorder's process; exactly one field is set."""

    status: RecorderStatus | None = None
    opened: Segment | None = None
    changed: str | None = None
    closed: Segment | None = None
    rotated: int | None = None


class RecorderProcess:
    """Runs from when it is made until it is closed or ends by itself.

    Args:
        options: what is recorded, and how.
        folder: for the segments; it is there.
        hear: called for each line, on a thread of this.
        ended: called once on that thread with the exit code, negative for a signal.
        environment: of the user's session; nothing but what a display needs is passed on.

    """

    def __init__(
        self,
        options: RecorderOptions,
        folder: Path,
        *,
        hear: Callable[[RecorderNews], None],
        ended: Callable[[int], None],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._hear, self._ended = hear, ended
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._started = threading.Event()
        self._environment = {name: value for name, value in environment.items() if name in _PASSED_ON} | {
            "MALLOC_ARENA_MAX": "2",
            # A picture has megabytes. To give such a piece back after each look and to get it anew costs more than the
            # look itself: every page of it is made again.
            "MALLOC_MMAP_THRESHOLD_": str(64 << 20),
            "MALLOC_TRIM_THRESHOLD_": str(128 << 20),
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "PYTHONUTF8": "1",
        }
        self._request = {"options": options.model_dump(mode="json"), "folder": str(folder), "parent": os.getpid()}
        # Started on this thread, for it dies with the thread that has started it.
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()
        self._started.wait()

    @property
    def pid(self) -> int | None:
        """Of the process, once it could be started."""
        return None if self._process is None else self._process.pid

    def send_command(self, command: Literal["pause", "resume", "rotate", "stop"]) -> None:
        """Have it do something; nothing happens when it has ended."""
        self._send({"do": command})

    def close(self, seconds: float) -> None:
        """End it in good order, and by force after so long; returns when it is gone."""
        self._send({"do": "stop"})
        process = self._process
        if process is not None:
            with contextlib.suppress(OSError, ValueError), self._lock:
                if process.stdin is not None:
                    process.stdin.close()
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _send(self, message: Mapping[str, object]) -> None:
        with contextlib.suppress(OSError, ValueError), self._lock:
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.write(json.dumps(message).encode() + b"\n")
                self._process.stdin.flush()

    def _run(self) -> None:
        try:
            self._process = subprocess.Popen(
                WORKER,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment,
                cwd="/",
                start_new_session=True,
            )
        except OSError:
            _log.exception("The recorder's process cannot be started")
            self._started.set()
            self._ended(1)
            return
        self._send(self._request)
        self._started.set()
        complaints = bytearray()
        reader = threading.Thread(target=self._complained, args=(self._process, complaints), daemon=True)
        reader.start()
        if self._process.stdout is not None:
            with self._process.stdout as pipe:
                for line in pipe:
                    self._said(line)
        status = self._process.wait()
        reader.join(1)
        with contextlib.suppress(OSError, ValueError), self._lock:
            if self._process.stdin is not None:
                self._process.stdin.close()
        if status != 0 or complaints:
            _log.warning("The recorder's process ended (%s): %s", status, complaints.decode(errors="replace"))
        self._ended(status)

    def _said(self, line: bytes) -> None:
        try:
            news = RecorderNews.model_validate_json(line)
        except ValidationError as error:
            _log.error("The recorder's process talks nonsense: %s", error.errors(include_input=False))
            return
        self._hear(news)

    @staticmethod
    def _complained(process: subprocess.Popen[bytes], complaints: bytearray) -> None:
        if process.stderr is not None:
            with process.stderr as pipe:
                while chunk := os.read(pipe.fileno(), 1 << 16):
                    complaints += chunk
                    del complaints[:-_KEPT_COMPLAINTS]
