"""Which of the windows that are shown now would be blacked out, and why: to see what patterns do before they do it."""

from __future__ import annotations

from core.screens import Box
from core.values import Value


class PreviewedWindow(Value):
    """A window that is shown now."""

    box: Box
    """On its display, with its frame."""
    application: str
    """The class that its program gives it; empty where it says none."""
    title: str | None
    """`None` of one that would be blacked out: what it shows is nobody's business."""
    excluded: bool
    why: str | None
    """Why it would be blacked out."""


class ExclusionPreview(Value):
    """A display without its pixels."""

    display: str
    width: int
    height: int
    area: Box
    """What of it is recorded."""
    windows: tuple[PreviewedWindow, ...]
    """The lowest first."""
