"""The folders of runs: ``<workflow>/.replay/<UTC>-<id>/``, or below ``data_dir`` where that cannot be written.

In each: ``schema.rendered.json``, ``subtask_NN_iter_NNN.png``, ``events.jsonl``, ``task_memory.json``,
``extracts.json``, and when the run is over ``run.json`` and ``report.html``.
"""

from __future__ import annotations

import errno
import hashlib
import json
import re
import secrets as tokens
import time
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import ValidationError

from core.files import Folder, make_private, storage_failure
from core.runs.run import Run
from storage.reports.report import MAX_PICTURES, Thumbnail, report_page
from storage.run_writing import Background, Mask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from core.errors import VaiderError
    from core.screens import Picture


_REPLAY: Final = ".replay"
_EVENTS: Final = "events.jsonl"
_MAX_EVENTS: Final = 256 * 1024 * 1024
_MAX_RUN: Final = 16 * 1024 * 1024
_NEWEST: Final = 20
_WAITING: Final = 2
"""Pictures that may wait to be written; one of 4K is 33 MB."""
# Not ours to write, read-only, or something else in its place: then the data directory takes it.
_ELSEWHERE: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ELOOP, errno.ENOTDIR})


class RunFolders:
    """Implements ``core.runs.ports.Runs``.

    Args:
        data_dir: below it lie the runs of workflows whose own folder cannot be written.
        encode: makes a PNG file of a picture; called from a thread of its own.
        shrink: makes a small WebP file of a picture for the report, likewise; without it the report has no pictures.
        redact: takes the keys of providers out of a text; everything that is written goes through it.

    """

    def __init__(
        self,
        *,
        data_dir: Path,
        encode: Callable[[Picture], bytes],
        redact: Callable[[str], str],
        shrink: Callable[[Picture], bytes] | None = None,
    ) -> None:
        self._data_dir = data_dir
        self._encode = encode
        self._shrink = shrink
        self._redact = redact

    def open(self, folder: str, job_id: str, secrets: Sequence[str]) -> RunDirectory:
        """Make the folder of a run; its name is new, also for two runs in one second."""
        own = Path(folder)
        try:
            place = claim(own, (_REPLAY,), job_id)
        except OSError as error:
            if error.errno not in _ELSEWHERE:
                raise storage_failure(own / _REPLAY, error) from error
            place = self._claim_elsewhere(own, job_id)
        return RunDirectory(place, encode=self._encode, shrink=self._shrink, redact=self._redact, secrets=secrets)

    def last(self, workflow: str) -> Run | None:
        """The newest run of a workflow that has come to its end, if any."""
        return last_run(workflow, self._data_dir)

    def _claim_elsewhere(self, own: Path, job_id: str) -> Place:
        below = make_private(self._data_dir / "runs")
        try:
            return claim(below, (_tame(own),), job_id)
        except OSError as error:
            raise storage_failure(below, error) from error


Place = tuple[Path, tuple[str, ...]]
"""A folder that exists, and the way down to the run's own."""


class RunDirectory:
    """Implements ``core.runs.ports.RunFolder``. Its methods raise ``StorageFailed``."""

    def __init__(
        self,
        place: Place,
        *,
        encode: Callable[[Picture], bytes],
        shrink: Callable[[Picture], bytes] | None = None,
        redact: Callable[[str], str],
        secrets: Sequence[str],
    ) -> None:
        self._place = place
        self._encode = encode
        self._shrink = shrink
        self._redact = redact
        self._mask = Mask(secrets)
        self._begun = time.monotonic()
        self._kept: dict[str, bytes] = {}
        self._thumbnails: dict[str, Thumbnail] = {}
        self._plan: Sequence[str] = ()
        self._background = Background(_WAITING)

    @property
    def directory(self) -> Path:
        """The folder's path."""
        return self._place[0].joinpath(*self._place[1])

    def rendered(self, document: Mapping[str, Any]) -> None:
        """Write ``schema.rendered.json``."""
        clean = self._mask.json(document)
        self._plan = [str(subtask["text"]) for subtask in clean["plan"]["subtasks"]]
        self._keep("schema.rendered.json", clean)

    def screenshot(self, subtask: int, iteration: int, picture: Picture) -> str:
        """Write ``subtask_NN_iter_NNN.png`` in the background; waits only while several others do.

        What goes wrong with it is raised by the next screenshot, or at the end.
        """
        name = f"subtask_{subtask:02}_iter_{iteration:03}.png"
        self._background.do(lambda: self._picture(name, picture))
        return name

    def row(self, row: Mapping[str, Any]) -> None:
        """Append the row to ``events.jsonl`` with ``t`` (UTC) and ``ms`` (since the run began)."""
        reported = {**self._mask.json(row), "t": _now(), "ms": round((time.monotonic() - self._begun) * 1000)}
        line = self._redact(json.dumps(reported, ensure_ascii=False, allow_nan=False))
        try:
            with Folder.open(*self._parts) as folder:
                folder.append(_EVENTS, line.encode() + b"\n")
        except OSError as error:
            raise self.failure(_EVENTS, error) from error

    def memory(self, task_memory: str, extracts: Mapping[str, str]) -> None:
        """Write ``task_memory.json`` and ``extracts.json``, if they have changed."""
        self._keep("task_memory.json", {"task_memory": self._mask.text(task_memory)})
        self._keep("extracts.json", {"extracts": self._mask.json(dict(extracts))})

    def finish(self, run: Run) -> None:
        """Write ``run.json`` and ``report.html`` when all pictures are kept.

        A picture that could not be kept is reported after both are written, because the run matters more.
        """
        failure = self._background.finish()
        document = self._mask.json(run.model_dump(mode="json"))
        # How it is found again, which no secret is part of.
        document |= run.model_dump(include={"run_id", "job_id", "directory", "started_at"})
        self._keep("run.json", document)
        page = report_page(document, self.rows(), self._thumbnails, self._plan)
        self._write("report.html", self._redact(page).encode())
        if failure is not None:
            raise failure

    def masked(self, value: Any) -> Any:
        """A JSON value as it may be written."""
        return self._mask.json(value)

    def redacted(self, text: str) -> str:
        """A text as it may be written."""
        return self._redact(self._mask.text(text))

    def failure(self, name: str, error: OSError) -> VaiderError:
        """What it means that a file of the run cannot be read or written."""
        return storage_failure(self.directory / name, error)

    @property
    def _parts(self) -> tuple[Path, *tuple[str, ...]]:
        return (self._place[0], *self._place[1])

    def _picture(self, name: str, picture: Picture) -> None:
        if self._shrink is not None:
            if len(self._thumbnails) == MAX_PICTURES:
                del self._thumbnails[next(islice(self._thumbnails, MAX_PICTURES // 2, None))]
            self._thumbnails[name] = Thumbnail(self._shrink(picture), picture.width, picture.height)
        self._write(name, self._encode(picture))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows so far, masked as they are written."""
        try:
            with Folder.open(*self._parts) as folder:
                lines = folder.read(_EVENTS, _MAX_EVENTS).splitlines()
        except OSError as error:
            raise self.failure(_EVENTS, error) from error
        for line in lines:
            with suppress(ValueError):
                row = json.loads(line)
                if isinstance(row, dict):
                    yield cast("dict[str, Any]", row)

    def _keep(self, name: str, value: Mapping[str, Any]) -> None:
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
        data = self._redact(text).encode() + b"\n"
        if self._kept.get(name) != data:
            self._write(name, data)
            self._kept[name] = data

    def _write(self, name: str, data: bytes) -> None:
        try:
            with Folder.open(*self._parts) as folder:
                folder.replace(name, data)
        except OSError as error:
            raise self.failure(name, error) from error


def last_run(workflow: str, data_dir: Path) -> Run | None:
    """The newest run of a workflow, by its folder, that has come to its end, if any."""
    return next(iter(runs_of(workflow, data_dir, _NEWEST)), None)


def runs_of(workflow: str, data_dir: Path, most: int = 50) -> Sequence[Run]:
    """The newest runs of a workflow that have come to their end, the newest first; what cannot be read is left out."""
    found = sorted(((name, place) for place in places(workflow, data_dir) for name in _names(place)), reverse=True)
    newest = [read_run(place / name) for name, place in found[:most]]
    return sorted((run for run in newest if run is not None), key=lambda run: run.started_at, reverse=True)


def places(workflow: str, data_dir: Path) -> Sequence[Path]:
    """Where the runs of a workflow are kept, by its folder."""
    own = Path(workflow)
    return (own / _REPLAY, data_dir / "runs" / _tame(own))


def claim(parent: Path, inside: tuple[str, ...], job_id: str) -> Place:
    """Make a folder for a run that was not there before. Raises ``OSError``."""
    label = re.sub(r"[^A-Za-z0-9]", "", job_id)[:8] or tokens.token_hex(4)
    while True:
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{label}"
        with Folder.open(parent, *inside, name) as folder:
            if folder.create(_EVENTS, b""):
                return parent, (*inside, name)
        label = tokens.token_hex(4)


def read_run(directory: Path) -> Run | None:
    """The run of a folder, ``None`` while it has none that can be read."""
    try:
        with Folder.open(directory) as folder:
            return Run.model_validate_json(folder.read("run.json", _MAX_RUN))
    except (OSError, ValidationError):
        return None


def _tame(folder: Path) -> str:
    tame = re.sub(r"[^A-Za-z0-9._-]+", "_", folder.name)[:100].strip("._") or "workflow"
    return f"{tame}-{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"


def _names(folder: Path) -> Sequence[str]:
    try:
        with Folder.open(folder) as opened:
            return opened.names()
    except OSError:
        return ()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
