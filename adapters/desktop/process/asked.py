"""A process of ours that is asked over a pair of sockets, from any thread, and killed when it does not answer."""

import contextlib
import logging
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from adapters.desktop.process.wire import Channel, heard
from core.errors import VaiderError

CANCEL_CHECK_SECONDS: Final = 0.02
END_SECONDS: Final = 10.0
_KEPT_COMPLAINTS: Final = 4096
_log = logging.getLogger(__name__)

Frame = tuple[dict[str, Any], bytes]


class AskedProcess:
    """Starts the process, matches answers to questions, and cleans up after its death.

    Args:
        command: its program; the number of its end of the pair and those of ``shared`` are appended.
        shared: open files that it inherits.
        environment: all that it sees of ours.
        title: what it is called in messages, e.g. ``The process that acts``.
        gone: the error that is raised when it has ended.

    """

    def __init__(
        self,
        command: Sequence[str],
        shared: Sequence[int],
        environment: Mapping[str, str],
        *,
        title: str,
        gone: type[VaiderError],
    ) -> None:
        ours, its = socket.socketpair()
        self._title, self._gone = title, gone
        try:
            self._process = subprocess.Popen(
                [*command, str(its.fileno()), *map(str, shared)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
                cwd="/",
                pass_fds=[its.fileno(), *shared],
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            its.close()
        self._channel = Channel(ours)
        self._news = threading.Condition()
        self._number = 0
        self._answers: dict[int, Frame | None] = {}
        self._lost: str | None = None
        self._cleared = threading.Event()
        self._complaints = b""

    def begin(self) -> None:
        """Listen to it; called once, when the object is complete."""
        for work in (self._listen, self._hear_complaints):
            threading.Thread(target=work, name=f"asked-{self._process.pid}", daemon=True).start()

    @property
    def is_alive(self) -> bool:
        """Whether it has not been noticed to be gone."""
        return self._lost is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def end(self) -> None:
        """Let it end in order; kill it when it does not."""
        with contextlib.suppress(OSError):
            self._channel.send({"end": True})
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self._kill()
        self._await_end()

    def _asked(
        self,
        header: Mapping[str, Any],
        payload: bytes,
        *,
        check: Callable[[], None],
        stop: Callable[[int], None],
        seconds: float,
    ) -> Frame:
        """Ask and wait for the answer; see ``_send`` and ``_answered``."""
        return self._answered(self._send(header, payload, check), check=check, stop=stop, seconds=seconds)

    def _answered(
        self, number: int, *, check: Callable[[], None], stop: Callable[[int], None], seconds: float
    ) -> Frame:
        """Wait for the answer to a question.

        Args:
            number: the question's.
            check: called at least every 20 ms; what it raises ends the wait.
            stop: called with the question's number before that is raised.
            seconds: after which the process is killed.

        Raises:
            VaiderError: what the process answers with, what ``check`` raises, or that it is gone.

        """
        try:
            answer, payload = self._await(number, check, seconds)
        except BaseException:
            stop(number)
            raise
        finally:
            with self._news:
                self._answers.pop(number, None)
        if "error" in answer:
            raise self._heard(answer["error"])
        return answer["result"], payload

    def _send(self, header: Mapping[str, Any], payload: bytes, check: Callable[[], None]) -> int:
        """Send a question, of which ``header`` is the JSON and ``payload`` the bytes; return its number."""
        with self._news:
            self._number += 1
            number = self._number
            self._answers[number] = None
        try:
            self._channel.send({"id": number, **header}, payload)
        except OSError:
            with self._news:
                del self._answers[number]
            self._await_end()
            check()
            raise self._gone(f"{self._title} does not listen any more. Start the run again.") from None
        return number

    def _await(self, number: int, check: Callable[[], None], seconds: float) -> Frame:
        deadline = time.monotonic() + seconds
        while True:
            with self._news:
                if self._answers[number] is None and self._lost is None:
                    self._news.wait(CANCEL_CHECK_SECONDS)
                answer = self._answers[number]
            if answer is not None:
                return answer
            check()
            if time.monotonic() > deadline:
                _log.error("%s has not answered in %s s", self._title, seconds)
                self._kill()
                raise self._gone(f"{self._title} does not answer. Start the run again.")

    def _has_answered(self, number: int, seconds: float) -> bool:
        """Whether it answers within that time; false at once when it is gone."""
        deadline = time.monotonic() + seconds
        with self._news:
            while self._answers[number] is None and self._lost is None and (left := deadline - time.monotonic()) > 0:
                self._news.wait(left)
            return self._answers[number] is not None

    def _listen(self) -> None:
        while (frame := self._channel.receive()) is not None:
            number = frame[0].get("id")
            with self._news:
                if number is None:
                    self._noticed(frame)
                elif number in self._answers:
                    self._answers[number] = frame
                self._news.notify_all()
        with self._news:
            self._lost = self._lost or f"{self._title} is gone. Start the run again."
            self._news.notify_all()
        self._clear()

    def _clear(self) -> None:
        self._kill()
        status = self._process.wait()
        self._channel.close()
        try:
            if status != 0 or self._complaints:
                _log.error("%s ended (%s): %s", self._title, status, self._complaints.decode(errors="replace"))
            self._cleaned(status)
        finally:
            self._cleared.set()

    def _hear_complaints(self) -> None:
        if self._process.stderr is not None:
            with self._process.stderr as pipe:
                while chunk := os.read(pipe.fileno(), 1 << 16):
                    self._complaints = (self._complaints + chunk)[-_KEPT_COMPLAINTS:]

    def _await_end(self) -> None:
        self._cleared.wait(END_SECONDS)

    def _kill(self) -> None:
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)

    def _noticed(self, frame: Frame) -> None:
        """Take what it says unasked; ``_news`` is held."""
        del frame

    def _cleaned(self, status: int) -> None:
        """Do what is left to do when it has ended with that status."""
        del status

    def _heard(self, error: Mapping[str, Any]) -> VaiderError:
        """Return the error that it answered with."""
        return heard(error)
