"""What is recorded: a display or one of its monitors, with a border around it and a watch over its input where X is."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import xcffib
from xcffib import randr, shape, xproto

from adapters.desktop.display_names import CURRENT, HAS_X, PRIVATE, on_wayland, resolve
from adapters.desktop.x11.connection import Connection, WindowGone
from core.errors import DesktopLost, DesktopUnavailable, InvalidRequest
from core.screens import Box, Picture, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from adapters.recording.elements import ElementWatch
    from adapters.recording.input_watch import EventSink, InputWatch
    from core.recording.input_log import InputLogHeader


WIDTH: Final = 4
"""Pixels on a screen of usual resolution."""
RED: Final = 0xE0_1B_24
_SHARP: Final = 1600
"""Rows from which on it is drawn in double width."""
_RAISES: Final = 8
"""How often a second it comes back to the top; somebody who insists more than that wins."""


class Border:
    """Is there from the moment it is made until it is closed, its process dies, or the server does.

    Input goes through it, it never has the focus, and no window manager touches it. Used by one thread.

    Args:
        display: the display, e.g. ``:99``.
        area: what it is around; its lines lie on the outermost pixels of it.

    Raises:
        DesktopUnavailable: there is no such display, or its server has no windows that let input through.

    """

    def __init__(self, display: str, area: Box) -> None:
        self._server = Connection(display)
        self._shape: Any = self._server.extension(shape.key)
        version = self._shape.QueryVersion().reply() if self._shape else None
        if version is None or (version.major_version, version.minor_version) < (1, 1):
            self._server.close()
            raise DesktopUnavailable(f"The display {display} has no windows that let clicks through (SHAPE 1.1).")
        self._area = area
        self.width = WIDTH * (2 if area.height >= _SHARP else 1)
        self._raised: list[float] = []
        self._window = self._make()

    def keep(self) -> None:
        """Come back to the top, if anything has come above it. Call it often."""
        covered = False
        with suppress(xcffib.XcffibException):
            while (event := self._next_event()) is not None:
                if isinstance(event, xproto.VisibilityNotifyEvent) and event.state != xproto.Visibility.Unobscured:
                    covered = True
            now = time.monotonic()
            self._raised = [at for at in self._raised if now - at < 1]
            if covered and len(self._raised) < _RAISES:
                self._raised.append(now)
                self._server.core.ConfigureWindow(self._window, xproto.ConfigWindow.StackMode, [xproto.StackMode.Above])
                self._server.x.flush()

    def close(self) -> None:
        """Take it away; it is gone when this returns."""
        with suppress(xcffib.XcffibException, WindowGone):
            self._server.core.DestroyWindow(self._window)
            self._server.sync()
        self._server.close()

    def _next_event(self) -> Any:
        return self._server.x.poll_for_event()

    def _make(self) -> int:
        core, screen, window, area = self._server.core, self._server.screen, self._server.x.generate_id(), self._area
        flags = xproto.CW.BackPixel | xproto.CW.OverrideRedirect | xproto.CW.EventMask
        core.CreateWindow(
            screen.root_depth, window, screen.root, area.x, area.y, area.width, area.height, 0,
            xproto.WindowClass.InputOutput, screen.root_visual, flags, [RED, 1, xproto.EventMask.VisibilityChange],
        )  # fmt: skip
        line = self.width
        strips = [
            (0, 0, area.width, line),
            (0, area.height - line, area.width, line),
            (0, 0, line, area.height),
            (area.width - line, 0, line, area.height),
        ]
        lines = [xproto.RECTANGLE.synthetic(x, y, width, height) for x, y, width, height in strips]
        self._shape.Rectangles(shape.SO.Set, shape.SK.Bounding, 0, window, 0, 0, len(lines), lines)
        self._shape.Rectangles(shape.SO.Set, shape.SK.Input, 0, window, 0, 0, 0, [])
        name = b"vaider-recording\0Vaider\0"
        core.ChangeProperty(
            xproto.PropMode.Replace, window, xproto.Atom.WM_CLASS, xproto.Atom.STRING, 8, len(name), name
        )
        core.MapWindow(window)
        core.ConfigureWindow(window, xproto.ConfigWindow.StackMode, [xproto.StackMode.Above])
        self._server.sync()
        return window


_BLACK: Final = (0, 0, 0, 255)


class Source:
    """A display that is open to be recorded; a context manager, whose border is gone when it is left.

    Args:
        display: its own name.
        monitor: the name of one of its monitors, or all.
        escape: called when the user presses Esc there.
        border: whether a border is shown.
        watched: whether input is watched.
        names: what the log may call a window; empty words where it may not.
        session: the address of the session bus, by which programs tell of their elements; empty for none.
        may_ask: whether a process may be asked for its elements; each if not given.

    Raises:
        DesktopUnavailable: it cannot be seen, or has no such monitor.

    """

    def __init__(
        self,
        display: str,
        monitor: str | None,
        escape: Callable[[], None],
        *,
        border: bool = True,
        watched: bool = True,
        names: Callable[[Window], tuple[str, str] | None] | None = None,
        session: str = "",
        may_ask: Callable[[int], bool] | None = None,
    ) -> None:
        self._session, self._allowed = session, may_ask
        self.warnings: list[str] = []
        self._bordered, self._watched, self._names = border, watched, names
        self._display = display
        self._screen: Any
        self._border: Border | None = None
        self._watch: InputWatch | None = None
        if HAS_X:
            self._open_x(display, monitor, escape)
        else:
            self._open_plain(monitor)

    @property
    def escape_stops(self) -> bool:
        """Whether Esc is noticed."""
        return self._watch is not None

    def begin(self, zero: float, log: Path, header: InputLogHeader) -> bool:
        """Watch input from now on; ``zero`` is when the first picture was taken. Returns whether it is logged."""
        if self._watch is None:
            return False
        from adapters.recording.files import LogFile  # noqa: PLC0415 - as its user is

        try:
            file = LogFile(log, header)
        except OSError as error:
            self.warnings.append(f"What is done is not logged: {log} cannot be written ({error.strerror}).")
            file = None
        self._watch.begin(zero, file)
        return file is not None

    def log_to(self, zero: float, sink: EventSink) -> bool:
        """Watch input from now on, and give each event to somebody. Returns whether it can be watched."""
        if self._watch is not None:
            self._watch.begin(zero, sink)
        return self._watch is not None

    @property
    def last_input(self) -> float:
        """The monotonic clock's second at which something was done; 0 when nothing was, or input is not watched."""
        return 0.0 if self._watch is None else self._watch.last_input

    @property
    def changed(self) -> bool:
        """Whether the display shows another part of what is recorded than when this was opened."""
        return self._seen != self.area

    def look(self) -> Picture:
        """The whole display as it is now. Raises ``DesktopLost``."""
        if self._border is not None:
            self._border.keep()
        picture: Picture = self._screen.grab()
        seen = _common(self.area, picture)
        if seen != self._seen:
            if not seen.width or not seen.height:
                raise DesktopLost("What was recorded is no part of the display any more.")
            self._seen = seen
            if self._border is not None:
                self.hide_border()
                self.show_border()
                picture = self._screen.grab()
            if seen != self.area:
                self.warnings.append("The display became smaller while it was recorded: what is missing is black.")
        return picture

    def pixels(self, picture: Picture, hidden: Sequence[Box] = ()) -> NDArray[np.uint8]:
        """The recorded part, rows of BGRA pixels, without the border: what is beside it stands in for it.

        Always of the same size: when the display has changed its own, it is cut off or black where nothing is.

        Args:
            picture: of the whole display.
            hidden: the places of the display that are black.

        """
        area, seen = self.area, self._seen
        rows = np.frombuffer(picture.bgra, np.uint8).reshape(picture.height, picture.width, 4)
        found = rows[seen.y : seen.y + seen.height, seen.x : seen.x + seen.width].copy()
        for box in hidden:
            left, top = max(0, box.x - seen.x), max(0, box.y - seen.y)
            found[top : max(0, box.y + box.height - seen.y), left : max(0, box.x + box.width - seen.x)] = _BLACK
        if self._border is not None and min(found.shape[:2]) > 2 * self._border.width:
            line = self._border.width
            found[:line], found[-line:] = found[line], found[-line - 1]
            found[:, :line], found[:, -line:] = found[:, line : line + 1], found[:, -line - 1 : -line]
        missing = (area.height - found.shape[0], area.width - found.shape[1])
        return np.pad(found, ((0, missing[0]), (0, missing[1]), (0, 0))) if any(missing) else found

    def hide_border(self) -> None:
        """Take the border away, now."""
        if self._border is not None:
            self._border.close()
            self._border = None

    def end_watch(self, *, interrupted: bool) -> str | None:
        """Write the rest of the log; returns why it ends early, if it does."""
        watch, self._watch = self._watch, None
        if watch is None:
            return None
        watch.close(interrupted=interrupted)
        return watch.failure

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide_border()
        self.end_watch(interrupted=False)
        self._screen.close()

    def _open_x(self, display: str, monitor: str | None, escape: Callable[[], None]) -> None:
        from adapters.desktop.x11.screen import X11Screen  # noqa: PLC0415 - there is no X elsewhere
        from adapters.recording.input_watch import InputWatch  # noqa: PLC0415 - same

        self._screen = X11Screen(display)
        try:
            width, height = self._screen.size
            self.area = Box(x=0, y=0, width=width, height=height)
            if monitor is not None:
                self.area = find_monitor(display, monitor)
            try:
                if self._watched:
                    self._watch = InputWatch(
                        display, self.area, escape, self._names, elements=self._elements, may_ask=self._allowed
                    )
            except DesktopUnavailable:
                self.warnings.append(
                    "Esc does not stop the recording, and what is done is not logged: this display has no XInput 2.2."
                )
            self._seen = self.area
            self.show_border()
        except BaseException:
            self.__exit__()
            raise

    def _elements(self) -> ElementWatch | None:
        if not self._session:
            return None
        from adapters.recording.elements import ElementWatch  # noqa: PLC0415 - asyncio and D-Bus, where there is a bus

        return ElementWatch(self._session)

    def show_border(self) -> None:
        """Show it, if it is wanted and not there."""
        if not self._bordered or self._border is not None:
            return

        try:
            self._border = Border(self._display, self._seen)
        except DesktopUnavailable as error:
            self.warnings.append(f"No border is shown around what is recorded: {error.message}")

    def _open_plain(self, monitor: str | None) -> None:
        from adapters.desktop.plain import PlainScreen  # noqa: PLC0415 - only where there is no X

        if monitor is not None:
            raise DesktopUnavailable("On this system all monitors are recorded together: leave out the one after @.")
        self._screen = PlainScreen()
        try:
            # On screens of double density a picture has more pixels than the screen says.
            picture: Picture = self._screen.grab()
        except DesktopLost as error:
            self._screen.close()
            raise DesktopUnavailable(error.message) from None
        self.area = self._seen = Box(x=0, y=0, width=picture.width, height=picture.height)
        self.warnings.append(
            "On this system no border shows that you are recorded, Esc does not stop it (Ctrl-C does), and what you do "
            "is not logged beside the video."
        )


def _common(area: Box, picture: Picture) -> Box:
    """What of the area the picture shows."""
    width = min(area.x + area.width, picture.width) - area.x
    height = min(area.y + area.height, picture.height) - area.y
    return Box(x=area.x, y=area.y, width=max(0, width), height=max(0, height))


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
