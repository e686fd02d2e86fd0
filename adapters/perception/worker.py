"""The perception process: ``python -m adapters.perception.worker THREADS FD``, spoken to by ``client.py`` alone.

It holds what is heavy and only needed while a run goes on: the text reader, the finder of targets and the decider that
needs no model. Requests are done one after the other, PNG files beside them. It ends at once when its socket closes.
What it needs is imported after it listens, while the display of the run starts.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any, Final

from adapters.desktop.process.wire import Channel, error_message
from adapters.perception.messages import Album, answered, unpacked
from core.errors import Internal, VaiderError
from core.screens import Picture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.desktop.accessibility.display import DisplayAccessibility
    from adapters.models.local.conversation import LocalConversation
    from core.runs.deciding import Briefing, Decision, Observation, Subtask
    from core.runs.ports import Eyes
    from core.screens import TextLine, Window

_FILES: Final = "files"
"""The object whose methods are done beside those of the others."""
_BLANK: Final = (64, 32)


class Decider:
    """The local decider at work on one run; see ``core.runs.ports.Conversation``.

    Args:
        eyes: read the pictures.
        make: makes a conversation.

    """

    def __init__(self, eyes: Eyes, make: type[LocalConversation]) -> None:
        self._eyes = eyes
        self._make = make
        self._conversation: LocalConversation | None = None
        self._accessibility: DisplayAccessibility | None = None

    def open(self, briefing: Briefing, patience: float) -> None:
        """Begin a run."""
        from adapters.desktop.accessibility.display import DisplayAccessibility  # noqa: PLC0415 - as the module says

        self.close()
        if briefing.session_bus:
            self._accessibility = DisplayAccessibility(briefing.session_bus)
        self._conversation = self._make(briefing, self._eyes, self._accessibility, patience=patience)

    def close(self) -> None:
        """End the run."""
        if self._accessibility is not None:
            self._accessibility.close()
        self._conversation, self._accessibility = None, None

    def begin(self, subtask: Subtask) -> None:
        """See the port."""
        self._open.begin(subtask)

    def decide(self, observation: Observation) -> Decision:
        """See the port; who waits for the answer heeds."""
        return self._open.decide(observation, _nothing)

    def read_exactly(self, picture: Picture, windows: Sequence[Window]) -> Sequence[TextLine]:
        """Every line of a picture, in the exact words of the programs that tell it."""
        from adapters.desktop.accessibility.reading import in_exact_words  # noqa: PLC0415 - as the module says

        lines = self._eyes.read(picture)
        pids = {window.pid for window in windows if window.pid is not None}
        return in_exact_words(lines, self._accessibility.read(pids)) if self._accessibility is not None else lines

    def read_ahead(self) -> None:
        """Use the time until the next decision."""
        if self._conversation is not None:
            self._conversation.read_ahead()

    @property
    def _open(self) -> LocalConversation:
        if self._conversation is None:
            raise Internal("The decider was not opened.")
        return self._conversation


class Files:
    """Makes files of pictures."""

    def png(self, picture: Picture) -> bytes:
        """A PNG file without transparency."""
        from adapters.desktop.eyes import png  # noqa: PLC0415 - as the module says

        return png(picture)

    def thumbnail(self, picture: Picture) -> bytes:
        """A small WebP file."""
        from adapters.desktop.eyes import thumbnail  # noqa: PLC0415 - as the module says

        return thumbnail(picture)


class Worker:
    """Does what it is asked with the objects that it holds.

    Args:
        channel: the way to the daemon.
        threads: how many cores reading may use.

    """

    def __init__(self, channel: Channel, threads: int) -> None:
        self._channel = channel
        self._threads = threads
        self._album = Album()
        self._asked: queue.SimpleQueue[tuple[Mapping[str, Any], Any]] = queue.SimpleQueue()
        self._files: queue.SimpleQueue[tuple[Mapping[str, Any], Any]] = queue.SimpleQueue()
        self._objects: Mapping[str, object] = {}
        self._ready = threading.Event()

    def run(self) -> None:
        """Answer until the other end is gone."""
        threading.Thread(target=self._work, name="work", daemon=True).start()
        threading.Thread(target=self._write, name="files", daemon=True).start()
        while (frame := self._channel.receive()) is not None and "end" not in frame[0]:
            header, payload = frame
            arguments = unpacked(self._album, header["pictures"], payload)
            (self._files if header["on"] == _FILES else self._asked).put((header, arguments))

    def _work(self) -> None:
        decider = self._load()
        self._ready.set()
        while True:
            self._answer(*self._asked.get())
            if self._asked.empty():
                self._read_ahead(decider)

    def _write(self) -> None:
        self._ready.wait()
        while True:
            self._answer(*self._files.get())

    def _read_ahead(self, decider: Decider) -> None:
        try:
            decider.read_ahead()
        except Exception:  # noqa: BLE001 - it was not asked for; the next decision meets the same
            traceback.print_exc()

    def _load(self) -> Decider:
        from adapters.desktop.eyes import ScreenEyes  # noqa: PLC0415 - as the module says
        from adapters.desktop.eyesight.targets import ScreenTargets  # noqa: PLC0415 - same
        from adapters.models.local.conversation import LocalConversation  # noqa: PLC0415 - same
        from adapters.video.ocr.reader import TextReader  # noqa: PLC0415 - same
        from adapters.video.process.worker import warm  # noqa: PLC0415 - same

        reader = TextReader(threads=self._threads)
        eyes = ScreenEyes(threads=self._threads, reader=reader)
        decider = Decider(eyes, LocalConversation)
        self._objects = {
            "eyes": eyes,
            "targets": ScreenTargets(),
            "decider": decider,
            _FILES: Files(),
        }
        warm(reader)
        width, height = _BLANK
        eyes.read(Picture(width, height, bytes(4 * width * height), 0.0))
        return decider

    def _answer(self, header: Mapping[str, Any], given: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
        arguments, named = given
        answer: dict[str, Any] = {"id": header["id"], "result": {}}
        payload = b""
        try:
            if named.pop("reads", False):
                named["reader"] = self._objects["eyes"]
            method = getattr(self._objects[header["on"]], header["method"])
            payload = answered(method(*arguments, **named))
        except VaiderError as error:
            answer = {"id": header["id"], "error": error_message(error)}
        except Exception:  # noqa: BLE001 - whatever it was, the run gets it
            traceback.print_exc()
            error = Internal("The process that reads the screen failed; the daemon's log says why.")
            answer = {"id": header["id"], "error": error_message(error)}
        with contextlib.suppress(OSError):
            self._channel.send(answer, payload)


def _nothing() -> None:
    """Nothing stops it here."""


def main() -> None:
    """Answer on the socket that was handed over, until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threads, end = map(int, sys.argv[1:3])
    Worker(Channel(socket.socket(fileno=end)), threads).run()
    # At once: the libraries' own clean-up costs time, and what is being done is for no one.
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
