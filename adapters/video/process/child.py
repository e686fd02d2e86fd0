"""Runs untrusted work in a process of its own: one request in, progress and one answer out, as JSON lines."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from core.errors import Internal, InvalidPath, InvalidVideo, StorageFailed, TooLarge, VaiderError
from core.idle import IdleCache
from core.jobs import Stage
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from core.ports import JobContext

WORKER: Final = (sys.executable, "-P", "-m", "adapters.video.process.worker")
"""``-P``: a folder ``core`` or ``adapters`` where the daemon was started must not be imported instead of ours."""
FORK_SERVER: Final = (sys.executable, "-P", "-m", "adapters.video.process.fork_server")
"""With the number of threads behind it."""
CAN_FORK: Final = sys.platform == "linux"
"""The frameworks of macOS do not work in a copy of a process."""

_PASSED_ON: Final = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHOME",
    "PYTHONPYCACHEPREFIX",
    "TMPDIR",
    "TZ",
)
_KINDS: Final[Mapping[str, type[VaiderError]]] = {
    kind.__name__: kind for kind in (InvalidPath, InvalidVideo, TooLarge, StorageFailed, Internal)
}
_END: Final = b"end\n"
_SILENCE_SECONDS = 0.1
_LONGEST_LINE = 64 << 20
_KEPT_COMPLAINTS = 4096
_EXIT_SECONDS = 2.0
_PARTING_SECONDS = 0.5
_log = logging.getLogger(__name__)


class Progress(Value):
    """How far the child says it is."""

    stage: Stage
    data: dict[str, int | str | None]


class Failure(Value):
    """What the child could not do: the name of an error of ours, and its parts."""

    kind: str
    message: str
    details: dict[str, str | float | bool | None]


class Message(Value):
    """One line from the child; exactly one field is set, ``result`` and ``error`` end the talk."""

    progress: Progress | None = None
    found: dict[str, Any] | None = None
    """What is known so far: all of a film that is being followed, the next part of a video that is watched."""
    result: dict[str, Any] | None = None
    error: Failure | None = None


KeptChild = IdleCache[subprocess.Popen[bytes]]
"""At most one process that waits for its next request."""
KEPT_SECONDS: Final = 120.0


def keep_child(seconds: float = KEPT_SECONDS) -> KeptChild:
    """A place where a process waits so long after its last video; to be closed."""
    return IdleCache(end, seconds)


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """How to start a child, and what it may use.

    Args:
        memory_bytes: of data, beyond which its allocations fail.
        cpu_seconds: of all its threads together, after which it is killed.
        threads: of the numeric libraries.
        silent_seconds: after which one that says nothing is killed.
        command: what to start.
        kept: the process that waits for the next request, if any; taken when there is one.
        stays: whether what is started can be asked again; it is then left in ``kept``.

    """

    memory_bytes: int = 4 << 30
    cpu_seconds: int = 7200
    threads: int = 2
    silent_seconds: float = float("inf")
    command: Sequence[str] = WORKER
    kept: KeptChild | None = None
    stays: bool = False

    def ask(
        self,
        request: Mapping[str, Any],
        *,
        raise_if_cancelled: Callable[[], None],
        hear: Callable[[Progress], None] | None = None,
        found: Callable[[Mapping[str, Any]], None] | None = None,
        is_ended: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Start a child, wait for its answer, and leave no process behind, whatever happens.

        Args:
            request: JSON.
            raise_if_cancelled: called at least five times a second; raises when the work shall stop.
            hear: called for each word of progress, if anybody wants to know; may raise likewise.
            found: called with what is known so far, by a child that tells it; may raise likewise.
            is_ended: asked as often; the child is told when it first says that the film grows no more.

        Raises:
            InvalidPath, InvalidVideo, TooLarge, StorageFailed: as the child found.
            InvalidVideo: the child was killed by what the video made its libraries do.
            Internal: the child failed by a fault of ours.

        """
        bounds = {"memory_bytes": self.memory_bytes, "cpu_seconds": self.cpu_seconds, "parent": os.getpid()}
        request = {**request, "bounds": bounds}
        process = self.kept.take() if self.kept is not None else None
        if process is not None:
            talk = _Talk(process, found, is_ended, self.silent_seconds)
            try:
                return self._answer(talk, request, raise_if_cancelled, hear, stays=True)
            except VaiderError:
                # One that was ended while it waited is no fault of the request; the system may have needed its memory.
                if not talk.was_dead:
                    raise
        talk = _Talk(self._started(), found, is_ended, self.silent_seconds)
        return self._answer(talk, request, raise_if_cancelled, hear, stays=self.stays)

    def prepare(self) -> None:
        """Have a process that stays load what it needs, so that the next request need not wait for it."""
        if self.kept is not None and self.stays:
            self.kept.keep(self.kept.take() or self._started())

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(os.environ, self.threads),
            cwd="/",
            start_new_session=True,
            bufsize=0,
        )

    def _answer(
        self,
        talk: _Talk,
        request: Mapping[str, Any],
        raise_if_cancelled: Callable[[], None],
        hear: Callable[[Progress], None] | None,
        *,
        stays: bool,
    ) -> dict[str, Any]:
        try:
            answer = talk.run(request, raise_if_cancelled, hear)
        except BaseException:
            end(talk.process, gently=stays)
            raise
        if stays and self.kept is not None and talk.is_over:
            self.kept.keep(talk.process)
        else:
            end(talk.process)
        return answer

    def ask_for(
        self,
        context: JobContext,
        request: Mapping[str, Any],
        *,
        total_ms: int,
        found: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """Ask on a job's behalf: its viewers are told how far the child is, also while that says nothing.

        Raises what ``ask`` and ``context`` raise. ``total_ms`` is the length of the video that it works on.
        """
        newest = Progress(stage=Stage.DECODING, data={"done": 0, "total": total_ms})

        def raise_if_cancelled() -> None:
            context.report(newest.stage, **newest.data)

        def hear(progress: Progress) -> None:
            nonlocal newest
            newest = progress
            raise_if_cancelled()

        return self.ask(request, raise_if_cancelled=raise_if_cancelled, hear=hear, found=found)


def child_environment(own: Mapping[str, str], threads: int) -> dict[str, str]:
    """What a child gets to see of our environment: no key, no token, no proxy."""
    return {name: own[name] for name in _PASSED_ON if name in own} | {
        "MALLOC_ARENA_MAX": "2",
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": "1",
        "OPENCV_FOR_THREADS_NUM": "1",
        "ORT_DISABLE_TELEMETRY": "1",
        "PYTHONUTF8": "1",
    }


class _Talk:
    def __init__(
        self,
        process: subprocess.Popen[bytes],
        found: Callable[[Mapping[str, Any]], None] | None,
        is_ended: Callable[[], bool] | None,
        silent_seconds: float,
    ) -> None:
        self._silent_seconds = silent_seconds
        self.process = process
        self.was_dead = False
        """Whether the child ended before it said a word."""
        self._has_heard = False
        self._found = found
        self._is_ended = is_ended
        self._reported_end = False
        self._line = bytearray()
        self._complaints = b""

    @property
    def is_over(self) -> bool:
        """Whether nothing was said behind the answer."""
        return not self._line

    def run(
        self,
        request: Mapping[str, Any],
        raise_if_cancelled: Callable[[], None],
        hear: Callable[[Progress], None] | None,
    ) -> dict[str, Any]:
        self._send(json.dumps(request).encode() + b"\n")
        with selectors.DefaultSelector() as selector:
            selector.register(_pipe(self.process.stdout), selectors.EVENT_READ, self._said)
            selector.register(_pipe(self.process.stderr), selectors.EVENT_READ, self._complained)
            heard = time.monotonic()
            while selector.get_map():
                raise_if_cancelled()
                self._pass_on_the_end()
                if time.monotonic() - heard > self._silent_seconds:
                    raise _silent(self._silent_seconds)
                for key, _ in selector.select(_SILENCE_SECONDS):
                    heard = time.monotonic()
                    chunk = os.read(key.fd, 1 << 16)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    for message in key.data(chunk):
                        self._has_heard = True
                        if message.error is not None:
                            raise _failure(message.error)
                        if message.result is not None:
                            return message.result
                        if message.progress is not None and hear is not None:
                            hear(message.progress)
                        if message.found is not None and self._found is not None:
                            self._found(message.found)
        raise self._death(raise_if_cancelled)

    def _pass_on_the_end(self) -> None:
        if self._is_ended is not None and self._is_ended() and not self._reported_end:
            self._reported_end = True
            self._send(_END)

    def _send(self, line: bytes) -> None:
        try:
            _pipe(self.process.stdin).write(line)
        except BrokenPipeError:
            return  # it is dead already; what it left in its other pipes tells why

    def _said(self, chunk: bytes) -> Iterator[Message]:
        self._line += chunk
        if b"\n" not in chunk:
            lines: list[bytearray] = []
        else:
            *lines, self._line = self._line.split(b"\n")
        if len(self._line) > _LONGEST_LINE:
            raise Internal("The analysis process said more than can be kept. Try a shorter video.")
        for line in lines:
            try:
                yield Message.model_validate_json(bytes(line))
            except ValidationError as error:
                _log.error("The analysis process talks nonsense: %s", error.errors(include_input=False))
                raise Internal("The analysis process said what cannot be understood; see the daemon's log.") from None

    def _complained(self, chunk: bytes) -> Iterator[Message]:
        self._complaints = (self._complaints + chunk)[-_KEPT_COMPLAINTS:]
        yield from ()

    def _death(self, raise_if_cancelled: Callable[[], None]) -> VaiderError:
        deadline = time.monotonic() + _EXIT_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            raise_if_cancelled()
            time.sleep(_SILENCE_SECONDS / 10)
        status = self.process.poll()
        self.was_dead = not self._has_heard
        _log.error("The analysis process ended (%s): %s", status, self._complaints.decode(errors="replace"))
        if status is not None and status < 0:
            return _killed(-status)
        return Internal(
            f"The analysis process ended without an answer (exit code {status}); the daemon's log says why."
        )


def _killed(number: int) -> VaiderError:
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    if number == signal.SIGKILL:
        return Internal(f"The analysis process was killed from outside ({name}); most likely the memory ran out.")
    if number == signal.SIGXCPU:
        return InvalidVideo(f"The video takes too much computing ({name}). Cut out the part that matters.")
    return InvalidVideo(f"The video made the decoder crash ({name}). Convert it to H.264 in mp4 and try again.")


def _silent(seconds: float) -> InvalidVideo:
    return InvalidVideo(
        f"The video made the decoder stand still: it has told nothing for {seconds:g} s. Convert it to H.264 in mp4 "
        "and try again."
    )


def _failure(reported: Failure) -> VaiderError:
    kind = _KINDS.get(reported.kind, Internal)
    return kind(reported.message, **reported.details)


def end(process: subprocess.Popen[bytes], *, gently: bool = False) -> None:
    """Kill the child's process group unless it has ended, reap it, and close the pipes.

    With ``gently`` it gets a moment to end by itself: a fork server does so together with its copy.
    """
    _pipe(process.stdin).close()
    if gently:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PARTING_SECONDS)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdout, process.stderr):
        _pipe(pipe).close()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise Internal("The analysis process was started without its pipes.")
    return pipe
