"""Videos and traces that appear while a project's tests run, each once it is whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from core.artefacts import attempt_of, folders_in, is_trace, last_attempts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

REST_SECONDS: Final = 1.0
"""Unchanged for so long, a file that nobody has open for writing is taken for whole."""
_State = tuple[tuple[str, int, int, int], ...]
"""Of a file and of the traces beside it: name, inode, size, time of the last change."""


class Arrived(NamedTuple):
    """What is whole now, and how many attempts were overtaken by a later one before they were watched."""

    files: Sequence[Path]
    overtaken: int


@dataclass
class _Seen:
    state: _State
    since: float


class Arrivals:
    """What was there at the beginning is no arrival; what is written anew later is one.

    Args:
        roots: the folders to look through; they need not be there yet.
        is_open: whether somebody still writes a file.

    """

    def __init__(self, roots: Sequence[Path], is_open: Callable[[Path], bool]) -> None:
        self._roots = roots
        self._is_open = is_open
        self._known = dict(self._scanned())
        self._pending: dict[Path, _Seen] = {}

    def ready(self, now: float) -> Arrived:
        """What became whole since the last call. Each file is given once, and again when it or its trace changes."""
        there = self._scanned()
        self._known = {path: state for path, state in self._known.items() if path in there}
        new = {path: state for path, state in there.items() if self._known.get(path) != state}
        self._pending = {path: self._noticed(path, state, now) for path, state in new.items()}
        whole = [
            path
            for path, seen in self._pending.items()
            if now - seen.since >= REST_SECONDS
            and not any(self._is_open(path.parent / name) for name, *_ in seen.state)
        ]
        for path in whole:
            self._known[path] = self._pending.pop(path).state
        last = set(last_attempts(attempt_of(path.parent) for path in whole))
        files = sorted((path for path in whole if attempt_of(path.parent) in last), key=_by_test)
        return Arrived(files, len({path.parent for path in whole}) - len({path.parent for path in files}))

    def unready(self, path: Path) -> None:
        """Give it again after a further rest: it was not whole, though it seemed so."""
        self._known.pop(path, None)

    def _noticed(self, path: Path, state: _State, now: float) -> _Seen:
        seen = self._pending.get(path)
        return seen if seen is not None and seen.state == state else _Seen(state, now)

    def _scanned(self) -> Mapping[Path, _State]:
        """Each file that is to be watched, with its state; a file that vanishes meanwhile is not there."""
        found: dict[Path, _State] = {}
        for root in self._roots:
            for folder, files in folders_in(root):
                traces = _traces_in(folder)
                for path in files:
                    state = [_state_of(each) for each in dict.fromkeys([path, *traces])]
                    if state[0] is not None:
                        found[path] = tuple(each for each in state if each is not None)
        return found


def _traces_in(folder: Path) -> Sequence[Path]:
    try:
        return sorted(path for path in folder.iterdir() if is_trace(path.name))
    except OSError:
        return []


def _state_of(path: Path) -> tuple[str, int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (path.name, found.st_ino, found.st_size, found.st_mtime_ns)


def _by_test(path: Path) -> tuple[object, ...]:
    return (*attempt_of(path.parent), path.name)
