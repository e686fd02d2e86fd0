"""Which display a name means, and whether it can be used: ``private``, ``current`` or ``:N``."""

from __future__ import annotations

import re
import socket
import sys
from typing import TYPE_CHECKING, Final

from adapters.desktop.mac_permissions import missing_permissions
from core.errors import DesktopUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
