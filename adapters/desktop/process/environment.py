"""What an acting process, and every program on its display, gets to see of our environment: no key, no token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

_PASSED_ON: Final = frozenset(
    {
        *("BROWSER", "DISPLAY", "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "SHELL", "TERM"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPYCACHEPREFIX", "SESSION_MANAGER", "SSH_AUTH_SOCK"),
        *("TMPDIR", "TZ", "USER", "WAYLAND_DISPLAY", "XAUTHORITY", "XMODIFIERS", "DBUS_SESSION_BUS_ADDRESS"),
        *("DESKTOP_SESSION", "GNOME_DESKTOP_SESSION_ID", "KDE_FULL_SESSION", "KDE_SESSION_VERSION", "PULSE_SERVER"),
    }
)
_FAMILIES: Final = ("LC_", "XDG_", "GTK_", "GDK_", "QT_", "XCURSOR_", "FONTCONFIG_")
_PROXIES: Final = frozenset({"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"})


def desktop_environment(own: Mapping[str, str]) -> dict[str, str]:
    """What a desktop's programs need of ``own``; a proxy's address only when no password stands in it."""
    kept = {name: value for name, value in own.items() if name in _PASSED_ON or name.startswith(_FAMILIES)}
    kept |= {name: value for name, value in own.items() if name.lower() in _PROXIES and not _has_password(value)}
    return kept | {"MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}


def _has_password(address: str) -> bool:
    try:
        return "@" in urlsplit(address if "//" in address else f"//{address}").netloc
    except ValueError:
        return True
