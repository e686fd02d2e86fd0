"""The user's microphone, heard by a program of the sound system's own: PyAV's wheels know of no sound server."""

import contextlib
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import IO, Final

from adapters.recording.encoder import SOUND_RATE

NONE: Final = "none"
DEFAULT: Final = "default"
_SAMPLE: Final = 2
"""Bytes."""
_CHUNK: Final = SOUND_RATE * _SAMPLE // 10
_START_SECONDS: Final = 2.0
"""Until the first sound; one that only waits for its first use takes a second."""
_MOST_CHUNKS: Final = 600
_END_SECONDS: Final = 1.0
_LONGEST_NAME: Final = 200
_WORDS: Final = 200
_MOST_COMPLAINTS: Final = 4096


class MicrophoneUnavailable(Exception):
    """There is no sound to be had; the message says why."""


class Microphone:
    """Sound from the moment it is made until it is closed. It ends with its process, the reader of its pipe.

    Args:
        device: ``default``, or a name as ``pactl list sources short`` or ``arecord -L`` has it.
        environment: of the user's session.

    Raises:
        MicrophoneUnavailable: why no way to hear it works.

    """

    def __init__(self, device: str, environment: Mapping[str, str] = os.environ) -> None:
        if not device.isprintable() or not 0 < len(device) <= _LONGEST_NAME:
            raise MicrophoneUnavailable(f"{device[:40]!r} is no name of a microphone")
        if sys.platform != "linux":
            raise MicrophoneUnavailable("sound is recorded on Linux only")
        self.device = device
        self.failure: str | None = None
        """Why it has ended by itself, if it has."""
        self._chunks: deque[tuple[float, bytes]] = deque(maxlen=_MOST_CHUNKS)
        self._ending = False
        self._listener, first = _started(device, environment)
        self._chunks.append((time.monotonic(), first))
        self._thread = threading.Thread(target=self._listen, name="microphone", daemon=True)
        self._thread.start()

    def take(self) -> Sequence[tuple[float, bytes]]:
        """What was heard since the last time: samples, and the monotonic clock's second of the last of each."""
        taken: list[tuple[float, bytes]] = []
        while self._chunks:
            taken.append(self._chunks.popleft())
        return taken

    def close(self) -> None:
        """Stop listening."""
        self._ending = True
        self._listener.end()
        self._thread.join()
        self._listener.close()

    def _listen(self) -> None:
        while samples := self._listener.sound():
            self._chunks.append((time.monotonic(), samples))
        if not self._ending:
            self.failure = self._listener.why()


def _ways(device: str) -> list[tuple[str, ...]]:
    """The programs that may hear it, the sound servers' first."""
    rate, sound = str(SOUND_RATE), ("-ac", "1", "-ar", str(SOUND_RATE), "-f", "s16le", "-")
    chosen = () if device == DEFAULT else (f"--device={device}",)
    quiet = ("ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error")
    return [
        ("parec", "--raw", "--format=s16le", f"--rate={rate}", "--channels=1", "--latency-msec=50", *chosen),
        (*quiet, "-f", "pulse", "-i", device, *sound),
        ("arecord", "-q", "-t", "raw", "-f", "S16_LE", "-r", rate, "-c", "1", "-D", device),
        (*quiet, "-f", "alsa", "-i", device, *sound),
    ]


class _Listener:
    """One of the programs. Raises ``OSError`` when it cannot be started."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        # Not a pipe: without a reader it would fill up and stop the recording.
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the program
        try:
            self._program = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env={**environment, "LC_ALL": "C"},
                # So that the Ctrl+C that stops the recording does not stop it first.
                start_new_session=True,
            )
        except OSError:
            self._complaints.close()
            raise
        assert self._program.stdout is not None  # noqa: S101 - it was started with a pipe
        self._out = self._program.stdout.fileno()
        self._odd = b""

    def sound(self, seconds: float | None = None) -> bytes:
        """The next whole samples; none when it has ended, or gave nothing for so long."""
        if not select.select([self._out], [], [], seconds)[0]:
            return b""
        data = self._odd
        while read := os.read(self._out, _CHUNK):
            data += read
            if len(data) >= _SAMPLE:
                break
        whole = len(data) - len(data) % _SAMPLE
        self._odd = data[whole:]
        return data[:whole]

    def end(self) -> None:
        """Stop it, if it still runs."""
        self._program.terminate()
        try:
            self._program.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._program.kill()
            self._program.wait()

    def why(self) -> str:
        """The last line of what it complained of."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._program.wait(_END_SECONDS)
        if self._program.poll() is None:
            return "it gives no sound"
        self._complaints.seek(0)
        lines = self._complaints.read(_MOST_COMPLAINTS).decode(errors="replace").strip().splitlines()
        said = "".join(letter for letter in lines[-1] if letter.isprintable()) if lines else ""
        return said[:_WORDS].strip(" .") or "it ends at once"

    def close(self) -> None:
        """Forget what it said."""
        assert self._program.stdout is not None  # noqa: S101 - it was started with a pipe
        self._program.stdout.close()
        self._complaints.close()


def _started(device: str, environment: Mapping[str, str]) -> tuple[_Listener, bytes]:
    """The first way that gives sound, and its first sound."""
    reasons: dict[str, str] = {}
    for way in _ways(device):
        path = shutil.which(way[0], path=environment.get("PATH", ""))
        if path is None:
            continue
        try:
            listener = _Listener([path, *way[1:]], environment)
        except OSError as error:
            reasons.setdefault(way[0], str(error.strerror))
            continue
        if first := listener.sound(_START_SECONDS):
            return listener, first
        reasons.setdefault(way[0], listener.why())
        listener.end()
        listener.close()
    if not reasons:
        raise MicrophoneUnavailable("none of parec, ffmpeg and arecord is installed")
    raise MicrophoneUnavailable("; ".join(f"{name}: {why}" for name, why in reasons.items()))
