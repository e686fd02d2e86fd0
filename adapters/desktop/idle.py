"""Since when no person has touched a display: by the X server's own count, asked by a process of its own.

The extension MIT-SCREEN-SAVER counts the milliseconds since the last input of any device
(https://www.x.org/releases/current/doc/scrnsaverproto/saver.html). The daemon itself speaks no X.
"""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from adapters.desktop.display_names import HAS_X, PRIVATE, occupant, resolve
from adapters.desktop.process.child import desktop_environment
from core.errors import DesktopUnavailable

_PROGRAM: Final = (sys.executable, "-P", "-m", "adapters.desktop.idle")
_SECONDS: Final = 10.0


def idle_seconds(display: str, environment: Mapping[str, str]) -> float | None:
    """Seconds since the last input to an X display such as ``:0``; ``None`` when that cannot be known."""
    if not HAS_X:
        return None
    try:
        done = subprocess.run(
            [*_PROGRAM, display],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=desktop_environment(environment),
            cwd="/",
            timeout=_SECONDS,
            check=True,
        )
        return int(done.stdout) / 1000
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def obstacle(display: str, *, idle: float, environment: Mapping[str, str], occupants: Path) -> str | None:
    """Why an unattended run cannot have a display, one sentence; ``None`` when it can.

    Args:
        display: ``current`` or ``:N``; a private one is always free.
        idle: seconds without input that it must have had.
        environment: of the user's session.
        occupants: the folder that tells who has a display, see ``occupancy``.

    """
    if display == PRIVATE:
        return None
    try:
        name = resolve(display, environment)
    except DesktopUnavailable as error:
        return error.message
    if (run := occupant(occupants, name.partition(".")[0])) is not None:
        return f"The display {name} was in use by {run}."
    since = idle_seconds(name, environment)
    if since is None:
        return f"It cannot be known whether somebody is at the display {name}; schedule it with --display private."
    if since < idle:
        return f"Somebody was at the display {name} {since:.0f} s before; it must be idle for {idle:g} s."
    return None


def _main(display: str) -> None:
    import xcffib  # noqa: PLC0415 - here alone, in the process of its own
    import xcffib.screensaver  # noqa: PLC0415 - same

    connection: Any = xcffib.connect(display)
    saver = connection(xcffib.screensaver.key)
    root = connection.get_setup().roots[connection.pref_screen].root
    sys.stdout.write(f"{saver.QueryInfo(root).reply().ms_since_user_input}\n")
    connection.disconnect()


if __name__ == "__main__":
    _main(sys.argv[1])
