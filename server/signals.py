"""Signals that end a program set an event, which its main thread may be waiting for."""

from __future__ import annotations

import _thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading


def set_in_handler(event: threading.Event) -> None:
    """Set an event in a signal's handler.

    Another thread does it: the handler interrupts the main thread, which may hold the event's lock at that
    moment, as in each round of ``wait``, and that lock is not reentrant.
    """
    _thread.start_new_thread(event.set, ())
