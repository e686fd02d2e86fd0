"""The time zone of this machine, by its IANA name: for schedules that name none."""

from __future__ import annotations

import os
import zoneinfo
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_SYSTEM: Final = Path("/etc")
_FOLDER: Final = "zoneinfo/"


def machine_zone(environment: Mapping[str, str] = os.environ, system: Path = _SYSTEM) -> str:
    """The zone's name as the system's own programs find it; empty when it has none that others would know.

    Args:
        environment: its ``TZ`` comes first, as in tzset(3).
        system: the folder with ``localtime`` (a link into the zone database, localtime(5)) and Debian's ``timezone``.

    """
    told = environment.get("TZ")
    if told is not None:
        return _known(told.removeprefix(":")) if told else "UTC"
    place = system / "localtime"
    if not place.exists():
        return "UTC"
    target = str(place.resolve())
    if _FOLDER in target and (name := _known(target.rpartition(_FOLDER)[2])):
        return name
    try:
        return _known((system / "timezone").read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError):
        return ""


def _known(name: str) -> str:
    """The name if there is such a zone; a path to its file counts as its name."""
    name = name.rpartition(_FOLDER)[2] if name.startswith("/") else name
    try:
        return zoneinfo.ZoneInfo(name).key
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return ""
