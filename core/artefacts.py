"""What a test run leaves behind: the videos and traces in a folder, one for each test."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from core.errors import InvalidRequest
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

RESULTS: Final = ("test-results", "cypress/videos", "playwright-report")
"""Where test runners leave them, below a project's root."""
VIDEOS: Final = frozenset({".mp4", ".webm", ".mov", ".mkv", ".avi"})
"""The suffixes of what test runners record."""
BROWSERS: Final = (
    *("chromium", "firefox", "webkit", "chrome", "edge", "msedge", "safari"),
    *("Google-Chrome", "Microsoft-Edge", "Mobile-Chrome", "Mobile-Safari"),
)
"""How the projects of Playwright that stand for browsers are called, by its own templates, as folders spell it."""
_FOLDER: Final = re.compile(
    rf"(?P<test>.+?)(?:-(?P<browser>{'|'.join(BROWSERS)}))?(?:-retry(?P<retry>\d{{1,3}}))?(?:-repeat(?P<repeat>\d{{1,4}}))?"
)
_NO_RESULTS: Final = "node_modules"
_LOGS: Final = ".VaiderInteractions"
_MOST: Final = 200
_MOST_FOLDERS: Final = 20_000
_NAMED: Final = 12


class Attempt(NamedTuple):
    """Which try of which test in which browser a folder is of, as Playwright names it."""

    place: Path
    """The folder of all tests."""
    test: str
    browser: str
    """Empty where the folder's name says none."""
    repeat: int
    retry: int

    @property
    def run(self) -> tuple[Path, str, str, int]:
        """What all attempts have in common."""
        return self[:-1]

    @property
    def name(self) -> str:
        """For people: the test, then what distinguishes this try of it."""
        parts = [self.browser, f"repeat {self.repeat}" if self.repeat else ""]
        parts += [f"attempt {self.retry + 1}" if self.retry else ""]
        said = ", ".join(filter(None, parts))
        return f"{self.test} ({said})" if said else self.test


class Artefacts(NamedTuple):
    """The files to watch, the browsers of a test together, and how many earlier attempts of the same tests are not."""

    files: Sequence[Path]
    earlier: int


def attempt_of(folder: Path) -> Attempt:
    """What the name of a test's folder says."""
    found = _FOLDER.fullmatch(folder.name)
    if found is None:
        return Attempt(folder.parent, folder.name, "", 0, 0)
    return Attempt(
        folder.parent, found["test"], found["browser"] or "", int(found["repeat"] or 0), int(found["retry"] or 0)
    )


def title_of(path: Path) -> str:
    """What people call a video or trace: its test where a runner named the folder after it, else its own name."""
    own, _, number = path.stem.partition("-")
    if own not in {"video", "trace"}:
        return path.name
    name = attempt_of(path.parent).name
    return f"{name} {path.stem}" if number else name


def artefacts_in(root: Path) -> Artefacts:
    """Each video below a folder, and the traces that lie without one; of a test's attempts those of the last one.

    Links to folders are not followed. Raises ``InvalidRequest`` when there is none, or more than are watched at once.
    """
    attempts = {attempt_of(folder): files for folder, files in folders_in(root)}
    if not attempts:
        raise InvalidRequest(f"There is no video and no trace.zip in {root}. Record with video: 'on', or trace: 'on'.")
    last = last_attempts(attempts)
    found = [path for attempt in last for path in attempts[attempt]]
    if len(found) > _MOST:
        raise InvalidRequest(
            f"{root} has {len(found):,} videos; at most {_MOST} are watched at once. Name a part of it."
        )
    return Artefacts(found, len(attempts) - len(last))


def last_attempts(attempts: Iterable[Attempt]) -> Sequence[Attempt]:
    """Of each run of a test in a browser the last attempt; the browsers of a test together."""
    return list({attempt.run: attempt for attempt in sorted(attempts)}.values())


def only_in(folder: Path) -> Path:
    """What a test left in its folder. Raises ``InvalidRequest`` that names what there is where it is not one thing."""
    files = artefacts_in(folder).files
    if len(files) == 1:
        return files[0]
    newest = sorted(files, key=_changed_at, reverse=True)[:_NAMED]
    names = ", ".join(one_line(str(path.relative_to(folder))) for path in newest)
    more = f" and {len(files) - len(newest)} more" if len(files) > len(newest) else ""
    raise InvalidRequest(f"{folder} has several videos; name one of them (the newest first): {names}{more}.")


def newest_in(project: Path) -> Path | None:
    """What the last test run of a project left last; ``None`` where it left nothing."""
    found: list[Path] = []
    for name in RESULTS:
        for _, files in folders_in(project / name):
            found += files
    return max(found, key=_changed_at, default=None)


def folders_in(root: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Each folder with a video or a trace, and what to watch of it: its videos, or the traces where there is none.

    Raises ``InvalidRequest`` for more folders than any test run leaves.
    """
    for count, (place, folders, names) in enumerate(os.walk(root)):
        if count == _MOST_FOLDERS:
            raise InvalidRequest(f"{root} has more than {_MOST_FOLDERS:,} folders. Name a part of it.")
        folders[:] = sorted(each for each in folders if _may_hold_results(each))
        folder = Path(place)
        videos = [folder / name for name in sorted(names) if Path(name).suffix.lower() in VIDEOS]
        found = videos or [folder / name for name in sorted(names) if is_trace(name)]
        if found:
            yield folder, found


def is_trace(name: str) -> bool:
    """Whether a file is called as Playwright calls a trace."""
    return name.startswith("trace") and name.endswith(".zip")


def _may_hold_results(name: str) -> bool:
    return not name.startswith(".") and not name.endswith(_LOGS) and name != _NO_RESULTS


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
