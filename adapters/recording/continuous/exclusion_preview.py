"""Looks once at which windows a display shows, and judges them as the recorder would; no pixel is looked at."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Final

from adapters.desktop.display_names import HAS_X
from adapters.recording.source import display_to_record
from core.errors import DesktopLost, DesktopUnavailable
from core.recording.recorder import ExclusionPreview, Exclusions, PreviewedWindow
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.recording.continuous.clients import Client, Top

_MOST_WINDOWS: Final = 200
_MOST_WORDS: Final = 300
_BORDER: Final = "vaider-recording\0Vaider"
_LEAST_PIXELS: Final = 16
"""Programs keep invisible windows of a pixel."""


def preview(display: str, exclusions: Exclusions, environment: Mapping[str, str]) -> ExclusionPreview:
    """What would be blacked out now.

    Args:
        display: as ``RecorderOptions.display``.
        exclusions: what may not be recorded.
        environment: of the user's session.

    Raises:
        InvalidRequest: a private display is named.
        DesktopUnavailable: there is no such display, or its windows cannot be told apart; the message says why.

    """
    if not HAS_X:
        raise DesktopUnavailable("On this system windows cannot be told apart: nothing is blacked out, pause instead.")
    name, monitor = display_to_record(display, environment)

    from adapters.desktop.x11.connection import Connection  # noqa: PLC0415 - there is no X elsewhere
    from adapters.recording.continuous.window_watch import WindowWatch  # noqa: PLC0415 - same
    from adapters.recording.source import find_monitor  # noqa: PLC0415 - same

    try:
        with closing(WindowWatch(name, exclusions)) as watch:
            watch.look()
            with closing(Connection(name)) as server:
                size = server.screen
                screen = Box(x=0, y=0, width=size.width_in_pixels, height=size.height_in_pixels)
            area = screen if monitor is None else find_monitor(name, monitor)
            shown = [
                (top, hidden)
                for top, hidden in watch.shown()
                if top.box.overlap(screen) >= _LEAST_PIXELS
                and min(top.box.width, top.box.height) > 1
                and not _ours(top)
            ]
            clients = [client for top, _ in shown for client in top.clients.values()]
            windows = [_window(top, clients, hidden=hidden) for top, hidden in shown]
    except DesktopLost as error:
        raise DesktopUnavailable(error.message) from None
    return ExclusionPreview(
        display=name,
        width=screen.width,
        height=screen.height,
        area=area,
        windows=tuple(windows[-_MOST_WINDOWS:]),
    )


def _ours(top: Top) -> bool:
    """Whether it is the border around what is recorded: it covers everything, and has a hole."""
    return top.bare and any(client.application == _BORDER for client in top.clients.values())


def _window(top: Top, clients: Sequence[Client], *, hidden: bool) -> PreviewedWindow:
    named = next((client for client in top.clients.values() if client.identified), None)
    return PreviewedWindow(
        box=Box(x=top.box.x, y=top.box.y, width=top.box.width, height=top.box.height),
        application="" if named is None else named.application.rpartition("\0")[2][:_MOST_WORDS],
        title=None if named is None or hidden else named.title[:_MOST_WORDS],
        excluded=hidden,
        why=_why(top, clients) if hidden else None,
    )


def _why(top: Top, clients: Sequence[Client]) -> str:
    """Of itself, or of the window that it belongs to."""
    own = [*top.clients.values()]
    for client in own:
        if client.exclusion is not None:
            return client.exclusion.why
    for client in own:
        for other in clients:
            owner = other.id == client.transient_for or other.pid == client.pid is not None
            if other.exclusion is not None and (owner or other.leader == client.leader != 0):
                return f"it belongs to {other.exclusion.why}"
    return "it does not say what it is"
