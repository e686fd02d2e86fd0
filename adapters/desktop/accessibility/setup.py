"""What makes programs tell of themselves: packages, the environment that they are started in, arguments."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SERVICE: Final = Path("dbus-1", "services", "org.a11y.Bus.service")
_SHARED: Final = "/usr/local/share:/usr/share"
ACCESSIBLE: Final[Mapping[str, str]] = {
    "ACCESSIBILITY_ENABLED": "1",
    "GNOME_ACCESSIBILITY": "1",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "SAL_USE_VCLPLUGIN": "gtk3",
}
"""For Chromium, Firefox, Qt (two names) and LibreOffice; what is made with GTK needs none."""
SILENT: Final[Mapping[str, str]] = {"NO_AT_BRIDGE": "1"}
"""For a display that has no accessibility bus: programs of GTK would look for one."""
_OTHERS: Final = frozenset({"AT_SPI_BUS_ADDRESS", "NO_AT_BRIDGE"})
"""They lead to the bus of another display, or away from ours."""
_ELECTRON: Final = Path("resources", "app.asar")
TURN_ON: Final = (
    "Turn it on with `gsettings set org.gnome.desktop.interface toolkit-accessibility true`, and start programs anew: "
    "those of Qt with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1, Chromium and Electron with --force-renderer-accessibility."
)
"""For the user's own display."""
FORCED: Final = "--force-renderer-accessibility"


def has_bus(environment: Mapping[str, str]) -> bool:
    """Whether the accessibility bus is installed: a session bus starts it when it is first asked for."""
    shared = (environment.get("XDG_DATA_DIRS") or _SHARED).split(":")
    return any(Path(folder, _SERVICE).is_file() for folder in (*shared, *_SHARED.split(":")) if folder)


def lacking_accessibility(environment: Mapping[str, str]) -> str | None:
    """``None`` when the programs of a private display can tell of themselves, else what to do about it."""
    has_session = shutil.which("dbus-daemon", path=environment.get("PATH", "")) is not None
    if has_session and has_bus(environment):
        return None
    return "Install what programs tell their elements by: `apt-get install at-spi2-core dbus`."


def session_bus(environment: Mapping[str, str]) -> str:
    """The address of the session bus of the user's display; empty when there is none."""
    if address := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    folder = environment.get("XDG_RUNTIME_DIR")
    return f"unix:path={folder}/bus" if folder and Path(folder, "bus").is_socket() else ""


def accessible(environment: Mapping[str, str], *, has_session: bool) -> dict[str, str]:
    """The environment of a private display's programs, with what makes them tell of themselves."""
    own = {name: value for name, value in environment.items() if name not in _OTHERS}
    return own | (ACCESSIBLE if has_session and has_bus(environment) else SILENT)


def electron_arguments(program: str) -> Sequence[str]:
    """What makes a program that is built on Electron tell of itself; nothing for any other."""
    return (FORCED,) if (Path(program).resolve().parent / _ELECTRON).is_file() else ()
