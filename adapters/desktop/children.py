"""The programs that an acting process starts, and their end: none that is kept outlives it."""

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

_SET_PARENT_DEATH_SIGNAL: Final = 1
_SET_CHILD_SUBREAPER: Final = 36
"""``PR_SET_PDEATHSIG`` and ``PR_SET_CHILD_SUBREAPER`` of prctl(2)."""
_GRACE_SECONDS: Final = 0.5
_END_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 0.01
_LINUX: Final = sys.platform == "linux"
_prctl: Final = ctypes.CDLL(None).prctl if _LINUX else None


class Children:
    """Programs of one display, started from one thread of a process that lives as long as they may.

    Args:
        kept: they end with us, whatever ends us, and so does what they started; else they are the user's, and stay.

    """

    def __init__(self, *, kept: bool) -> None:
        self._kept = kept
        self._started: list[subprocess.Popen[bytes]] = []
        self._bases: set[int] = set()
        if kept and _prctl is not None:
            # What a program leaves behind when it ends becomes our child, so that it is found when all shall end.
            _prctl(_SET_CHILD_SUBREAPER, 1)

    def start(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: str = "/",
        base: bool = False,
        pass_fds: Sequence[int] = (),
        stderr: IO[bytes] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a program in a process group of its own. Raises ``OSError`` when there is none.

        Args:
            command: its argument list.
            environment: all that it gets to see.
            folder: where it starts.
            base: the others need it, so it ends after them; it is asked to end also when we are killed.
            pass_fds: files of ours that it may use.
            stderr: what it says of errors goes there, by default nowhere.

        """
        child = subprocess.Popen(
            list(command),
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr or subprocess.DEVNULL,
            pass_fds=pass_fds,
            start_new_session=True,
            # There is no other way to have it die with us; it calls one function that is loaded already.
            preexec_fn=_dying_with(os.getpid(), base=base) if self._kept and _LINUX else None,  # noqa: PLW1509
        )
        self._started.append(child)
        if base:
            self._bases.add(child.pid)
        return child

    def reap(self) -> int:
        """Take note of those that have ended; tells how many run."""
        self._started = [child for child in self._started if child.poll() is None]
        return len(self._started)

    def end(self) -> None:
        """End those that are kept and all that they started: asked first, then killed."""
        if self._kept:
            for kept in (self._bases, frozenset[int]()):
                self._end(signal.SIGTERM, kept, _GRACE_SECONDS)
                self._end(signal.SIGKILL, kept, _END_SECONDS)

    def _end(self, number: int, kept: Collection[int], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        asked: set[int] = set()
        while left := [pid for pid in descendants(os.getpid()) if pid not in kept]:
            for pid in left:
                if pid not in asked:
                    asked.add(pid)
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)
            self._bury(left)
            if time.monotonic() > deadline:
                return
            time.sleep(_POLL_SECONDS)

    def _bury(self, pids: Iterable[int]) -> None:
        """Wait for those that are dead: our own by their handle, strangers that were left to us by their id."""
        self.reap()
        own = {child.pid for child in self._started}
        for pid in pids:
            if pid not in own:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def _dying_with(parent: int, *, base: bool) -> Callable[[], None]:
    def arrange() -> None:
        if _prctl is not None:
            _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM if base else signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return arrange


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have, and so on."""
    parents: dict[int, list[int]] = {}
    for child, parent in _processes():
        parents.setdefault(parent, []).append(child)
    found: list[int] = []
    waiting = [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def marked(folder: str) -> list[int]:
    """The processes of this user that were started with the cookie of a display below that folder.

    A browser writes its arguments over both, with spaces between them; it is known by its profile.
    """
    marks = (("environ", f"XAUTHORITY={folder}/".encode()), ("cmdline", f"--user-data-dir={folder}/".encode()))
    found: list[int] = []
    for pid, _ in _processes():
        with contextlib.suppress(OSError):
            if pid != os.getpid() and any(
                entry.startswith(mark) for file, mark in marks for entry in _entries(Path(f"/proc/{pid}/{file}"))
            ):
                found.append(pid)
    return found


def _entries(file: Path) -> list[bytes]:
    return re.split(rb"[\0 ]", file.read_bytes())


def _processes() -> Iterable[tuple[int, int]]:
    """Process and parent, of all there are."""
    for entry in os.scandir("/proc") if _LINUX else ():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                # The program's name stands in parentheses and may hold any.
                after = Path(entry.path, "stat").read_text(errors="replace").rpartition(")")[2].split()
                yield int(entry.name), int(after[1])
