"""The folders of tasks, ``tasks/<id>/{HEARTBEAT.md, recordings/, runs/}``: made, read, changed, restored, deleted."""

import difflib
import errno
import re
import secrets
import shutil
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from core.errors import Conflict, InvalidPath, NotFound, VaiderError
from core.files import Folder, make_private, storage_failure
from core.plans.phrasing import without_asides
from core.schedules.ports import Mark
from core.tasks.heartbeat import MAX_BYTES, Heartbeat
from core.tasks.heartbeat_sections import lines_of
from core.tasks.ports import StoredTask, TaskSummary, Version
from core.untrusted_files import is_reserved
from storage.tasks.files import HEARTBEAT, Differs, TaskFiles, content_hash, locked
from storage.tasks.recordings import MAX_RECORDING, RECORDINGS, copy_recording

RUNS: Final = "runs"
NAME: Final = re.compile(r"\w[\w. -]{0,99}")
"""A task's id: letters, digits, ``_``, ``.``, ``-`` and spaces, and none of the last three in front."""
_MAX_ID: Final = 60
_MAX_WHY: Final = 500
_LISTED: Final = 10
_TRASH: Final = ".removed-"
_LOOKS: Final = 20
"""Attempts of a change that concurrent saves of the file interrupt."""


class TaskFolders:
    """Implements ``core.tasks.ports.Tasks`` and ``core.schedules.ports.WatchedTasks``.

    Args:
        root: the folder ``tasks``; is made when the first task is.
        max_recording: bytes of one recording.

    """

    def __init__(self, root: Path, *, max_recording: int = MAX_RECORDING) -> None:
        self.root = root
        self._max_recording = max_recording

    def create(self, title: str) -> StoredTask:
        """The task of that title; made if there is none yet."""
        heartbeat = Heartbeat.new(title)
        return self._made(task_name(heartbeat.title), heartbeat, "create", "created") or self.load(
            task_name(heartbeat.title)
        )

    def add(self, heartbeat: Heartbeat, *, by: str, why: str) -> StoredTask:
        """Keep a document as a new task, under an id that no other has."""
        heartbeat.check()
        Heartbeat.read(heartbeat.to_bytes())
        name, number = task_name(heartbeat.title), 1
        while True:
            task_id = name if number == 1 else f"{name}-{number}"
            made = self._made(task_id, heartbeat, by, why)
            if made is not None:
                return made
            number += 1

    def list(self) -> Sequence[TaskSummary]:
        """All there are, by id, also those with a fault."""
        return [self._summary(name) for name in self._names()]

    def load(self, task_id: str) -> StoredTask:
        """Read the task."""
        with self._locked(task_id) as files:
            return self._stored(task_id, *files.look())

    def save(self, task_id: str, heartbeat: Heartbeat, *, read: Version, by: str, why: str) -> StoredTask:
        """Write it in the place of the version that was read."""
        heartbeat.check()
        with self._locked(task_id) as files:
            data, version = files.look()
            if data is None or version is None or version.hash != read.hash:
                raise _conflict(task_id, version)
            try:
                return self._written(task_id, files, version, heartbeat, by=by, why=why)
            except Differs:
                raise _conflict(task_id, files.look()[1]) from None

    def change(self, task_id: str, edit: Callable[[Heartbeat], Heartbeat], *, by: str, why: str) -> StoredTask:
        """Read, edit and write it, with no other process between."""
        with self._locked(task_id) as files:
            for _ in range(_LOOKS):
                stored = self._stored(task_id, *files.look())
                try:
                    return self._written(task_id, files, stored.version, edit(stored.heartbeat), by=by, why=why)
                except Differs:
                    continue
            raise _conflict(task_id, files.look()[1])

    def history(self, task_id: str) -> Sequence[Version]:
        """All versions, the oldest first."""
        with self._locked(task_id) as files:
            files.look()
            return files.history()

    def content(self, task_id: str, number: int) -> bytes:
        """What the file was in that version."""
        with self._locked(task_id) as files:
            files.look()
            return files.content(_numbered(files, task_id, number))

    def diff(self, task_id: str, old: int, new: int) -> str:
        """What has changed between two versions, as a unified diff."""
        with self._locked(task_id) as files:
            files.look()
            versions = [_numbered(files, task_id, number) for number in (old, new)]
            before, after = (files.content(version) for version in versions)
        names = [f"{HEARTBEAT} version {version.number} ({version.at}, {version.by})" for version in versions]
        changes = difflib.unified_diff(_shown(before), _shown(after), names[0], names[1], lineterm="")
        return "".join(f"{line}\n" for line in changes)

    def restore(self, task_id: str, number: int, *, by: str) -> StoredTask:
        """Write an old version as a new one."""
        with self._locked(task_id) as files:
            for _ in range(_LOOKS):
                data, version = files.look()
                if data is not None and len(data) > MAX_BYTES:
                    # It is in no version, so it must not be overwritten.
                    Heartbeat.read(data)
                heartbeat = Heartbeat.read(files.content(_numbered(files, task_id, number)))
                try:
                    return self._written(task_id, files, version, heartbeat, by=by, why=f"restored version {number}")
                except Differs:
                    continue
            raise _conflict(task_id, files.look()[1])

    def remove(self, task_id: str) -> None:
        """Delete the task with its versions, recordings and runs, atomically for readers."""
        trash = self.root / f"{_TRASH}{secrets.token_hex(8)}"
        with self._locked(task_id):
            try:
                (self.root / task_id).rename(trash)
            except OSError as error:
                raise storage_failure(self.root / task_id, error) from error
        self._empty_trash()

    def add_recording(self, task_id: str, source: Path) -> Path:
        """Copy a recording into the task."""
        with self._locked(task_id):
            pass
        return copy_recording(source, self.root, (task_id, RECORDINGS), self._max_recording)

    def marks(self) -> Mapping[str, Mark]:
        """How each task's file is on the disk; none is opened."""
        try:
            with Folder.open(self.root) as folder:
                names = [name for name in folder.names() if NAME.fullmatch(name)]
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise storage_failure(self.root, error) from error
        found = {name: self._mark(name) for name in names if not (self.root / name).is_symlink()}
        return {name: mark for name, mark in found.items() if mark is not None}

    def _mark(self, name: str) -> Mark | None:
        try:
            status = (self.root / name / HEARTBEAT).stat(follow_symlinks=False)
            modified = datetime.fromtimestamp(status.st_mtime, UTC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, OverflowError) as error:
            # It exists: reading it raises the reason why it is invalid.
            return Mark(f"{type(error).__name__}: {error}", datetime.fromtimestamp(0, UTC))
        return Mark(f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}", modified)

    def _locked(self, task_id: str) -> AbstractContextManager[TaskFiles]:
        if not NAME.fullmatch(task_id):
            raise self._missing(task_id)
        return locked(self.root, task_id, self._missing)

    def _made(self, task_id: str, heartbeat: Heartbeat, by: str, why: str) -> StoredTask | None:
        """The new task, or ``None`` if there is one of that id."""
        root = make_private(self.root)
        try:
            for name in (RECORDINGS, RUNS):
                with Folder.open(root, task_id, name):
                    pass
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                raise InvalidPath(f"{root / task_id} or a part of it is no folder of its own: move it away.") from None
            raise storage_failure(root / task_id, error) from error
        with self._locked(task_id) as files:
            if files.look()[0] is not None:
                return None
            try:
                return self._written(task_id, files, None, heartbeat, by=by, why=why)
            except Differs:
                return None

    def _written(
        self, task_id: str, files: TaskFiles, seen: Version | None, heartbeat: Heartbeat, *, by: str, why: str
    ) -> StoredTask:
        """Write it in the place of the version that was seen; nothing is, if it is the same. Raises ``Differs``."""
        data = heartbeat.to_bytes()
        Heartbeat.read(data)
        version = seen
        if version is None or version.hash != content_hash(data):
            version = files.write(data, by=by[:_MAX_WHY], why=why[:_MAX_WHY])
        return StoredTask(task_id, self.root / task_id, heartbeat, version)

    def _stored(self, task_id: str, data: bytes | None, version: Version | None) -> StoredTask:
        if data is None:
            raise self._missing(task_id)
        heartbeat = Heartbeat.read(data)
        if version is None:  # pragma: no cover - a document that is not too large has a version
            raise self._missing(task_id)
        return StoredTask(task_id, self.root / task_id, heartbeat, version)

    def _summary(self, name: str) -> TaskSummary:
        path = self.root / name / HEARTBEAT
        modified = ""
        try:
            changed = datetime.fromtimestamp(path.stat(follow_symlinks=False).st_mtime, UTC)
            modified = changed.isoformat(timespec="seconds").replace("+00:00", "Z")
            with Folder.open(self.root, name) as folder:
                heartbeat = Heartbeat.read(folder.read(HEARTBEAT, MAX_BYTES + 1))
            heartbeat.check()
        except OSError as error:
            return TaskSummary(id=name, title=name, modified=modified, fault=f"It cannot be read: {error.strerror}.")
        except VaiderError as error:
            return TaskSummary(id=name, title=name, modified=modified, fault=error.message)
        waiting = heartbeat.open_questions
        return TaskSummary(
            id=name,
            title=heartbeat.title,
            open_questions=len(waiting),
            asks=without_asides(waiting[0].text)[0] if waiting else "",
            questions=len(heartbeat.questions),
            modified=modified,
        )

    def _names(self) -> Sequence[str]:
        try:
            with Folder.open(self.root) as folder:
                found = folder.names()
        except OSError:
            return ()
        return sorted(name for name in found if NAME.fullmatch(name) and self._is_task(name))

    def _is_task(self, name: str) -> bool:
        try:
            (self.root / name / HEARTBEAT).stat(follow_symlinks=False)
        except OSError:
            return False
        return not (self.root / name).is_symlink()

    def _missing(self, task_id: str) -> NotFound:
        names = self._names()
        near = difflib.get_close_matches(task_id.lower()[:100], names, n=3, cutoff=0.5)
        if not names:
            hint = "There is none yet: `vaider learn VIDEO` or `vaider tasks add TITLE` makes one."
        elif near:
            hint = f"Did you mean {' or '.join(map(repr, near))}?"
        else:
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            hint = f"There are: {', '.join(names[:_LISTED])}{more}."
        return NotFound(f"There is no task {task_id[:100]!r}. {hint}", task=task_id[:100])

    def _empty_trash(self) -> None:
        """Delete what was removed, also by a process that died over it."""
        for path in self.root.glob(f"{_TRASH}*"):
            shutil.rmtree(path, ignore_errors=True)


def task_name(title: str) -> str:
    """The id of a task of that title: its words in lower case, with ``-`` between them; at most 60 characters."""
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", title).lower())
    words = "-".join(re.findall(r"[^\W_]+", plain))
    while len(words) > _MAX_ID or len(words.encode()) > 3 * _MAX_ID:
        words = words[:_MAX_ID] if len(words) > _MAX_ID else words[:-1]
    words = words.strip("-")
    return f"task-{words}".strip("-") if not words or is_reserved(words) else words


def _numbered(files: TaskFiles, task_id: str, number: int) -> Version:
    versions = files.history()
    found = next((version for version in versions if version.number == number), None)
    if found is None:
        text = f"there are 1 to {versions[-1].number}" if versions else "there is none yet"
        raise NotFound(f"Task {task_id!r} has no version {number}: {text}.", task=task_id)
    return found


def _conflict(task_id: str, version: Version | None) -> Conflict:
    who = "by hand" if version is None or version.by == "hand" else f"by {version.by!r}"
    return Conflict(
        f"Task {task_id!r} has been changed {who} since it was read, and nothing was overwritten: "
        "read it again, and make the change in what it is now.",
        task=task_id,
        version=version.number if version is not None else None,
    )


def _shown(data: bytes) -> list[str]:
    """Lines for a diff, in which also line ends can be seen to differ."""
    lines = lines_of(data.decode(errors="replace"))
    shown = [line.text + line.end.replace("\r", "␍").replace("\n", "") for line in lines]
    if lines and not lines[-1].end:
        shown[-1] += "␃"
    return shown
