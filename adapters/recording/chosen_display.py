"""Which display, and which monitor of it, is meant to be recorded, and whether it can be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.desktop.display_names import CURRENT, HAS_X, PRIVATE, on_wayland, resolve
from core.errors import DesktopUnavailable, InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

_ELSEWHERE: Final = "or record with another program, and give its file to `vaider learn`."
_MONITOR: Final = re.compile(r"(?P<display>[^@]*)@(?P<monitor>.+)")


def display_to_record(display: str, environment: Mapping[str, str]) -> tuple[str, str | None]:
    """The display's own name, e.g. ``:0``, and the monitor's, if one is chosen as in ``current@HDMI-1``.

    Raises:
        InvalidRequest: a private display is asked for.
        DesktopUnavailable: there is no such display, or it cannot be recorded; the message holds the remedy.

    """
    chosen = _MONITOR.fullmatch(display)
    name, monitor = (chosen["display"], chosen["monitor"]) if chosen else (display, None)
    if name == PRIVATE:
        raise InvalidRequest("A private display shows nothing to record: name the one you work on, current or :N.")
    if not HAS_X:
        return resolve(name, environment), monitor
    own = environment.get("DISPLAY", "")
    if on_wayland(environment) and (name == CURRENT or name.partition(".")[0] == own.partition(".")[0]):
        raise DesktopUnavailable(
            "This is a Wayland session, where no program may record another one's windows: log in to an X11 session "
            f"(the login screen offers it), {_ELSEWHERE}"
        )
    if name == CURRENT and not own:
        raise DesktopUnavailable(
            "There is no display here (DISPLAY is not set): name one that runs with --display :N, "
            f"or with the setting record_display, {_ELSEWHERE}"
        )
    try:
        return resolve(name, environment), monitor
    except DesktopUnavailable:
        shown = own if name == CURRENT else name
        raise DesktopUnavailable(
            f"There is no display {shown[:100]!r} on this machine: name one that runs, such as :0, {_ELSEWHERE}"
        ) from None
