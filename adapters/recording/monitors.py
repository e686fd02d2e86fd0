"""The monitors of an X display, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xcffib import randr

from adapters.desktop.x11.connection import Connection, WindowGone
from core.errors import DesktopUnavailable
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIRST_VERSION = (1, 5)


def find_monitor(display: str, name: str) -> Box:
    """Where on the display a monitor is. Raises ``DesktopUnavailable`` with the names that there are."""
    found = monitors(display)
    if name not in found:
        there = f"it has {', '.join(found)}" if found else "it tells of none, so leave it out"
        raise DesktopUnavailable(f"The display {display} has no monitor {name[:100]!r}: {there}.")
    return found[name]


def monitors(display: str) -> Mapping[str, Box]:
    """Where each is, by its name; none when the server does not tell. Raises ``DesktopUnavailable``."""
    server = Connection(display)
    found: dict[str, Box] = {}
    try:
        extension: Any = server.extension(randr.key)
        version = extension.QueryVersion(1, 5).reply() if extension else None
        if version is not None and (version.major_version, version.minor_version) >= _FIRST_VERSION:
            for one in extension.GetMonitors(server.root, 1).reply().monitors:
                name = server.core.GetAtomName(one.name).reply().name.to_string()
                found[name] = Box(x=one.x, y=one.y, width=one.width, height=one.height)
    except WindowGone:
        return found
    finally:
        server.close()
    return found
