"""Hands by pyautogui: those of macOS and Windows, and on X11 for who asks for them.

pyautogui is imported when the hands are made, because it connects to the display then, once for the process. What it
would do wrongly without a word is refused here: characters that it drops, keys that it lacks, keys that mean something
else on the present layout.
"""

import importlib
import os
import sys
import types
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Final

from adapters.desktop.hands import Ledger, letting_go, pause, struck
from adapters.desktop.pointing import Pointing
from core.actions import Action, Click, Drag, HoldKey, Key, Move, Press, Scroll, Type
from core.errors import ActionFailed, DesktopLost, DesktopUnavailable, Internal
from core.key_names import spell
from core.screens import Point

_BUTTONS: Final = {1: "left", 2: "middle", 3: "right"}
_TEXT_KEYS: Final = {"\n": "enter", "\t": "tab", " ": "space"}
_PASTE_SECONDS: Final = 0.3
_X_KINDS: Final = {2: "key_press", 3: "key_release", 4: "button_press", 5: "button_release", 6: "motion"}
# Windows counts 120 to a notch of the wheel, macOS about three lines.
_NOTCH: Final = {"win32": 120, "darwin": 3}
_LOCKED: Final = 2
_GROUPS: Final = 0x6000


class _Mouse:
    """``Mouse`` and the keyboard, with what they hold."""

    def __init__(self, gui: Any) -> None:
        self._gui = gui
        self._held: list[tuple[str, str]] = []

    @property
    def held(self) -> int:
        """How many keys and buttons are down."""
        return len(self._held)

    def move(self, point: Point) -> None:
        self._gui.moveTo(point.x, point.y)

    def press_button(self, button: int) -> None:
        self._down("button", _BUTTONS[button])

    def release_button(self, button: int) -> None:
        self._up("button", _BUTTONS[button])

    def press_key(self, name: str) -> None:
        """Press a key by pyautogui's name, unless it is held."""
        self._down("key", name)

    def turn_wheel(self, step: int, *, sideways: bool) -> None:
        if sideways and sys.platform == "win32":
            raise ActionFailed("The wheel cannot be turned sideways on Windows; hold shift and scroll instead.")
        notch = step * _NOTCH.get(sys.platform, 1)
        if sideways:
            # macOS counts to the left.
            self._gui.hscroll(-notch if sys.platform == "darwin" else notch)
        else:
            self._gui.scroll(-notch)

    def pointer(self) -> Point:
        x, y = self._gui.position()
        return Point(x=int(x), y=int(y))

    def size(self) -> tuple[int, int]:
        width, height = self._gui.size()
        return int(width), int(height)

    def let_go(self, kept: int = 0) -> None:
        """Release in reverse order what is held, but for the first ``kept``."""
        for kind, name in reversed(self._held[kept:]):
            self._up(kind, name)

    def forget(self) -> None:
        """Nothing is held any more: the display is gone."""
        self._held.clear()

    def _down(self, kind: str, name: str) -> None:
        if (kind, name) in self._held:
            return
        self._held.append((kind, name))
        if kind == "key":
            self._gui.keyDown(name)
        else:
            self._gui.mouseDown(button=name)

    def _up(self, kind: str, name: str) -> None:
        if (kind, name) not in self._held:
            return
        if kind == "key":
            self._gui.keyUp(name)
        else:
            self._gui.mouseUp(button=name)
        self._held.remove((kind, name))


class PyAutoGuiHands:
    """``Hands`` by pyautogui, in a process that acts on one display only.

    Text is typed as far as pyautogui is sure of its characters. On macOS and Windows the rest is pasted; on X11 it is
    refused: the X11 hands can.

    Args:
        display: the X display, e.g. ``:99``; on other platforms it has no meaning.
        ledger: notes each event before it is sent, on X11 alone.

    Raises:
        DesktopUnavailable: pyautogui is not installed, may not act, or has no such display.

    """

    def __init__(self, display: str, ledger: Ledger) -> None:
        self._gui = _pyautogui(display)
        self._mouse = _Mouse(self._gui)
        self._layout: _XLayout | None = _XLayout(self._gui, ledger) if sys.platform == "linux" else None
        self._pointing = Pointing(self._mouse, self._holding)

    def perform(self, action: Action, check: Callable[[], None]) -> None:
        """As ``Hands.perform``."""
        with letting_go(self._let_go, self._mouse.held):
            check()
            with self._alive():
                self._perform(action, check)

    def read_field(self, at: Point, check: Callable[[], None], *, several_lines: bool, deletes: bool = False) -> None:
        """As ``Hands.read_field``: there is no selection that could be read without the clipboard."""
        del at, several_lines, deletes
        check()

    def release(self) -> None:
        """As ``Hands.release``."""
        self._let_go(0)

    def pointer(self) -> Point:
        """As ``Hands.pointer``."""
        with self._alive():
            return self._mouse.pointer()

    def close(self) -> None:
        """As ``Hands.close``; pyautogui itself cannot be closed before its process ends."""
        self._let_go(0)

    def _perform(self, action: Action, check: Callable[[], None]) -> None:
        match action:
            case Click() | Press() | Drag() | Move() | Scroll():
                self._pointing.perform(action, check)
            case Type():
                self._type(action.text.replace("\r\n", "\n").replace("\r", "\n"), check)
            case Key():
                names = self._names(struck(action.keys))
                for _ in range(action.repeat):
                    self._strike(names, 0.0, check)
            case HoldKey():
                self._strike(self._names(struck(action.keys)), action.seconds, check)
            case _:
                raise Internal(f"{action.action} is no input to a desktop.")

    def _type(self, text: str, check: Callable[[], None]) -> None:
        try:
            names = self._names([_TEXT_KEYS.get(character, character) for character in text], typed=True)
        except ActionFailed:
            if self._layout is not None:
                raise
            self._paste(text, check)
            return
        for name in names:
            self._strike([name], 0.0, check)

    def _paste(self, text: str, check: Callable[[], None]) -> None:
        try:
            clipboard = importlib.import_module("pyperclip")
            before = clipboard.paste()
            clipboard.copy(text)
        except Exception as error:
            raise ActionFailed("The text has characters that no key types, and the clipboard is not there.") from error
        try:
            self._strike(self._names(["meta" if sys.platform == "darwin" else "ctrl", "v"]), 0.0, check)
            pause(_PASTE_SECONDS, check)
        finally:
            clipboard.copy(before)

    def _strike(self, names: Sequence[str], seconds: float, check: Callable[[], None]) -> None:
        kept = self._mouse.held
        for name in names:
            self._mouse.press_key(name)
            check()
        if seconds:
            pause(seconds, check)
        self._mouse.let_go(kept)
        check()

    @contextmanager
    def _holding(self, keys: Sequence[str], check: Callable[[], None]) -> Generator[None]:
        kept = self._mouse.held
        for name in self._names(struck(keys)):
            self._mouse.press_key(name)
            check()
        yield
        if keys:
            self._mouse.let_go(kept)
            check()

    def _names(self, keys: Sequence[str], *, typed: bool = False) -> list[str]:
        """What pyautogui calls them. Raises ``ActionFailed`` unless each means on this layout what it says."""
        if self._layout is not None and any(len(key) == 1 for key in keys):
            self._layout.require_plain()
        names: list[str] = []
        for key in keys:
            try:
                name = spell(key, "pyautogui")
            except ValueError as error:
                raise ActionFailed(f"pyautogui has no key {key!r}; choose another key.") from error
            sure = self._layout.means(name, key) if self._layout is not None else self._gui.isValidKey(name)
            if not sure:
                what = "type the character" if typed or len(key) == 1 else "press the key"
                raise ActionFailed(f"pyautogui cannot {what} {key!r} on this keyboard layout; use the X11 hands.")
            names.append(name)
        return names

    def _let_go(self, kept: int) -> None:
        try:
            with self._alive():
                self._mouse.let_go(kept)
        except DesktopLost:
            self._mouse.forget()

    @contextmanager
    def _alive(self) -> Generator[None]:
        try:
            yield
        except self._gui.PyAutoGUIException as error:
            raise ActionFailed(f"pyautogui could not do it: {type(error).__name__}; choose another action.") from error
        except OSError as error:
            raise DesktopLost("The display has gone away; start the run again when it is back.") from error
        except Exception as error:
            if type(error).__module__.startswith("Xlib."):
                raise DesktopLost("The display has gone away; start the run again when it is back.") from error
            raise


class _XLayout:
    """The X keyboard as pyautogui knows it, and its events as the ledger does."""

    def __init__(self, gui: Any, ledger: Ledger) -> None:
        self._gui = gui
        self._platform = gui.platformModule
        self._display = self._platform._display  # noqa: SLF001 - pyautogui offers no other way to its connection
        # It types ">" for "<" where a layout has both on a key of their own and on the comma's.
        mapping = self._platform.keyboardMapping
        for character, instead in (("<", ","), (">", ".")):
            if not self._reaches(mapping.get(character), character):
                mapping[character] = mapping[instead]
        # The last hands of this process may have been at it.
        send = getattr(self._platform.fake_input, "__wrapped__", self._platform.fake_input)

        def send_recorded(display: Any, kind: int, detail: int = 0, **where: int) -> None:
            ledger.record(_X_KINDS[kind], detail)  # type: ignore[arg-type]
            send(display, kind, detail, **where)

        send_recorded.__wrapped__ = send  # type: ignore[attr-defined]
        self._platform.fake_input = send_recorded

    def require_plain(self) -> None:
        """Refuse to type while pyautogui would type something else, as it does not look at locks and groups."""
        state = self._display.screen().root.query_pointer().mask
        if state & _LOCKED:
            raise ActionFailed("Caps Lock is on, which pyautogui ignores; press caps_lock first.")
        if state & _GROUPS:
            raise ActionFailed("Another keyboard layout is switched to, which pyautogui ignores; use the first.")

    def means(self, name: str, key: str) -> bool:
        """Whether pyautogui's name reaches that very key."""
        keycode = self._platform.keyboardMapping.get(name)
        return self._reaches(keycode, key)

    def _reaches(self, keycode: int | None, key: str) -> bool:
        if not keycode:
            return False
        from adapters.desktop.x11.keysyms import keysym_of  # noqa: PLC0415 - there is no X11 on other platforms

        shifted = len(key) == 1 and bool(self._gui.isShiftCharacter(key))
        plain, with_shift = (int(self._display.keycode_to_keysym(keycode, level)) for level in (0, 1))
        # A key that has one symbol keeps it beside shift.
        return keysym_of(key) == (with_shift or plain if shifted else plain)


@contextmanager
def _authority() -> Generator[None]:
    """Let its Xlib find a file of authority, without which it gives up even where none is needed."""
    usual = Path.home() / ".Xauthority"
    if sys.platform != "linux" or "XAUTHORITY" in os.environ or usual.exists():
        yield
        return
    os.environ["XAUTHORITY"] = os.devnull
    try:
        yield
    finally:
        del os.environ["XAUTHORITY"]


def _pyautogui(display: str) -> Any:
    # Its mouse inspector ends the process when there is no tkinter, and has no other use than to be looked at.
    sys.modules.setdefault("mouseinfo", types.ModuleType("mouseinfo"))
    if sys.platform == "linux":
        os.environ["DISPLAY"] = display
    try:
        # Its Xlib prints warnings where others speak to us.
        with _authority(), redirect_stdout(sys.stderr):
            gui: Any = importlib.import_module("pyautogui")
    except ImportError:
        raise DesktopUnavailable("pyautogui is not installed; install Vaider with its extra 'pyautogui'.") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it ends the process, and its libraries raise anything
        raise DesktopUnavailable(
            f"pyautogui cannot act on the display {display} ({type(error).__name__}); is it there, and permitted?"
        ) from None
    if sys.platform == "linux" and gui.platformModule._display.get_display_name() != display:  # noqa: SLF001 - as above
        raise DesktopUnavailable("pyautogui acts on another display already; use a process for each.")
    gui.PAUSE = 0
    # A corner of the screen is a place like any other; stopping is the takeover's business.
    gui.FAILSAFE = False
    return gui
