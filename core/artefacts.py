"""What a test run leaves behind: the videos and traces in a folder, one for each test."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from core.errors import InvalidRequest

RESULTS: Final = ("test-results", "cypress/videos", "playwright-report")
"""Where test runners leave them, below a project's root."""
VIDEOS: Final = frozenset({".mp4", ".webm", ".mov", ".mkv", ".avi"})
"""The suffixes of what test runners record."""
_RETRY: Final = re.compile(r"-retry(\d{1,3})$")
_LOGS: Final = ".VaiderInteractions"
_MOST: Final = 200


class Artefacts(NamedTuple):
    """The files to watch, and how many earlier attempts of the same tests are not."""

    files: Sequence[Path]
    earlier: int


def artefacts_in(root: Path) -> Artefacts:
    """Each video below a folder, and the traces that lie without one; of a test's attempts those of the last one.

    Links to folders are not followed. Raises ``InvalidRequest`` when there is none, or more than are watched at once.
    """
    by_test: dict[tuple[Path, str], dict[int, list[Path]]] = {}
    for folder, files in _folders(root):
        retry = _RETRY.search(folder.name)
        test = (folder.parent, folder.name.removesuffix(retry[0]) if retry else folder.name)
        by_test.setdefault(test, {})[int(retry[1]) if retry else 0] = files
    found = [path for attempts in by_test.values() for path in attempts[max(attempts)]]
    if not found:
        raise InvalidRequest(f"There is no video and no trace.zip in {root}. Record with video: 'on', or trace: 'on'.")
    if len(found) > _MOST:
        raise InvalidRequest(
            f"{root} has {len(found):,} videos; at most {_MOST} are watched at once. Name a part of it."
        )
    return Artefacts(found, sum(len(attempts) - 1 for attempts in by_test.values()))


def newest_in(project: Path) -> Path | None:
    """What the last test run of a project left last; ``None`` where it left nothing."""
    found: list[Path] = []
    for name in RESULTS:
        for _, files in _folders(project / name):
            found += files
    return max(found, key=_changed_at, default=None)


def _folders(root: Path) -> Iterator[tuple[Path, list[Path]]]:
    for place, folders, names in os.walk(root):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and not each.endswith(_LOGS))
        folder = Path(place)
        videos = [folder / name for name in sorted(names) if Path(name).suffix.lower() in VIDEOS]
        traces = [folder / name for name in sorted(names) if name.startswith("trace") and name.endswith(".zip")]
        if videos or traces:
            yield folder, videos or traces


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
