"""The process that watches: begun with the first page of a run, so that it is warm when a video is there."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_COMMAND: Final = (sys.executable, "-P", "-m", "server.watcher")
"""Without the working directory, whose folders may be called as ours are. Playwright's loop runs in this process."""
_GOODBYE_SECONDS: Final = 10.0


class Watcher:
    """Has videos watched, one at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[bytes] = queue.Queue()

    def begin(self) -> None:
        """Start it, if it does not run."""
        if self._process is not None and self._process.poll() is None:
            return
        self._answers = queue.Queue()
        self._process = process = subprocess.Popen(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        threading.Thread(target=_listen, args=(process, self._answers), name="vaider", daemon=True).start()

    def watch(self, video: Path, expectations: Sequence[str], seconds: float) -> dict[str, Any]:
        """The answer as HTTP gives it, or an error shape."""
        self.begin()
        asked = json.dumps({"video_path": str(video), "expectations": list(expectations)})
        try:
            assert self._process is not None  # noqa: S101 - begun above
            assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
            self._process.stdin.write(asked.encode() + b"\n")
            self._process.stdin.flush()
            answer = self._answers.get(timeout=seconds)
            return json.loads(answer) if answer else {"error": "the watching process ended; `vaider doctor` says more."}
        except queue.Empty:
            self.end()
            return {"error": f"was not watched within {seconds:g} s."}
        except (OSError, ValueError):
            self.end()
            return {"error": "could not be watched; `vaider doctor` says what is missing."}

    def end(self) -> None:
        """Stop it."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(_GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _listen(process: subprocess.Popen[bytes], answers: queue.Queue[bytes]) -> None:
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    with process.stdout:
        for line in process.stdout:
            answers.put(line)
    answers.put(b"")
