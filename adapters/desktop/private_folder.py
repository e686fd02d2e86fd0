"""The folder of one private display: its cookie, its browser's profile, its temporary files; gone when it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import signal
import stat
import struct
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adapters.desktop.children import marked

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX: Final = "vaider-desktop-"
_UNBORN: Final = ".vaider-unborn-"
_ANY_ADDRESS: Final = 0xFFFF
"""``FamilyWild`` of Xauth.h: the entry is for every display, whose number is not known yet when the server reads it."""
_COOKIE_BYTES: Final = 16
_END_SECONDS: Final = 3.0
_POLL_SECONDS: Final = 0.01


@dataclass(frozen=True, slots=True)
class PrivateFolder:
    """Where it is; whoever has it open by ``hold`` has the display."""

    path: Path

    @property
    def cookie(self) -> Path:
        """The file by which a program may use the display, and by which its processes are known."""
        return self.path / "Xauthority"

    @property
    def runtime(self) -> Path:
        """What programs take for ``XDG_RUNTIME_DIR``."""
        return self.path / "runtime"

    @property
    def temporary(self) -> Path:
        """What programs take for ``TMPDIR``."""
        return self.path / "tmp"

    @property
    def profile(self) -> Path:
        """What the browser takes for its profile."""
        return self.path / "browser"

    def fill(self) -> None:
        """Make what is in it, with a cookie nobody knows."""
        for folder in (self.runtime, self.temporary, self.profile):
            folder.mkdir(mode=0o700)
        name = b"MIT-MAGIC-COOKIE-1"
        entry = struct.pack("!HHHH", _ANY_ADDRESS, 0, 0, len(name)) + name + struct.pack("!H", _COOKIE_BYTES)
        with os.fdopen(os.open(self.cookie, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(entry + secrets.token_bytes(_COOKIE_BYTES))

    def note_server(self, number: int) -> None:
        """Keep which socket it will be to remove when the server cannot."""
        inode, born = identity(_socket(number))
        (self.path / "server").write_text(f"{number} {inode} {born}", encoding="ascii")

    def clear(self) -> None:
        """Kill what still runs on the display, and remove everything of it. Does nothing the second time."""
        deadline = time.monotonic() + _END_SECONDS
        while (left := marked(str(self.path))) and time.monotonic() < deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_POLL_SECONDS)
        with contextlib.suppress(OSError, ValueError):
            number, *noted = (int(word) for word in (self.path / "server").read_text(encoding="ascii").split())
            if [*identity(_socket(number))] == noted:
                _socket(number).unlink()
        shutil.rmtree(self.path, ignore_errors=True)


def new_folder(scratch: Path) -> tuple[PrivateFolder, int]:
    """A new folder and the open file that says that it is in use; those that nobody uses any more are cleared.

    Args:
        scratch: where it is made; a short path, as those of sockets below it are bounded.

    """
    for stale in abandoned(scratch):
        stale.clear()
    unborn = tempfile.mkdtemp(prefix=_UNBORN, dir=scratch)
    hold = os.open(unborn, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(hold, fcntl.LOCK_EX)
    # It gets the name by which it is found only now: a folder that nobody holds is taken for abandoned.
    path = Path(unborn).rename(Path(unborn).with_name(Path(unborn).name.replace(_UNBORN, PREFIX)))
    folder = PrivateFolder(path)
    folder.fill()
    return folder, hold


def abandoned(scratch: Path) -> Iterator[PrivateFolder]:
    """The folders of displays whose processes were all killed before they could clear them."""
    for path in scratch.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield PrivateFolder(path)
            except BlockingIOError:
                continue
            finally:
                os.close(file)


def identity(socket: Path) -> tuple[int, int]:
    """What no other socket of that name has: a new one often gets the inode of the one before, but never its time."""
    status = socket.stat()
    return status.st_ino, status.st_mtime_ns


def _socket(number: int) -> Path:
    return Path(f"/tmp/.X11-unix/X{number}")  # noqa: S108 - where every X server has it
