"""What macOS lets this program do on the user's desktop; the user grants it in the system's settings."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from typing import Final

_ASKED: Final = (
    ("ApplicationServices", "AXIsProcessTrusted", "Accessibility"),
    ("CoreGraphics", "CGPreflightScreenCaptureAccess", "Screen & System Audio Recording"),
)
"""The framework and its function, and what the settings call it."""


def missing_permissions() -> list[str]:
    """The names of the settings that are still to be switched on; none on other systems. Asks nobody."""
    return [
        setting
        for framework, function, setting in _ASKED
        if sys.platform == "darwin" and not _granted(framework, function)
    ]


def _granted(framework: str, function: str) -> bool:
    path = ctypes.util.find_library(framework)
    if path is None:
        return True
    ask = getattr(ctypes.CDLL(path), function, None)
    if ask is None:
        return True  # older systems know no such permission
    ask.restype = ctypes.c_bool
    return bool(ask())
