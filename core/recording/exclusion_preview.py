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

    reason: str | None = None
    """Why there is nothing to be seen: no display, or Wayland; then all else is empty."""
    display: str | None = None
    width: int = 0
    height: int = 0
    area: Box | None = None
    """What of it is recorded."""
    windows: tuple[PreviewedWindow, ...] = ()
    """The lowest first."""
