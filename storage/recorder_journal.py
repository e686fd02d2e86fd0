"""The file in which stands what the recorder was, from moment to moment: a line each, appended as it changes."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from core.files import Folder, storage_failure
from core.recording.history import LINE, ForgottenStretch, Journal, JournalLine, Noted
from core.recording.recorder import RecorderPhase

MAX_JOURNAL_BYTES: Final = 1 << 20
"""Beyond it the older half goes."""
_SETTLED: Final = timedelta(seconds=5)
"""Something that is blacked out again within so long never ceased to be."""


class JournalFile:
    """Safe to call from any thread; written by one process at a time.

    Args:
        path: of the file, which may not be there yet; its folder is.

    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._last: Noted | None = None
        self._bared: datetime | None = None
        """Since when nothing is blacked out any more, while that may still change."""
        self._known: tuple[tuple[int, int, int], Journal] | None = None

    def begin(self, seen_until: Callable[[], datetime | None]) -> None:
        """Nothing is recorded yet: the last writer has ended, in good order or not.

        Args:
            seen_until: tells the end of the last film.

        Raises:
            StorageFailed: the file cannot be written.

        """
        with self._lock:
            journal = self._read()
            last = journal.states[-1] if journal.states else None
            if last is None or last.phase is RecorderPhase.OFF:
                return
            if last.phase is not None:
                seen = seen_until()
                ended = last.at if seen is None else max(last.at, min(seen, datetime.now(UTC)))
                self._append(Noted(at=ended, phase=None))
            self._note(Noted(at=datetime.now(UTC), phase=RecorderPhase.OFF))

    def note(self, phase: RecorderPhase, *, veiled: bool, at: datetime | None = None) -> None:
        """It is so now, unless it was already. Raises ``StorageFailed``."""
        with self._lock:
            self._note(Noted(at=at or datetime.now(UTC), phase=phase, veiled=veiled))

    def forget(self, since: datetime, until: datetime) -> None:
        """Tell nothing of a stretch but that it was forgotten. Raises ``StorageFailed``."""
        with self._lock:
            self._write(self._read().without(since, until))

    def read(self) -> Journal:
        """All of it; a line that is none is left out. Raises ``StorageFailed``."""
        with self._lock:
            return self._read()

    def _note(self, now: Noted) -> None:
        last = self._last
        if last is not None and last.phase is now.phase:
            if last.veiled == now.veiled:
                self._bared = None
                return
            if last.veiled:
                self._bared = self._bared or now.at
                if now.at - self._bared < _SETTLED:
                    return
        if self._bared is not None and last is not None:
            self._append(last.model_copy(update={"at": self._bared, "veiled": False}))
            self._bared = None
            if self._last is not None and (self._last.phase, self._last.veiled) == (now.phase, now.veiled):
                return
        self._append(now)

    def _append(self, state: Noted) -> None:
        line = LINE.dump_json(state) + b"\n"
        try:
            with Folder.open(self._path.parent) as folder:
                size = folder.append(self._path.name, line)
        except OSError as error:
            raise storage_failure(self._path, error) from None
        self._last = state
        if size > MAX_JOURNAL_BYTES:
            journal = self._read()
            self._write(journal.model_copy(update={"states": journal.states[len(journal.states) // 2 :]}))

    def _read(self) -> Journal:
        try:
            with Folder.open(self._path.parent) as folder:
                status = self._path.lstat()
                mark = (status.st_ino, status.st_size, status.st_mtime_ns)
                if self._known is not None and self._known[0] == mark:
                    return self._known[1]
                data = folder.read(self._path.name, 2 * MAX_JOURNAL_BYTES)
        except FileNotFoundError:
            return Journal()
        except OSError as error:
            raise storage_failure(self._path, error) from None
        lines = [line for text in data.split(b"\n") if (line := _line(text)) is not None]
        states = sorted((one for one in lines if isinstance(one, Noted)), key=lambda one: one.at)
        forgotten = (one for one in lines if isinstance(one, ForgottenStretch))
        journal = Journal(states=tuple(states), forgotten=tuple(forgotten))
        self._known = (mark, journal)
        return journal

    def _write(self, journal: Journal) -> None:
        lines: list[JournalLine] = [*journal.forgotten, *journal.states]
        try:
            with Folder.open(self._path.parent) as folder:
                folder.replace(self._path.name, b"".join(LINE.dump_json(line) + b"\n" for line in lines))
        except OSError as error:
            raise storage_failure(self._path, error) from None


def _line(text: bytes) -> JournalLine | None:
    try:
        return LINE.validate_json(text) if text.strip() else None
    except ValidationError:
        return None
