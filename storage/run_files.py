"""What the folders of runs hold for whoever shows them: screenshots and reports, and nothing that a link leads to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from storage.files import Folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

RUN_ID: Final = r"^\d{8}T\d{6}Z-[0-9A-Za-z]{1,16}$"
SCREENSHOT: Final = r"^subtask_\d{2,6}_iter_\d{3,6}\.png$"
_NUMBERS: Final = re.compile(r"\d+")
_MAX_PICTURE: Final = 128 * 1024 * 1024
_MAX_REPORT: Final = 128 * 1024 * 1024


def screenshots(directory: Path) -> Sequence[str]:
    """The names of a run's screenshots, the oldest first."""
    try:
        with Folder.open(directory) as folder:
            names = [name for name in folder.names() if re.fullmatch(SCREENSHOT, name)]
    except OSError:
        return ()
    return sorted(names, key=lambda name: [int(number) for number in _NUMBERS.findall(name)])


def screenshot(directory: Path, name: str) -> bytes | None:
    """A PNG file, ``None`` when there is none of that name."""
    return _read(directory, name, _MAX_PICTURE) if re.fullmatch(SCREENSHOT, name) else None


def report(directory: Path) -> bytes | None:
    """``report.html``, ``None`` when there is none yet."""
    return _read(directory, "report.html", _MAX_REPORT)


def run_directory(places: Iterable[Path], run_id: str) -> Path | None:
    """The folder of that run in the first of the places that has it; a link is none."""
    if not re.fullmatch(RUN_ID, run_id):
        return None
    for place in places:
        directory = place / run_id
        if directory.is_dir() and directory.resolve() == place.parent.resolve() / place.name / run_id:
            return directory
    return None


def _read(directory: Path, name: str, limit: int) -> bytes | None:
    try:
        with Folder.open(directory) as folder:
            return folder.read(name, limit)
    except OSError:
        return None
