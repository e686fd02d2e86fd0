"""Hands freed memory back to the system: the C library keeps the space of freed pictures for the next ones."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Return to the system what this process has freed. It does nothing where the C library has no such call."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
