"""Watches what the user does on an X display while it is recorded, and writes it beside the video."""

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

import xcffib
from xcffib import xproto

from adapters.desktop.x11.connection import Connection, WindowGone
from adapters.desktop.x11.raw_input import RawEvent, RawInput
from adapters.desktop.x11.windows import WindowList
from adapters.recording.gestures import Gestures, KeyMeaning, KeyMeanings, Place, Wheel
from adapters.recording.opened import programs_here
from adapters.recording.pointed import PointedWindows
from core.errors import DesktopLost, DesktopUnavailable
from core.recording.input_log import Button, InputEvent, end_of_event
from core.screens import Box, Point, Window
from core.window_kinds import is_browser

if TYPE_CHECKING:
    from adapters.recording.elements import ElementWatch

_BUTTONS: Final[dict[int, Button]] = {1: "left", 2: "middle", 3: "right"}
_WHEEL: Final[dict[int, Wheel]] = {4: "up", 5: "down", 6: "left", 7: "right"}
_SIDE_BUTTONS: Final = {8: "browser_back", 9: "browser_forward"}
_CHORD_ORDER: Final = ("ctrl", "alt", "shift", "meta", "hyper")
_ALONE: Final = frozenset({"meta", "alt"})
"""The modifiers that do something when they are struck by themselves."""
_MASKS: Final = 1 | 4 | 8 | 64
"""Shift, Control, Mod1 and Mod4: one of them is on while a modifier is held."""
_SURE_SECONDS: Final = 1.0
"""A modifier that went down longer ago is held only if the server says so: a letter must never look like a chord."""
_TURN_SECONDS: Final = 0.1
_POINTER_SECONDS: Final = 0.004
_AGAIN_SECONDS: Final = 0.05
"""Until a window that is too new to be named is looked at again."""
_LOOK_SECONDS: Final = 2.0
"""A look at the windows without an event: there may be no window manager to send one."""


_HOVER_SECONDS: Final = 0.25
_REST_SECONDS: Final = 0.4
_RESTING_SECONDS: Final = 3.0
"""What is under a pointer that rests is asked for again for so long."""
_MOST_PENDING: Final = 1000


class EventSink(Protocol):
    """Takes what was done, on the watch's thread, and then on the one that closes it."""

    def add(self, event: InputEvent) -> None:
        """Take one. Raises ``OSError`` when it cannot be kept; then no more are given."""
        ...

    def close(self) -> None:
        """There are no more. Raises ``OSError``."""
        ...


class InputWatch:
    """Watches from when it is begun until it is closed, on a thread of its own.

    Args:
        display: the display, e.g. ``:99``.
        area: what of it is recorded; what is done elsewhere is not written.
        escape: called on the watch's thread when the user presses Esc, on a keyboard and not by a program.
        names: what the log may call a window, called on the watch's thread; what it says of itself if not given. It is
            asked again soon after it has returned ``None``.
        elements: makes what knows the elements that something is done to; it is closed with this.
        may_ask: whether a process may be asked for its elements; each if not given.

    Raises:
        DesktopUnavailable: there is no such display, or it cannot tell a user from a program.

    """

    def __init__(
        self,
        display: str,
        area: Box,
        escape: Callable[[], None],
        names: Callable[[Window], tuple[str, str] | None] | None = None,
        *,
        elements: Callable[[], "ElementWatch | None"] | None = None,
        may_ask: Callable[[int], bool] | None = None,
    ) -> None:
        self._area, self._escape, self._names = area, escape, names
        self.last_input = 0.0
        """The monotonic clock's second of the last press, turn of the wheel or stroke."""
        self._server = Connection(display)
        try:
            self._windows = WindowList(display)
            self._raw = RawInput(self._server)
        except DesktopUnavailable:
            self._server.close()
            raise
        self._keys = KeyMeanings(self._server)
        self._pointed = PointedWindows(self._server, names, may_ask)
        self._pending: deque[InputEvent] = deque()
        """What has ended, and waits for its element."""
        self._top = 0
        self._hovered: tuple[float, Point] | None = None
        self._moved = 0.0
        self._gestures = Gestures()
        self._log: EventSink | None = None
        self._zero = 0.0
        self._down: dict[int, float] = {}
        self._modifiers: dict[int, tuple[str, float]] = {}
        self._alone: tuple[int, str] | None = None
        self._waiting: deque[Any] = deque()
        self._pointer: Point | None = None
        self._sent_to: Point | None = None
        self._pointer_asked = 0.0
        self._focused = 0
        self._opened = programs_here(os.environ)
        self._first: int | None = None
        """The window that had the focus first."""
        self._look_due = 0.0
        self.failure: str | None = None
        """Why nothing more was written, if so."""
        self._server.core.ChangeWindowAttributes(
            self._server.root, xproto.CW.EventMask, [xproto.EventMask.PropertyChange]
        )
        self._num_lock = self._num_lock_on()
        self._wake, self._waker = os.pipe()
        self._ending = False
        self._elements = None if elements is None else elements()
        self._thread = threading.Thread(target=self._watch, name="input watch", daemon=True)

    def begin(self, zero: float, log: EventSink | None) -> None:
        """Heed Esc, and write, from now on; ``zero`` is the monotonic clock's second of the video's first frame."""
        self._zero, self._log = zero, log
        self._thread.start()

    def close(self, *, interrupted: bool = False) -> None:
        """End the watch and write the rest, without the Ctrl+C that ``interrupted`` the recording."""
        if self._thread.is_alive():
            self._ending = True
            os.write(self._waker, b"x")
            self._thread.join()
        self._write(self._gestures.close(interrupted=interrupted), wait=True)
        if self._elements is not None:
            self._elements.close()
        if self._log is not None:
            try:
                self._log.close()
            except OSError as error:
                self._failed(error)
        os.close(self._wake)
        os.close(self._waker)
        self._windows.close()
        self._server.close()

    def _watch(self) -> None:
        waiting = select.poll()
        waiting.register(self._server.x.get_file_descriptor(), select.POLLIN)
        waiting.register(self._wake, select.POLLIN)
        try:
            while not self._ending:
                self._drain()
                self._look()
                self._hover()
                self._write(self._gestures.ended(self._now()))
                waiting.poll(_TURN_SECONDS * 1000)
            self._drain()
        except (xcffib.XcffibException, DesktopLost):
            # The recorder of the pictures finds the display gone as well, and reports it.
            return
        except Exception as failure:  # noqa: BLE001 - whatever it is: the video goes on, and the user gets a warning
            self.failure = f"What is done is no longer logged: the watch for it has failed ({type(failure).__name__})."

    def _now(self) -> int:
        return max(0, round((time.monotonic() - self._zero) * 1000))

    def _drain(self) -> None:
        while (event := self._next_event()) is not None:
            if isinstance(event, xproto.MappingNotifyEvent):
                self._keys.read()
            elif isinstance(event, xproto.PropertyNotifyEvent):
                self._look_due = min(self._look_due, time.monotonic())
            elif self._raw.devices_changed(event):
                self._down.clear()
                self._modifiers.clear()
            elif (raw := self._raw.read(event)) is not None:
                self._take(raw)

        if self._pointer is None and time.monotonic() - self._pointer_asked > _POINTER_SECONDS:
            self._ask_pointer()

    def _next_event(self) -> Any:
        if self._waiting:
            return self._waiting.popleft()
        while True:
            try:
                return self._server.x.poll_for_event()
            except WindowGone:
                continue

    def _ask_pointer(self) -> Point:
        """Where the pointer is, as of the event that is looked at, although it may have gone on since.

        Whatever moved it before the server answered is told before the answer: then the answer is too late for that
        event, and where it was before is the better one.
        """
        reply = self._server.core.QueryPointer(self._server.root).reply()
        found = Point(x=reply.root_x, y=reply.root_y)
        self._pointer_asked = time.monotonic()
        self._top = reply.child
        waiting: list[Any] = []
        while (event := self._next_event()) is not None:
            waiting.append(event)
        self._waiting.extend(waiting)
        if any((raw := self._raw.read(event)) is not None and raw.kind == "motion" for event in waiting):
            return self._pointer or self._sent_to or found
        self._pointer = found
        return found

    def _take(self, raw: RawEvent) -> None:
        if raw.kind != "motion":
            self.last_input = time.monotonic()
        match raw.kind:
            case "button_press" | "button_release":
                self._alone = None
                self._button(raw)
            case "key_press":
                if raw.detail not in self._down:
                    self._down[raw.detail] = time.monotonic()
                    self._press(raw)
            case "key_release":
                self._down.pop(raw.detail, None)
                self._modifiers.pop(raw.detail, None)
                if self._alone and self._alone[0] == raw.detail:
                    self._gestures.key(self._now(), (self._alone[1],))
                    self._alone = None
            case "motion":
                if raw.moves:
                    self._pointer = None
                    self._moved = time.monotonic()
                    self._sent_to = Point(x=raw.values[0], y=raw.values[1]) if raw.injected and raw.values else None
            case _:
                pass

    def _button(self, raw: RawEvent) -> None:
        now = self._now()
        point = self._ask_pointer()
        button, way = _BUTTONS.get(raw.detail), _WHEEL.get(raw.detail)
        place = Place(point.x - self._area.x, point.y - self._area.y)
        if raw.kind == "button_release":
            if button is not None:
                self._gestures.release(now, button, self._inside(place))
        elif not self._area.contains(point):
            return
        elif button is not None:
            self._gestures.press(now, button, place)
            if self._elements is not None:
                self._elements.press(now, self._zero + now / 1000, self._pointed.at(point, self._top))
        elif way is not None:
            self._gestures.wheel(now, way, place)
        elif raw.detail in _SIDE_BUTTONS:
            self._gestures.key(now, (_SIDE_BUTTONS[raw.detail],))

    def _inside(self, place: Place) -> Place:
        """The nearest pixel of the video: a drag may end outside of it."""
        return Place(min(max(place.x, 0), self._area.width - 1), min(max(place.y, 0), self._area.height - 1))

    def _press(self, raw: RawEvent) -> None:
        now, meaning = self._now(), self._keys.of(raw.detail)
        if meaning is None:
            self._alone = None
            return
        if meaning.role in {"modifier", "level"}:
            held = bool(self._modifiers)
            self._modifiers[raw.detail] = (meaning.name, time.monotonic())
            self._alone = (raw.detail, meaning.name) if meaning.name in _ALONE and not held else None
            return
        self._alone = None
        self._num_lock ^= meaning.name == "num_lock"
        modifiers = self._held()
        if meaning.name == "escape" and not modifiers and not raw.injected:
            self._escape()
        elif self._types(meaning, modifiers):
            self._gestures.typed(now)
            self._ask_focused(now)
        elif meaning.name:
            self._gestures.key(now, (*modifiers, meaning.name))
            self._ask_focused(now)

    def _ask_focused(self, now: int) -> None:
        if self._elements is not None:
            window = self._pointed.focused()
            at = self._zero + now / 1000
            self._elements.key(at, None if window is None else window.pid, "" if window is None else window.title)

    def _hover(self) -> None:
        """Have what is under the pointer asked for, while it moves and a little longer."""
        now, point = time.monotonic(), self._pointer
        if self._elements is None or point is None or not self._area.contains(point):
            return
        since = now - self._hovered[0] if self._hovered is not None else float("inf")
        moved = self._hovered is None or self._hovered[1] != point
        rests = since > _REST_SECONDS and now - max(self._moved, self.last_input) < _RESTING_SECONDS
        if since > _HOVER_SECONDS and (moved or rests):
            self._hovered = (now, point)
            place = self._pointed.at(point, self._top)
            if place is not None:
                self._elements.hover(place)

    def _held(self) -> tuple[str, ...]:
        """The modifiers that are held, in the order in which chords are spelled."""
        if any(time.monotonic() - since > _SURE_SECONDS for _, since in self._modifiers.values()):
            mask = self._server.core.QueryPointer(self._server.root).reply().mask
            if not mask & _MASKS:
                self._modifiers.clear()
        names = {name for name, _ in self._modifiers.values()}
        return tuple(name for name in _CHORD_ORDER if name in names)

    def _types(self, meaning: KeyMeaning, modifiers: tuple[str, ...]) -> bool:
        """Whether the key types something now; Shift does not keep it from that, and AltGr even when Ctrl is held."""
        if meaning.role == "named":
            return False
        if any(not name for name, _ in self._modifiers.values()):
            return True
        if any(name != "shift" for name in modifiers):
            return False
        if meaning.role == "keypad":
            # Either may be out of date; a digit must never be logged.
            return self._num_lock or self._num_lock_on() or "shift" in modifiers
        return True

    def _num_lock_on(self) -> bool:
        """Whether the server says that it is on, which may be later than the key that is looked at."""
        return bool(self._server.core.QueryPointer(self._server.root).reply().mask & self._keys.num_lock)

    def _look(self) -> None:
        """See which window has the focus, when something has changed or long ago."""
        now = time.monotonic()
        if now < self._look_due:
            return
        self._look_due = now + _LOOK_SECONDS
        self._pointed.windows = self._windows.windows()
        focused = next((window for window in self._pointed.windows if window.focused), None)
        if focused is None or not focused.box.overlap(self._area):
            return
        if focused.id != self._focused:
            self._focused = focused.id
            # So that the server tells when its title changes.
            self._server.core.ChangeWindowAttributes(focused.id, xproto.CW.EventMask, [xproto.EventMask.PropertyChange])
            self._server.x.flush()
        named = (focused.application, focused.title) if self._names is None else self._names(focused)
        if named is None:
            self._look_due = now + _AGAIN_SECONDS
        else:
            self._gestures.window(self._now(), *named, self._command(focused))

    def _command(self, window: Window) -> tuple[str, ...] | None:
        """How the first window's program is opened anew, if it may be asked for anything."""
        if self._first is None and not is_browser(window.application):
            self._first = window.id
            described = self._pointed.focused()
            if described is not None and described.id == window.id:
                return self._opened(window)
        return None

    def _write(self, events: list[InputEvent], *, wait: bool = False) -> None:
        """Write what has ended in its order, as soon as its elements are known."""
        elements = self._elements
        self._pending += events
        while self._pending:
            event = self._pending[0]
            begun, ended = self._zero + event.t_ms / 1000, self._zero + end_of_event(event) / 1000
            if elements is not None and not elements.is_settled(event, ended) and len(self._pending) < _MOST_PENDING:
                if not wait:
                    return
                time.sleep(_POINTER_SECONDS)
                continue
            self._pending.popleft()
            if elements is not None:
                event = elements.with_element(event, begun, ended)
            self._keep(event)

    def _keep(self, event: InputEvent) -> None:
        try:
            if self._log is not None and self.failure is None:
                self._log.add(event)
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        self.failure = f"What is done is no longer logged: the input log cannot be written ({error.strerror})."
