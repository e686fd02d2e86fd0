"""Who has a display: one run at a time, on the whole machine."""

from __future__ import annotations

import contextlib
import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from core.errors import DesktopUnavailable, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_LONGEST_NAME: Final = 500


@contextmanager
def occupied(folder: Path, display: str, run: str) -> Generator[int]:
    """Have a display; gives the open file that says so, for a process that shares it.

    The system lets go of a file when all processes that have it open have ended, however they ended: what a killed
    one leaves behind never blocks.

    Args:
        folder: where the files are, one a display.
        display: its name, safe as a file's.
        run: who will have it, as others are told.

    Raises:
        DesktopUnavailable: another run has it; the message names that run.

    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(folder / f"{display.lstrip(':')}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageFailed(
            f"The data directory cannot be written ({error.strerror}). Make room or choose one with VAIDER_DATA_DIR."
        ) from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = os.pread(file, _LONGEST_NAME, 0).decode(errors="replace").strip() or "another run"
            raise DesktopUnavailable(
                f"The display {display} is in use by {who}. Wait until it has ended, cancel it, or use "
                "--display private.",
                run=who,
            ) from None
        os.ftruncate(file, 0)
        os.pwrite(file, run.encode()[:_LONGEST_NAME], 0)
        yield file
        with contextlib.suppress(OSError):
            os.ftruncate(file, 0)
    finally:
        os.close(file)


def occupant(folder: Path, display: str) -> str | None:
    """Who has a display, as they said in ``occupied``; ``None`` when nobody has. It takes nothing from anybody."""
    try:
        file = os.open(folder / f"{display.lstrip(':')}.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    who = ""
    try:
        who = os.pread(file, _LONGEST_NAME, 0).decode(errors="replace").strip()
        if not who:
            # Not even for a moment is a free display to be taken from who comes just now.
            return None
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return who
    except OSError:
        return None
    finally:
        os.close(file)
    return None
