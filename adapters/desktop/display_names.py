"""Which display a name means (``private``, ``current`` or ``:N``), whether it can be used, and which run has it."""

import contextlib
import ctypes
import ctypes.util
import os
import re
import socket
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from core.errors import DesktopUnavailable
from core.files import Held, held_by, hold, is_held, make_private, storage_failure

_ASKED: Final = (
    ("ApplicationServices", "AXIsProcessTrusted", "Accessibility"),
    ("CoreGraphics", "CGPreflightScreenCaptureAccess", "Screen & System Audio Recording"),
)
"""The framework and its function, and what the settings call it."""


def missing_permissions() -> list[str]:
    """The names of the settings that are still to be switched on; none on other systems. No window opens."""
    return [
        setting
        for framework, function, setting in _ASKED
        if sys.platform == "darwin" and not _granted(framework, function)
    ]


def _granted(framework: str, function: str) -> bool:
    path = ctypes.util.find_library(framework)
    if path is None:
        return True
    ask = getattr(ctypes.CDLL(path), function, None)
    if ask is None:
        return True  # older systems know no such permission
    ask.restype = ctypes.c_bool
    return bool(ask())


PRIVATE: Final = "private"
CURRENT: Final = "current"
SCREEN: Final = "screen"
"""The one screen of a system without X displays."""
_NAME: Final = re.compile(r":(\d{1,5})(?:\.(\d{1,3}))?")
_LOCAL_HOST: Final = re.compile(r"(?:unix|unix/|/unix)(?=:)")
_SOCKETS: Final = "/tmp/.X11-unix"  # noqa: S108 - where every X server has its own
_CONNECT_SECONDS: Final = 1.0
HAS_X: Final = sys.platform not in {"darwin", "win32"}


def resolve(display: str, environment: Mapping[str, str]) -> str:
    """The display's own name, e.g. ``:0``; ``private`` stays.

    Args:
        display: as ``--display`` spells it.
        environment: of the user's session.

    Raises:
        DesktopUnavailable: there is no such display, or it cannot be acted on; the message holds the remedy.

    """
    if display == PRIVATE:
        return PRIVATE
    if not HAS_X and display == CURRENT:
        if missing := missing_permissions():
            raise DesktopUnavailable(
                f"Vaider may not see and use this desktop yet: switch on {' and '.join(missing)} for the program that "
                "runs it, in System Settings > Privacy & Security, and start it again."
            )
        return SCREEN
    own = environment.get("DISPLAY", "")
    if display == CURRENT:
        _refuse_wayland(environment)
        if not own:
            raise DesktopUnavailable("There is no display here (DISPLAY is not set). Use --display private.")
        display = _LOCAL_HOST.sub("", own)
    found = _NAME.fullmatch(display)
    if found is None:
        raise DesktopUnavailable(_no_name(display))
    name = f":{int(found[1])}" + (f".{int(found[2])}" if found[2] and int(found[2]) else "")
    if own and name.partition(".")[0] == _LOCAL_HOST.sub("", own).partition(".")[0]:
        _refuse_wayland(environment)
    if not _answers(int(found[1])):
        raise DesktopUnavailable(
            f"There is no display {name} on this machine. Start it, name another, or use --display private."
        )
    return name


def displays(folder: Path) -> list[str]:
    """The X displays of this machine that answer, by their sockets in ``folder``."""
    try:
        numbers = sorted(int(path.name[1:]) for path in folder.iterdir() if re.fullmatch(r"X\d{1,5}", path.name))
    except OSError:
        return []
    return [f":{number}" for number in numbers if _answers(number)]


def on_wayland(environment: Mapping[str, str]) -> bool:
    """Whether the user's session is one where no program may act for another."""
    return HAS_X and bool(environment.get("WAYLAND_DISPLAY") or environment.get("XDG_SESSION_TYPE") == "wayland")


def _refuse_wayland(environment: Mapping[str, str]) -> None:
    if on_wayland(environment):
        raise DesktopUnavailable(
            "This is a Wayland session, where no program may see or use another one's windows. Log in to an X11 "
            "session (the login screen offers it), or use --display private."
        )


def _no_name(display: str) -> str:
    said = f"{display[:100]!r} is no display of this machine"
    if re.match(r"[^\s:]+.*:", display):
        return f"{said}: only local ones can be acted on. Run Vaider over there, or use --display private."
    return f"{said}. Use private, current, or :N, for example :99."


def _answers(number: int) -> bool:
    """Whether a server listens there; asked without a word of X, so that nothing of X runs in the daemon."""
    for address in (f"{_SOCKETS}/X{number}", f"\0{_SOCKETS}/X{number}"):
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(_CONNECT_SECONDS)
            try:
                probe.connect(address)
            except OSError:
                continue
            return True
    return False


@contextmanager
def occupied(folder: Path, display: str, run: str) -> Generator[int]:
    """Have a display; gives the open file that says so, for a process that shares it.

    The system lets go of a file when all processes that have it open have ended, however they ended: what a killed
    one leaves behind never blocks.

    Args:
        folder: where the files are, one a display.
        display: its name, safe as a file's.
        run: who will have it, in the words that others get.

    Raises:
        DesktopUnavailable: another run has it; the message names that run.

    """
    try:
        file = hold(make_private(folder) / f"{display.lstrip(':')}.lock", run)
    except OSError as error:
        raise storage_failure(folder, error) from error
    except Held as error:
        who = str(error) or "another run"
        raise DesktopUnavailable(
            f"The display {display} is in use by {who}. Wait until it has ended, cancel it, or use --display private.",
            run=who,
        ) from None
    try:
        yield file
        with contextlib.suppress(OSError):
            os.ftruncate(file, 0)
    finally:
        os.close(file)


def occupant(folder: Path, display: str) -> str | None:
    """Who has a display, as they said in ``occupied``; ``None`` when it is free. It takes no lock."""
    try:
        file = os.open(folder / f"{display.lstrip(':')}.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        # A free display is not locked even for a moment, because a run may take it just now.
        who = held_by(file)
        return who if who and is_held(file) else None
    except OSError:
        return None
    finally:
        os.close(file)
