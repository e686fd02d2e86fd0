"""The daemon's side of a perception process: eyes, targets and the local decider as the core sees them."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from adapters.desktop.process.asked import AskedProcess
from adapters.models.local.decider import LocalDecider
from adapters.perception.messages import Album, heard, packed
from adapters.video.process.child import child_environment
from core.errors import Internal, TakenOver, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from adapters.desktop.warm_eyes import WarmEyes
    from core.reload.entry import Anchor
    from core.reload.ports import Found, Missing, Reader
    from core.runs.deciding import Briefing, Decision, Observation, Subtask
    from core.runs.ports import Conversation, Eyes
    from core.screens import Box, Picture, Point, TextLine, Window


WORKER: Final = (sys.executable, "-P", "-m", "adapters.perception.worker")
"""``-P``: a folder ``core`` or ``adapters`` where the daemon was started must not be imported instead of ours."""
SECONDS: Final = 60.0
"""For one answer: the largest screen takes three seconds to read, on a machine that is busy ten times as long."""


class PerceptionProcess(AskedProcess):
    """Reads screens, finds targets and decides without a model; safe to share between threads.

    It has no key, loads its networks as soon as it is started, and ends when it is closed or the daemon dies.

    Args:
        threads: how many cores reading may use.

    """

    def __init__(self, threads: int) -> None:
        super().__init__(
            (*WORKER, str(threads)),
            (),
            child_environment(os.environ, threads),
            title="The process that reads the screen",
            gone=Internal,
        )
        self._album = Album()
        self._sending = threading.Lock()
        self.begin()

    def call(
        self, on: str, method: str, *arguments: Any, raise_if_cancelled: Callable[[], None] | None = None, **named: Any
    ) -> Any:
        """Call a method of an object there, and return what it returns.

        Args:
            on: the object: ``eyes``, ``targets`` or ``decider``.
            method: its method.
            arguments: of the method; a picture is sent only if the process does not have it.
            raise_if_cancelled: called at least every 20 ms; what it raises ends the wait, except that a takeover
                waits for the answer, because the loop notices it before the next action.
            named: more arguments.

        Raises:
            VaiderError: what the method raises, or that the process is gone.

        """

        def check() -> None:
            if self._lost is not None:
                raise self._gone(self._lost)
            if raise_if_cancelled is not None:
                try:
                    raise_if_cancelled()
                except TakenOver:
                    return

        with self._sending:
            # Both ends number pictures in the order in which frames are sent.
            pictures, payload = packed(self._album, (arguments, named))
            header = {"on": on, "method": method, "pictures": pictures}
            number = self._send(header, payload, check)
        return heard(self._answered(number, check=check, stop=_nothing, seconds=SECONDS)[1])

    def forget_pictures(self) -> None:
        """Keep no picture on this side while no run uses the process."""
        with self._sending:
            self._album.forget()


def _nothing(_: int) -> None:
    """Leave it to finish: its answer is not waited for."""


class ProcessEyes:
    """Implements ``core.runs.ports.Eyes``. The process is started at once, and loads while it is not asked.

    Args:
        threads: how many cores reading may use.

    """

    def __init__(self, threads: int = 2) -> None:
        self._process = PerceptionProcess(threads)
        self._last: tuple[Picture, Sequence[TextLine]] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.is_alive

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    def call(
        self, on: str, method: str, *arguments: Any, raise_if_cancelled: Callable[[], None] | None = None, **named: Any
    ) -> Any:
        """See ``PerceptionProcess.call``."""
        return self._process.call(on, method, *arguments, raise_if_cancelled=raise_if_cancelled, **named)

    def read(self, picture: Picture) -> Sequence[TextLine]:
        """Every line of text, top to bottom."""
        last = self._last
        if last is not None and last[0] is picture:
            return last[1]
        lines: Sequence[TextLine] = self.call("eyes", "read", picture)
        self._last = picture, lines
        return lines

    def read_exactly(self, picture: Picture, windows: Sequence[Window]) -> Sequence[TextLine]:
        """Every line of text, in the exact words of the programs that tell it."""
        return self.call("decider", "read_exactly", picture, list(windows))

    def changes(self, before: Picture, after: Picture) -> Sequence[Box]:
        """Where they visibly differ."""
        if before is after:
            return ()
        return self.call("eyes", "changes", before, after)

    def png(self, picture: Picture) -> bytes:
        """The picture as a PNG file without transparency."""
        return self.call("files", "png", picture)

    def thumbnail(self, picture: Picture) -> bytes:
        """A small copy of the picture as a WebP file."""
        return self.call("files", "thumbnail", picture)

    def rest(self) -> None:
        """Keep no picture while no run uses it."""
        self._last = None
        self._process.forget_pictures()

    def close(self) -> None:
        """End the process."""
        self._process.end()


class ProcessTargets:
    """Implements ``core.reload.ports.Targets``; safe to share between threads.

    Args:
        eyes: whose processes are used; with ``reader`` being of them, its own.

    """

    def __init__(self, eyes: WarmEyes[ProcessEyes]) -> None:
        self._eyes = eyes

    def cut(
        self, picture: Picture, target: Point | Box, within: Box, *, ignore: Sequence[Box], reader: Reader
    ) -> Anchor | None:
        """See the port."""
        return self._call(reader, "cut", picture, target, within, ignore=list(ignore), reads=True)

    def find(
        self, anchor: Anchor, picture: Picture, within: Box, *, reader: Reader, far: bool = True
    ) -> Found | Missing:
        """See the port."""
        return self._call(reader, "find", anchor, picture, within, far=far, reads=True)

    def crop(self, picture: Picture, box: Box) -> str:
        """See the port."""
        return self._call(None, "crop", picture, box)

    def same(self, image: str, picture: Picture, box: Box) -> bool:
        """See the port."""
        return self._call(None, "same", image, picture, box)

    def _call(self, reader: Reader | None, method: str, *arguments: Any, **named: Any) -> Any:
        if isinstance(reader, ProcessEyes):
            return reader.call("targets", method, *arguments, **named)
        with self._eyes.share() as eyes:
            return eyes.call("targets", method, *arguments, **named)


class ProcessDecider(LocalDecider):
    """The local decider, whose conversations are held in the process that reads the screen for the run."""

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[Conversation]:
        """See the port; ``eyes`` are the run's ``ProcessEyes``."""
        if not isinstance(eyes, ProcessEyes):
            raise TypeError("eyes of a perception process are needed")
        eyes.call("decider", "open", briefing, self.patience)
        try:
            yield _Conversation(eyes)
        finally:
            # A process that is gone has let go of everything.
            with suppress(VaiderError):
                eyes.call("decider", "close")


class _Conversation:
    def __init__(self, eyes: ProcessEyes) -> None:
        self._eyes = eyes

    def begin(self, subtask: Subtask) -> None:
        self._eyes.call("decider", "begin", subtask)

    def decide(self, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        raise_if_cancelled()
        return self._eyes.call("decider", "decide", observation, raise_if_cancelled=raise_if_cancelled)
