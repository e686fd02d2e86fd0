"""What is recorded: a display or one of its monitors, with a border around it and a watch over its input where X is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from adapters.desktop.display_names import HAS_X
from core.errors import DesktopLost, DesktopUnavailable
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from adapters.recording.border import Border
    from adapters.recording.input_watch import EventSink, InputWatch
    from core.recording.input_log_lines import InputLogHeader
    from core.screens import Picture, Window

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
    ) -> None:
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
        from adapters.recording.log_file import LogFile  # noqa: PLC0415 - as its user is

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
        """The monotonic clock's second at which something was done; 0 when nothing was, or nobody watches."""
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
        from adapters.recording.monitors import find_monitor  # noqa: PLC0415 - same

        self._screen = X11Screen(display)
        try:
            width, height = self._screen.size
            self.area = Box(x=0, y=0, width=width, height=height)
            if monitor is not None:
                self.area = find_monitor(display, monitor)
            try:
                if self._watched:
                    self._watch = InputWatch(display, self.area, escape, self._names)
            except DesktopUnavailable:
                self.warnings.append(
                    "Esc does not stop the recording, and what is done is not logged: this display has no XInput 2.2."
                )
            self._seen = self.area
            self.show_border()
        except BaseException:
            self.__exit__()
            raise

    def show_border(self) -> None:
        """Show it, if it is wanted and not there."""
        if not self._bordered or self._border is not None:
            return
        from adapters.recording.border import Border  # noqa: PLC0415 - there is no X elsewhere

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
