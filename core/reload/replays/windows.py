"""Which window an action goes to, and whether a window is the one that was recorded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.reload.entry import WindowIdentity
from core.reload.templates import Template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.ports import Programs
    from core.screens import Point, Window

_MARKS: Final = re.compile(r"^(?:\(\d{1,4}\+?\)\s*|[*●•]\s*)+|\s*[*●•]$")
"""What programs put before or behind a title to say how much is new, or that something is not saved."""


def window_at(windows: Sequence[Window], point: Point) -> Window | None:
    """The topmost window at a point; ``windows`` has the topmost first."""
    return next((window for window in windows if window.box.contains(point)), None)


def focused_window(windows: Sequence[Window]) -> Window | None:
    """The one that the keyboard writes to."""
    return next((window for window in windows if window.focused), None)


def identity_of(window: Window, values: Mapping[str, str], programs: Programs, address: str = "") -> WindowIdentity:
    """What tells it from others; values in its title become places."""
    return WindowIdentity(
        application=window.application,
        program=programs.program(window),
        title=Template.of(_plain(window.title), values),
        address=address,
    )


def is_window(identity: WindowIdentity, window: Window, values: Mapping[str, str], programs: Programs) -> bool:
    """Whether it is the recorded one: the same application, title and, never mind what it claims, the same program."""
    if window.application != identity.application or _plain(window.title) != identity.title.filled(values):
        return False
    return not identity.program or programs.program(window) == identity.program


def find_window(
    identity: WindowIdentity, windows: Sequence[Window], values: Mapping[str, str], programs: Programs
) -> Window | None:
    """The topmost one that it is."""
    return next((each for each in windows if is_window(identity, each, values, programs)), None)


def named(identity: WindowIdentity, values: Mapping[str, str]) -> str:
    """The window in words."""
    title = identity.title.filled(values)
    return f'the window "{title}" of {identity.application}' if title else f"the window of {identity.application}"


def _plain(title: str) -> str:
    return " ".join(_MARKS.sub("", title).split())
