"""How a small desktop program tells what happens to it: as ``truth.js`` does, in JSON lines.

Each line is ``{"op", "t": wall clock ms when it was drawn, "key", "kind", "text", "lines": all text in the window}``;
one with ``"places"`` gives the middle of widgets in pixels of the screen.
"""

from __future__ import annotations

import json
import time
import tkinter as tk
from collections.abc import Callable
from typing import IO, Any


class Reporter:
    """Writes the report of one window; ``lines`` returns the words that it shows."""

    def __init__(self, window: tk.Tk, report: IO[str], lines: Callable[[], list[str]]) -> None:
        self._window = window
        self._report = report
        self._lines = lines
        self._count = 0

    def send_report(self, op: str, **more: Any) -> str:
        """Write one line once everything is drawn; returns its key."""
        self._window.update_idletasks()
        self._count += 1
        line = {"op": op, "t": time.time() * 1000, "key": f"told-{self._count}", "lines": self._lines(), **more}
        self._report.write(json.dumps(line) + "\n")
        self._report.flush()
        return str(line["key"])


def middle(widget: tk.Misc) -> tuple[int, int]:
    """The middle of a widget in pixels of the screen."""
    return widget.winfo_rootx() + widget.winfo_width() // 2, widget.winfo_rooty() + widget.winfo_height() // 2
