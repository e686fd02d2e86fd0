"""The clipboard of an X server: lends a text to one program, then gives back what the user had there."""

import os
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal

import xcffib

from adapters.desktop.x11.connection import Connection
from adapters.desktop.x11.keeper import keep
from adapters.desktop.x11.selections import Content, Selections

Selection = Literal["CLIPBOARD", "PRIMARY"]
_Word = Literal["give back", "fetch", "put back", "end"]

_QUIET_SECONDS: Final = 0.4
_FETCH_SECONDS: Final = 1.0
_SAVE_SECONDS: Final = 1.0
_ANSWER_SECONDS: Final = 5.0


@dataclass
class Loan:
    """A text that one client may paste. ``lent`` is set when it can, ``read`` when it has."""

    text: str
    selection: Selection
    client: int
    lent: threading.Event = field(default_factory=threading.Event)
    read: threading.Event = field(default_factory=threading.Event)


@dataclass
class Capture:
    """One look at what a program selects. ``taken`` is set once it owns the primary selection."""

    ready: threading.Event = field(default_factory=threading.Event)
    taken: threading.Event = field(default_factory=threading.Event)
    fetched: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    text: str | None = None
    owner: int = 0


class Clipboard:
    """Owns selections in a thread and on a connection of its own.

    What another program had there is kept in all the formats that it hands over in time, and offered again soon after
    the loan has been read, until another program owns the selection or these hands are closed.
    """

    def __init__(self, display: str) -> None:
        self._selections = Selections(Connection(display))
        self._asked: queue.SimpleQueue[Loan | Capture | _Word] = queue.SimpleQueue()
        self._waking, self._waker = os.pipe()
        self._loan: Loan | None = None
        self._kept: Content | None = None
        self._capture: Capture | None = None
        self._primary: Content = {}
        self._is_returned = threading.Event()
        self._is_returned.set()
        self._thread = threading.Thread(target=self._serve, name="clipboard", daemon=True)
        self._thread.start()

    def lend(self, loan: Loan, wait: Callable[[threading.Event, float], bool]) -> bool:
        """Offer a text; ``wait`` waits for an event for so many seconds at most. Whether it is offered."""
        self._is_returned.clear()
        self._ask(loan)
        return wait(loan.lent, _ANSWER_SECONDS)

    def give_back(self, wait: Callable[[threading.Event, float], bool]) -> None:
        """Offer what was there before at once, if that has not been done."""
        if not self._is_returned.is_set():
            self._ask("give back")
            wait(self._is_returned, _ANSWER_SECONDS)

    def give_back_soon(self) -> None:
        """Give back, without waiting for it."""
        self._ask("give back")

    def capture(self, capture: Capture, wait: Callable[[threading.Event, float], bool]) -> bool:
        """Keep the primary selection's content and own it, so that it is noticed when a program takes it."""
        self._ask(capture)
        return wait(capture.ready, _ANSWER_SECONDS)

    def captured(self, capture: Capture, wait: Callable[[threading.Event, float], bool]) -> tuple[str | None, int]:
        """What the program has selected now, and the window that owns it."""
        capture.fetched.clear()
        self._ask("fetch")
        if not wait(capture.fetched, _ANSWER_SECONDS):
            return None, 0
        return capture.text, capture.owner

    def put_back(self, capture: Capture, wait: Callable[[threading.Event, float], bool]) -> None:
        """Offer again what the user had selected."""
        self._ask("put back")
        wait(capture.over, _ANSWER_SECONDS)

    def put_back_soon(self) -> None:
        """The same, without waiting for it."""
        self._ask("put back")

    def close(self) -> None:
        """Give back, hand over to a clipboard manager if there is one, and end."""
        self._ask("end")
        self._thread.join(_ANSWER_SECONDS)

    def _ask(self, what: Loan | Capture | _Word) -> None:
        self._asked.put(what)
        with suppress(OSError):
            os.write(self._waker, b"x")

    def _serve(self) -> None:
        try:
            with suppress(xcffib.XcffibException, OSError):
                while self._goes_on():
                    self._selections.wait(self._left(), [self._waking])
        finally:
            self._is_returned.set()
            self._selections.close()
            waker, self._waker = self._waker, -1
            os.close(waker)
            os.close(self._waking)

    def _goes_on(self) -> bool:
        while not self._asked.empty():
            os.read(self._waking, 1)
            asked = self._asked.get()
            if isinstance(asked, Loan):
                self._lend(asked)
                continue
            if isinstance(asked, Capture):
                self._begin(asked)
                continue
            if asked == "fetch":
                self._fetch()
                continue
            self._put_back()
            if asked == "put back":
                continue
            self._restore()
            if asked == "end":
                self._hand_over()
                return False
        if self._left() == 0:
            self._restore()
        if self._capture is not None and self._selections.held("PRIMARY") is None:
            self._capture.taken.set()
        return True

    def _left(self) -> float | None:
        """Seconds until the loan is over: it was read and no request came for some time."""
        if self._loan is None or not self._loan.read.is_set():
            return None
        return max(0.0, self._selections.last_request + _QUIET_SECONDS - time.monotonic())

    def _lend(self, loan: Loan) -> None:
        if self._loan is not None and self._loan.selection != loan.selection:
            self._restore()
        if self._loan is None:
            ours = self._selections.held(loan.selection)
            foreign = ours is None and self._selections.owner(loan.selection)
            self._kept = self._selections.fetch(loan.selection, _FETCH_SECONDS) if foreign else ours
        self._loan = loan
        content = self._selections.text(loan.text)
        if self._selections.own(loan.selection, content, reader=loan.client, served=loan.read.set):
            loan.lent.set()

    def _restore(self) -> None:
        loan, self._loan = self._loan, None
        self._selections.serve()
        # Who has copied something since owns the selection now, and keeps it.
        if loan is not None and self._selections.held(loan.selection) is not None:
            if self._kept:
                self._selections.own(loan.selection, self._kept)
            else:
                self._selections.disown(loan.selection)
        self._kept = None
        self._is_returned.set()

    def _begin(self, capture: Capture) -> None:
        if self._loan is not None:
            self._restore()
        self._put_back()
        ours = self._selections.held("PRIMARY")
        foreign = ours is None and self._selections.owner("PRIMARY")
        self._primary = self._selections.fetch("PRIMARY", _FETCH_SECONDS) if foreign else ours or {}
        self._capture = capture
        if self._selections.own("PRIMARY", self._primary):
            capture.ready.set()

    def _fetch(self) -> None:
        capture = self._capture
        if capture is not None:
            capture.owner = self._selections.owner("PRIMARY")
            capture.text = self._selections.fetch_text("PRIMARY", _FETCH_SECONDS)
            capture.fetched.set()

    def _put_back(self) -> None:
        capture, self._capture = self._capture, None
        if capture is None:
            return
        self._selections.own("PRIMARY", self._primary)
        if not self._primary:
            self._selections.disown("PRIMARY")
        capture.over.set()

    def _hand_over(self) -> None:
        if self._selections.held("CLIPBOARD") and self._selections.owner("CLIPBOARD_MANAGER"):
            self._selections.request("CLIPBOARD_MANAGER", "SAVE_TARGETS", _SAVE_SECONDS)
        selected = self._selections.held("PRIMARY")
        if selected:
            self._selections.disown("PRIMARY")
            connection = self._selections.connection
            keep(connection.display, selected, connection.name_of)
