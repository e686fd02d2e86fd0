"""Which program a window belongs to: by the executable of its process, never by what the window claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from core.screens import Window

_PROCESSES: Final = Path("/proc")
_DELETED: Final = " (deleted)"
"""What Linux writes behind the name of an executable that was replaced while it ran; see proc(5)."""


class ProcessPrograms:
    """Implements ``core.reload.ports.Programs``.

    It relies on ``Window.pid`` being the process that the X server itself names as its client.

    Args:
        processes: where the system tells of its processes.

    """

    def __init__(self, processes: Path = _PROCESSES) -> None:
        self._processes = processes

    def program(self, window: Window) -> str:
        """The file name of its executable; empty when there is no such process, or it is another user's."""
        if window.pid is None:
            return ""
        try:
            return (self._processes / str(window.pid) / "exe").readlink().name.removesuffix(_DELETED)
        except OSError:
            return ""
