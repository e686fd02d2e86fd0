import os
import signal
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import pytest
from xcffib import xproto

from adapters.desktop.x11.windows import WindowList
from core.errors import DesktopLost, DesktopUnavailable
from core.screens import Window
from tests.clock import until
from tests.fakes.desktops.x_user import connected, server_process, set_monitors, started, x_display

pytestmark = pytest.mark.screen


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display() as name:
        yield name


@pytest.fixture(scope="module")
def client(display: str) -> Generator[Any]:
    """One for all tests: the numbers of windows are used again by the next one, which confuses the window manager."""
    with connected(display) as x:
        yield x


@pytest.fixture
def x(client: Any) -> Generator[Any]:
    """A client whose windows are gone after the test."""
    made: list[int] = []
    yield _Client(client, made)
    for window in made:
        client.core.DestroyWindow(window)
    client.core.GetInputFocus().reply()


@dataclass
class _Client:
    connection: Any
    made: list[int]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def generate_id(self) -> int:
        self.made.append(self.connection.generate_id())
        return self.made[-1]


def _make(x: Any, title: str, box: tuple[int, int, int, int], **properties: tuple[str, int, bytes]) -> int:
    """A window of our own, as any toolkit makes one."""
    window, screen = x.generate_id(), x.setup.roots[0]
    x.core.CreateWindow(24, window, screen.root, *box, 0, xproto.WindowClass.InputOutput, screen.root_visual, 0, [])
    hints = _atom(x, "WM_NORMAL_HINTS"), _atom(x, "WM_SIZE_HINTS")
    place = b"".join(number.to_bytes(4, "little", signed=True) for number in (1 | 2, *box, *([0] * 13)))
    x.core.ChangeProperty(xproto.PropMode.Replace, window, *hints, 32, len(place) // 4, place)
    text = title.encode()
    x.core.ChangeProperty(
        xproto.PropMode.Replace, window, _atom(x, "_NET_WM_NAME"), _atom(x, "UTF8_STRING"), 8, len(text), text
    )
    for name, (kind, bits, data) in properties.items():
        x.core.ChangeProperty(
            xproto.PropMode.Replace, window, _atom(x, name), _atom(x, kind), bits, len(data) * 8 // bits, data
        )
    x.core.MapWindow(window)
    x.core.GetInputFocus().reply()
    return window


def _atom(x: Any, name: str) -> int:
    return x.core.InternAtom(0, len(name), name).reply().atom


def _titled(listed: WindowList, title: str) -> Window | None:
    return next((window for window in listed.windows() if window.title == title), None)


def _awaited(listed: WindowList, title: str) -> Window:
    until(lambda: _titled(listed, title) is not None)
    found = _titled(listed, title)
    assert found
    return found


def test_a_program_is_listed_with_title_application_process_and_frame(display: str) -> None:
    listed = WindowList(display)
    command = ["xterm", "-u8", "-T", "plain title", "-geometry", "60x10+100+50", "-e", "cat"]
    with started(display, *command) as program:
        found = _awaited(listed, "plain title")
        until(lambda: (_titled(listed, "plain title") or found).focused)
        assert found.application == "XTerm"
        assert found.pid == program.pid
        assert (found.box.x, found.box.y) == (100, 50)
        assert found.box.width > 300
        assert found.box.height > 100
    until(lambda: _titled(listed, "plain title") is None)
    listed.close()


def test_windows_come_topmost_first_and_only_the_active_one_has_the_focus(display: str, x: Any) -> None:
    listed = WindowList(display)
    below = _make(x, "below", (10, 10, 200, 100))
    _awaited(listed, "below")
    above = _make(x, "Ünïcödé ☃ 漢字", (50, 50, 200, 100))
    _awaited(listed, "Ünïcödé ☃ 漢字")
    assert [window.id for window in listed.windows()] == [above, below]
    x.core.ConfigureWindow(below, xproto.ConfigWindow.StackMode, [xproto.StackMode.Above])
    x.flush()
    until(lambda: [window.id for window in listed.windows()] == [below, above])
    assert sum(window.focused for window in listed.windows()) <= 1
    listed.close()


def test_a_minimised_window_is_not_listed(display: str, x: Any) -> None:
    listed = WindowList(display)
    window = _make(x, "soon small", (10, 10, 200, 100))
    _awaited(listed, "soon small")
    data = xproto.ClientMessageData.synthetic([3, 0, 0, 0, 0], "5I")
    message = xproto.ClientMessageEvent.synthetic(32, window, _atom(x, "WM_CHANGE_STATE"), data)
    mask = xproto.EventMask.SubstructureNotify | xproto.EventMask.SubstructureRedirect
    x.core.SendEvent(0, x.setup.roots[0].root, mask, message.pack())
    x.flush()
    until(lambda: _titled(listed, "soon small") is None)
    listed.close()


@pytest.mark.parametrize(
    ("properties", "application"),
    [
        ({"WM_CLASS": ("STRING", 8, b"one\0Two\0")}, "Two"),
        ({"WM_CLASS": ("STRING", 8, b"alone")}, ""),
        ({"WM_CLASS": ("STRING", 32, b"12345678")}, ""),
        ({"WM_CLASS": ("STRING", 8, b"\xff\0\xff\xfe\0")}, "��"),
        ({"_NET_WM_PID": ("CARDINAL", 8, b"abc"), "_NET_WM_STATE": ("ATOM", 8, b"\1\2\3")}, ""),
        ({"_NET_FRAME_EXTENTS": ("CARDINAL", 32, b"\xff" * 16)}, ""),
        ({"_GTK_FRAME_EXTENTS": ("CARDINAL", 32, b"\xff" * 3 * 4)}, ""),
    ],
)
def test_whatever_a_program_writes_on_its_window_can_be_listed(
    display: str, x: Any, properties: dict[str, tuple[str, int, bytes]], application: str
) -> None:
    listed = WindowList(display)
    _make(x, "odd", (300, 300, 200, 100), **properties)
    found = _awaited(listed, "odd")
    assert found.application == application
    assert found.pid == os.getpid()
    listed.close()


def test_a_title_holds_no_control_characters_and_is_never_endless(display: str, x: Any) -> None:
    listed = WindowList(display)
    _make(x, "two\nlines\x1b[31m" + "x" * 100_000, (300, 300, 200, 100))
    until(lambda: bool(listed.windows()))
    title = listed.windows()[0].title
    assert title.startswith("two lines [31mxxx")
    assert len(title) <= 4096
    listed.close()


def test_the_shadow_that_a_program_draws_itself_is_no_part_of_its_window(display: str, x: Any) -> None:
    listed = WindowList(display)
    sides = b"".join(number.to_bytes(4, "little") for number in (20, 20, 16, 24))
    bare = b"".join(number.to_bytes(4, "little") for number in (2, 0, 0, 0, 0))
    window = _make(
        x,
        "shadowed",
        (300, 200, 340, 240),
        _GTK_FRAME_EXTENTS=("CARDINAL", 32, sides),
        _MOTIF_WM_HINTS=("_MOTIF_WM_HINTS", 32, bare),
    )
    found = _awaited(listed, "shadowed")
    place = x.core.TranslateCoordinates(window, x.setup.roots[0].root, 0, 0).reply()
    assert (found.box.x, found.box.y) == (place.dst_x + 20, place.dst_y + 16)
    assert (found.box.width, found.box.height) == (300, 200)
    listed.close()


def test_windows_that_die_while_they_are_listed_are_left_out(display: str, x: Any) -> None:
    listed = WindowList(display)
    _make(x, "stays", (10, 10, 100, 100))
    _awaited(listed, "stays")
    seen: set[str] = set()
    for number in range(40):
        window = _make(x, f"short {number}", (200, 200, 100, 100))
        x.core.DestroyWindow(window)
        x.flush()
        seen |= {one.title for one in listed.windows()}
        assert _titled(listed, "stays")
    listed.close()


def test_without_a_window_manager_the_windows_of_the_root_are_listed() -> None:
    with x_display(640, 480, manager=False) as display:
        listed = WindowList(display)
        with connected(display) as x:
            first = _make(x, "first", (10, 20, 100, 50), WM_CLASS=("STRING", 8, b"a\0App\0"))
            second = _make(x, "second", (60, 40, 100, 50))
            x.core.SetInputFocus(xproto.InputFocus.PointerRoot, first, 0)
            x.flush()
            until(lambda: (_titled(listed, "first") or _awaited(listed, "second")).focused)
            found = listed.windows()
        assert [window.id for window in found] == [second, first]
        assert found[1].application == "App"
        assert (found[1].box.x, found[1].box.y, found[1].box.width, found[1].box.height) == (10, 20, 100, 50)
        assert not found[0].focused
        listed.close()


def test_a_window_on_the_second_monitor_is_told_in_pixels_of_the_whole_desktop() -> None:
    with x_display(2560, 720) as display:
        set_monitors(display, (0, 0, 1280, 720), (1280, 0, 1280, 720))
        listed = WindowList(display)
        with connected(display) as x:
            window = _make(x, "over there", (1700, 200, 300, 200))
            found = _awaited(listed, "over there")
            place = x.core.TranslateCoordinates(window, x.setup.roots[0].root, 0, 0).reply()
        assert place.dst_x > 1280
        assert found.box.x <= place.dst_x
        assert found.box.x + found.box.width >= place.dst_x + 300
        listed.close()


def test_a_display_that_is_not_there_is_refused_with_what_to_do() -> None:
    with pytest.raises(DesktopUnavailable, match="--display"):
        WindowList(":4711")


def test_a_display_that_dies_is_told_as_lost() -> None:
    with x_display(320, 240, manager=False) as display:
        listed = WindowList(display)
        assert listed.windows() == []
        with connected(display) as x:
            server = server_process(x)
        os.kill(server, signal.SIGKILL)
        with pytest.raises(DesktopLost, match="gone away"):
            _list_until_it_fails(listed)


def _list_until_it_fails(listed: WindowList) -> None:
    for _ in range(1000):
        listed.windows()
